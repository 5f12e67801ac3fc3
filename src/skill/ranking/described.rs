//! How clearly a description names a concept, and what it excludes.

use super::BEHIND;
use super::concepts::Hit;
use crate::skill::sentence::Language;

/// The weight of a concept that is only named by ambiguous words.
const WEAKLY: f64 = 0.10;
/// What each further clear mention adds, as a share; at most so many count.
const AGAIN: f64 = 0.05;
const MOST_AGAIN: usize = 3;

/// How a skill's description names a concept.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Named {
    /// How often clearly, and whether so in the name or the first sentence.
    clear: usize,
    first: bool,
}

impl Named {
    pub(super) fn add(&mut self, hit: &Hit, first: bool) {
        self.clear += usize::from(!hit.weak);
        self.first |= first && !hit.weak;
    }

    pub(super) fn counts(self) -> f64 {
        let Some(again) = self.clear.checked_sub(1) else { return WEAKLY };
        (1.0 + AGAIN * again.min(MOST_AGAIN) as f64) * if self.first { 1.0 } else { BEHIND }
    }
}

/// Splits a description into what the skill is for and what it excludes.
pub(super) fn without_refused(description: &str) -> (String, String) {
    let lower = description.to_lowercase();
    let begins = |phrase: &str| lower.find(phrase).filter(|at| description.is_char_boundary(*at));
    let all = Language::ALL.iter().flat_map(|language| language.lexicon().text("rules", "excludes").split('|'));
    let Some(from) = all.filter(|phrase| !phrase.is_empty()).filter_map(begins).min() else {
        return (description.to_owned(), String::new());
    };
    let (wanted, rest) = description.split_at(from);
    let (refused, behind) = rest.split_once(". ").unwrap_or((rest, ""));
    (format!("{wanted} {behind}"), refused.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_skill_is_not_for_is_no_part_of_what_it_is_for() {
        let (wanted, refused) = without_refused("Reads logs. Do not use for metrics. Use when a log is long.");
        assert_eq!(
            (wanted.as_str(), refused.as_str()),
            ("Reads logs.  Use when a log is long.", "Do not use for metrics")
        );
        let all = "Lê registros. Use quando algo falhar.";
        assert_eq!(without_refused(all), (all.to_owned(), String::new()));
    }
}
