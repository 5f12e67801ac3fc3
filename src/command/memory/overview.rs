//! `memory inspect` without a store: an overview of all stores. After a failed run it says what happened, in
//! which phase, with which data, and what to do. Never writes.

mod text;

use serde_json::{Value, json};

use super::ring::{RunView, ring_json, run_view};
use super::{bounds, looked_into, unreadable};
use crate::config;
use crate::error::{Code, Result};
use crate::memory::ring::{Phase, Windows};
use crate::memory::stm::{Level, Session, Stats};
use crate::memory::{LARGE, Lane, Memory, PhaseRecord, Run, Status, Usage};
use crate::project::{LANES, Project};
use crate::report::Report;
use crate::system::env::Env;

const GONE: &str =
    "Its process is gone: it was killed, or the machine stopped. What it had not committed was not begun.";
const ALONE: &str = "Nobody was there to approve the skill; nothing was written.";
const WAITS: &str =
    "Nothing is lost: it goes on where it stopped, with what it was given, and the gate is asked again.";

struct Overview {
    view: RunView,
    /// The run is marked as running, but its process is gone.
    dead: bool,
    /// Whether it is about the user's own skills.
    of_user: bool,
    windows: Windows,
    phases: Vec<PhaseRecord>,
    episode: Option<crate::memory::turn::Episode>,
    session: Option<Session>,
    epoch: Option<(String, Vec<crate::memory::ooda::DagStateSnapshot>)>,
    turn: Option<(String, usize, usize)>,
    last_said: Option<String>,
    limits: Vec<Usage>,
    level: Level,
    reasons: Vec<String>,
    /// A newer failed run that is missing in the memory, which could not be written then.
    lost: Option<String>,
}

pub(super) fn overview(env: &mut Env, project: &Project, run: Option<&str>) -> Result<Report> {
    let all = Overview::of(env, project, run)?;
    let text = all.text(env.style, env.now().as_millisecond());
    Ok(Report::done(all.json(), text))
}

/// Which run failed after the newest in the memory, according to the operation log.
fn lost(project: &Project, memory: &Memory, newest: Option<&Run>) -> Option<String> {
    let logged = crate::registry::audit::last(project)?;
    let failed = logged.failed?;
    let at = |text: &str| text.parse::<jiff::Timestamp>().ok();
    if at(&logged.at)? <= at(&newest?.started_at)? || memory.find_run(Some(&logged.run_id)).ok()?.is_some() {
        return None;
    }
    let run = logged.run_id;
    Some(format!(
        "a newer run is not in the memory, which could not be written then; the operation log has it: {run}, {failed}"
    ))
}

#[derive(serde::Serialize)]
struct Verdict {
    stopped_in: Option<Phase>,
    code: Option<String>,
    what: Option<String>,
    cure: Option<String>,
    next: Vec<String>,
}

impl Overview {
    fn of(env: &mut Env, project: &Project, run: Option<&str>) -> Result<Self> {
        let view = run_view(project, run)?;
        let windows = Windows::of(&view.lane.memory);
        let runs = view.run.as_ref().filter(|run| run.status == Status::Running.word());
        let mut all = Self {
            dead: runs.is_some_and(|run| project.rooted(LANES).is_ok_and(|lanes| !Lane::is_held(&lanes, run.lane))),
            of_user: project.is_user(),
            windows,
            phases: Vec::new(),
            episode: None,
            session: None,
            epoch: None,
            turn: None,
            last_said: None,
            limits: Vec::new(),
            level: Level::Healthy,
            reasons: Vec::new(),
            lost: None,
            view,
        };
        if let Some(memory) = looked_into(project)? {
            all.stores(env, project, &memory)?;
            if run.is_none() {
                all.lost = lost(project, &memory, all.view.run.as_ref());
                all.reasons.extend(all.lost.clone());
            }
        }
        all.sessions(env, project);
        all.judge();
        all.reasons = all.reasons.iter().map(|reason| all.typed(reason)).collect();
        Ok(all)
    }

    /// A hint with its commands as they have to be typed for this scope.
    fn typed(&self, hint: &str) -> String {
        if self.of_user { crate::terminal::ui::with_global(hint) } else { hint.to_owned() }
    }

    fn stores(&mut self, env: &mut Env, project: &Project, memory: &Memory) -> Result<()> {
        let run = self.view.run_id().map(str::to_owned);
        if let Some(run) = &run {
            self.phases = memory.phases_of(run).map_err(unreadable)?;
            self.episode = memory.episodes().map_err(unreadable)?.into_iter().find(|one| one.run_id == *run);
            if let Some(epoch) = memory.epoch(Some(run)).map_err(unreadable)? {
                let dags = memory.dags(&epoch.epoch_id).map_err(unreadable)?.dags;
                self.epoch = Some((epoch.epoch_id, dags));
            }
            let turn = memory.find_turn(Some(run)).map_err(unreadable)?;
            self.turn = turn.map(|turn| (turn.turn_id, turn.budget.loaded(), turn.budget.total));
            self.last_said = memory.messages(&format!("run_{run}")).map_err(unreadable)?.pop().map(|said| said.content);
        }
        let known = memory.fifo_statistics().map_err(unreadable)?;
        if config::look(env, project).is_err() {
            self.reasons.push("the settings cannot be used: `hefesto config` says why".into());
        }
        let bounds = bounds(env, project);
        let capacity = bounds.conversations;
        self.limits = memory.usage().map_err(unreadable)?;
        let usage =
            |store, what, used: usize, limit: usize| Usage { store, what, used: used as u64, limit: limit as u64 };
        self.limits.insert(2, usage("fifo", "conversations", known.conversations, capacity));
        if known.conversations >= capacity && known.pinned >= capacity {
            self.reasons.push("every conversation is needed by an unfinished run: `hefesto runs` lists them".into());
        }
        if let Some((epoch, _)) = &self.epoch {
            let now = env.now().as_millisecond();
            let slice = memory.read_context(epoch, None, now).map_err(unreadable)?;
            let bounds = bounds.ooda;
            self.limits.insert(3, usage("ooda", "events", slice.total_events_in_history, bounds.events));
            self.limits.insert(4, usage("ooda", "entities", slice.total_entities_cached, bounds.entities));
        }
        Ok(())
    }

    /// Queries short-term memory, in the database or on a server. An unreachable server is reported, not an error.
    fn sessions(&mut self, env: &Env, project: &Project) {
        let Ok(settings) = config::look(env, project) else { return };
        let now = env.now().as_millisecond();
        let asked = crate::memory::stm::connect::Sessions::look(project, &settings).map(|mut sessions| {
            sessions.ask(env, |stm| Ok((stm.sessions()?, stm.tallies(now - 24 * crate::memory::stm::HOUR)?)))
        });
        let Ok(Ok((sessions, tallies))) = asked else {
            self.reasons.push("short-term memory cannot be reached: `hefesto memory inspect stm` says why".into());
            return;
        };
        let most = settings.stm_limits();
        let fullest = sessions.iter().max_by_key(|one| one.entries);
        let (entries, bytes) = fullest.map_or((0, 0), |one| (one.entries, one.bytes));
        let at = self.limits.iter().position(|one| one.store == "fifo").unwrap_or(self.limits.len());
        if !self.limits.is_empty() {
            let usage = |what, used, limit| Usage { store: "stm", what, used, limit };
            let count = usage("entries of the fullest session", entries, most.entries);
            self.limits.splice(at..at, [count, usage("bytes of it", bytes, most.session_bytes)]);
        }
        let level = Stats::of(&sessions, &tallies).level();
        if level != Level::Healthy {
            let said = format!("short-term memory is {}: `hefesto memory stm stats` says why", level.word());
            self.reasons.push(said);
        }
        if level == Level::Critical {
            self.level = level;
        }
        let run = self.view.run_id();
        self.session = sessions.into_iter().find(|one| run.is_some() && one.is_open() && one.run_id.as_deref() == run);
    }

    /// The health of the memory itself. A failed run is no damage.
    fn judge(&mut self) {
        if !self.view.lane.damaged.is_empty() {
            self.level = Level::Critical;
            let said = "a slot of the ring does not match its checksum: `hefesto memory ring verify` lists the slots";
            self.reasons.insert(0, said.into());
        }
        if self.limits.iter().any(|one| one.store == "database" && one.used >= LARGE) {
            self.reasons.push("the database is large: `hefesto memory prune`, then `hefesto memory vacuum`".into());
        }
        if self.level == Level::Healthy && !self.reasons.is_empty() {
            self.level = Level::Warning;
        }
    }

    /// How the run ended, in which phase, and what to do.
    fn verdict(&self, run: &Run) -> Verdict {
        let memory = &self.view.lane.memory;
        let failed = self.phases.iter().find(|one| matches!(one.status.as_str(), "failed" | "declined"));
        let named = self.episode.as_ref().map(|one| one.phase.as_str()).or(failed.map(|one| one.phase.as_str()));
        let last = Phase::ALL.into_iter().rev().find(|phase| memory.slot_of(*phase).is_some());
        let after = || match last {
            Some(last) => Phase::ALL.get(last.index() + 1).copied(),
            None => Some(Phase::Preflight).filter(|_| self.dead),
        };
        let over = run.status == Status::Done.word() || run.status == Status::DryRun.word();
        let stopped_in = if over { None } else { named.and_then(|name| name.parse().ok()).or_else(after) };
        let code = run.error.clone();
        let known = code.as_deref().and_then(Code::find).map(Code::entry);
        let episode = self.episode.as_ref().filter(|_| !over);
        let what = episode.map(|one| one.text.clone()).or_else(|| known.map(|entry| entry.when.to_owned()));
        let cure = episode.and_then(|one| one.cure.clone()).or_else(|| known.map(|entry| entry.cure.to_owned()));
        let id = &run.run_id;
        let waits = run.status == Status::Paused.word();
        let nobody = waits && code.as_deref() == Some(Code::CreateRejected.entry().id);
        let said = if self.dead { Some(GONE) } else { nobody.then_some(ALONE) };
        let what = said.map(str::to_owned).or(what);
        let cure = if waits || self.dead { Some(WAITS.to_owned()) } else { cure };
        let mut next = Vec::new();
        if waits || self.dead {
            next.push(format!("hefesto {} {id}", if nobody { "approve" } else { "resume" }));
            next.extend(last.map(|phase| format!("hefesto memory ring get {phase} --run {id}")));
        } else if run.status == Status::Failed.word() || run.status == Status::Declined.word() {
            next.extend(last.map(|phase| format!("hefesto memory ring get {phase} --run {id}")));
            let dropped = stopped_in.filter(|phase| memory.dropped_state(*phase).is_some());
            next.extend(dropped.map(|phase| format!("hefesto memory ring get {phase} --dropped --run {id}")));
            next.extend(code.as_ref().map(|code| format!("hefesto explain {code}")));
        } else if run.status == Status::Done.word() && run.command == "create" {
            next.extend(run.skill.as_ref().map(|skill| format!("hefesto show {skill}")));
        }
        let next = next.iter().map(|hint| self.typed(hint)).collect();
        Verdict { stopped_in, code, what, cure: cure.map(|cure| self.typed(&cure)), next }
    }

    fn json(&self) -> Value {
        json!({
            "run": self.view.run,
            "verdict": self.view.run.as_ref().map(|run| self.verdict(run)),
            "phases": self.phases,
            "ring": ring_json(&self.view),
            "windows": self.windows,
            "stores": {
                "stm": self.session.as_ref().map(|one| json!({
                    "session_id": one.key.id,
                    "embodiment": one.key.embodiment,
                    "state": "open",
                    "entries": one.entries,
                    "bytes": one.bytes,
                })),
                "fifo": { "last_said": self.last_said },
                "ooda": self.epoch.as_ref().map(|(epoch, dags)| json!({ "epoch_id": epoch, "dags": dags })),
                "turn": self.turn.as_ref().map(|(turn, loaded, total)| json!({
                    "turn_id": turn, "tokens": loaded, "total": total,
                })),
                "long": { "episode": self.episode.as_ref().map(|one| one.text.clone()) },
            },
            "limits": self.limits,
            "health": { "status": self.level.word(), "reasons": self.reasons, "damaged": self.view.lane.damaged },
        })
    }
}
