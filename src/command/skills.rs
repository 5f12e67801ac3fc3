//! What commands about installed skills have in common: what they open first, and how an operation is approved, carried
//! out and answered.

use serde_json::{Value, json};

use crate::config::{self, Settings};
use crate::error::{Error, Exit, Result};
use crate::project::Project;
use crate::project::copies::{self, Copies, Known};
use crate::project::open::{self, Governed};
use crate::report::Report;
use crate::system::env::Env;
use crate::transaction::consent::{self, By};
use crate::transaction::operation::{self, Done, Operation, Step};

/// An initialised project, its settings, and what its registry and its memory say of the copies.
pub(super) struct Skills<'p> {
    pub(super) project: &'p Project,
    pub(super) settings: Settings,
    pub(super) governed: Governed,
    pub(super) known: Known,
}

impl<'p> Skills<'p> {
    /// Errors: E-PROJECT-001 if the project is not initialised; those of the settings.
    pub(super) fn open(env: &mut Env, project: &'p Project) -> Result<Self> {
        let settings = config::load(env, project)?;
        let entered = open::enter_initialised(env, project)?;
        Ok(Self::of(env, project, settings, entered))
    }

    /// Those of a project that was entered already.
    pub(super) fn of(
        env: &mut Env,
        project: &'p Project,
        settings: Settings,
        (governed, registry): (Governed, crate::registry::Registry),
    ) -> Self {
        let known = Known::read(env, project, Some(&registry));
        Self { project, settings, governed, known }
    }

    /// Errors: E-SKILL-001 if no skill has this name.
    pub(super) fn named(&self, name: &str) -> Result<Copies> {
        copies::named(self.project, &self.settings.targets, &self.known, name)
    }

    pub(super) fn all(&self) -> Vec<Copies> {
        copies::whole(self.project, &self.settings.targets, &self.known)
    }

    /// The skills of these names; every one if none is named. Errors: E-SKILL-001 if no skill has one of the names.
    pub(super) fn named_or_all(&self, names: &[String]) -> Result<Vec<Copies>> {
        if names.is_empty() { Ok(self.all()) } else { names.iter().map(|name| self.named(name)).collect() }
    }

    /// The skills of these names, also those without a copy.
    pub(super) fn gather(&self, names: &[String]) -> Vec<Copies> {
        copies::gather(self.project, &self.settings.targets, &self.known, names)
    }

    /// Why these steps must not be made: the text breaks a rule.
    pub(super) fn refusal(&self, name: &str, steps: &[Step]) -> Option<Error> {
        copies::unacceptable(name, steps, &self.settings)
    }

    /// Errors: E-CREATE-005 if the text that the steps write breaks a rule.
    pub(super) fn accept(&self, name: &str, steps: &[Step]) -> Result<()> {
        self.refusal(name, steps).map_or(Ok(()), Err)
    }
}

pub(super) struct CarriedOut {
    pub(super) run: String,
    /// The archive of what was replaced, for display.
    pub(super) backup: Option<String>,
    pub(super) approved_by: &'static str,
    pub(super) pending: bool,
}

/// Shows an operation, asks for consent and carries it out.
/// Errors: those of [`consent::ask`] and of [`operation::carry_out`].
pub(super) fn carry_out(
    env: &mut Env,
    project: &Project,
    operation: &Operation,
    yes: bool,
    limit: std::time::Duration,
) -> Result<CarriedOut> {
    let preview = operation.preview(env.err_style(), project);
    let consent = consent::ask(env, &preview, yes, limit)?;
    let done = operation::carry_out(env, project, &consent, operation)?;
    Ok(CarriedOut::of(project, done, consent.by()))
}

impl CarriedOut {
    pub(super) fn of(project: &Project, done: Done, by: By) -> Self {
        let backup = done.backup.map(|path| project.display(&path));
        Self { run: done.run, backup, approved_by: by.word(), pending: done.pending }
    }

    /// The answer; its data ends with `backup`, `run_id` and `approved_by`.
    pub(super) fn report(&self, env: &Env, mut data: Value, text: String) -> Report {
        data["backup"] = json!(self.backup);
        data["run_id"] = json!(self.run);
        data["approved_by"] = json!(self.approved_by);
        finished(env, data, text, self.pending)
    }
}

/// The answer after a change; `pending` if its finishing is left to the next command.
pub(super) fn finished(env: &Env, data: Value, text: String, pending: bool) -> Report {
    Report::done(data, env.spelled(text)).exit(if pending { Exit::FinishPending } else { Exit::Done })
}

/// The end of an answer about a change.
pub(super) const BACK: &str = "\nTo take it back: hefesto undo\n";

/// A line for each step: what is done, and where.
pub(super) fn lines(project: &Project, steps: &[Step]) -> String {
    steps.iter().map(|step| format!("  {} {}/\n", step.word(), project.shown(&step.at))).collect()
}

/// An error of a later skill says how many were `done` before it.
pub(super) fn after(error: Error, done: &str, skills: usize) -> Error {
    if skills == 0 {
        return error;
    }
    let message = format!("{}; {done} before that: {}", error.message(), crate::terminal::ui::count(skills, "skill"));
    Error::new(error.code(), message).exit(error.exit_with()).suggest(error.suggestion())
}

/// The first of these, and how many more there are.
pub(super) fn first(all: impl IntoIterator<Item = String>, most: usize) -> Vec<String> {
    let mut all: Vec<String> = all.into_iter().collect();
    if let Some(more) = all.len().checked_sub(most).filter(|more| *more > 0) {
        all.truncate(most);
        all.push(format!("and {more} more"));
    }
    all
}
