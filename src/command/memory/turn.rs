//! `memory turn …`: the context each run began with, the context a drafter would get, and the notes for the next one.

mod notes;

use serde_json::{Map, Value, json};

use super::{looked_into, read, table, table_or, unreadable};
use crate::cli::{OfTurn, Turn};
use crate::client::detect;
use crate::error::{Code, Error, Result};
use crate::memory::context::{self, TurnInputs};
use crate::memory::turn::{self, Budget, InitialiseError, Initialised, Part, Setup};
use crate::memory::{Memory, TurnRecord};
use crate::project::Project;
use crate::report::Report;
use crate::rules::input::{self, Field};
use crate::system::env::Env;
use crate::system::input as system_input;
use crate::terminal::ui::{self, Style};

pub(super) use notes::open_notes;

pub(super) fn turn(env: &mut Env, project: &Project, command: &Turn) -> Result<Report> {
    match command {
        Turn::List { limit } => list(env, project, *limit),
        Turn::Show(of) => show(env, project, of),
        Turn::Budget(of) => budget(env, project, of),
        Turn::Trace(of) => trace(env, project, of),
        Turn::Context { description, budget } => context(env, project, description, *budget),
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
    let beside = turn.fragments.iter().map(|fragment| fragment.tokens).sum::<usize>().saturating_sub(loaded);
    let tools = if beside > 0 { format!(", {beside} more for tools") } else { String::new() };
    text.push_str(&format!("Context {loaded} of {} tokens{tools}, hash {hash}\n\n", turn.budget.total));
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

fn context(env: &mut Env, project: &Project, description: &str, budget: Option<usize>) -> Result<Report> {
    if let Some(refusal) = input::refuse(description, Field::Description) {
        return Err(notes::refused(env, project, "description", description, &refusal));
    }
    let settings = crate::config::load(env, project)?;
    let found = detect::here(&settings.targets, &detect::places(env, project));
    let clients: Vec<String> = found.into_iter().map(|found| found.target.id).collect();
    let memory = looked_into(project).unwrap_or_else(|error| {
        env.warn(Code::TurnPartial, format!("continuing without the memory: {}", error.message()));
        None
    });
    let watch = env.watch();
    let setup = Setup {
        turn_id: env.new_id(),
        agent_id: "hefesto".into(),
        user_id: env.var("USER").or_else(|| env.var("LOGNAME")).unwrap_or("user").to_owned(),
        parent_turn_id: None,
        mode: context::mode(false, env.prompter.present(), env.var("CI").is_some()),
        asked: description.to_owned(),
        now: env.now().as_millisecond(),
        total: budget.unwrap_or(settings.turn_tokens.value),
    };
    let here = TurnInputs {
        project,
        settings: &settings,
        clients: &clients,
        memory: memory.as_ref(),
        templates: system_input::template_names(&system_input::template_places(env, project)),
        run: None,
        setup,
        session: &[],
        seen: &crate::project::inventory::Seen::default(),
        skills: std::cell::OnceCell::new(),
    };
    let mut clock = || u64::try_from(watch.elapsed().as_micros()).unwrap_or(u64::MAX);
    let turn = turn::initialise(here.sources(), &mut clock).map_err(failed)?;
    for warned in &turn.warnings {
        env.warn(Code::TurnPartial, format!("{}: {}", warned.phase, warned.message));
    }
    let data = json!({
        "context": turn.context.text(),
        "total_tokens": turn.context.tokens(),
        "context_hash": turn.context.hash(),
        "mode": turn.setup.mode,
        "urgency": turn.urgency,
        "budget": turn.budget,
        "fragments": turn.context.fragments,
        "spans": turn.trace.spans,
        "events": turn.trace.events,
        "timed_out": turn.timed_out,
    });
    Ok(Report::done(data, text(env, &turn)))
}

fn failed(failed: InitialiseError) -> Error {
    match failed {
        InitialiseError::Setup(why) => Error::new(Code::TurnBudget, why),
        InitialiseError::Budget { needed, total } => {
            Error::new(Code::TurnBudget, format!("identity and rules take {needed} tokens, and there are {total}"))
                .suggest(format!("Give `--budget {needed}` or more, or raise `turn.tokens`."))
        }
    }
}

fn text(env: &Env, turn: &Initialised) -> String {
    let style = env.style;
    let mut text = crate::skill::printable(&turn.context.text());
    text.push_str(&format!("\n{}\n", style.rule("Sources")));
    let rows = turn.context.fragments.iter().flat_map(|fragment| {
        let source = label(fragment.part.word());
        fragment
            .items
            .iter()
            .map(move |line| [source, &line.id, &line.source, &line.why, &line.tokens.to_string()].map(str::to_owned))
    });
    text.push_str(&ui::table(style, &["SOURCE", "LINE", "FROM", "WHY", "TOKENS"], rows));
    text.push_str(&format!("\n{}", budget_text(style, &turn.budget)));
    text.push_str(&format!("\nContext hash {}\n", turn.context.hash()));
    text
}
