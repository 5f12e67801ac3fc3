//! The files for AI CLIs that can be converted: their kinds, told by their paths, and parsing one into its keys and its body.
//! Heads that are not valid YAML, as Cursor's often are, are read line by line.

use crate::skill::Name;
use crate::skill::frontmatter::{self, Field, Value};
use crate::skill::sections::fences;

/// A file somebody wrote for an AI CLI.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Source {
    fields: Vec<(String, Given)>,
    /// The instructions, with line feeds between lines.
    pub(super) body: String,
    /// Whether the head has unreadable lines.
    pub(super) unread: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Given {
    Text(String),
    List(Vec<String>),
}

impl Given {
    pub(super) fn joined(&self) -> String {
        match self {
            Self::Text(text) => text.trim().to_owned(),
            Self::List(list) => list.join(", "),
        }
    }

    /// The patterns it lists; a comma between braces is part of one.
    pub(super) fn patterns(&self) -> Vec<String> {
        let text = match self {
            Self::List(list) => return list.clone(),
            Self::Text(text) => text.trim().trim_start_matches('[').trim_end_matches(']'),
        };
        let mut depth = 0_usize;
        let parts = text.split(|c: char| {
            depth = match c {
                '{' => depth + 1,
                '}' => depth.saturating_sub(1),
                _ => depth,
            };
            c == ',' && depth == 0
        });
        let bare = parts.map(|one| one.trim().trim_matches(['"', '\'']).to_owned());
        bare.filter(|one| !one.is_empty()).collect()
    }
}

impl Source {
    pub(super) fn given(&self, key: &str) -> Option<&Given> {
        self.fields.iter().find(|(known, _)| known == key).map(|(_, given)| given)
    }

    pub(super) fn keys(&self) -> impl Iterator<Item = &str> {
        self.fields.iter().map(|(key, _)| key.as_str())
    }
}

/// Parses a source.
/// Errors: what is wrong with a TOML file.
pub(super) fn read(kind: SourceKind, text: &str) -> Result<Source, String> {
    let plain = text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
    if kind == SourceKind::TomlCommand {
        return of_toml(&plain);
    }
    let Some(["---\n", head, _, body]) = fences(&plain) else {
        return Ok(Source { fields: Vec::new(), body: plain, unread: false });
    };
    let read = frontmatter::read_yaml(head).map(|fields| (of_yaml(&fields), false));
    let (fields, unread) = read.unwrap_or_else(|_| by_line(head));
    Ok(Source { fields, body: body.to_owned(), unread })
}

fn of_yaml(fields: &[Field]) -> Vec<(String, Given)> {
    let given = |value: &Value| match value {
        Value::List(items) => {
            let all: Option<Vec<String>> = items.iter().map(|item| Some(item.value.scalar()?.to_owned())).collect();
            all.map(Given::List)
        }
        Value::Null => Some(Given::Text(String::new())),
        other => other.scalar().map(|text| Given::Text(text.to_owned())),
    };
    // A map cannot be expressed in a skill, whatever its key: it counts as an unknown key.
    let all = fields.iter().map(|field| match given(&field.value) {
        Some(given) => (field.key.clone(), given),
        None => (format!("{} (nested)", field.key), Given::Text(String::new())),
    });
    all.collect()
}

fn by_line(head: &str) -> (Vec<(String, Given)>, bool) {
    let (mut fields, mut unread): (Vec<(String, Given)>, bool) = (Vec::new(), false);
    for line in head.lines().filter(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#')) {
        let item = line.trim_start().strip_prefix("- ").map(|item| item.trim().trim_matches(['"', '\'']).to_owned());
        match (item, fields.last_mut(), line.split_once(':')) {
            (Some(item), Some((_, Given::List(list))), _) => list.push(item),
            (Some(item), Some((_, given @ Given::Text(_))), _) if given.joined().is_empty() => {
                *given = Given::List(vec![item]);
            }
            (None, _, Some((key, value))) if !key.starts_with(char::is_whitespace) && !key.contains(' ') => {
                let value = value.trim();
                let quoted =
                    value.len() > 1 && ['"', '\''].iter().any(|q| value.starts_with(*q) && value.ends_with(*q));
                let value = if quoted { value.get(1..value.len() - 1).unwrap_or(value) } else { value };
                fields.push((key.to_owned(), Given::Text(value.to_owned())));
            }
            _ => unread = true,
        }
    }
    (fields, unread)
}

fn of_toml(plain: &str) -> Result<Source, String> {
    let table: toml::Table =
        toml::from_str(plain).map_err(|error| format!("it is not TOML: {}", error.message().replace('\n', " ")))?;
    let body = table.get("prompt").and_then(toml::Value::as_str).ok_or("it has no `prompt`")?.to_owned();
    let given = |value: &toml::Value| Given::Text(value.as_str().unwrap_or_default().to_owned());
    let fields = table.iter().map(|(key, value)| (key.clone(), given(value))).collect();
    Ok(Source { fields, body, unread: false })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SourceKind {
    /// A prompt in Markdown: a command of Claude Code, OpenCode or Cursor, a prompt of Codex.
    Command,
    /// A prompt in TOML: a command of Gemini CLI or Qwen Code.
    TomlCommand,
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
