//! Qwen Code.

use super::*;

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
        id: "qwen",
        profile: "qwen",
        title: "Qwen Code",
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
        ..Client::TYPICAL
    }),
    headless: Some(Headless {
        id: "qwen",
        program: "qwen",
        args: &[
            "--bare",
            "--chat-recording",
            "false",
            "-o",
            "json",
            "--system-prompt",
            "{system}",
            "--exclude-tools",
            "run_shell_command,edit,write_file,notebook_edit,read_file,get_goal,update_goal",
            "--max-wall-time",
            "170s",
        ],
        shape: Shape::ResultList,
        ..Headless::TYPICAL
    }),
    ..Record::TYPICAL
};
