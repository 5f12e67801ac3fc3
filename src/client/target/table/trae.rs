//! Trae: its directories as its documentation says in November 2026; not run.

use super::*;

pub(super) const RECORD: Record = Record {
    id: "trae",
    title: "Trae",
    binaries: &["trae"],
    home_dirs: &[".trae"],
    project_marks: &[".trae"],
    skills_dir: ".trae/skills",
    also_reads: &[],
    arguments: Arguments::Dollar,
    invoke: "by description",
    command: Form::Skill,
    reads: Reads {
        project: &[".trae/skills"],
        user: &[home(".trae/skills")],
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
