//! Writing to a project: a command's changes are made all together or not at all, whatever happens meanwhile.
//!
//! Under the project's [`Lock`], [`commit`] writes down what it is going to do, stages everything new on the
//! same file system, passes a durable point of no return and moves the staged things into place with single renames. A
//! command that dies in between is ended by the next one with `recover`: taken back before that point, completed
//! after it. A failed write, a signal and a crash are the same case.

mod apply;
mod atomic_write;
pub mod backup;
pub mod consent;
pub(crate) mod disk;
#[cfg(debug_assertions)]
pub mod failpoint;
mod faults;
mod finish;
mod journal;
mod journal_check;
mod lock;
pub mod objects;
pub mod operation;
mod path;
mod plan;
mod reads;
mod recover;
mod roots;
mod scan;
mod stage;

use std::io::{self, ErrorKind};
use std::path::Path;

use crate::error::{Code, Coded, Error, Exit, Result};

use apply::Stop;
use disk::{Disk, retried};
use finish::Ended;
use journal::{ENDS, JOURNALS, Journal, Node, State, Step, parent};
use path::{Place, numbered};
use plan::{Payload, Plan};
use reads::Seen;
use stage::Group;

pub use crate::terminal::signal::{Signals, interrupted};
pub use atomic_write::{prune, save};
pub use faults::{Faults, Way};
pub(crate) use lock::HOME;
pub use lock::Lock;
pub(crate) use path::check as check_path;
pub use path::{Unwritable, writable};
pub use plan::{Change, Was, bytes_digest};
pub use recover::{Outcome, Recovered, left_behind, put_aside, recover, recover_with};
pub use roots::{Moved, Roots};
pub use scan::{LeftOut, Listings, MAX_BYTES, MAX_DEPTH, MAX_FILES, Surveyed, scan, survey};

/// Enters a committed change into the registry. Called with the project's root and [`Intent::registry`], once or more
/// often, so it has to come to the same result when it is repeated.
pub type Register<'a> = dyn Fn(&Path, &serde_json::Value) -> anyhow::Result<()> + 'a;

/// Who changes something, and what the registry has to learn about it.
#[derive(Debug, Clone)]
pub struct Intent {
    /// The run's id; names the journal and the stages where it consists of ASCII letters, digits and hyphens.
    pub run: String,
    /// The command, for messages about an interrupted run.
    pub command: String,
    /// When the command began, RFC 3339.
    pub now: String,
    /// Handed to the registering function after the changes are in place, also by recovery. `None`: nothing to do.
    pub registry: Option<serde_json::Value>,
}

/// What a commit came to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Receipt {
    /// Why the finishing was cut short, if it was: everything is committed and the next command completes it (exit 8).
    pub pending: Option<String>,
    /// The signal that arrived when it was too late to go back; everything was completed first.
    pub signal: Option<u8>,
    /// Earlier commands that were ended on the way, and what is to be said of what this one left.
    pub recovered: Vec<Recovered>,
}

/// Makes all the changes, or none.
///
/// Every expectation about what is there now is checked under the lock before anything is written.
/// Errors, after any of which nothing has changed: `E-TXN-002` when something is not what it was when the change was
/// approved; `E-CREATE-006` when a path cannot be written (exit 1 in the check, 6 after a rollback); `ERR-006` for a full disk;
/// `E-SIGNAL-001` when a signal came before the point of no return; `E-TXN-003` for any other failure. With `E-TXN-004`
/// the rollback failed too, and the next command repeats it.
pub fn commit(lock: &Lock, intent: Intent, changes: Vec<Change>, register: &Register<'_>) -> Result<Receipt> {
    commit_with(lock, intent, changes, register, &Faults::none())
}

/// [`commit`] with failures on demand.
pub fn commit_with(
    lock: &Lock,
    intent: Intent,
    changes: Vec<Change>,
    register: &Register<'_>,
    faults: &Faults,
) -> Result<Receipt> {
    let signals = Signals::hold()?;
    let disk = Disk::of(lock.roots(), faults);
    let (mut recovered, alone) = recover::cleared(lock, register, faults)?;
    let plan = Plan::check(&disk, changes)?;
    signals.check()?;
    let unread = "cannot read .hefesto/txn";
    let behind = !alone && recover::unregistered(&disk).coded(Code::WriteFailed, unread)?;
    let cannot = |disk: &Disk<'_>| format!("the journal could not be written{}", disk.place());
    let mut journal = Journal::begin(&disk, intent, alone).map_err(|error| failure(error, &cannot(&disk)))?;
    let payloads = plan.into(&mut journal);
    let undone = |place: &str| format!("writing failed{place} and everything was rolled back");
    let prepared = prepare(&disk, &journal, &payloads, &signals).map_err(|error| (error, false));
    let prepared = prepared.and_then(|()| journal.sync(&disk).map_err(|error| (error, true)));
    if let Err((error, recorded)) = prepared {
        let place = disk.place();
        return match finish::discard(&disk, &journal) {
            Ok(_) => Err(match signals.noted() {
                Some(signal) if error.kind() == ErrorKind::Other => interrupted(signal),
                _ => failure(error, &undone(&place)),
            }),
            Err(_) if recorded && !matches!(journal.state(&disk), Ok(State::Begun)) => Ok(Receipt {
                pending: Some(format!("writing failed{place}: {error}")),
                signal: signals.noted(),
                recovered,
            }),
            Err(second) => Err(incomplete(&place, &error, &second)),
        };
    }
    let pending = match finish::settle(&disk, &journal, register, behind) {
        Ended::Forward(left) => {
            recovered.extend(left);
            None
        }
        Ended::Pending(why) => Some(why),
        Ended::Back(Stop::Conflict(what), left) => {
            let message = format!("{what}; everything was rolled back{}", kept(&left));
            return Err(Error::new(Code::Changed, message));
        }
        Ended::Back(Stop::Io(error), left) => return Err(failure(error, &(undone(&disk.place()) + &kept(&left)))),
        Ended::HalfBack(why) => {
            let message = format!("everything was rolled back, and what was prepared could not be removed ({why})");
            return Err(Error::new(Code::RollbackIncomplete, message));
        }
    };
    Ok(Receipt { pending, signal: signals.noted(), recovered })
}

/// Everything up to the point of no return, which is durable once the journal's directory is synced.
fn prepare(disk: &Disk<'_>, journal: &Journal, payloads: &[Payload], signals: &Signals) -> io::Result<()> {
    let safe_point = || match signals.noted() {
        Some(_) => Err(io::Error::other("interrupted")),
        None => Ok(()),
    };
    journal.write(disk)?;
    stage::stage(disk, journal, payloads, &safe_point)?;
    journal.commit(disk)
}

/// Where the edits are that a rollback could not leave in their place, for a message.
fn kept(left: &[Recovered]) -> String {
    let files = left.iter().filter_map(|one| match &one.outcome {
        Outcome::Kept { file } => Some(format!("; what was saved in {} is kept in {file}", one.paths.join(", "))),
        _ => None,
    });
    files.collect()
}

/// Gives a failed and rolled back write its code: a full disk, a forbidden place, or anything else.
pub(crate) fn failure(error: io::Error, message: &str) -> Error {
    let code = match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => Code::NoSpace,
        _ if refused(&error) => Code::CreateUnwritable,
        _ => Code::WriteFailed,
    };
    Error::new(code, message).exit(Exit::RolledBack).because(error)
}

/// Whether the operating system forbids it and repeating cannot help.
fn refused(error: &io::Error) -> bool {
    let forbidden = matches!(error.kind(), ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem);
    forbidden && error.raw_os_error().is_some()
}

fn incomplete(place: &str, first: &io::Error, second: &io::Error) -> Error {
    let message = format!("writing failed{place} ({first}) and the rollback could not be completed ({second})");
    Error::new(Code::RollbackIncomplete, message)
}
