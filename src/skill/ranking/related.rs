//! What words have in common without being the same: the concepts that a language's data file lists them under, and the
//! domains whose packs name them.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::LazyLock;

use super::stem::stem;
use super::words::{Term, terms};
use crate::skill::name::fold;
use crate::skill::pack::HEADS;
use crate::skill::sentence::Language;

/// Words and phrases that stand for a concept, by the stem they begin with.
type Phrases = HashMap<String, Vec<(Vec<String>, usize)>>;

static CONCEPTS: LazyLock<Phrases> = LazyLock::new(|| {
    let mut phrases = Phrases::new();
    let mut ids: HashMap<String, usize> = HashMap::new();
    for language in Language::ALL {
        for section in ["related", "also"] {
            for (name, listed) in language.lexicon().section(section) {
                let next = ids.len();
                let id = *ids.entry(name.to_owned()).or_insert(next);
                // The name of a concept is English in every file.
                let named = if section == "related" { Language::En } else { language };
                let words = listed.split([',', '\n']).map(|phrase| (phrase, language));
                for (phrase, language) in std::iter::once((name, named)).chain(words) {
                    let keys = terms(phrase, &[language]).into_iter().filter_map(|term| term.keys.into_iter().next());
                    let mut keys = keys.collect::<Vec<_>>().into_iter();
                    if let Some(first) = keys.next() {
                        phrases.entry(first).or_default().push((keys.collect(), id));
                    }
                }
            }
        }
    }
    phrases
});

/// The concepts of a text, each with the places of the words that name it.
pub(super) fn concepts(words: &[Term<'_>]) -> Vec<(usize, std::ops::Range<usize>)> {
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        for (rest, id) in word.keys.iter().filter_map(|key| CONCEPTS.get(key)).flatten() {
            let behind = words.get(at + 1..).unwrap_or_default();
            let goes_on =
                rest.len() <= behind.len() && rest.iter().zip(behind).all(|(key, word)| word.keys.contains(key));
            let named = (*id, at..at + 1 + rest.len());
            if goes_on && !found.contains(&named) {
                found.push(named);
            }
        }
    }
    found
}

/// What a phrase of a pack's head is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Says {
    /// One of a group of words, of which each group has to be there.
    Topic(usize),
    /// The domain is another one.
    Not,
    /// What people say who mean it.
    Words,
}

/// The heads of the built-in packs.
struct Domains {
    /// By their first word: the rest, the pack, what it says.
    phrases: HashMap<String, Vec<(Vec<String>, usize, Says)>>,
    /// How many groups each pack's topic has.
    groups: Vec<usize>,
    /// The packs that hold a stem, with what it counts there.
    stems: HashMap<String, Vec<(usize, f64)>>,
    /// The tools that a domain is about: "git", "terraform".
    tools: HashSet<String>,
}

static DOMAINS: LazyLock<Domains> = LazyLock::new(|| {
    let mut this =
        Domains { phrases: HashMap::new(), groups: Vec::new(), stems: HashMap::new(), tools: HashSet::new() };
    for (pack, head) in HEADS.iter().flatten().enumerate() {
        this.groups.push(head.topic.len());
        let of_topic = if head.topic.len() == 1 { TOPIC } else { TOPIC_OF_SEVERAL };
        let tools = head.tools.iter().filter(|tool| head.topic.iter().flatten().any(|phrase| phrase == *tool));
        this.tools.extend(tools.map(|tool| stem(tool, Language::En)));
        let topics = head.topic.iter().enumerate().flat_map(|(at, group)| group.iter().map(move |one| (one, at)));
        for (phrase, at) in topics {
            this.add(phrase, pack, Says::Topic(at), of_topic);
        }
        head.words.iter().for_each(|phrase| this.add(phrase, pack, Says::Words, WORD));
        head.not.iter().for_each(|phrase| this.add(phrase, pack, Says::Not, 0.0));
    }
    this
});

/// What a single word of a pack's head counts: of a topic that any of its words names, of one of several groups, of
/// what people say.
const TOPIC: f64 = 0.7;
const TOPIC_OF_SEVERAL: f64 = 0.35;
const WORD: f64 = 0.5;

impl Domains {
    fn add(&mut self, phrase: &str, pack: usize, says: Says, counts: f64) {
        let mut words = plain(phrase).into_iter();
        let Some(first) = words.next() else { return };
        for word in std::iter::once(&first).cloned().chain(words.clone()).filter(|_| counts > 0.0) {
            let held = self.stems.entry(stem(&word, Language::En)).or_default();
            match held.iter_mut().find(|(known, _)| *known == pack) {
                Some((_, known)) => *known = known.max(counts),
                None => held.push((pack, counts)),
            }
        }
        self.phrases.entry(first).or_default().push((words.collect(), pack, says));
    }
}

/// The domains a text is about: 1 for those whose topic it names, less for those of which it says what people say.
pub(super) fn domains(text: &str) -> BTreeMap<usize, f64> {
    const SAID: f64 = 0.8;
    let words = plain(text);
    let mut met: BTreeMap<usize, Vec<Says>> = BTreeMap::new();
    for (at, word) in words.iter().enumerate() {
        for (rest, pack, says) in DOMAINS.phrases.get(word).into_iter().flatten() {
            if words.get(at + 1..).is_some_and(|behind| behind.starts_with(rest)) {
                met.entry(*pack).or_default().push(*says);
            }
        }
    }
    let about = |(pack, says): (usize, Vec<Says>)| {
        let groups = DOMAINS.groups.get(pack).copied().unwrap_or(0);
        let topic = groups > 0 && (0..groups).all(|group| says.contains(&Says::Topic(group)));
        match (says.contains(&Says::Not), topic, says.contains(&Says::Words)) {
            (true, ..) | (false, false, false) => None,
            (false, true, _) => Some((pack, 1.0)),
            (false, false, true) => Some((pack, SAID)),
        }
    };
    met.into_iter().filter_map(about).collect()
}

/// The domains that hold a stem, with what it counts there.
pub(super) fn domains_with(key: &str) -> &'static [(usize, f64)] {
    DOMAINS.stems.get(key).map_or(&[], Vec::as_slice)
}

/// Whether a word is the name of a tool, with which much other work is done.
pub(super) fn names_a_tool(word: &Term<'_>) -> bool {
    word.keys.iter().any(|key| DOMAINS.tools.contains(key))
}

/// Verbs that ask for the same in a language: those with the same verb in English, and those of its concept.
pub(crate) fn verbs_like(verb: &str, language: Language) -> Vec<String> {
    const MOST: usize = 6;
    let english = Language::En.lexicon();
    let listed = english.section("related").filter(|(name, _)| *name == verb).flat_map(|(_, listed)| listed.split(','));
    let same: Vec<&str> =
        listed.filter_map(|phrase| english.verb(phrase.trim())).map(|(verb, _)| verb.english.as_str()).collect();
    let mut found: Vec<String> = Vec::new();
    for wanted in std::iter::once(verb).chain(same).filter(|verb| !verb.is_empty()) {
        for one in language.lexicon().verbs().filter(|one| one.english == wanted) {
            if !found.contains(&one.base) && found.len() < MOST {
                found.push(one.base.clone());
            }
        }
    }
    found
}

fn plain(text: &str) -> Vec<String> {
    let folded = fold(text).to_lowercase();
    folded.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skill::pack::BUILT_IN;

    #[test]
    fn every_pack_is_a_domain() {
        assert_eq!(DOMAINS.groups.len(), BUILT_IN.len());
        let named = domains("review this alembic migration of the orders table");
        assert_eq!(named.values().filter(|share| **share >= 1.0).count(), 1, "{named:?}");
        assert!(domains("migrate to react hooks in the database migration table").values().all(|share| *share < 2.0));
    }

    #[test]
    fn a_concept_is_named_in_every_language() {
        let ids = |text: &str, language| {
            concepts(&terms(text, &[language])).into_iter().map(|(id, _)| id).collect::<Vec<_>>()
        };
        let (en, pt, es) = (ids("invoices", Language::En), ids("faturas", Language::Pt), ids("facturas", Language::Es));
        assert!(en.iter().any(|id| pt.contains(id) && es.contains(id)), "{en:?} {pt:?} {es:?}");
    }
}
