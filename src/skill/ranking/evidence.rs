//! What speaks for one skill, word by word, and whether it is enough to say that the skill is meant.

use std::collections::BTreeMap;
use std::ops::Range;

use super::words::Term;

/// A skill is meant from this agreement on, where so much of the prompt agrees; or with more of the one and less of the
/// other. One word alone has to be more of the prompt.
const CLAIMS: [(f64, f64); 2] = [(0.9, 0.33), (1.5, 0.25)];
const ONE_WORD: f64 = 0.4;
/// A word that only this skill has in its name or its first sentence is enough where it says this much.
const DECIDES: f64 = 0.5;
/// What the domain says counts only where the skill itself says this much: the name of a tool is not yet the work,
/// unless it is most of the prompt.
const OWN: f64 = 0.4;
const MOST: f64 = 0.6;

/// Where a word of the prompt stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Said {
    /// In the name or the first sentence of this skill and of no other.
    Alone,
    /// In the skill, or one of the same meaning does.
    Here,
    /// In the skill, and it is the name of a tool.
    Named,
    /// Among the words of the skill's domain.
    OfDomain,
}

/// What a word does for a skill.
#[derive(Debug, Clone, Copy, Default)]
struct Weight<'p> {
    /// By itself, and among these skills.
    alone: f64,
    here: f64,
    /// By itself where the domain is left out, and with the names of tools.
    own: f64,
    named: f64,
    decides: bool,
    written: &'p str,
}

#[derive(Debug, Default)]
pub(super) struct Evidence<'p> {
    /// By the place of the word.
    words: BTreeMap<usize, Weight<'p>>,
    /// What phrases and domains add: by itself, among these skills, and without the domain.
    more: (f64, f64, f64),
}

impl<'p> Evidence<'p> {
    /// Keeps the best that a word of the prompt does.
    pub(super) fn note(&mut self, at: usize, word: &Term<'p>, (counts, rare): (f64, f64), said: Said) {
        let alone = word.weight * counts;
        let known = self.words.entry(at).or_insert(Weight { written: word.written, ..Weight::default() });
        if alone * rare > known.here {
            (known.alone, known.here) = (alone, alone * rare);
        }
        if said != Said::OfDomain {
            known.named = known.named.max(alone);
        }
        if matches!(said, Said::Alone | Said::Here) {
            known.own = known.own.max(alone);
        }
        known.decides |= said == Said::Alone && alone >= DECIDES;
    }

    pub(super) fn add(&mut self, alone: f64, here: f64, said: Said) {
        self.more.0 += alone;
        self.more.1 += here;
        self.more.2 += if said == Said::OfDomain { 0.0 } else { alone };
    }

    /// What the words at these places count by themselves.
    pub(super) fn within(&self, places: Range<usize>) -> f64 {
        self.words.range(places).map(|(_, word)| word.alone).sum()
    }

    pub(super) fn score(&self) -> f64 {
        self.words.values().map(|word| word.here).sum::<f64>() + self.more.1
    }

    /// The words, the most telling first.
    pub(super) fn telling(&self) -> Vec<String> {
        let mut words: Vec<&Weight<'_>> = self.words.values().collect();
        words.sort_by(|one, other| other.here.total_cmp(&one.here));
        words.into_iter().map(|word| word.written.to_owned()).collect()
    }

    /// Whether the words are enough in a prompt that says so much in all.
    pub(super) fn claims(&self, all: f64) -> bool {
        let own = self.words.values().map(|word| word.own).sum::<f64>() + self.more.2;
        let named = self.words.values().map(|word| word.named).sum::<f64>() + self.more.2;
        let agreed = self.words.values().map(|word| word.alone).sum::<f64>() + self.more.0;
        let one = self.words.len() < 2;
        let enough = |(least, share): &(f64, f64)| {
            let share = if one { ONE_WORD.max(*share) } else { *share };
            agreed >= *least && agreed >= share * all
        };
        let decided = self.words.values().any(|word| word.decides) && agreed >= ONE_WORD * all;
        decided || named >= DECIDES.max(MOST * all) || own >= OWN && CLAIMS.iter().any(enough)
    }
}
