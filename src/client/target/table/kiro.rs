//! Kiro: its directories as its documentation says in November 2026; not run.

use super::*;

pub(super) const RECORD: Record = Record {
    id: "kiro",
    title: "Kiro",
    binaries: &["kiro-cli", "kiro"],
    home_dirs: &[".kiro"],
    project_marks: &[".kiro"],
    skills_dir: ".kiro/skills",
    reads: Reads { project: &[".kiro/skills"], user: &[home(".kiro/skills")], ..Reads::TYPICAL },
    ..Record::TYPICAL
};
