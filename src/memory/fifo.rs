//! The queue of conversations (FIFO): conversations and what is accepted as one, eviction, entities, and the patterns
//! that are extracted from a conversation when it is evicted (FIFO-3). Times are milliseconds since 1970 UTC and always
//! arguments.

mod excerpt;
mod extract;
mod query;
pub mod sqlite;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::rules::secrets;
use crate::skill::sentence::english;

pub use excerpt::excerpt;
pub use extract::extract;
pub use query::{Query, Term};

/// Default number of conversations (FIFO-1).
pub const CAPACITY: usize = 20;

words! {
    Role {
        User = "user",
        Assistant = "assistant",
        System = "system",
        Tool = "tool",
    }
}

words! {
    /// The type of an entity (FIFO-4).
    EntityType {
        File = "file",
        /// A class, struct, trait or another named type.
        Class = "class",
        Method = "method",
        Variable = "variable",
        /// A technical term, a hashtag, or a recurring phrase.
        Concept = "concept",
    }
}

/// An entity as a text names it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Mention {
    #[serde(rename = "type")]
    pub kind: EntityType,
    pub name: String,
    /// Confidence: 1.0 in code, 0.6 in prose.
    pub relevance_score: f64,
}

impl Mention {
    /// The directory of a file, if named; otherwise empty.
    pub fn file_path(&self) -> &str {
        if self.kind == EntityType::File && self.name.contains(['/', '\\']) { &self.name } else { "" }
    }
}

/// A conversation in the queue, without its messages.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Conversation {
    /// Sequence number; breaks ties of `created_at`.
    #[serde(skip)]
    pub id: i64,
    pub conversation_id: String,
    pub title: String,
    #[serde(serialize_with = "crate::memory::json::as_seconds_or_null")]
    pub created_at: i64,
    /// When it or one of its messages was last written.
    #[serde(serialize_with = "crate::memory::json::as_seconds_or_null")]
    pub updated_at: i64,
    pub message_count: u64,
    /// Whether it is the active one; there is at most one.
    pub is_active: bool,
    /// The unfinished run that needs it, if any.
    pub pinned_by_run: Option<String>,
    /// The outcome, once it is closed.
    pub summary: Option<String>,
    pub tags: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Message {
    pub role: Role,
    pub content: String,
    #[serde(serialize_with = "crate::memory::json::as_seconds_or_null")]
    pub timestamp: i64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EvictionCandidate {
    pub id: i64,
    pub created_at: i64,
    pub is_active: bool,
    pub pinned: bool,
}

/// The conversations to evict so that one more fits into `capacity`: the oldest that are neither active nor pinned.
pub fn victims(held: &[EvictionCandidate], capacity: usize) -> Result<Vec<i64>, FifoError> {
    let needed = (held.len() + 1).saturating_sub(capacity);
    let mut may_leave: Vec<&EvictionCandidate> = held.iter().filter(|one| !one.is_active && !one.pinned).collect();
    may_leave.sort_by_key(|one| (one.created_at, one.id));
    if may_leave.len() < needed {
        return Err(FifoError::Full { count: held.len(), capacity });
    }
    Ok(may_leave.into_iter().take(needed).map(|one| one.id).collect())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Queue {
    pub count: usize,
    pub capacity: usize,
    pub available: usize,
    pub at_capacity: bool,
}

impl Queue {
    pub fn of(count: usize, capacity: usize) -> Self {
        Self { count, capacity, available: capacity.saturating_sub(count), at_capacity: count >= capacity }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FifoError {
    #[error("NoSuchConversation: there is no conversation {0:?}")]
    NoSuchConversation(String),
    #[error("DuplicateId: there is a conversation {0:?} already; nothing was changed")]
    DuplicateId(String),
    #[error(
        "FifoFull: the queue holds {count} of {capacity} conversations, and none may be evicted: they are \
         active or belong to unfinished runs"
    )]
    Full { count: usize, capacity: usize },
    /// The input is not a conversation: the reason.
    #[error("the content is no conversation: {0}")]
    Malformed(String),
}

/// A text without credentials; each is replaced by `[REDACTED:<rule>]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    kept: String,
    pub redacted: usize,
}

impl Text {
    pub fn of(text: &str) -> Self {
        let (kept, redacted) = secrets::redact(text);
        Self { kept: kept.into_owned(), redacted }
    }

    pub fn as_str(&self) -> &str {
        &self.kept
    }
}

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
        texts.chain([&self.title]).map(|text| text.redacted).sum()
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

/// How many entities of one conversation are paired: the surest, then alphabetically.
const PAIRED: usize = 6;

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pattern {
    /// `entity`, `pair`, `tag` or `verb`.
    pub kind: &'static str,
    pub key: String,
}

impl Pattern {
    pub fn key_of(entity: &Mention) -> String {
        format!("{}:{}", entity.kind.word(), entity.name)
    }
}

pub fn patterns(title: &str, tags: &[String], entities: &[Mention]) -> Vec<Pattern> {
    let mut entities: Vec<&Mention> = entities.iter().collect();
    entities.sort_by(|a, b| {
        b.relevance_score.total_cmp(&a.relevance_score).then_with(|| (a.kind, &a.name).cmp(&(b.kind, &b.name)))
    });
    let mut keys: Vec<String> = entities.iter().map(|entity| Pattern::key_of(entity)).collect();
    let mut found: Vec<Pattern> = keys.iter().map(|key| Pattern { kind: "entity", key: key.clone() }).collect();
    keys.truncate(PAIRED);
    keys.sort();
    for (at, one) in keys.iter().enumerate() {
        let pairs = keys.iter().skip(at + 1).map(|other| Pattern { kind: "pair", key: format!("{one} + {other}") });
        found.extend(pairs);
    }
    found.extend(tags.iter().map(|tag| Pattern { kind: "tag", key: tag.to_lowercase() }));
    let first = title.split_whitespace().next().unwrap_or_default().to_lowercase();
    found.extend(english(&first).map(|verb| Pattern { kind: "verb", key: verb.base.to_owned() }));
    found.sort();
    found.dedup();
    found
}

#[cfg(test)]
mod tests;
