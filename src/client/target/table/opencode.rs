//! OpenCode.

use super::*;

pub(super) const RECORD: Record = Record {
    id: "opencode",
    title: "OpenCode",
    binaries: &["opencode"],
    home_dirs: &[".config/opencode", ".opencode"],
    project_marks: &[".opencode"],
    skills_dir: ".opencode/skills",
    also_reads: &[".claude/skills", ".agents/skills"],
    arguments: Arguments::Dollar,
    invoke: "/NAME",
    command: Form::Markdown(".opencode/commands/hefesto.create.md"),
    reads: Reads {
        project: &[".opencode/skills", ".opencode/skill", ".claude/skills", ".agents/skills"],
        user: &[
            moved("XDG_CONFIG_HOME", "opencode/skills", ".config/opencode/skills"),
            moved("XDG_CONFIG_HOME", "opencode/skill", ".config/opencode/skill"),
            home(".opencode/skills"),
            home(".opencode/skill"),
            home(".claude/skills"),
            SHARED,
            moved("OPENCODE_CONFIG_DIR", "skills", ""),
        ],
        user_wins: false,
        twice: Twice::Either,
    },
    client: Some(Client {
        id: "opencode",
        profile: "opencode",
        title: "OpenCode",
        no_description: Effect::Alters,
        mark: Some(Effect::Accepts),
        loose_colon: Some(Effect::Accepts),
        nested: true,
        replaces: &["$ARGUMENTS"],
        breaks: &["$0"],
        ..Client::TYPICAL
    }),
    headless: Some(Headless {
        id: "opencode",
        program: "opencode",
        args: &["run", "--format", "json", "--agent", "hefesto", "--pure", "--title", "hefesto"],
        vars: &[(
            "OPENCODE_CONFIG_CONTENT",
            r#"{"agent":{"hefesto":{"mode":"primary","prompt":"{system}","permission":{"*":"deny"}}}}"#,
        )],
        defaults: &[],
        files: &[],
        shape: Shape::TextEvents,
    }),
};
