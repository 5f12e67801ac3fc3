//! `create`: the seven phases of a run, and the loop back from the gate.

mod approve;
mod ask;
mod assignment;
mod attachments;
mod checks;
mod collision;
mod context;
mod draft;
mod drafter;
mod drafting;
mod finish;
mod gate;
mod generate;
mod intake;
mod last_run;
mod notices;
mod observations;
mod persist;
mod preflight;
mod preview;
mod remembered;
mod revise;
mod run;
mod run_store;
mod targets;
mod trigger;
mod validate;
mod wizard;

pub use approve::{Action, Existing, Plan, PlannedCopy};
pub use attachments::{Attachments, Resource};
pub use draft::{Copy, Draft};
pub use gate::{Approved, By, Proposal};
pub use generate::remake;
pub use preflight::resume;
pub use run::{Decision, Request, Run};
pub use trigger::Trigger;
pub use validate::Valid;

use crate::error::Result;
use crate::report::Report;
use crate::system::env::Env;
use draft::Source;
use validate::Validation;

pub enum Verdict {
    Approved(Box<Approved>),
    /// Something was changed: generate and check again.
    Revise(Source),
    /// A dry run: the plan was only shown.
    Shown(Box<Proposal>),
    /// What was approved is installed already.
    InPlace(Box<Proposal>),
}

/// One `create` is one run through P0 to P6. On an error in phase N the run is rolled back to N−1.
/// Errors: A coded error; nothing was written then, or everything was rolled back.
pub fn create(env: &mut Env, request: Request) -> Result<Report> {
    if request.args.brief {
        return assignment::show_brief(env, &request);
    }
    let args = request.args.clone();
    let outcome = preflight::preflight(env, request).and_then(|mut run| {
        let outcome = intake::intake(&mut run).and_then(|source| advance(&mut run, source));
        finish::close(run, outcome)
    });
    notices::hint_agent(env, &args, outcome)
}

/// P2 to P6, from a request or from a draft that is there already (a run that is resumed).
fn advance(run: &mut Run<'_>, mut source: Source) -> Result<Report> {
    let approved = loop {
        let from_request = matches!(source, Source::Request(_));
        let draft = match generate::generate(run, source) {
            Ok(draft) => draft,
            Err(error) if from_request => {
                source = intake::corrected(run, error)?;
                continue;
            }
            Err(error) => return Err(error),
        };
        let valid = match validate::validate(run, draft)? {
            Validation::Valid(valid) => valid,
            Validation::Reworded(description) => {
                source = intake::again(run, &description)?;
                continue;
            }
        };
        match approve::approve(run, *valid)? {
            Verdict::Approved(approved) => break *approved,
            Verdict::Revise(again) => source = again,
            Verdict::Shown(proposal) => return finish::shown(run, &proposal),
            Verdict::InPlace(proposal) => return Ok(finish::in_place(run, &proposal)),
        }
    };
    let receipt = persist::persist(run, approved)?;
    finish::finish(run, &receipt)
}
