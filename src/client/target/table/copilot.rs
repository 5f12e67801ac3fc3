//! GitHub Copilot.

use serde_json::Value;

use super::*;

pub(super) const RECORD: Record = Record {
    id: "copilot",
    title: "GitHub Copilot",
    binaries: &["copilot", "github-copilot"],
    home_dirs: &[".copilot"],
    project_marks: &[".github/copilot-instructions.md", ".github/agents", ".github/skills"],
    skills_dir: ".github/skills",
    also_reads: &[".agents/skills", ".claude/skills"],
    invoke: "/NAME",
    reads: Reads {
        project: &[".github/skills", ".agents/skills", ".claude/skills"],
        user: &[moved("COPILOT_HOME", "skills", ".copilot/skills"), SHARED],
        ..Reads::TYPICAL
    },
    client: Some(Client {
        fields: &[
            "name", "description", "allowed-tools", "argument-hint", "user-invocable", "disable-model-invocation",
            "context",
        ],
        no_name: Effect::Accepts,
        no_description: Effect::Alters,
        max_name: Some(64),
        name_form: NameForm::Kebab,
        other_name: Effect::Drops,
        other_folder: Effect::Alters,
        max_description: Some(1024),
        mark: Some(Effect::Accepts),
        loose_colon: Some(Effect::Drops),
        no_yaml: Some(Effect::Drops),
        nested: true,
        lists_body: true,
        budget: Some(Budget {
            limits: &[Limit { model: "every model", chars: 15_000 }],
            own: 0,
            around: 92,
            beyond: Beyond::InOrder,
            basis: "15,000 characters, of which each entry takes about 94 beside its name and description",
        }),
        ..Client::typical("copilot", "copilot", "GitHub Copilot")
    }),
    switches: Some(Switches::of(
        &[
            SettingsFile::User(moved("COPILOT_HOME", "config.json", ".copilot/config.json")),
            SettingsFile::User(moved("COPILOT_HOME", "settings.json", ".copilot/settings.json")),
        ],
        says,
    )),
    headless: Some(Headless {
        // An empty list of tools would be all of them; `none` is no tool's name.
        args: &[
            "-s", "--available-tools=none", "--no-custom-instructions", "--disable-builtin-mcps", "--no-ask-user",
            "--no-auto-update", "--no-color",
        ],
        shape: Shape::Plain,
        ..Headless::typical("copilot", "copilot")
    }),
    ..Record::TYPICAL
};

fn says(settings: &Value, skill: &Asked<'_>) -> Vec<Said> {
    let disabled = settings["disabledSkills"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let named = disabled.into_iter().any(|name| name == skill.name);
    named.then(|| Said::firm(Switch::Off, "its name in `disabledSkills`")).into_iter().collect()
}
