//! Drift: what differs between the registry and the disk, what to do about it, and a registry made of what is on disk.

use serde::Serialize;

use super::split::Kept;
use super::{CliRow, Registry, SkillRow, Status, row};
use crate::skill::Name;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Found {
    /// Every CLI whose skills directory exists, with its detection result.
    pub clis: Vec<CliRow>,
    /// Every skill in those directories, with the times of its metadata, else of its files, in whatever order they are.
    pub skills: Vec<SkillRow>,
}

impl Registry {
    /// Makes a registry from the usable parts of a damaged or foreign file and from what is on disk. Readable rows are
    /// kept; what is on disk is added; a CLI that only a skill names gets a row "by hand".
    pub fn rebuild(kept: Kept, found: &Found, version: &str, now: &str) -> Self {
        let initialized = kept.initialized.clone().unwrap_or_else(|| now.to_owned());
        let updated = row::later(now, &initialized).to_owned();
        let mut registry = Self::of(kept, version.to_owned(), initialized, updated);
        registry.add(found);
        registry
    }

    /// Updates the rows to what is on disk: existing skills and CLIs get rows, missing ones lose them.
    /// Rows that agree are unchanged, and so is a CLI whose directory could not be created.
    pub fn follow(&mut self, found: &Found, now: &str) {
        let before = self.clone();
        self.skills.retain_mut(|row| {
            let skill = found.skills.iter().find(|skill| skill.name == row.name && !skill.clis.is_empty());
            skill.inspect(|skill| row.clis.clone_from(&skill.clis)).is_some()
        });
        let named = |id: &str| found.skills.iter().any(|skill| skill.clis.iter().any(|cli| cli == id));
        let there = |id: &str| found.clis.iter().any(|cli| cli.id == id);
        self.clis.retain(|row| there(&row.id) || named(&row.id) || row.status == Status::ErrorPermission);
        self.add(found);
        if *self != before {
            self.touch(now);
        }
    }

    /// Adds rows for what is on disk without a row.
    fn add(&mut self, found: &Found) {
        for row in &found.clis {
            if self.cli(&row.id).is_none() {
                self.clis.push(row.clone());
            }
        }
        for skill in &found.skills {
            match self.skills.iter_mut().find(|row| row.name == skill.name) {
                Some(row) => row.clis.extend(skill.clis.iter().cloned()),
                None if !skill.clis.is_empty() => self.skills.push(SkillRow {
                    created: row::earlier(&skill.created, &skill.modified).to_owned(),
                    modified: row::later(&skill.modified, &skill.created).to_owned(),
                    ..skill.clone()
                }),
                None => {}
            }
        }
        self.sort();
        self.cover();
    }
}

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
    use super::super::tests::{NOW, sample};
    use super::*;
    use crate::registry::Parsed;

    fn skill(name: &str, clis: &[&str], created: &str, modified: &str) -> SkillRow {
        let clis = clis.iter().map(ToString::to_string).collect();
        SkillRow { name: Name::parse(name).unwrap(), clis, created: created.into(), modified: modified.into() }
    }

    fn rebuilt(damaged: &str, found: &Found) -> Registry {
        let Parsed::Damaged { kept, .. } = Registry::parse(damaged.as_bytes()) else { panic!() };
        Registry::rebuild(*kept, found, "0.1.0", NOW)
    }

    #[test]
    fn an_empty_file_is_rebuilt_from_disk_and_rows_that_could_be_read_win_over_it() {
        let on_disk = skill("on-disk", &["qwen", "claude"], "2026-01-02T00:00:00Z", "2026-01-01T00:00:00Z");
        let registry = rebuilt("", &Found { clis: vec![CliRow::by_hand("claude")], skills: vec![on_disk] });
        assert_eq!(registry.skills()[0].clis, ["claude", "qwen"]);
        assert_eq!(registry.skills()[0].created, "2026-01-01T00:00:00Z");
        assert_eq!(registry.cli("qwen").map(|row| row.status), Some(Status::Manual));
        assert!(matches!(Registry::parse(registry.render().as_bytes()), Parsed::Good(_)));
        let late = skill("review-code", &["gemini"], "2027-01-01T00:00:00Z", "2027-01-01T00:00:00Z");
        let text = sample().render().replace("<!-- hefesto:end -->", "");
        let registry = rebuilt(&text, &Found { skills: vec![late], ..Found::default() });
        let row = registry.skill("review-code").unwrap();
        assert_eq!(row.created, sample().skill("review-code").unwrap().created);
        assert_eq!(row.clis, ["claude", "gemini"]);
    }

    #[test]
    fn following_the_disk_changes_only_the_rows_that_disagree() {
        const LATER: &str = "2026-03-01T00:00:00Z";
        let mut registry = sample();
        let skill = |name: &str, clis: &[&str]| skill(name, clis, NOW, NOW);
        let mut found = Found { clis: sample().clis().to_vec(), skills: Vec::new() };
        found.skills = vec![skill("format-dates", &["claude", "gemini"]), skill("review-code", &["claude"])];
        registry.follow(&found, LATER);
        assert_eq!(registry, sample());
        found.skills = vec![skill("format-dates", &["gemini"]), skill("by-hand", &["claude"])];
        found.clis.retain(|row| row.id == "gemini");
        registry.follow(&found, LATER);
        let names: Vec<&str> = registry.skills().iter().map(|row| row.name.as_str()).collect();
        assert_eq!(names, ["by-hand", "format-dates"]);
        assert_eq!(registry.skill("format-dates").unwrap().clis, ["gemini"]);
        assert_eq!(registry.deleted, [], "nobody deleted anything");
        assert_eq!(registry.updated, LATER);
        let ids: Vec<&str> = registry.clis().iter().map(|row| row.id.as_str()).collect();
        assert_eq!(ids, ["claude", "gemini"], "a skill still names it");
    }

    #[test]
    fn each_kind_of_difference_is_named_with_an_action() {
        use Kind::{MissingCli, MissingSkill, OrphanedCli, OrphanedSkill, VersionMismatch};
        let mut found = Found { clis: sample().clis().to_vec(), skills: sample().skills().to_vec() };
        assert_eq!(drift(&sample(), &found), []);
        found.clis.iter_mut().for_each(|cli| cli.version = None);
        assert_eq!(drift(&sample(), &found), [], "a version that was not asked for");
        found.clis.retain(|cli| cli.id != "gemini");
        found.clis[0].version = Some("3.0.0".into());
        found.clis.push(CliRow::by_hand("cursor"));
        found.skills[1].name = Name::parse("by-hand").unwrap();
        let all = drift(&sample(), &found);
        let kinds: Vec<Kind> = all.iter().map(|drift| drift.kind).collect();
        assert_eq!(kinds, [OrphanedCli, MissingCli, OrphanedSkill, MissingSkill, VersionMismatch]);
        assert_eq!(all[2].skill.as_deref(), Some("by-hand"));
        assert!(all.iter().all(|drift| drift.action.contains("`hefesto ")));
    }
}
