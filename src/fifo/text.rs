//! A text that may be kept: whatever was a credential in it has been taken out, and there is no other way to make one.

use crate::rules::secrets;

/// A text without credentials; each is replaced by `[REDACTED:<rule>]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    kept: String,
    redacted: usize,
}

impl Text {
    /// What may be kept of this text.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let (kept, redacted) = secrets::redact(text);
        Self { kept: kept.into_owned(), redacted }
    }

    /// What is kept.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.kept
    }

    /// How many credentials were taken out.
    #[must_use]
    pub fn redacted(&self) -> usize {
        self.redacted
    }
}
