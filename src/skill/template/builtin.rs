//! The built-in templates.

use super::{Origin, Template};
use crate::skill::Language;

/// The names of the built-in templates.
pub const BUILT_IN: &[&str] = &["base"];

/// The built-in template of this name, in English.
pub fn built_in(name: &str) -> Option<Template> {
    (name == "base").then(|| Template {
        name: name.to_owned(),
        source: frame(Language::En).to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        origin: Origin::BuiltIn,
        above: 0,
    })
}

/// The frame around the body.
pub(super) fn frame(language: Language) -> &'static str {
    language.pick([
        include_str!("../../../templates/base/en/SKILL.md"),
        include_str!("../../../templates/base/pt/SKILL.md"),
        include_str!("../../../templates/base/es/SKILL.md"),
    ])
}
