//! Refusals and failures of short-term memory.

use std::fmt;

pub type Result<T, E = StmError> = std::result::Result<T, E>;

/// A refused request. Never contains the content.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// A secret (STM-11): the kind, such as `github-token`; a JSON pointer into the content, or the name of the field;
    /// and the secret itself, for a keyed digest.
    #[error("the content holds a secret ({rule}) at {place}")]
    Secret { rule: &'static str, place: String, value: Hidden },
    #[error("ContentTooLarge: the content has {bytes} bytes; an entry takes {most}")]
    ContentTooLarge { bytes: u64, most: u64 },
    /// Everything in the session has high priority (STM-8).
    #[error("SessionFull: the session holds {entries} entries or {bytes} bytes, and all have high priority")]
    SessionFull { entries: u64, bytes: u64 },
    /// 403 (STM-9).
    #[error("403 Forbidden: entry {entry} belongs to another session")]
    Forbidden { entry: String },
    #[error("there is no entry {entry}")]
    NoSuchEntry { entry: String },
    #[error("there is no session {session}")]
    NoSuchSession { session: String },
    #[error("session {session} was ended")]
    SessionEnded { session: String },
}

/// A text that is never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Hidden(pub String);

impl fmt::Debug for Hidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Hidden")
    }
}

#[derive(Debug, thiserror::Error)]
pub enum StmError {
    #[error(transparent)]
    Refused(#[from] Refusal),
    #[error(transparent)]
    Backend(#[from] anyhow::Error),
}
