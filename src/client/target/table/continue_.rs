//! Continue: its directories as its documentation says in November 2026; not run.

use super::*;

pub(super) const RECORD: Record = Record {
    id: "continue",
    title: "Continue",
    binaries: &["cn"],
    home_dirs: &[".continue"],
    project_marks: &[".continue"],
    skills_dir: ".continue/skills",
    also_reads: &[],
    arguments: Arguments::Dollar,
    invoke: "by description",
    command: Form::Skill,
    reads: Reads {
        project: &[".continue/skills"],
        user: &[home(".continue/skills")],
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
