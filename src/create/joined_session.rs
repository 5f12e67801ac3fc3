//! `--session`: the entries of a calling agent's session, for the run that joins it.

use serde_json::Value;

use crate::client::host::Host;
use crate::config::Settings;
use crate::error::Result;
use crate::memory::stm::connect::{Sessions, coded};
use crate::memory::stm::{Category, Entry, Filter, Refusal, Word, resolve};
use crate::memory::turn::{NoteKind, SessionNote};
use crate::project::Project;
use crate::system::env::Env;

/// The type or tag of an entry that says where something is found.
const REFERENCE: &str = "context_reference";

/// Fields in which agents put a text, the most specific first.
const FIELDS: [&str; 12] = [
    "input", "text", "content", "message", "conclusion", "reasoning", "thought", "summary", "reference", "path", "url",
    "description",
];

/// The entries of an open session that a run can use, oldest first.
/// Errors: E-MEMORY-025 if no such session is open, E-MEMORY-026 if its server cannot be reached.
pub(super) fn entries(env: &mut Env, project: &Project, settings: &Settings, id: &Word) -> Result<Vec<SessionNote>> {
    let host = Host::of(|name| env.var(name));
    let mut sessions = Sessions::look(project, settings)?;
    let asked = sessions.ask(env, |stm| {
        let all = stm.sessions()?;
        let key = resolve(&all, id.as_str(), None, host.embodiment(), host == Host::Person);
        if !all.iter().any(|session| session.key == key && session.is_open()) {
            return Err(Refusal::NoSuchSession { session: id.to_string() }.into());
        }
        Ok(stm.look(&key, &Filter { limit: usize::MAX, ..Filter::default() })?.entries)
    });
    let entries = asked.map_err(|error| coded(env, project, error))?;
    Ok(entries.iter().rev().filter_map(|entry| note(id, entry)).collect())
}

fn note(session: &Word, entry: &Entry) -> Option<SessionNote> {
    let head = &entry.head;
    let refers = entry.content["type"] == REFERENCE || head.tags.iter().any(|tag| tag == REFERENCE);
    let kind = match head.category {
        _ if refers => NoteKind::Reference,
        Category::UserInput => NoteKind::Input,
        Category::ReasoningState => NoteKind::Reasoning,
        _ => return None,
    };
    let text = said(&entry.content).split_whitespace().collect::<Vec<_>>().join(" ");
    let note = SessionNote { id: head.id.clone(), session: session.to_string(), kind, text, at: head.created_at };
    Some(note).filter(|note| !note.text.is_empty())
}

/// The text of an entry: a string, its text field, or the whole content as JSON.
fn said(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Object(fields) => {
            let text = FIELDS.iter().find_map(|field| fields.get(*field)?.as_str());
            match (text, fields.get("data")) {
                (Some(text), _) => text.to_owned(),
                (None, Some(data)) => said(data),
                (None, None) => content.to_string(),
            }
        }
        other => other.to_string(),
    }
}
