//! The templates that are part of the program.

use super::{Origin, Template};
use crate::skill::understand::{Archetype, Language};

/// The names of the built-in templates.
pub const BUILT_IN: &[&str] = &["base"];

/// The built-in template of this name, in English.
#[must_use]
pub fn built_in(name: &str) -> Option<Template> {
    (name == "base").then(|| Template {
        name: name.to_owned(),
        source: frame(Language::En).to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        origin: Origin::BuiltIn,
        above: 0,
    })
}

/// What stands around the sections.
pub(super) fn frame(language: Language) -> &'static str {
    match language {
        Language::En => include_str!("../../../templates/base/en/SKILL.md"),
        Language::Pt => include_str!("../../../templates/base/pt/SKILL.md"),
        Language::Es => include_str!("../../../templates/base/es/SKILL.md"),
    }
}

/// The text of one file of the three languages.
macro_rules! text {
    ($language:expr, $file:literal) => {
        match $language {
            Language::En => include_str!(concat!("../../../templates/base/en/", $file, ".md")),
            Language::Pt => include_str!(concat!("../../../templates/base/pt/", $file, ".md")),
            Language::Es => include_str!(concat!("../../../templates/base/es/", $file, ".md")),
        }
    };
}

/// The sections that belong to a kind of work: the value of `INSTRUCTIONS`.
pub(super) fn instructions(archetype: Archetype, language: Language) -> &'static str {
    match archetype {
        Archetype::Validate => text!(language, "validate"),
        Archetype::Generate => text!(language, "generate"),
        Archetype::Review => text!(language, "review"),
        Archetype::Test => text!(language, "test"),
        Archetype::Deploy => text!(language, "deploy"),
        Archetype::Convert => text!(language, "convert"),
        Archetype::Extract => text!(language, "extract"),
        Archetype::Migrate => text!(language, "migrate"),
        Archetype::Document => text!(language, "document"),
        Archetype::Refactor => text!(language, "refactor"),
        Archetype::Analyse => text!(language, "analyse"),
        Archetype::Monitor => text!(language, "monitor"),
        Archetype::WrapCliTool => text!(language, "wrap-cli-tool"),
        Archetype::Workflow => text!(language, "workflow"),
        Archetype::General => text!(language, "general"),
    }
}
