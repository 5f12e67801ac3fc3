//! Cursor.

use super::*;

pub(super) const RECORD: Record = Record {
    id: "cursor",
    title: "Cursor",
    binaries: &["cursor-agent", "cursor"],
    home_dirs: &[".cursor"],
    project_marks: &[".cursor"],
    skills_dir: ".cursor/skills",
    also_reads: &[".claude/skills", ".codex/skills", ".agents/skills"],
    invoke: "/NAME",
    reads: Reads {
        project: &[".cursor/skills", ".claude/skills", ".codex/skills", ".grok/skills", ".agents/skills"],
        user: &[home(".cursor/skills"), home(".claude/skills"), home(".codex/skills"), home(".grok/skills"), SHARED],
        twice: Twice::OnePerScope,
        ..Reads::TYPICAL
    },
    client: Some(Client {
        fields: &[
            "name", "description", "paths", "globs", "disable-model-invocation", "icon", "color", "environments",
            "disabled-environments", "alwaysApply",
        ],
        name_form: NameForm::Kebab,
        other_name: Effect::Alters,
        other_folder: Effect::Alters,
        shown_description: Some(1536),
        evidence: "its documentation and its published code, 2026",
        ..Client::typical("cursor", "cursor", "Cursor")
    }),
    headless: Some(Headless {
        args: &["-p", "--output-format", "json", "--mode", "ask", "--trust"],
        shape: Shape::ResultObject,
        ..Headless::typical("cursor", "cursor-agent")
    }),
    ..Record::TYPICAL
};
