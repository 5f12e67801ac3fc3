//! Trae: its directories as its documentation says in November 2026; not run.

use super::*;

pub(super) const RECORD: Record = Record {
    id: "trae",
    title: "Trae",
    binaries: &["trae"],
    home_dirs: &[".trae"],
    project_marks: &[".trae"],
    skills_dir: ".trae/skills",
    reads: Reads { project: &[".trae/skills"], user: &[home(".trae/skills")], ..Reads::TYPICAL },
    ..Record::TYPICAL
};
