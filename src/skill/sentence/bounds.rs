//! The limits a sentence sets by a number: "at most 200 words", "within 48 hours".

use regex::{Captures, Regex};

use super::words::{Word, words};
use super::{Language, Sentence, lowered};

/// How many words after the number belong to it: "2 business days".
const UNIT: usize = 2;

/// A limit by a number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Bound {
    /// In the author's words, without a capital.
    pub(crate) text: String,
    /// The number, and what is counted, as written; may be empty.
    number: u64,
    unit: String,
}

impl Bound {
    /// A text with this limit in place of each range of the same unit and size: "50 to 125 words".
    pub(crate) fn replace_ranges(&self, text: &str) -> String {
        if self.unit.is_empty() || !text.contains(&self.unit) {
            return text.to_owned();
        }
        let range = format!(r"\b(\d+)(?: to | a |-|\u{{2013}})(\d+) {}\b", regex::escape(&self.unit));
        let Ok(range) = Regex::new(&range) else { return text.to_owned() };
        let other = |met: &Captures<'_>| {
            let [low, high] = [1, 2].map(|part| met.get(part).and_then(|met| met.as_str().parse::<u64>().ok()));
            let near =
                low.is_some_and(|low| low <= self.number * 2) && high.is_some_and(|high| high * 2 >= self.number);
            if near { self.text.clone() } else { met.get(0).map_or("", |met| met.as_str()).to_owned() }
        };
        range.replace_all(text, other).into_owned()
    }
}

impl Sentence {
    /// The limits by a number that are no rule by themselves.
    pub(super) fn read_bounds(&self) -> Vec<Bound> {
        let lexicon = self.language.lexicon();
        let all = words(&self.text);
        let number = |at: usize| all.get(at).is_some_and(|word| counts(&word.text));
        let mut found: Vec<Bound> = Vec::new();
        let mut at = 0;
        while at < all.len() {
            let length = lexicon.phrase("bounds", &all, at).filter(|length| number(at + length));
            let Some(length) = length else {
                at += 1;
                continue;
            };
            let counted = at + length;
            let last = |at: usize| {
                all.get(at).is_none_or(|word| word.closes)
                    || all.get(at + 1).is_none_or(|next| lexicon.set("grammar").contains(next.key()))
                    || lexicon.phrase("leads", &all, at + 1).is_some()
                    || lexicon.is("leads", &all, at + 1)
                    || lexicon.is("joins", &all, at + 1)
            };
            let end = (counted..counted + UNIT).find(|at| last(*at)).unwrap_or(counted + UNIT);
            let written = |from: usize, to: usize| {
                let words = all.get(from..=to).unwrap_or_default().iter();
                words.map(|word: &Word| word.text.as_str()).collect::<Vec<_>>().join(" ")
            };
            let text = lowered(&written(at, end));
            let ruled = self.rules.iter().any(|rule| rule.to_lowercase().contains(&text.to_lowercase()));
            if !ruled {
                let unit = if end > counted { written(counted + 1, end) } else { String::new() };
                let number = written(counted, counted).replace(|c: char| !c.is_ascii_digit(), "").parse().unwrap_or(0);
                found.push(Bound { text, number, unit });
            }
            at = end + 1;
        }
        found
    }
}

/// Whether a part begins with a limit, or with what all parts keep: "only risks that changed", "each under 120 words".
pub(crate) fn is_limit(part: &str, language: Language) -> bool {
    let (lexicon, words) = (language.lexicon(), words(part));
    ["only", "whole"].iter().any(|set| lexicon.is(set, &words, 0)) || lexicon.phrase("bounds", &words, 0).is_some()
}

/// Whether it is a number, also a percentage or a sum of money.
fn counts(word: &str) -> bool {
    let bare = word.trim_matches(['%', '$', '\u{20ac}', '\u{a3}']);
    !bare.is_empty() && bare.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | ','))
}

#[cfg(test)]
mod tests {
    use super::is_limit;
    use crate::skill::Language;
    use crate::skill::sentence::read;

    fn bounds(text: &str) -> Vec<String> {
        read(text).bounds.into_iter().map(|bound| bound.text).collect()
    }

    #[test]
    fn a_part_that_limits_is_none_to_cover() {
        for part in ["only risks that changed", "each under 120 words", "under 90 euros", "nothing goes out"] {
            assert!(is_limit(part, Language::En), "{part}");
        }
        assert!(!is_limit("a subject line under 50 characters", Language::En));
        assert!(is_limit("só os fundidos", Language::Pt) && is_limit("solo las fusionadas", Language::Es));
    }

    #[test]
    fn a_number_behind_a_limiting_word_is_a_bound() {
        for (text, wanted) in [
            ("Write cold outreach emails to CTOs, max 120 words", &["max 120 words"][..]),
            ("Write weekly status reports of at most 200 words for my manager", &["at most 200 words"]),
            ("Write a postmortem within 48 hours of an incident", &["within 48 hours"]),
            ("Plan weekly meals for two vegetarians under 80 euros", &["under 80 euros"]),
            ("Answer tickets within 2 business days", &["within 2 business days"]),
            ("Responder reclamações de clientes, sempre em até 2 horas", &["em até 2 horas"]),
            ("Plan a 3-day trip", &[]),
            ("Group the items under 3rd-party licenses", &[]),
            ("Test the API under load", &[]),
        ] {
            assert_eq!(bounds(text), wanted, "{text}");
        }
    }

    #[test]
    fn the_authors_limit_replaces_the_range_of_a_line() {
        let [bound] = &read("Write emails, max 120 words").bounds[..] else { panic!() };
        assert_eq!(bound.replace_ranges("Write 50 to 125 words in 4 parts."), "Write max 120 words in 4 parts.");
        for other in ["Wait 2 to 3 days.", "Write a subject of 2 to 5 words."] {
            assert_eq!(bound.replace_ranges(other), other);
        }
    }
}
