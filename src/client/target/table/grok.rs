//! Grok CLI: its directories as its documentation says in November 2026; not run.

use super::*;

pub(super) const RECORD: Record = Record {
    id: "grok",
    title: "Grok CLI",
    binaries: &["grok"],
    home_dirs: &[".grok"],
    project_marks: &[".grok"],
    skills_dir: ".grok/skills",
    reads: Reads { project: &[".grok/skills"], user: &[home(".grok/skills")], ..Reads::TYPICAL },
    ..Record::TYPICAL
};
