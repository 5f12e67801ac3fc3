//! Lines of packs that give another measure than a rule of the house for the same thing: the rule holds.

use super::{Origin, Section, Shape};
use crate::skill::fact::sentences;
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
    ("time times vez vezes veces", false),
    ("%", false),
];

/// Numbers as words.
const NUMBERS: &[(&str, u32)] = &[
    ("one", 1),
    ("two", 2),
    ("three", 3),
    ("four", 4),
    ("five", 5),
    ("six", 6),
    ("seven", 7),
    ("ten", 10),
    ("um", 1),
    ("uma", 1),
    ("dois", 2),
    ("duas", 2),
    ("três", 3),
    ("quatro", 4),
    ("cinco", 5),
    ("seis", 6),
    ("sete", 7),
    ("dez", 10),
    ("un", 1),
    ("una", 1),
    ("dos", 2),
    ("tres", 3),
    ("cuatro", 4),
    ("siete", 7),
    ("diez", 10),
];

/// Words between the two numbers of a range.
const BETWEEN: &[&str] = &["to", "and", "or", "a", "e", "y", "o", "ou", "até", "hasta", "or"];

/// How many words may stand between a number and its unit: "5 working days".
const APART: usize = 2;

/// Words that make a number of a rule the most or the least that is allowed.
const MOST: &[&str] = &["at most", "no more than", "maximum", "up to", "máximo", "até", "hasta"];
const LEAST: &[&str] = &["at least", "minimum", "mínimo", "mínimos", "pelo menos", "al menos"];

/// A measure: the place of its unit in [`UNITS`], and its numbers.
type Measure = (usize, Vec<u32>);

/// Removes what the rules contradict from the lines of packs. A step with lines below it stays.
pub(super) fn remove<'r>(sections: &mut [Section], rules: impl Iterator<Item = &'r str>) {
    let rules: Vec<(&str, Vec<Measure>)> = rules.map(|rule| (rule, measures(rule))).collect();
    let rules: Vec<_> = rules.into_iter().filter(|(_, measures)| !measures.is_empty()).collect();
    if rules.is_empty() {
        return;
    }
    for lines in sections.iter_mut().map(|section| &mut section.lines) {
        let mut at = 0;
        while let Some(line) = lines.get(at) {
            let leads = lines.get(at + 1).is_some_and(|next| matches!(next.shape, Shape::Under | Shape::Code));
            let kept = match &line.origin {
                Origin::Pack { .. } => without(&line.text, &rules),
                _ => None,
            };
            match (kept, lines.get_mut(at)) {
                (Some(kept), Some(line)) if !kept.is_empty() => line.text = kept,
                (Some(_), Some(_)) if !leads => {
                    lines.remove(at);
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
fn without(text: &str, rules: &[(&str, Vec<Measure>)]) -> Option<String> {
    let contradicted = |part: &str| rules.iter().any(|rule| differs(part, rule));
    if !contradicted(text) {
        return None;
    }
    let mut kept = Vec::new();
    for sentence in sentences(text) {
        let parts: Vec<&str> = sentence.split("; ").collect();
        if parts.first().is_some_and(|first| contradicted(first)) {
            continue;
        }
        let parts: Vec<&str> = parts.into_iter().filter(|part| !contradicted(part)).collect();
        let left = format!("{}.", parts.join("; ").trim_end_matches(['.', ',']));
        let paired = left.matches('(').count() == left.matches(')').count() && left.matches('"').count() % 2 == 0;
        kept.extend(Some(left).filter(|_| paired));
    }
    Some(kept.join(" "))
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
    let lower = text.to_lowercase().replace('%', " % ");
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
    word.parse().ok().or_else(|| NUMBERS.iter().find(|(name, _)| *name == word).map(|(_, number)| *number))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(text: &str, rule: &str) -> Option<String> {
        without(text, &[(rule, measures(rule))])
    }

    #[test]
    fn the_rule_of_the_house_replaces_another_measure_of_the_same_thing() {
        assert_eq!(kept("Keep it between 120 and 180 words.", "At most 120 words."), Some(String::new()));
        assert_eq!(
            kept("Greet by name; stay below 200 words. Sign it.", "At most 150 words."),
            Some("Greet by name. Sign it.".to_owned())
        );
        assert_eq!(kept("Use 200 words; sign it.", "At most 150 words."), Some(String::new()));
        assert_eq!(kept("Como mucho 3 noches seguidas.", "Dos noches seguidas, nunca más."), Some(String::new()));
        assert_eq!(kept("Cobre 40% no pedido.", "30 % no pedido."), Some(String::new()));
        assert_eq!(kept("11 horas de descanso.", "Al menos 12 horas de descanso."), Some(String::new()));
    }

    #[test]
    fn another_subject_or_a_measure_within_the_limit_stays() {
        assert_eq!(kept("Keep the invoice for 10 years.", "Payment within 30 days."), None);
        assert_eq!(kept("Refund within 14 days.", "Answer within one working day."), None);
        assert_eq!(kept("At most 150 words.", "At most 150 words."), None);
        assert_eq!(kept("Stay between 100 and 150 words.", "At most 150 words."), None);
    }
}
