//! `memory turn …`: the context each run began with, and the notes for the next one.

mod context;
mod notes;

pub(super) use notes::open_notes;

use serde_json::{Map, Value, json};

use super::{looked_into, read, table, table_or, unreadable};
use crate::cli::{OfTurn, Turn};
use crate::error::{Code, Error, Result};
use crate::memory::turn::{Budget, Part};
use crate::memory::{Memory, TurnRecord};
use crate::project::Project;
use crate::report::Report;
use crate::system::env::Env;
use crate::terminal::ui::{self, Style};

pub(super) fn turn(env: &mut Env, project: &Project, command: &Turn) -> Result<Report> {
    match command {
        Turn::List { limit } => list(env, project, *limit),
        Turn::Show(of) => show(env, project, of),
        Turn::Budget(of) => budget(env, project, of),
        Turn::Trace(of) => trace(env, project, of),
        Turn::Context { description, budget } => context::context(env, project, description, *budget),
        Turn::Observe(given) => notes::observe(env, project, given),
        Turn::Goal(given) => notes::goal(env, project, given),
    }
}

fn found(project: &Project, of: &OfTurn) -> Result<(Memory, TurnRecord)> {
    let none = || match &of.turn {
        Some(wanted) => Error::new(Code::NoSuchTurn, format!("no turn, or more than one, has the id {wanted:?}")),
        None => Error::new(Code::NoSuchTurn, "there is no turn yet").suggest("`hefesto create` makes the first one."),
    };
    let memory = looked_into(project)?.ok_or_else(none)?;
    let turn = memory.find_turn(of.turn.as_deref()).map_err(unreadable)?.ok_or_else(none)?;
    Ok((memory, turn))
}

fn list(env: &Env, project: &Project, limit: usize) -> Result<Report> {
    let turns = read(project)?.turns(limit).map_err(unreadable)?;
    Ok(Report::done(json!({ "turns": turns }), turns_text(env, &turns)))
}

pub(super) fn turns_text(env: &Env, turns: &[TurnRecord]) -> String {
    let none = env.spelled("No turns yet. `hefesto create` makes the first one.".into());
    let now = env.now().as_millisecond();
    table_or(&none, env.style, &["TURN", "STARTED", "MODE", "URGENCY", "TOKENS", "INIT", "STATUS"], turns, |turn| {
        let (started, took) = (ui::ago(now, turn.started_at), ms(turn.init_us.unsigned_abs()));
        row![turn.turn_id, started, turn.mode, turn.urgency, turn.budget.loaded(), took, turn.status]
    })
}

fn ms(us: u64) -> String {
    format!("{:.2} ms", us as f64 / 1000.0)
}

fn show(env: &Env, project: &Project, of: &OfTurn) -> Result<Report> {
    let (memory, turn) = found(project, of)?;
    let items = memory.turn_items(&turn).map_err(unreadable)?;
    let breakdown: Map<String, Value> =
        turn.breakdown().into_iter().map(|(part, tokens)| (part.to_owned(), json!(tokens))).collect();
    let data = json!({
        "turn": turn,
        "budget": turn.budget,
        "source_breakdown": breakdown,
        "fragments": turn.fragments,
        "items": items,
    });
    let style = env.style;
    let now = env.now().as_millisecond();
    let run = turn.run_id.as_deref().unwrap_or("-");
    let TurnRecord { turn_id, status, mode, urgency, .. } = &turn;
    let started = ui::ago(now, turn.started_at);
    let mut text = format!("Turn {turn_id} of run {run}: {status}, {started}, mode {mode}, urgency {urgency}\n");
    if let Some(parent) = &turn.parent_turn_id {
        text.push_str(&format!("Continues turn {parent}\n"));
    }
    let (loaded, hash) = (turn.budget.loaded(), short(&turn.context_hash));
    text.push_str(&format!("Context {loaded} of {} tokens, hash {hash}\n\n", turn.budget.total));
    text.push_str(&table(style, &["SOURCE", "FROM", "LINES", "TOKENS", "HASH"], &turn.fragments, |fragment| {
        let version = fragment.version.as_ref().map(|version| format!(" {version}")).unwrap_or_default();
        let from = format!("{}{version}", fragment.source);
        row![label(&fragment.part), from, fragment.items.len(), fragment.tokens, short(&fragment.hash)]
    }));
    text.push_str(&format!("\n{}\n", style.head("Working memory")));
    text.push_str(&table(style, &["POSITION", "ITEM", "TYPE", "IMPORTANCE", "TOKENS"], &items, |item| {
        row![item.position, label(&item.id), item.kind, format!("{:.2}", item.importance), item.tokens]
    }));
    for warning in &turn.warnings {
        text.push_str(&format!("{} {}\n", style.mark(), crate::skill::printable(warning)));
    }
    Ok(Report::done(data, text))
}

/// The display name of a source or phase; JSON and the database use its original name.
pub(super) fn label(word: &str) -> &str {
    match word {
        "consciousness" => "identity",
        "fc" | "frontal_cortex" => "goals",
        other => other,
    }
}

fn short(hash: &str) -> &str {
    hash.get(..12).unwrap_or(hash)
}

fn budget(env: &Env, project: &Project, of: &OfTurn) -> Result<Report> {
    let (_, turn) = found(project, of)?;
    let data = json!({ "turn_id": turn.turn_id, "budget": turn.budget, "caps": caps() });
    let text = format!("Turn {}\n\n{}", turn.turn_id, budget_text(env.style, &turn.budget));
    Ok(Report::done(data, text))
}

fn caps() -> Map<String, Value> {
    Part::ALL.iter().map(|part| (part.word().to_owned(), json!(part.cap()))).collect()
}

/// The shares of a budget, with a bar for each.
pub(super) fn budget_text(style: Style, budget: &Budget) -> String {
    let cap = |name: &str| name.parse().ok().map(Part::cap);
    let rows = budget.shares().into_iter().map(|(name, tokens)| {
        let most = cap(name).map(|cap| cap.to_string()).unwrap_or_default();
        row![label(name), tokens, most, ui::bar(style, tokens, cap(name).unwrap_or(budget.total), 20)]
    });
    ui::table(style, &["SHARE", "TOKENS", "AT MOST", ""], rows.chain([row!["total", budget.total, "", ""]]))
}

fn trace(env: &Env, project: &Project, of: &OfTurn) -> Result<Report> {
    let (memory, turn) = found(project, of)?;
    let spans = memory.spans(&turn).map_err(unreadable)?;
    let events = memory.trace_events(&turn).map_err(unreadable)?;
    let data = json!({ "turn_id": turn.turn_id, "run_id": turn.run_id, "spans": spans, "events": events });
    let headings = ["#", "PHASE", "AT", "TOOK", "TARGET", "TOKENS", "STATUS"];
    let spans = table(env.style, &headings, &spans, |span| {
        let target = span.target_ms.map(|target| format!("{target} ms")).unwrap_or_default();
        row![span.seq, label(&span.name), ms(span.start_us), ms(span.took_us), target, span.tokens, span.status]
    });
    let mut text = format!("Turn {}\n\n{spans}", turn.turn_id);
    if !events.is_empty() {
        let events = table(env.style, &["AT", "IN", "KIND", "WHAT"], &events, |event| {
            row![ms(event.at_us), label(&event.component), event.kind, event.message]
        });
        text.push_str(&format!("\n{events}"));
    }
    Ok(Report::done(data, text))
}
