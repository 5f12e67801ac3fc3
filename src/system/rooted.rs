//! Files below a directory that was opened once. Every access is relative to that handle, and none leads out of it.
//!
//! A project may come from a stranger. What belongs to the person (skills, MEMORY.md, `.context`) may be reached
//! through symbolic links that stay inside; hefesto's own directory `.hefesto` and everything in it may not be reached
//! through any. Only regular files and directories are opened: a pipe or a device is noticed before anything is read
//! from it.

mod held;
mod links;
mod modify;

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::SystemTime;

use cap_fs_ext::{DirExt, FollowSymlinks, MetadataExt, OpenOptionsFollowExt, OpenOptionsSyncExt};
pub use cap_std::fs::{Dir, Metadata};
use cap_std::fs::{FileType, OpenOptions};
use held::OwnDirectories;
pub use held::{Held, absent};
pub use links::OUTSIDE;

use crate::report::Slashed;
use crate::system::os::listing::Listing;

/// hefesto's own directory in a project.
pub const HOME: &str = ".hefesto";

/// Why something is not accessed, whatever the operating system would allow.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{} {why}", .path.slashed())]
pub struct Refused {
    /// What stands in the way, absolute.
    pub path: PathBuf,
    /// What is wrong with it, a clause without a full stop.
    pub why: &'static str,
}

impl From<Refused> for io::Error {
    fn from(refused: Refused) -> Self {
        Self::new(ErrorKind::PermissionDenied, refused)
    }
}

/// What was refused, where an error is a refusal of this module and not one of the operating system.
pub fn refused(error: &io::Error) -> Option<&Refused> {
    error.get_ref()?.downcast_ref()
}

/// `None` where nothing is there; every other failure stays one.
/// Errors: Any but `NotFound`.
pub fn found<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        other => other.map(Some),
    }
}

/// What a name refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    File,
    Dir,
    Link,
    /// A pipe, a socket or a device.
    Other,
}

impl From<FileType> for Kind {
    fn from(file_type: FileType) -> Self {
        match file_type {
            kind if kind.is_file() => Self::File,
            kind if kind.is_dir() => Self::Dir,
            kind if kind.is_symlink() => Self::Link,
            _ => Self::Other,
        }
    }
}

/// A directory that was opened.
#[derive(Debug, Clone)]
pub struct Root(Arc<Opened>);

#[derive(Debug)]
struct Opened {
    dir: Arc<Dir>,
    /// As it was named, and free of links: an absolute link inside may spell it either way.
    named: PathBuf,
    real: PathBuf,
    own: OwnDirectories,
}

impl Root {
    /// Opens a directory by its path, which may contain links: it is the person's word.
    /// Errors: when it is not there, no directory, or cannot be opened.
    pub fn open(path: &Path) -> io::Result<Self> {
        let real = crate::system::os::places::real(path)?;
        let dir = Dir::open_ambient_dir(&real, cap_std::ambient_authority())?;
        Ok(Self::opened(dir, path.to_path_buf(), real))
    }

    /// A directory below another root as a root of its own.
    pub fn of(at: &Rooted) -> io::Result<Self> {
        let (dir, real) = (at.directory()?, at.canonical()?);
        Ok(Self::opened(dir, at.path(), real))
    }

    fn opened(dir: Dir, named: PathBuf, real: PathBuf) -> Self {
        Self(Arc::new(Opened { dir: Arc::new(dir), named, real, own: OwnDirectories::default() }))
    }

    /// Its path, absolute and free of links.
    pub fn path(&self) -> &Path {
        &self.0.real
    }

    pub fn dir(&self) -> &Dir {
        &self.0.dir
    }

    /// A path below it. Links that stay below it are followed, but none on a path into `.hefesto`.
    pub fn at(&self, at: impl AsRef<Path>) -> Rooted {
        let at: PathBuf = at.as_ref().components().filter(|part| *part != Component::CurDir).collect();
        let plain = at.components().any(|part| part.as_os_str() == HOME);
        Rooted { root: self.clone(), at, plain }
    }

    /// A path below it on which no link is followed.
    pub fn plain(&self, at: impl AsRef<Path>) -> Rooted {
        Rooted { plain: true, ..self.at(at) }
    }
}

/// A path that the person means, which may lead anywhere.
/// Errors: when the top of the file system cannot be opened.
pub fn anywhere(path: &Path) -> io::Result<Rooted> {
    static TOPS: LazyLock<OpenedRoots> = LazyLock::new(OpenedRoots::default);
    let path = std::path::absolute(path)?;
    let is_top = |part: &Component<'_>| matches!(part, Component::Prefix(_) | Component::RootDir);
    let top: PathBuf = path.components().take_while(is_top).collect();
    let below: PathBuf = path.components().skip_while(is_top).collect();
    Ok(Rooted { plain: false, ..TOPS.at(&top)?.at(below) })
}

/// Roots that were opened, each once.
#[derive(Debug, Clone, Default)]
pub struct OpenedRoots(Arc<Mutex<Vec<(PathBuf, Root)>>>);

impl OpenedRoots {
    /// The root at a path, opened now if it was not before.
    pub fn at(&self, path: &Path) -> io::Result<Root> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, root)) = known.iter().find(|(known, _)| known == path) {
            return Ok(root.clone());
        }
        let root = Root::open(path)?;
        known.push((path.to_path_buf(), root.clone()));
        Ok(root)
    }
}

/// A path below a [`Root`].
#[derive(Debug, Clone)]
pub struct Rooted {
    root: Root,
    at: PathBuf,
    /// Whether no link is followed.
    plain: bool,
}

impl Rooted {
    pub fn root(&self) -> &Root {
        &self.root
    }

    pub fn below(&self) -> &Path {
        &self.at
    }

    /// The absolute path as the root was named, for messages.
    pub fn path(&self) -> PathBuf {
        absolute(&self.root.0.named, &self.at)
    }

    /// The absolute path with every link resolved; it exists.
    pub fn canonical(&self) -> io::Result<PathBuf> {
        self.real().map(|real| absolute(self.root.path(), &real))
    }

    pub fn join(&self, name: impl AsRef<Path>) -> Self {
        let joined = self.root.at(self.at.join(name));
        Self { plain: self.plain || joined.plain, ..joined }
    }

    /// What is here; where links are followed, what a link leads to.
    /// Errors: `NotFound`, a refusal, or what the operating system says.
    pub fn metadata(&self) -> io::Result<Metadata> {
        if self.plain {
            return self.entry();
        }
        self.follow(|dir, at| dir.metadata(at))
    }

    /// When what is here was made and last changed, as far as the file system knows.
    pub fn times(&self) -> (Option<SystemTime>, Option<SystemTime>) {
        let Ok(meta) = self.metadata() else { return (None, None) };
        let std = |time: io::Result<cap_std::time::SystemTime>| time.ok().map(cap_std::time::SystemTime::into_std);
        (std(meta.created()), std(meta.modified()))
    }

    /// The name itself: a link is not followed.
    pub fn entry(&self) -> io::Result<Metadata> {
        if self.at.as_os_str().is_empty() {
            return self.root.dir().dir_metadata();
        }
        let (dir, name) = self.parent()?;
        dir.symlink_metadata(name)
    }

    /// What is here, as [`Rooted::metadata`] sees it; `None` where nothing is.
    pub fn kind(&self) -> io::Result<Option<Kind>> {
        Ok(found(self.metadata())?.map(|meta| meta.file_type().into()))
    }

    /// What is here by its name: a link is one. `None` where nothing is.
    pub fn entry_kind(&self) -> io::Result<Option<Kind>> {
        Ok(found(self.entry())?.map(|meta| meta.file_type().into()))
    }

    /// Whether anything has this name, or it cannot be known: asking for it then says why.
    pub fn exists(&self) -> bool {
        match self.entry_kind() {
            Err(error) => error.kind() != ErrorKind::NotADirectory,
            found => matches!(found, Ok(Some(_))),
        }
    }

    /// Whether a directory is here for certain.
    pub fn is_dir(&self) -> bool {
        matches!(self.kind(), Ok(Some(Kind::Dir)))
    }

    /// Whether a regular file is here for certain.
    pub fn is_file(&self) -> bool {
        matches!(self.kind(), Ok(Some(Kind::File)))
    }

    /// Opens a regular file for reading.
    /// Errors: As [`Rooted::metadata`]; a refusal for what is no regular file.
    pub fn open(&self) -> io::Result<File> {
        self.open_known().map(|(file, _)| file)
    }

    /// [`Rooted::open`], and what is known of the file then.
    pub fn open_known(&self) -> io::Result<(File, std::fs::Metadata)> {
        self.open_with(OpenOptions::new().read(true))
    }

    /// Reads a regular file.
    /// Errors: As [`Rooted::open`]; `FileTooLarge` when it holds more than `most` bytes.
    pub fn read(&self, most: usize) -> io::Result<Vec<u8>> {
        let bytes = self.head(most.saturating_add(1))?;
        if bytes.len() > most {
            let message = format!("{} holds more than {most} bytes", self.path().slashed());
            return Err(io::Error::new(ErrorKind::FileTooLarge, message));
        }
        Ok(bytes)
    }

    /// Reads a regular file, at most so many bytes of it.
    pub fn head(&self, most: usize) -> io::Result<Vec<u8>> {
        let (file, meta) = self.open_known()?;
        beginning(file, meta.len(), most)
    }

    /// Opens the directory that is here, to work in it with handles only.
    /// Errors: As [`Rooted::metadata`]; a refusal or `NotADirectory` when it is no directory.
    pub fn directory(&self) -> io::Result<Dir> {
        if self.at.as_os_str().is_empty() {
            return self.root.dir().try_clone();
        }
        if !self.plain {
            return self.follow(|dir, at| dir.open_dir(at));
        }
        let (dir, name) = self.parent()?;
        self.named(dir.open_dir_nofollow(&name), &dir, &self.at)
    }

    /// The names in a directory with what they stand for, in no order.
    /// Errors: As [`Rooted::metadata`], and when it is no directory or cannot be listed to its end.
    pub fn list(&self) -> io::Result<Vec<(OsString, Kind)>> {
        self.list_some(usize::MAX)
    }

    /// The same, at most so many names of it.
    pub fn list_some(&self, most: usize) -> io::Result<Vec<(OsString, Kind)>> {
        let mut listing = self.listing()?;
        let entries = listing.entries(most)?.into_iter().take(most);
        let known = |(name, kind): (OsString, Option<Kind>)| {
            // Some file systems do not say it in the listing.
            let kind = kind.map_or_else(|| listing.kind(&name), Ok)?;
            Ok((name, kind))
        };
        entries.map(known).collect()
    }

    fn listing(&self) -> io::Result<Listing> {
        if self.at.as_os_str().is_empty() {
            return Listing::open((self.root.dir(), OsStr::new(".")));
        }
        if !self.plain {
            return self.follow(Listing::below);
        }
        let (dir, name) = self.parent()?;
        self.named(Listing::open((&dir, &name)), &dir, &self.at)
    }

    /// Opens a regular file, following a link or not as the path allows.
    fn open_with(&self, options: &mut OpenOptions) -> io::Result<(File, std::fs::Metadata)> {
        // A pipe without a writer, or a device, does not keep anybody waiting.
        options.nonblock(true);
        let file = if self.plain {
            let (dir, name) = self.parent()?;
            let opened = dir.open_with(&name, options.follow(FollowSymlinks::No));
            self.named(opened, &dir, &self.at)?
        } else {
            self.follow(|dir, at| dir.open_with(at, options))?
        };
        let file = file.into_std();
        match file.metadata()? {
            meta if meta.is_file() => Ok((file, meta)),
            meta if meta.is_dir() => Err(ErrorKind::IsADirectory.into()),
            _ => Err(self.refuse(&self.at, "is not a regular file")),
        }
    }
}

/// What tells a file from all others: its device and its number there.
pub fn identity(meta: &Metadata) -> (u64, u64) {
    (MetadataExt::dev(meta), MetadataExt::ino(meta))
}

/// Joining nothing would leave a `/` at the end.
fn absolute(root: &Path, below: &Path) -> PathBuf {
    if below.as_os_str().is_empty() { root.to_path_buf() } else { root.join(below) }
}

/// At most so many bytes of a file that should hold `length`. Asked for one byte more than that, a file that gives just
/// these has come to its end, which spares a second question.
pub fn beginning(mut file: File, length: u64, most: usize) -> io::Result<Vec<u8>> {
    let expected = usize::try_from(length).unwrap_or(most).min(most);
    let mut bytes = vec![0; expected.saturating_add(1).min(most)];
    let read = match file.read(&mut bytes) {
        Err(error) if error.kind() == ErrorKind::Interrupted => 0,
        other => other?,
    };
    bytes.truncate(read);
    if read == 0 || (read != expected && read < most) {
        file.take((most - read) as u64).read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}
