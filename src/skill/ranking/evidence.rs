//! The evidence for one skill, word by word, and whether it suffices to claim the prompt.

use super::concepts::{Hit, Kind};
use super::words::Term;

/// The weight of a common word.
const EVERYDAY: f64 = 0.1;
/// The weight of a shared concept, by its kind, and the factor if the word is ambiguous.
const SHARED: [f64; 5] = [0.00, 0.14, 0.38, 0.45, 0.85];
const WEAK: f64 = 0.65;
/// How much less a word of several concepts counts.
const SENSES: f64 = 0.3;
/// The factor for a common ambiguous word.
const COMMON: f64 = 0.35;
/// The maximum weight of a shared word, by the kind of its concept, and if it is ambiguous. A word without a concept is
/// a name.
const SAME: [f64; 5] = [0.20, 0.28, 0.40, 0.55, 1.00];
const SAME_WEAK: f64 = 0.50;
const SAME_WEAK_VERB: f64 = 0.40;
/// The share of the difference to 1 that a word gains if only one of several skills has it.
const ONLY: f64 = 0.5;
/// The least weight of a subject's word.
const SUBJECT: f64 = 0.9;
/// The factor for each further word of a concept, and for each ambiguous word.
const AGAIN: f64 = 0.35;
const AGAIN_WEAK: f64 = 0.90;

/// The penalty of a word the skill does not have, by the kind of its concept; if ambiguous; for a verb, a noun without
/// a concept, and a common word. A name or a number is usually what the work is done to.
const LACKS: [f64; 5] = [0.00, 0.05, 0.10, 0.33, 0.70];
const LACKS_WEAK: f64 = 0.25;
const LACKS_VERB: f64 = 0.15;
const LACKS_NOUN: f64 = 0.25;
const LACKS_EVERYDAY: f64 = 0.04;
const NAME: f64 = 0.5;
/// The penalty of a first verb that differs from the skill's.
const LACKS_FIRST: f64 = 0.10;
/// The penalty of a question that asks for no work; at most two count.
const QUESTION: f64 = 2.00;
/// The penalty of a concept the skill excludes.
const REFUSED: f64 = 1.0;
/// The maximum penalty, since long prompts contain much beside the work.
const MOST: f64 = 2.00;
/// The factor of the penalty.
const AGAINST: f64 = 0.33;

/// The least weight of a piece of evidence. A single one must weigh more than several; one of them must be a subject.
const PIECE: f64 = 0.30;
const ONE: f64 = 0.68;
const SEVERAL: f64 = 0.55;
const TELLING: f64 = 0.42;

/// A prompt with the weight of each of its words.
pub(super) struct Asked<'p> {
    pub(super) words: Vec<Term<'p>>,
    pub(super) hits: Vec<Hit>,
    /// The weight of each word if a skill has it, and its penalty if not.
    own: Vec<f64>,
    lacks: Vec<f64>,
    questions: usize,
}

impl<'p> Asked<'p> {
    pub(super) fn new(words: Vec<Term<'p>>, hits: Vec<Hit>) -> Self {
        let of = |at: usize, weak: bool| {
            let hits = hits.iter().filter(move |hit| hit.weak == weak && hit.kind != Kind::Question);
            hits.filter(move |hit| hit.places().contains(&at))
        };
        let own = |(at, word): (usize, &Term<'_>)| {
            let kind = of(at, false).filter(|hit| hit.length == 1).map(|hit| hit.kind).max();
            match kind {
                _ if word.weight <= 0.0 => 0.0,
                _ if word.everyday() => EVERYDAY,
                Some(Kind::Subject) => word.weight.max(SUBJECT).min(SAME[Kind::Subject as usize]),
                Some(kind) => word.weight.min(SAME[kind as usize]),
                None if of(at, true).any(|hit| hit.length == 1) => {
                    word.weight.min(if word.names() { SAME_WEAK } else { SAME_WEAK_VERB })
                }
                None => word.weight,
            }
        };
        let mut first = true;
        let mut lacks = |(at, word): (usize, &Term<'_>)| {
            if word.weight <= 0.0 {
                return 0.0;
            }
            let most = of(at, false).max_by_key(|hit| (hit.kind, hit.length));
            let begins = first;
            first = first && word.everyday();
            match most {
                Some(hit) if hit.kind == Kind::Act && begins => {
                    LACKS[Kind::Act as usize] / hit.length as f64 + LACKS_FIRST
                }
                Some(hit) => LACKS[hit.kind as usize] / hit.length as f64,
                None if word.everyday() => LACKS_EVERYDAY,
                None if of(at, true).next().is_some() => LACKS_WEAK * word.weight,
                None if !word.names() => LACKS_VERB,
                None if word.written.contains(|c: char| c.is_uppercase() || c.is_ascii_digit()) => LACKS_NOUN * NAME,
                None => LACKS_NOUN,
            }
        };
        let (own, lacks) =
            (words.iter().enumerate().map(own).collect(), words.iter().enumerate().map(&mut lacks).collect());
        let mut questions: Vec<usize> =
            hits.iter().filter(|hit| hit.kind == Kind::Question).map(|hit| hit.concept).collect();
        questions.sort_unstable();
        questions.dedup();
        Self { own, lacks, questions: questions.len(), words, hits }
    }

    /// The weight of a shared word; more if no other skill has it.
    pub(super) fn own(&self, at: usize, only: bool) -> f64 {
        let counts = self.own.get(at).copied().unwrap_or(0.0);
        let word = self.words.get(at).filter(|word| only && !word.everyday() && word.weight > counts);
        word.map_or(counts, |word| counts + (word.weight - counts) * ONLY)
    }

    /// The weight of a shared concept.
    pub(super) fn shared(&self, hit: &Hit) -> f64 {
        let counts =
            SHARED[hit.kind as usize] * if hit.weak { WEAK / (1.0 + SENSES * (hit.senses as f64).ln()) } else { 1.0 };
        let everyday = hit.length == 1 && self.words.get(hit.at).is_some_and(Term::everyday);
        match (everyday, hit.kind, hit.weak) {
            (true, Kind::Subject, true) => counts * COMMON,
            (true, Kind::Subject, false) | (false, ..) => counts,
            (true, ..) => counts.min(EVERYDAY),
        }
    }
}

/// The evidence of one position in the prompt.
#[derive(Debug, Clone, Copy, Default)]
struct Place {
    /// The weight by itself, and among these skills.
    alone: f64,
    here: f64,
    /// The concept match it counts for; none if it is the word itself.
    by: Option<(usize, bool)>,
    known: bool,
}

#[derive(Debug, Clone)]
pub(super) struct Evidence {
    places: Vec<Place>,
    answers: Vec<usize>,
    refused: usize,
}

impl Evidence {
    pub(super) fn of(asked: &Asked<'_>) -> Self {
        Self { places: vec![Place::default(); asked.words.len()], answers: Vec::new(), refused: 0 }
    }

    /// Records a word of the prompt that the skill has.
    pub(super) fn has(&mut self, at: usize, alone: f64, rare: f64) {
        if let Some(place) = self.places.get_mut(at) {
            place.known = true;
            if alone > place.alone {
                *place = Place { alone, here: alone * rare, by: None, known: true };
            }
        }
    }

    /// Records a shared concept, if it weighs more than the words themselves.
    pub(super) fn shares(&mut self, hit: &Hit, alone: f64, rare: f64) {
        if hit.kind == Kind::Question {
            if !self.answers.contains(&hit.concept) {
                self.answers.push(hit.concept);
            }
            return;
        }
        let Some(places) = self.places.get_mut(hit.places()) else { return };
        let known: f64 = places.iter().map(|place| place.alone).sum();
        places.iter_mut().for_each(|place| place.known = true);
        if alone > known {
            places.iter_mut().for_each(|place| *place = Place { known: true, ..Place::default() });
            if let Some(first) = places.first_mut() {
                *first = Place { alone, here: alone * rare, by: Some((hit.concept, hit.weak)), known: true };
            }
        }
    }

    /// Records that the skill excludes this.
    pub(super) fn refuses(&mut self) {
        self.refused += 1;
    }

    /// Reduces the weight of each further word of a concept.
    pub(super) fn settle(&mut self) {
        let mut order: Vec<usize> = (0..self.places.len()).collect();
        order.sort_by(|one, other| self.alone(*other).total_cmp(&self.alone(*one)));
        let mut met: Vec<usize> = Vec::new();
        for at in order {
            let Some(place) = self.places.get_mut(at) else { continue };
            let Some((concept, weak)) = place.by else { continue };
            let before = met.iter().filter(|known| **known == concept).count();
            let falls = AGAIN.powi(i32::try_from(before).unwrap_or(i32::MAX));
            let counts = if before > 0 && weak { falls.max(AGAIN_WEAK) } else { falls };
            (place.alone, place.here) = (place.alone * counts, place.here * counts);
            met.push(concept);
        }
    }

    fn alone(&self, at: usize) -> f64 {
        self.places.get(at).map_or(0.0, |place| place.alone)
    }

    pub(super) fn score(&self) -> f64 {
        self.places.iter().map(|place| place.here).sum::<f64>() - REFUSED * self.refused as f64
    }

    /// The words, most significant first.
    pub(super) fn telling(&self, asked: &Asked<'_>) -> Vec<String> {
        let mut places: Vec<(&Place, &Term<'_>)> = self.places.iter().zip(&asked.words).collect();
        places.retain(|(place, _)| place.here > 0.0);
        places.sort_by(|one, other| other.0.here.total_cmp(&one.0.here));
        places.into_iter().map(|(_, word)| word.written.to_owned()).collect()
    }

    /// Whether the evidence for the skill outweighs the penalties.
    pub(super) fn claims(&self, asked: &Asked<'_>) -> bool {
        let agreed: f64 = self.places.iter().map(|place| place.alone).sum();
        let unknown = self.places.iter().zip(&asked.lacks).filter(|(place, _)| !place.known);
        let open = asked.questions.saturating_sub(self.answers.len()).min(2);
        let lacks =
            unknown.map(|(_, lacks)| lacks).sum::<f64>() + QUESTION * open as f64 + REFUSED * self.refused as f64;
        let against = MOST * (1.0 - (-lacks / MOST).exp());
        let pieces = self.places.iter().filter(|place| place.alone >= PIECE).count();
        let least = if pieces < 2 { ONE } else { SEVERAL };
        self.telling_most() >= TELLING && agreed - AGAINST * against >= least
    }

    /// The highest weight of one concept's words together, or of a single word.
    fn telling_most(&self) -> f64 {
        let together = |place: &Place| match place.by {
            Some((concept, _)) => {
                let same = self.places.iter().filter(|other| other.by.is_some_and(|(known, _)| known == concept));
                same.map(|other| other.alone).sum()
            }
            None => place.alone,
        };
        self.places.iter().map(together).fold(0.0, f64::max)
    }
}
