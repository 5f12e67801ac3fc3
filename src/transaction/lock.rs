//! The project's lock: held while something is written, freed by the kernel however the process ends.

use std::fs::{File, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use super::{Roots, retried};
use crate::error::{Code, Coded, Error, Result};
use crate::system::os::process::outlive_file_limit;
pub(crate) use crate::system::rooted::HOME;
use crate::system::rooted::Root;

/// How long to sleep between two attempts.
const PAUSE: Duration = Duration::from_millis(25);

/// The most that is read of what the holder says about itself, in bytes.
const MAX_HOLDER: u64 = 300;

/// The right to write to a project. The file `.hefesto/lock` stays; only the kernel's lock on it counts.
#[derive(Debug)]
pub struct Lock {
    roots: Roots,
    _file: File,
}

impl Lock {
    /// Takes the lock, waiting at most `wait`; makes `.hefesto` (0700) if it is missing.
    ///
    /// `holder` is what others show about this process while they wait: the command and since when; the process id
    /// is put before it. `on_wait` is called once, with the present holder's words, before waiting.
    /// Errors: `E-TXN-001` naming the holder when the time is up; `E-CREATE-006` when `.hefesto` cannot be written.
    pub fn acquire(
        roots: impl Into<Roots>,
        holder: &str,
        wait: Duration,
        on_wait: &mut dyn FnMut(&str),
    ) -> Result<Self> {
        outlive_file_limit();
        let cannot = || format!("{HOME} cannot be written");
        let unopened = "the project root cannot be opened";
        let roots = roots.into().opened().coded(Code::CreateUnwritable, unopened)?;
        let root = roots.opened_root().coded(Code::CreateUnwritable, unopened)?;
        let cure = |error: Error| error.suggest(format!("Make {HOME} writable, or move away what lies in its place."));
        make_home(&root).coded(Code::CreateUnwritable, cannot()).map_err(cure)?;
        let mut file = retried(&mut || open(&root)).coded(Code::CreateUnwritable, cannot()).map_err(cure)?;
        let begun = Instant::now();
        let mut shown = false;
        while !take(&file).coded(Code::CreateUnwritable, format!("{HOME}/lock cannot be locked"))? {
            let other = words(&mut file);
            if begun.elapsed() >= wait {
                let message = format!("another hefesto is writing to this project ({other})");
                return Err(Error::new(Code::Busy, message));
            }
            if !shown {
                on_wait(&other);
                shown = true;
            }
            std::thread::sleep(PAUSE.min(wait.saturating_sub(begun.elapsed())));
        }
        sign(&mut file, holder);
        Ok(Self { roots, _file: file })
    }

    /// Takes the lock if it is free this moment and `.hefesto` exists and can be written. Makes nothing but the lock
    /// file in an existing `.hefesto`.
    /// Errors: `E-IO-001` when the root cannot be opened.
    pub fn try_now(roots: impl Into<Roots>) -> Result<Option<Self>> {
        let roots = roots.into().opened().coded(Code::Io, "the project root cannot be opened")?;
        let root = roots.opened_root().coded(Code::Io, "the project root cannot be opened")?;
        if !root.plain(HOME).is_dir() {
            return Ok(None);
        }
        outlive_file_limit();
        let free = retried(&mut || open(&root)).ok().filter(|file| take(file).unwrap_or(false));
        Ok(free.map(|mut file| {
            sign(&mut file, "for a moment");
            Self { roots, _file: file }
        }))
    }

    /// The project's root, absolute and free of links.
    pub fn root(&self) -> &Path {
        self.roots.root()
    }

    /// The root, and where the skills are.
    pub fn roots(&self) -> &Roots {
        &self.roots
    }
}

fn make_home(root: &Root) -> io::Result<()> {
    match retried(&mut || root.plain(HOME).make_dir(0o700))? {
        true => retried(&mut || crate::system::os::files::sync(&root.plain("").handle()?)),
        false => Ok(()),
    }
}

fn open(root: &Root) -> io::Result<File> {
    root.plain(HOME).join("lock").append(0o600)
}

fn take(file: &File) -> io::Result<bool> {
    retried(&mut || match file.try_lock() {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => Err(error),
    })
}

/// Says who holds the lock. A courtesy: failing to say it does no harm.
fn sign(file: &mut File, holder: &str) {
    let text = format!("pid {}: {holder}\n", std::process::id());
    let _ = file.rewind().and_then(|()| file.set_len(0)).and_then(|()| file.write_all(text.as_bytes()));
}

fn words(file: &mut File) -> String {
    let mut bytes = Vec::new();
    let _ = file.rewind().and_then(|()| file.take(MAX_HOLDER).read_to_end(&mut bytes));
    let text: String = String::from_utf8_lossy(&bytes).chars().filter(|c| !c.is_control()).collect();
    if text.is_empty() { "another hefesto".to_owned() } else { text }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use crate::error::Exit;

    #[test]
    fn the_second_waits_hears_who_it_is_and_gives_up() {
        let dir = tempfile::tempdir().unwrap();
        let first = Lock::acquire(dir.path(), "create, since 10:00", Duration::ZERO, &mut |_| {}).unwrap();
        let mut heard = Vec::new();
        let error = Lock::acquire(dir.path(), "sync", Duration::from_millis(60), &mut |who| heard.push(who.to_owned()))
            .unwrap_err();
        assert_eq!((error.code(), error.exit_with()), (Code::Busy, Exit::Busy));
        assert!(error.message().contains("create, since 10:00"));
        assert!(error.message().contains(&std::process::id().to_string()));
        assert_eq!(heard.len(), 1);
        assert!(Lock::try_now(dir.path()).unwrap().is_none());
        drop(first);
        // A child of another test, not yet replaced by its program, shares the lock for a moment.
        let free = || Lock::try_now(dir.path()).unwrap().is_some();
        assert!((0..500).any(|_| free() || {
            std::thread::sleep(Duration::from_millis(10));
            false
        }));
        assert!(dir.path().join(".hefesto/lock").exists());
        let mode = dir.path().join(".hefesto").metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
    }

    #[test]
    fn looking_makes_nothing_and_a_linked_home_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        assert!(Lock::try_now(dir.path()).unwrap().is_none());
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
        std::os::unix::fs::symlink("/tmp", dir.path().join(".hefesto")).unwrap();
        let error = Lock::acquire(dir.path(), "x", Duration::ZERO, &mut |_| {}).unwrap_err();
        assert_eq!(error.code(), Code::CreateUnwritable);
    }
}
