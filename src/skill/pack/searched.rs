//! A text in which words and phrases are searched.

use std::collections::BTreeSet;

use foldhash::HashSet;

use crate::skill::Language;
use crate::skill::name::fold;

/// A text prepared for the search of whole words and phrases.
pub(crate) struct Searched {
    /// Its words in lowercase without accents, each between spaces.
    text: String,
    words: HashSet<Box<str>>,
    /// Those of its words that were written with a capital.
    names: BTreeSet<String>,
    /// The indexes of those that stand inside a word with hyphens: "end-of-year".
    inside: BTreeSet<usize>,
}

impl Searched {
    pub(crate) fn of(text: &str) -> Self {
        let plain = fold(text);
        let words = words_of(&plain);
        let names = words.clone().filter(|word| word.starts_with(char::is_uppercase)).map(str::to_lowercase).collect();
        let at = |word: &str| word.as_ptr().addr() - plain.as_ptr().addr();
        let inner = |word: &str| {
            plain.get(..at(word)).is_some_and(|before| before.ends_with('-'))
                && plain.get(at(word) + word.len()..).is_some_and(|after| after.starts_with('-'))
        };
        let inside = words.clone().enumerate().filter(|(_, word)| inner(word)).map(|(at, _)| at).collect();
        Self::of_words(spaced(&plain), names, inside)
    }

    fn of_words(text: String, names: BTreeSet<String>, inside: BTreeSet<usize>) -> Self {
        let words = text.split_whitespace().map(Box::from).collect();
        Self { text, words, names, inside }
    }

    pub(super) fn words(&self) -> impl Iterator<Item = &str> {
        self.text.split_whitespace()
    }

    /// The part before the first word of a set, such as prepositions.
    pub(super) fn until(&self, set: &str, language: Language) -> Self {
        let set = language.lexicon().set(set);
        let words = self.words().enumerate();
        let words = words.take_while(|(at, word)| self.inside.contains(at) || !set.contains(*word));
        let words: Vec<&str> = words.map(|(_, word)| word).collect();
        Self::of_words(format!(" {} ", words.join(" ")), self.names.clone(), self.inside.clone())
    }

    /// Whether the first word of a phrase was written with a capital, as names are.
    pub(super) fn is_name(&self, phrase: &str) -> bool {
        words_of(phrase).next().is_some_and(|first| self.names.contains(&fold(first).to_lowercase()))
    }

    /// Whether the work is done with this tool.
    pub(super) fn by(&self, tool: &str, language: Language) -> bool {
        language.lexicon().set("by").iter().any(|word| self.has(&format!("{word} {tool}")))
    }

    /// Whether the first word of a phrase may be in it; a quick test.
    fn may_hold(&self, phrase: &str) -> bool {
        let plain = phrase.is_ascii() && !phrase.contains('\'');
        let known = |first: &str| match first.bytes().any(|byte| byte.is_ascii_uppercase()) {
            true => self.words.contains(first.to_ascii_lowercase().as_str()),
            false => self.words.contains(first),
        };
        !plain || words_of(phrase).next().is_some_and(known)
    }

    /// Whether it contains this word or phrase.
    pub(crate) fn has(&self, phrase: &str) -> bool {
        if !self.may_hold(phrase) {
            return false;
        }
        let phrase = if phrase.is_ascii() && !phrase.contains('\'') { spaced(phrase) } else { spaced(&fold(phrase)) };
        phrase.len() > 2 && self.text.contains(&phrase)
    }

    /// Whether it contains this word, or this phrase with at most one other word between two of its own: "a database
    /// column" matches "a column".
    pub(super) fn names(&self, phrase: &str) -> bool {
        if !self.may_hold(phrase) {
            return false;
        }
        let phrase = spaced(&fold(phrase));
        let wanted: Vec<&str> = phrase.split_whitespace().collect();
        let words: Vec<&str> = self.words().collect();
        let Some((first, rest)) = wanted.split_first() else { return false };
        let from = |at: usize| {
            let mut behind = at + 1;
            rest.iter().all(|word| {
                let near = words.iter().skip(behind).take(2).position(|one| one == word);
                behind += near.map_or(0, |near| near + 1);
                near.is_some()
            })
        };
        words.iter().enumerate().any(|(at, word)| word == first && from(at))
    }

    /// Whether it contains one of these, or there are none.
    pub(crate) fn mentions(&self, phrases: &[String]) -> bool {
        phrases.is_empty() || phrases.iter().any(|phrase| self.has(phrase))
    }
}

fn words_of(text: &str) -> impl Iterator<Item = &str> + Clone {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

/// The words of a text without accents in lowercase, each between spaces.
fn spaced(plain: &str) -> String {
    let mut text = String::with_capacity(plain.len() + 2);
    text.push(' ');
    for word in words_of(plain) {
        text.push_str(&word.to_lowercase());
        text.push(' ');
    }
    text
}

/// How topics name a version to go to.
pub(super) const VERSION: &str = "vN";

/// Whether a text names a version to go to, which packs name "vN": "to v6", "from 0.7 to 0.8", "da versão 1 para a 2".
pub(super) fn names_version(text: &str, language: Language) -> bool {
    let goes_to = language.lexicon().set("goes_to");
    let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
    let is_number = |word: &str| {
        let number = word.trim_matches(|c: char| matches!(c, 'v' | 'x' | '.' | ',' | ';' | ')'));
        number.starts_with(|c: char| c.is_ascii_digit()) && number.chars().all(|c| c.is_ascii_digit() || c == '.')
    };
    let last = words.iter().rposition(|word| goes_to.contains(word.as_str()));
    last.is_some_and(|at| words.iter().skip(at + 1).take(3).any(|word| is_number(word)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_a_number_behind_to() {
        for text in ["Upgrade fabric to v6 in the editor", "Bump axum 0.7 to 0.8", "Upgrade ESLint to version 9"] {
            assert!(names_version(text, Language::En), "{text}");
        }
        assert!(names_version("Atualizar o Quasar da versão 1 para a 2", Language::Pt));
        assert!(!names_version("Give a 10 % discount to customers", Language::En));
    }

    #[test]
    fn a_preposition_inside_a_word_with_hyphens_ends_nothing() {
        let until = |text| Searched::of(text).until("relates", Language::En);
        assert!(until("end-of-year report comments for my class").has("report comments"));
        assert!(!until("the end of year report comments").has("report comments"));
    }
}
