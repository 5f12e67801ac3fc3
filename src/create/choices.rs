//! What a person chose at a collision and at a merge, and which suggestions they refused: stored as facts, each with
//! its subject, which the next run offers or leaves out.

use super::Run;
use crate::memory::turn::{Fact, Request};
use crate::memory::{Memory, context, ring::Phase};
use crate::rules::secrets;

const CHOSEN: &str = "chosen:";
const REFUSED: &str = "refused:";
/// The word for a collision in a key; a merge is named by the place that differs.
pub(super) const COLLISION: &str = "collision";

#[derive(Debug, Clone)]
pub(super) enum Choice {
    /// At a collision or a place of a merge: the skill, the question, and the answer.
    Chosen { skill: String, about: String, word: &'static str },
    /// A suggestion, by its id in the memory.
    Refused { id: String, text: String },
}

/// The last choice for this skill, or else for another one on the same subject: the skill and the answer.
pub(super) fn before(run: &Run<'_>, skill: &str, asked: &str, about: &str) -> Option<(String, String)> {
    let mut facts = run.memory()?.facts().ok()?;
    let request = Request::of(asked);
    facts.retain(|fact| {
        key_parts(&fact.key).is_some_and(|(of, named)| of == about && (named == skill || request.bears(&fact.text)))
    });
    facts.sort_by_key(|fact| (key_parts(&fact.key).is_some_and(|(_, named)| named == skill), fact.updated_at));
    let fact = facts.pop()?;
    let (_, named) = key_parts(&fact.key)?;
    Some((named.to_owned(), fact.text.rsplit_once(": ")?.1.to_owned()))
}

/// The question and the skill in the key of a choice.
fn key_parts(key: &str) -> Option<(&str, &str)> {
    let (name, about) = key.strip_prefix(CHOSEN)?.split_once(':')?;
    Some((about, name))
}

/// The ids of the suggestions that were refused.
pub(super) fn refused(memory: &Memory) -> anyhow::Result<Vec<String>> {
    let facts = memory.facts()?.into_iter();
    Ok(facts.filter_map(|fact| fact.key.strip_prefix(REFUSED).map(str::to_owned)).collect())
}

pub(super) fn learned(run: &mut Run<'_>, skill: &str) -> Vec<Fact> {
    let state = run.state(Phase::Intake).ok().flatten().unwrap_or_default();
    let subject = state["description"].as_str().unwrap_or_default();
    let at = context::millis(&run.env.stamp());
    let choices = std::mem::take(&mut run.record.choices).into_iter();
    let facts = choices.map(|choice| {
        let (key, text) = match choice {
            Choice::Chosen { skill, about, word } => {
                let place = if about == COLLISION { String::new() } else { format!(", {about}") };
                (format!("{CHOSEN}{skill}:{about}"), format!("as for `{skill}` ({subject}){place}: {word}"))
            }
            Choice::Refused { id, text } => {
                (format!("{REFUSED}{id}"), format!("\"{text}\" is not offered any more (refused for `{skill}`)"))
            }
        };
        let source = format!("memory.db, from run {}", run.id);
        Fact { key, version: 1, text, source, importance: 0.5, updated_at: at, access_count: 0 }
    });
    facts.filter(|fact| secrets::scan_memory(&fact.text).is_empty()).collect()
}
