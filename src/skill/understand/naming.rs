//! The name of a skill from the words of its first sentence (seed 1, the name in its worked example).

use super::clause::Clause;
use super::stopwords::empty;
use super::verbs::{self, Form};
use super::words::Word;
use crate::skill::Name;

/// How many words a name has: enough to tell skills apart, few enough to type.
const WORDS: usize = 3;
/// How many words a name may have when its last word is a compound.
const MOST: usize = 4;

/// The chosen words in their written form, the name they make, and what decided.
pub(super) fn naming(words: &[Word], clause: &Clause) -> (Option<Name>, Vec<String>, String) {
    let rest = words.get(clause.skipped..).unwrap_or_default();
    let content: Vec<&Word> = rest.iter().filter(|word| !empty(&word.key())).collect();
    if let Some(first) = content.first().filter(|first| is_term(first)) {
        return made(std::slice::from_ref(&first.parts), vec![first.text.clone()], "a hyphenated term stands alone");
    }
    if restated(clause) {
        let chosen: Vec<&&Word> = content.iter().filter(|word| clause.technique_keys.contains(&word.key())).collect();
        let from = chosen.len().saturating_sub(clause.technique_keys.len());
        let parts: Vec<_> = chosen.iter().skip(from).map(|word| word.parts.clone()).collect();
        let texts = chosen.iter().skip(from).map(|word| word.text.clone()).collect();
        return made(&parts, texts, "the standard that is followed names the subject");
    }
    let (mut parts, mut texts): (Vec<Vec<String>>, Vec<String>) = (Vec::new(), Vec::new());
    for word in &content {
        let so_far: usize = parts.iter().map(Vec::len).sum();
        if so_far >= WORDS || (so_far > 0 && so_far + word.parts.len() > MOST) {
            break;
        }
        let lead = parts.is_empty()
            && clause.verb.as_ref().is_some_and(|verb| verb.form == Form::Third && verb.third.is_none());
        let base = verbs::english(&word.key()).filter(|_| lead).map(|verb| verb.base.to_owned());
        texts.push(base.clone().unwrap_or_else(|| word.text.clone()));
        parts.push(base.map_or_else(|| word.parts.iter().take(MOST).cloned().collect(), |base| vec![base]));
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
        _ => made(&parts, texts, "the first words that say something"),
    }
}

fn made(parts: &[Vec<String>], texts: Vec<String>, why: &str) -> (Option<Name>, Vec<String>, String) {
    (Name::of_words(parts.iter().flatten().map(String::as_str)), texts, why.to_owned())
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
