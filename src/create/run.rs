//! One run of `create`: its arguments, its workspace, the results of its phases so far, and how it was decided.

use std::rc::Rc;

use super::run_store::{Durable, RunStore};
use super::{Draft, collision::CollisionAnswers, remembered::Choice};
use crate::cli;
use crate::client::host::Host;
use crate::config::Settings;
use crate::error::{Code, Error, Result};
use crate::memory::turn::{Answer, Episode, Fact, SessionNote};
use crate::memory::{NewRun, PhaseRecord, ring::Phase, stm::connect::Sessions};
use crate::project::{Project, inventory::Seen, open::Governed, scope::Scope};
use crate::report::slashed::Slashed;
use crate::system::env::{Env, Watch};

#[derive(Debug, Clone)]
pub struct Request {
    pub args: cli::Create,
    pub yes: bool,
    pub scope: Scope,
}

pub struct Opened {
    pub project: Project,
    pub settings: Settings,
    pub governed: Governed,
    /// The memory and the lane, if they are usable.
    pub held: Option<Durable>,
    /// When P0 began.
    pub watch: Watch,
}

/// The record of a run for the operation log and the answer.
#[derive(Default)]
pub struct Record {
    pub skill: Option<String>,
    pub targets: Vec<String>,
    pub decision: Decision,
    pub decided_at: jiff::Timestamp,
    /// How long the person took at the gate.
    pub response_seconds: Option<f64>,
    pub details: serde_json::Map<String, serde_json::Value>,
    /// What a person chose or refused before the gate.
    pub(super) choices: Vec<Choice>,
    /// The lines that were added in the editor.
    pub added: Vec<String>,
    /// Whether a description was given; without one there is nothing to resume.
    pub described: bool,
    /// How the description was read, with `--explain`.
    pub understood: Option<crate::skill::Sentence>,
    pub(super) phases: Vec<PhaseRecord>,
}

/// What a run reads from the memory and writes to it.
#[derive(Default)]
pub struct Context {
    pub session: Vec<SessionNote>,
    pub(super) turn: Option<Turn>,
    pub learned: Option<(Episode, Vec<Fact>, Vec<Answer>)>,
}

/// The turn of a run: its id, the previous turn of the same run, and the subject of its context.
#[derive(Debug, Clone)]
pub(super) struct Turn {
    pub id: String,
    pub parent: Option<String>,
    pub asked: String,
}

pub struct Run<'e> {
    pub env: &'e mut Env,
    pub args: cli::Create,
    pub yes: bool,
    pub project: Project,
    pub settings: Settings,
    pub governed: Governed,
    pub skill_cache: Rc<Seen>,
    pub id: String,
    pub record: Record,
    pub context: Context,
    pub collision: CollisionAnswers,
    /// The text before `revise` changed it, until the gate shows the difference.
    pub revised: Option<Draft>,
    pub(super) resumed: bool,
    pub(super) memory: RunStore,
    /// Short-term memory on Redis, if the settings name a server and it answers.
    pub(super) sessions: Option<Sessions>,
    pub(super) phase: Phase,
    /// When the phase began.
    pub(super) watch: Watch,
}

impl<'e> Run<'e> {
    /// Begins a run at P0. `asked` is the description, safe to store.
    pub fn begin(env: &'e mut Env, request: Request, opened: Opened, asked: Option<&str>) -> Self {
        let id = env.new_id();
        let mut run = Self::new(env, request, opened, id);
        run.connect_sessions();
        let at = run.env.now();
        let (id, lane) = (run.id.clone(), run.memory.lane());
        let host = run.host();
        let who = run.sessions.is_none().then(|| (host.actor(), host.embodiment()));
        run.remember(|memory| memory.begin(NewRun { id: &id, command: "create", at, lane, asked, who }));
        run.with_sessions(|stm, key| stm.open_run(&key.id, host.embodiment(), host.actor()).map(|_opened| ()));
        run
    }

    /// Resumes a waiting run with the checkpoints it had.
    /// Errors: E-CREATE-015 when one of them is damaged; E-RESUME-001 when another process has resumed it.
    pub fn resume(env: &'e mut Env, request: Request, opened: Opened, id: &str) -> Result<Self> {
        let mut run = Self::new(env, request, opened, id.to_owned());
        run.resumed = true;
        run.connect_sessions();
        let at = run.env.now();
        let restored = match &mut run.memory {
            RunStore::Durable(held) => held.memory.take_up(id, held.lane.number(), at),
            RunStore::Buffered(_) => Ok(None),
        };
        run.phase = restored
            .map_err(|error| Error::new(Code::CreateMemory, format!("run {id} cannot be resumed")).because(error))?
            .ok_or_else(|| Error::new(Code::ResumeNothing, format!("run {id} was just resumed by another hefesto")))?
            .last()
            .copied()
            .unwrap_or(Phase::Preflight);
        Ok(run)
    }

    fn new(env: &'e mut Env, request: Request, opened: Opened, id: String) -> Self {
        let now = env.now();
        let Request { args, yes, .. } = request;
        let Opened { project, settings, governed, mut held, watch } = opened;
        if let Some(held) = &mut held {
            held.memory.bounds = settings.bounds();
            let days = jiff::SignedDuration::from_hours(24 * i64::from(settings.wait_days.value));
            // The next run discards what cannot be discarded now.
            let _kept = now.checked_sub(days).map(|than| held.memory.discard_older(than, &id, now));
        }
        Self {
            memory: RunStore::of(held, &id),
            args,
            yes,
            project,
            settings,
            governed,
            skill_cache: Rc::default(),
            id,
            record: Record { decided_at: now, ..Record::default() },
            context: Context::default(),
            collision: CollisionAnswers::default(),
            revised: None,
            resumed: false,
            sessions: None,
            phase: Phase::Preflight,
            watch,
            env,
        }
    }

    pub(super) fn host(&self) -> Host {
        Host::of(|name| self.env.var(name))
    }

    /// Whether a person or a script of answers can be asked.
    pub fn person(&self) -> bool {
        self.env.prompter.present()
    }

    /// Whether somebody can be asked and no flag gives the answer.
    pub fn asks(&self) -> bool {
        self.person() && !self.yes && !self.args.dry_run && self.args.approve.is_none()
    }

    /// Whether a person is at a terminal. A file of answers is no terminal: a prompt that depends on the machine or on
    /// the domain packs would shift its lines.
    pub fn attended(&self) -> bool {
        self.env.input_is_terminal && self.asks_again()
    }

    /// Whether a person (not a file of answers, a job or an agent) is asked again for unusable input.
    pub fn asks_again(&self) -> bool {
        self.asks() && !self.env.scripted && !self.env.json && self.host() == Host::Person
    }

    pub fn scripted(&self) -> bool {
        self.asks() && self.env.scripted
    }

    /// When the gate was answered, in the form used in backup names.
    pub fn decided(&self) -> String {
        self.record.decided_at.strftime("%Y-%m-%dT%H-%M-%S").to_string()
    }

    /// Where the run would create the governance files, in words for the preview; none if they exist.
    pub fn initialises(&self) -> Option<String> {
        self.governed.is_new().then(|| match self.project.is_user() {
            true => format!("in {}, which is new", self.project.root().slashed()),
            false => "the project is new".to_owned(),
        })
    }
}

word_enum! {
    #[derive(Default)]
    Decision {
        /// The run ended before anything was decided.
        #[default]
        None = "none",
        Approve = "approve",
        Reject = "reject",
        Cancel = "cancel",
        CollisionCancel = "collision_cancel",
        /// `--yes` without `--on-collision`, and the skill exists.
        CollisionUnanswered = "collision_unanswered",
        DigestMismatch = "digest_mismatch",
        DryRun = "dry_run",
        EditAbort = "edit_abort",
        Interrupted = "interrupted",
        Nobody = "nobody",
        Timeout = "timeout",
        ValidationFailed = "validation_failed",
    }
}

impl Decision {
    pub fn declines(self) -> bool {
        matches!(self, Self::Reject | Self::Cancel | Self::CollisionCancel | Self::EditAbort)
    }
}
