//! The fixed words of a body in each language, and the questions asked where no pack knows the domain.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::skill::{Archetype, Language};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Phrases {
    pub(super) input: String,
    /// What the input is where no pack says it.
    pub(super) request: String,
    pub(super) repository: String,
    pub(super) steps: String,
    pub(super) limits: String,
    pub(super) report: String,
    pub(super) done: String,
    /// `{}` is a command.
    pub(super) passes: String,
    pub(super) open: String,
    pub(super) ask_first: String,
    pub(super) first: String,
    pub(super) columns: [String; 3],
    /// Who runs hefesto, as a line of the body names them.
    pub(super) you: String,
    /// How a day is written, in the form of `strftime`.
    pub(super) date: String,
    #[serde(rename = "question")]
    questions: Vec<General>,
}

/// A question about work of some kinds; of every kind where none is named.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct General {
    key: String,
    ask: String,
    #[serde(default)]
    archetypes: Vec<String>,
}

macro_rules! phrases {
    ($code:literal) => {
        LazyLock::new(|| {
            let text = include_str!(concat!("../../../templates/base/", $code, "/body.toml"));
            #[allow(clippy::expect_used, reason = "the file is part of the program, and a test reads it")]
            toml::from_str(text).expect("templates/base/*/body.toml has every phrase")
        })
    };
}

static EN: LazyLock<Phrases> = phrases!("en");
static PT: LazyLock<Phrases> = phrases!("pt");
static ES: LazyLock<Phrases> = phrases!("es");

impl Phrases {
    pub(super) fn of(language: Language) -> &'static Self {
        match language {
            Language::En => &EN,
            Language::Pt => &PT,
            Language::Es => &ES,
        }
    }

    /// Key and text of the questions about work of this kind.
    pub(super) fn questions(&self, archetype: Archetype) -> impl Iterator<Item = (&str, &str)> {
        let asked = move |one: &&General| {
            one.archetypes.is_empty() || one.archetypes.iter().any(|word| word == archetype.word())
        };
        self.questions.iter().filter(asked).map(|one| (one.key.as_str(), one.ask.as_str()))
    }
}
