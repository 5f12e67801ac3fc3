//! Grok CLI: its directories as its documentation says in November 2026; not run.

use super::*;

pub(super) const RECORD: Record = Record {
    id: "grok",
    title: "Grok CLI",
    binaries: &["grok"],
    home_dirs: &[".grok"],
    project_marks: &[".grok"],
    skills_dir: ".grok/skills",
    also_reads: &[],
    arguments: Arguments::Dollar,
    invoke: "by description",
    command: Form::Skill,
    reads: Reads {
        project: &[".grok/skills"],
        user: &[home(".grok/skills")],
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
