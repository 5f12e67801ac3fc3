//! Where a path leads: link by link, never out of the root.

use std::ffi::OsString;
use std::io::{self, ErrorKind};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use cap_fs_ext::DirExt;
use cap_std::fs::Dir;

use super::{Kind, Refused, Rooted, absolute};

/// So many links on one way are a circle.
const MOST_LINKS: usize = 40;

impl Rooted {
    /// The path with every link resolved, relative to the root; it exists.
    /// Errors: `NotFound`, a refusal when a link leads out of the root, or what the operating system says.
    pub fn real(&self) -> io::Result<PathBuf> {
        if self.plain {
            return self.metadata().map(|_| self.at.clone());
        }
        let root = self.root.dir();
        let mut rest: std::collections::VecDeque<OsString> = self.at.iter().map(Into::into).collect();
        let (mut real, mut links, mut last) = (PathBuf::new(), 0, self.at.clone());
        while let Some(part) = rest.pop_front() {
            if part == ".." {
                if real.pop() {
                    continue;
                }
                return Err(self.refuse(&last, OUTSIDE));
            }
            let here = real.join(&part);
            if Kind::from(root.symlink_metadata(&here)?.file_type()) != Kind::Link {
                real = here;
                continue;
            }
            links += 1;
            if links > MOST_LINKS {
                return Err(self.refuse(&here, "is a symbolic link that leads in a circle"));
            }
            let target = root.read_link_contents(&here)?;
            let mut inside = target.as_path();
            if target.is_absolute() {
                let known = [&self.root.0.real, &self.root.0.named];
                let below = known.into_iter().find_map(|root| target.strip_prefix(root).ok());
                inside = below.ok_or_else(|| self.refuse(&here, OUTSIDE))?;
                real = PathBuf::new();
            }
            let parts = inside.components().filter(|part| *part != Component::CurDir);
            parts.rev().for_each(|part| rest.push_front(part.as_os_str().to_owned()));
            last = here;
        }
        Ok(real)
    }

    /// Does something at the path, following links below the root. What the operating system refuses as leading out may
    /// be an absolute link that leads back in: these are resolved here.
    pub(super) fn follow<T>(&self, act: impl Fn(&Dir, &Path) -> io::Result<T>) -> io::Result<T> {
        let here = if self.at.as_os_str().is_empty() { Path::new(".") } else { &self.at };
        match act(self.root.dir(), here) {
            Err(error) if error.kind() == ErrorKind::PermissionDenied && error.raw_os_error().is_none() => {
                act(self.root.dir(), &self.real()?)
            }
            other => other,
        }
    }

    /// The directory it is in, opened, and its name there.
    /// Errors: `NotFound`, a refusal when a component is a link that may not be followed, or what the operating system
    /// says.
    pub fn parent(&self) -> io::Result<(Arc<Dir>, OsString)> {
        let (Some(parent), Some(name)) = (self.at.parent(), self.at.file_name()) else {
            return Err(self.refuse(&self.at, "is not the name of a file"));
        };
        if !self.plain && !parent.as_os_str().is_empty() {
            let above = self.root.at(parent);
            return Ok((Arc::new(above.directory()?), name.to_owned()));
        }
        let (mut dir, mut here) = (Arc::clone(&self.root.0.dir), PathBuf::new());
        for part in parent.components() {
            let Component::Normal(part) = part else { return Err(self.refuse(&self.at, "is not a plain path")) };
            here.push(part);
            if let Some(own) = self.root.own(&here) {
                dir = own?;
                continue;
            }
            let next = dir.open_dir_nofollow(part);
            dir = Arc::new(self.named(next, &dir, &here)?);
        }
        Ok((dir, name.to_owned()))
    }

    /// Says what is in the way where the last name of a path in this directory could not be opened without following a
    /// link.
    pub(super) fn named<T>(&self, result: io::Result<T>, dir: &Dir, path: &Path) -> io::Result<T> {
        let error = match result {
            Err(error) if error.kind() != ErrorKind::NotFound => error,
            other => return other,
        };
        let name = path.file_name().unwrap_or_default();
        let why = match dir.symlink_metadata(name).map(|meta| Kind::from(meta.file_type())) {
            Ok(Kind::Link) => "is a symbolic link, and hefesto follows none there",
            Ok(Kind::Other) => "is neither a file nor a directory",
            Ok(Kind::Dir) if error.kind() == ErrorKind::IsADirectory => "is a directory",
            _ => return Err(error),
        };
        Err(self.refuse(path, why))
    }

    pub(super) fn refuse(&self, at: &Path, why: &'static str) -> io::Error {
        Refused { path: absolute(&self.root.0.named, at), why }.into()
    }
}

/// Why a link is not followed that leads out of its root.
pub const OUTSIDE: &str = "is a symbolic link that leads out of its project";

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::super::{Root, found, refused};
    use super::*;

    #[test]
    fn links_that_stay_inside_are_followed_and_others_named() {
        let dir = tempfile::tempdir().unwrap();
        let project = dir.path().join("project");
        fs::create_dir_all(project.join("shared/x")).unwrap();
        fs::create_dir_all(project.join("deep/er")).unwrap();
        fs::write(project.join("shared/x/SKILL.md"), "inside").unwrap();
        fs::write(dir.path().join("secret"), "outside").unwrap();
        symlink("../shared", project.join("deep/up")).unwrap();
        symlink(project.join("shared"), project.join("absolute")).unwrap();
        symlink("../secret", project.join("out")).unwrap();
        symlink(dir.path(), project.join("all")).unwrap();
        symlink("circle", project.join("circle")).unwrap();
        let named = dir.path().join("named");
        symlink(&project, &named).unwrap();
        symlink(named.join("shared"), project.join("other")).unwrap();
        let root = Root::open(&named).unwrap();
        for at in ["shared/x/SKILL.md", "deep/up/x/SKILL.md", "absolute/x/SKILL.md", "other/x/SKILL.md"] {
            assert_eq!(root.at(at).read(100).unwrap(), b"inside", "{at}");
            assert_eq!(root.at(at).real().unwrap(), Path::new("shared/x/SKILL.md"), "{at}");
        }
        assert!(root.at("absolute").is_dir() && root.at("deep/up/x").is_dir());
        assert_eq!(root.at("absolute").list().unwrap(), [("x".into(), Kind::Dir)]);
        assert_eq!(root.at("absolute").entry_kind().unwrap(), Some(Kind::Link));
        for (at, link) in [("out", "out"), ("all/secret", "all"), ("../secret", "../secret"), ("circle", "circle")] {
            let error = root.at(at).read(100).unwrap_err();
            if at == "circle" {
                assert_eq!(error.raw_os_error(), Some(rustix::io::Errno::LOOP.raw_os_error()));
                continue;
            }
            let refused = refused(&error).unwrap_or_else(|| panic!("{at}: {error}"));
            assert_eq!(refused.path, named.join(link));
            assert!(root.at(at).kind().is_err() && !root.at(at).is_file());
        }
        assert!(found(root.at("none").read(1)).unwrap().is_none());
    }

    #[test]
    fn no_link_is_followed_below_hefestos_own_directory() {
        let dir = tempfile::tempdir().unwrap();
        let root = Root::open(dir.path()).unwrap();
        fs::create_dir_all(dir.path().join("elsewhere/txn")).unwrap();
        fs::write(dir.path().join("elsewhere/lock"), "x").unwrap();
        symlink("elsewhere", dir.path().join(".hefesto")).unwrap();
        for at in [".hefesto", ".hefesto/lock", ".hefesto/txn", "./.hefesto/txn/deeper"] {
            let at = root.at(at);
            for error in [at.directory().unwrap_err(), at.join("x").append(0o600).unwrap_err()] {
                assert_eq!(refused(&error).unwrap().path, dir.path().join(".hefesto"));
            }
        }
        fs::remove_file(dir.path().join(".hefesto")).unwrap();
        fs::create_dir(dir.path().join(".hefesto")).unwrap();
        symlink("../elsewhere/lock", dir.path().join(".hefesto/lock")).unwrap();
        symlink("../elsewhere", dir.path().join(".hefesto/txn")).unwrap();
        assert!(refused(&root.at(".hefesto/lock").read(9).unwrap_err()).is_some());
        assert!(refused(&root.at(".hefesto/lock").append(0o600).unwrap_err()).is_some());
        assert!(refused(&root.at(".hefesto/txn").make_dir(0o700).unwrap_err()).is_some());
        assert!(refused(&root.at(".hefesto/txn").list().unwrap_err()).is_some());
        assert!(root.at(".hefesto/txn/txn").metadata().is_err());
        assert_eq!(root.at(".hefesto/txn").kind().unwrap(), Some(Kind::Link));
    }
}
