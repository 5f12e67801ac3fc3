//! `schema [COMMAND]`: the JSON Schema of a command's `--json` answer.

use serde_json::{Map, Value, json};

use super::help::called;
use crate::error::{Code, Error, Result};
use crate::report::{Form, Report};
use crate::schema as schemas;

/// Runs `hefesto schema`. Without a command, all of them. Errors: E-USAGE-001 for a command without a JSON answer.
pub(super) fn schema(words: &[String]) -> Result<Report> {
    if words.is_empty() {
        let all: Map<String, Value> =
            schemas::commands().filter_map(|command| Some((command.to_owned(), schemas::of(command)?))).collect();
        return Ok(schema_report(json!({ "schemas": all }), &Value::Object(all.clone())));
    }
    let command = called(words);
    match schemas::of(&command) {
        Some(found) => {
            let all = Map::from_iter([(command, found.clone())]);
            Ok(schema_report(json!({ "schemas": all }), &found))
        }
        None => {
            let mut near: Vec<(f64, &str)> =
                schemas::commands().map(|known| (strsim::jaro_winkler(&command, known), known)).collect();
            near.sort_by(|one, other| other.0.total_cmp(&one.0));
            let near: Vec<String> = near.iter().take(5).map(|(_, name)| format!("`{name}`")).collect();
            Err(Error::new(Code::Usage, format!("there is no answer of a command {command:?}"))
                .suggest(format!("The nearest: {}. `hefesto schema` prints all.", near.join(", ")))
                .usage("hefesto schema [COMMAND]"))
        }
    }
}

fn schema_report(data: Value, shown: &Value) -> Report {
    let text = serde_json::to_string_pretty(shown).unwrap_or_default();
    Report::done(data, format!("{text}\n")).form(Form::Json)
}
