//! Gemini CLI.

use super::*;

pub(super) const RECORD: Record = Record {
    id: "gemini",
    title: "Gemini CLI",
    binaries: &["gemini"],
    home_dirs: &[".gemini"],
    project_marks: &[".gemini"],
    skills_dir: ".gemini/skills",
    also_reads: &[".agents/skills"],
    arguments: Arguments::Braces,
    invoke: "/NAME",
    command: Form::Toml(".gemini/commands/hefesto.create.toml"),
    reads: Reads {
        project: &[".agents/skills", ".gemini/skills"],
        user: &[
            moved("GEMINI_CLI_HOME", ".agents/skills", ".agents/skills"),
            moved("GEMINI_CLI_HOME", ".gemini/skills", ".gemini/skills"),
        ],
        user_wins: false,
        twice: Twice::Complains,
    },
    client: Some(Client {
        id: "gemini",
        profile: "gemini",
        title: "Gemini CLI",
        name_form: NameForm::FileName,
        other_name: Effect::Alters,
        mark: Some(Effect::Drops),
        loose_colon: Some(Effect::Accepts),
        no_yaml: Some(Effect::Alters),
        ..Client::TYPICAL
    }),
    headless: Some(Headless {
        id: "gemini",
        program: "gemini",
        args: &["-o", "json", "--skip-trust", "-e", "none", "--policy", "{side}/deny-all.toml"],
        vars: &[("GEMINI_SYSTEM_MD", "{side}/system.md")],
        defaults: &[],
        files: &[
            ("deny-all.toml", "[[rule]]\ntoolName = \"*\"\ndecision = \"deny\"\npriority = 999\n"),
            ("system.md", "{system}\n"),
        ],
        shape: Shape::ResponseObject,
    }),
};
