//! The differences between registry and disk, and what to do about each.

use serde::Serialize;

use super::rebuild::Found;
use super::{Registry, SkillRow, Status};
use crate::skill::Name;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A skills directory without a row.
    OrphanedCli,
    /// A row whose skills directory is gone.
    MissingCli,
    /// A skill on disk without a row, or in a CLI missing in its row.
    OrphanedSkill,
    /// A row whose skill is not on disk.
    MissingSkill,
    /// A CLI with another version than in its row.
    VersionMismatch,
    /// A copy that was edited since it was installed.
    EditedSkill,
    /// A copy of an older version than another one.
    OutdatedSkill,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Drift {
    pub kind: Kind,
    pub cli: String,
    pub skill: Option<String>,
    /// What differs, in one sentence.
    pub what: String,
    /// What to do about it, in one sentence.
    pub action: String,
}

/// Compares the registry with the disk; sorted by kind, in table order.
pub fn drift(registry: &Registry, found: &Found) -> Vec<Drift> {
    let mut all = Vec::new();
    let mut add = |kind, cli: &str, skill: Option<&Name>, what: String, action: String| {
        all.push(Drift { kind, cli: cli.to_owned(), skill: skill.map(Name::to_string), what, action });
    };
    for cli in &found.clis {
        let Some(row) = registry.cli(&cli.id) else {
            let what = format!("`{}` exists, but MEMORY.md has no row for {}.", cli.skills_dir, cli.id);
            let action = "Run `hefesto detect --force` to record it, or remove the directory.";
            add(Kind::OrphanedCli, &cli.id, None, what, action.to_owned());
            continue;
        };
        if let (Some(known), Some(actual)) = (&row.version, &cli.version)
            && known != actual
        {
            let what = format!("{} is version {actual}, MEMORY.md says {known}.", cli.id);
            let action = "Run `hefesto detect --force` to record the new version.";
            add(Kind::VersionMismatch, &cli.id, None, what, action.to_owned());
        }
    }
    let on_disk = |id: &str| found.clis.iter().any(|cli| cli.id == id);
    for row in registry.clis().iter().filter(|row| row.status != Status::ErrorPermission && !on_disk(&row.id)) {
        let what = format!("MEMORY.md lists {}, but `{}` does not exist.", row.id, row.skills_dir);
        add(Kind::MissingCli, &row.id, None, what, "Run `hefesto init --force` to make it again.".to_owned());
    }
    for SkillRow { name, clis, .. } in &found.skills {
        let known = registry.skill(name.as_str()).map_or(&[][..], |row| &row.clis);
        for id in clis.iter().filter(|id| !known.contains(id)) {
            let what = format!("`{name}` is on disk for {id}, but not in MEMORY.md.");
            let action = format!("`hefesto adopt {name}` records it; `hefesto delete {name} --cli {id}` removes it.");
            add(Kind::OrphanedSkill, id, Some(name), what, action);
        }
    }
    for SkillRow { name, clis, .. } in registry.skills() {
        let here = found.skills.iter().find(|skill| skill.name == *name).map_or(&[][..], |skill| &skill.clis);
        for id in clis.iter().filter(|id| !here.contains(id)) {
            let what = format!("MEMORY.md lists `{name}` for {id}, but it is not on disk.");
            let action = format!("Run `hefesto restore {name}` to bring it back, or `hefesto repair`.");
            add(Kind::MissingSkill, id, Some(name), what, action);
        }
    }
    all.sort_by_key(|drift| drift.kind);
    all
}

#[cfg(test)]
mod tests {
    use super::super::tests::sample;
    use super::*;
    use crate::registry::CliRow;

    fn on_disk() -> Found {
        let sample = sample();
        Found { clis: sample.clis().to_vec(), skills: sample.skills().to_vec() }
    }

    #[test]
    fn agreement_is_silent() {
        assert_eq!(drift(&sample(), &on_disk()), []);
    }

    #[test]
    fn each_kind_is_named_with_an_action() {
        let mut found = on_disk();
        found.clis.retain(|cli| cli.id != "gemini");
        found.clis[0].version = Some("3.0.0".into());
        found.clis.push(CliRow::by_hand("cursor"));
        let by_hand = Name::parse("by-hand").unwrap();
        found.skills[1].name = by_hand.clone();
        let all = drift(&sample(), &found);
        let kinds: Vec<Kind> = all.iter().map(|drift| drift.kind).collect();
        use Kind::{MissingCli, MissingSkill, OrphanedCli, OrphanedSkill, VersionMismatch};
        assert_eq!(kinds, [OrphanedCli, MissingCli, OrphanedSkill, MissingSkill, VersionMismatch]);
        assert_eq!(all[2].skill.as_deref(), Some(by_hand.as_str()));
        assert!(all.iter().all(|drift| drift.action.contains("`hefesto ")));
    }

    #[test]
    fn an_unasked_version_is_no_difference() {
        let mut found = on_disk();
        found.clis.iter_mut().for_each(|cli| cli.version = None);
        assert_eq!(drift(&sample(), &found), []);
    }
}
