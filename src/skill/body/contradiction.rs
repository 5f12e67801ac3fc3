//! Lines of packs that a rule of the house contradicts: another measure for the same thing, or a command that it forbids.
//! The rule holds.

use std::sync::LazyLock;

use regex::Regex;

use super::{Origin, Section, Shape};
use crate::skill::fact::{denies, sentences};
use crate::skill::prose::code_spans;
use crate::skill::subject::Subject;

/// Units, each with its words in the three languages. Those of texts need no other word in common: a skill makes one text.
const UNITS: &[(&str, bool)] = &[
    ("word words palavra palavras palabra palabras", true),
    ("character characters caractere caracteres carácter", true),
    ("page pages página páginas", true),
    ("sentence sentences frase frases", true),
    ("day days dia dias día días", false),
    ("hour hours hora horas", false),
    ("minute minutes minuto minutos", false),
    ("week weeks semana semanas", false),
    ("month months mês meses mes", false),
    ("night nights noite noites noche noches", false),
    ("times run runs vez vezes execução execuções veces ejecución ejecuciones", false),
    ("second seconds segundo segundos", false),
    ("row rows linha linhas fila filas", false),
    ("kb", false),
    ("mb", false),
    ("gb", false),
    ("%", false),
];

/// Numbers, each with its words in the three languages.
const NUMBERS: &[(u32, &str)] = &[
    (1, "one"),
    (2, "two dois duas dos"),
    (3, "three três tres"),
    (4, "four quatro cuatro"),
    (5, "five cinco"),
    (6, "six seis"),
    (7, "seven sete siete"),
    (10, "ten dez diez"),
];

/// Numbers in commands, each with a word of its unit in [`UNITS`].
const IN_CODE: &[(&str, &str)] = &[
    ("row", r"(?i)((?:\bof: ?|batch[_-]?size[ =:]+|chunk[_-]?size[ =:]+|\bLIMIT )'?)(\d[\d_]*)"),
    ("run", r"((?:-count|--count|--repeat|--runs|--flake-runs)[ =])(\d+)"),
];

/// Words between the two numbers of a range.
const BETWEEN: &[&str] = &["to", "and", "or", "a", "e", "y", "o", "ou", "até", "hasta"];

/// How many words may stand between a number and its unit: "5 working days".
const APART: usize = 2;

/// Words that make a number of a rule the most or the least that is allowed.
const MOST: &[&str] = &["at most", "no more than", "maximum", "up to", "máximo", "até", "hasta"];
const LEAST: &[&str] = &["at least", "minimum", "mínimo", "mínimos", "pelo menos", "al menos"];

/// "10,000" and "10.000".
#[allow(clippy::expect_used, reason = "a fixed pattern, used by the tests")]
static GROUPED: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(\d)[.,](\d{3})\b").expect("a valid pattern"));

/// A measure: the place of its unit in [`UNITS`], and its numbers.
type Measure = (usize, Vec<u32>);

/// Removes what the rules contradict from the lines of packs.
pub(super) fn remove<'r>(sections: &mut [Section], rules: impl Iterator<Item = &'r str>) {
    let rules: Vec<(&str, Vec<Measure>)> = rules.map(|rule| (rule, measures(rule))).collect();
    let forbidden: Vec<&str> = rules.iter().flat_map(|(rule, _)| forbidden(rule)).collect();
    let rules: Vec<_> = rules.into_iter().filter(|(_, measures)| !measures.is_empty()).collect();
    if rules.is_empty() && forbidden.is_empty() {
        return;
    }
    for lines in sections.iter_mut().map(|section| &mut section.lines) {
        let mut at = 0;
        while let Some(line) = lines.get(at) {
            let said = in_code(&line.text, &rules);
            let changed = said != line.text;
            let orders: &[&str] = if matches!(line.shape, Shape::Step | Shape::Under) { &forbidden } else { &[] };
            let kept = match &line.origin {
                // "Done when it passes three times in a row": as often as the rule says.
                Origin::Pack { .. } if line.shape == Shape::Plain => {
                    let said = with_numbers(&said, &rules);
                    Some(without(&said, &rules, orders).unwrap_or(said))
                }
                Origin::Pack { .. } => without(&said, &rules, orders).or(changed.then_some(said)),
                _ => None,
            };
            let shape = line.shape;
            match (kept, lines.get_mut(at)) {
                (Some(kept), Some(line)) if !kept.is_empty() => line.text = kept,
                (Some(_), _) => {
                    lines.remove(at);
                    // What stands under a step takes its place.
                    let below = lines.get_mut(at).filter(|next| shape == Shape::Step && next.shape == Shape::Under);
                    below.into_iter().for_each(|next| next.shape = Shape::Step);
                    continue;
                }
                _ => {}
            }
            at += 1;
        }
    }
}

/// The text without the parts that a rule contradicts, empty if nothing is left; `None` if none does. A part is a sentence,
/// or what stands behind a semicolon in one.
fn without(text: &str, rules: &[(&str, Vec<Measure>)], forbidden: &[&str]) -> Option<String> {
    let contradicted = |part: &str| {
        rules.iter().any(|rule| differs(part, rule)) || forbidden.iter().any(|command| runs(part, command))
    };
    if !contradicted(text) {
        return None;
    }
    // "Set the limits: types, size (images 10 MB), number a day": only what stands in brackets goes.
    let bracketed = text.match_indices(" (").filter_map(|(at, _)| {
        let inside = text.get(at..)?.split_inclusive(')').next()?;
        (contradicted(inside) && !inside.contains('`')).then(|| text.replacen(inside, "", 1))
    });
    if let Some(kept) = bracketed.into_iter().find(|kept| !contradicted(kept)) {
        return Some(kept);
    }
    let mut kept = Vec::new();
    for sentence in sentences(text) {
        let parts: Vec<&str> = sentence.split("; ").collect();
        if parts.first().is_some_and(|first| contradicted(first)) {
            continue;
        }
        let parts: Vec<&str> = parts.into_iter().filter(|part| !contradicted(part)).collect();
        let left = format!("{}.", parts.join("; ").trim_end_matches(['.', ',']));
        kept.extend(Some(left).filter(|left| is_whole(left)));
    }
    Some(kept.join(" "))
}

/// The text with the numbers of the rules, where it and the rule measure the same thing by one number each.
fn with_numbers(text: &str, rules: &[(&str, Vec<Measure>)]) -> String {
    let named = NUMBERS.iter().flat_map(|(_, words)| words.split(' ')).collect::<Vec<_>>().join("|");
    rules.iter().filter(|rule| differs(text, rule)).fold(text.to_owned(), |text, (_, said)| {
        let [(unit, ours)] = said.as_slice() else { return text };
        let of_unit: Vec<Measure> = measures(&text).into_iter().filter(|(known, _)| known == unit).collect();
        let ([number], [(_, numbers)], Some((words, _))) = (ours.as_slice(), of_unit.as_slice(), UNITS.get(*unit))
        else {
            return text;
        };
        let pattern = format!(r"(?i)\b(?:\d+|{named})( (?:{})\b)", words.replace(' ', "|"));
        match Regex::new(&pattern) {
            Ok(measure) if numbers.len() == 1 => measure.replace(&text, format!("{number}$1")).into_owned(),
            _ => text,
        }
    })
}

/// The text with the numbers of the rules in its commands: `in_batches(of: 1000)`.
fn in_code(text: &str, rules: &[(&str, Vec<Measure>)]) -> String {
    let unit = |word: &str| UNITS.iter().position(|(words, _)| words.split(' ').any(|one| one == word));
    let mut said = text.to_owned();
    for (word, pattern) in IN_CODE {
        let ours = rules.iter().filter(|(rule, _)| unit(word).is_some_and(|unit| shares_subject(text, rule, unit)));
        let mut ours = ours.flat_map(|(_, measures)| measures).filter(|(of, _)| Some(*of) == unit(word));
        let (Some((_, numbers)), Ok(pattern)) = (ours.next(), Regex::new(pattern)) else { continue };
        if let [number] = numbers.as_slice() {
            said = pattern.replace_all(&said, format!("${{1}}{number}")).into_owned();
        }
    }
    said
}

/// The commands that a rule forbids: "never run `cargo publish` by hand".
fn forbidden(rule: &str) -> Vec<&str> {
    let mut said = String::new();
    let mut found = Vec::new();
    for (before, command) in code_spans(rule) {
        said.push_str(before);
        if command.contains(' ') && denies(said.rsplit([';', '.']).next().unwrap_or_default()) {
            found.push(command);
        }
    }
    found
}

/// Whether a part tells to run a command, rather than not to.
fn runs(part: &str, command: &str) -> bool {
    let plain: String = part.split('`').step_by(2).collect();
    code_spans(part).any(|(_, code)| code.contains(command)) && !denies(&plain)
}

/// Whether every bracket and quotation mark has its other half.
fn is_whole(text: &str) -> bool {
    let mut open = 0_i32;
    let closed = text.chars().all(|c| {
        open += i32::from(c == '(') - i32::from(c == ')');
        open >= 0
    });
    closed && open == 0 && text.matches('"').count().is_multiple_of(2)
}

fn differs(part: &str, (rule, said): &(&str, Vec<Measure>)) -> bool {
    let lower = rule.to_lowercase();
    let limits = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    measures(part).iter().any(|(unit, numbers)| {
        let of_texts = UNITS.get(*unit).is_some_and(|(_, of_texts)| *of_texts);
        let other = said.iter().filter(|(known, _)| known == unit).any(|(_, ours)| match () {
            () if limits(MOST) => numbers.iter().any(|one| ours.iter().all(|most| one > most)),
            () if limits(LEAST) => numbers.iter().any(|one| ours.iter().all(|least| one < least)),
            () => !ours.iter().any(|one| numbers.contains(one)),
        });
        other && (of_texts || shares_subject(part, rule, *unit))
    })
}

/// Whether the two texts share a word that is no measure.
fn shares_subject(part: &str, rule: &str, unit: usize) -> bool {
    let unit = UNITS.get(unit).map_or("", |(words, _)| *words);
    let plain = |text: &str| {
        let words = text.split(|c: char| !c.is_alphanumeric());
        let measure = |word: &str| unit.split(' ').any(|one| one == word) || number(word).is_some();
        words.filter(|word| !measure(&word.to_lowercase())).collect::<Vec<_>>().join(" ")
    };
    Subject::of(&plain(rule)).shared_with(&plain(part)) > 0
}

fn measures(text: &str) -> Vec<Measure> {
    // "Port 5433 (`npm run db:test`)": code measures nothing.
    let text = text.split('`').step_by(2).collect::<Vec<_>>().join(" . ");
    let lower = GROUPED.replace_all(&text.to_lowercase(), "$1$2").replace('%', " % ");
    let mut words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric() && c != '%').collect();
    words.retain(|word| !word.is_empty());
    let (mut found, mut numbers, mut since) = (Vec::new(), Vec::new(), 0);
    for word in words {
        let unit = UNITS.iter().position(|(words, _)| words.split(' ').any(|one| one == word));
        match (number(word), unit) {
            (Some(number), _) => {
                numbers.push(number);
                since = 0;
            }
            (None, Some(unit)) if !numbers.is_empty() => found.push((unit, std::mem::take(&mut numbers))),
            _ if BETWEEN.contains(&word) => {}
            _ if since < APART && !numbers.is_empty() => since += 1,
            _ => numbers.clear(),
        }
    }
    found
}

fn number(word: &str) -> Option<u32> {
    let named = || NUMBERS.iter().find(|(_, words)| words.split(' ').any(|one| one == word));
    word.parse().ok().or_else(|| named().map(|(number, _)| *number))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(text: &str, rule: &str) -> Option<String> {
        without(text, &[(rule, measures(rule))], &forbidden(rule))
    }

    #[test]
    fn the_rule_of_the_house_replaces_another_measure_of_the_same_thing() {
        assert_eq!(kept("Keep it between 120 and 180 words.", "At most 120 words."), Some(String::new()));
        assert_eq!(
            kept("Greet by name; stay below 200 words. Sign it.", "At most 150 words."),
            Some("Greet by name. Sign it.".to_owned())
        );
        assert_eq!(kept("Use 200 words; sign it.", "At most 150 words."), Some(String::new()));
        assert_eq!(
            kept("Set the limits: types, size (images 10 MB), owner.", "Images: at most 5 MB.").as_deref(),
            Some("Set the limits: types, size, owner.")
        );
        assert_eq!(kept("Batches of 10,000 rows.", "Batches of at most 1000 rows."), Some(String::new()));
        assert_eq!(kept("Tres veces seguidas.", "Tras 20 ejecuciones seguidas."), Some(String::new()));
        assert_eq!(kept("Como mucho 3 noches seguidas.", "Dos noches seguidas, nunca más."), Some(String::new()));
        assert_eq!(kept("Cobre 40% no pedido.", "30 % no pedido."), Some(String::new()));
        assert_eq!(kept("11 horas de descanso.", "Al menos 12 horas de descanso."), Some(String::new()));
    }

    #[test]
    fn a_check_takes_the_number_of_the_rule() {
        let rules = |rule| [(rule, measures(rule))];
        let check = "Listo cuando pasa tres veces seguidas, y falla cuando se rompe.";
        let said = with_numbers(check, &rules("Estable tras 20 ejecuciones seguidas."));
        assert_eq!(said, "Listo cuando pasa 20 veces seguidas, y falla cuando se rompe.");
        assert_eq!(with_numbers(check, &rules("Se avisa 20 veces al cliente.")), check);
        assert_eq!(
            with_numbers(check, &rules("El Postgres que pasa está en el puerto 5433 (`npm run db:test`).")),
            check
        );
    }

    #[test]
    fn numbers_in_commands_are_those_of_the_house() {
        let said = |text: &str, rule: &str| in_code(text, &[(rule, measures(rule))]);
        let rule = "Backfills go in batches of 1,000 rows.";
        assert_eq!(said("Batches: `in_batches(of: 5000)`.", rule), "Batches: `in_batches(of: 1000)`.");
        assert_eq!(
            said("Repeat the test: `go test -count=50`.", "A test is stable after 200 runs."),
            "Repeat the test: `go test -count=200`."
        );
        assert_eq!(said("Read `LIMIT 10` of the log.", rule), "Read `LIMIT 10` of the log.");
    }

    #[test]
    fn a_command_that_the_house_forbids_is_no_step() {
        let rule = "CI publishes; never run `cargo publish` by hand.";
        assert_eq!(kept("Publish: `cargo publish --workspace --locked`.", rule), Some(String::new()));
        assert_eq!(kept("Do not run `cargo publish` from a branch.", rule), None);
        assert_eq!(kept("Publish: `cargo publish`.", "Run `cargo publish` on Mondays."), None);
    }

    #[test]
    fn another_subject_or_a_measure_within_the_limit_stays() {
        assert_eq!(kept("Keep the invoice for 10 years.", "Payment within 30 days."), None);
        assert_eq!(kept("Refund within 14 days.", "Answer within one working day."), None);
        assert_eq!(kept("At most 150 words.", "At most 150 words."), None);
        assert_eq!(kept("Stay between 100 and 150 words.", "At most 150 words."), None);
    }
}
