//! Moves a directory where the file system refuses to rename it, as an overlay does with those of its lower layer.

use std::io;

use crate::system::os::files;
use crate::system::rooted::Held;

use super::disk::Disk;

impl Disk<'_> {
    /// Moves a directory that cannot be renamed as a whole: makes it anew and moves file by file, so that nothing is
    /// ever in no place. Goes on where an earlier attempt ended; never replaces anything.
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

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;

    use super::*;
    use crate::transaction::Faults;

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
        fs::set_permissions(from.join("two"), fs::Permissions::from_mode(0o750)).unwrap();
        let faults = Faults::at(12, crate::transaction::Way::Error);
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
        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read(from.join("f")).unwrap(), b"mine");
    }
}
