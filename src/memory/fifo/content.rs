//! Input of conversations and messages: JSON in, checked values out.

use serde::Deserialize;
use serde_json::Value;

use super::{FifoError, Role, Text};
use crate::rules::secrets;

const MAX_ID: usize = 128;
/// Longest title or tag, in bytes.
const MAX_LINE: usize = 1000;
/// Longest message or summary, in bytes.
const MAX_TEXT: usize = 1024 * 1024;
/// Most messages, and most tags, given at once.
const MAX_MANY: usize = 1000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewConversation {
    pub conversation_id: String,
    pub title: Text,
    pub messages: Vec<(Role, Text)>,
    pub tags: Vec<Text>,
    pub summary: Option<Text>,
    pub is_active: bool,
    pub pinned_by_run: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Given {
    conversation_id: Option<String>,
    title: String,
    #[serde(default)]
    messages: Vec<GivenMessage>,
    tags: Option<Vec<String>>,
    summary: Option<String>,
    is_active: Option<bool>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GivenMessage {
    role: Role,
    content: String,
}

impl NewConversation {
    /// An empty conversation with this id and title.
    pub fn new(id: &str, title: &str) -> Result<Self, FifoError> {
        Ok(Self {
            conversation_id: id_of(id)?,
            title: line("title", title)?,
            messages: Vec::new(),
            tags: Vec::new(),
            summary: None,
            is_active: false,
            pinned_by_run: None,
        })
    }

    /// Reads `{conversation_id, title, messages: [{role, content}], tags, summary, is_active}`; only the title is
    /// required. A conversation without an id gets `fresh_id`.
    /// Errors: [`FifoError::Malformed`] naming what is wrong, never a value that may be a credential.
    pub fn from_json(value: &Value, fresh_id: &str) -> Result<Self, FifoError> {
        let given: Given = read(value)?;
        let mut new = Self::new(given.conversation_id.as_deref().unwrap_or(fresh_id), &given.title)?;
        new.messages = said(given.messages)?;
        new.tags = tags(&given.tags.unwrap_or_default())?;
        new.summary = given.summary.as_deref().map(|summary| long("summary", summary)).transpose()?;
        new.is_active = given.is_active.unwrap_or(false);
        Ok(new)
    }

    pub fn redacted(&self) -> usize {
        let texts = self.messages.iter().map(|(_, text)| text).chain(&self.tags).chain(&self.summary);
        texts.chain([&self.title]).map(Text::redacted).sum()
    }
}

/// Reads one message `{role, content}`, a list of them, or `{messages: […]}`.
pub fn messages(value: &Value) -> Result<Vec<(Role, Text)>, FifoError> {
    let value = match value.as_object() {
        Some(fields) if fields.len() == 1 => fields.get("messages").unwrap_or(value),
        _ => value,
    };
    let given: Vec<GivenMessage> = if value.is_array() { read(value)? } else { vec![read(value)?] };
    if given.is_empty() {
        return Err(FifoError::Malformed("there is no message in it".into()));
    }
    said(given)
}

/// Validated tags without duplicates, in order.
pub(crate) fn tags(given: &[String]) -> Result<Vec<Text>, FifoError> {
    if given.len() > MAX_MANY {
        return Err(FifoError::Malformed(format!("there are more than {MAX_MANY} tags")));
    }
    let mut kept = Vec::new();
    for tag in given {
        let tag = line("tag", tag)?;
        if !kept.contains(&tag) {
            kept.push(tag);
        }
    }
    Ok(kept)
}

/// A title or a tag: one line, not blank.
pub(crate) fn line(what: &str, text: &str) -> Result<Text, FifoError> {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.is_empty() {
        return Err(FifoError::Malformed(format!("the {what} is blank")));
    }
    if text.len() > MAX_LINE {
        return Err(FifoError::Malformed(format!("the {what} is longer than {MAX_LINE} bytes")));
    }
    Ok(Text::of(&text))
}

pub(crate) fn long(what: &str, text: &str) -> Result<Text, FifoError> {
    if text.len() > MAX_TEXT {
        return Err(FifoError::Malformed(format!("the {what} is longer than {MAX_TEXT} bytes (ContentTooLarge)")));
    }
    Ok(Text::of(text))
}

fn said(given: Vec<GivenMessage>) -> Result<Vec<(Role, Text)>, FifoError> {
    if given.len() > MAX_MANY {
        return Err(FifoError::Malformed(format!("there are more than {MAX_MANY} messages")));
    }
    given.into_iter().map(|one| Ok((one.role, long("message", &one.content)?))).collect()
}

fn read<'a, T: Deserialize<'a>>(value: &'a Value) -> Result<T, FifoError> {
    // The reason would quote the value, which might be a credential.
    T::deserialize(value).map_err(|error| FifoError::Malformed(Text::of(&error.to_string()).as_str().to_owned()))
}

fn id_of(given: &str) -> Result<String, FifoError> {
    let fits = (1..=MAX_ID).contains(&given.len())
        && given.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._:-".contains(&byte));
    if !fits {
        let form = format!("a conversation_id is 1 to {MAX_ID} of the characters a-z A-Z 0-9 . _ : -");
        return Err(FifoError::Malformed(form));
    }
    if let Some(hit) = secrets::scan_memory(given).first() {
        return Err(FifoError::Malformed(format!("the conversation_id looks like {} ({})", hit.title, hit.rule)));
    }
    Ok(given.to_owned())
}
