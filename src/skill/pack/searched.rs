//! A text in which words and phrases are searched.

use std::collections::BTreeSet;

use crate::skill::Language;
use crate::skill::name::fold;

/// A text prepared for the search of whole words and phrases, without accents, in lowercase; those of its words that
/// were written with a capital; and the indexes of those that stand inside a word with hyphens: "end-of-year".
pub(crate) struct Searched(String, BTreeSet<String>, BTreeSet<usize>);

impl Searched {
    pub(crate) fn of(text: &str) -> Self {
        let plain = fold(text);
        let words = plain.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        let names = words.clone().filter(|word| word.starts_with(char::is_uppercase)).map(str::to_lowercase).collect();
        let at = |word: &str| word.as_ptr().addr() - plain.as_ptr().addr();
        let inner = |word: &str| {
            plain.get(..at(word)).is_some_and(|before| before.ends_with('-'))
                && plain.get(at(word) + word.len()..).is_some_and(|after| after.starts_with('-'))
        };
        let inside = words.clone().enumerate().filter(|(_, word)| inner(word)).map(|(at, _)| at).collect();
        let words: Vec<String> = words.map(str::to_lowercase).collect();
        Self(format!(" {} ", words.join(" ")), names, inside)
    }

    pub(super) fn words(&self) -> impl Iterator<Item = &str> {
        self.0.split_whitespace()
    }

    /// The part before the first word of a set, such as prepositions.
    pub(super) fn until(&self, set: &str, language: Language) -> Self {
        let set = language.lexicon().set(set);
        let words = self.0.split_whitespace().enumerate();
        let words = words.take_while(|(at, word)| self.2.contains(at) || !set.contains(*word)).map(|(_, word)| word);
        Self(format!(" {} ", words.collect::<Vec<_>>().join(" ")), self.1.clone(), self.2.clone())
    }

    /// Whether the first word of a phrase was written with a capital, as names are.
    pub(super) fn is_name(&self, phrase: &str) -> bool {
        let first = phrase.split(|c: char| !c.is_alphanumeric()).find(|word| !word.is_empty());
        first.is_some_and(|first| self.1.contains(&fold(first).to_lowercase()))
    }

    /// Whether the work is done with this tool.
    pub(super) fn by(&self, tool: &str, language: Language) -> bool {
        language.lexicon().set("by").iter().any(|word| self.has(&format!("{word} {tool}")))
    }

    /// Whether the first word of a phrase may be in it; a quick test.
    fn may_hold(&self, phrase: &str) -> bool {
        let plain = phrase.is_ascii() && !phrase.contains('\'');
        let first = phrase.split(|c: char| !c.is_alphanumeric()).find(|word| !word.is_empty());
        !plain || first.is_some_and(|first| self.0.split(' ').any(|word| word.eq_ignore_ascii_case(first)))
    }

    /// Whether it contains this word or phrase.
    pub(crate) fn has(&self, phrase: &str) -> bool {
        if !self.may_hold(phrase) {
            return false;
        }
        let phrase = Self::of(phrase);
        phrase.0.len() > 2 && self.0.contains(&phrase.0)
    }

    /// Whether it contains this word, or this phrase with at most one other word between two of its own: "a database
    /// column" matches "a column".
    pub(super) fn names(&self, phrase: &str) -> bool {
        if !self.may_hold(phrase) {
            return false;
        }
        let phrase = Self::of(phrase);
        let wanted: Vec<&str> = phrase.0.split_whitespace().collect();
        let words: Vec<&str> = self.0.split_whitespace().collect();
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
