//! `config`: every setting in force and where it comes from.

use serde_json::json;

use crate::client::target::Layout;
use crate::config;
use crate::error::{Code, Result, Warning};
use crate::project::Project;
use crate::report::Report;
use crate::report::slashed::Slashed;
use crate::skill::printable;
use crate::system::env::Env;
use crate::terminal::ui;

/// Runs `hefesto config`.
/// Errors: E-CONFIG-001 naming the file or variable and what is wrong with it.
pub(super) fn config(env: &mut Env, project: &Project) -> Result<Report> {
    let settings = config::load(env, project)?;
    let author = config::author(env, &settings, project);
    let shown = |words: &[String]| if words.is_empty() { "-".to_owned() } else { printable(&words.join(" ")) };
    let text = |value: &dyn ToString, origin: &config::Origin| (value.to_string(), origin.text());
    let url = settings.stm_url.value.as_deref().map(config::without_login).unwrap_or_default();
    let namespace = config::stm_namespace(&settings, project);
    let mut rows = vec![
        ("gate_timeout", text(&settings.gate_timeout.value, &settings.gate_timeout.origin)),
        ("wizard_timeout", text(&settings.wizard_timeout.value, &settings.wizard_timeout.origin)),
        ("author", text(&author.value, &author.origin)),
        ("license", text(&settings.license.value, &settings.license.origin)),
        ("template", text(&settings.template.value, &settings.template.origin)),
        ("draft.mode", text(&settings.draft_mode.value.word(), &settings.draft_mode.origin)),
        ("draft.command", text(&shown(&settings.draft_command.value), &settings.draft_command.origin)),
        ("draft.timeout", text(&settings.draft_timeout.value, &settings.draft_timeout.origin)),
        ("stm.backend", text(&settings.stm_backend.value, &settings.stm_backend.origin)),
        ("stm.url", text(&url, &settings.stm_url.origin)),
        ("stm.namespace", text(&namespace, &settings.stm_namespace.origin)),
        ("stm.entries", text(&settings.stm_entries.value, &settings.stm_entries.origin)),
        ("stm.entry_bytes", text(&settings.stm_entry_bytes.value, &settings.stm_entry_bytes.origin)),
        ("stm.session_bytes", text(&settings.stm_session_bytes.value, &settings.stm_session_bytes.origin)),
        ("stm.hours", text(&settings.stm_hours.value, &settings.stm_hours.origin)),
        ("target", text(&settings.target.value, &settings.target.origin)),
        ("fifo.capacity", text(&settings.fifo_capacity.value, &settings.fifo_capacity.origin)),
        ("ooda.events", text(&settings.ooda_events.value, &settings.ooda_events.origin)),
        ("ooda.entities", text(&settings.ooda_entities.value, &settings.ooda_entities.origin)),
        ("ooda.entity_seconds", text(&settings.ooda_entity_seconds.value, &settings.ooda_entity_seconds.origin)),
        ("ooda.event_seconds", text(&settings.ooda_event_seconds.value, &settings.ooda_event_seconds.origin)),
        ("ooda.context", text(&settings.ooda_context.value, &settings.ooda_context.origin)),
        ("history.versions", text(&settings.history_versions.value, &settings.history_versions.origin)),
        ("turn.tokens", text(&settings.turn_tokens.value, &settings.turn_tokens.origin)),
        ("runs.wait_days", text(&settings.wait_days.value, &settings.wait_days.origin)),
        ("layout", text(&settings.layout.value.map_or("not set", Layout::word), &settings.layout.origin)),
    ];
    let custom: Vec<String> =
        settings.targets.iter().skip(crate::client::target::TABLE.len()).map(|target| target.id.clone()).collect();
    rows.push((
        "targets",
        (
            settings.targets.ids(),
            if custom.is_empty() {
                "default".into()
            } else {
                format!("default, and configured: {}", custom.join(", "))
            },
        ),
    ));
    let rules: Vec<(String, (String, String))> = settings
        .rules
        .iter()
        .map(|(id, setting)| (format!("rules.{id}"), (setting.value.word().to_owned(), setting.origin.text())))
        .collect();
    rows.extend(rules.iter().map(|(name, set)| (name.as_str(), set.clone())));
    for refused in &settings.refused {
        env.note(Warning::new(Code::RuleNotWeighed, refused.clone()));
    }
    let user = env.hefesto_home().map(|dir| dir.join("config.toml"));
    // Only the user may set the programs that detect a configured target; a project may set its skills directory.
    let known =
        |name: &str| config::row(&name.split('.').collect::<Vec<_>>()).map(|(_, who, takes)| (who.word(), *takes));
    let known = |name: &str| known(name).unwrap_or(("project", ""));
    let data = json!({
        "project": project.root().slashed(),
        "files": { "project": project.config().slashed(), "user": user.as_ref().map(|file| file.slashed()) },
        "settings": rows.iter().map(|(name, (value, origin))| {
            json!({ "name": name, "value": value, "origin": origin, "set_by": known(name).0 })
        }).collect::<Vec<_>>(),
        "ignored": settings.ignored,
    });
    let table: Vec<Vec<String>> = rows
        .into_iter()
        .map(|(name, (value, origin))| {
            let (set_by, takes) = known(name);
            vec![name.to_owned(), value, origin, set_by.to_owned(), takes.to_owned()]
        })
        .collect();
    let mut shown = ui::table(env.style, &["SETTING", "VALUE", "FROM", "SET BY", "RANGE"], &table);
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
