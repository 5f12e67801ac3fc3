//! The one JSON document of a command (`schema` hefesto/1).

use std::path::Path;

use serde_json::{Map, Value, json};

use crate::error::{Result, Warning};
use crate::report::{Report, Slashed};
use crate::skill::printable::{is_plain, needs_escape};

/// Renders the answer of a command with its line end. `root` is the project's, if it is not the current directory.
pub fn json(command: &str, outcome: Result<Report>, warnings: &[Warning], root: Option<&Path>) -> String {
    let (ok, data, error) = match outcome {
        Ok(report) => (true, report.data, Value::Null),
        Err(error) => (
            false,
            Value::Null,
            json!({
                "code": error.code(),
                "message": error.message(),
                "suggestion": error.suggestion(),
                "exit": error.exit_with().number(),
                "findings": error.all_findings(),
            }),
        ),
    };
    // Inserted one by one, because `json!` would copy the data, which may be large.
    let mut answer = Map::new();
    answer.insert("schema".into(), "hefesto/1".into());
    answer.insert("command".into(), command.into());
    answer.insert("ok".into(), ok.into());
    answer.insert("data".into(), data);
    answer.insert("warnings".into(), json!(warnings));
    answer.insert("error".into(), error);
    if let Some(root) = root {
        answer.insert("root".into(), root.slashed().into());
    }
    format!("{}\n", Value::Object(answer))
}

/// The same JSON with control and invisible characters escaped, as JSON allows in any string.
pub fn inert(json: &str) -> String {
    if is_plain(json) {
        return json.to_owned();
    }
    let mut shown = String::with_capacity(json.len());
    for c in json.chars() {
        if needs_escape(c) {
            shown.extend(c.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")));
        } else {
            shown.push(c);
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inert_json_means_the_same_and_steers_nothing() {
        let value = json!({ "a": "\u{1b}]0;x\u{7}\u{9b}\u{7f}\u{202e}\u{e0041}é\n" });
        let shown = inert(&value.to_string());
        assert_eq!(shown, r#"{"a":"\u001b]0;x\u0007\u009b\u007f\u202e\udb40\udc41é\n"}"#);
        assert_eq!(serde_json::from_str::<Value>(&shown).unwrap(), value);
    }
}
