//! Claude Code.

use super::*;

const FIELDS: &[&str] = &[
    "name", "description", "when_to_use", "argument-hint", "arguments", "disable-model-invocation", "user-invocable",
    "allowed-tools", "disallowed-tools", "model", "effort", "context", "agent", "background", "hooks", "paths",
    "shell", "metadata", "license", "compatibility",
];

pub(super) const RECORD: Record = Record {
    id: "claude",
    title: "Claude Code",
    binaries: &["claude"],
    home_dirs: &[".claude"],
    project_marks: &[".claude"],
    skills_dir: ".claude/skills",
    also_reads: &[],
    arguments: Arguments::Dollar,
    invoke: "/NAME",
    command: Form::Skill,
    reads: Reads {
        project: &[".claude/skills"],
        user: &[moved("CLAUDE_CONFIG_DIR", "skills", ".claude/skills")],
        user_wins: true,
        twice: Twice::First,
    },
    client: Some(Client {
        id: "claude",
        profile: "claude-code",
        title: "Claude Code",
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
        budget: Some(Budget { chars: 8_000, basis: "1 % of a context of 200,000 tokens" }),
        ..Client::TYPICAL
    }),
    headless: Some(Headless {
        id: "claude",
        program: "claude",
        args: &[
            "-p", "--output-format", "json", "--tools", "", "--safe-mode", "--no-session-persistence",
            "--system-prompt", "{system}",
        ],
        vars: &[],
        // It would try a refused request for minutes.
        defaults: &[("CLAUDE_CODE_MAX_RETRIES", "2")],
        files: &[],
        shape: Shape::ResultObject,
    }),
};
