//! OpenHands: its directories as its documentation says in November 2026; not run.

use super::*;

pub(super) const RECORD: Record = Record {
    id: "openhands",
    title: "OpenHands",
    binaries: &["openhands"],
    home_dirs: &[".openhands"],
    project_marks: &[".openhands"],
    skills_dir: ".openhands/skills",
    also_reads: &[],
    arguments: Arguments::Dollar,
    invoke: "by description",
    command: Form::Skill,
    reads: Reads {
        project: &[".openhands/skills"],
        user: &[home(".openhands/skills")],
        user_wins: false,
        parents: false,
        twice: Twice::First,
        system: &[],
        plugins: None,
    },
    client: None,
    switches: None,
    headless: None,
};
