//! Qwen Code.

use super::*;

const TOOLS: &str = "run_shell_command,edit,write_file,notebook_edit,read_file,get_goal,update_goal";

pub(super) const RECORD: Record = Record {
    id: "qwen",
    title: "Qwen Code",
    binaries: &["qwen"],
    home_dirs: &[".qwen"],
    project_marks: &[".qwen"],
    skills_dir: ".qwen/skills",
    also_reads: &[".agents/skills"],
    arguments: Arguments::Braces,
    invoke: "/NAME",
    command: Form::Markdown(".qwen/commands/hefesto.create.md"),
    reads: Reads {
        project: &[".qwen/skills", ".agents/skills"],
        user: &[moved("QWEN_HOME", "skills", ".qwen/skills"), SHARED],
        plugins: Some(Plugins::Extensions {
            dir: moved("QWEN_HOME", "extensions", ".qwen/extensions"),
            manifest: "qwen-extension.json",
        }),
        ..Reads::TYPICAL
    },
    client: Some(Client {
        fields: &[
            "name", "description", "priority", "paths", "user-invocable", "disable-model-invocation", "allowedTools",
            "hooks", "when_to_use", "argument-hint", "model", "source",
        ],
        name_form: NameForm::Word,
        other_name: Effect::Drops,
        mark: Some(Effect::Accepts),
        loose_colon: Some(Effect::Accepts),
        no_yaml: Some(Effect::Alters),
        list_fields: &["paths", "allowedTools"],
        ..Client::typical("qwen", "qwen", "Qwen Code")
    }),
    headless: Some(Headless {
        args: &[
            "--bare", "--chat-recording", "false", "-o", "json", "--system-prompt", "{system}", "--exclude-tools",
            TOOLS, "--max-wall-time", "170s",
        ],
        shape: Shape::ResultList,
        ..Headless::typical("qwen", "qwen")
    }),
    ..Record::TYPICAL
};
