//! Claude Code.

use serde_json::Value;

use super::*;

const FIELDS: &[&str] = &[
    "name", "description", "when_to_use", "argument-hint", "arguments", "disable-model-invocation", "user-invocable",
    "allowed-tools", "disallowed-tools", "model", "effort", "context", "agent", "background", "hooks", "paths",
    "shell", "metadata", "license", "compatibility",
];

const MANAGED: [&str; 3] =
    ["/etc/claude-code", "/Library/Application Support/ClaudeCode", "C:/Program Files/ClaudeCode"];

pub(super) const RECORD: Record = Record {
    id: "claude",
    title: "Claude Code",
    binaries: &["claude"],
    home_dirs: &[".claude"],
    project_marks: &[".claude"],
    skills_dir: ".claude/skills",
    invoke: "/NAME",
    reads: Reads {
        project: &[".claude/skills"],
        user: &[moved("CLAUDE_CONFIG_DIR", "skills", ".claude/skills")],
        user_wins: true,
        parents: true,
        system: &[system(MANAGED, ".claude/skills")],
        plugins: Some(Plugins::Listed {
            list: moved(
                "CLAUDE_CONFIG_DIR",
                "plugins/installed_plugins.json",
                ".claude/plugins/installed_plugins.json",
            ),
            manifest: ".claude-plugin/plugin.json",
        }),
        ..Reads::TYPICAL
    },
    client: Some(Client {
        fields: FIELDS,
        no_name: Effect::Accepts,
        no_description: Effect::Alters,
        other_folder: Effect::Alters,
        shown_description: Some(1536),
        mark: Some(Effect::Accepts),
        loose_colon: Some(Effect::Accepts),
        no_yaml: Some(Effect::Alters),
        listed_field: Some("when_to_use"),
        reserved_names: ReservedNames::Exact(&["synced", "anthropic-skills"]),
        lists_body: true,
        replaces: &["${CLAUDE_", "$ARGUMENTS", "$ARGUMENTS[", "$0", "!`command`"],
        budget: Some(Budget {
            limits: &[
                Limit { model: "its default model", chars: 40_000 },
                Limit { model: "Sonnet 4.5 and Haiku 4.5", chars: 8_000 },
            ],
            own: 5_200,
            around: 0,
            beyond: Beyond::LeastUsed,
            basis: "1 % of the model's context at 4 characters a token; its own skills take about 5,200 of them",
        }),
        ..Client::typical("claude", "claude-code", "Claude Code")
    }),
    switches: Some(Switches::of(
        &[
            SettingsFile::User(moved("CLAUDE_CONFIG_DIR", "settings.json", ".claude/settings.json")),
            SettingsFile::Project(".claude/settings.json"),
            SettingsFile::Project(".claude/settings.local.json"),
            SettingsFile::System(system(MANAGED, "managed-settings.json")),
            SettingsFile::SystemFolder(system(MANAGED, "managed-settings.d")),
        ],
        says,
    )),
    headless: Some(Headless {
        args: &[
            "-p", "--output-format", "json", "--tools", "", "--safe-mode", "--no-session-persistence",
            "--system-prompt", "{system}",
        ],
        // It would try a refused request for minutes.
        defaults: &[("CLAUDE_CODE_MAX_RETRIES", "2")],
        shape: Shape::ResultObject,
        ..Headless::typical("claude", "claude")
    }),
    ..Record::TYPICAL
};

/// `skillOverrides`, which plugins are out of reach of, and `permissions.deny`, which no other file takes back.
fn says(settings: &Value, skill: &Asked<'_>) -> Vec<Said> {
    let mut said = Vec::new();
    if let Some(word) = settings["skillOverrides"][skill.name].as_str().filter(|_| !skill.in_plugin) {
        let switch = match word {
            "name-only" => Switch::NameOnly,
            "user-invocable-only" => Switch::Manual,
            "off" => Switch::Off,
            _ => Switch::On,
        };
        said.push(Said::new(switch, format!("`\"{}\": \"{word}\"` in `skillOverrides`", skill.name)));
    }
    let denied = settings["permissions"]["deny"].as_array().into_iter().flatten().filter_map(Value::as_str);
    if let Some(rule) = denied.into_iter().find(|rule| denies(rule, skill.name)) {
        said.push(Said::firm(Switch::Manual, format!("`{rule}` in `permissions.deny`")));
    }
    said
}

/// Whether a rule forbids the skill: `Skill`, `Skill(name)`, or a beginning of the call as `Skill(name *)` and
/// `Skill(na*)`.
fn denies(rule: &str, name: &str) -> bool {
    let Some(about) = rule.trim().strip_prefix("Skill") else { return false };
    if about.is_empty() {
        return true;
    }
    let Some(about) = about.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) else { return false };
    match about.strip_suffix('*') {
        Some(start) => match start.strip_suffix([' ', ':']) {
            Some(whole) => whole == name,
            None => name.starts_with(start),
        },
        None => about == name,
    }
}
