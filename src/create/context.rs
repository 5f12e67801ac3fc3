//! What a run takes from the memory at P0 (its turn, and with `--session` the entries of a calling agent's session) and
//! leaves there at its end (an episode, a fact).

use std::cell::OnceCell;

use serde_json::{Value, json};

use super::{Decision, Request, Run, checks, persist::Receipt, remembered, run::Turn};
use crate::client::host::Host;
use crate::config::Settings;
use crate::error::{Code, Error, Exit, Result};
use crate::memory::context::{self, InstalledSkill, TurnInputs};
use crate::memory::stm::connect::{Sessions, coded};
use crate::memory::stm::{Category, Entry, Filter, Refusal, Word, resolve};
use crate::memory::turn::{Episode, Fact, InitialiseError, Initialised, NoteKind, Outcome, Part, SessionNote, Setup};
use crate::memory::{Ending, Memory, NewRun, PhaseRecord, RunEvent, Status, ring::Phase};
use crate::project::{DATABASE, Project, inventory::Seen};
use crate::rules::input::{self, Field};
use crate::system::{env::Env, input as system_input};

/// Initialises the run's turn (TURN) and returns what its phase keeps of it. If the turn has begun already, with
/// another request, its context is built again. A failing memory does not fail the run.
pub(super) fn begin_turn(run: &mut Run<'_>, asked: &str) -> Value {
    let watch = run.env.watch();
    let parent = match &run.context.turn {
        Some(turn) => turn.parent.clone(),
        None => run.memory().and_then(|memory| memory.turn_of(&run.id).ok().flatten()),
    };
    let mut setup = setup(run.env, &run.settings, parent, asked);
    if let Some(turn) = run.context.turn.take() {
        setup.turn_id = turn.id;
    }
    let (id, parent) = (setup.turn_id.clone(), setup.parent_turn_id.clone());
    run.context.turn = Some(Turn { id, parent, asked: asked.trim().to_owned() });
    let clients: Vec<String> = run.observe_clients().into_iter().map(|client| client.row.id).collect();
    let (turn, skills) = {
        let _snapshot = run.memory().map(Memory::snapshot);
        let here = TurnInputs {
            project: &run.project,
            settings: &run.settings,
            clients: &clients,
            memory: run.memory(),
            templates: system_input::template_names(&system_input::template_places(run.env, &run.project)),
            run: Some(&run.id),
            setup,
            session: &run.context.session,
            seen: &run.skill_cache,
            skills: OnceCell::new(),
        };
        let mut clock = || u64::try_from(watch.elapsed().as_micros()).unwrap_or(u64::MAX);
        let turn = crate::memory::turn::initialise(here.sources(), &mut clock);
        here.skills();
        (turn, here.skills.into_inner().unwrap_or_default())
    };
    run.observe_skills(skills);
    match turn {
        Ok(turn) => {
            let (facts, record) = (fact_keys(&turn), record(&turn));
            run.note(RunEvent::Informed(Box::new(turn), facts));
            record
        }
        Err(failed) => json!({ "failed": why(failed) }),
    }
}

/// The installed skills, when no run begins (`--brief`).
pub(super) fn installed(env: &mut Env, project: &Project, settings: &Settings) -> Vec<InstalledSkill> {
    let setup = setup(env, settings, None, "");
    let here = TurnInputs {
        project,
        settings,
        clients: &[],
        memory: None,
        templates: Vec::new(),
        run: None,
        setup,
        session: &[],
        seen: &Seen::default(),
        skills: OnceCell::new(),
    };
    here.skills().to_vec()
}

fn setup(env: &mut Env, settings: &Settings, parent: Option<String>, asked: &str) -> Setup {
    Setup {
        turn_id: env.new_id(),
        agent_id: "hefesto".into(),
        user_id: env.var("USER").or_else(|| env.var("LOGNAME")).unwrap_or("user").to_owned(),
        mode: context::mode(parent.is_some(), env.prompter.present(), env.var("CI").is_some()),
        parent_turn_id: parent,
        asked: asked.to_owned(),
        now: env.now().as_millisecond(),
        total: settings.turn_tokens.value,
    }
}

fn why(failed: InitialiseError) -> String {
    match failed {
        InitialiseError::Setup(why) => why.to_owned(),
        InitialiseError::Budget { needed, total } => format!("{needed} tokens do not fit in {total}"),
    }
}

fn fact_keys(turn: &Initialised) -> Vec<String> {
    let semantic = turn.context.fragments.iter().filter(|fragment| fragment.part == Part::Semantic);
    semantic.flat_map(|fragment| &fragment.items).map(|line| line.id.clone()).collect()
}

/// The part of a turn in P0's checkpoint: budgets, sources and hashes, not the texts.
fn record(turn: &Initialised) -> Value {
    let breakdown: serde_json::Map<String, Value> = Part::ALL
        .iter()
        .zip(turn.context.loaded())
        .map(|(part, tokens)| (part.word().to_owned(), json!(tokens)))
        .collect();
    json!({
        "turn_id": turn.setup.turn_id, "parent_turn_id": turn.setup.parent_turn_id, "mode": turn.setup.mode,
        "urgency": turn.urgency, "budget": turn.budget, "source_breakdown": breakdown,
        "total_tokens": turn.context.tokens(), "context_hash": turn.context.hash(), "warnings": turn.warnings,
        "timed_out": turn.timed_out, "counter": "estimate",
    })
}

/// Prepares what to remember of the finished skill when the run ends: an episode and a fact.
pub(super) fn learn(run: &mut Run<'_>, receipt: &Receipt) {
    let (plan, draft) = (&receipt.proposal.plan, &receipt.proposal.draft);
    let at = run.env.now().as_millisecond();
    let places: Vec<&str> = plan.written().map(|entry| entry.target.id.as_str()).collect();
    let how = plan.written().map(|entry| entry.action.word()).next().unwrap_or("create");
    let text = format!("`{}` ({how}) for {}: {}", plan.name, places.join(", "), draft.description);
    let subject = subject(run);
    let episode = Episode {
        text: clean(&text),
        ..episode(&run.id, run.record.skill.as_ref(), Outcome::Done, subject, Phase::Finish, at)
    };
    let first = plan.written().next().map(|entry| entry.display_path.clone()).unwrap_or_default();
    let fact = Fact {
        key: context::fact_key(plan.name.as_str()),
        version: 1,
        text: clean(&context::fact_text(plan.name.as_str(), &draft.description)),
        source: format!("memory.db, from {first}"),
        importance: 0.6,
        updated_at: at - at.rem_euclid(1000),
        access_count: 0,
    };
    let answers = remembered::learned(run, draft);
    let facts = [vec![fact], remembered::chosen(run, &draft.name)].concat();
    run.context.learned = Some((episode, facts, answers));
}

/// The description in the arguments, safe to store before P1 has checked it: input that P1 would refuse is replaced by
/// the name of the rule, and it is cut to the length P1 accepts. None if the wizard will ask.
pub(super) fn asked(request: &Request) -> Option<String> {
    let asked = request.args.description.as_deref().map(str::trim).filter(|asked| !asked.is_empty())?;
    if let Some(refusal) = input::refuse(asked, Field::Description) {
        return Some(format!("[REDACTED:{}]", refusal.kind));
    }
    Some(crate::skill::printable::beginning(asked, checks::MAX_DESCRIPTION))
}

/// Remembers a run that failed in P0, if the project has a memory. A failure to write this is not reported: the error
/// of the run is.
pub(super) fn not_begun(env: &mut Env, request: &Request, error: &Error) {
    let Ok(project) = request.scope.project(env) else { return };
    if !project.exists(DATABASE) {
        return;
    }
    let (id, at) = (env.new_id(), env.now());
    let status = match error.exit_with() {
        Exit::Declined | Exit::TimedOut | Exit::Signal(_) => Status::Declined,
        _ => Status::Failed,
    };
    let outcome = if status == Status::Failed { Outcome::Failed } else { Outcome::Declined };
    let asked = asked(request);
    let subject = asked.clone().filter(|asked| !asked.starts_with("[REDACTED:")).unwrap_or_default();
    let episode = episode(&id, None, outcome, subject, Phase::Preflight, at.as_millisecond());
    let episode = failed("", Phase::Preflight, error, episode);
    let phases = [PhaseRecord { phase: Phase::Preflight.name().into(), status: outcome.word().into(), ms: 0 }];
    let code = error.code().to_string();
    let (phase, error, episode) = (Some(Phase::Preflight), Some(code.as_str()), Some(&episode));
    let ending = Ending { status, at, phase, error, phases: &phases, episode, facts: &[], answers: &[] };
    // It pushes no checkpoint, so it needs no lane.
    let new = NewRun { id: &id, command: "create", at, lane: 0, asked: asked.as_deref(), who: None };
    let _unsaid = Memory::open(&project.database(), at.as_millisecond())
        .and_then(|mut memory| memory.begin(new).and_then(|()| memory.end(&id, &ending)));
}

/// An episode that ended with an error: what it was, its code and the remedy.
fn failed(about: &str, phase: Phase, error: &Error, episode: Episode) -> Episode {
    let (word, name, said) = (episode.kind.word(), phase.name(), error.message());
    let text = format!("{about}{word} in {phase} {name} with {}: {}", error.code(), said.trim_end_matches('.'));
    Episode {
        text: format!("{}.", clean(&text)),
        error_code: Some(error.code().to_string()),
        cure: Some(clean(error.suggestion())),
        ..episode
    }
}

/// The episode of a failed run: its code, its phase and the remedy.
pub(super) fn ended(run: &mut Run<'_>, status: Status, error: Option<&Error>) -> Option<Episode> {
    let outcome = match status {
        Status::Failed => Outcome::Failed,
        Status::Declined => Outcome::Declined,
        Status::Running | Status::Paused | Status::Done | Status::DryRun => return None,
    };
    // A mistyped digest or argument and a wizard that was left at once are no lesson for the next run.
    if run.record.decision == Decision::DigestMismatch
        || error.map(Error::code) == Some(Code::Usage)
        || (subject(run).is_empty() && error.map(Error::code) == Some(Code::CreateCancelled))
    {
        return None;
    }
    let (error, phase) = (error?, run.phase);
    let (at, subject) = (run.env.now().as_millisecond(), subject(run));
    let about = run.record.skill.as_ref().map(|skill| format!("`{skill}` ")).unwrap_or_default();
    let episode = episode(&run.id, run.record.skill.as_ref(), outcome, subject, phase, at);
    Some(failed(&about, phase, error, episode))
}

fn episode(id: &str, skill: Option<&String>, kind: Outcome, subject: String, phase: Phase, at: i64) -> Episode {
    Episode {
        run_id: id.to_owned(),
        kind,
        subject,
        text: String::new(),
        skill: skill.cloned(),
        error_code: None,
        phase: phase.name().to_owned(),
        cure: None,
        importance: kind.importance(),
        at,
    }
}

/// The description, safe to remember: empty if it was refused.
fn subject(run: &mut Run<'_>) -> String {
    let state = run.state(Phase::Intake).ok().flatten();
    let known = state.and_then(|state| state["description"].as_str().map(str::to_owned));
    let asked = known.or_else(|| run.args.description.clone()).unwrap_or_default();
    let asked = asked.trim();
    let fit = asked.chars().count() <= checks::MAX_DESCRIPTION && input::refuse(asked, Field::Description).is_none();
    if fit { asked.to_owned() } else { String::new() }
}

fn clean(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    crate::rules::secrets::redact(&line).0.into_owned()
}

/// The type or tag of an entry that says where something is found.
const REFERENCE: &str = "context_reference";

/// Fields in which agents put a text, the most specific first.
const FIELDS: [&str; 12] = [
    "input", "text", "content", "message", "conclusion", "reasoning", "thought", "summary", "reference", "path", "url",
    "description",
];

/// The entries of an open session that a run can use, oldest first.
/// Errors: E-MEMORY-025 if no such session is open, E-MEMORY-026 if its server cannot be reached.
pub(super) fn joined_session(
    env: &mut Env,
    project: &Project,
    settings: &Settings,
    id: &Word,
) -> Result<Vec<SessionNote>> {
    let host = Host::of(|name| env.var(name));
    let mut sessions = Sessions::look(project, settings)?;
    let asked = sessions.ask(env, |stm| {
        let all = stm.sessions()?;
        let key = resolve(&all, id.as_str(), None, host.embodiment(), host == Host::Person);
        if !all.iter().any(|session| session.key == key && session.is_open()) {
            return Err(Refusal::NoSuchSession { session: id.to_string() }.into());
        }
        Ok(stm.look(&key, &Filter { limit: usize::MAX, ..Filter::default() })?.entries)
    });
    let entries = asked.map_err(|error| coded(env, project, error))?;
    Ok(entries.iter().rev().filter_map(|entry| session_note(id, entry)).collect())
}

fn session_note(session: &Word, entry: &Entry) -> Option<SessionNote> {
    let head = &entry.head;
    let refers = entry.content["type"] == REFERENCE || head.tags.iter().any(|tag| tag == REFERENCE);
    let kind = match head.category {
        _ if refers => NoteKind::Reference,
        Category::UserInput => NoteKind::Input,
        Category::ReasoningState => NoteKind::Reasoning,
        _ => return None,
    };
    let text = said(&entry.content).split_whitespace().collect::<Vec<_>>().join(" ");
    let note = SessionNote { id: head.id.clone(), session: session.to_string(), kind, text, at: head.created_at };
    Some(note).filter(|note| !note.text.is_empty())
}

/// The text of an entry: a string, its text field, or the whole content as JSON.
fn said(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Object(fields) => {
            let text = FIELDS.iter().find_map(|field| fields.get(*field)?.as_str());
            match (text, fields.get("data")) {
                (Some(text), _) => text.to_owned(),
                (None, Some(data)) => said(data),
                (None, None) => content.to_string(),
            }
        }
        other => other.to_string(),
    }
}
