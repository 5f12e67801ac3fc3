//! The concepts of `templates/concepts`, each with the words and phrases people use for it: they relate texts without a
//! common word.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

use foldhash::HashMap;

use super::stem::{listed, looked_up};
use super::words::{Term, written};
use crate::skill::name::fold;
use crate::skill::sentence::Language;

/// The files of the three languages; the English one defines each concept and its kind.
const FILES: [(Language, &str); 3] = [
    (Language::En, include_str!("../../../templates/concepts/en.toml")),
    (Language::Pt, include_str!("../../../templates/concepts/pt.toml")),
    (Language::Es, include_str!("../../../templates/concepts/es.toml")),
];

/// The kind of a concept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// A request for knowledge, a purchase or leisure instead of work.
    Question,
    /// An action.
    Act,
    /// A property or problem of a thing.
    Aspect,
    /// A tool or environment of many kinds of work.
    Setting,
    /// A subject of work.
    Subject,
}

type File = BTreeMap<&'static str, BTreeMap<&'static str, &'static str>>;

/// The English file, which defines all concepts.
static ENGLISH: LazyLock<File> = LazyLock::new(|| file(Language::En));

/// Each concept with its number and its kind.
static NAMED: LazyLock<HashMap<&'static str, (usize, Kind)>> = LazyLock::new(|| {
    let kinds = [
        ("questions", Kind::Question),
        ("acts", Kind::Act),
        ("aspects", Kind::Aspect),
        ("settings", Kind::Setting),
        ("subjects", Kind::Subject),
    ];
    let all = kinds.iter().filter_map(|(section, kind)| Some((ENGLISH.get(section)?, *kind)));
    let names = all.flat_map(|(section, kind)| section.keys().map(move |name| (*name, kind)));
    names.enumerate().map(|(at, (name, kind))| (name, (at, kind))).collect()
});

/// The rest of a word or phrase after its first stem.
struct Phrase {
    rest: Vec<Cow<'static, str>>,
    concept: usize,
    kind: Kind,
    weak: bool,
}

type Phrases = HashMap<Cow<'static, str>, Vec<Phrase>>;

/// The phrases whose first stem begins with the same letters. Most are never looked up, so they are only stemmed when one is.
#[derive(Default)]
struct Group {
    written: Vec<(&'static str, usize, Kind)>,
    stemmed: OnceLock<Phrases>,
}

impl Group {
    fn phrases(&self, language: Language) -> &Phrases {
        self.stemmed.get_or_init(|| {
            let mut phrases = Phrases::default();
            for (phrase, concept, kind) in &self.written {
                let mut keys = written(phrase).into_iter().map(|word| listed(word, language));
                if let Some(first) = keys.next() {
                    let weak = phrase.contains('~');
                    let phrase = Phrase { rest: keys.collect(), concept: *concept, kind: *kind, weak };
                    phrases.entry(first).or_default().push(phrase);
                }
            }
            phrases
        })
    }
}

/// The first two letters of the first word, without capitals; stemming changes neither.
fn beginning(text: &str) -> Cow<'_, str> {
    let letters = text.chars().take(2).take_while(|c| c.is_alphanumeric()).map(char::len_utf8).sum();
    let two = text.get(..letters).unwrap_or_default();
    let plain = two.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    if plain { Cow::Borrowed(two) } else { Cow::Owned(fold(two).to_lowercase()) }
}

type Groups = HashMap<Cow<'static, str>, Group>;

fn file(language: Language) -> File {
    let text = FILES.iter().find(|(known, _)| *known == language).map_or("", |(_, text)| *text);
    // A test reads all three; an unreadable file has no concepts.
    toml::from_str(text).unwrap_or_default()
}

fn groups(language: Language) -> &'static Groups {
    static EN: LazyLock<Groups> = LazyLock::new(|| read(Language::En));
    static PT: LazyLock<Groups> = LazyLock::new(|| read(Language::Pt));
    static ES: LazyLock<Groups> = LazyLock::new(|| read(Language::Es));
    match language {
        Language::En => &EN,
        Language::Pt => &PT,
        Language::Es => &ES,
    }
}

fn read(language: Language) -> Groups {
    let mut groups = Groups::default();
    let file = if language == Language::En { &*ENGLISH } else { &file(language) };
    for (name, all) in file.values().flatten() {
        let Some((concept, kind)) = NAMED.get(name).copied() else { continue };
        for phrase in all.split(',') {
            let group = beginning(phrase.trim_start_matches(|c: char| !c.is_alphanumeric()));
            groups.entry(group).or_default().written.push((phrase, concept, kind));
        }
    }
    groups
}

fn phrases(key: &str, language: Language) -> Option<&'static [Phrase]> {
    let group = groups(language).get(beginning(key).as_ref())?;
    group.phrases(language).get(key).map(Vec::as_slice)
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
            for phrase in first.iter().filter_map(|key| phrases(key, *language)).flatten() {
                let Phrase { concept, kind, weak, .. } = *phrase;
                let hit = Hit { concept, kind, at, length: 1 + phrase.rest.len(), weak };
                let goes_on = phrase.rest.len() <= behind.len()
                    && phrase.rest.iter().zip(behind).all(|(key, word)| word.contains(key));
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
    use super::*;
    use crate::skill::ranking::words::terms;

    fn named(text: &str, language: Language) -> Vec<usize> {
        let hits = concepts(&terms(text, &[language]), &[language]);
        hits.into_iter().filter(|hit| !hit.weak && hit.kind == Kind::Subject).map(|hit| hit.concept).collect()
    }

    #[test]
    fn every_concept_of_a_language_is_named_in_english() {
        for (language, text) in FILES {
            let file: File = toml::from_str(text).unwrap();
            let known = file.values().flat_map(BTreeMap::keys).filter(|name| NAMED.contains_key(*name)).count();
            assert_eq!(known, file.values().map(BTreeMap::len).sum::<usize>(), "{language:?}");
            assert!(known > 150, "{language:?}");
        }
        assert!(FILES.iter().map(|(_, text)| text.len()).sum::<usize>() < 256 * 1024);
    }

    #[test]
    fn every_phrase_is_found_by_its_first_stem() {
        for (language, text) in FILES {
            let file: File = toml::from_str(text).unwrap();
            for phrase in file.values().flat_map(BTreeMap::values).flat_map(|all| all.split(',')) {
                let words = written(phrase);
                assert!(phrases(&listed(words[0], language), language).is_some(), "{phrase:?} in {language:?}");
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
            assert!(
                en.iter().any(|concept| pt.contains(concept) && es.contains(concept)),
                "{same:?}: {en:?} {pt:?} {es:?}"
            );
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
