//! Qoder CLI: its directories as its documentation says in November 2026; not run.

use super::*;

pub(super) const RECORD: Record = Record {
    id: "qoder",
    title: "Qoder CLI",
    binaries: &["qodercli"],
    home_dirs: &[".qoder"],
    project_marks: &[".qoder"],
    skills_dir: ".qoder/skills",
    reads: Reads { project: &[".qoder/skills"], user: &[home(".qoder/skills")], ..Reads::TYPICAL },
    ..Record::TYPICAL
};
