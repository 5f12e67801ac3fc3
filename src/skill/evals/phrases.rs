//! Phrasings of a request for the work, and of other requests on the same subject.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::skill::Sentence;
use crate::skill::pack::{Chosen, Searched};
use crate::skill::sentence::{Language, alike, begun};

/// The phrasings of one language: `templates/base/*/evals.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Phrases {
    asks: Vec<String>,
    verbs: Vec<String>,
    /// `{}` is a command, a rule, a task.
    pub(super) runs: String,
    pub(super) keeps: String,
    pub(super) does: String,
    pub(super) hurry: String,
    near: Vec<Near>,
}

/// Another request on the same subject.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Near {
    /// Its verb in English; it matches skills with this verb.
    #[serde(default)]
    verb: String,
    text: String,
}

impl Phrases {
    pub(super) fn of(language: Language) -> &'static Self {
        static ALL: [LazyLock<Phrases>; 3] = base_files!("evals.toml");
        LazyLock::force(language.pick(ALL.each_ref()))
    }

    /// Prompts that ask for the work in other words.
    pub(super) fn asks(&self, understood: &Sentence, packs: &[Chosen]) -> Vec<String> {
        let object = object(understood);
        let main = understood.main();
        let own = main.and_then(|main| main.verb.as_deref()).unwrap_or_default();
        let mut verbs: Vec<String> = verbs_like(own, understood.language);
        verbs.retain(|verb| main.is_none_or(|main| *verb != main.written));
        verbs.extend(self.verbs.iter().cloned());
        let others: Vec<String> = understood.also.iter().cloned().chain([object.clone()]).collect();
        let mut words: Vec<String> = packs
            .iter()
            .filter(|_| understood.language == Language::En)
            .flat_map(|chosen| chosen.pack.head.words.iter().cloned())
            .collect();
        words.extend(others.iter().cloned());
        let turn = |list: &[String], at: usize| list.get(at % list.len().max(1)).cloned().unwrap_or_default();
        let filled = self.asks.iter().enumerate().map(|(at, shape)| {
            let said = shape
                .replace("{verb}", &turn(&verbs, at / 2))
                .replace("{other}", &turn(&others, at))
                .replace("{word}", &turn(&words, at))
                .replace("{object}", &object);
            begun(&said)
        });
        filled.collect()
    }

    /// Prompts about the same subject that ask for something else: what packs exclude, then other verbs. Those with the
    /// skill's own verb are left out.
    pub(super) fn near(&self, understood: &Sentence, packs: &[Chosen]) -> Vec<String> {
        let object = object(understood);
        let own = understood.main().and_then(|main| main.verb.as_deref()).unwrap_or_default();
        let topic = Searched::of(&understood.text);
        let elsewhere = packs.iter().flat_map(|chosen| &chosen.pack.head.not).filter(|phrase| {
            // A phrase with a word of the subject is easily mistaken for it.
            phrase.contains(' ') && phrase.split(' ').any(|word| word.len() > 3 && topic.has(word))
        });
        let elsewhere: Vec<String> = elsewhere.take(2).cloned().collect();
        let mut shapes = self.near.iter().filter(|near| near.verb.is_empty() || near.verb != own);
        let others: Vec<String> =
            elsewhere.iter().zip(shapes.by_ref()).map(|(phrase, near)| near.text.replace("{object}", phrase)).collect();
        let same = self.near.iter().filter(|near| near.verb.is_empty() || near.verb != own);
        let same = same.map(|near| near.text.replace("{object}", &object));
        let mut all: Vec<String> = same.collect();
        let at = all.len().min(8);
        all.splice(at..at, others);
        all
    }
}

/// The object of the work; the whole task if there is none.
fn object(understood: &Sentence) -> String {
    let object = understood.main().map(|main| main.object.clone()).filter(|object| !object.is_empty());
    object.unwrap_or_else(|| understood.asked.clone())
}

/// Verbs that ask for the same in a language: those with the same verb in English, and those alike.
fn verbs_like(verb: &str, language: Language) -> Vec<String> {
    const MOST: usize = 6;
    let mut found: Vec<String> = Vec::new();
    for wanted in std::iter::once(verb.to_owned()).chain(alike(verb)).filter(|verb| !verb.is_empty()) {
        for one in language.lexicon().verbs().filter(|one| one.english == wanted) {
            if !found.contains(&one.base) && found.len() < MOST {
                found.push(one.base.clone());
            }
        }
    }
    found
}
