//! Every call that changes the file system: it can fail on demand, and is repeated when a signal cuts it short. Each is
//! relative to an opened directory.

use std::io::{self, ErrorKind, Write};
use std::path::Path;

use super::{Faults, Roots};
use crate::report::slashed::Slashed;
use crate::system::os::files::{self, Named};
use crate::system::rooted::Held;

/// What a step does to a path.
#[derive(Debug, Clone, Copy)]
#[cfg_attr(not(debug_assertions), allow(dead_code, reason = "only debug builds write the steps down"))]
pub(super) enum Step<'a> {
    Make,
    /// Also making a file, and setting a mode.
    Write,
    /// Renames this one to it, or exchanges the two.
    Move(&'a Held),
    Sync,
    /// All of these at once.
    SyncAll(&'a [Held]),
    Remove,
}

/// What paths lead to: reads and changes, counted one by one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Disk<'a> {
    pub(super) faults: &'a Faults,
    pub(super) roots: &'a Roots,
}

impl<'a> Disk<'a> {
    pub(crate) fn of(roots: &'a Roots, faults: &'a Faults) -> Self {
        Self { faults, roots }
    }

    /// A path as journals name it: relative to the root, or absolute below a directory of the user's skills.
    pub(crate) fn at(&self, at: &str) -> io::Result<Held> {
        self.roots.held(at)
    }

    pub(super) fn root(&self) -> &Path {
        self.roots.root()
    }

    /// Where the last failure was, for a message: ` at <path below the root>`, or nothing.
    pub(super) fn place(&self) -> String {
        let Some(path) = self.faults.failed() else { return String::new() };
        let inside = path.strip_prefix(self.root()).unwrap_or(&path).slashed();
        format!(" at {}", if inside.is_empty() { "." } else { &inside })
    }

    pub(super) fn step<T>(&self, what: Step<'_>, at: &Held, act: &mut dyn FnMut() -> io::Result<T>) -> io::Result<T> {
        let value = retried(&mut || self.faults.before(false).and_then(|()| act()));
        self.faults.after()?;
        #[cfg(debug_assertions)]
        if value.is_ok() {
            super::failpoint::trace(what, at);
        }
        #[cfg(not(debug_assertions))]
        let _ = what;
        value.inspect_err(|error| self.faults.note(error, at))
    }

    /// Makes a directory with exactly this mode, whatever the umask; it must not exist.
    pub(crate) fn make_dir(&self, at: &Held, mode: u32) -> io::Result<()> {
        self.step(Step::Make, at, &mut || files::make_dir(at.parent()?, mode))?;
        self.step(Step::Write, at, &mut || files::set_mode(at.parent()?, mode))
    }

    /// Makes a directory with this mode, durably, where there is none.
    pub(super) fn ensure_dir(&self, at: &Held, mode: u32) -> io::Result<()> {
        if !self.is_dir(at)? {
            self.make_dir(at, mode)?;
            self.sync_parent(at)?;
        }
        Ok(())
    }

    /// Writes a new file with exactly this mode and syncs it; it must not exist.
    pub(crate) fn write_new(&self, at: &Held, bytes: &[u8], mode: u32) -> io::Result<()> {
        let file = self.write(at, bytes, mode)?;
        self.step(Step::Sync, at, &mut || files::sync(&file))
    }

    /// Writes a new file that is not durable yet.
    pub(super) fn write(&self, at: &Held, bytes: &[u8], mode: u32) -> io::Result<std::fs::File> {
        let mut file = self.step(Step::Write, at, &mut || files::open_new(at.parent()?, mode))?;
        let mut rest = bytes;
        while !rest.is_empty() {
            let written = self.step(Step::Write, at, &mut || file.write(rest))?;
            if written == 0 {
                return Err(ErrorKind::WriteZero.into());
            }
            rest = rest.get(written..).unwrap_or_default();
        }
        self.step(Step::Write, at, &mut || files::set_file_mode(&file, mode))?;
        Ok(file)
    }

    /// Renames, in place of what is there.
    pub(super) fn rename(&self, from: &Held, to: &Held) -> io::Result<()> {
        self.step(Step::Move(from), to, &mut || files::rename(from.parent()?, to.parent()?))
    }

    /// Makes the name of something durable.
    pub(crate) fn sync_parent(&self, at: &Held) -> io::Result<()> {
        self.step(Step::Sync, at.above().unwrap_or(at), &mut || at.sync_parent())
    }

    /// Makes the names in a directory durable.
    pub(crate) fn sync_dir(&self, at: &Held) -> io::Result<()> {
        self.step(Step::Sync, at, &mut || files::sync_names(at.parent()?))
    }

    /// Renames, refusing to replace anything.
    pub(crate) fn rename_new(&self, from: &Held, to: &Held) -> io::Result<()> {
        self.faults.movable(from)?;
        self.step(Step::Move(from), to, &mut || files::rename_new(from.parent()?, to.parent()?))
    }

    /// Exchanges two names in one step. `false`: this file system cannot, nothing happened.
    pub(crate) fn swap(&self, one: &Held, other: &Held) -> io::Result<bool> {
        if !self.faults.swaps() {
            return Ok(false);
        }
        self.faults.movable(other)?;
        self.step(Step::Move(one), other, &mut || files::exchange(one.parent()?, other.parent()?))
    }

    /// Removes a file or a link; nothing there is fine.
    pub(crate) fn remove_file(&self, at: &Held) -> io::Result<()> {
        absent_is_fine(self.unlink(at, files::remove_file))
    }

    pub(super) fn remove_dir(&self, at: &Held) -> io::Result<()> {
        self.unlink(at, files::remove_dir)
    }

    fn unlink(&self, at: &Held, remove: fn(Named<'_>) -> io::Result<()>) -> io::Result<()> {
        self.step(Step::Remove, at, &mut || {
            self.faults.removable(&at.path())?;
            remove(at.parent()?)
        })
    }

    /// Removes a directory if it is empty; nothing there, or something in it, is fine.
    pub(crate) fn remove_if_empty(&self, at: &Held) -> io::Result<()> {
        match absent_is_fine(self.remove_dir(at)) {
            Err(error) if matches!(error.kind(), ErrorKind::DirectoryNotEmpty | ErrorKind::NotADirectory) => Ok(()),
            other => other,
        }
    }

    /// Removes whatever is at the path, never following a link; nothing there is fine. What cannot be removed does not
    /// keep the rest.
    pub(crate) fn remove_tree(&self, at: &Held) -> io::Result<()> {
        let Some(meta) = self.stat(at)? else { return Ok(()) };
        if !meta.is_dir() {
            return self.remove_file(at);
        }
        if files::mode(&meta) & 0o700 != 0o700 {
            self.step(Step::Write, at, &mut || files::set_mode(at.parent()?, 0o700))?;
        }
        let (names, dir) = (self.names(at)?, at.anew());
        let removed: Vec<_> = names.iter().map(|name| self.remove_tree(&dir.join(name))).collect();
        // A directory that is open is not removed everywhere.
        drop(dir);
        removed.into_iter().collect::<io::Result<()>>()?;
        absent_is_fine(self.remove_dir(at))
    }

    /// Moves a directory that the file system refuses to rename, as an overlay does with those of its lower layer: makes it
    /// anew and moves file by file, so that nothing is ever in no place. Goes on where an earlier attempt ended; never
    /// replaces anything.
    pub(super) fn carry(&self, from: &Held, to: &Held) -> io::Result<()> {
        if !self.is_dir(to)? {
            let mode = self.stat(from)?.map_or(0o755, |meta| files::mode(&meta) & 0o7777);
            self.make_dir(to, mode)?;
            self.sync_parent(to)?;
        }
        let (old, new) = (from.anew(), to.anew());
        for name in self.names(from)? {
            let (one, other) = (old.join(&name), new.join(&name));
            if self.is_dir(&one)? { self.carry(&one, &other)? } else { self.rename_new(&one, &other)? }
        }
        drop((old, new));
        self.sync_dir(to)?;
        self.remove_dir(from)?;
        self.sync_parent(from)
    }
}

/// Does something until no signal cuts it short: EINTR is not a failure.
pub(super) fn retried<T>(act: &mut dyn FnMut() -> io::Result<T>) -> io::Result<T> {
    loop {
        match act() {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            other => return other,
        }
    }
}

fn absent_is_fine(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;
    use crate::transaction::Way;

    #[test]
    fn renaming_never_replaces_and_swapping_swaps() {
        let dir = tempfile::tempdir().unwrap();
        let (faults, roots) = (Faults::none(), Roots::from(dir.path()));
        let disk = Disk::of(&roots, &faults);
        let (one, two) = (disk.at("one").unwrap(), disk.at("two").unwrap());
        disk.write_new(&one, b"1", 0o644).unwrap();
        disk.write_new(&two, b"2", 0o755).unwrap();
        assert_eq!(disk.rename_new(&one, &two).unwrap_err().kind(), ErrorKind::AlreadyExists);
        assert!(disk.swap(&one, &two).unwrap());
        let one = dir.path().join("one");
        assert_eq!(fs::read(&one).unwrap(), b"2");
        assert_eq!(one.metadata().unwrap().permissions().mode() & 0o7777, 0o755);
    }

    #[test]
    fn a_tree_without_permissions_can_still_be_removed() {
        let dir = tempfile::tempdir().unwrap();
        let sealed = dir.path().join("tree/sealed");
        fs::create_dir_all(&sealed).unwrap();
        fs::write(sealed.join("f"), "x").unwrap();
        fs::set_permissions(&sealed, Permissions::from_mode(0o000)).unwrap();
        symlink("/etc", dir.path().join("tree/link")).unwrap();
        let (faults, roots) = (Faults::none(), Roots::from(dir.path()));
        let disk = Disk::of(&roots, &faults);
        disk.remove_tree(&disk.at("tree").unwrap()).unwrap();
        assert!(!dir.path().join("tree").exists());
        assert!(Path::new("/etc").exists());
    }

    #[test]
    fn nothing_is_changed_through_a_link_on_the_way() {
        let dir = tempfile::tempdir().unwrap();
        let (project, outside) = (dir.path().join("project"), dir.path().join("outside"));
        fs::create_dir_all(&project).unwrap();
        fs::create_dir_all(outside.join("sub")).unwrap();
        fs::write(outside.join("f"), "kept").unwrap();
        fs::write(project.join("mine"), "mine").unwrap();
        symlink(&outside, project.join("link")).unwrap();
        let (faults, roots) = (Faults::none(), Roots::from(&project));
        let disk = Disk::of(&roots, &faults);
        let at = |at: &str| disk.at(at).unwrap();
        let results = [
            disk.make_dir(&at("link/new"), 0o700),
            disk.write_new(&at("link/new"), b"x", 0o600),
            disk.rename_new(&at("mine"), &at("link/new")),
            disk.rename_new(&at("link/f"), &at("new")),
            disk.swap(&at("mine"), &at("link/f")).map(drop),
            disk.remove_file(&at("link/f")),
            disk.remove_if_empty(&at("link/sub")),
            disk.remove_tree(&at("link/sub")),
            disk.sync_dir(&at("link")),
            disk.sync_parent(&at("link/f")),
            disk.bytes(&at("link/f"), 9).map(drop),
            disk.names(&at("link")).map(drop),
            disk.stat(&at("link/f")).map(drop),
        ];
        for (number, result) in results.into_iter().enumerate() {
            assert!(result.is_err(), "{number}");
        }
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 2);
        assert_eq!(fs::read_dir(&project).unwrap().count(), 2);
        assert!(disk.at("/etc/hostname").is_err() && at("../outside/f").metadata().is_err());
    }

    fn carry(root: &Path, faults: &Faults) -> io::Result<()> {
        let roots = root.into();
        let disk = Disk::of(&roots, faults);
        disk.carry(&disk.at("from")?, &disk.at("to")?)
    }

    #[test]
    fn a_directory_is_carried_with_its_modes_and_a_second_attempt_goes_on() {
        let dir = tempfile::tempdir().unwrap();
        let (from, to) = (dir.path().join("from"), dir.path().join("to"));
        for at in ["one/deep", "two", "empty"] {
            fs::create_dir_all(from.join(at)).unwrap();
            fs::write(from.join("one/deep/f"), "f").unwrap();
        }
        fs::write(from.join("two/g"), "g").unwrap();
        fs::set_permissions(from.join("two"), Permissions::from_mode(0o750)).unwrap();
        let faults = Faults::at(12, Way::Error);
        assert!(carry(dir.path(), &faults).is_err());
        assert!(from.exists() && to.exists());
        carry(dir.path(), &Faults::none()).unwrap();
        assert!(!from.exists() && to.join("empty").is_dir());
        assert_eq!(fs::read(to.join("one/deep/f")).unwrap(), b"f");
        assert_eq!(to.join("two").metadata().unwrap().permissions().mode() & 0o777, 0o750);
    }

    #[test]
    fn nothing_is_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let (from, to) = (dir.path().join("from"), dir.path().join("to"));
        for (at, text) in [(&from, "mine"), (&to, "other")] {
            fs::create_dir(at).unwrap();
            fs::write(at.join("f"), text).unwrap();
        }
        let error = carry(dir.path(), &Faults::none()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::AlreadyExists);
        assert_eq!(fs::read(from.join("f")).unwrap(), b"mine");
    }
}
