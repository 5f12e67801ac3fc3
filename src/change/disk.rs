//! Every call that changes the file system: it can fail on demand, and is repeated when a signal cuts it short.

#![expect(clippy::disallowed_methods, reason = "the door to the file system")]

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

use rustix::fs::{CWD, OFlags, RenameFlags, renameat_with};
use rustix::io::Errno;

use super::faults::Faults;

/// What a step does.
#[derive(Debug, Clone, Copy)]
#[cfg_attr(not(debug_assertions), allow(dead_code, reason = "only debug builds write the steps down"))]
pub(super) enum Step<'a> {
    Create,
    MakeDir,
    Mode,
    Remove,
    /// From there.
    Rename(&'a Path),
    /// With that.
    Swap(&'a Path),
    Sync,
    Write,
}

/// Changes to the file system, counted one by one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Disk<'a>(pub(super) &'a Faults);

impl<'a> Disk<'a> {
    /// A disk that misbehaves as told.
    pub(crate) fn with(faults: &'a Faults) -> Self {
        Self(faults)
    }
}

impl Disk<'_> {
    /// Whether the simulated process has died.
    pub(super) fn dead(&self) -> bool {
        self.0.dead()
    }

    /// Where the last failure was, for a message: ` at <path below the root>`, or nothing.
    pub(super) fn place(&self, root: &Path) -> String {
        let Some(path) = self.0.failed() else { return String::new() };
        let inside = path.strip_prefix(root).unwrap_or(&path).display().to_string();
        format!(" at {}", if inside.is_empty() { "." } else { &inside })
    }

    /// Carries out one step on this path; EINTR is not a failure.
    pub(super) fn step<T>(&self, what: Step<'_>, path: &Path, mut act: impl FnMut() -> io::Result<T>) -> io::Result<T> {
        let value = loop {
            match self.0.before().and_then(|()| act()) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                other => break other,
            }
        };
        self.0.after()?;
        #[cfg(debug_assertions)]
        if value.is_ok() {
            super::failpoint::trace(what, path);
        }
        #[cfg(not(debug_assertions))]
        let _ = what;
        value.inspect_err(|error| self.0.note(error, path))
    }

    /// Makes a directory with exactly this mode, whatever the umask; it must not exist.
    pub(crate) fn make_dir(&self, path: &Path, mode: u32) -> io::Result<()> {
        self.step(Step::MakeDir, path, || fs::DirBuilder::new().mode(mode).create(path))?;
        self.step(Step::Mode, path, || fs::set_permissions(path, Permissions::from_mode(mode)))
    }

    /// Writes a new file with exactly this mode and syncs it; it must not exist.
    pub(crate) fn write_new(&self, path: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
        let mut file = self.step(Step::Create, path, || {
            OpenOptions::new()
                .write(true)
                .create_new(true)
                .mode(mode)
                .custom_flags(i32::try_from(OFlags::NOFOLLOW.bits()).unwrap_or(0))
                .open(path)
        })?;
        self.write_all(path, &mut file, bytes)?;
        self.step(Step::Mode, path, || file.set_permissions(Permissions::from_mode(mode)))?;
        self.step(Step::Sync, path, || file.sync_all())
    }

    /// Puts a file's whole content in its place in one step: temporary file, sync, rename, sync of the directory.
    pub(crate) fn replace_file(&self, temporary: &Path, path: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
        self.remove_file(temporary)?;
        self.write_new(temporary, bytes, mode)?;
        self.step(Step::Rename(temporary), path, || fs::rename(temporary, path))?;
        self.sync_parent(path)
    }

    /// Makes the name of something durable.
    pub(super) fn sync_parent(&self, path: &Path) -> io::Result<()> {
        path.parent().map_or(Ok(()), |above| self.sync_dir(above))
    }

    /// Makes the names in a directory durable.
    pub(crate) fn sync_dir(&self, path: &Path) -> io::Result<()> {
        self.step(Step::Sync, path, || File::open(path)?.sync_all())
    }

    /// Renames, refusing to replace anything.
    pub(crate) fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.0.movable(from)?;
        self.step(Step::Rename(from), to, || match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
            Err(error) if unsupported(error) => {
                if to.symlink_metadata().is_ok() {
                    return Err(Errno::EXIST.into());
                }
                fs::rename(from, to)
            }
            other => Ok(other?),
        })
    }

    /// Exchanges two names in one step. `false`: this file system cannot, nothing happened.
    pub(crate) fn swap(&self, one: &Path, other: &Path) -> io::Result<bool> {
        if !self.0.swaps() {
            return Ok(false);
        }
        self.0.movable(other)?;
        self.step(Step::Swap(one), other, || match renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE) {
            Err(error) if unsupported(error) => Ok(false),
            other => Ok(other.map(|()| true)?),
        })
    }

    /// Removes a file or a link; nothing there is fine.
    pub(crate) fn remove_file(&self, path: &Path) -> io::Result<()> {
        absent_is_fine(self.step(Step::Remove, path, || self.0.removable(path).and_then(|()| fs::remove_file(path))))
    }

    /// Removes an empty directory.
    pub(super) fn remove_dir(&self, path: &Path) -> io::Result<()> {
        self.step(Step::Remove, path, || self.0.removable(path).and_then(|()| fs::remove_dir(path)))
    }

    /// Removes a directory if it is empty; nothing there, or something in it, is fine.
    pub(crate) fn remove_if_empty(&self, path: &Path) -> io::Result<()> {
        match absent_is_fine(self.remove_dir(path)) {
            Err(error) if matches!(error.kind(), ErrorKind::DirectoryNotEmpty | ErrorKind::NotADirectory) => Ok(()),
            other => other,
        }
    }

    /// Removes whatever is at the path, never following a link; nothing there is fine. What cannot be removed does not
    /// keep the rest.
    pub(crate) fn remove_tree(&self, path: &Path) -> io::Result<()> {
        let Some(meta) = self.stat(path)? else { return Ok(()) };
        if !meta.is_dir() {
            return self.remove_file(path);
        }
        if meta.permissions().mode() & 0o700 != 0o700 {
            self.step(Step::Mode, path, || fs::set_permissions(path, Permissions::from_mode(0o700)))?;
        }
        let names = self.names(path)?;
        let removed: Vec<_> = names.iter().map(|name| self.remove_tree(&path.join(name))).collect();
        removed.into_iter().collect::<io::Result<()>>()?;
        absent_is_fine(self.remove_dir(path))
    }

    fn write_all(&self, path: &Path, file: &mut File, bytes: &[u8]) -> io::Result<()> {
        let mut rest = bytes;
        while !rest.is_empty() {
            let written = self.step(Step::Write, path, || file.write(rest))?;
            if written == 0 {
                return Err(ErrorKind::WriteZero.into());
            }
            rest = rest.get(written..).unwrap_or_default();
        }
        Ok(())
    }
}

fn absent_is_fine(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

fn unsupported(error: Errno) -> bool {
    error == Errno::INVAL || error == Errno::NOSYS || error == Errno::OPNOTSUPP
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn renaming_never_replaces_and_swapping_swaps() {
        let dir = tempfile::tempdir().unwrap();
        let (one, two) = (dir.path().join("one"), dir.path().join("two"));
        let faults = Faults::none();
        let disk = Disk::with(&faults);
        disk.write_new(&one, b"1", 0o644).unwrap();
        disk.write_new(&two, b"2", 0o755).unwrap();
        assert_eq!(disk.rename_new(&one, &two).unwrap_err().kind(), ErrorKind::AlreadyExists);
        assert!(disk.swap(&one, &two).unwrap());
        assert_eq!(fs::read(&one).unwrap(), b"2");
        assert_eq!(one.metadata().unwrap().permissions().mode() & 0o7777, 0o755);
    }

    #[test]
    fn a_tree_without_permissions_can_still_be_removed() {
        let dir = tempfile::tempdir().unwrap();
        let sealed = dir.path().join("tree/sealed");
        fs::create_dir_all(&sealed).unwrap();
        fs::write(sealed.join("f"), "x").unwrap();
        fs::set_permissions(&sealed, Permissions::from_mode(0o555)).unwrap();
        std::os::unix::fs::symlink("/etc", dir.path().join("tree/link")).unwrap();
        Disk::with(&Faults::none()).remove_tree(&dir.path().join("tree")).unwrap();
        assert!(!dir.path().join("tree").exists());
        assert!(Path::new("/etc").exists());
    }
}
