//! OpenAI Codex CLI.

use serde_json::Value;

use super::*;

const MANAGED: [&str; 3] = ["/etc/codex", "/etc/codex", ""];
const INSTRUCTIONS: &str = "developer_instructions={system}";

pub(super) const RECORD: Record = Record {
    id: "codex",
    title: "OpenAI Codex CLI",
    binaries: &["codex"],
    home_dirs: &[".codex"],
    project_marks: &[".codex"],
    skills_dir: ".codex/skills",
    also_reads: &[".agents/skills"],
    invoke: "$NAME",
    reads: Reads {
        project: &[".agents/skills", ".codex/skills"],
        user: &[SHARED, moved("CODEX_HOME", "skills", ".codex/skills")],
        parents: true,
        twice: Twice::Both,
        system: &[system(MANAGED, "skills")],
        plugins: Some(Plugins::Cached {
            cache: moved("CODEX_HOME", "plugins/cache", ".codex/plugins/cache"),
            settings: moved("CODEX_HOME", "config.toml", ".codex/config.toml"),
            manifest: ".codex-plugin/plugin.json",
        }),
        ..Reads::TYPICAL
    },
    client: Some(Client {
        fields: &["name", "description", "metadata"],
        no_name: Effect::Accepts,
        max_name: Some(64),
        max_description: Some(1024),
        shown_description: Some(1024),
        mark: Some(Effect::Drops),
        loose_colon: Some(Effect::Accepts),
        no_yaml: Some(Effect::Drops),
        nested: true,
        linked_file: false,
        budget: Some(Budget {
            limits: &[
                Limit { model: "its default model (272,000 tokens)", chars: 21_760 },
                Limit { model: "a model of 200,000 tokens", chars: 16_000 },
                Limit { model: "a model of 128,000 tokens", chars: 10_240 },
            ],
            own: 0,
            around: 50,
            beyond: Beyond::Evenly,
            basis: "2 % of the model's context at 4 characters a token; the path of each file takes about 50 of them",
        }),
        ..Client::typical("codex", "codex", "OpenAI Codex CLI")
    }),
    switches: Some(Switches {
        files: &[
            SettingsFile::System(system(MANAGED, "config.toml")),
            SettingsFile::User(moved("CODEX_HOME", "config.toml", ".codex/config.toml")),
            SettingsFile::System(system(MANAGED, "managed_config.toml")),
        ],
        variables: &[],
        own_file: Some("agents/openai.yaml"),
        says,
    }),
    headless: Some(Headless {
        args: &[
            "exec", "--json", "--ephemeral", "--skip-git-repo-check", "-s", "read-only", "--disable", "shell_tool",
            "--disable", "unified_exec", "-c", "web_search=disabled", "-c", INSTRUCTIONS, "-o", "{side}/last.md", "-",
        ],
        shape: Shape::LastFile,
        ..Headless::typical("codex", "codex")
    }),
    ..Record::TYPICAL
};

/// `[[skills.config]]` of the user's settings, of which the last entry that means the skill counts, by its name or by its
/// path; `policy` of the skill's own file.
fn says(settings: &Value, skill: &Asked<'_>) -> Vec<Said> {
    let mut said = Vec::new();
    if let Some(include) = settings["skills"]["include_instructions"].as_bool() {
        let switch = if include { Switch::On } else { Switch::Manual };
        said.push(Said::about("include", switch, format!("`include_instructions = {include}` in `[skills]`")));
    }
    let means = |entry: &&Value| {
        let path = entry["path"].as_str().map(|path| path.trim_end_matches("/SKILL.md"));
        match (entry["name"].as_str(), path) {
            (Some(name), None) => name.trim() == skill.name,
            (None, Some(path)) => skill.folders.contains(&path),
            _ => false,
        }
    };
    let entries = settings["skills"]["config"].as_array().filter(|_| skill.of_user);
    let entry = entries.into_iter().flatten().rfind(means);
    if let Some(enabled) = entry.and_then(|entry| entry["enabled"].as_bool()) {
        let switch = if enabled { Switch::On } else { Switch::Off };
        said.push(Said::new(switch, format!("`enabled = {enabled}` for it in `[[skills.config]]`")));
    }
    if settings["policy"]["allow_implicit_invocation"] == Value::Bool(false) {
        said.push(Said::firm(Switch::Manual, "`policy.allow_implicit_invocation: false`"));
    }
    said
}
