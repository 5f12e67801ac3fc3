//! OpenCode.

use serde_json::Value;

use super::*;

const MANAGED: [&str; 3] = ["/etc/opencode", "/Library/Application Support/opencode", "C:/ProgramData/opencode"];

pub(super) const RECORD: Record = Record {
    id: "opencode",
    title: "OpenCode",
    binaries: &["opencode"],
    home_dirs: &[".config/opencode", ".opencode"],
    project_marks: &[".opencode"],
    skills_dir: ".opencode/skills",
    also_reads: &[".claude/skills", ".agents/skills"],
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
        parents: true,
        twice: Twice::Either,
        ..Reads::TYPICAL
    },
    client: Some(Client {
        no_description: Effect::Alters,
        mark: Some(Effect::Accepts),
        loose_colon: Some(Effect::Accepts),
        nested: true,
        replaces: &["$ARGUMENTS"],
        breaks: &["$0"],
        ..Client::typical("opencode", "opencode", "OpenCode")
    }),
    switches: Some(Switches {
        files: &[
            SettingsFile::User(moved("XDG_CONFIG_HOME", "opencode/opencode.json", ".config/opencode/opencode.json")),
            SettingsFile::User(moved("XDG_CONFIG_HOME", "opencode/opencode.jsonc", ".config/opencode/opencode.jsonc")),
            SettingsFile::Project("opencode.json"),
            SettingsFile::Project("opencode.jsonc"),
            SettingsFile::Project(".opencode/opencode.json"),
            SettingsFile::Project(".opencode/opencode.jsonc"),
            SettingsFile::System(system(MANAGED, "opencode.json")),
            SettingsFile::System(system(MANAGED, "opencode.jsonc")),
        ],
        variables: &[
            ("OPENCODE_DISABLE_CLAUDE_CODE_SKILLS", &[".claude/skills"]),
            ("OPENCODE_DISABLE_EXTERNAL_SKILLS", &[".claude/skills", ".agents/skills"]),
        ],
        own_file: None,
        says,
    }),
    headless: Some(Headless {
        args: &["run", "--format", "json", "--agent", "hefesto", "--pure", "--title", "hefesto"],
        vars: &[(
            "OPENCODE_CONFIG_CONTENT",
            r#"{"agent":{"hefesto":{"mode":"primary","prompt":"{system}","permission":{"*":"deny"}}}}"#,
        )],
        shape: Shape::TextEvents,
        ..Headless::typical("opencode", "opencode")
    }),
    ..Record::TYPICAL
};

/// `permission.skill`, of which the last matching pattern counts.
fn says(settings: &Value, skill: &Asked<'_>) -> Vec<Said> {
    let rules = settings["permission"]["skill"].as_object();
    let fits = |(pattern, _): &(&String, &Value)| fits(pattern, skill.name);
    let mut rule =
        rules.into_iter().flatten().filter(fits).filter_map(|(pattern, word)| Some((pattern, word.as_str()?)));
    let said = |(pattern, word): (&String, &str)| {
        let switch = if word == "deny" { Switch::Off } else { Switch::On };
        Said::new(switch, format!("`\"{pattern}\": \"{word}\"` in `permission.skill`"))
    };
    rule.next_back().map(said).into_iter().collect()
}

/// Whether a name matches a pattern in which `*` matches anything.
fn fits(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((start, rest)) => name
            .strip_prefix(start)
            .is_some_and(|left| (0..=left.len()).filter_map(|at| left.get(at..)).any(|left| fits(rest, left))),
    }
}
