//! Phase 2 of a turn: the constitution of the project, the CLIs, the templates.

use super::TurnInputs;
use crate::memory::turn::{Capability, Identity, Mandate};
use crate::registry::{self, Parsed, Registry, constitution};
use crate::system::input;

pub(super) fn identity(here: &TurnInputs<'_>) -> Result<Identity, String> {
    let (source, text) = if here.project.exists("CONSTITUTION.md") {
        let file = here.project.rooted("CONSTITUTION.md").map_err(|error| error.to_string())?;
        ("CONSTITUTION.md", input::read_text(&file).map_err(|error| error.message())?)
    } else {
        ("the embedded constitution", constitution::EMBEDDED.to_owned())
    };
    let mandates = text.lines().filter_map(mandate).collect();
    Ok(Identity {
        source: source.to_owned(),
        version: constitution::check(&text).version,
        mandates,
        capabilities: capabilities(here),
    })
}

/// The rule named by a heading of the constitution, if any.
fn mandate(line: &str) -> Option<Mandate> {
    let (id, title) = line.trim_start_matches('#').trim().split_once(": ")?;
    let rule = line.starts_with('#') && (id.starts_with("T0-HEFESTO-") || id.starts_with("T1-HEFESTO-"));
    rule.then(|| Mandate { id: id.replace("HEFESTO-", ""), title: title.trim().to_owned() })
}

fn capabilities(here: &TurnInputs<'_>) -> Vec<Capability> {
    let bytes = here.project.head("MEMORY.md", registry::MAX_BYTES).ok();
    let registry = match bytes.as_deref().map(Registry::parse) {
        Some(Parsed::Good(registry)) => Some(registry),
        _ => None,
    };
    let clis = here.clients.iter().map(|id| Capability {
        name: id.clone(),
        version: registry.as_ref().and_then(|registry| registry.cli(id)?.version.clone()),
    });
    let templates = here.templates.iter().map(|name| Capability {
        name: format!("template {name}"),
        version: (name == "base").then(|| env!("CARGO_PKG_VERSION").to_owned()),
    });
    clis.chain(templates).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rules_are_the_headings_of_the_constitution() {
        let rules: Vec<Mandate> = constitution::EMBEDDED.lines().filter_map(mandate).collect();
        assert!(rules.iter().filter(|rule| rule.id.starts_with("T0-")).count() == constitution::T0.len());
        assert_eq!(rules[1], Mandate { id: "T0-02".into(), title: "Human gate".into() });
        assert_eq!(mandate("T0-HEFESTO-02: not a heading"), None);
    }
}
