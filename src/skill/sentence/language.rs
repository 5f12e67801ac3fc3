//! The three languages: their data files (`templates/languages`), and detecting the language of a text.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::LazyLock;

use foldhash::{HashMap, HashSet};
use serde::Serialize;

use super::Archetype;
use super::verb::{Form, Verb};
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
        match self {
            Self::En => "en",
            Self::Pt => "pt",
            Self::Es => "es",
        }
    }

    /// Its data; read once.
    pub(crate) fn lexicon(self) -> &'static Lexicon {
        static EN: LazyLock<Lexicon> =
            LazyLock::new(|| Lexicon::of(include_str!("../../../templates/languages/en.toml"), None));
        static PT: LazyLock<Lexicon> =
            LazyLock::new(|| Lexicon::of(include_str!("../../../templates/languages/pt.toml"), Some(&EN)));
        static ES: LazyLock<Lexicon> =
            LazyLock::new(|| Lexicon::of(include_str!("../../../templates/languages/es.toml"), Some(&EN)));
        match self {
            Self::En => &EN,
            Self::Pt => &PT,
            Self::Es => &ES,
        }
    }
}

/// A set of words.
pub(crate) type WordSet = HashSet<Cow<'static, str>>;

type Section = BTreeMap<&'static str, &'static str>;
type Sections = BTreeMap<&'static str, Section>;

/// A language's data file.
#[derive(Debug)]
pub(crate) struct Lexicon {
    sections: Sections,
    /// The sets of words of the section `words`, and some others, by their keys.
    sets: HashMap<&'static str, WordSet>,
    /// Phrases separated by `|`, split into words, by their keys; longest first.
    phrases: HashMap<&'static str, Vec<Vec<&'static str>>>,
    verbs: Vec<Verb>,
    forms: HashMap<String, (usize, Form)>,
    /// Nouns that name a kind of work, with their English verb, if any.
    nouns: HashMap<&'static str, (Archetype, Option<String>)>,
}

impl Lexicon {
    fn of(file: &'static str, english: Option<&Self>) -> Self {
        // A test reads all three; an unreadable file leaves the language empty.
        let mut sections: Sections = toml::from_str(file).unwrap_or_default();
        let mut this = Self {
            sets: HashMap::default(),
            phrases: HashMap::default(),
            verbs: Vec::new(),
            forms: HashMap::default(),
            nouns: HashMap::default(),
            sections: Sections::new(),
        };
        let mut taken = |name: &str| sections.remove(name).unwrap_or_default();
        for (key, list) in &taken("verbs") {
            let archetype = key.parse().ok();
            for entry in list.split_whitespace() {
                this.add(entry, archetype, english);
            }
        }
        for (key, list) in &taken("nouns") {
            let archetype = key.parse().unwrap_or(Archetype::General);
            for entry in list.split_whitespace() {
                let (noun, verb) =
                    entry.split_once('=').map_or((entry, None), |(noun, verb)| (noun, Some(spaced(verb).into_owned())));
                this.nouns.insert(noun, (archetype, verb));
            }
        }
        for section in ["detect", "words", "open", "rules", "say", "categories"] {
            for (key, list) in sections.get(section).into_iter().flatten() {
                let set = list.split_whitespace().map(spaced).collect();
                if section == "open" || section == "rules" {
                    let split = |phrase: &'static str| phrase.split_whitespace().collect::<Vec<_>>();
                    let mut all: Vec<_> = list.split('|').map(split).filter(|phrase| !phrase.is_empty()).collect();
                    all.sort_by_key(|phrase| std::cmp::Reverse(phrase.len()));
                    this.phrases.insert(key, all);
                }
                this.sets.insert(key, set);
            }
        }
        this.sections = sections;
        this
    }

    /// Adds a verb in the format of the file: `BASE[/THIRD[/COMMAND]][=CANONICAL][*]`.
    fn add(&mut self, entry: &str, archetype: Option<Archetype>, english: Option<&Self>) {
        let verb = Verb::parse(entry, archetype, english);
        let at = self.verbs.len();
        for (form, kind) in verb.forms(entry, english.is_none()) {
            self.forms.entry(form).or_insert((at, kind));
        }
        self.verbs.push(verb);
    }

    pub(crate) fn verb(&self, form: &str) -> Option<(&Verb, Form)> {
        let (at, form) = self.forms.get(form)?;
        Some((self.verbs.get(*at)?, *form))
    }

    pub(crate) fn verbs(&self) -> impl Iterator<Item = &Verb> {
        self.verbs.iter()
    }

    pub(super) fn noun(&self, key: &str) -> Option<&(Archetype, Option<String>)> {
        self.nouns.get(key)
    }

    /// The words of a key; none if the file has no such key.
    pub(crate) fn set(&self, key: &str) -> &WordSet {
        static NONE: LazyLock<WordSet> = LazyLock::new(WordSet::default);
        self.sets.get(key).unwrap_or(&NONE)
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
        self.phrases.get(key)?.iter().find(begins).map(Vec::len)
    }

    pub(crate) fn section(&self, name: &str) -> impl Iterator<Item = (&str, &str)> {
        self.sections.get(name).into_iter().flatten().map(|(key, text)| (*key, *text))
    }

    /// A text of the file for output.
    pub(crate) fn text(&self, section: &str, key: &str) -> &str {
        self.sections.get(section).and_then(|section| section.get(key)).copied().unwrap_or_default()
    }

    /// Whether the word is insignificant: a function word, or one that only praises.
    pub(super) fn empty(&self, key: &str) -> bool {
        self.set("grammar").contains(key) || self.set("filler").contains(key)
    }
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
