//! Continue: its directories as its documentation says in November 2026; not run.

use super::*;

pub(super) const RECORD: Record = Record {
    id: "continue",
    title: "Continue",
    binaries: &["cn"],
    home_dirs: &[".continue"],
    project_marks: &[".continue"],
    skills_dir: ".continue/skills",
    reads: Reads { project: &[".continue/skills"], user: &[home(".continue/skills")], ..Reads::TYPICAL },
    ..Record::TYPICAL
};
