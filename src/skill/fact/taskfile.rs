//! Taskfile.yml: tasks with their descriptions and commands.

use serde_json::Value;

use super::lines::{code, line_of, plain};
use super::yaml;
use super::{Fact, Facts, Risk, Source, purpose};

pub(super) fn read(source: &Source<'_>, out: &mut Facts) {
    let Some(root) = yaml::parsed(source.text) else { return };
    let variables: Vec<(String, String)> =
        yaml::map(&root, "vars").filter_map(|(name, value)| Some((name.clone(), yaml::scalar(value)?))).collect();
    for (name, task) in yaml::map(&root, "tasks") {
        if !plain(name) || task.get("internal").and_then(Value::as_bool) == Some(true) {
            continue;
        }
        let commands = task.get("cmds").or_else(|| task.get("cmd")).unwrap_or(task);
        let each: Vec<String> = match commands {
            Value::String(one) => vec![one.clone()],
            Value::Array(all) => {
                let each = all.iter().filter_map(|one| one.as_str().or_else(|| one.get("cmd")?.as_str()));
                each.map(str::to_owned).collect()
            }
            _ => Vec::new(),
        };
        let mut runs = each.join("; ");
        for (variable, value) in &variables {
            runs = runs.replace(&format!("{{{{.{variable}}}}}"), value);
        }
        let about = task.get("desc").and_then(Value::as_str).unwrap_or_default().trim_end_matches('.');
        let command = format!("task {name}");
        let shown = if runs.is_empty() { String::new() } else { format!(": {}", code(&runs)) };
        let space = if about.is_empty() { "" } else { " " };
        let fact = Fact::new(purpose::of(name, &runs), format!("`{command}`{space}{about}{shown}"));
        let fact = fact.about(name).about(about).about(&runs);
        let risk = Risk::of_name(name).max(Risk::of_command(&runs));
        out.command(source, line_of(source.text, &["tasks:", &format!("{name}:")]), fact.risk(risk), &command);
    }
}
