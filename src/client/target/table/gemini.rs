//! Gemini CLI.

use std::path::Path;

use serde_json::Value;

use super::*;

const MANAGED: [&str; 3] = ["/etc/gemini-cli", "/Library/Application Support/GeminiCli", "C:/ProgramData/gemini-cli"];

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
        twice: Twice::Complains,
        plugins: Some(Plugins::Extensions {
            dir: moved("GEMINI_CLI_HOME", ".gemini/extensions", ".gemini/extensions"),
            manifest: "gemini-extension.json",
        }),
        ..Reads::TYPICAL
    },
    client: Some(Client {
        name_form: NameForm::FileName,
        other_name: Effect::Alters,
        mark: Some(Effect::Drops),
        loose_colon: Some(Effect::Accepts),
        no_yaml: Some(Effect::Alters),
        ..Client::typical("gemini", "gemini", "Gemini CLI")
    }),
    switches: Some(Switches::of(
        &[
            SettingsFile::User(moved("GEMINI_CLI_HOME", ".gemini/trustedFolders.json", ".gemini/trustedFolders.json")),
            SettingsFile::System(SystemPath {
                variable: Some("GEMINI_CLI_SYSTEM_DEFAULTS_PATH"),
                ..system(MANAGED, "system-defaults.json")
            }),
            SettingsFile::User(moved("GEMINI_CLI_HOME", ".gemini/settings.json", ".gemini/settings.json")),
            SettingsFile::Project(".gemini/settings.json"),
            SettingsFile::System(SystemPath {
                variable: Some("GEMINI_CLI_SYSTEM_SETTINGS_PATH"),
                ..system(MANAGED, "settings.json")
            }),
        ],
        says,
    )),
    headless: Some(Headless {
        args: &["-o", "json", "--skip-trust", "-e", "none", "--policy", "{side}/deny-all.toml"],
        vars: &[("GEMINI_SYSTEM_MD", "{side}/system.md")],
        files: &[
            ("deny-all.toml", "[[rule]]\ntoolName = \"*\"\ndecision = \"deny\"\npriority = 999\n"),
            ("system.md", "{system}\n"),
        ],
        shape: Shape::ResponseObject,
        ..Headless::typical("gemini", "gemini")
    }),
};

/// `skills.enabled`, `skills.disabled`, whose lists are merged, and untrusted folders.
fn says(settings: &Value, skill: &Asked<'_>) -> Vec<Said> {
    let mut said = Vec::new();
    let untrusted = |(folder, trust): &(&String, &Value)| {
        *trust == "DO_NOT_TRUST" && skill.in_project && Path::new(skill.root).starts_with(folder)
    };
    if let Some((folder, _)) = settings.as_object().into_iter().flatten().find(untrusted) {
        said.push(Said::firm(Switch::Off, format!("`\"{folder}\": \"DO_NOT_TRUST\"`")));
    }
    if let Some(enabled) = settings["skills"]["enabled"].as_bool() {
        let switch = if enabled { Switch::On } else { Switch::Off };
        said.push(Said::new(switch, format!("`\"enabled\": {enabled}` in `skills`")));
    }
    let disabled = settings["skills"]["disabled"].as_array().into_iter().flatten().filter_map(Value::as_str);
    if disabled.into_iter().any(|name| name.eq_ignore_ascii_case(skill.name)) {
        said.push(Said::firm(Switch::Off, "its name in `skills.disabled`"));
    }
    said
}
