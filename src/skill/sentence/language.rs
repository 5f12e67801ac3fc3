//! The three languages: their data files (`templates/languages`), and detecting the language of a text.

use std::borrow::Cow;
use std::sync::{LazyLock, OnceLock};

use foldhash::{HashMap, HashSet};
use serde::Serialize;

use super::Archetype;
use super::verb::{Form, Groups, Verb, Verbs};
use super::words::Word;

/// The supported languages of descriptions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    /// English; also the default.
    En,
    Pt,
    Es,
}

impl Language {
    pub const ALL: [Self; 3] = [Self::En, Self::Pt, Self::Es];

    pub fn code(self) -> &'static str {
        self.pick(["en", "pt", "es"])
    }

    /// The one of this language, of one for each in the order of `ALL`.
    pub(crate) fn pick<T>(self, [en, pt, es]: [T; 3]) -> T {
        match self {
            Self::En => en,
            Self::Pt => pt,
            Self::Es => es,
        }
    }

    /// Its data.
    pub(crate) fn lexicon(self) -> &'static Lexicon {
        static ALL: [LazyLock<Lexicon>; 3] = [
            LazyLock::new(|| Lexicon::of(Language::En)),
            LazyLock::new(|| Lexicon::of(Language::Pt)),
            LazyLock::new(|| Lexicon::of(Language::Es)),
        ];
        LazyLock::force(self.pick(ALL.each_ref()))
    }
}

/// A set of words.
pub(crate) type WordSet = HashSet<Cow<'static, str>>;

type Section = &'static [(&'static str, &'static str)];
type Sections = &'static [(&'static str, Section)];

/// The code of each language, its sections and its verbs.
const FILES: &[(&str, Sections, Groups)] = include!(concat!(env!("OUT_DIR"), "/languages.rs"));

/// What the data file of a language says. What is made of its texts is made when it is first asked for.
#[derive(Debug)]
pub(crate) struct Lexicon {
    sections: Sections,
    /// The sections of lists, by their keys.
    lists: HashMap<&'static str, List>,
    verbs: Verbs,
    /// Nouns that name a kind of work, with their English verb, if any.
    nouns: OnceLock<HashMap<&'static str, (Archetype, Option<String>)>>,
}

/// A list of words, or of phrases separated by `|`.
#[derive(Debug)]
struct List {
    text: &'static str,
    words: OnceLock<WordSet>,
    phrases: OnceLock<Vec<Vec<&'static str>>>,
}

impl Lexicon {
    fn of(language: Language) -> Self {
        let file = FILES.iter().find(|(code, ..)| *code == language.code());
        let (sections, verbs) = file.map_or((&[][..], &[][..]), |(_, sections, verbs)| (*sections, *verbs));
        let lists = ["detect", "words", "open", "rules", "say", "categories"].into_iter();
        let lists = lists.flat_map(|name| section(sections, name));
        let lists = lists.map(|(key, text)| (*key, List { text, words: OnceLock::new(), phrases: OnceLock::new() }));
        let (lists, verbs) = (lists.collect(), Verbs::of(verbs, language));
        Self { sections, lists, verbs, nouns: OnceLock::new() }
    }

    pub(crate) fn verb(&self, form: &str) -> Option<(&Verb, Form)> {
        self.verbs.get(form)
    }

    /// All verbs, by their archetypes, then in the order of the file.
    pub(crate) fn verbs(&self) -> impl Iterator<Item = Verb> {
        let entries = self.section("verbs").flat_map(|(archetype, list)| {
            let archetype = archetype.parse().ok();
            list.split_whitespace().map(move |entry| (entry, archetype))
        });
        entries.map(|(entry, archetype)| Verb::parse(entry, archetype))
    }

    pub(super) fn noun(&self, key: &str) -> Option<&(Archetype, Option<String>)> {
        let read = |(archetype, list): &(&str, &'static str)| {
            let archetype = archetype.parse().unwrap_or(Archetype::General);
            list.split_whitespace().map(move |entry| match entry.split_once('=') {
                Some((noun, verb)) => (noun, (archetype, Some(spaced(verb).into_owned()))),
                None => (entry, (archetype, None)),
            })
        };
        self.nouns.get_or_init(|| section(self.sections, "nouns").iter().flat_map(read).collect()).get(key)
    }

    /// The words of a key; none if the file has no such key.
    pub(crate) fn set(&self, key: &str) -> &WordSet {
        static NONE: LazyLock<WordSet> = LazyLock::new(WordSet::default);
        let words = |list: &List| list.text.split_whitespace().map(spaced).collect();
        self.lists.get(key).map_or(&NONE, |list| list.words.get_or_init(|| words(list)))
    }

    /// Whether the word at this index, if any, is among those of a key.
    pub(super) fn is(&self, key: &str, words: &[Word], at: usize) -> bool {
        words.get(at).is_some_and(|word| self.set(key).contains(word.key()))
    }

    /// The number of words of the longest phrase of a key that begins at this index.
    pub(super) fn phrase(&self, key: &str, words: &[Word], at: usize) -> Option<usize> {
        let said = words.get(at..)?;
        let begins = |phrase: &&Vec<&str>| {
            phrase.len() <= said.len() && phrase.iter().zip(said).all(|(one, word)| *one == word.key())
        };
        let split = |phrase: &'static str| phrase.split_whitespace().collect::<Vec<_>>();
        let list = self.lists.get(key)?;
        let phrases = || list.text.split('|').map(split).filter(|phrase| !phrase.is_empty()).collect();
        list.phrases.get_or_init(phrases).iter().filter(begins).map(Vec::len).max()
    }

    pub(crate) fn section(&self, name: &str) -> impl Iterator<Item = (&str, &str)> {
        section(self.sections, name).iter().copied()
    }

    /// A text of the file for output.
    pub(crate) fn text(&self, section: &str, key: &str) -> &str {
        self.section(section).find(|(known, _)| *known == key).map_or("", |(_, text)| text)
    }

    /// Whether the word is insignificant: a function word, or one that only praises.
    pub(super) fn empty(&self, key: &str) -> bool {
        self.set("grammar").contains(key) || self.set("filler").contains(key)
    }
}

fn section(sections: Sections, name: &str) -> Section {
    sections.iter().find(|(known, _)| *known == name).map_or(&[], |(_, section)| section)
}

/// Similar English verbs, nearest first: "detect" for "find".
pub(crate) fn alike(verb: &str) -> Vec<String> {
    let families = Language::En.lexicon().section("alike").map(|(_, family)| family.split_whitespace().map(spaced));
    let held = families.filter(|family| family.clone().any(|other| other == verb));
    held.flatten().map(Cow::into_owned).collect()
}

/// Whether the word is insignificant in any of the languages.
pub(crate) fn empty(key: &str) -> bool {
    Language::ALL.iter().any(|language| language.lexicon().empty(key))
}

/// Counts the words, letters and verbs that only one language has; a tie goes to English, then Portuguese.
pub(super) fn language(text: &str, found: &[Word]) -> Language {
    let count = |lexicon: &Lexicon, key: &str| (0..found.len()).filter(|at| lexicon.is(key, found, *at)).count();
    let verbs = |lexicon: &Lexicon, most: usize| {
        // "a container that serves APIs": a verb of English as well tells nothing behind the first word.
        let english = |word: &Word| Language::En.lexicon().verb(word.key()).is_some();
        let known = |(at, word): (usize, &Word)| {
            let verb = lexicon.verb(word.key());
            verb.filter(|(_, form)| at == 0 || *form != Form::Command && !english(word)).map(|verb| (at, verb))
        };
        // "resume" is a word of all three. A sentence begins with its verb: "fecha" is one of Portuguese only there.
        let weight = |at: usize| match found.first() {
            Some(word) if word.key() == "resume" => 1,
            _ if at == 0 => 3,
            _ => 2,
        };
        // "Agregar", in no file: it ends as an infinitive does.
        let ends = |word: &Word| word.key().len() > 4 && word.key().ends_with("ar") && !english(word);
        let unknown = found.first().is_some_and(|word| ends(word) && !lexicon.set("no_verbs").contains(word.key()));
        match found.iter().take(most).enumerate().find_map(known) {
            Some((at, _)) => weight(at),
            None => usize::from(unknown && most > 1),
        }
    };
    let score = |language: Language| {
        let lexicon = language.lexicon();
        let letters = lexicon.text("detect", "letters");
        let endings: Vec<&str> = lexicon.text("detect", "endings").split_whitespace().collect();
        let plain: Vec<&str> = lexicon.text("detect", "plain_endings").split_whitespace().collect();
        let ends = |word: &&Word| {
            (!word.text.is_ascii() && endings.iter().any(|end| word.text.ends_with(end)))
                || plain.iter().any(|end| word.text.ends_with(end))
        };
        let letters = if text.chars().any(|c| !c.is_ascii() && letters.contains(c)) { 2 } else { 0 };
        let known = count(lexicon, "words") + verbs(lexicon, 6);
        (known + found.iter().filter(ends).count() + letters, known)
    };
    let english = Language::En.lexicon();
    let plain = count(english, "words") + verbs(english, 1);
    let (portuguese, spanish) = (score(Language::Pt), score(Language::Es));
    let best = portuguese.0.max(spanish.0);
    if count(english, "others") > portuguese.1.max(spanish.1) || best < 2 || best <= plain {
        Language::En
    } else if spanish.0 > portuguese.0 {
        Language::Es
    } else {
        Language::Pt
    }
}

/// A word of a data file with its underscores as spaces.
pub(super) fn spaced(text: &str) -> Cow<'_, str> {
    if text.contains('_') { Cow::Owned(text.replace('_', " ")) } else { Cow::Borrowed(text) }
}
