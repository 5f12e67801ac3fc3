//! Which skill a prompt would choose: BM25 over names and descriptions, with light stemming for three languages.
//!
//! The scores say how well words agree, not what a model will do; they are comparable within one call only.

mod stem;

/// The stem of a word: without accents, in lowercase.
pub(crate) fn stem(word: &str) -> String {
    let mut word = fold(word).to_lowercase();
    stem::stem(&mut word);
    word
}

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use serde::Serialize;

use crate::skill::name::fold;
use crate::skill::sentence::empty;

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
    /// The skills that say a word, by its stem: which one, and how much the word counts there.
    holding: HashMap<Rc<str>, Vec<(usize, u32)>>,
    /// How many words a skill has, by what they count.
    lengths: Vec<u32>,
    average: f64,
}

impl Index {
    /// Reads the skills, given as name and description.
    #[must_use]
    pub fn of(skills: &[(&str, &str)]) -> Self {
        let mut index = Self { holding: HashMap::new(), lengths: vec![0; skills.len()], average: 1.0 };
        for (at, skill) in skills.iter().enumerate() {
            index.read(at, *skill);
        }
        index.averaged()
    }

    /// The same skills with another one before them.
    #[must_use]
    pub fn after(&self, skill: (&str, &str)) -> Self {
        let mut index = self.clone();
        index.holding.values_mut().flatten().for_each(|(at, _)| *at += 1);
        index.lengths.insert(0, 0);
        index.read(0, skill);
        index.averaged()
    }

    /// Takes the skill at a place apart, of which nothing was read yet.
    fn read(&mut self, at: usize, (name, description): (&str, &str)) {
        let (first, rest) = description.split_once(". ").unwrap_or((description, ""));
        for (text, weight) in [(name, NAME), (first, 2), (rest, 1)] {
            each_term(text, |_, stem| {
                if let Some(length) = self.lengths.get_mut(at) {
                    *length = length.saturating_add(weight);
                }
                let Some(held) = self.holding.get_mut(stem) else {
                    self.holding.insert(stem.into(), vec![(at, weight)]);
                    return;
                };
                // One skill is read after the other, so its own count is the last.
                match held.last_mut().filter(|(holder, _)| *holder == at) {
                    Some((_, count)) => *count = count.saturating_add(weight),
                    None => held.push((at, weight)),
                }
            });
        }
    }

    fn averaged(mut self) -> Self {
        let all: f64 = self.lengths.iter().copied().map(f64::from).sum();
        #[expect(clippy::cast_precision_loss, reason = "the number of skills is small")]
        let skills = self.lengths.len() as f64;
        self.average = (all / skills.max(1.0)).max(1.0);
        self
    }

    /// As [`rank`].
    #[must_use]
    pub fn rank(&self, prompt: &str) -> Vec<Scored> {
        let mut asked: Vec<(&str, String)> = Vec::new();
        each_term(prompt, |written, stem| {
            if !asked.iter().any(|(_, known)| known == stem) {
                asked.push((written, stem.to_owned()));
            }
        });
        #[expect(clippy::cast_precision_loss, reason = "the number of skills is small")]
        let all = self.lengths.len() as f64;
        let mut agreeing: BTreeMap<usize, Vec<(f64, &str)>> = BTreeMap::new();
        for (written, stem) in &asked {
            let Some(held) = self.holding.get(stem.as_str()) else { continue };
            #[expect(clippy::cast_precision_loss, reason = "the number of skills is small")]
            let holding = held.len() as f64;
            let rarity = (1.0 + (all - holding + 0.5) / (holding + 0.5)).ln();
            for (at, count) in held {
                let (length, count) = (self.lengths.get(*at).copied().map_or(0.0, f64::from), f64::from(*count));
                let damped = count + SATURATION * (1.0 - LENGTH + LENGTH * length / self.average);
                agreeing.entry(*at).or_default().push((rarity * count * (SATURATION + 1.0) / damped, *written));
            }
        }
        let mut found: Vec<Scored> = agreeing
            .into_iter()
            .map(|(index, mut words)| {
                words.sort_by(|one, other| other.0.total_cmp(&one.0));
                let score = words.iter().map(|(weight, _)| weight).sum();
                Scored { index, score, words: words.into_iter().map(|(_, word)| word.to_owned()).collect() }
            })
            .collect();
        found.sort_by(|one, other| other.score.total_cmp(&one.score));
        found
    }
}

/// The stems of the words that say something, in order.
#[must_use]
pub fn stems(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    each_term(text, |_, stem| all.push(stem.to_owned()));
    all
}

/// The words that say something, one after the other, as written and as they are compared.
fn each_term<'t>(text: &'t str, mut each: impl FnMut(&'t str, &str)) {
    let mut room = String::new();
    for written in text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '+' | '#' | '\'' | '\u{2019}'))) {
        room.clear();
        if written.is_ascii() && !written.contains('\'') {
            room.push_str(written);
        } else {
            room.push_str(&fold(written));
        }
        room.make_ascii_lowercase();
        let key = room.trim_matches(['+', '#', ' ']);
        if key.is_empty() || !key.is_ascii() || key.contains(' ') || empty(key) {
            continue;
        }
        if key.len() < room.len() {
            room = key.to_owned();
        }
        stem::stem(&mut room);
        each(written, &room);
    }
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
