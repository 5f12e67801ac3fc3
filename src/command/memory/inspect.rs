//! `memory inspect`: an overview of the memory, or one of its stores. Never writes.

use serde_json::{Value, json};

use super::long;
use super::ring::{RunView, ring_json, ring_text, run_view};
use crate::cli::Store;
use crate::error::{Code, Error, Result};
use crate::memory::ring::{Phase, Windows};
use crate::project::Project;
use crate::report::Report;
use crate::system::env::Env;
use crate::terminal::ui::{self, Style};

fn windows_text(style: Style, now: i64, windows: &Windows) -> String {
    let hang = if style.width < 60 { 2 } else { 22 };
    let mut parts = Vec::new();
    for (name, fields) in windows.named() {
        let mut text = format!("{}\n", style.head(&format!("Window: {name}")));
        for (field, value) in fields {
            let shown = match value {
                Value::String(long) if long.contains('\n') => {
                    format!("({} lines, {})", long.lines().count(), ui::size(long.len() as u64))
                }
                Value::String(line) => match line.parse::<jiff::Timestamp>() {
                    Ok(at) => format!("{} ({line})", ui::ago(now, at.as_millisecond())),
                    Err(_) => line.clone(),
                },
                other => other.to_string(),
            };
            text.push_str(&style.fold(&format!("  {field:<22}{}\n", crate::skill::printable(&shown)), hang));
        }
        parts.push(text);
    }
    parts.join("\n")
}

/// The layout of every store's screen: title with status, contents, and the commands that show more.
fn framed(style: Style, title: &str, mut report: Report, more: &[String]) -> Report {
    let mut text = style.fold(&format!("{}\n", style.head(title)), 2);
    text.push('\n');
    text.push_str(&style.fold(&report.text, 2));
    if !more.is_empty() {
        text.push_str(&format!("\n{}\n", style.head("More")));
        more.iter().for_each(|command| text.push_str(&style.fold(&format!("  {command}\n"), 2)));
    }
    report.text = text;
    report
}

/// The status of a store in a sentence.
fn title(store: Store, data: &Value) -> String {
    let many = |field: &str, word: &str| ui::count(data[field].as_array().map_or(0, Vec::len), word);
    let run = data["run_id"].as_str();
    match store {
        Store::Ring => format!(
            "Ring: {} of {} in use, lane {}, next {}",
            many("slots", "slot"),
            data["capacity"],
            data["lane"],
            data["write_head"]
        ),
        Store::Windows => run.map_or_else(|| "Windows: no run yet".into(), |run| format!("Windows: run {run}")),
        Store::Stm => {
            format!(
                "Short-term memory: {}, in {}",
                many("sessions", "session"),
                data["backend"].as_str().unwrap_or("-")
            )
        }
        Store::Fifo => format!("Conversation queue: {}", many("conversations", "conversation")),
        Store::Ooda => "Live memory of the loop: events, entities, graphs".into(),
        Store::Turn if data["turns"].as_array().is_none_or(Vec::is_empty) => "Turns".into(),
        Store::Turn => format!("Turns: the newest {}", many("turns", "turn")),
        Store::Long => {
            let (episodes, facts) = (many("episodes", "episode"), many("facts", "fact"));
            format!("Long-term memory: {episodes}, {facts}, {}", many("patterns", "pattern"))
        }
    }
}

fn more(store: Store, data: &Value, reached: Option<Phase>) -> Vec<String> {
    let first = |list: &str, field: &str| data[list][0][field].as_str().map(str::to_owned);
    let run = data["run_id"].as_str();
    let all = match store {
        Store::Ring | Store::Windows => vec![
            run.zip(reached).map(|(run, phase)| format!("hefesto memory ring get {phase} --run {run}")),
            Some("hefesto memory ring verify".into()),
        ],
        Store::Stm => vec![
            first("sessions", "session_id").map(|id| format!("hefesto memory stm recall --session {id}")),
            Some("hefesto memory stm stats".into()),
        ],
        Store::Fifo => vec![
            first("conversations", "conversation_id").map(|id| format!("hefesto memory fifo show {id}")),
            Some("hefesto memory fifo search WORD".into()),
        ],
        Store::Ooda => vec![Some("hefesto memory ooda context".into()), Some("hefesto memory ooda epochs".into())],
        Store::Turn => vec![
            first("turns", "turn_id").map(|id| format!("hefesto memory turn show {id}")),
            Some("hefesto memory turn context DESCRIPTION".into()),
        ],
        Store::Long => vec![
            first("episodes", "run_id").map(|run| format!("hefesto memory inspect --run {run}")),
            Some("hefesto memory search WORD".into()),
        ],
    };
    all.into_iter().flatten().collect()
}

pub(super) fn inspect(env: &mut Env, project: &Project, store: Option<Store>, run: Option<&str>) -> Result<Report> {
    if let (Some(Store::Fifo), Some(_)) = (store, run) {
        return Err(Error::new(Code::Usage, "`--run` belongs to the ring and the windows")
            .suggest("Leave `--run` out; `hefesto memory fifo show run_RUN` shows the conversation of one run."));
    }
    let Some(store) = store else { return super::overview::overview(env, project, run) };
    let now = env.now().as_millisecond();
    let mut reached = None;
    let report = match store {
        Store::Fifo => super::fifo::inspect(env, project),
        Store::Turn => long::turns(env, project),
        Store::Long => long::long(env, project),
        Store::Ring | Store::Windows => {
            let view = run_view(project, run)?;
            reached = worth_seeing(&view);
            Ok(match store {
                Store::Ring => Report::done(ring_json(&view), ring_text(env.style, now, &view)),
                _ => windows(env.style, now, &view),
            })
        }
        Store::Stm => {
            let view = run_view(project, run)?;
            super::stm::inspect(env, project, run.and(view.run_id()))
        }
        Store::Ooda => super::ooda::inspect(env, project, run),
    }?;
    let title = title(store, &report.data);
    let more: Vec<String> = more(store, &report.data, reached).into_iter().map(|hint| env.spelled(hint)).collect();
    Ok(framed(env.style, &title, report, &more))
}

/// The most informative phase of a run: the draft's, or the last one if there is no draft.
fn worth_seeing(view: &RunView) -> Option<Phase> {
    let memory = &view.lane.memory;
    let there = |phase: &Phase| memory.slot_of(*phase).is_some();
    Some(Phase::Generate).filter(there).or_else(|| Phase::ALL.into_iter().rev().find(there))
}

fn windows(style: Style, now: i64, view: &RunView) -> Report {
    let windows = Windows::of(&view.lane.memory);
    let data = json!({ "run_id": view.run_id(), "windows": windows });
    Report::done(data, windows_text(style, now, &windows))
}
