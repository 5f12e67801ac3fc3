//! The content of an operation: JSON from `--content` or from standard input.

use serde_json::Value;

use crate::error::{Code, Error, Result};
use crate::system::env::Env;
use crate::system::input;

/// Reads the JSON of `--content`, or standard input if the flag is missing or `-`, up to a limit in bytes.
pub(super) fn content_up_to(env: &mut Env, given: Option<&str>, most: u64) -> Result<Value> {
    let (text, place) = match given {
        Some(text) if text != "-" => (text.to_owned(), "--content"),
        _ => (input::read_stdin_up_to(env, most)?, "standard input"),
    };
    serde_json::from_str(&text).map_err(|error| {
        let place = format!("{place} is not JSON (line {}, column {})", error.line(), error.column());
        Error::new(Code::Usage, place).suggest("Give one JSON value, such as '{\"note\": \"text\"}'.")
    })
}

/// [`content_up_to`] the usual limit of a text.
pub(super) fn content(env: &mut Env, given: Option<&str>) -> Result<Value> {
    content_up_to(env, given, input::MAX_TEXT)
}
