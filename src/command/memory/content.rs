//! What an operation is given as content: JSON from `--content` or from standard input.

use serde_json::Value;

use crate::door;
use crate::env::Env;
use crate::error::{Code, Error, Result};

/// Reads the JSON of `--content`, or all of standard input where the flag is missing or `-`.
///
/// # Errors
/// E-USAGE-001 (exit 2) when it is not JSON; E-IO-001 when standard input cannot be read.
pub(super) fn content(env: &mut Env, given: Option<&str>) -> Result<Value> {
    let (text, place) = match given {
        Some(text) if text != "-" => (text.to_owned(), "--content"),
        _ => (door::read_stdin(env)?, "standard input"),
    };
    serde_json::from_str(&text).map_err(|error| {
        let place = format!("{place} is not JSON (line {}, column {})", error.line(), error.column());
        Error::new(Code::Usage, place).suggest("Give one JSON value, such as '{\"note\": \"text\"}'.")
    })
}
