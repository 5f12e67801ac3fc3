//! What an operation is given as content: JSON from `--content` or from standard input.

use serde_json::Value;

use crate::error::{Code, Error, Result};
use crate::system::env::Env;
use crate::system::input;

/// Reads the JSON of `--content`, or all of standard input where the flag is missing or `-`; of that at most so many
/// bytes.
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

/// [`content_up_to`] what any text may hold.
pub(super) fn content(env: &mut Env, given: Option<&str>) -> Result<Value> {
    content_up_to(env, given, input::MAX_TEXT)
}
