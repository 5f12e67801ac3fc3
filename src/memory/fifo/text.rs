//! A text with its credentials redacted; it cannot be made in any other way.

use crate::rules::secrets;

/// A text without credentials; each is replaced by `[REDACTED:<rule>]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    kept: String,
    redacted: usize,
}

impl Text {
    pub fn of(text: &str) -> Self {
        let (kept, redacted) = secrets::redact(text);
        Self { kept: kept.into_owned(), redacted }
    }

    pub fn as_str(&self) -> &str {
        &self.kept
    }

    pub fn redacted(&self) -> usize {
        self.redacted
    }
}
