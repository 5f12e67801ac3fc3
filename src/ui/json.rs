//! The one JSON document of a command (`schema` hefesto/1).

use std::path::Path;

use serde_json::{Map, Value, json};

use crate::error::{Result, Warning};
use crate::report::Report;

/// Renders the answer of a command with its line end. `root` is the project's, where it is not the current directory.
#[must_use]
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
    // Entered one by one, because `json!` would copy the data, which may be all there is to say of a thousand skills.
    let mut answer = Map::new();
    answer.insert("schema".into(), "hefesto/1".into());
    answer.insert("command".into(), command.into());
    answer.insert("ok".into(), ok.into());
    answer.insert("data".into(), data);
    answer.insert("warnings".into(), json!(warnings));
    answer.insert("error".into(), error);
    if let Some(root) = root {
        answer.insert("root".into(), root.to_string_lossy().into());
    }
    format!("{}\n", Value::Object(answer))
}
