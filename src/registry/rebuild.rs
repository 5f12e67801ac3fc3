//! Makes a registry from the usable parts of a file and from what is on disk.

use super::split::Kept;
use super::{CliRow, Registry, SkillRow, Status, timestamp};

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
        let Kept { shell, head, initialized, clis, skills, deleted } = kept;
        let initialized = initialized.unwrap_or_else(|| now.to_owned());
        let updated = timestamp::later(now, &initialized).to_owned();
        let mut registry =
            Self { shell, head, version: version.to_owned(), initialized, updated, clis, skills, deleted };
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
                    created: timestamp::earlier(&skill.created, &skill.modified).to_owned(),
                    modified: timestamp::later(&skill.modified, &skill.created).to_owned(),
                    ..skill.clone()
                }),
                None => {}
            }
        }
        self.sort();
        self.cover();
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{NOW, sample};
    use super::*;
    use crate::registry::Parsed;
    use crate::skill::Name;

    #[test]
    fn an_empty_file_is_rebuilt_from_disk() {
        let Parsed::Damaged { kept, .. } = Registry::parse(b"") else { panic!() };
        let skill = SkillRow {
            name: Name::parse("on-disk").unwrap(),
            clis: vec!["qwen".into(), "claude".into()],
            created: "2026-01-02T00:00:00Z".into(),
            modified: "2026-01-01T00:00:00Z".into(),
        };
        let found = Found { clis: vec![CliRow::by_hand("claude")], skills: vec![skill] };
        let registry = Registry::rebuild(*kept, &found, "0.1.0", NOW);
        assert_eq!(registry.skills()[0].clis, ["claude", "qwen"]);
        assert_eq!(registry.skills()[0].created, "2026-01-01T00:00:00Z");
        assert_eq!(registry.cli("qwen").map(|row| row.status), Some(Status::Manual));
        assert!(matches!(Registry::parse(registry.render().as_bytes()), Parsed::Good(_)));
    }

    #[test]
    fn rows_that_could_be_read_win_over_the_disk() {
        let text = sample().render().replace("<!-- hefesto:end -->", "");
        let Parsed::Damaged { kept, .. } = Registry::parse(text.as_bytes()) else { panic!() };
        let mut found = Found::default();
        let name = Name::parse("review-code").unwrap();
        let late = "2027-01-01T00:00:00Z".to_owned();
        found.skills.push(SkillRow { name, clis: vec!["gemini".into()], created: late.clone(), modified: late });
        let registry = Registry::rebuild(*kept, &found, "0.1.0", NOW);
        assert_eq!(registry.skill("review-code").unwrap().created, sample().skill("review-code").unwrap().created);
        assert_eq!(registry.skill("review-code").unwrap().clis, ["claude", "gemini"]);
    }

    #[test]
    fn following_the_disk_changes_only_the_rows_that_disagree() {
        let mut registry = sample();
        let skill = |name: &str, clis: &[&str]| SkillRow {
            name: Name::parse(name).unwrap(),
            clis: clis.iter().map(ToString::to_string).collect(),
            created: NOW.into(),
            modified: NOW.into(),
        };
        let mut found = Found { clis: sample().clis().to_vec(), skills: Vec::new() };
        found.skills = vec![skill("format-dates", &["claude", "gemini"]), skill("review-code", &["claude"])];
        registry.follow(&found, "2026-03-01T00:00:00Z");
        assert_eq!(registry, sample());
        found.skills = vec![skill("format-dates", &["gemini"]), skill("by-hand", &["claude"])];
        found.clis.retain(|row| row.id == "gemini");
        registry.follow(&found, "2026-03-01T00:00:00Z");
        let names: Vec<&str> = registry.skills().iter().map(|row| row.name.as_str()).collect();
        assert_eq!(names, ["by-hand", "format-dates"]);
        assert_eq!(registry.skill("format-dates").unwrap().clis, ["gemini"]);
        assert_eq!(registry.deleted, [], "nobody deleted anything");
        assert_eq!(registry.last_updated(), "2026-03-01T00:00:00Z");
        let ids: Vec<&str> = registry.clis().iter().map(|row| row.id.as_str()).collect();
        assert_eq!(ids, ["claude", "gemini"], "a skill still names it");
    }
}
