//! Undoing a run in the registry: the state before it, and how to restore it.

use serde::{Deserialize, Serialize};

use super::{CliRow, Deleted, Registry, SkillRow, timestamp};
use crate::skill::Name;

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
    /// By name.
    Several(Vec<(String, Before)>),
}

impl BeforeRun {
    /// The directories that were missing, outermost first.
    pub fn missing(&self) -> Vec<String> {
        let all = match self {
            Self::One(before) => std::slice::from_ref(before).iter().collect(),
            Self::Several(all) => all.iter().map(|(_, before)| before).collect::<Vec<_>>(),
        };
        let mut missing: Vec<String> = all.into_iter().flat_map(|before| before.missing.iter().cloned()).collect();
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
        super::row::in_table_order(&mut clis);
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
                    let modified = timestamp::later(modified, &what.at).to_owned();
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
                let at = self.deleted.iter().position(|other| timestamp::after(&other.at, &note.at));
                self.deleted.insert(at.unwrap_or(self.deleted.len()), note.clone());
            }
        }
        self.sort();
        self.cover();
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{good, sample};
    use super::super::{Op, apply};
    use super::*;

    const LATER: &str = "2026-03-01T00:00:00Z";
    const LAST: &str = "2026-03-02T00:00:00Z";

    fn ids(ids: &[&str]) -> Vec<String> {
        ids.iter().map(ToString::to_string).collect()
    }

    fn applied(registry: &Registry, op: &Op, at: &str) -> Registry {
        good(&apply(registry.render().as_bytes(), std::slice::from_ref(op), at).unwrap())
    }

    fn reversal(name: &str, before: &Before, removed: &[&str], restored: &[&str], backup: Option<&str>) -> Op {
        Op::Reverse(Box::new(Reversal {
            name: name.into(),
            removed: ids(removed),
            restored: ids(restored),
            at: LAST.into(),
            before: before.clone(),
            backup: backup.map(str::to_owned),
        }))
    }

    #[test]
    fn a_deletion_taken_back_leaves_the_row_as_it_was_and_no_note() {
        let first = sample();
        let before = first.before("review-code", &ids(&["claude"]));
        let (name, backup) = ("review-code".into(), Some("b.tar.gz".into()));
        let delete = Op::RemoveSkill { name, clis: vec![], at: LATER.into(), backup };
        let deleted = applied(&first, &delete, LATER);
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
        let create = Op::UpsertSkill { name: "new-skill".into(), clis: ids(&["cursor"]), at: LATER.into() };
        let created = applied(&first, &create, LATER);
        let op = reversal("new-skill", &before, &["cursor"], &[], None);
        let back = applied(&created, &op, LAST);
        assert_eq!((back.skills(), back.clis(), &back.deleted), (first.skills(), first.clis(), &first.deleted));
        let other = Op::UpsertSkill { name: "other-skill".into(), clis: ids(&["cursor"]), at: LATER.into() };
        let back = applied(&applied(&created, &other, LATER), &op, LAST);
        assert!(back.cli("cursor").is_some() && back.skill("new-skill").is_none());
    }

    #[test]
    fn what_was_entered_since_stays() {
        let first = sample();
        let before = first.before("review-code", &ids(&["claude"]));
        let more = Op::UpsertSkill { name: "review-code".into(), clis: ids(&["gemini"]), at: LATER.into() };
        let back =
            applied(&applied(&first, &more, LATER), &reversal("review-code", &before, &[], &["claude"], None), LAST);
        let row = back.skill("review-code").unwrap();
        assert_eq!((row.clis.as_slice(), row.modified.as_str()), (ids(&["claude", "gemini"]).as_slice(), LAST));
        assert_eq!(row.created, first.skill("review-code").unwrap().created);
    }
}
