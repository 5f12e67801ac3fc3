//! The registry, MEMORY.md: the CLIs of a project and their skills. Text in, text out.
//!
//! hefesto owns the frontmatter and the block between its two markers. Every other byte is preserved, including line
//! ends and byte order mark.

pub mod audit;
pub mod constitution;
mod copy_state;
mod drift;
mod op;
pub mod oplog;
mod parse;
mod render;
mod row;
mod split;
pub mod standards;
mod table;

use crate::error::{Code, Error};
use crate::skill::Name;
use crate::skill::keyed::Keyed;

pub use copy_state::{CopyState, Evidence, copy_state};
pub use drift::{Drift, Found, Kind, drift};
pub use op::{Before, BeforeRun, MAX_DELETED, Op, Reversal, apply};
pub use parse::MAX_BYTES;
pub use row::{CliRow, Deleted, Method, SkillRow, Status, is_cli_id};
use split::Shell;
pub use split::{BEGIN, END, Kept};

/// The version of this hefesto.
pub const OURS: &str = env!("CARGO_PKG_VERSION");

/// A problem in a line of the file.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Problem {
    /// 1-based line of the file.
    pub line: usize,
    /// What is wrong, without the values of others.
    pub what: String,
}

/// The result of reading a MEMORY.md.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Parsed {
    Good(Box<Registry>),
    /// hefesto's, but damaged: to be backed up and rebuilt with [`Registry::rebuild`] (ERR-002).
    Damaged {
        /// All problems, at least one.
        why: Vec<Problem>,
        kept: Box<Kept>,
    },
    /// Somebody else's: neither our frontmatter nor our markers. The project is not initialised; `init` adopts the
    /// file with [`Registry::rebuild`].
    Foreign(Box<Kept>),
    /// Written by a hefesto of a later major version: must not be changed.
    Newer {
        version: String,
    },
    /// Must not be changed: conflict markers, not UTF-8, or more than [`MAX_BYTES`].
    Refused {
        why: String,
        /// 1-based line.
        line: usize,
    },
}

impl Parsed {
    /// The error for a file that must not be changed; `path` is its path for display.
    pub fn refusal(&self, path: &str) -> Option<Error> {
        match self {
            Self::Refused { why, line } => Some(
                Error::new(Code::MemoryCorrupt, format!("{path}, line {line}: {why}; the file was left as it is"))
                    .suggest(format!("Fix line {line} by hand, or run `hefesto repair` to rebuild it from disk.")),
            ),
            Self::Newer { version } => Some(
                Error::new(Code::MemoryCorrupt, format!("{path} was written by hefesto {version}, this is {OURS}"))
                    .suggest("Use a hefesto of that version or a later one."),
            ),
            _ => None,
        }
    }
}

/// A project's registry, with everything needed to write its file again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Registry {
    shell: Shell,
    head: Keyed,
    /// The version of hefesto in the file.
    pub version: String,
    /// When the project was initialised, RFC 3339.
    pub initialized: String,
    /// When the registry was last changed, RFC 3339.
    pub updated: String,
    clis: Vec<CliRow>,
    skills: Vec<SkillRow>,
    deleted: Vec<Deleted>,
}

impl Registry {
    /// The registry of a project initialised now (RFC 3339 UTC) by this version.
    pub fn fresh(version: &str, now: &str) -> Self {
        Self::rebuild(Kept::default(), &Found::default(), version, now)
    }

    /// The kept parts with the version of hefesto, and the times of initialisation and of the last change.
    fn of(kept: Kept, version: String, initialized: String, updated: String) -> Self {
        let Kept { shell, head, clis, skills, deleted, .. } = kept;
        Self { shell, head, version, initialized, updated, clis, skills, deleted }
    }

    /// The CLIs, in table order.
    pub fn clis(&self) -> &[CliRow] {
        &self.clis
    }

    pub fn skills(&self) -> &[SkillRow] {
        &self.skills
    }

    pub fn cli(&self, id: &str) -> Option<&CliRow> {
        self.clis.iter().find(|row| row.id == id)
    }

    pub fn skill(&self, name: &str) -> Option<&SkillRow> {
        self.skills.iter().find(|row| row.name.as_str() == name)
    }

    /// Adds a CLI or replaces its row. A row without a version keeps the known version.
    pub fn upsert_cli(&mut self, mut row: CliRow) {
        match self.clis.iter_mut().find(|known| known.id == row.id) {
            Some(known) => {
                row.version = row.version.or_else(|| known.version.take());
                *known = row;
            }
            None => self.clis.push(row),
        }
        self.sort();
    }

    /// Sets the CLIs, versions included. Others are kept only if a skill names them.
    pub fn set_clis(&mut self, mut rows: Vec<CliRow>) {
        let named = |id: &String| self.skills.iter().any(|skill| skill.clis.contains(id));
        rows.extend(self.clis.iter().filter(|row| named(&row.id)).cloned());
        self.clis.clear();
        for row in rows {
            if self.cli(&row.id).is_none() {
                self.clis.push(row);
            }
        }
        self.sort();
    }

    /// Adds a skill, or adds CLIs to its row. The creation time does not change. Without any CLI nothing happens.
    pub fn upsert_skill(&mut self, name: &Name, clis: &[String], now: &str) {
        let mut all = self.skill(name.as_str()).map_or_else(Vec::new, |row| row.clis.clone());
        all.extend_from_slice(clis);
        self.set_skill_clis(name, &all, now);
    }

    /// Adds a skill, or sets the CLIs of its row. Without any CLI nothing happens.
    pub fn set_skill_clis(&mut self, name: &Name, clis: &[String], now: &str) {
        let clis: Vec<String> = clis.iter().filter(|id| is_cli_id(id)).cloned().collect();
        if clis.is_empty() {
            return;
        }
        match self.skills.iter_mut().find(|row| row.name == *name) {
            Some(row) => {
                row.clis = clis;
                row.modified = row::later(&row.modified, now).to_owned();
            }
            None => self.skills.push(SkillRow { name: name.clone(), clis, created: now.into(), modified: now.into() }),
        }
        self.sort();
        self.cover();
    }

    /// Sets the time of the last change (RFC 3339 UTC); it never goes back.
    pub fn touch(&mut self, now: &str) {
        self.updated = row::later(&self.updated, now).to_owned();
    }

    /// Sorts the rows in the order of the file.
    fn sort(&mut self) {
        self.clis.sort_by(|a, b| row::rank(&a.id).cmp(&row::rank(&b.id)));
        self.skills.sort_by(|a, b| a.name.cmp(&b.name));
        for skill in &mut self.skills {
            row::in_table_order(&mut skill.clis);
        }
    }

    /// Adds a row for every CLI that a skill names.
    fn cover(&mut self) {
        let named: Vec<String> = self.skills.iter().flat_map(|skill| skill.clis.iter().cloned()).collect();
        for id in named {
            if self.cli(&id).is_none() {
                self.clis.push(CliRow::by_hand(&id));
            }
        }
        self.sort();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) const NOW: &str = "2026-02-04T10:00:00Z";

    pub(super) fn good(text: &str) -> Registry {
        match Registry::parse(text.as_bytes()) {
            Parsed::Good(registry) => *registry,
            other => panic!("{other:?}\n{text}"),
        }
    }

    /// Two CLIs and two skills.
    pub(super) fn sample() -> Registry {
        let mut registry = Registry::fresh("0.1.0", NOW);
        registry.upsert_cli(CliRow {
            id: "claude".into(),
            method: Method::Path,
            skills_dir: ".claude/skills".into(),
            version: Some("2.0.1 (a|b)".into()),
            status: Status::Active,
        });
        registry.upsert_cli(CliRow { status: Status::WarningNoPath, ..CliRow::by_hand("gemini") });
        registry.upsert_skill(&Name::parse("review-code").unwrap(), &["claude".into()], NOW);
        registry.upsert_skill(&Name::parse("format-dates").unwrap(), &["gemini".into(), "claude".into()], NOW);
        registry
    }

    #[test]
    fn a_second_create_keeps_the_day_of_the_first() {
        let mut registry = sample();
        let name = Name::parse("review-code").unwrap();
        registry.upsert_skill(&name, &["codex".into()], "2026-03-01T00:00:00Z");
        let row = registry.skill("review-code").unwrap();
        assert_eq!((row.created.as_str(), row.modified.as_str()), (NOW, "2026-03-01T00:00:00Z"));
        assert_eq!(row.clis, ["claude", "codex"]);
        assert_eq!(registry.cli("codex").map(|row| row.method), Some(Method::Manual));
    }

    #[test]
    fn detection_without_versions_forgets_none() {
        let mut registry = sample();
        registry.upsert_cli(CliRow { version: None, ..registry.cli("claude").unwrap().clone() });
        assert_eq!(registry.cli("claude").unwrap().version.as_deref(), Some("2.0.1 (a|b)"));
        registry.set_clis(vec![]);
        assert_eq!(registry.clis().len(), 2, "skills still name them");
    }

    #[test]
    fn refusals_name_the_line() {
        let error = Registry::parse(b"---\n<<<<<<< a\n").refusal("MEMORY.md").unwrap();
        assert!(error.message().contains("line 2"), "{error}");
        assert!(Registry::parse(b"# x\n").refusal("MEMORY.md").is_none());
    }
}
