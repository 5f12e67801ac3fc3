//! The fixed words of a body in each language, and the questions asked if no pack covers the domain.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::skill::{Archetype, Language};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::skill) struct Phrases {
    pub(super) input: String,
    /// The input, if no pack defines it.
    pub(super) request: String,
    pub(super) repository: String,
    pub(super) steps: String,
    /// The text for a list of names.
    pub(super) parts: String,
    pub(super) in_order: String,
    pub(in crate::skill) limits: String,
    /// The label of a rule of the house under a step.
    pub(super) here: String,
    /// What the rules of the house do to steps that say otherwise.
    pub(super) overrule: String,
    pub(in crate::skill) report: String,
    pub(in crate::skill) done: String,
    /// `{}` is a command.
    pub(super) passes: String,
    pub(super) open: String,
    pub(super) ask_first: String,
    pub(super) first: String,
    pub(in crate::skill) sources: String,
    /// The words between a URL and the file that links to it.
    pub(in crate::skill) linked: String,
    /// The heading of the list of files, as in SKILL.md of `templates/base/`.
    pub(super) files: String,
    /// What is done with a script, an asset and a reference.
    pub(super) uses: [String; 3],
    pub(super) columns: [String; 3],
    /// Who runs hefesto, as a line of the body names them.
    pub(super) you: String,
    /// The date format, for `strftime`.
    pub(super) date: String,
    #[serde(rename = "question")]
    questions: Vec<General>,
}

/// A question about some kinds of work; about every kind if none is named.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct General {
    key: String,
    ask: String,
    label: String,
    #[serde(default)]
    archetypes: Vec<String>,
}

impl Phrases {
    pub(in crate::skill) fn of(language: Language) -> &'static Self {
        static ALL: [LazyLock<Phrases>; 3] = base_files!("body.toml");
        LazyLock::force(language.pick(ALL.each_ref()))
    }

    /// The text of the question with this key, and the label of its answer.
    pub(super) fn general(&self, key: &str) -> Option<(&str, &str)> {
        self.questions.iter().find(|one| one.key == key).map(|one| (one.ask.as_str(), one.label.as_str()))
    }

    /// Key and text of the questions about work of this kind.
    pub(super) fn questions(&self, archetype: Archetype) -> impl Iterator<Item = (&str, &str)> {
        let asked = move |one: &&General| {
            one.archetypes.is_empty() || one.archetypes.iter().any(|word| word == archetype.word())
        };
        self.questions.iter().filter(asked).map(|one| (one.key.as_str(), one.ask.as_str()))
    }
}

/// The fixed lines of the templates in every language.
pub(crate) fn template_lines() -> impl Iterator<Item = &'static str> {
    static LINES: LazyLock<Vec<String>> = LazyLock::new(|| {
        let of = |phrases: &Phrases| {
            let fixed = [
                format!("{}: $ARGUMENTS ({})", phrases.input, phrases.request),
                format!("{} {}.", phrases.done, phrases.passes.replace("{}", "")),
            ];
            fixed.into_iter().chain(phrases.questions.iter().map(|one| one.ask.clone())).collect::<Vec<_>>()
        };
        Language::ALL.iter().flat_map(|language| of(Phrases::of(*language))).collect()
    });
    LINES.iter().map(String::as_str)
}
