//! Which skill a prompt would choose, by names and descriptions. Words count by what they say and how few skills say
//! them; a word of the same meaning or of the same domain counts less than the word itself.
//!
//! The scores say how well words agree, not what a model will do; they are comparable within one call only.

pub(crate) mod bm25;
mod evidence;
mod nearest;
mod related;
mod similarity;
mod stem;
mod words;

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;

pub use nearest::{Nearest, nearest};
pub(crate) use related::verbs_like;
pub use similarity::Terms;
pub(crate) use stem::stem;
pub use words::stems;
pub(crate) use words::{Term, languages, weighted};

use crate::skill::sentence::Language;
use evidence::{Evidence, Said};
use words::terms;

/// What a word counts where it stands: in the name or the first sentence 1, behind it this.
const BEHIND: f64 = 0.8;
/// What a word of the same concept counts, and a phrase of one.
const RELATED: f64 = 0.55;
const PHRASE: f64 = 0.9;
/// What the same domain counts.
const DOMAIN: f64 = 0.8;
/// How much a skill in the language of the prompt is preferred.
const SAME_LANGUAGE: f64 = 1.1;
/// The least that a word counts that most skills have.
const COMMON: f64 = 0.25;
/// What a name inside a prompt counts that no skill has.
const NAME: f64 = 0.5;
/// One skill's agreement with a prompt.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Scored {
    /// Which of the given skills.
    pub index: usize,
    /// The sum over the words; above zero.
    pub score: f64,
    /// The words of the prompt that agree, the most telling first.
    pub words: Vec<String>,
    /// Whether the words are enough to say that the skill is meant.
    #[serde(skip)]
    pub claims: bool,
}

/// Orders skills, given as name and description, by how well they answer a prompt. Skills that do not answer it are
/// left out, though they may share a word with it; equal scores keep the given order.
pub fn rank(prompt: &str, skills: &[(&str, &str)]) -> Vec<Scored> {
    let mut found = Index::of(skills).rank(prompt);
    found.retain(|one| one.claims);
    found
}

/// Skills that are asked more than one prompt.
#[derive(Debug, Clone, Default)]
pub struct Index {
    languages: Vec<Language>,
    /// The skills that say a word, by its stem, with what it counts there.
    stems: HashMap<String, Vec<(usize, f64)>>,
    concepts: HashMap<usize, Vec<(usize, f64)>>,
    domains: HashMap<usize, Vec<(usize, f64)>>,
}

impl Index {
    /// Reads the skills, given as name and description.
    pub fn of(skills: &[(&str, &str)]) -> Self {
        let mut index = Self::default();
        for (at, (name, description)) in skills.iter().enumerate() {
            let read_in = languages(description);
            index.languages.push(read_in.first().copied().unwrap_or(Language::En));
            let (first, behind) = description.split_once(". ").unwrap_or((description, ""));
            for (text, counts) in [(*name, 1.0), (first, 1.0), (behind, BEHIND)] {
                let words = terms(text, read_in);
                for key in words.iter().flat_map(|word| &word.keys) {
                    if let Some(held) = index.stems.get_mut(key) {
                        hold(held, at, counts);
                    } else {
                        index.stems.insert(key.clone(), vec![(at, counts)]);
                    }
                }
                for (concept, _) in related::concepts(&words) {
                    hold(index.concepts.entry(concept).or_default(), at, counts);
                }
            }
            for (domain, share) in related::domains(&format!("{name} {first}")) {
                if share >= 1.0 {
                    hold(index.domains.entry(domain).or_default(), at, 1.0);
                }
            }
        }
        index
    }

    /// The skills that share anything with a prompt, the best first.
    pub fn rank(&self, prompt: &str) -> Vec<Scored> {
        let read_in = words::languages_of_prompt(prompt);
        let words = distinct(weighted(prompt, read_in));
        let mut found: HashMap<usize, Evidence<'_>> = HashMap::new();
        self.same_words(&words, &mut found);
        self.same_concepts(&words, &mut found);
        self.same_domains(prompt, &mut found);
        let all: f64 = words.iter().map(|word| self.asks(word, prompt)).sum();
        let mut scored: Vec<Scored> = found
            .into_iter()
            .map(|(index, evidence)| {
                let own = self.languages.get(index).is_some_and(|own| read_in.first() == Some(own));
                let score = evidence.score() * if own { SAME_LANGUAGE } else { 1.0 };
                Scored { index, score, claims: evidence.claims(all), words: evidence.telling() }
            })
            .filter(|one| one.score > 0.0)
            .collect();
        scored.sort_by(|one, other| other.score.total_cmp(&one.score).then(one.index.cmp(&other.index)));
        scored
    }

    /// How much of what is wanted a word says. A name that no skill knows is what the work is done for, not what is
    /// done.
    fn asks(&self, word: &Term<'_>, prompt: &str) -> f64 {
        let inside = word.written.starts_with(char::is_uppercase) && !prompt.trim_start().starts_with(word.written);
        let name = inside && !word.keys.iter().any(|key| self.stems.contains_key(key));
        if name { word.weight * NAME } else { word.weight }
    }

    /// Words that a skill has itself, or that belong to its domain.
    fn same_words<'p>(&self, words: &[Term<'p>], found: &mut HashMap<usize, Evidence<'p>>) {
        for (at, word) in words.iter().enumerate().filter(|(_, word)| word.weight > 0.0) {
            let names = related::names_a_tool(word);
            for key in &word.keys {
                if let Some(held) = self.stems.get(key) {
                    let rare = self.rarity(held.len());
                    for (skill, counts) in held {
                        let said = match (names, held.len() == 1 && *counts >= 1.0) {
                            (true, _) => Said::Named,
                            (false, true) => Said::Alone,
                            (false, false) => Said::Here,
                        };
                        found.entry(*skill).or_default().note(at, word, (*counts, rare), said);
                    }
                }
                for (domain, counts) in related::domains_with(key) {
                    for (skill, _) in self.domains.get(domain).into_iter().flatten() {
                        found.entry(*skill).or_default().note(at, word, (*counts, 1.0), Said::OfDomain);
                    }
                }
            }
        }
    }

    /// Words and phrases that stand for the same as one of a skill's.
    fn same_concepts<'p>(&self, words: &[Term<'p>], found: &mut HashMap<usize, Evidence<'p>>) {
        let named = related::concepts(words);
        for (concept, places) in &named {
            let Some(held) = self.concepts.get(concept) else { continue };
            let rare = self.rarity(held.len());
            for (skill, counts) in held {
                for (at, word) in words.iter().enumerate().filter(|(at, _)| places.contains(at)) {
                    let said = if related::names_a_tool(word) { Said::Named } else { Said::Here };
                    found.entry(*skill).or_default().note(at, word, (RELATED * counts, rare), said);
                }
            }
        }
        // A phrase says more than its words.
        let mut lifted: Vec<(usize, usize)> = Vec::new();
        for (concept, places) in named.iter().filter(|(_, places)| places.len() > 1) {
            for (skill, counts) in self.concepts.get(concept).into_iter().flatten() {
                let rare = self.rarity(self.concepts.get(concept).map_or(0, Vec::len));
                let evidence = found.entry(*skill).or_default();
                let lacks = PHRASE * counts - evidence.within(places.clone());
                if lacks > 0.0 && !lifted.contains(&(*skill, *concept)) {
                    lifted.push((*skill, *concept));
                    evidence.add(lacks, lacks * rare, Said::Here);
                }
            }
        }
    }

    /// Skills of a domain that the prompt is about.
    fn same_domains(&self, prompt: &str, found: &mut HashMap<usize, Evidence<'_>>) {
        let mut best: BTreeMap<usize, (f64, f64)> = BTreeMap::new();
        for (domain, share) in related::domains(prompt) {
            let Some(held) = self.domains.get(&domain) else { continue };
            let (alone, rare) = (share * DOMAIN, self.rarity(held.len()));
            for (skill, _) in held {
                let known = best.entry(*skill).or_default();
                *known = (known.0.max(alone), known.1.max(alone * rare));
            }
        }
        for (skill, (alone, here)) in best {
            found.entry(skill).or_default().add(alone, here, Said::OfDomain);
        }
    }

    /// 1 for what one skill holds, less for what many do.
    fn rarity(&self, holding: usize) -> f64 {
        let all = self.languages.len();
        if all < 2 {
            return 1.0;
        }
        (bm25::rarity(holding, all) / bm25::rarity(1, all)).max(COMMON)
    }
}

/// Keeps the most that something counts for a skill; the skills come one after the other.
fn hold(held: &mut Vec<(usize, f64)>, skill: usize, counts: f64) {
    match held.last_mut().filter(|(known, _)| *known == skill) {
        Some((_, known)) => *known = known.max(counts),
        None => held.push((skill, counts)),
    }
}

/// The words, each of which counts once.
fn distinct(mut words: Vec<Term<'_>>) -> Vec<Term<'_>> {
    let mut seen: Vec<Vec<String>> = Vec::new();
    for word in &mut words {
        if seen.contains(&word.keys) {
            word.weight = 0.0;
        } else {
            seen.push(word.keys.clone());
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

    fn first(prompt: &str) -> Option<usize> {
        rank(prompt, SKILLS).first().map(|one| one.index)
    }

    #[test]
    fn the_skill_that_shares_the_rarest_words_comes_first() {
        assert_eq!(first("is this email address valid?"), Some(1));
        assert_eq!(first("traduza estes emails"), Some(2));
        assert_eq!(
            rank("check my csv", SKILLS).first().map(|one| one.words.clone()),
            Some(vec!["csv".into(), "check".into()])
        );
    }

    #[test]
    fn a_word_of_the_same_meaning_finds_a_skill() {
        assert_eq!(first("the spreadsheet has messy rows"), Some(0));
    }

    #[test]
    fn one_common_word_is_no_claim() {
        for prompt in ["the weather in Lisbon", "check the oven", "has anybody seen my table tennis bat?", ""] {
            assert_eq!(first(prompt), None, "{prompt}");
        }
        assert!(rank("email", &[]).is_empty());
    }

    #[test]
    fn equal_skills_keep_their_order() {
        let found = rank("alpha", &[("a", "alpha."), ("a", "alpha.")]);
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
