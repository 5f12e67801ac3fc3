//! One line of `.hefesto/logs/operations.jsonl`: what was done, by whom, and how it was decided (RUN-7).

use serde::Serialize;
use serde_json::{Map, Value};

/// The log entry of a command.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Entry {
    /// When, RFC 3339 UTC.
    pub timestamp: String,
    /// The command's verb: `create`, `overwrite`, `merge`, `reject`, `resume`, `delete` …
    pub operation: String,
    /// The skill it was about; none for commands about the project.
    pub skill_name: Option<String>,
    /// What was decided: `approve`, `reject`, `timeout`, `collision_cancel`, `backup_created` …
    pub decision: String,
    /// Who decided: git's `user.name`, or `user`.
    pub user: String,
    /// The ids of the CLIs concerned.
    pub target_clis: Vec<String>,
    /// How long the person took to answer, in seconds; none if nobody was asked.
    pub response_time_seconds: Option<f64>,
    pub success: bool,
    pub error_message: Option<String>,
    pub run_id: Option<String>,
    /// Further data; left out when empty.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub details: Map<String, Value>,
}

/// The log entry of an input refused for safety: its length and the name of the pattern, never the input.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Security {
    /// What happened, such as `input_refused`.
    pub event: String,
    /// When, RFC 3339 UTC.
    pub timestamp: String,
    /// The length of the refused input, in Unicode scalar values.
    pub input_length: usize,
    /// Which input it was: `description`, `name`, `body` …
    pub field: String,
    /// The id of the rule that matched, such as `T0-HEFESTO-11.injection`.
    pub pattern_detected: String,
}

impl Security {
    /// An entry for an input refused under this rule, with only its length.
    pub fn refused(timestamp: &str, field: &str, input: &str, rule: &str) -> Self {
        Self {
            event: "input_refused".to_owned(),
            timestamp: timestamp.to_owned(),
            input_length: input.chars().count(),
            field: field.to_owned(),
            pattern_detected: rule.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_one_line_whatever_it_says() {
        let entry = Entry {
            timestamp: "2026-02-04T10:30:00Z".into(),
            operation: "create".into(),
            skill_name: Some("review-code".into()),
            decision: "approve".into(),
            user: "Ana\nMaria".into(),
            target_clis: vec!["claude".into()],
            response_time_seconds: Some(1.5),
            success: true,
            ..Entry::default()
        };
        let line = serde_json::to_string(&entry).unwrap();
        assert!(!line.contains('\n') && line.starts_with("{\"timestamp\""), "{line}");
        let read: Value = serde_json::from_str(&line).unwrap();
        assert_eq!((&read["user"], &read["error_message"]), (&"Ana\nMaria".into(), &Value::Null));
        assert!(read.get("details").is_none());
        // A security line holds the length and not the input.
        let line = Security::refused("2026-02-04T10:30:00Z", "description", "é$(reboot)", "T0-HEFESTO-11.injection");
        let line = serde_json::to_string(&line).unwrap();
        assert!(line.contains("\"input_length\":10") && !line.contains("reboot"), "{line}");
    }
}
