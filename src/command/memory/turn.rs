//! `memory turn …`: the context each run began with, and the notes for the next one.

mod context;
mod notes;

pub(super) use notes::open_notes;

use serde_json::{Map, Value, json};

use super::{UNREADABLE, looked_into, read, table, table_or};
use crate::cli::{OfTurn, Turn};
use crate::error::{Code, Coded, Error, Result};
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
    let turn = memory.find_turn(of.turn.as_deref()).coded(Code::Io, UNREADABLE)?.ok_or_else(none)?;
    Ok((memory, turn))
}

fn list(env: &Env, project: &Project, limit: usize) -> Result<Report> {
    let turns = read(project)?.turns(limit).coded(Code::Io, UNREADABLE)?;
    Ok(Report::done(json!({ "turns": turns }), turns_text(env, &turns)))
}

pub(super) fn turns_text(env: &Env, turns: &[TurnRecord]) -> String {
    let none = env.spelled("No turns yet. `hefesto create` makes the first one.".into());
    let now = env.now().as_millisecond();
    table_or(&none, env.style, &["TURN", "STARTED", "MODE", "URGENCY", "TOKENS", "INIT", "STATUS"], turns, |turn| {
        vec![
            turn.turn_id.clone(),
            ui::ago(now, turn.started_at),
            turn.mode.clone(),
            turn.urgency.clone(),
            turn.budget.loaded().to_string(),
            ms(turn.init_us.unsigned_abs()),
            turn.status.clone(),
        ]
    })
}

fn ms(us: u64) -> String {
    format!("{:.2} ms", us as f64 / 1000.0)
}

fn show(env: &Env, project: &Project, of: &OfTurn) -> Result<Report> {
    let (memory, turn) = found(project, of)?;
    let items = memory.turn_items(&turn).coded(Code::Io, UNREADABLE)?;
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
    let mut text = format!(
        "Turn {} of run {run}: {}, {}, mode {}, urgency {}\n",
        turn.turn_id,
        turn.status,
        ui::ago(now, turn.started_at),
        turn.mode,
        turn.urgency
    );
    if let Some(parent) = &turn.parent_turn_id {
        text.push_str(&format!("Continues turn {parent}\n"));
    }
    text.push_str(&format!(
        "Context {} of {} tokens, hash {}\n\n",
        turn.budget.loaded(),
        turn.budget.total,
        short(&turn.context_hash)
    ));
    text.push_str(&table(style, &["SOURCE", "FROM", "LINES", "TOKENS", "HASH"], &turn.fragments, |fragment| {
        let version = fragment.version.as_ref().map(|version| format!(" {version}")).unwrap_or_default();
        vec![
            label(&fragment.part).to_owned(),
            format!("{}{version}", fragment.source),
            fragment.items.len().to_string(),
            fragment.tokens.to_string(),
            short(&fragment.hash).to_owned(),
        ]
    }));
    text.push_str(&format!("\n{}\n", style.head("Working memory")));
    text.push_str(&table(style, &["POSITION", "ITEM", "TYPE", "IMPORTANCE", "TOKENS"], &items, |item| {
        vec![
            item.position.to_string(),
            label(&item.id).to_owned(),
            item.kind.clone(),
            format!("{:.2}", item.importance),
            item.tokens.to_string(),
        ]
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
        let of = cap(name).unwrap_or(budget.total);
        let most = cap(name).map(|cap| cap.to_string()).unwrap_or_default();
        [label(name).to_owned(), tokens.to_string(), most, ui::bar(style, tokens, of, 20)]
    });
    let total = ["total".into(), budget.total.to_string(), String::new(), String::new()];
    ui::table(style, &["SHARE", "TOKENS", "AT MOST", ""], rows.chain([total]))
}

fn trace(env: &Env, project: &Project, of: &OfTurn) -> Result<Report> {
    let (memory, turn) = found(project, of)?;
    let spans = memory.spans(&turn).coded(Code::Io, UNREADABLE)?;
    let events = memory.trace_events(&turn).coded(Code::Io, UNREADABLE)?;
    let data = json!({ "turn_id": turn.turn_id, "run_id": turn.run_id, "spans": spans, "events": events });
    let headings = ["#", "PHASE", "AT", "TOOK", "TARGET", "TOKENS", "STATUS"];
    let spans = table(env.style, &headings, &spans, |span| {
        vec![
            span.seq.to_string(),
            label(&span.name).to_owned(),
            ms(span.start_us),
            ms(span.took_us),
            span.target_ms.map(|target| format!("{target} ms")).unwrap_or_default(),
            span.tokens.to_string(),
            span.status.clone(),
        ]
    });
    let mut text = format!("Turn {}\n\n{spans}", turn.turn_id);
    if !events.is_empty() {
        let events = table(env.style, &["AT", "IN", "KIND", "WHAT"], &events, |event| {
            vec![ms(event.at_us), label(&event.component).to_owned(), event.kind.clone(), event.message.clone()]
        });
        text.push_str(&format!("\n{events}"));
    }
    Ok(Report::done(data, text))
}
