//! `config`: every setting in force and where it comes from.

use serde_json::json;

use crate::client::target::{Layout, TABLE};
use crate::config::{self, Origin, Setting, Settings};
use crate::error::{Code, Result};
use crate::report::{Report, Slashed};
use crate::skill::printable;

/// Runs `hefesto config`. Errors: E-CONFIG-001 naming the file or variable and what is wrong with it.
pub(super) fn config(env: &mut crate::system::env::Env, project: &crate::project::Project) -> Result<Report> {
    let settings = config::load(env, project)?;
    let rows = rows(&settings, &config::author(env, &settings, project), &config::stm_namespace(&settings, project));
    for refused in &settings.refused {
        env.warn(Code::RuleNotWeighed, refused.clone());
    }
    let user = env.hefesto_home().map(|dir| dir.join("config.toml"));
    // Only the user may set the programs that detect a configured target; a project may set its skills directory.
    let known =
        |name: &str| config::row(&name.split('.').collect::<Vec<_>>()).map(|(_, who, takes)| (who.word(), *takes));
    let known = |name: &str| known(name).unwrap_or(("project", ""));
    let data = json!({
        "project": project.root().slashed(),
        "files": { "project": project.config().slashed(), "user": user.as_ref().map(|file| file.slashed()) },
        "settings": rows.iter().map(|[name, value, origin]| {
            json!({ "name": name, "value": value, "origin": origin, "set_by": known(name).0 })
        }).collect::<Vec<_>>(),
        "ignored": settings.ignored,
    });
    let lines = rows.into_iter().map(|[name, value, origin]| {
        let (set_by, takes) = known(&name);
        [name, value, origin, set_by.to_owned(), takes.to_owned()]
    });
    let mut shown = crate::terminal::ui::table(env.style, &["SETTING", "VALUE", "FROM", "SET BY", "RANGE"], lines);
    let said = "A setting of \"project\" may be in either file, one of \"user\" only in yours. `target` is where skills go by \
                default; `targets` are the ids it can name. To change a setting, edit the file: `gate_timeout = 60`, or \
                `[draft]` and `mode = \"never\"` below it.\n";
    shown.push_str(&format!("\n{}", env.style.fold(said, 0)));
    shown.push_str(&format!("\nProject: {}\nFile:    {}\n", project.root().slashed(), project.config().slashed()));
    if let Some(user) = user {
        shown.push_str(&format!("User:    {}\n", user.slashed()));
    }
    for ignored in &settings.ignored {
        shown.push_str(&format!("Ignored: {} ({})\n", printable(&ignored.key), ignored.why));
    }
    Ok(Report::done(data, shown))
}

/// One setting as it is shown: its name, value and origin.
type Row = [String; 3];

fn of<T: ToString>(name: &str, setting: &Setting<T>) -> Row {
    shown(name, setting.value.to_string(), &setting.origin)
}

fn shown(name: &str, value: impl Into<String>, origin: &Origin) -> Row {
    [name.to_owned(), value.into(), origin.text()]
}

fn rows(settings: &Settings, author: &Setting<String>, namespace: &str) -> Vec<Row> {
    let command = settings.draft_command.value.join(" ");
    let command = if command.is_empty() { "-".to_owned() } else { printable(&command) };
    let url = settings.stm_url.value.as_deref().map(config::without_login).unwrap_or_default();
    let mut rows = vec![
        of("gate_timeout", &settings.gate_timeout),
        of("wizard_timeout", &settings.wizard_timeout),
        of("author", author),
        of("license", &settings.license),
        of("template", &settings.template),
        shown("draft.mode", settings.draft_mode.value.word(), &settings.draft_mode.origin),
        shown("draft.command", command, &settings.draft_command.origin),
        of("draft.timeout", &settings.draft_timeout),
        of("stm.backend", &settings.stm_backend),
        shown("stm.url", url, &settings.stm_url.origin),
        shown("stm.namespace", namespace, &settings.stm_namespace.origin),
        of("stm.entries", &settings.stm_entries),
        of("stm.entry_bytes", &settings.stm_entry_bytes),
        of("stm.session_bytes", &settings.stm_session_bytes),
        of("stm.hours", &settings.stm_hours),
        of("target", &settings.target),
        of("fifo.capacity", &settings.fifo_capacity),
        of("ooda.events", &settings.ooda_events),
        of("ooda.entities", &settings.ooda_entities),
        of("ooda.entity_seconds", &settings.ooda_entity_seconds),
        of("ooda.event_seconds", &settings.ooda_event_seconds),
        of("ooda.context", &settings.ooda_context),
        of("history.versions", &settings.history_versions),
        of("turn.tokens", &settings.turn_tokens),
        of("runs.wait_days", &settings.wait_days),
        shown("layout", settings.layout.value.map_or("not set", Layout::word), &settings.layout.origin),
    ];
    let custom: Vec<&str> = settings.targets.iter().skip(TABLE.len()).map(|target| target.id.as_str()).collect();
    let origin = match custom.as_slice() {
        [] => "default".to_owned(),
        _ => format!("default, and configured: {}", custom.join(", ")),
    };
    rows.push(["targets".into(), settings.targets.ids(), origin]);
    let rules = settings.rules.iter();
    rows.extend(rules.map(|(id, level)| shown(&format!("rules.{id}"), level.value.word(), &level.origin)));
    rows
}
