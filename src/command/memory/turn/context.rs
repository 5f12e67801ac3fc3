//! `memory turn context`: the context a drafter would get, with the source of each line. Writes nothing.

use std::cell::OnceCell;

use serde_json::json;

use super::{budget_text, label};
use crate::client::detect;
use crate::command::memory::looked_into;
use crate::config;
use crate::error::{Code, Error, Result};
use crate::memory::context::{self, TurnInputs};
use crate::memory::turn::{self, InitialiseError, Initialised, Setup};
use crate::project::Project;
use crate::project::inventory::Seen;
use crate::report::Report;
use crate::rules::input::{self, Field};
use crate::system::env::Env;
use crate::system::input as system_input;
use crate::terminal::ui;

pub(super) fn context(env: &mut Env, project: &Project, description: &str, budget: Option<usize>) -> Result<Report> {
    if let Some(refusal) = input::refuse(description, Field::Description) {
        return Err(super::notes::refused(env, project, "description", description, &refusal));
    }
    let settings = config::load(env, project)?;
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
        seen: &Seen::default(),
        skills: OnceCell::new(),
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
