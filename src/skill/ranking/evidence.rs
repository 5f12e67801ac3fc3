//! The evidence for one skill, word by word, and whether it suffices to claim the prompt; how clearly a description names a
//! concept, and what it excludes.

use super::BEHIND;
use super::concepts::{Hit, Kind};
use super::words::{Term, asks};
use crate::skill::sentence::Language;

/// The weight of a common word.
const EVERYDAY: f64 = 0.1;
/// The weight of a shared concept, and the most that one of its words weighs, by its kind; the factor for an ambiguous
/// word, and for one that is also common.
const KIND: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];
const WEAK: f64 = 0.8;
const COMMON: f64 = 0.28;
/// The penalty of a concept the skill excludes.
const REFUSED: f64 = 1.0;

/// A skill claims a prompt if the weight of what they share, up to `MOST`, reaches `LEAST` together with its distance to
/// the next skill, less each sign of a question and each other subject of the prompt. The numbers are a logistic
/// regression over `fixtures/match-prompts`, tried on each set with the others.
const MOST: f64 = 2.0;
const MARGIN: f64 = 0.50;
const QUESTION: f64 = 0.50;
const OTHER: f64 = 0.25;
const LEAST: f64 = 1.35;
/// How many signs, and how many subjects, count.
const MOST_SIGNS: usize = 2;

/// A prompt with the weight of each of its words.
pub(super) struct Asked<'p> {
    pub(super) words: Vec<Term<'p>>,
    pub(super) hits: Vec<Hit>,
    /// The weight of each word if a skill has it.
    pub(super) own: Vec<f64>,
    questions: Vec<usize>,
    /// Whether it asks for knowledge by its form.
    asks: bool,
}

impl<'p> Asked<'p> {
    pub(super) fn new(words: Vec<Term<'p>>, mut hits: Vec<Hit>, languages: &[Language]) -> Self {
        // A word of grammar by itself is no evidence: the "um" of Portuguese is not that of a podcast.
        hits.retain(|hit| hit.length > 1 || words.get(hit.at).is_some_and(|word| word.weight > 0.0));
        let own = |(at, word): (usize, &Term<'_>)| {
            let found = || hits.iter().filter(move |hit| hit.kind != Kind::Question && hit.places().contains(&at));
            let clear = || found().filter(|hit| !hit.weak);
            match clear().filter(|hit| hit.length == 1).map(|hit| hit.kind).max() {
                _ if word.weight <= 0.0 || clear().any(|hit| hit.length > 1) => 0.0,
                _ if word.everyday() => EVERYDAY,
                Some(kind) => word.weight.min(KIND[kind as usize]),
                None if found().any(|hit| hit.length == 1) => word.weight.min(WEAK),
                None => word.weight,
            }
        };
        let own = words.iter().enumerate().map(own).collect();
        let questions = distinct(hits.iter().filter(|hit| hit.kind == Kind::Question).map(|hit| hit.concept).collect());
        let asks = asks(&words, languages);
        Self { words, hits, own, questions, asks }
    }

    /// The weight of a shared concept.
    pub(super) fn shared(&self, hit: &Hit) -> f64 {
        let weight = KIND[hit.kind as usize];
        let everyday = hit.length == 1 && self.words.get(hit.at).is_some_and(Term::everyday);
        match (everyday, hit.kind, hit.weak) {
            (true, Kind::Subject, true) => weight * COMMON,
            (true, kind, _) if kind != Kind::Subject => weight.min(EVERYDAY),
            (_, _, true) => weight * WEAK,
            _ => weight,
        }
    }
}

/// The evidence of one position in the prompt.
#[derive(Debug, Clone, Copy, Default)]
struct Place {
    /// The weight by itself, and among these skills.
    alone: f64,
    here: f64,
    known: bool,
}

#[derive(Debug, Clone)]
pub(super) struct Evidence {
    places: Vec<Place>,
    answers: Vec<usize>,
    refused: f64,
}

impl Evidence {
    pub(super) fn of(asked: &Asked<'_>) -> Self {
        Self { places: vec![Place::default(); asked.words.len()], answers: Vec::new(), refused: 0.0 }
    }

    /// Records a word of the prompt that the skill has.
    pub(super) fn has(&mut self, at: usize, alone: f64, rare: f64) {
        if let Some(place) = self.places.get_mut(at) {
            place.known = true;
            if alone > place.alone {
                *place = Place { alone, here: alone * rare, known: true };
            }
        }
    }

    /// Records a shared concept, if it weighs more than the words themselves.
    pub(super) fn shares(&mut self, hit: &Hit, alone: f64, rare: f64) {
        if hit.kind == Kind::Question {
            self.answers.push(hit.concept);
            return;
        }
        let Some(places) = self.places.get_mut(hit.places()) else { return };
        let known: f64 = places.iter().map(|place| place.alone).sum();
        places.iter_mut().for_each(|place| place.known = true);
        if alone > known {
            places.iter_mut().for_each(|place| *place = Place { known: true, ..Place::default() });
            if let Some(first) = places.first_mut() {
                *first = Place { alone, here: alone * rare, known: true };
            }
        }
    }

    /// Records that the skill excludes this.
    pub(super) fn refuses(&mut self) {
        self.refused += REFUSED;
    }

    pub(super) fn score(&self) -> f64 {
        self.places.iter().map(|place| place.here).sum::<f64>() - self.refused
    }

    /// The words, most significant first.
    pub(super) fn telling(&self, asked: &Asked<'_>) -> Vec<String> {
        let mut places: Vec<(&Place, &Term<'_>)> = self.places.iter().zip(&asked.words).collect();
        places.retain(|(place, _)| place.here > 0.0);
        places.sort_by(|one, other| other.0.here.total_cmp(&one.0.here));
        places.into_iter().map(|(_, word)| word.written.to_owned()).collect()
    }

    /// Whether the evidence suffices, where the skill is so far ahead of the next one, as a share of its score.
    pub(super) fn claims(&self, asked: &Asked<'_>, margin: f64) -> bool {
        let agreed = self.places.iter().map(|place| place.alone).sum::<f64>() - self.refused;
        let open = asked.questions.iter().filter(|question| !self.answers.contains(question)).count();
        let signs = (open + usize::from(asked.asks)).min(MOST_SIGNS);
        let against = QUESTION * signs as f64 + OTHER * self.others(asked) as f64;
        agreed.min(MOST) + MARGIN * margin - against >= LEAST
    }

    /// How many other subjects the prompt names.
    fn others(&self, asked: &Asked<'_>) -> usize {
        let unknown =
            |hit: &&Hit| self.places.get(hit.places()).is_some_and(|places| places.iter().all(|place| !place.known));
        let clear = asked.hits.iter().filter(|hit| hit.kind == Kind::Subject && !hit.weak);
        distinct(clear.filter(unknown).map(|hit| hit.concept).collect()).len().min(MOST_SIGNS)
    }
}

/// Concepts, each once.
fn distinct(mut concepts: Vec<usize>) -> Vec<usize> {
    concepts.sort_unstable();
    concepts.dedup();
    concepts
}

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
        for (description, wanted, refused) in [
            (
                "Reads logs. Do not use for metrics. Use when a log is long.",
                "Reads logs.  Use when a log is long.",
                "Do not use for metrics",
            ),
            ("Lê registros. Use quando algo falhar.", "Lê registros. Use quando algo falhar.", ""),
        ] {
            assert_eq!(without_refused(description), (wanted.to_owned(), refused.to_owned()));
        }
    }
}
