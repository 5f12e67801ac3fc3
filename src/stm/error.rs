//! Why short-term memory says no, and why it could not be asked.

use std::fmt;

/// The result of everything short-term memory does.
pub type Result<T, E = StmError> = std::result::Result<T, E>;

/// A request that short-term memory does not fulfil. Holds nothing of the content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// The content holds a secret (seed 2 §7.3).
    Secret {
        /// Which kind, such as `github-token`.
        rule: &'static str,
        /// Where: a JSON pointer into the content, or the name of the field.
        place: String,
        /// The secret, for a keyed digest. Never shown: see [`fmt::Debug`] of [`Hidden`].
        value: Hidden,
    },
    /// The content has more bytes than an entry takes.
    ContentTooLarge {
        /// How many it has.
        bytes: u64,
        /// How many an entry takes.
        most: u64,
    },
    /// The session is full and everything in it has high priority (seed 2 §6.2).
    SessionFull {
        /// How many entries a session takes.
        entries: u64,
        /// How many bytes.
        bytes: u64,
    },
    /// 403: the entry belongs to another session (seed 2 §7.1).
    Forbidden {
        /// The entry that was asked for.
        entry: String,
    },
    /// There is no such entry.
    NoSuchEntry {
        /// What was asked for.
        entry: String,
    },
    /// There is no such session.
    NoSuchSession {
        /// What was asked for.
        session: String,
    },
    /// The session was ended.
    SessionEnded {
        /// Its id.
        session: String,
    },
}

/// A text that is carried and never shown.
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
    /// It said no.
    Refused(Refusal),
    /// The back end failed.
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
