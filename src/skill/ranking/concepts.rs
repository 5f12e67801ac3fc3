//! The concepts of `templates/concepts`, each with the words and phrases people use for it: they relate texts without a
//! common word.

use std::borrow::Cow;
use std::cell::{OnceCell, RefCell};
use std::ops::Range;
use std::rc::Rc;

use foldhash::HashMap;

use super::stem::{listed, looked_up};
use super::words::{Term, written};
use crate::skill::line_index::LineIndex;
use crate::skill::name::fold;
use crate::skill::sentence::Language;

/// The number of concepts up to the end of each kind, and for each language the index of its phrases: the first
/// letters, the number of the concept, the phrase.
const FILES: ([usize; 5], &[(&str, &str)]) = include!(concat!(env!("OUT_DIR"), "/concepts.rs"));

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// A request for knowledge, a purchase or leisure instead of work.
    Question,
    Act,
    /// A property or problem of a thing.
    Aspect,
    /// A tool or environment of many kinds of work.
    Setting,
    Subject,
}

impl Kind {
    /// In the order of `build.rs`.
    const ALL: [Self; 5] = [Self::Question, Self::Act, Self::Aspect, Self::Setting, Self::Subject];

    fn of(concept: usize) -> Self {
        let at = FILES.0.iter().take_while(|end| **end <= concept).count();
        Self::ALL.get(at).copied().unwrap_or(Self::Subject)
    }
}

/// A word or phrase of a concept, by its first stem.
struct Phrase {
    text: &'static str,
    concept: usize,
    /// The stems of its further words, made when the first is met.
    rest: OnceCell<Vec<Cow<'static, str>>>,
}

impl Phrase {
    fn rest(&self, language: Language) -> &[Cow<'static, str>] {
        let made = || written(self.text).into_iter().skip(1).map(|word| listed(word, language)).collect();
        self.rest.get_or_init(made)
    }
}

type Phrases = HashMap<Cow<'static, str>, Vec<Phrase>>;

thread_local! {
    /// The phrases that begin with the same letters, by their first stem. Most are never looked up, so they are only stemmed
    /// when one is.
    static STEMMED: RefCell<[HashMap<String, Rc<Phrases>>; 3]> = RefCell::default();
}

/// The first letters of a word, as many as its key keeps, without accents and capitals.
fn beginning(word: &str, language: Language) -> Cow<'_, str> {
    let many = if language == Language::En { 3 } else { 2 };
    let letters = word.chars().take(many).take_while(|c| c.is_alphanumeric()).map(char::len_utf8).sum();
    let begun = word.get(..letters).unwrap_or_default();
    let plain = begun.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    if plain { Cow::Borrowed(begun) } else { Cow::Owned(fold(begun).to_lowercase()) }
}

/// The phrases that begin with the same letters.
fn phrases(key: &str, language: Language) -> Rc<Phrases> {
    let letters = beginning(key, language);
    STEMMED.with_borrow_mut(|stemmed| {
        let Some(known) = stemmed.get_mut(language as usize) else { return Rc::default() };
        if let Some(phrases) = known.get(letters.as_ref()) {
            return Rc::clone(phrases);
        }
        let phrases = Rc::new(read(&letters, language));
        known.insert(letters.into_owned(), Rc::clone(&phrases));
        phrases
    })
}

fn read(letters: &str, language: Language) -> Phrases {
    let mut phrases = Phrases::default();
    let index = FILES.1.iter().find(|(code, _)| *code == language.code()).map_or("", |(_, index)| *index);
    for (concept, phrase) in LineIndex(index).of(letters).filter_map(|line| line.split_once(' ')) {
        let Ok(concept) = concept.parse() else { continue };
        let first = phrase.trim_start_matches('~').split(' ').next().unwrap_or_default();
        let plain = first.bytes().all(|byte| byte.is_ascii_lowercase());
        let first = if plain { Some(first) } else { written(first).first().copied() };
        if let Some(first) = first {
            phrases.entry(listed(first, language)).or_default().push(Phrase {
                text: phrase,
                concept,
                rest: OnceCell::new(),
            });
        }
    }
    phrases
}

/// An occurrence of a concept in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Hit {
    pub(super) concept: usize,
    pub(super) kind: Kind,
    /// The first word, and the number of words.
    pub(super) at: usize,
    pub(super) length: usize,
    /// Whether the words are ambiguous.
    pub(super) weak: bool,
}

/// The concepts of a text in these languages. An ambiguous word does not count inside a phrase.
pub(super) fn concepts(words: &[Term<'_>], languages: &[Language]) -> Vec<Hit> {
    let mut found: Vec<Hit> = Vec::new();
    for language in languages {
        let keys: Vec<Vec<Cow<'_, str>>> = words.iter().map(|word| looked_up(word.written, *language)).collect();
        for at in 0..keys.len() {
            let Some((first, behind)) = keys.get(at..).and_then(<[_]>::split_first) else { continue };
            let groups: Vec<_> = first.iter().map(|key| (key, phrases(key, *language))).collect();
            for phrase in groups.iter().filter_map(|(key, phrases)| phrases.get(*key)).flatten() {
                let (concept, rest) = (phrase.concept, phrase.rest(*language));
                let weak = phrase.text.starts_with('~');
                let hit = Hit { concept, kind: Kind::of(concept), at, length: 1 + rest.len(), weak };
                let goes_on =
                    rest.len() <= behind.len() && rest.iter().zip(behind).all(|(key, word)| word.contains(key));
                if goes_on && !found.contains(&hit) {
                    found.push(hit);
                }
            }
        }
    }
    let whole: Vec<Range<usize>> = found.iter().filter(|hit| hit.length > 1).map(Hit::places).collect();
    found.retain_mut(|hit| {
        let inside = hit.length == 1 && whole.iter().any(|places| places.contains(&hit.at));
        let kept = !(hit.weak && inside);
        hit.weak |= inside;
        kept
    });
    found
}

impl Hit {
    pub(super) fn places(&self) -> Range<usize> {
        self.at..self.at + self.length
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::skill::ranking::words::terms;

    fn named(text: &str, language: Language) -> Vec<usize> {
        let hits = concepts(&terms(text, &[language]), &[language]);
        hits.into_iter().filter(|hit| !hit.weak && hit.kind == Kind::Subject).map(|hit| hit.concept).collect()
    }

    fn file(language: Language) -> BTreeMap<String, BTreeMap<String, String>> {
        let text = std::fs::read_to_string(format!("templates/concepts/{}.toml", language.code())).unwrap();
        toml::from_str(&text).unwrap()
    }

    #[test]
    fn every_phrase_is_found_by_its_first_stem() {
        for language in Language::ALL {
            let file = file(language);
            assert!(file.values().map(BTreeMap::len).sum::<usize>() > 150, "{language:?}");
            for phrase in file.values().flat_map(BTreeMap::values).flat_map(|all| all.split(',')) {
                let key = listed(written(phrase)[0], language);
                assert!(phrases(&key, language).contains_key(&key), "{phrase:?} in {language:?}");
            }
        }
    }

    #[test]
    fn a_concept_has_the_kind_of_its_section() {
        let file = file(Language::En);
        for (section, kind) in ["questions", "acts", "aspects", "settings", "subjects"].into_iter().zip(Kind::ALL) {
            for phrase in file[section].values().filter_map(|all| all.split(',').next()) {
                let hits = concepts(&terms(phrase, &[Language::En]), &[Language::En]);
                assert!(hits.iter().any(|hit| hit.kind == kind), "{phrase}: {hits:?}");
            }
        }
    }

    #[test]
    fn a_concept_is_named_in_every_language() {
        for same in [
            ["the tenant left the flat", "o inquilino saiu do apartamento", "el inquilino dejó el piso"],
            ["send the invoice", "enviar a fatura", "enviar la factura"],
            ["is our site usable for blind people?", "um cego usa o nosso site?", "¿puede un ciego usar esta web?"],
        ] {
            let [en, pt, es] = [0, 1, 2].map(|at| named(same[at], Language::ALL[at]));
            assert!(en.iter().any(|one| pt.contains(one) && es.contains(one)), "{same:?}: {en:?} {pt:?} {es:?}");
        }
    }

    #[test]
    fn derived_words_and_parts_of_phrases_are_other_words() {
        let of = |text: &str| named(text, Language::En);
        let accessible = of("an accessible page");
        assert!(!accessible.is_empty() && of("access to the page").iter().all(|one| !accessible.contains(one)));
        assert_eq!(of("multi-stage builds"), of("a multi-stage build"));
    }
}
