//! Junie: its directories as its documentation says in November 2026; not run.

use super::*;

pub(super) const RECORD: Record = Record {
    id: "junie",
    title: "Junie",
    binaries: &["junie"],
    home_dirs: &[".junie"],
    project_marks: &[".junie"],
    skills_dir: ".junie/skills",
    reads: Reads { project: &[".junie/skills"], user: &[home(".junie/skills")], ..Reads::TYPICAL },
    ..Record::TYPICAL
};
