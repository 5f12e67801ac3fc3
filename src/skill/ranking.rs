//! Ranks skills for a prompt by their names and descriptions. A word counts by how specific it is and how few skills
//! have it; a word of the same concept counts less than the word itself.
//!
//! The scores measure how well words match, not what a model will do; they are comparable only within one call.

pub(crate) mod bm25;
mod concepts;
mod evidence;
mod nearest;
mod similarity;
mod stem;
mod words;

use foldhash::HashMap;
use serde::Serialize;

pub use nearest::{Nearest, nearest};
pub use similarity::Terms;
pub(crate) use stem::stem;
pub use words::stems;
pub(crate) use words::{Term, languages, weighted};

use crate::skill::sentence::Language;
use concepts::{Kind, concepts};
use evidence::{Asked, Evidence, Named, without_refused};
use words::terms;

/// The weight of a word after the first sentence; in the name or the first sentence it is 1.
const BEHIND: f64 = 0.50;
/// The factor for a skill in the language of the prompt.
const SAME_LANGUAGE: f64 = 1.40;

/// A skill's score for a prompt.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Scored {
    pub index: usize,
    /// The sum over the words; above zero.
    pub score: f64,
    /// The matching words of the prompt, most significant first.
    pub words: Vec<String>,
    /// Whether the evidence suffices to claim the prompt.
    #[serde(skip)]
    pub claims: bool,
}

/// The subjects that a text names in words without other senses.
pub(crate) fn subjects(text: &str) -> Vec<usize> {
    let languages = languages(text);
    let hits = concepts(&terms(text, languages), languages).into_iter();
    hits.filter(|hit| hit.kind == Kind::Subject && !hit.weak).map(|hit| hit.concept).collect()
}

/// Orders skills, given as name and description, by how well they answer a prompt. Skills that do not answer it are
/// left out, though they may share a word with it; equal scores keep the given order.
pub fn rank(prompt: &str, skills: &[(&str, &str)]) -> Vec<Scored> {
    let mut found = Index::of(skills).rank(prompt);
    found.retain(|one| one.claims);
    found
}

/// An index of skills for several prompts.
#[derive(Debug, Clone, Default)]
pub struct Index {
    languages: Vec<Language>,
    /// The skills with a word, by its stem, and the weight there.
    stems: HashMap<String, Vec<(usize, f64)>>,
    concepts: HashMap<usize, Vec<(usize, f64)>>,
    /// The skills that exclude a concept.
    refused: HashMap<usize, Vec<usize>>,
}

impl Index {
    /// Reads the skills, given as name and description.
    pub fn of(skills: &[(&str, &str)]) -> Self {
        let mut index = Self::default();
        for (at, (name, description)) in skills.iter().enumerate() {
            let read_in = languages(description);
            index.languages.push(read_in.first().copied().unwrap_or(Language::En));
            let (wanted, refused) = without_refused(description);
            let (first, behind) = wanted.split_once(". ").unwrap_or((&wanted, ""));
            let mut named: HashMap<usize, Named> = HashMap::default();
            for (text, counts) in [(*name, 1.0), (first, 1.0), (behind, BEHIND)] {
                let words = terms(text, read_in);
                for hit in concepts(&words, read_in) {
                    named.entry(hit.concept).or_default().add(&hit, counts >= 1.0);
                }
                for key in words.into_iter().flat_map(|word| word.keys) {
                    hold(index.stems.entry(key).or_default(), at, counts);
                }
            }
            for hit in concepts(&terms(&refused, read_in), read_in) {
                if hit.kind >= Kind::Setting && !hit.weak && !named.contains_key(&hit.concept) {
                    index.refused.entry(hit.concept).or_default().push(at);
                }
            }
            for (concept, named) in named {
                index.concepts.entry(concept).or_default().push((at, named.counts()));
            }
        }
        index
    }

    /// All skills that share anything with a prompt, best first.
    pub fn rank(&self, prompt: &str) -> Vec<Scored> {
        let read_in = words::languages_of_prompt(prompt);
        let words = distinct(weighted(prompt, read_in));
        let hits = concepts(&words, read_in);
        let asked = Asked::new(words, hits, read_in);
        let told = read_in.len() < Language::ALL.len();
        let mut found: Vec<(usize, f64, Evidence)> = Vec::new();
        for (index, evidence) in self.evidence(&asked) {
            let own = told && self.languages.get(index).is_some_and(|own| read_in.first() == Some(own));
            found.push((index, evidence.score() * if own { SAME_LANGUAGE } else { 1.0 }, evidence));
        }
        found.retain(|(_, score, _)| *score > 0.0);
        found.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
        let score_at = |at: usize| found.get(at).map_or(0.0, |(_, score, _)| *score);
        let (best, next) = (score_at(0), score_at(1));
        let scored = found.iter().enumerate().map(|(at, (index, score, evidence))| {
            let (index, score) = (*index, *score);
            let claims = evidence.claims(&asked, (score - if at == 0 { next } else { best }) / best);
            Scored { index, score, words: evidence.telling(&asked), claims }
        });
        scored.collect()
    }

    /// The evidence for each skill: common words first, then common concepts.
    fn evidence(&self, asked: &Asked<'_>) -> HashMap<usize, Evidence> {
        let mut found: HashMap<usize, Evidence> = HashMap::default();
        for (at, word) in asked.words.iter().enumerate().filter(|(_, word)| word.weight > 0.0) {
            for held in word.keys.iter().filter_map(|key| self.stems.get(key)) {
                let rare = self.rarity(held);
                for (skill, counts) in held {
                    let evidence = found.entry(*skill).or_insert_with(|| Evidence::of(asked));
                    evidence.has(at, asked.own.get(at).map_or(0.0, |own| own * counts), rare);
                }
            }
        }
        for hit in &asked.hits {
            let held = self.concepts.get(&hit.concept).map_or(&[][..], Vec::as_slice);
            let rare = self.rarity(held);
            for (skill, counts) in held {
                let evidence = found.entry(*skill).or_insert_with(|| Evidence::of(asked));
                evidence.shares(hit, asked.shared(hit) * counts, rare);
            }
            for skill in self.refused.get(&hit.concept).into_iter().flatten().filter(|_| !hit.weak) {
                found.entry(*skill).or_insert_with(|| Evidence::of(asked)).refuses();
            }
        }
        found
    }

    /// 1 for what one skill has, less for what many have; those that have it less clearly count less.
    fn rarity(&self, held: &[(usize, f64)]) -> f64 {
        let all = self.languages.len();
        let holding = held.iter().map(|(_, counts)| counts).sum::<f64>().max(1.0).min(all as f64);
        if all < 2 { 1.0 } else { bm25::rarity(holding, all) / bm25::rarity(1.0, all) }
    }
}

/// Keeps the highest weight for a skill; the skills are added in order.
fn hold(held: &mut Vec<(usize, f64)>, skill: usize, counts: f64) {
    match held.last_mut().filter(|(known, _)| *known == skill) {
        Some((_, known)) => *known = known.max(counts),
        None => held.push((skill, counts)),
    }
}

/// The words without duplicates.
fn distinct(mut words: Vec<Term<'_>>) -> Vec<Term<'_>> {
    let mut seen: Vec<Vec<String>> = Vec::new();
    for word in &mut words {
        match seen.contains(&word.keys) {
            true => word.weight = 0.0,
            false => seen.push(word.keys.clone()),
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    const SKILLS: &[(&str, &str)] = &[
        ("csv-tools", "Cleans CSV files. Use when a table has to be checked."),
        ("validate-email-addresses", "Validates email addresses. Use when an address was refused."),
        ("traduzir-emails", "Traduz e-mails do inglês. Use quando alguém pedir tradução."),
    ];

    fn first(prompt: &str, skills: &[(&str, &str)]) -> Option<usize> {
        rank(prompt, skills).first().map(|one| one.index)
    }

    #[test]
    fn the_skill_that_shares_the_rarest_words_or_a_meaning_is_first_and_one_common_word_is_no_claim() {
        for (prompt, skill) in [
            ("is this email address valid?", Some(1)),
            ("traduza estes emails", Some(2)),
            ("the spreadsheet has messy rows", Some(0)),
            ("a customer's mail address was refused", Some(1)),
            ("the weather in Lisbon", None),
            ("check the oven", None),
            ("has anybody seen my table tennis bat?", None),
            ("", None),
            // What is in no description and a question speak against a skill.
            ("what is a CSV?", None),
            ("who won the poetry prize with a poem about an address in Lisbon?", None),
        ] {
            assert_eq!(first(prompt, SKILLS), skill, "{prompt}");
        }
        assert_eq!(rank("check my csv", SKILLS)[0].words, ["csv", "check"]);
        assert!(rank("email", &[]).is_empty());
    }

    #[test]
    fn a_skill_is_not_taken_for_what_its_description_says_it_is_not_for() {
        let skills = [
            ("formulas", "Writes formulas for spreadsheets. Do not use for PDF files. Use when a cell shows an error."),
            ("merge-pdf", "Merges PDF files. Use when several files have to become one."),
        ];
        assert_eq!(first("this formula shows an error in every cell", &skills), Some(0));
        assert_eq!(first("put these PDF files together", &skills), Some(1));
        assert_ne!(first("a PDF with formulas for spreadsheets", &skills), Some(0));
    }

    #[test]
    fn equal_skills_keep_their_order() {
        let found = Index::of(&[("a", "alpha."), ("a", "alpha.")]).rank("alpha");
        assert_eq!(found.iter().map(|one| one.index).collect::<Vec<_>>(), [0, 1]);
    }

    proptest::proptest! {
        #[test]
        fn any_prompt_is_ranked(prompt in "\\PC{0,60}", description in "\\PC{0,60}") {
            for one in Index::of(&[("x", &description), ("y", &prompt)]).rank(&prompt) {
                assert!(one.score.is_finite() && one.score > 0.0);
            }
        }
    }
}
