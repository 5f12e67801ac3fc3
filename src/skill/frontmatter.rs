//! Reads a SKILL.md: the YAML frontmatter with the position of every key and value, and the Markdown body.

mod parse;

use std::ops::Range;

use super::position::{Lines, Position};

/// The largest SKILL.md read, in bytes.
pub const MAX_FILE: usize = 1024 * 1024;
/// The largest frontmatter read, in bytes, its delimiters left out.
pub const MAX_HEAD: usize = 64 * 1024;

#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    /// The whole text, without a byte order mark.
    pub text: String,
    /// The top-level keys in the order written.
    pub fields: Vec<Field>,
    /// The range of the YAML between the delimiters in `text`, in bytes.
    pub head: Range<usize>,
    /// Where the body begins in `text`, in bytes: right after the closing delimiter's line.
    pub body_start: usize,
    /// The 1-based line the body begins at.
    pub body_line: usize,
    /// Whether the file began with a byte order mark.
    pub bom: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    pub key: String,
    /// Whether the key is a string in YAML; it may also be a number, a boolean or null.
    pub text_key: bool,
    pub key_at: Position,
    pub value: Value,
    /// The position of the value in the file; of the key if the value is missing.
    pub value_at: Position,
}

/// A value of a list with its position.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    pub value: Value,
    pub at: Position,
}

/// A YAML value by the 1.2 core schema: `yes`, `no`, `on` and `off` are text.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Nothing, `~` or `null`.
    Null,
    Bool(bool),
    /// A number, spelled as in the file: `1.10` stays `1.10`.
    Number(String),
    Text(String),
    List(Vec<Item>),
    /// A map in the order written.
    Map(Vec<Field>),
}

impl Document {
    /// Everything after the closing delimiter.
    pub fn body(&self) -> &str {
        self.text.get(self.body_start..).unwrap_or("")
    }

    /// The YAML between the delimiters.
    pub fn head_text(&self) -> &str {
        self.text.get(self.head.clone()).unwrap_or("")
    }

    pub fn field(&self, key: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.key == key)
    }
}

impl Value {
    /// A scalar as text: numbers as spelled, booleans as `true` or `false`; nothing for the rest.
    pub fn scalar(&self) -> Option<&str> {
        match self {
            Self::Text(text) | Self::Number(text) => Some(text),
            Self::Bool(true) => Some("true"),
            Self::Bool(false) => Some("false"),
            Self::Null | Self::List(_) | Self::Map(_) => None,
        }
    }

    /// The kind of value, for messages.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Null => "empty",
            Self::Bool(_) => "a boolean",
            Self::Number(_) => "a number",
            Self::Text(_) => "text",
            Self::List(_) => "a list",
            Self::Map(_) => "a map",
        }
    }
}

/// Why a SKILL.md cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadErrorKind {
    /// The file is larger than [`MAX_FILE`].
    FileTooLarge,
    NotUtf8,
    /// The first line is not `---`.
    NoFrontmatter,
    /// No later line closes the frontmatter.
    Unclosed,
    /// The frontmatter is larger than [`MAX_HEAD`].
    HeadTooLarge,
    /// The frontmatter is nested too deeply, or has too many values, anchors or aliases.
    Limit,
    /// A key is written twice in one map.
    DuplicateKey,
    UnquotedColon,
    /// The frontmatter is not YAML in some other way.
    Syntax,
    /// The frontmatter is YAML but no map of keys, or is empty.
    NotAMap,
}

/// Why a SKILL.md cannot be read, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {}, column {}: {message}", .at.line, .at.column)]
pub struct ReadError {
    pub kind: ReadErrorKind,
    pub at: Position,
    /// What is wrong, in one line.
    pub message: String,
    /// What to do about it.
    pub advice: String,
}

impl ReadError {
    fn new(kind: ReadErrorKind, at: Position, message: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { kind, at, message: message.into(), advice: advice.into() }
    }
}

/// Reads the bytes of a SKILL.md.
///
/// The first line opens the frontmatter and the next line that is `---` closes it; both may end in blanks.
/// A byte order mark is removed and noted. Tags that YAML does not define are refused.
/// Errors: the first defect of the file, including a duplicate key.
pub fn read(bytes: &[u8]) -> Result<Document, ReadError> {
    let (document, defects) = examine(bytes)?;
    defects.into_iter().next().map_or(Ok(document), Err)
}

/// Reads the bytes of a SKILL.md as far as possible, for a complete report: with the defects that leave the rest
/// readable, which are duplicate keys and unquoted values with a colon.
/// Errors: the first defect that prevents reading the file at all.
pub fn examine(bytes: &[u8]) -> Result<(Document, Vec<ReadError>), ReadError> {
    use ReadErrorKind as Kind;
    if bytes.len() > MAX_FILE {
        let message = format!("The file has {} bytes; at most {MAX_FILE} are read", bytes.len());
        return Err(ReadError::new(Kind::FileTooLarge, Position::START, message, "Move material to references/"));
    }
    let (bytes, bom) = match bytes.strip_prefix(b"\xEF\xBB\xBF") {
        Some(rest) => (rest, true),
        None => (bytes, false),
    };
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let good = bytes.get(..error.valid_up_to()).and_then(|good| std::str::from_utf8(good).ok()).unwrap_or("");
            let at = Lines::new(good).position(good.len());
            return Err(ReadError::new(Kind::NotUtf8, at, "The file is not UTF-8", "Save the file as UTF-8"));
        }
    };
    let (head, body_start, body_line) = delimit(text)?;
    if head.len() > MAX_HEAD {
        let message = format!("The frontmatter has {} bytes; at most {MAX_HEAD} are read", head.len());
        return Err(ReadError::new(Kind::HeadTooLarge, Position::START, message, "Move the text to the body"));
    }
    let (fields, defects) = parse::mapping(text, head.clone())?;
    Ok((Document { text: text.to_owned(), fields, head, body_start, body_line, bom }, defects))
}

/// Reads a YAML file that is one map, such as metadata.yaml, under the same limits as a frontmatter.
/// Errors: the first defect that prevents reading the text.
pub fn read_yaml(text: &str) -> Result<Vec<Field>, ReadError> {
    if text.len() > MAX_HEAD {
        let message = format!("The file has {} bytes; at most {MAX_HEAD} are read", text.len());
        return Err(ReadError::new(ReadErrorKind::HeadTooLarge, Position::START, message, "Shorten the file"));
    }
    let (fields, defects) = parse::mapping(text, 0..text.len())?;
    defects.into_iter().next().map_or(Ok(fields), Err)
}

fn delimit(text: &str) -> Result<(Range<usize>, usize, usize), ReadError> {
    use ReadErrorKind as Kind;
    let lines = Lines::new(text);
    let is_delimiter = |line: &str| line.trim_end_matches([' ', '\t']) == "---";
    let mut all = lines.iter();
    if !all.next().is_some_and(|(_, line)| is_delimiter(line)) {
        let message = if text.trim_start().starts_with("---") {
            "There is text before the opening `---`; it must be the first line of the file"
        } else {
            "The file does not begin with a line `---`, so it has no frontmatter"
        };
        let advice = "Begin the file with `---`, the keys name and description, and another `---`";
        return Err(ReadError::new(Kind::NoFrontmatter, Position::START, message, advice));
    }
    let Some((index, (close, _))) = all.enumerate().find(|(_, (_, line))| is_delimiter(line)) else {
        let message = "The frontmatter is never closed: no later line is `---`";
        let advice = "Put `---` on a line of its own behind the last key";
        return Err(ReadError::new(Kind::Unclosed, Position::START, message, advice));
    };
    let begins = |number: usize| lines.line(number).map_or(text.len(), |(start, _)| start);
    Ok((begins(2)..close, begins(index + 3), index + 3))
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// The `name` field; empty when there is none.
    pub name: String,
    /// The `description` field; empty when there is none.
    pub description: String,
}

/// Reads the head of a text. `None` when it has no readable one.
pub fn head(text: &str) -> Option<Head> {
    let document = read(text.as_bytes()).ok()?;
    let field = |key: &str| document.field(key).and_then(|field| field.value.scalar()).unwrap_or_default().to_owned();
    Some(Head { name: field("name"), description: field("description") })
}

/// The text with another `name`.
/// Every other byte is unchanged.
pub fn with_name(text: &str, name: &str) -> String {
    let Ok(document) = read(text.as_bytes()) else { return text.to_owned() };
    let Some(field) = document.field("name") else { return text.to_owned() };
    let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
    if let Some(line) = lines.get_mut(field.key_at.line.saturating_sub(1)) {
        let (bare, end) = line.split_at(line.trim_end_matches(['\n', '\r']).len());
        let indent: String = bare.chars().take_while(|c| c.is_whitespace()).collect();
        *line = format!("{indent}name: \"{name}\"{end}");
    }
    lines.concat()
}

#[cfg(test)]
mod tests;
