//! The name of a skill from the words of its first sentence (seed 1, the name in its worked example).

use super::Language;
use super::clause::Clause;
use super::stopwords::empty;
use super::verbs::{self, Form};
use super::words::Word;
use crate::skill::Name;

/// How many words a name has: enough to tell skills apart, few enough to type.
const WORDS: usize = 3;
/// How many words a name may have when its object is a compound.
const MOST: usize = 4;

/// The chosen words in their written form, the name they make, and what decided.
pub(super) fn naming(words: &[Word], clause: &Clause, language: Language) -> (Option<Name>, Vec<String>, String) {
    let rest = words.get(clause.skipped..).unwrap_or_default();
    let content: Vec<&Word> = rest.iter().filter(|word| !empty(word.key())).collect();
    if let Some(first) = content.first().filter(|first| is_term(first)) {
        return made(std::slice::from_ref(&first.parts), vec![first.text.clone()], "a hyphenated term stands alone");
    }
    if restated(clause) {
        let chosen: Vec<&&Word> =
            content.iter().filter(|word| clause.technique_keys.iter().any(|key| key == word.key())).collect();
        let from = chosen.len().saturating_sub(clause.technique_keys.len());
        let parts: Vec<_> = chosen.iter().skip(from).map(|word| word.parts.clone()).collect();
        let texts = chosen.iter().skip(from).map(|word| word.text.clone()).collect();
        return made(&parts, texts, "the standard that is followed names the subject");
    }
    let (chosen, why) = chosen(words, clause, language, &content);
    let (mut parts, mut texts): (Vec<Vec<String>>, Vec<String>) = (Vec::new(), Vec::new());
    for word in chosen {
        let so_far: usize = parts.iter().map(Vec::len).sum();
        if so_far > 0 && so_far + word.parts.len() > MOST {
            break;
        }
        let base = clause
            .verb
            .as_ref()
            .filter(|verb| parts.is_empty() && (verb.form == Form::Third || verb.third.is_some()) && leads(word));
        texts.push(base.map_or_else(|| word.text.clone(), |verb| verb.base.to_owned()));
        parts.push(
            base.map_or_else(|| word.parts.iter().take(MOST).cloned().collect(), |verb| vec![verb.base.to_owned()]),
        );
    }
    match parts.iter().map(Vec::len).sum() {
        0 => {
            let left: Vec<&Word> = words.iter().take(MOST).collect();
            let texts = left.iter().map(|word| word.text.clone()).collect();
            made(&left.iter().map(|word| word.parts.clone()).collect::<Vec<_>>(), texts, "nothing but common words")
        }
        1 => {
            parts.push(vec!["skill".to_owned()]);
            made(&parts, texts, "one word that says something")
        }
        _ => made(&parts, texts, why),
    }
}

/// The words of the name: the verb and its whole object where that is short, else the first that say something.
fn chosen<'a>(
    words: &'a [Word],
    clause: &Clause,
    language: Language,
    content: &[&'a Word],
) -> (Vec<&'a Word>, &'static str) {
    let begins = clause.object_end.saturating_sub(clause.object_keys.len());
    let said = |word: &&Word| !empty(word.key()) && !is_count(word);
    let object: Vec<&Word> = words.get(begins..clause.object_end).unwrap_or_default().iter().filter(said).collect();
    let acting: Vec<&Word> = words
        .get(clause.skipped..begins)
        .unwrap_or_default()
        .iter()
        .enumerate()
        .filter(|(i, word)| {
            *i == 0
                || (*i == 1
                    && clause
                        .verb
                        .as_ref()
                        .and_then(|verb| verb.particle)
                        .is_some_and(|particle| !particle.contains(' ')))
                || said(word)
        })
        .map(|(_, word)| word)
        .collect();
    let telling =
        acting.iter().all(|word| !empty(word.key()) || clause.verb.as_ref().is_some_and(|v| v.particle.is_some()));
    if clause.verb.is_none() || !(2..=MOST).contains(&object.len()) || !telling {
        return (fitting(content), "the first words that say something");
    }
    let room = MOST.saturating_sub(acting.len()).max(1);
    let sizes = |words: &[&Word]| words.iter().map(|word| word.parts.len()).sum::<usize>();
    let mut object = object.as_slice();
    while sizes(object) > room && object.len() > 1 {
        // English says what a thing is last, Portuguese and Spanish first.
        object = if language == Language::En { object.split_first() } else { object.split_last() }
            .map_or(object, |(_, rest)| rest);
    }
    (acting.into_iter().chain(object.iter().copied()).collect(), "the verb and what it acts on")
}

/// The first three words that say something; a compound counts by its parts.
fn fitting<'a>(content: &[&'a Word]) -> Vec<&'a Word> {
    let mut taken = 0;
    content
        .iter()
        .copied()
        .take_while(|word| {
            let room = taken < WORDS;
            taken += word.parts.len();
            room
        })
        .collect()
}

fn made(parts: &[Vec<String>], texts: Vec<String>, why: &str) -> (Option<Name>, Vec<String>, String) {
    (Name::of_words(parts.iter().flatten().map(String::as_str)), texts, why.to_owned())
}

fn leads(word: &Word) -> bool {
    let key = word.key();
    verbs::english(key).is_some() || verbs::romance(key).is_some() || verbs::command(key).is_some()
}

/// A bare number.
fn is_count(word: &&Word) -> bool {
    word.key().bytes().all(|b| b.is_ascii_digit())
}

/// `Chain-of-Thought`: a proper name of three parts or more.
fn is_term(word: &Word) -> bool {
    word.parts.len() >= 3 && word.text.contains('-') && word.text.starts_with(|c: char| c.is_uppercase())
}

/// Whether the means repeats the object more precisely: "commits following conventional commits".
fn restated(clause: &Clause) -> bool {
    clause.technique_keys.len() > 1
        && clause.technique_keys.len() <= MOST
        && !clause.object_keys.is_empty()
        && clause.technique_keys.last() == clause.object_keys.last()
}
