//! One change to the registry as a value: journalled, applied after a commit, and applied again after a crash.

use serde::{Deserialize, Serialize};

use super::{CliRow, Deleted, Parsed, Registry, SkillRow, row};
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
            row.modified = row::later(&row.modified, at).to_owned();
        }
        self.sort();
    }

    /// Removes a skill from these CLIs (from all if none is named) and records it in `skills_deleted`. A row created
    /// after `at` is another skill with that name and is kept.
    pub fn remove_skill(&mut self, name: &str, clis: &[String], at: &str, backup: Option<&str>) {
        let Some(row) = self.skills.iter_mut().find(|row| row.name.as_str() == name) else { return };
        if row::after(&row.created, at) {
            return;
        }
        let gone = |id: &String| clis.is_empty() || clis.contains(id);
        let (removed, left): (Vec<String>, Vec<String>) = row.clis.iter().cloned().partition(gone);
        if removed.is_empty() {
            return;
        }
        row.modified = row::later(&row.modified, at).to_owned();
        row.clis = left;
        self.skills.retain(|row| !row.clis.is_empty());
        let (name, at, backup) = (name.to_owned(), at.to_owned(), backup.map(str::to_owned));
        self.deleted.push(Deleted { name, clis: removed, at, backup });
        let surplus = self.deleted.len().saturating_sub(MAX_DELETED);
        self.deleted.drain(..surplus);
    }
}

/// The state of a skill before a run: stored with the run, so that undoing restores exactly these rows.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Before {
    pub skill: Option<SkillRow>,
    /// The rows of the run's CLIs, if there were any.
    pub clis: Vec<CliRow>,
    /// The notes of the skill's deletion.
    pub notes: Vec<Deleted>,
    /// The directories that were missing, outermost first, relative to the root.
    #[serde(default)]
    pub missing: Vec<String>,
}

/// The state of every skill of a run before it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum BeforeRun {
    /// Of the run's single skill.
    One(Before),
    Several(Vec<(String, Before)>),
}

impl BeforeRun {
    /// The directories that were missing, outermost first.
    pub fn missing(&self) -> Vec<String> {
        let mut missing = match self {
            Self::One(before) => before.missing.clone(),
            Self::Several(all) => all.iter().flat_map(|(_, before)| before.missing.clone()).collect(),
        };
        missing.sort();
        missing.dedup();
        missing
    }
}

/// The reversal of a run for the registry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reversal {
    pub name: String,
    /// The CLIs whose copies are removed.
    pub removed: Vec<String>,
    /// The CLIs whose copies are restored.
    pub restored: Vec<String>,
    /// When, RFC 3339 UTC.
    pub at: String,
    /// The state before the run.
    pub before: Before,
    /// The archive of the run, which identifies its own note of a deletion.
    pub backup: Option<String>,
}

impl Registry {
    /// The state of a skill and of these CLIs.
    pub fn before(&self, name: &str, ids: &[String]) -> Before {
        Before {
            skill: self.skill(name).cloned(),
            clis: self.clis.iter().filter(|row| ids.contains(&row.id)).cloned().collect(),
            notes: self.deleted.iter().filter(|note| note.name == name).cloned().collect(),
            missing: Vec::new(),
        }
    }

    /// Undoes a run. Entries of later runs are kept.
    pub(super) fn reverse(&mut self, what: &Reversal) {
        let Ok(name) = Name::parse(&what.name) else { return };
        let (known, before) = (self.skill(&what.name).cloned(), &what.before);
        let mut clis: Vec<String> = known.as_ref().map(|row| row.clis.clone()).unwrap_or_default();
        clis.retain(|id| !what.removed.contains(id));
        clis.extend(what.restored.iter().filter(|id| super::is_cli_id(id)).cloned());
        row::in_table_order(&mut clis);
        for row in &before.clis {
            if self.cli(&row.id).is_none() {
                self.clis.push(row.clone());
            }
        }
        self.skills.retain(|row| row.name != name);
        if !clis.is_empty() {
            let row = match (&before.skill, &known) {
                (Some(row), _) if row.clis == clis => row.clone(),
                (Some(row), _) | (None, Some(row)) => {
                    let modified = known.as_ref().map_or(row.modified.as_str(), |known| known.modified.as_str());
                    let modified = row::later(modified, &what.at).to_owned();
                    SkillRow { name, clis, created: row.created.clone(), modified }
                }
                (None, None) => SkillRow { name, clis, created: what.at.clone(), modified: what.at.clone() },
            };
            self.skills.push(row);
        }
        let named = |id: &String| self.skills.iter().any(|row| row.clis.contains(id));
        let there = |id: &String| before.clis.iter().any(|row| row.id == *id);
        let added: Vec<&String> = what.removed.iter().filter(|id| !there(id) && !named(id)).collect();
        self.clis.retain(|row| !added.contains(&&row.id));
        let own = |note: &Deleted| note.name == what.name && note.backup.is_some() && note.backup == what.backup;
        self.deleted.retain(|note| !own(note) || before.notes.contains(note));
        for note in &before.notes {
            if !self.deleted.contains(note) {
                let at = self.deleted.iter().position(|other| row::after(&other.at, &note.at));
                self.deleted.insert(at.unwrap_or(self.deleted.len()), note.clone());
            }
        }
        self.sort();
        self.cover();
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{NOW, good, sample};
    use super::*;

    const LATER: &str = "2026-03-01T00:00:00Z";
    const LAST: &str = "2026-03-02T00:00:00Z";

    fn ids(ids: &[&str]) -> Vec<String> {
        ids.iter().map(ToString::to_string).collect()
    }

    fn upsert(name: &str, cli: &str, at: &str) -> Op {
        Op::UpsertSkill { name: name.into(), clis: ids(&[cli]), at: at.into() }
    }

    fn remove(name: &str, backup: Option<&str>, at: &str) -> Op {
        Op::RemoveSkill { name: name.into(), clis: vec![], at: at.into(), backup: backup.map(str::to_owned) }
    }

    fn reversal(name: &str, before: &Before, removed: &[&str], restored: &[&str], backup: Option<&str>) -> Op {
        let (removed, restored, backup) = (ids(removed), ids(restored), backup.map(str::to_owned));
        let before = before.clone();
        Op::Reverse(Box::new(Reversal { name: name.into(), removed, restored, at: LAST.into(), before, backup }))
    }

    fn applied(registry: &Registry, op: &Op, at: &str) -> Registry {
        good(&apply(registry.render().as_bytes(), std::slice::from_ref(op), at).unwrap())
    }

    #[test]
    fn a_replayed_list_changes_nothing_and_damage_is_handed_back() {
        let cursor = Op::UpsertClis { clis: vec![CliRow::by_hand("cursor")] };
        let ops = [cursor, upsert("new-skill", "cursor", LATER), remove("review-code", Some("b \"q\".gz"), LATER)];
        let ops: Vec<Op> = serde_json::from_str(&serde_json::to_string(&ops).unwrap()).unwrap();
        let once = apply(sample().render().as_bytes(), &ops, LATER).unwrap();
        assert_eq!(apply(once.as_bytes(), &ops, "2026-04-01T00:00:00Z").unwrap(), once);
        let registry = good(&once);
        assert!(registry.skill("review-code").is_none());
        assert_eq!(registry.deleted[0].backup.as_deref(), Some("b \"q\".gz"));
        assert_eq!((registry.initialized.as_str(), registry.updated.as_str()), (NOW, LATER));
        assert!(matches!(apply(b"", &[], NOW), Err(Parsed::Damaged { .. })));
        assert!(matches!(apply(b"# Mine", &[], NOW), Err(Parsed::Foreign(_))));
    }

    #[test]
    fn a_deletion_may_leave_copies_and_keeps_a_skill_that_came_after() {
        let mut registry = sample();
        registry.remove_skill("review-code", &[], "2020-01-01T00:00:00Z", None);
        assert!(registry.skill("review-code").is_some());
        registry.upsert_skill(&Name::parse("review-code").unwrap(), &ids(&["gemini"]), LATER);
        registry.remove_skill("review-code", &ids(&["claude"]), LATER, None);
        assert_eq!(registry.skill("review-code").unwrap().clis, ["gemini"]);
        registry.remove_skill("review-code", &ids(&["claude"]), LATER, None);
        assert_eq!(registry.deleted.len(), 1);
    }

    #[test]
    fn a_hundred_runs_leave_a_valid_file() {
        let mut text = sample().render();
        for run in 0..300 {
            let at = format!("2026-05-01T00:{:02}:{:02}Z", run / 60, run % 60);
            let name = format!("skill-{run}");
            text = apply(text.as_bytes(), &[upsert(&name, "claude", &at)], &at).unwrap();
            text = apply(text.as_bytes(), &[remove(&name, None, &at)], &at).unwrap();
        }
        assert_eq!(good(&text).deleted.len(), MAX_DELETED);
        assert_eq!(good(&text).skills(), sample().skills());
    }

    #[test]
    fn a_deletion_taken_back_leaves_the_row_as_it_was_and_no_note() {
        let first = sample();
        let before = first.before("review-code", &ids(&["claude"]));
        let deleted = applied(&first, &remove("review-code", Some("b.tar.gz"), LATER), LATER);
        assert_eq!(deleted.deleted.len(), 1);
        let op = reversal("review-code", &before, &[], &["claude"], Some("b.tar.gz"));
        let back = applied(&deleted, &op, LAST);
        assert_eq!((back.skills(), back.clis(), &back.deleted), (first.skills(), first.clis(), &first.deleted));
        assert_eq!(applied(&back, &op, LAST), back, "once more changes nothing");
        let again = deleted.before("review-code", &ids(&["claude"]));
        let redone = applied(&back, &reversal("review-code", &again, &["claude"], &[], None), LAST);
        assert_eq!((redone.skills(), &redone.deleted), (deleted.skills(), &deleted.deleted));
    }

    #[test]
    fn a_creation_taken_back_takes_the_row_of_its_cli_too_unless_another_skill_needs_it() {
        let first = sample();
        let before = first.before("new-skill", &ids(&["cursor"]));
        let created = applied(&first, &upsert("new-skill", "cursor", LATER), LATER);
        let op = reversal("new-skill", &before, &["cursor"], &[], None);
        let back = applied(&created, &op, LAST);
        assert_eq!((back.skills(), back.clis(), &back.deleted), (first.skills(), first.clis(), &first.deleted));
        let back = applied(&applied(&created, &upsert("other-skill", "cursor", LATER), LATER), &op, LAST);
        assert!(back.cli("cursor").is_some() && back.skill("new-skill").is_none());
    }

    #[test]
    fn what_was_entered_since_stays() {
        let first = sample();
        let before = first.before("review-code", &ids(&["claude"]));
        let since = applied(&first, &upsert("review-code", "gemini", LATER), LATER);
        let back = applied(&since, &reversal("review-code", &before, &[], &["claude"], None), LAST);
        let row = back.skill("review-code").unwrap();
        assert_eq!((row.clis.as_slice(), row.modified.as_str()), (ids(&["claude", "gemini"]).as_slice(), LAST));
        assert_eq!(row.created, first.skill("review-code").unwrap().created);
    }
}
