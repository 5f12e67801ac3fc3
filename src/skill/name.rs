//! A skill's name: lowercase ASCII words joined by single hyphens, at most 64 characters.

use std::fmt;

use serde::Serialize;

/// A name that satisfies T0-HEFESTO-07 and the specification (S4–S6).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Name(String);

/// The longest name allowed, in characters (S4).
pub const MAX_NAME: usize = 64;

/// Names no Windows path can have; a skill of such a name cannot be checked out there.
const DEVICES: &[&str] = &["con", "nul", "aux", "prn"];

/// Why a text is not a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotAName {
    /// No characters at all.
    Empty,
    /// More than [`MAX_NAME`] characters; holds the count.
    TooLong(usize),
    /// A character other than `a-z`, `0-9` and `-`, or a hyphen at an edge or beside another.
    Form,
    /// A device name on Windows (`con`, `nul`, `com1` …).
    Device,
}

impl Name {
    /// Takes a text that already is a name, byte for byte.
    ///
    /// # Errors
    /// The first reason why it is none.
    pub fn parse(text: &str) -> Result<Self, NotAName> {
        let length = text.chars().count();
        if length == 0 {
            return Err(NotAName::Empty);
        }
        if !well_formed(text) {
            return Err(NotAName::Form);
        }
        if length > MAX_NAME {
            return Err(NotAName::TooLong(length));
        }
        if is_device(text) {
            return Err(NotAName::Device);
        }
        Ok(Self(text.to_owned()))
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Whether the text matches `^[a-z0-9]+(-[a-z0-9]+)*$`, to the last byte.
#[must_use]
pub fn well_formed(text: &str) -> bool {
    !text.is_empty()
        && text
            .split('-')
            .all(|word| !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit()))
}

fn is_device(text: &str) -> bool {
    DEVICES.contains(&text)
        || ["com", "lpt"].iter().any(|port| {
            text.strip_prefix(port)
                .is_some_and(|n| n.len() == 1 && n.as_bytes().first().is_some_and(|b| (b'1'..=b'9').contains(b)))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_constitutions_bad_samples_are_refused() {
        for bad in ["Code-Review", "-testing", "api--docs", "a-", "a_b", "á", "a b", "a\n", "١"] {
            assert_eq!(Name::parse(bad), Err(NotAName::Form), "{bad:?}");
        }
        assert_eq!(Name::parse(""), Err(NotAName::Empty));
        assert_eq!(Name::parse(&"a".repeat(65)), Err(NotAName::TooLong(65)));
        assert_eq!(Name::parse("com1"), Err(NotAName::Device));
    }

    #[test]
    fn good_names_pass_unchanged() {
        for good in ["a", "api-docs-v2", "con-man", "com10", "1st-steps"] {
            assert_eq!(Name::parse(good).map(|n| n.to_string()).as_deref(), Ok(good));
        }
        assert!(Name::parse(&"a".repeat(64)).is_ok());
    }
}
