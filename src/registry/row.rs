//! The rows of MEMORY.md: a CLI, a skill, the note of a deleted skill; and their points in time, RFC 3339 text that is
//! compared as instants.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::client::target::Targets;
use crate::skill::Name;

word_enum! {
    /// How a CLI was found.
    Method {
        /// Its binary is on PATH.
        Path = "PATH",
        ConfigDirectory = "config_directory",
        /// It was named by a person.
        Manual = "manual",
    }
}

impl Method {
    /// For people, below `FOUND BY`.
    pub fn said(self) -> &'static str {
        match self {
            Self::Path => "program",
            Self::ConfigDirectory => "directory",
            Self::Manual => "-",
        }
    }
}

impl Status {
    /// For people.
    pub fn said(self) -> &'static str {
        match self {
            Self::Active => "ready",
            Self::WarningNoPath => "no program on PATH",
            Self::ErrorPermission => "directory not writable",
            Self::Manual => "named by you",
        }
    }
}

word_enum! {
    Status {
        /// Binary and directory exist.
        Active = "active",
        /// Configured, but no binary on PATH.
        WarningNoPath = "warning_no_path",
        /// Its skills directory cannot be written.
        ErrorPermission = "error_permission",
        /// Named by a person, not detected.
        Manual = "manual",
    }
}

/// A row of `## Detected CLIs`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CliRow {
    pub id: String,
    pub method: Method,
    /// Its skills directory, relative to the project root, `/` between components.
    pub skills_dir: String,
    /// Its version as printed; none when it was not queried or did not answer.
    pub version: Option<String>,
    pub status: Status,
}

impl CliRow {
    /// The row for a CLI with only an id: named by hand, with the directory of the built-in table.
    pub fn by_hand(id: &str) -> Self {
        let known = Targets::with(Vec::new()).get(id).map(|target| target.skills_dir.clone());
        Self {
            id: id.to_owned(),
            method: Method::Manual,
            skills_dir: known.unwrap_or_else(|| format!(".{id}/skills")),
            version: None,
            status: Status::Manual,
        }
    }
}

/// A row of `## Skill Registry`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkillRow {
    pub name: Name,
    /// The ids of the CLIs that have a copy, in table order, at least one.
    pub clis: Vec<String>,
    /// When it was created, RFC 3339.
    pub created: String,
    /// When it was last changed, RFC 3339, not before `created`.
    pub modified: String,
}

/// An entry of `skills_deleted` in the frontmatter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Deleted {
    pub name: String,
    /// The CLIs it was removed from.
    pub clis: Vec<String>,
    /// When, RFC 3339.
    pub at: String,
    /// The archive it can be restored from, relative to the project root.
    #[serde(default)]
    pub backup: Option<String>,
}

/// Whether the text can be a CLI's id: lowercase ASCII letters, digits, hyphens and underscores.
pub fn is_cli_id(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= 64
        && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-' || b == b'_')
}

/// Sorts ids in the order of the target table, other ids after them alphabetically, without duplicates.
pub(super) fn in_table_order(ids: &mut Vec<String>) {
    ids.sort_by(|a, b| rank(a).cmp(&rank(b)));
    ids.dedup();
}

/// The sort key of an id: built-in ones by their position in the table.
pub(super) fn rank(id: &str) -> (usize, &str) {
    (crate::client::target::TABLE.iter().position(|row| row.id == id).unwrap_or(usize::MAX), id)
}

/// The instant the text names; none when it is not RFC 3339.
pub(super) fn instant(text: &str) -> Option<Timestamp> {
    text.parse().ok().filter(|_| text.len() <= 40 && text.starts_with(|c: char| c.is_ascii_digit()))
}

/// The later of two; the first when they are the same instant or cannot be compared.
pub(super) fn later<'a>(first: &'a str, second: &'a str) -> &'a str {
    // Nothing is before every instant.
    if instant(second) > instant(first) { second } else { first }
}

/// The earlier of two; the first when they are the same instant or cannot be compared.
pub(super) fn earlier<'a>(first: &'a str, second: &'a str) -> &'a str {
    let is_earlier = instant(second).is_some_and(|second| instant(first).is_none_or(|first| second < first));
    if is_earlier { second } else { first }
}

/// Whether the first is a later instant than the second.
pub(super) fn after(first: &str, second: &str) -> bool {
    matches!((instant(first), instant(second)), (Some(a), Some(b)) if a > b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_have_the_known_directory_and_their_ids_the_order_of_the_table() {
        assert_eq!(CliRow::by_hand("copilot").skills_dir, ".github/skills");
        assert_eq!(CliRow::by_hand("zed").skills_dir, ".zed/skills");
        let mut ids: Vec<String> = ["zed", "gemini", "acme", "claude", "gemini"].map(String::from).into();
        in_table_order(&mut ids);
        assert_eq!(ids, ["claude", "gemini", "acme", "zed"]);
    }

    #[test]
    fn instants_are_compared_not_texts() {
        assert_eq!(later("2026-02-04T10:00:00Z", "2026-02-04T09:30:00-01:00"), "2026-02-04T09:30:00-01:00");
        assert_eq!(earlier("2026-02-04T10:00:00Z", "2026-02-03T10:00:00Z"), "2026-02-03T10:00:00Z");
        for bad in ["yesterday", "2026-02-30T00:00:00Z", "2026-02-04"] {
            assert!(instant(bad).is_none(), "{bad}");
        }
    }
}
