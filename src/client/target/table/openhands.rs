//! OpenHands: its directories as its documentation says in November 2026; not run.

use super::*;

pub(super) const RECORD: Record = Record {
    id: "openhands",
    title: "OpenHands",
    binaries: &["openhands"],
    home_dirs: &[".openhands"],
    project_marks: &[".openhands"],
    skills_dir: ".openhands/skills",
    reads: Reads { project: &[".openhands/skills"], user: &[home(".openhands/skills")], ..Reads::TYPICAL },
    ..Record::TYPICAL
};
