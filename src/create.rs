//! The machine: seven phases and the one loop of the gate. Read this and you know the program.

mod approve;
mod ask;
mod brief;
mod collision;
mod context;
mod draft;
mod drafter;
mod expand;
mod explain;
mod finish;
mod gate;
mod generate;
mod given;
mod host;
mod intake;
mod layout;
mod persist;
mod plan;
mod preflight;
mod preview;
mod remembered;
mod resume;
mod run;
mod run_store;
mod trigger;
mod validate;
mod wizard;

pub use draft::{Copy, Draft, Resource};
pub use gate::{Approved, By, Proposal};
pub use given::Given;
pub use plan::{Action, Entry, Existing, Plan};
pub use resume::resume;
pub use run::{Request, Run};
pub use trigger::Trigger;
pub use validate::Valid;

use crate::error::Result;
use crate::report::Report;
use crate::system::env::Env;
use draft::Source;
use validate::Judged;

/// What the gate came to.
pub enum Verdict {
    Approved(Box<Approved>),
    /// Something was changed: generate and check again.
    Revise(Source),
    /// It was only to be shown.
    Shown(Box<Proposal>),
    /// What was approved is there already.
    InPlace(Box<Proposal>),
}

/// One `create` is one run through P0–P6. On an error at phase N the run is rolled back to N−1.
///
/// # Errors
/// A coded error; nothing was written then, or everything was rolled back.
pub fn create(env: &mut Env, request: Request) -> Result<Report> {
    if request.args.brief {
        return brief::brief(env, &request);
    }
    let args = request.args.clone();
    let outcome = preflight::preflight(env, request).and_then(|mut run| {
        //    P0
        let outcome = intake::intake(&mut run).and_then(|source| forge(&mut run, source)); // P1
        run.close(outcome)
    });
    host::advise(env, &args, outcome)
}

/// P2 to P6, from a brief or from a draft that was already there (a run that is resumed).
fn forge(run: &mut Run<'_>, mut source: Source) -> Result<Report> {
    let approved = loop {
        let draft = generate::generate(run, source)?; //                        P2
        let judged = validate::validate(run, draft)?; //                        P3
        let verdict = match judged {
            Judged::Valid(valid) => approve::approve(run, *valid)?, //          P4
            Judged::Again(source) => Verdict::Revise(source),
        };
        match verdict {
            Verdict::Approved(approved) => break *approved,
            Verdict::Revise(again) => source = again,
            Verdict::Shown(proposal) => return finish::shown(run, &proposal),
            Verdict::InPlace(proposal) => return Ok(finish::in_place(run, &proposal)),
        }
    };
    let receipt = persist::persist(run, approved)?; //                          P5
    finish::finish(run, &receipt) //                                             P6
}
