//! The kinds of files for AI CLIs that can be converted, told by their paths.

use crate::skill::Name;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SourceKind {
    /// A prompt in Markdown: a command of Claude Code, OpenCode or Cursor, a prompt of Codex.
    Command,
    /// A prompt in TOML: a command of Gemini CLI or Qwen Code.
    TomlCommand,
    /// A rule of Cursor.
    Rule,
    /// Instructions for GitHub Copilot.
    Instructions,
    /// A prompt of GitHub Copilot.
    Prompt,
}

/// Directories below which the path, including folders, becomes the name.
const ROOTS: &[&str] = &[
    "/.claude/commands/", "/.gemini/commands/", "/.qwen/commands/", "/.opencode/commands/", "/.opencode/command/",
    "/.cursor/commands/", "/.cursor/rules/", "/.codex/prompts/", "/.github/instructions/", "/.github/prompts/",
];

/// Suffixes of file names, longer ones first.
const ENDINGS: &[(&str, SourceKind)] = &[
    (".instructions.md", SourceKind::Instructions),
    (".prompt.md", SourceKind::Prompt),
    (".mdc", SourceKind::Rule),
    (".toml", SourceKind::TomlCommand),
    (".md", SourceKind::Command),
];

impl SourceKind {
    /// The kind of the file at a path, with `/` between components.
    pub fn of(path: &str) -> Option<Self> {
        let name = path.rsplit('/').next()?.to_ascii_lowercase();
        match name.as_str() {
            "copilot-instructions.md" => return Some(Self::Instructions),
            ".cursorrules" | ".windsurfrules" => return Some(Self::Rule),
            _ if name.ends_with(".md") && path.contains("/.cursor/rules/") => return Some(Self::Rule),
            _ => {}
        }
        ENDINGS.iter().find(|(ending, _)| name.ends_with(ending)).map(|(_, kind)| *kind)
    }

    /// The name of the skill: the file's, prefixed with its folders below the client's directory.
    pub fn name(self, path: &str) -> Option<Name> {
        let rooted = format!("/{}", path.trim_start_matches('/'));
        let below = ROOTS.iter().find_map(|root| rooted.rfind(root).and_then(|at| rooted.get(at + root.len()..)));
        let below = below.or_else(|| path.rsplit('/').next()).unwrap_or_default();
        let lower = below.to_ascii_lowercase();
        let ending = ENDINGS.iter().find(|(ending, _)| lower.ends_with(ending)).map_or(0, |(ending, _)| ending.len());
        Name::sanitise(below.get(..below.len() - ending)?)
    }

    /// The keys that can be expressed in a skill.
    pub(super) fn keys(self) -> &'static [&'static str] {
        match self {
            Self::Command => &["description", "argument-hint", "allowed-tools", "disable-model-invocation"],
            Self::TomlCommand => &["description", "prompt"],
            Self::Rule => &["description", "globs", "alwaysApply", "paths"],
            Self::Instructions => &["description", "applyTo"],
            Self::Prompt => &["description", "argument-hint"],
        }
    }

    /// The file extension of the copy of the source.
    pub(super) fn extension(self) -> &'static str {
        match self {
            Self::TomlCommand => "toml",
            Self::Rule => "mdc",
            Self::Command | Self::Instructions | Self::Prompt => "md",
        }
    }
}
