//! Which skill a prompt would choose: BM25 over names and descriptions, with light stemming for three languages.
//!
//! The scores say how well words agree, not what a model will do; they are comparable within one call only.

mod stem;

use std::collections::BTreeMap;
use std::rc::Rc;

use serde::Serialize;

use crate::skill::name::fold;
use crate::skill::understand::says_nothing;

/// How fast a repeated word stops counting (BM25's k1).
const SATURATION: f64 = 1.2;
/// How much a long description is held back (BM25's b).
const LENGTH: f64 = 0.6;
/// How often a word of the name counts; a word of the first sentence counts twice, any other once.
const NAME: u32 = 3;

/// One skill's agreement with a prompt.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Scored {
    /// Which of the given skills.
    pub index: usize,
    /// The sum over the words; above zero.
    pub score: f64,
    /// The words of the prompt that agree, the most telling first.
    pub words: Vec<String>,
}

/// Orders skills, given as name and description, by how well they answer a prompt. Skills that share no word with it are
/// left out; equal scores keep the given order.
#[must_use]
pub fn rank(prompt: &str, skills: &[(&str, &str)]) -> Vec<Scored> {
    Index::of(skills).rank(prompt)
}

/// Skills that are asked more than one prompt.
#[derive(Debug, Clone)]
pub struct Index {
    documents: Vec<Rc<BTreeMap<String, u32>>>,
    lengths: Vec<f64>,
    average: f64,
}

impl Index {
    /// Reads the skills, given as name and description.
    #[must_use]
    pub fn of(skills: &[(&str, &str)]) -> Self {
        Self::over(skills.iter().map(|(name, description)| Rc::new(document(name, description))).collect())
    }

    /// The same skills with another one before them.
    #[must_use]
    pub fn after(&self, (name, description): (&str, &str)) -> Self {
        let first = Rc::new(document(name, description));
        Self::over(std::iter::once(first).chain(self.documents.iter().cloned()).collect())
    }

    fn over(documents: Vec<Rc<BTreeMap<String, u32>>>) -> Self {
        let lengths: Vec<f64> = documents.iter().map(|words| f64::from(words.values().sum::<u32>())).collect();
        #[expect(clippy::cast_precision_loss, reason = "the number of skills is small")]
        let average = (lengths.iter().sum::<f64>() / (documents.len() as f64).max(1.0)).max(1.0);
        Self { documents, lengths, average }
    }

    /// As [`rank`].
    #[must_use]
    pub fn rank(&self, prompt: &str) -> Vec<Scored> {
        let mut asked: Vec<(String, String)> = Vec::new();
        for (written, stem) in terms(prompt) {
            if !asked.iter().any(|(_, known)| *known == stem) {
                asked.push((written, stem));
            }
        }
        #[expect(clippy::cast_precision_loss, reason = "the number of skills is small")]
        let all = self.documents.len() as f64;
        #[expect(clippy::cast_precision_loss, reason = "the number of skills is small")]
        let holding = |stem: &str| self.documents.iter().filter(|words| words.contains_key(stem)).count() as f64;
        let asked: Vec<(String, String, f64)> = asked
            .into_iter()
            .map(|(written, stem)| {
                let holding = holding(&stem);
                (written, stem, (1.0 + (all - holding + 0.5) / (holding + 0.5)).ln())
            })
            .collect();
        let mut found: Vec<Scored> = Vec::new();
        for (index, (words, length)) in self.documents.iter().zip(&self.lengths).enumerate() {
            let mut agreeing: Vec<(f64, &str)> = Vec::new();
            for (written, stem, rarity) in &asked {
                let Some(count) = words.get(stem).map(|count| f64::from(*count)) else { continue };
                let damped = count + SATURATION * (1.0 - LENGTH + LENGTH * length / self.average);
                agreeing.push((rarity * count * (SATURATION + 1.0) / damped, written));
            }
            if !agreeing.is_empty() {
                agreeing.sort_by(|one, other| other.0.total_cmp(&one.0));
                let score = agreeing.iter().map(|(weight, _)| weight).sum();
                let words = agreeing.iter().map(|(_, word)| (*word).to_owned()).collect();
                found.push(Scored { index, score, words });
            }
        }
        found.sort_by(|one, other| other.score.total_cmp(&one.score));
        found
    }
}

/// The stems of a skill and how much each counts.
fn document(name: &str, description: &str) -> BTreeMap<String, u32> {
    let mut words: BTreeMap<String, u32> = BTreeMap::new();
    let mut add = |text: &str, weight: u32| {
        for (_, stem) in terms(text) {
            let count = words.entry(stem).or_default();
            *count = count.saturating_add(weight);
        }
    };
    add(name, NAME);
    let (first, rest) = description.split_once(". ").unwrap_or((description, ""));
    add(first, 2);
    add(rest, 1);
    words
}

/// The words that say something, as written and as they are compared.
fn terms(text: &str) -> Vec<(String, String)> {
    text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '+' | '#' | '\'' | '\u{2019}')))
        .filter_map(|written| {
            let key = fold(written).to_ascii_lowercase();
            let key = key.split('\'').next().unwrap_or_default().trim_matches(['+', '#', ' ']).to_owned();
            let said = !key.is_empty() && key.is_ascii() && !key.contains(' ') && !says_nothing(&key);
            said.then(|| (written.to_owned(), stem::stem(&key)))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SKILLS: &[(&str, &str)] = &[
        ("csv-tools", "Cleans CSV files. Use when a table has to be checked."),
        ("validate-email-addresses", "Validates email addresses. Use when an address was refused."),
        ("traduzir-emails", "Traduz e-mails do inglês. Use quando alguém pedir tradução."),
    ];

    #[test]
    fn the_skill_that_shares_the_rarest_words_comes_first() {
        let found = rank("is this email address valid?", SKILLS);
        assert_eq!(found.first().map(|one| one.index), Some(1));
        assert_eq!(found.first().map(|one| one.words.clone()).unwrap_or_default().len(), 3);
        assert_eq!(
            rank("check my csv", SKILLS).first().map(|one| one.words.clone()),
            Some(vec!["csv".into(), "check".into()])
        );
        assert_eq!(rank("traduza estes emails", SKILLS).first().map(|one| one.index), Some(2));
    }

    #[test]
    fn words_that_nobody_has_find_nothing() {
        assert!(rank("the weather in Lisbon", SKILLS).is_empty());
        assert!(rank("", SKILLS).is_empty() && rank("email", &[]).is_empty());
    }

    #[test]
    fn equal_skills_keep_their_order() {
        let found = rank("alpha", &[("a", "alpha."), ("a", "alpha.")]);
        assert_eq!(found.iter().map(|one| one.index).collect::<Vec<_>>(), [0, 1]);
    }

    #[test]
    fn one_more_skill_before_the_others_is_as_if_all_were_read_together() {
        let (first, others) = SKILLS.split_first().unwrap();
        for prompt in ["check my csv", "is this email address valid?", "traduza estes emails"] {
            assert_eq!(Index::of(others).after(*first).rank(prompt), rank(prompt, SKILLS), "{prompt}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_prompt_is_ranked(prompt in "\\PC{0,60}", description in "\\PC{0,60}") {
            for one in rank(&prompt, &[("x", &description), ("y", &prompt)]) {
                assert!(one.score.is_finite() && one.score > 0.0 && !one.words.is_empty());
            }
        }
    }
}
