//! Failures of the whole program on demand, in debug builds only: a real death, or an error number, at one step.

use std::cell::{Cell, RefCell};
use std::io;
use std::path::PathBuf;

use crate::system::os::files::Errno;
use crate::system::os::process::die;
use crate::system::rooted::Held;

use super::disk::Step;

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

/// What happens at the chosen step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Blow {
    /// SIGKILL instead of the step.
    KillBefore,
    /// SIGKILL right after the step.
    KillAfter,
    /// The step fails without effect.
    Error(Errno),
}

#[derive(Debug, Clone, Copy)]
struct Point {
    at: usize,
    onwards: bool,
    /// Whether reads are counted, in place of changes.
    reading: bool,
    blow: Blow,
}

thread_local! {
    static POINT: Cell<Option<Point>> = const { Cell::new(None) };
    static STEPS: Cell<usize> = const { Cell::new(0) };
    static APART: Cell<bool> = const { Cell::new(false) };
    static TRACE: RefCell<Option<Vec<Done>>> = const { RefCell::new(None) };
}

/// Arms this thread: `STEP:before`, `STEP:after` (SIGKILL), `STEP:ENOSPC` (one error), `STEP+:ENOSPC` (from there on).
/// Steps are changes to the file system, counted from 1; with `r` before the number they are what a transaction or a
/// scan of a skill reads from it. `false`: the words mean nothing, nothing is armed.
pub fn arm(words: &str) -> bool {
    let point = parse(words);
    POINT.set(point);
    STEPS.set(0);
    point.is_some()
}

/// Disarms this thread; how many steps were asked for since it was armed.
pub fn disarm() -> usize {
    POINT.set(None);
    STEPS.get()
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

pub(super) fn trace(step: Step<'_>, at: &Held) {
    if TRACE.with_borrow(Option::is_none) {
        return;
    }
    let done = match step {
        Step::Create | Step::Mode | Step::Write => Done::Written(at.path()),
        Step::MakeDir => Done::Made(at.path()),
        Step::Rename(other) | Step::Swap(other) => Done::Moved(other.path(), at.path()),
        Step::Sync => Done::Synced(at.path()),
        Step::SyncAll(all) => {
            let synced: Vec<Done> = all.iter().map(|at| Done::Synced(at.path())).collect();
            return TRACE.with_borrow_mut(|trace| trace.iter_mut().for_each(|trace| trace.extend_from_slice(&synced)));
        }
        Step::Remove => Done::Removed(at.path()),
    };
    TRACE.with_borrow_mut(|all| all.iter_mut().for_each(|all| all.push(done.clone())));
}

fn parse(words: &str) -> Option<Point> {
    let (at, how) = words.split_once(':')?;
    let (at, onwards) = at.strip_suffix('+').map_or((at, false), |at| (at, true));
    let (at, reading) = at.strip_prefix('r').map_or((at, false), |at| (at, true));
    let blow = match how {
        "before" => Blow::KillBefore,
        "after" => Blow::KillAfter,
        "EACCES" => Blow::Error(Errno::ACCESS),
        "EDQUOT" => Blow::Error(Errno::DQUOT),
        "EINTR" => Blow::Error(Errno::INTR),
        "EIO" => Blow::Error(Errno::IO),
        "EMFILE" => Blow::Error(Errno::MFILE),
        "ENOSPC" => Blow::Error(Errno::NOSPC),
        "EROFS" => Blow::Error(Errno::ROFS),
        "EXDEV" => Blow::Error(Errno::XDEV),
        _ => return None,
    };
    Some(Point { at: at.parse().ok()?, onwards, reading, blow })
}

/// To be asked before each change, and before each read.
pub(super) fn reached(reading: bool) -> io::Result<()> {
    let Some(point) = POINT.get().filter(|point| point.reading == reading) else { return Ok(()) };
    let step = STEPS.get().saturating_add(1);
    STEPS.set(step);
    if step != point.at && !(point.onwards && step > point.at) {
        return Ok(());
    }
    match point.blow {
        Blow::Error(error) => Err(error.into()),
        Blow::KillBefore => die(),
        Blow::KillAfter => Ok(()),
    }
}

pub(super) fn after() -> io::Result<()> {
    match POINT.get() {
        Some(Point { at, reading: false, blow: Blow::KillAfter, .. }) if at == STEPS.get() => die(),
        _ => Ok(()),
    }
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
        let (change, read) = (|| reached(false).is_ok(), || reached(true).is_ok());
        assert!(change() && !change() && !change());
        assert_eq!(disarm(), 3);
        assert!(change());
        assert!(arm("r2:EIO"));
        assert!(change() && change() && read() && !read());
        assert_eq!(disarm(), 2);
    }
}
