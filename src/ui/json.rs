//! The one JSON document of a command (`schema` hefesto/1).

use serde_json::{Value, json};

use crate::error::{Result, Warning};
use crate::report::Report;

/// Renders the answer of a command with its line end.
#[must_use]
pub fn json(command: &str, outcome: &Result<Report>, warnings: &[Warning]) -> String {
    let (ok, data, error) = match outcome {
        Ok(report) => (true, report.data.clone(), Value::Null),
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
    let answer = json!({
        "schema": "hefesto/1",
        "command": command,
        "ok": ok,
        "data": data,
        "warnings": warnings,
        "error": error,
    });
    format!("{answer}\n")
}
