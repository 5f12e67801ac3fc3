//! The shared .agents directory.

use super::*;

pub(super) const RECORD: Record = Record {
    id: "agents",
    title: "the shared .agents directory",
    binaries: &[],
    home_dirs: &[],
    project_marks: &[],
    skills_dir: ".agents/skills",
    also_reads: &[],
    arguments: Arguments::Dollar,
    invoke: "by description",
    command: Form::Skill,
    reads: Reads { project: &[".agents/skills"], user: &[SHARED], user_wins: false, twice: Twice::First },
    client: None,
    headless: None,
};
