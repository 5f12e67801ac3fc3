//! Writes one text to every copy: raises its version, adapts it to each client, checks it, and makes the operation.

use crate::client::adapt;
use crate::client::target::{Client, Target, client};
use crate::error::{Code, Error};
use crate::registry::Op;
use crate::rules::{self, Finding, Policy, Severities, Severity, Subject};
use crate::skill::version::{Bump, follow_head, raised, set, touch, version};
use crate::skill::{Tree, metadata};
use crate::transaction::operation::{Operation, Step};

/// How a text becomes the next version of its skill.
#[derive(Debug, Clone, Copy)]
pub struct Revision<'r> {
    pub bump: Bump,
    /// The time, RFC 3339 UTC.
    pub now: &'r str,
}

/// The text as the next version of what was installed: the version is raised unless the author set it. An unchanged
/// text keeps its version.
pub fn revise(installed: Option<&Tree>, text: Tree, revision: Revision<'_>) -> Tree {
    let Some(before) = installed else { return text };
    if timeless(before) == timeless(&text) {
        return before.clone();
    }
    let mut revised = text;
    let (old, new) = (version(before), version(&revised));
    if let (true, Some(next)) = (old == new, old.and_then(|old| raised(&old, revision.bump))) {
        set(&mut revised, &next);
    }
    follow_head(&mut revised, before);
    touch(&mut revised, revision.now);
    revised
}

/// The files without the time of the last change.
fn timeless(tree: &Tree) -> Tree {
    let mut timeless = tree.clone();
    if let Some(text) = tree.text(metadata::FILE) {
        timeless.put(metadata::FILE, metadata::without(text, &["updated"]));
    }
    timeless
}

/// The changes on disk for a text.
#[derive(Debug, Default)]
pub struct Written {
    pub steps: Vec<Step>,
    /// Copies that have this text already but are not recorded so: target, path, files.
    pub settled: Vec<(String, String, Tree)>,
}

impl Written {
    pub fn is_nothing(&self) -> bool {
        self.steps.is_empty() && self.settled.is_empty()
    }

    pub fn operation(self, command: &'static str, name: &str, now: &str, why: String) -> Operation {
        let copies = self.steps.iter().map(|step| &step.target).chain(self.settled.iter().map(|(target, ..)| target));
        let op = Op::UpsertSkill { name: name.to_owned(), clis: copies.cloned().collect(), at: now.to_owned() };
        Operation {
            command,
            name: name.to_owned(),
            steps: self.steps,
            settled: self.settled,
            ops: vec![op],
            keep_backup: true,
            why: Some(why),
            ..Operation::default()
        }
    }
}

/// Writes a text to every copy, and to the targets that have none yet.
pub fn write(copies: &super::Copies, text: &Tree, more: &[Target]) -> Written {
    let shared = adapt::shared(copies.own().map(|copy| &copy.target).chain(more));
    let mut written = Written::default();
    for copy in copies.own() {
        let (id, at, after) = (copy.target.id.clone(), copy.at.clone(), adapt::adapted(text, &copy.target, shared));
        let as_installed = copy.digest().is_some() && copy.digest() == copy.base_digest();
        if as_installed && copy.tree().is_some_and(|tree| adapt::essence(tree) == adapt::essence(&after)) {
            continue;
        }
        if copy.tree() != Some(&after) {
            written.steps.push(Step { target: id, at, before: copy.tree().cloned(), after: Some(after) });
        } else if copy.base_digest() != copy.digest() {
            written.settled.push((id, at, after));
        }
    }
    for target in more {
        let after = Some(adapt::adapted(text, target, shared));
        written.steps.push(Step { target: target.id.clone(), at: target.skill_dir(&copies.name), before: None, after });
    }
    written
}

/// Why these copies must not be written; none if they may.
pub fn unacceptable(name: &str, steps: &[Step], settings: &crate::config::Settings) -> Option<Error> {
    let written = steps.iter().filter_map(|step| {
        let (tree, target) = (step.after.as_ref()?, settings.targets.get(&step.target));
        Some(Subject { directory: name, prefix: &step.at, tree, target })
    });
    let found = errors(written, &settings.severities);
    let first = found.first()?;
    let more = if found.len() > 1 { format!(" (and {} more)", found.len() - 1) } else { String::new() };
    let (message, fix) = (format!("{} [{}]{more}; nothing was written", first.message, first.rule), first.fix.clone());
    Some(Error::new(Code::CreateInvalid, message).suggest(fix).findings(found))
}

/// The errors of these copies of a skill, each once.
pub fn errors<'s>(copies: impl Iterator<Item = Subject<'s>>, severities: &Severities) -> Vec<Finding> {
    let mut found: Vec<Finding> = Vec::new();
    for subject in copies {
        let clients: Vec<&'static Client> = subject.target.and_then(|target| client(&target.id)).into_iter().collect();
        let policy = Policy { clients: &clients, severities: Some(severities), ..Policy::default() };
        for finding in rules::check_for(&subject, &policy).findings {
            let known =
                |one: &Finding| one.rule == finding.rule && one.line == finding.line && one.message == finding.message;
            if finding.severity == Severity::Error && !found.iter().any(known) {
                found.push(finding);
            }
        }
    }
    found
}
