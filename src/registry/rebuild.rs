//! Makes a registry from what can be kept of a file and from what is on disk.

use super::keep::Kept;
use super::{CliRow, Registry, SkillRow, when};
use crate::skill::Name;

/// A skill that stands on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundSkill {
    /// Its directory's name.
    pub name: Name,
    /// The CLIs whose skills directories hold it.
    pub clis: Vec<String>,
    /// When it was created, RFC 3339: from its metadata, else from the file's time.
    pub created: String,
    /// When it was last changed, RFC 3339.
    pub modified: String,
}

/// What is on disk.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Found {
    /// Every CLI whose skills directory exists, with what detection says about it.
    pub clis: Vec<CliRow>,
    /// Every skill in those directories.
    pub skills: Vec<FoundSkill>,
}

/// See [`Registry::rebuild`].
pub(super) fn rebuild(kept: Kept, found: &Found, version: &str, now: &str) -> Registry {
    let mut registry = Registry {
        shell: kept.shell,
        head: kept.head,
        version: version.to_owned(),
        initialized: kept.initialized.unwrap_or_else(|| now.to_owned()),
        updated: now.to_owned(),
        clis: kept.clis,
        skills: kept.skills,
        deleted: kept.deleted,
    };
    registry.updated = when::later(&registry.updated, &registry.initialized).to_owned();
    for row in &found.clis {
        if registry.cli(&row.id).is_none() {
            registry.clis.push(row.clone());
        }
    }
    for skill in &found.skills {
        match registry.skills.iter_mut().find(|row| row.name == skill.name) {
            Some(row) => row.clis.extend(skill.clis.iter().cloned()),
            None if !skill.clis.is_empty() => registry.skills.push(SkillRow {
                name: skill.name.clone(),
                clis: skill.clis.clone(),
                created: when::earlier(&skill.created, &skill.modified).to_owned(),
                modified: when::later(&skill.modified, &skill.created).to_owned(),
            }),
            None => {}
        }
    }
    registry.sort();
    registry.cover();
    registry
}

#[cfg(test)]
mod tests {
    use super::super::tests::{NOW, sample};
    use super::*;
    use crate::registry::{Parsed, Status};

    #[test]
    fn an_empty_file_is_rebuilt_from_disk() {
        let Parsed::Damaged { kept, .. } = Registry::parse(b"") else { panic!() };
        let skill = FoundSkill {
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
        found.skills.push(FoundSkill { name, clis: vec!["gemini".into()], created: late.clone(), modified: late });
        let registry = Registry::rebuild(*kept, &found, "0.1.0", NOW);
        assert_eq!(registry.skill("review-code").unwrap().created, sample().skill("review-code").unwrap().created);
        assert_eq!(registry.skill("review-code").unwrap().clis, ["claude", "gemini"]);
    }
}
