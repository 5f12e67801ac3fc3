//! Parses a source into its keys and its body. Heads that are not valid YAML, as Cursor's often are, are read line by
//! line.

use super::SourceKind;
use crate::skill::frontmatter::{self, Field, Value};
use crate::skill::sections::fences;

/// A file somebody wrote for an AI CLI.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Source {
    /// The whole text.
    pub(super) text: String,
    fields: Vec<(String, Given)>,
    /// The instructions, with line feeds between lines.
    pub(super) body: String,
    /// Whether the head has unreadable lines.
    pub(super) unread: bool,
}

/// The value of a key.
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

    pub(super) fn text_of(&self, key: &str) -> Option<&str> {
        match self.given(key)? {
            Given::Text(text) => Some(text),
            Given::List(_) => None,
        }
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
        return of_toml(text, &plain);
    }
    let whole = |body: String| Source { text: text.to_owned(), fields: Vec::new(), body, unread: false };
    let Some(["---\n", head, _, body]) = fences(&plain) else { return Ok(whole(plain)) };
    let (fields, unread) = match frontmatter::read_yaml(head) {
        Ok(fields) => (of_yaml(&fields), false),
        Err(_) => by_line(head),
    };
    Ok(Source { fields, unread, ..whole(body.to_owned()) })
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

fn of_toml(text: &str, plain: &str) -> Result<Source, String> {
    let table: toml::Table =
        toml::from_str(plain).map_err(|error| format!("it is not TOML: {}", error.message().replace('\n', " ")))?;
    let body = table.get("prompt").and_then(toml::Value::as_str).ok_or("it has no `prompt`")?.to_owned();
    let given = |value: &toml::Value| Given::Text(value.as_str().unwrap_or_default().to_owned());
    let fields = table.iter().map(|(key, value)| (key.clone(), given(value))).collect();
    Ok(Source { text: text.to_owned(), fields, body, unread: false })
}
