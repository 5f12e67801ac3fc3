//! Failures of the whole program on demand, in debug builds only: a real death, or an error number, at one step.

use std::cell::{Cell, RefCell};
use std::io;
use std::path::PathBuf;

use super::disk::Step;
use super::{Faults, Way};
use crate::system::os::files::Errno;
use crate::system::os::process::die;

/// A step that was carried out, for a test that looks at their order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Done {
    /// A file was made or changed.
    Written(PathBuf),
    Made(PathBuf),
    /// A name was moved, or two were exchanged.
    Moved(PathBuf, PathBuf),
    /// A file or a directory was synced.
    Synced(PathBuf),
    Removed(PathBuf),
}

thread_local! {
    static ARMED: RefCell<Option<Faults>> = const { RefCell::new(None) };
    static APART: Cell<bool> = const { Cell::new(false) };
    static TRACE: RefCell<Option<Vec<Done>>> = const { RefCell::new(None) };
}

/// Arms this thread: `STEP:before`, `STEP:after` (SIGKILL), `STEP:ENOSPC` (one error), `STEP+:ENOSPC` (from there on).
/// Steps are changes to the file system, counted from 1; with `r` before the number they are what a transaction or a
/// scan of a skill reads from it. `false`: the words mean nothing, nothing is armed.
pub fn arm(words: &str) -> bool {
    let armed = parse(words);
    let known = armed.is_some();
    ARMED.set(armed);
    known
}

/// Disarms this thread; how many steps were asked for since it was armed.
pub fn disarm() -> usize {
    ARMED.take().map_or(0, |armed| if armed.reading { armed.reads() } else { armed.steps() })
}

/// Whether this thread syncs each file and directory by itself, as on a system without a call for all of them.
pub fn sync_apart(apart: bool) {
    APART.set(apart);
}

pub(super) fn apart() -> bool {
    APART.get()
}

/// From here on this thread's steps are written down.
pub fn record() {
    TRACE.set(Some(Vec::new()));
}

/// The steps since [`record`].
pub fn recorded() -> Vec<Done> {
    TRACE.take().unwrap_or_default()
}

pub(super) fn trace(step: Step<'_>, at: &crate::system::rooted::Held) {
    TRACE.with_borrow_mut(|trace| {
        let Some(trace) = trace else { return };
        match step {
            Step::Write => trace.push(Done::Written(at.path())),
            Step::Make => trace.push(Done::Made(at.path())),
            Step::Move(from) => trace.push(Done::Moved(from.path(), at.path())),
            Step::Sync => trace.push(Done::Synced(at.path())),
            Step::SyncAll(all) => trace.extend(all.iter().map(|at| Done::Synced(at.path()))),
            Step::Remove => trace.push(Done::Removed(at.path())),
        }
    });
}

fn parse(words: &str) -> Option<Faults> {
    let (at, how) = words.split_once(':')?;
    let (at, way) = at.strip_suffix('+').map_or((at, Way::Error), |at| (at, Way::Errors));
    let (at, make): (_, fn(usize, Way) -> Faults) =
        at.strip_prefix('r').map_or((at, Faults::at), |at| (at, Faults::at_read));
    let at = at.parse().ok()?;
    let error = match how {
        "before" => return Some(make(at, Way::DeathBefore)),
        "after" => return Some(make(at, Way::DeathAfter)),
        "EACCES" => Errno::ACCESS,
        "EDQUOT" => Errno::DQUOT,
        "EINTR" => Errno::INTR,
        "EIO" => Errno::IO,
        "EMFILE" => Errno::MFILE,
        "ENOSPC" => Errno::NOSPC,
        "EROFS" => Errno::ROFS,
        "EXDEV" => Errno::XDEV,
        _ => return None,
    };
    Some(make(at, way).error(error))
}

/// Asks what this thread is armed with; a death is a real one.
pub(super) fn asked(ask: &dyn Fn(&Faults) -> io::Result<()>) -> io::Result<()> {
    ARMED.with_borrow(|armed| match armed {
        Some(armed) => ask(armed).or_else(|error| if armed.dead() { die() } else { Err(error) }),
        None => Ok(()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_known_words_arm() {
        for words in ["", "3", "x:EIO", "3:EWHAT", "+:EIO", "3:+EIO"] {
            assert!(!arm(words), "{words}");
        }
        assert!(arm("2+:EIO"));
        let faults = Faults::none();
        let (change, read) = (|| faults.before(false).is_ok(), || faults.before(true).is_ok());
        assert!(change() && !change() && !change());
        assert_eq!(disarm(), 3);
        assert!(change());
        assert!(arm("r2:EIO"));
        assert!(change() && change() && read() && !read());
        assert_eq!(disarm(), 2);
    }
}
