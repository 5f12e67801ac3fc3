//! One run of `create`: what the phases share, its checkpoints, and how it is closed.

use std::rc::Rc;

use serde_json::{Value, json};

use super::collision::Answered;
use super::context;
use super::run_store::{Held, Mind, degraded};
use crate::cli;
use crate::client::detect::Found;
use crate::client::host::Host;
use crate::config::Settings;
use crate::error::{Code, Error, Exit, Result, Warning};
use crate::memory::context::SkillHere;
use crate::memory::ring::{MemoryError, Phase};
use crate::memory::stm::connect::Sessions;
use crate::memory::stm::{SessionKey, Stm, StmError};
use crate::memory::turn::{Episode, Fact};
use crate::memory::{Deeds, Ending, Facts, Memory, NewRun, Note, PhaseRecord, Status};
use crate::project::Project;
use crate::project::inventory::Seen;
use crate::project::open::{self, Governed};
use crate::project::scope::Scope;
use crate::registry::oplog;
use crate::report::Report;
use crate::system::env::{Env, Watch};
use crate::system::rooted::HOME;

#[derive(Debug, Clone)]
pub struct Request {
    /// `create`'s own flags.
    pub args: cli::Create,
    /// `--yes`.
    pub yes: bool,
    /// `--project` or `--global`.
    pub scope: Scope,
}

pub struct Run<'e> {
    pub env: &'e mut Env,
    pub request: Request,
    pub project: Project,
    pub settings: Settings,
    /// The AI CLIs that are here.
    pub found: Vec<Found>,
    pub governed: Governed,
    pub id: String,
    /// The skill it is about, once that is known.
    pub skill: Option<String>,
    /// The targets it is about, once they are known.
    pub targets: Vec<String>,
    /// What was decided, for the operation log.
    pub decision: &'static str,
    /// How long the person took at the gate.
    pub response: Option<f64>,
    /// What was answered at a collision, so that another round at the gate does not ask it again.
    pub answered: Answered,
    /// What else the operation log keeps of it.
    pub details: serde_json::Map<String, Value>,
    /// What was understood of the description, where `--explain` asks for it.
    pub understood: Option<crate::skill::Understanding>,
    /// What its drafter is told of what is known: the context of its turn.
    pub told: String,
    /// The skills that stood here when it began.
    pub here: Vec<SkillHere>,
    /// The skills' files that were read.
    pub seen: Rc<Seen>,
    /// What is to be remembered of it when it ends.
    pub learnt: Option<(Episode, Fact)>,
    /// Short-term memory, where it is not in the project's database.
    sessions: Option<Sessions>,
    resumed: bool,
    renamed: Option<String>,
    decided: jiff::Timestamp,
    mind: Mind,
    phase: Phase,
    watch: Watch,
    phases: Vec<PhaseRecord>,
}

/// What P0 found, before the run begins.
pub struct Entered {
    pub project: Project,
    pub settings: Settings,
    /// The AI CLIs that are here.
    pub found: Vec<Found>,
    pub governed: Governed,
    /// The memory and the lane, where they can be used.
    pub held: Option<Held>,
    /// Since when P0 runs.
    pub watch: Watch,
}

impl<'e> Run<'e> {
    /// Begins a run at P0.
    pub fn begin(env: &'e mut Env, request: Request, entered: Entered) -> Self {
        let id = env.new_id();
        let mut run = Self::of(env, request, entered, id);
        run.reach();
        let at = run.env.now();
        let (id, lane) = (run.id.clone(), run.mind.lane());
        let host = run.host();
        let who = run.sessions.is_none().then(|| (host.actor(), host.embodiment()));
        let asked = context::asked(&run.request);
        run.remember(|mind| mind.begin(NewRun { id: &id, command: "create", at, lane, asked: asked.as_deref(), who }));
        run.elsewhere(|stm, key| stm.open_run(&key.id, host.embodiment(), host.actor()).map(|_opened| ()));
        run
    }

    /// Takes a waiting run up again, with the checkpoints it had.
    ///
    /// # Errors
    /// E-CREATE-015 when one of them is damaged; E-RESUME-001 when somebody else was faster.
    pub fn take_up(env: &'e mut Env, request: Request, entered: Entered, id: &str) -> Result<Self> {
        let mut run = Self::of(env, request, entered, id.to_owned());
        run.resumed = true;
        run.reach();
        let at = run.env.now();
        let restored = match &mut run.mind {
            Mind::Held(held) => held.memory.take_up(id, held.lane.number(), at),
            Mind::Notes(_) => Ok(None),
        };
        run.phase = restored
            .map_err(|error| Error::new(Code::CreateMemory, format!("run {id} cannot be resumed")).because(error))?
            .ok_or_else(|| Error::new(Code::ResumeNothing, format!("run {id} was just taken up by another hefesto")))?
            .last()
            .copied()
            .unwrap_or(Phase::Preflight);
        Ok(run)
    }

    fn of(env: &'e mut Env, request: Request, entered: Entered, id: String) -> Self {
        let decided = env.now();
        let Entered { project, settings, found, governed, mut held, watch } = entered;
        if let Some(held) = &mut held {
            held.memory.keep_conversations(settings.fifo_capacity.value);
            let days = jiff::SignedDuration::from_hours(24 * i64::from(settings.wait_days.value));
            // What cannot be discarded now is discarded by the next run.
            let _kept = decided.checked_sub(days).map(|than| held.memory.discard_older(than, &id, decided));
        }
        let mind = Mind::of(held, &id);
        Self {
            env,
            request,
            project,
            settings,
            found,
            governed,
            id,
            skill: None,
            targets: Vec::new(),
            decision: "none",
            response: None,
            answered: Answered::default(),
            details: serde_json::Map::new(),
            understood: None,
            told: String::new(),
            here: Vec::new(),
            seen: Rc::default(),
            learnt: None,
            sessions: None,
            resumed: false,
            renamed: None,
            decided,
            mind,
            phase: Phase::Preflight,
            watch,
            phases: Vec::new(),
        }
    }

    /// The wizard's answers that were kept with this run.
    pub fn answers(&self) -> Option<Value> {
        let text = self.mind.memory()?.answers_of(&self.id).ok().flatten()?;
        serde_json::from_str(&text).ok()
    }

    /// Enters a phase: from now on an error is this phase's.
    pub fn enter(&mut self, phase: Phase) {
        self.phase = phase;
        self.watch = self.env.watch();
    }

    /// Commits the phase's checkpoint, before the next phase begins (RING-3).
    ///
    /// # Errors
    /// E-CREATE-015 when the working memory's integrity is broken. A database that cannot be written is one
    /// warning and an in-memory engine, never an error.
    pub fn checkpoint(&mut self, state: &Value) -> Result<()> {
        self.checkpoint_with(state, &Facts::default())
    }

    /// [`Run::checkpoint`], with what the phase made known of the run.
    pub fn checkpoint_with(&mut self, state: &Value, facts: &Facts) -> Result<()> {
        let at = self.env.now();
        let phase = self.phase;
        self.note(Note::Passed { phase, data: state.to_string(), at, facts: facts.clone() });
        self.elsewhere(|stm, key| stm.task(key, phase.label(), "completed"));
        self.record("done");
        Ok(())
    }

    fn host(&self) -> Host {
        Host::of(|name| self.env.var(name))
    }

    /// Opens short-term memory where it is not in the project's database. Where it cannot be reached the run goes on
    /// without it (STM-12).
    fn reach(&mut self) {
        if self.settings.stm_backend.value == "redis" && !self.governed.is_new() {
            match Sessions::open(&self.project, &self.settings) {
                Ok(sessions) => self.sessions = Some(sessions),
                Err(error) => self.stateless(&error.message()),
            }
        }
    }

    /// Does something to short-term memory where it is not in the project's database, after what is there is
    /// committed. It never stops the run: the first failure is one warning, and the run goes on without.
    fn elsewhere(&mut self, work: impl FnOnce(&mut Stm<'_>, &SessionKey) -> std::result::Result<(), StmError>) {
        let key = SessionKey::new(self.host().embodiment(), self.id.as_str());
        let Some(sessions) = &mut self.sessions else { return };
        if let Err(error) = sessions.work(self.env, |stm| work(stm, &key)) {
            self.sessions = None;
            self.stateless(&error.to_string());
        }
    }

    fn stateless(&mut self, why: &str) {
        let said = format!("short-term memory cannot be used ({why}); this run goes on without it");
        self.env.note(Warning::new(Code::Stateless, said));
    }

    /// Where the run would make the governance files, in words for the preview; none where they are there.
    pub fn initialises(&self) -> Option<String> {
        self.governed.is_new().then(|| match self.project.is_user() {
            true => format!("in {}, which is new", self.project.root().display()),
            false => "the project is new".to_owned(),
        })
    }

    /// The phase it is in.
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// Reads a phase's state back and verifies it (RING-4). `None` where a degraded memory lost it.
    ///
    /// # Errors
    /// E-CREATE-015 when it is not what was pushed.
    pub fn state(&mut self, phase: Phase) -> Result<Option<Value>> {
        match self.mind.state(&self.id, phase) {
            Ok(checkpoint) => Ok(Some(checkpoint.value())),
            Err(error) => match error.downcast_ref::<MemoryError>() {
                Some(MemoryError::IntegrityCheckFailed { .. }) => {
                    Err(Error::new(Code::CreateMemory, "the working memory cannot be trusted").because(error))
                }
                _ => Ok(None),
            },
        }
    }

    /// Rolls the working memory back to a phase (RING-5), as far as there is something to restore.
    pub fn roll_back_to(&mut self, phase: Phase) {
        let id = self.id.clone();
        let rolled = self.mind.note(&id, Note::RolledBack(phase));
        if let Err(error) = rolled
            && error.downcast_ref::<MemoryError>().is_none()
        {
            self.remember(|_mind| Err(error));
        }
    }

    /// Remembers something of the run.
    pub fn note(&mut self, note: Note) {
        let id = self.id.clone();
        self.remember(|mind| mind.note(&id, note));
    }

    /// Does something to the memory that must never stop the run: on failure it goes on with notes of its own.
    fn remember(&mut self, work: impl FnOnce(&mut Mind) -> anyhow::Result<()>) {
        if let Err(error) = work(&mut self.mind)
            && self.mind.memory().is_some()
        {
            self.env.note(degraded(&self.project, &error));
            self.mind = Mind::notes(&self.id);
        }
    }

    /// The project's memory, for looking, where there is one that can be used.
    pub fn memory(&self) -> Option<&Memory> {
        self.mind.memory()
    }

    /// Remembers a run that is committed on disk, in the transaction that committed it.
    pub fn committed(&mut self, deeds: &Deeds, now: &str) {
        self.settle();
        self.remember(|mind| match mind {
            Mind::Held(held) => held.memory.committed(deeds, now),
            Mind::Notes(_) => Ok(()),
        });
        if self.memory().is_none() {
            let _degraded = Memory::open(&self.project.database()).and_then(|mut memory| memory.committed(deeds, now));
        }
    }

    /// Writes what was only noted into the project's database, where the project has just been given one.
    pub fn settle(&mut self) {
        let Mind::Notes(notes) = &self.mind else { return };
        if !self.governed.is_new() || open::home(&self.project).is_err() {
            return;
        }
        let notes = notes.clone();
        let Some(mut held) = Held::open(self.env, &self.project, true) else { return };
        held.memory.keep_conversations(self.settings.fifo_capacity.value);
        self.mind = Mind::Held(Box::new(held));
        self.remember(|mind| match mind {
            Mind::Held(held) => held.memory.catch_up(&notes, held.lane.number()),
            Mind::Notes(_) => Ok(()),
        });
    }

    /// Whether a person (or a script of answers) can be asked.
    pub fn person(&self) -> bool {
        self.env.prompter.present()
    }

    /// Notes that the gate was answered now.
    pub fn decide(&mut self) {
        self.decided = self.env.now();
    }

    /// When the gate was answered, as a backup is named by it.
    pub fn decided(&self) -> String {
        self.decided.strftime("%Y-%m-%dT%H-%M-%S").to_string()
    }

    /// The name the skill was given at a collision, if it was.
    pub fn renamed(&self) -> Option<&str> {
        self.renamed.as_deref()
    }

    /// Notes the name the skill was given at a collision.
    pub fn set_renamed(&mut self, name: &crate::skill::Name) {
        self.renamed = Some(name.to_string());
    }

    /// The phases so far, for the report.
    pub fn phases(&self) -> &[PhaseRecord] {
        &self.phases
    }

    fn record(&mut self, status: &'static str) {
        let (name, ms) = (self.phase.name(), self.watch.ms());
        match self.phases.iter_mut().find(|record| record.phase == name) {
            Some(record) => {
                record.ms += ms;
                record.status = status;
            }
            None => self.phases.push(PhaseRecord { phase: name, status, ms }),
        }
        self.watch = self.env.watch();
    }

    /// Ends the run: on an error the memory is rolled back to the phase before; log and database say how it ended.
    ///
    /// # Errors
    /// The run's own.
    pub fn close(mut self, outcome: Result<Report>) -> Result<Report> {
        let (status, code) = match &outcome {
            Ok(_) if self.request.args.dry_run => (Status::DryRun, None),
            Ok(_) => (Status::Done, None),
            Err(error) => {
                let status = match error.exit_with() {
                    Exit::TimedOut | Exit::Signal(_) => Status::Paused,
                    // Only a person ends a run by declining it. Where nobody was there it waits, and so does one that was
                    // taken up again.
                    Exit::Declined if self.decision == "nobody" => Status::Paused,
                    Exit::Declined if self.resumed && !self.declined() => Status::Paused,
                    Exit::Declined => Status::Declined,
                    // Whoever takes a run up again can do so once more when what is in the way is gone.
                    Exit::Refused | Exit::Busy | Exit::RolledBack if self.resumed => Status::Paused,
                    _ => Status::Failed,
                };
                self.record(if status == Status::Failed { "failed" } else { "declined" });
                if status == Status::Failed
                    && let Some(before) = self.phase.before()
                {
                    self.roll_back_to(before);
                }
                (status, Some(error.code().to_string()))
            }
        };
        let (episode, fact) = match self.learnt.take() {
            Some((episode, fact)) => (Some(episode), Some(fact)),
            None => (context::ended(&mut self, status, outcome.as_ref().err()), None),
        };
        if status == Status::Paused && !self.request.args.dry_run {
            self.settle();
        }
        let (id, at, phases) = (self.id.clone(), self.env.now(), std::mem::take(&mut self.phases));
        let phase = outcome.is_err().then_some(self.phase);
        let (episode, fact) = (episode.as_ref(), fact.as_ref());
        let ending = Ending { status, at, phase, error: code.as_deref(), phases: &phases, episode, fact };
        self.remember(|mind| match mind {
            Mind::Held(held) => held.memory.end(&id, &ending),
            Mind::Notes(_) => Ok(()),
        });
        let waits = status == Status::Paused;
        let at = phase.unwrap_or(Phase::Finish).label();
        self.elsewhere(|stm, key| {
            stm.task(key, at, status.word())?;
            if waits { Ok(()) } else { stm.end_run(key) }
        });
        self.log(&outcome);
        let waits = status == Status::Paused && self.memory().is_some();
        outcome.map_err(|error| if waits { self.waiting(error) } else { error })
    }

    fn declined(&self) -> bool {
        matches!(self.decision, "reject" | "cancel" | "collision_cancel" | "edit_abort")
    }

    /// Says how a run that waits is taken up again.
    fn waiting(&self, error: Error) -> Error {
        let how = match (self.decision, self.phase) {
            ("nobody", Phase::Approve) => {
                format!("Continue with `hefesto approve {}` in a terminal", self.id)
            }
            _ => format!("Continue with `hefesto resume {}`", self.id),
        };
        let suggestion = match error.exit_with() {
            Exit::Signal(_) => format!("{how}."),
            _ => format!("{how}. {}", error.suggestion()),
        };
        error.suggest(suggestion)
    }

    fn log(&mut self, outcome: &Result<Report>) {
        if !self.project.is_dir(HOME) {
            return;
        }
        let entry = oplog::Entry {
            timestamp: self.env.stamp(),
            operation: "create".into(),
            skill_name: self.skill.clone(),
            decision: self.decision.into(),
            user: self.env.var("USER").or_else(|| self.env.var("LOGNAME")).unwrap_or("user").to_owned(),
            target_clis: self.targets.clone(),
            response_time_seconds: self.response,
            success: outcome.is_ok(),
            error_message: outcome
                .as_ref()
                .err()
                .map(|error| format!("[{}] exit {}", error.code(), error.exit_with().number())),
            run_id: Some(self.id.clone()),
            details: self.details.clone(),
        };
        let line = entry.line().unwrap_or_default();
        crate::registry::audit::append(self.env, &self.project, &line);
    }

    /// The `working_memory` part of the answer.
    pub fn memory_report(&self) -> Value {
        let Ok(view) = self.mind.lane_view(&self.id) else { return Value::Null };
        let markers: serde_json::Map<String, Value> =
            Phase::ALL.iter().map(|phase| (phase.label().to_owned(), json!(view.memory.slot_of(*phase)))).collect();
        json!({
            "lane": view.memory.lane(),
            "write_head": view.memory.write_head(),
            "slots_used": markers.values().filter(|slot| !slot.is_null()).count(),
            "markers": markers,
        })
    }
}
