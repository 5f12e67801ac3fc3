//! A skill's name: lowercase ASCII words joined by single hyphens, at most 64 characters.

mod fold;

use std::fmt;

pub use fold::fold;
pub(crate) use fold::{names_spelled, spelled, titled};
use serde::{Deserialize, Deserializer, Serialize};

/// A name that satisfies T0-HEFESTO-07 and the specification (S4–S6).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Name(String);

/// The longest name allowed, in characters (S4).
pub const MAX_NAME: usize = 64;

/// Device names on Windows; a skill with such a name cannot be checked out there.
const DEVICES: &[&str] = &["con", "nul", "aux", "prn"];

/// Why a text is not a valid name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotAName {
    Empty,
    /// More than [`MAX_NAME`] characters, with the count.
    TooLong(usize),
    /// A character other than `a-z`, `0-9` and `-`, or a hyphen at an edge or beside another.
    Form,
    /// A device name on Windows (`con`, `nul`, `com1` …).
    Device,
}

impl Name {
    /// Accepts a text that is a valid name, unchanged.
    /// Errors: the first reason why it is invalid.
    pub fn parse(text: &str) -> Result<Self, NotAName> {
        match text.chars().count() {
            0 => Err(NotAName::Empty),
            _ if !well_formed(text) => Err(NotAName::Form),
            length if length > MAX_NAME => Err(NotAName::TooLong(length)),
            _ if is_device(text) => Err(NotAName::Device),
            _ => Ok(Self(text.to_owned())),
        }
    }

    /// Makes a name from any text, or nothing when no letter or digit of it has an ASCII spelling.
    ///
    /// Latin, Greek and Cyrillic are transliterated; words written together (`MySkill`) are separated; everything
    /// that is neither letter nor digit becomes a hyphen. More than [`MAX_NAME`] characters are cut at a word
    /// boundary, a single longer word at the limit. The result is never a device name.
    pub fn sanitise(text: &str) -> Option<Self> {
        let folded = fold(text);
        let words: Vec<String> = folded.split(|c: char| !c.is_ascii_alphanumeric()).flat_map(fold::humps).collect();
        Self::of_words(words.iter().map(String::as_str))
    }

    /// Joins words that are already lowercase ASCII, as many as fit.
    pub(crate) fn of_words<'a>(words: impl IntoIterator<Item = &'a str>) -> Option<Self> {
        let mut name = String::new();
        for word in words.into_iter().filter(|word| !word.is_empty()) {
            if name.is_empty() {
                name.extend(word.chars().take(MAX_NAME));
            } else if name.len() + 1 + word.len() <= MAX_NAME {
                name.push('-');
                name.push_str(word);
            } else {
                break;
            }
        }
        if is_device(&name) {
            name.push_str("-skill");
        }
        Self::parse(&name).ok()
    }

    /// The name as a heading: `api-docs-v2` becomes `API Docs v2`.
    pub fn title(&self) -> String {
        self.0.split('-').map(titled).collect::<Vec<_>>().join(" ")
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).map_err(|_| serde::de::Error::custom("no skill name"))
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Whether the text matches `^[a-z0-9]+(-[a-z0-9]+)*$`, to the last byte.
pub fn well_formed(text: &str) -> bool {
    let plain = |word: &str| word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    text.split('-').all(|word| !word.is_empty() && plain(word))
}

pub(crate) fn is_device(text: &str) -> bool {
    let port = |name: &str| text.strip_prefix(name).is_some_and(|n| matches!(n.as_bytes(), [b'1'..=b'9']));
    DEVICES.contains(&text) || port("com") || port("lpt")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn good_names_pass_unchanged_and_the_constitutions_bad_samples_are_refused() {
        let (longest, too_long) = ("a".repeat(64), "a".repeat(65));
        for good in ["a", "api-docs-v2", "con-man", "com10", "1st-steps", &longest] {
            assert_eq!(Name::parse(good).map(|n| n.to_string()).as_deref(), Ok(good));
        }
        for bad in ["Code-Review", "-testing", "api--docs", "a-", "a_b", "á", "a b", "a\n", "١"] {
            assert_eq!(Name::parse(bad), Err(NotAName::Form), "{bad:?}");
        }
        for (bad, why) in [("", NotAName::Empty), (&too_long, NotAName::TooLong(65)), ("com1", NotAName::Device)] {
            assert_eq!(Name::parse(bad), Err(why), "{bad:?}");
        }
    }

    #[test]
    fn any_text_with_letters_becomes_a_name_cut_between_words_and_one_without_gives_none() {
        let (letters, words) = ("a".repeat(70), "lengthy ".repeat(20));
        let (cut, eight) = ("a".repeat(64), ["lengthy"; 8].join("-"));
        for (text, name) in [
            ("My Skill!", "my-skill"),
            ("MySkill_v1", "my-skill-v1"),
            ("HTMLParser", "html-parser"),
            ("GitHub PRs", "github-prs"),
            ("S3Bucket cleanup", "s3-bucket-cleanup"),
            ("boas práticas", "boas-praticas"),
            ("Straße", "strasse"),
            ("мой навык", "moi-navyk"),
            ("-- weird -- leading --", "weird-leading"),
            ("don't panic", "dont-panic"),
            ("日本語 docs", "docs"),
            ("con", "con-skill"),
            ("COM1", "com1-skill"),
            (&letters, &cut),
            (&words, &eight),
        ] {
            assert_eq!(Name::sanitise(text).map(|name| name.to_string()).as_deref(), Some(name), "{text}");
        }
        for text in ["", "!!!", "日本語のスキル", "🎉", " \n\t", "---"] {
            assert_eq!(Name::sanitise(text), None, "{text}");
        }
    }

    #[test]
    fn titles_keep_acronyms() {
        for (name, title) in [("api-docs-v2", "API Docs v2"), ("validate-email-addresses", "Validate Email Addresses")]
        {
            assert_eq!(Name::parse(name).unwrap().title(), title);
        }
    }

    proptest::proptest! {
        #[test]
        fn whatever_comes_out_is_a_name(text in "\\PC{0,200}") {
            if let Some(name) = Name::sanitise(&text) {
                assert_eq!(Name::parse(name.as_str()), Ok(name.clone()));
                assert_eq!(Name::sanitise(name.as_str()), Some(name));
            }
        }
    }
}
