//! The templates that are part of the program.

use super::{Origin, Template};
use crate::skill::understand::Archetype;

/// The names of the built-in templates.
pub const BUILT_IN: &[&str] = &["base"];

/// The built-in template of this name.
#[must_use]
pub fn built_in(name: &str) -> Option<Template> {
    (name == "base").then(|| Template {
        name: name.to_owned(),
        source: include_str!("../../../templates/base/SKILL.md").to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        origin: Origin::BuiltIn,
    })
}

/// The sections that belong to a kind of work: the value of `INSTRUCTIONS`.
pub(super) fn instructions(archetype: Archetype) -> &'static str {
    match archetype {
        Archetype::Validate => include_str!("../../../templates/base/archetypes/validate.md"),
        Archetype::Generate => include_str!("../../../templates/base/archetypes/generate.md"),
        Archetype::Review => include_str!("../../../templates/base/archetypes/review.md"),
        Archetype::Test => include_str!("../../../templates/base/archetypes/test.md"),
        Archetype::Deploy => include_str!("../../../templates/base/archetypes/deploy.md"),
        Archetype::Convert => include_str!("../../../templates/base/archetypes/convert.md"),
        Archetype::Document => include_str!("../../../templates/base/archetypes/document.md"),
        Archetype::Refactor => include_str!("../../../templates/base/archetypes/refactor.md"),
        Archetype::Analyse => include_str!("../../../templates/base/archetypes/analyse.md"),
        Archetype::WrapCliTool => include_str!("../../../templates/base/archetypes/wrap-cli-tool.md"),
        Archetype::Workflow => include_str!("../../../templates/base/archetypes/workflow.md"),
        Archetype::General => include_str!("../../../templates/base/archetypes/general.md"),
    }
}
