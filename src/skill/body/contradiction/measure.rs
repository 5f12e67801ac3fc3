//! Numbers of rules and of packs' lines: measures of the same thing, status codes, numbers in commands.

use std::sync::LazyLock;

use regex::Regex;

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

/// A fixed pattern, which a test uses.
fn fixed(pattern: &str) -> Regex {
    #[allow(clippy::expect_used, reason = "fixed patterns, used by the tests")]
    Regex::new(pattern).expect("a valid pattern")
}

/// Numbers in commands, each with a word of its unit in [`UNITS`].
static IN_CODE: LazyLock<[(&str, Regex); 2]> = LazyLock::new(|| {
    let rows = r"((?:\bof: ?|batch[_-]?size[ =:]+|chunk[_-]?size[ =:]+|\bLIMIT )'?)([0-9][0-9_]*)";
    let runs = r"((?:-count|--count|--repeat|--runs|--flake-runs)[ =])([0-9]+)";
    [("row", rows), ("run", runs)].map(|(unit, pattern)| (unit, fixed(pattern)))
});

/// Words between the two numbers of a range.
const BETWEEN: &[&str] = &["to", "and", "or", "a", "e", "y", "o", "ou", "até", "hasta"];

/// How many words may stand between a number and its unit: "5 working days".
const APART: usize = 2;

/// Words that make a number of a rule the most or the least that is allowed.
const MOST: &[&str] = &["at most", "no more than", "maximum", "up to", "máximo", "até", "hasta"];

const LEAST: &[&str] = &["at least", "minimum", "mínimo", "mínimos", "pelo menos", "al menos"];

/// "10,000" and "10.000".
static GROUPED: LazyLock<Regex> = LazyLock::new(|| fixed(r"([0-9])[.,]([0-9]{3})\b"));

/// A measure: the place of its unit in [`UNITS`], and its numbers.
pub(super) type Measure = (usize, Vec<u32>);

/// Status codes of which an API uses one for the same answer.
const CODES: &[[&str; 2]] = &[["400", "422"], ["403", "404"]];

/// Words of a rule that make a number a status code.
const ANSWERS: &[&str] =
    &["http", "status", "answer", "return", "respon", "error", "erro", "code", "`4", "invalid", "devuelve", "devolve"];

/// Status codes to replace, each with the one that a rule names for the same answer.
pub(super) fn codes(rules: &[&str]) -> Vec<(Regex, String)> {
    let named = |code: &str| {
        rules.iter().map(|rule| rule.to_lowercase()).any(|rule| {
            let words = rule.split(|c: char| !c.is_alphanumeric());
            words.into_iter().any(|word| word == code) && ANSWERS.iter().any(|word| rule.contains(word))
        })
    };
    let both = CODES.iter().flat_map(|[one, other]| [(*one, *other), (*other, *one)]);
    let replaced = both.filter(|(theirs, ours)| named(ours) && !named(theirs));
    replaced.filter_map(|(theirs, ours)| Some((Regex::new(&format!(r"\b{theirs}\b")).ok()?, ours.to_owned()))).collect()
}

/// A larger number of a rule counts something else than runs, days or people of a check.
const MOST_TIMES: u32 = 100;

/// The text with the numbers of the rules, where it and the rule measure the same thing by one number each: what is `counted`, as
/// words of a text are, or anything.
pub(super) fn with_numbers(text: &str, rules: &[(&str, Vec<Measure>)], counted: fn(usize) -> bool) -> String {
    let named = NUMBERS.iter().flat_map(|(_, words)| words.split(' ')).collect::<Vec<_>>().join("|");
    let measured = measures(text);
    rules.iter().filter(|rule| differs(text, &measured, rule)).fold(text.to_owned(), |text, (_, said)| {
        let [(unit, ours)] = said.as_slice() else { return text };
        let of_unit: Vec<Measure> = measures(&text).into_iter().filter(|(known, _)| known == unit).collect();
        let ([number], [(_, numbers)], Some((words, _))) = (ours.as_slice(), of_unit.as_slice(), UNITS.get(*unit))
        else {
            return text;
        };
        let pattern = format!(r"(?i)\b(?:[0-9]+|{named})( (?:{})\b)", words.replace(' ', "|"));
        match Regex::new(&pattern) {
            Ok(measure) if numbers.len() == 1 && counted(*unit) && (*number <= MOST_TIMES || is_of_texts(*unit)) => {
                measure.replace(&text, format!("{number}$1")).into_owned()
            }
            _ => text,
        }
    })
}

pub(super) fn is_of_texts(unit: usize) -> bool {
    UNITS.get(unit).is_some_and(|(_, of_texts)| *of_texts)
}

/// The text with the numbers of the rules in its commands: `in_batches(of: 1000)`.
pub(super) fn in_code(text: &str, rules: &[(&str, Vec<Measure>)]) -> String {
    let mut said = text.to_owned();
    for (word, pattern) in IN_CODE.iter().filter(|(_, pattern)| pattern.is_match(text)) {
        let ours = rules.iter().filter(|(rule, _)| unit(word).is_some_and(|unit| shares_subject(text, rule, unit)));
        let mut ours = ours.flat_map(|(_, measures)| measures).filter(|(of, _)| Some(*of) == unit(word));
        if let Some([number]) = ours.next().map(|(_, numbers)| numbers.as_slice()) {
            said = pattern.replace_all(&said, format!("${{1}}{number}")).into_owned();
        }
    }
    said
}

/// Numbers to replace, each with the one that a rule puts in its place: "190 characters, not 254".
pub(super) fn instead(rules: &[&str]) -> Vec<(Regex, String)> {
    static NOT: LazyLock<Regex> = LazyLock::new(|| fixed(r"([0-9]{2,})[^.;0-9]*\bnot ([0-9]{2,})\b"));
    let found = rules.iter().flat_map(|rule| NOT.captures_iter(rule));
    found.filter_map(|said| Some((Regex::new(&format!(r"\b{}\b", &said[2])).ok()?, said[1].to_owned()))).collect()
}

pub(super) fn differs(part: &str, measured: &[Measure], (rule, said): &(&str, Vec<Measure>)) -> bool {
    let lower = rule.to_lowercase();
    let limits = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    measured.iter().any(|(unit, numbers)| {
        let other = said.iter().filter(|(known, _)| known == unit).any(|(_, ours)| match () {
            () if limits(MOST) => numbers.iter().any(|one| ours.iter().all(|most| one > most)),
            () if limits(LEAST) => numbers.iter().any(|one| ours.iter().all(|least| one < least)),
            () => !ours.iter().any(|one| numbers.contains(one)),
        });
        other && (is_of_texts(*unit) || shares_subject(part, rule, *unit))
    })
}

/// Whether the two texts share a word that is no measure.
fn shares_subject(part: &str, rule: &str, unit: usize) -> bool {
    let unit = UNITS.get(unit).map_or("", |(words, _)| *words);
    let plain = |text: &str| {
        let words = text.split(|c: char| !c.is_alphanumeric());
        let measure = |word: &str| has_word(unit, word) || number(word).is_some();
        words.filter(|word| !measure(&word.to_lowercase())).collect::<Vec<_>>().join(" ")
    };
    Subject::of(&plain(rule)).shared_with(&plain(part)) > 0
}

pub(super) fn measures(text: &str) -> Vec<Measure> {
    // "Port 5433 (`npm run db:test`)": code measures nothing.
    let text = text.split('`').step_by(2).collect::<Vec<_>>().join(" . ");
    let lower = GROUPED.replace_all(&text.to_lowercase(), "$1$2").replace('%', " % ");
    let mut words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric() && c != '%').collect();
    words.retain(|word| !word.is_empty());
    let (mut found, mut numbers, mut since) = (Vec::new(), Vec::new(), 0);
    for word in words {
        match (number(word), unit(word)) {
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

/// The place of the unit with this word in [`UNITS`].
fn unit(word: &str) -> Option<usize> {
    UNITS.iter().position(|(words, _)| has_word(words, word))
}

fn number(word: &str) -> Option<u32> {
    let named = || NUMBERS.iter().find(|(_, words)| has_word(words, word));
    word.parse().ok().or_else(|| named().map(|(number, _)| *number))
}

fn has_word(words: &str, word: &str) -> bool {
    words.split(' ').any(|one| one == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_check_takes_the_number_of_the_rule() {
        let said = |number: &str| format!("Listo cuando pasa {number} veces seguidas, y falla cuando se rompe.");
        for (rule, number) in [
            ("Estable tras 20 ejecuciones seguidas.", "20"),
            ("Se avisa 20 veces al cliente.", "tres"),
            ("El Postgres que pasa está en el puerto 5433 (`npm run db:test`).", "tres"),
        ] {
            assert_eq!(with_numbers(&said("tres"), &[(rule, measures(rule))], |_| true), said(number), "{rule}");
        }
    }

    #[test]
    fn numbers_in_commands_are_those_of_the_house() {
        let (rows, runs) = ("Backfills go in batches of 1,000 rows.", "A test is stable after 200 runs.");
        for (rule, text, wanted) in [
            (rows, "Batches: `in_batches(of: 5000)`.", "Batches: `in_batches(of: 1000)`."),
            (runs, "Repeat the test: `go test -count=50`.", "Repeat the test: `go test -count=200`."),
            (rows, "Read `LIMIT 10` of the log.", "Read `LIMIT 10` of the log."),
        ] {
            assert_eq!(in_code(text, &[(rule, measures(rule))]), wanted);
        }
    }

    #[test]
    fn a_number_or_status_code_that_a_rule_puts_in_the_place_of_another_is_taken() {
        for (rule, text, wanted) in [
            ("190 characters with the domain, not 254.", "At most 254 octets.", "At most 190 octets."),
            ("Invalid input answers 422.", "Refuse with 400; 4000 rows.", "Refuse with 422; 4000 rows."),
            ("At most 422 rows.", "Refuse with 400.", "Refuse with 400."),
            ("Errors are 400 or 422.", "Refuse with 400.", "Refuse with 400."),
        ] {
            let mut said = text.to_owned();
            for (theirs, ours) in codes(&[rule]).into_iter().chain(instead(&[rule])) {
                said = theirs.replace_all(&said, ours).into_owned();
            }
            assert_eq!(said, wanted, "{rule}");
        }
    }
}
