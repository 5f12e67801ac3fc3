//! One change to the registry as a value: journalled, applied after a commit, and applied again after a crash.

use serde::{Deserialize, Serialize};

use super::{CliRow, Deleted, Parsed, Registry, Reversal, timestamp};
use crate::skill::Name;

/// How many notes of deleted skills are kept; the oldest are removed first.
pub const MAX_DELETED: usize = 200;

/// A change; `at` is when, RFC 3339 UTC. Applying a list of changes is idempotent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case")]
pub enum Op {
    /// A skill was written for these CLIs, beside those it was written for before.
    UpsertSkill { name: String, clis: Vec<String>, at: String },
    /// A skill is in these CLIs and in no other.
    SetSkillClis { name: String, clis: Vec<String>, at: String },
    /// A skill was deleted from these CLIs, or from all if none is named; `backup` is the archive below the root.
    RemoveSkill { name: String, clis: Vec<String>, at: String, backup: Option<String> },
    /// A skill was renamed; nothing happens if the new name is taken.
    RenameSkill { name: String, to: String, at: String },
    /// These CLIs were detected; others are kept, and a row without a version keeps the known version.
    UpsertClis { clis: Vec<CliRow> },
    /// Exactly these CLIs exist; others are kept only if a skill names them.
    SetClis { clis: Vec<CliRow> },
    /// A run was undone.
    Reverse(Box<Reversal>),
}

/// Reads the current text, applies the changes to hefesto's rows only, and returns the new text. If nothing changes, it
/// is the given text, byte for byte.
/// Errors: the result of reading, if it is no valid registry: damage must be repaired before changes can be applied.
pub fn apply(text: &[u8], ops: &[Op], now: &str) -> Result<String, Parsed> {
    let before = match Registry::parse(text) {
        Parsed::Good(registry) => *registry,
        other => return Err(other),
    };
    let mut registry = before.clone();
    for op in ops {
        registry.apply(op);
    }
    if registry == before {
        return Ok(String::from_utf8_lossy(text).into_owned());
    }
    registry.touch(now);
    Ok(registry.render())
}

impl Registry {
    /// Applies one change. An invalid skill name is ignored.
    pub fn apply(&mut self, op: &Op) {
        match op {
            Op::UpsertSkill { name, clis, at } => {
                if let Ok(name) = Name::parse(name) {
                    self.upsert_skill(&name, clis, at);
                }
            }
            Op::SetSkillClis { name, clis, at } => {
                if let Ok(name) = Name::parse(name) {
                    self.set_skill_clis(&name, clis, at);
                }
            }
            Op::RemoveSkill { name, clis, at, backup } => self.remove_skill(name, clis, at, backup.as_deref()),
            Op::RenameSkill { name, to, at } => match Name::parse(to) {
                Ok(to) => self.rename_skill(name, &to, at),
                // An undone rename: the former name cannot be listed.
                Err(_) => self.skills.retain(|row| row.name.as_str() != name),
            },
            Op::UpsertClis { clis } => clis.iter().for_each(|row| self.upsert_cli(row.clone())),
            Op::SetClis { clis } => self.set_clis(clis.clone()),
            Op::Reverse(what) => self.reverse(what),
        }
    }

    fn rename_skill(&mut self, name: &str, to: &Name, at: &str) {
        if self.skill(to.as_str()).is_some() {
            return;
        }
        if let Some(row) = self.skills.iter_mut().find(|row| row.name.as_str() == name) {
            row.name = to.clone();
            row.modified = timestamp::later(&row.modified, at).to_owned();
        }
        self.sort();
    }

    /// Removes a skill from these CLIs (from all if none is named) and records it in `skills_deleted`. A row created
    /// after `at` is another skill with that name and is kept.
    pub fn remove_skill(&mut self, name: &str, clis: &[String], at: &str, backup: Option<&str>) {
        let Some(row) = self.skills.iter_mut().find(|row| row.name.as_str() == name) else { return };
        if timestamp::after(&row.created, at) {
            return;
        }
        let gone = |id: &String| clis.is_empty() || clis.contains(id);
        let (removed, left): (Vec<String>, Vec<String>) = row.clis.iter().cloned().partition(gone);
        if removed.is_empty() {
            return;
        }
        row.modified = timestamp::later(&row.modified, at).to_owned();
        row.clis = left;
        self.skills.retain(|row| !row.clis.is_empty());
        let note =
            Deleted { name: name.to_owned(), clis: removed, at: at.to_owned(), backup: backup.map(str::to_owned) };
        self.deleted.push(note);
        let surplus = self.deleted.len().saturating_sub(MAX_DELETED);
        self.deleted.drain(..surplus);
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{NOW, good, sample};
    use super::*;

    const LATER: &str = "2026-03-01T00:00:00Z";

    fn remove(name: &str, backup: Option<&str>, at: &str) -> Op {
        Op::RemoveSkill { name: name.into(), clis: vec![], at: at.into(), backup: backup.map(str::to_owned) }
    }

    #[test]
    fn a_replayed_list_changes_nothing() {
        let ops = [
            Op::UpsertClis { clis: vec![CliRow::by_hand("cursor")] },
            Op::UpsertSkill { name: "new-skill".into(), clis: vec!["cursor".into()], at: LATER.into() },
            remove("review-code", Some("b \"q\".gz"), LATER),
        ];
        let ops: Vec<Op> = serde_json::from_str(&serde_json::to_string(&ops).unwrap()).unwrap();
        let once = apply(sample().render().as_bytes(), &ops, LATER).unwrap();
        assert_eq!(apply(once.as_bytes(), &ops, "2026-04-01T00:00:00Z").unwrap(), once);
        let registry = good(&once);
        assert!(registry.skill("review-code").is_none());
        assert_eq!(registry.deleted[0].backup.as_deref(), Some("b \"q\".gz"));
        assert_eq!((registry.initialized(), registry.last_updated()), (NOW, LATER));
    }

    #[test]
    fn a_deletion_may_leave_copies() {
        let mut registry = sample();
        registry.upsert_skill(&Name::parse("review-code").unwrap(), &["gemini".into()], LATER);
        registry.remove_skill("review-code", &["claude".into()], LATER, None);
        assert_eq!(registry.skill("review-code").unwrap().clis, ["gemini"]);
        registry.remove_skill("review-code", &["claude".into()], LATER, None);
        assert_eq!(registry.deleted.len(), 1);
    }

    #[test]
    fn a_late_replay_does_not_delete_the_skill_that_came_after() {
        let mut registry = sample();
        registry.remove_skill("review-code", &[], "2020-01-01T00:00:00Z", None);
        assert!(registry.skill("review-code").is_some());
    }

    #[test]
    fn a_hundred_runs_leave_a_valid_file() {
        let mut text = sample().render();
        for run in 0..300 {
            let at = format!("2026-05-01T00:{:02}:{:02}Z", run / 60, run % 60);
            let name = format!("skill-{run}");
            let create = Op::UpsertSkill { name: name.clone(), clis: vec!["claude".into()], at: at.clone() };
            text = apply(text.as_bytes(), &[create], &at).unwrap();
            text = apply(text.as_bytes(), &[remove(&name, None, &at)], &at).unwrap();
        }
        assert_eq!(good(&text).deleted.len(), MAX_DELETED);
        assert_eq!(good(&text).skills(), sample().skills());
    }

    #[test]
    fn damage_is_handed_back() {
        assert!(matches!(apply(b"", &[], NOW), Err(Parsed::Damaged { .. })));
        assert!(matches!(apply(b"# Mine", &[], NOW), Err(Parsed::Foreign(_))));
    }
}
