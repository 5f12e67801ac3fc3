//! The parts of a MEMORY.md that are not hefesto's, and the usable parts of a damaged one.

use super::{CliRow, Deleted, SkillRow};
use crate::skill::keyed::Keyed;

/// The bytes around hefesto's block, and the line end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Shell {
    /// Whether the file begins with a byte order mark.
    pub(super) bom: bool,
    /// Whether hefesto's own lines end in CR LF, as the file's first line does.
    pub(super) crlf: bool,
    /// Between the frontmatter and the begin marker.
    pub(super) before: String,
    pub(super) after: String,
}

impl Shell {
    /// The text of a new file.
    pub(super) fn new(bom: bool, crlf: bool) -> Self {
        let nl = if crlf { "\r\n" } else { "\n" };
        Self { bom, crlf, before: format!("{nl}# Project state{nl}{nl}"), after: nl.to_owned() }
    }

    pub(super) fn nl(&self) -> &'static str {
        if self.crlf { "\r\n" } else { "\n" }
    }
}

impl Default for Shell {
    fn default() -> Self {
        Self::new(false, false)
    }
}

/// The usable parts of a file that is no valid registry: every byte that is not hefesto's, and every valid row.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Kept {
    pub(super) shell: Shell,
    pub(super) head: Keyed,
    pub(super) initialized: Option<String>,
    pub(super) clis: Vec<CliRow>,
    pub(super) skills: Vec<SkillRow>,
    pub(super) deleted: Vec<Deleted>,
}
