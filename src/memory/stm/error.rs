//! Refusals and failures of short-term memory.

use std::fmt;

/// The result of an operation on short-term memory.
pub type Result<T, E = StmError> = std::result::Result<T, E>;

/// A refused request. Never contains the content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// The content contains a secret (STM-11).
    Secret {
        /// The kind of secret, such as `github-token`.
        rule: &'static str,
        /// Where: a JSON pointer into the content, or the name of the field.
        place: String,
        /// The secret, for a keyed digest. Never shown: see `Hidden`.
        value: Hidden,
    },
    /// The content exceeds the size limit of an entry.
    ContentTooLarge {
        bytes: u64,
        most: u64,
    },
    /// The session is full and everything in it has high priority (STM-8).
    SessionFull {
        entries: u64,
        bytes: u64,
    },
    /// 403: the entry belongs to another session (STM-9).
    Forbidden {
        /// The entry that was asked for.
        entry: String,
    },
    /// The entry does not exist.
    NoSuchEntry {
        entry: String,
    },
    /// The session does not exist.
    NoSuchSession {
        session: String,
    },
    SessionEnded {
        session: String,
    },
}

/// A text that is never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Hidden(pub String);

impl fmt::Debug for Hidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Hidden")
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Secret { rule, place, .. } => write!(f, "the content holds a secret ({rule}) at {place}"),
            Self::ContentTooLarge { bytes, most } => {
                write!(f, "ContentTooLarge: the content has {bytes} bytes; an entry takes {most}")
            }
            Self::SessionFull { entries, bytes } => {
                write!(
                    f,
                    "SessionFull: the session holds {entries} entries or {bytes} bytes, and all have high priority"
                )
            }
            Self::Forbidden { entry } => write!(f, "403 Forbidden: entry {entry} belongs to another session"),
            Self::NoSuchEntry { entry } => write!(f, "there is no entry {entry}"),
            Self::NoSuchSession { session } => write!(f, "there is no session {session}"),
            Self::SessionEnded { session } => write!(f, "session {session} was ended"),
        }
    }
}

/// A failure of short-term memory.
#[derive(Debug)]
pub enum StmError {
    Refused(Refusal),
    Backend(anyhow::Error),
}

impl From<Refusal> for StmError {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<anyhow::Error> for StmError {
    fn from(error: anyhow::Error) -> Self {
        Self::Backend(error)
    }
}

impl fmt::Display for StmError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(refusal) => refusal.fmt(f),
            Self::Backend(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for StmError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Refused(_) => None,
            Self::Backend(error) => error.source(),
        }
    }
}
