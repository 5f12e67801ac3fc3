//! Reads an archive into memory, trusting nothing in it; nothing is ever unpacked to disk from here.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufReader, Read};
use std::path::Path;

use flate2::bufread::GzDecoder;
use tar::EntryType;
use unicode_normalization::UnicodeNormalization;

use crate::error::{Code, Coded, Error, Result};
use crate::report::slashed::Slashed;
use crate::skill::name::is_device;
use crate::skill::printable::{is_direction, is_invisible, is_tag};
use crate::skill::{Blob, Tree, printable_line};
use crate::system::rooted::{self, Rooted};
use crate::transaction::path::within;

/// The most entries, directories included.
pub const MAX_ENTRIES: usize = 1_000;

/// The most bytes of all files together: 64 MiB.
pub const MAX_TOTAL: u64 = 64 << 20;

/// How many times its own size an archive may unpack to, once that is more than 1 MiB.
pub const MAX_RATIO: u64 = 200;

/// The most components of a path.
pub const MAX_DEPTH: usize = 16;

/// The longest path in bytes.
pub const MAX_PATH: usize = 240;

/// Up to this many unpacked bytes the ratio does not matter.
const FREE: u64 = 1 << 20;

/// What an archive says about one path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    Directory,
    File(Blob),
}

/// The content of an archive: files and directories under plain relative paths, and nothing else.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Archive {
    entries: BTreeMap<String, Entry>,
    folded: BTreeMap<String, String>,
}

impl Archive {
    /// Everything in it, sorted by path. Directories have no slash at their end.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Entry)> {
        self.entries.iter().map(|(path, entry)| (path.as_str(), entry))
    }

    /// The paths of its files, sorted.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.iter().filter(|(_, entry)| matches!(entry, Entry::File(_))).map(|(path, _)| path)
    }

    /// The skill directories in it: those with a `SKILL.md`, and outermost directories without any such below them.
    pub fn roots(&self) -> Vec<&str> {
        let all: BTreeSet<&str> = self.files().filter_map(|path| path.strip_suffix("/SKILL.md")).collect();
        let outermost = |root: &&&str| !all.iter().any(|outer| within(outer, root));
        let mut roots: BTreeSet<&str> = all.iter().filter(outermost).copied().collect();
        for (path, entry) in self.iter() {
            let related = roots.iter().any(|root| path == *root || within(root, path) || within(path, root));
            if *entry == Entry::Directory && !related {
                roots.insert(path);
            }
        }
        roots.into_iter().collect()
    }

    /// The files below a directory; `None` if the archive does not have that directory.
    pub fn tree(&self, at: &str) -> Option<Tree> {
        let mut found = matches!(self.entries.get(at), Some(Entry::Directory));
        let mut tree = Tree::new();
        for (path, entry) in self.iter().filter(|(path, _)| within(at, path)) {
            found = true;
            if let Entry::File(blob) = entry {
                tree.put_blob(path.get(at.len() + 1..).unwrap_or_default(), blob.clone());
            }
        }
        found.then_some(tree)
    }

    /// What an archive made elsewhere must not hold: a name that deceives the eye or that another system cannot have.
    pub fn oddity(&self) -> Option<String> {
        self.iter().find_map(|(path, _)| {
            let odd = path.split('/').find_map(odd_name)?;
            Some(format!("holds {}, which {odd}", printable_line(path)))
        })
    }

    /// A file that belongs to none of the skill directories.
    pub fn stray(&self) -> Option<&str> {
        let roots = self.roots();
        self.files().find(|path| !roots.iter().any(|root| within(root, path)))
    }

    fn add(&mut self, path: String, entry: Entry) -> Result<(), String> {
        let mut end = 0;
        for part in path.split('/') {
            end += part.len();
            let here = path.get(..end).unwrap_or_default();
            end += 1;
            let folded: String = here.nfc().flat_map(char::to_lowercase).collect();
            match self.folded.get(&folded) {
                Some(known) if known != here => return Err(format!("holds both {known} and {here}")),
                Some(_) => {}
                None => {
                    self.folded.insert(folded, here.to_owned());
                }
            }
            if here.len() < path.len() && matches!(self.entries.get(here), Some(Entry::File(_))) {
                return Err(format!("holds {here} as a file and as a directory"));
            }
        }
        let clash = match (&entry, self.entries.get(&path)) {
            (_, Some(_)) => true,
            (Entry::File(_), None) => {
                self.entries.range(format!("{path}/")..).next().is_some_and(|(p, _)| within(&path, p))
            }
            (Entry::Directory, None) => false,
        };
        if clash {
            return Err(format!("holds {path} twice"));
        }
        self.entries.insert(path, entry);
        Ok(())
    }
}

/// Reads an archive that a person names, as [`read_at`] does.
pub fn read(path: &Path) -> Result<Archive> {
    read_at(&rooted::anywhere(path).coded(Code::Io, format!("cannot read {}", path.slashed()))?)
}

/// Reads an archive, within limits and without writing anything.
/// Errors: `E-IO-001`, saying what is wrong: unreadable, damaged, cut short, over a limit, or holding a link, a device, a
/// path that leads elsewhere, a path twice, or two paths that are one on some file systems.
pub fn read_at(at: &Rooted) -> Result<Archive> {
    let shown = at.path().slashed();
    let opened = at.open().and_then(|file| Ok((file.metadata()?.len(), file)));
    let (length, file) = opened.coded(Code::Io, format!("cannot read {shown}"))?;
    parse(BufReader::new(file), length).map_err(|why| {
        Error::new(Code::Io, format!("{shown} {}", why.escape_debug()))
            .suggest("Use another backup; this one is left as it is.")
    })
}

/// Why a name is not fit for every eye and every system.
fn odd_name(name: &str) -> Option<&'static str> {
    let stem = name.split('.').next().unwrap_or(name).to_ascii_lowercase();
    let hidden = |c| is_direction(c) || is_invisible(c) || is_tag(c);
    if name.chars().any(hidden) {
        Some("has a name with characters that cannot be seen")
    } else if name.ends_with(['.', ' ']) || name.contains(['<', '>', ':', '"', '|', '?', '*']) || is_device(&stem) {
        Some("has a name that Windows cannot hold")
    } else {
        None
    }
}

/// Reads an archive of `length` bytes; the error is what is wrong with it.
pub(super) fn parse(packed: impl Read, length: u64) -> Result<Archive, String> {
    let most = (MAX_TOTAL + FREE).min(length.saturating_mul(MAX_RATIO).max(FREE));
    let stream = Limited { inner: GzDecoder::new(BufReader::new(packed)), left: most };
    let mut tar = tar::Archive::new(stream);
    let damaged = |error: io::Error| match error.get_ref() {
        Some(inner) if inner.is::<TooMuch>() => TooMuch.to_string(),
        _ => format!("is damaged ({error})"),
    };
    let mut archive = Archive::default();
    let mut count = 0_usize;
    let mut total = 0_u64;
    for entry in tar.entries().map_err(damaged)? {
        let mut entry = entry.map_err(damaged)?;
        count += 1;
        if count > MAX_ENTRIES {
            return Err(format!("holds more than {MAX_ENTRIES} entries"));
        }
        let raw = entry.path_bytes().into_owned();
        let path = String::from_utf8(raw).map_err(|_| "holds a path that is not UTF-8".to_owned())?;
        if let Some(records) = entry.pax_extensions().map_err(damaged)? {
            records.into_iter().try_for_each(|record| record.map(drop)).map_err(damaged)?;
        }
        let kind = entry.header().entry_type();
        let directory = match kind {
            EntryType::Regular if !path.ends_with('/') => false,
            EntryType::Directory => true,
            _ => return Err(format!("holds {path}, which is neither a file nor a directory")),
        };
        if entry.link_name_bytes().is_some_and(|link| !link.is_empty()) {
            return Err(format!("holds {path}, which is a link"));
        }
        let mode = entry.header().mode().map_err(damaged)?;
        if !directory && mode & 0o6000 != 0 {
            return Err(format!("holds {path}, which would run as another user"));
        }
        total = total.saturating_add(entry.size());
        if total > MAX_TOTAL {
            return Err(format!("unpacks to more than {} MiB", MAX_TOTAL >> 20));
        }
        let Some(path) = plain(&path)? else { continue };
        if directory {
            if entry.size() != 0 {
                return Err(format!("holds the directory {path} with bytes in it"));
            }
            archive.add(path, Entry::Directory)?;
            continue;
        }
        let expected = entry.size();
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).map_err(damaged)?;
        if bytes.len() as u64 != expected {
            return Err("is cut short".into());
        }
        archive.add(path, Entry::File(Blob { bytes, executable: mode & 0o100 != 0 }))?;
    }
    rest(tar.into_inner()).map_err(damaged)?;
    Ok(archive)
}

/// The path without a leading `./` and a trailing slash; `None` for the archive's own root.
fn plain(path: &str) -> Result<Option<String>, String> {
    let mut inner = path;
    while let Some(rest) = inner.strip_prefix("./") {
        inner = rest;
    }
    let inner = inner.strip_suffix('/').unwrap_or(inner);
    if inner.is_empty() || inner == "." {
        return if path.starts_with('.') { Ok(None) } else { Err(format!("holds the path {path:?}")) };
    }
    if let Err(why) = crate::transaction::check_path(inner) {
        return Err(format!("holds {path}, which {why}"));
    }
    if inner.len() > MAX_PATH {
        return Err(format!("holds a path of more than {MAX_PATH} bytes"));
    }
    if inner.split('/').count() > MAX_DEPTH {
        return Err(format!("holds a path of more than {MAX_DEPTH} levels"));
    }
    let mut start = inner.chars();
    if start.next().is_some_and(|c| c.is_ascii_alphabetic()) && start.next() == Some(':') {
        return Err(format!("holds {path}, which names a drive"));
    }
    Ok(Some(inner.to_owned()))
}

/// Makes sure that nothing hides behind the archive's end, and that the checksum is right.
fn rest(mut stream: Limited<GzDecoder<BufReader<impl Read>>>) -> io::Result<()> {
    let mut buffer = [0; 4096];
    loop {
        let count = stream.read(&mut buffer)?;
        if count == 0 {
            break;
        }
        if buffer.iter().take(count).any(|byte| *byte != 0) {
            return Err(io::Error::other("something follows its end"));
        }
    }
    let mut packed = stream.inner.into_inner();
    if packed.read(&mut buffer)? != 0 {
        return Err(io::Error::other("something follows its end"));
    }
    Ok(())
}

/// A reader that fails, rather than ends, after so many bytes.
struct Limited<R> {
    inner: R,
    left: u64,
}

#[derive(Debug, thiserror::Error)]
#[error("unpacks to far more than its own size, or to more than is allowed")]
struct TooMuch;

impl<R: Read> Read for Limited<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.left = self.left.checked_sub(count as u64).ok_or_else(|| io::Error::other(TooMuch))?;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;
    use proptest::prelude::*;
    use tar::{Builder, Header};

    use super::*;

    fn gz(bytes: &[u8]) -> Vec<u8> {
        let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
        gzip.write_all(bytes).unwrap();
        gzip.finish().unwrap()
    }

    fn header(path: &str, kind: EntryType, size: u64) -> Header {
        let mut header = Header::new_ustar();
        let name = &mut header.as_ustar_mut().unwrap().name;
        name[..path.len()].copy_from_slice(path.as_bytes());
        header.set_entry_type(kind);
        header.set_mode(0o644);
        header.set_size(size);
        header.set_cksum();
        header
    }

    fn tar(entries: &[(&str, EntryType)]) -> Vec<u8> {
        let mut tar = Builder::new(Vec::new());
        for (path, kind) in entries {
            let body: &[u8] = if *kind == EntryType::Regular { b"x" } else { b"" };
            tar.append(&header(path, *kind, body.len() as u64), body).unwrap();
        }
        tar.into_inner().unwrap()
    }

    fn parsed(plain: &[u8]) -> Result<Archive, String> {
        let packed = gz(plain);
        parse(packed.as_slice(), packed.len() as u64)
    }

    #[test]
    fn whatever_could_lead_elsewhere_is_refused() {
        use EntryType::{Block, Char, Directory, Fifo, GNUSparse, Link, Regular, Symlink};
        let cases: &[&[(&str, EntryType)]] = &[
            &[("../x", Regular)],
            &[("/etc/x", Regular)],
            &[("a/../../x", Regular)],
            &[("a\\..\\x", Regular)],
            &[("C:/x", Regular)],
            &[(".git/hooks/x", Regular)],
            &[("a", Symlink)],
            &[("a", Link)],
            &[("a", Char)],
            &[("a", Block)],
            &[("a", Fifo)],
            &[("a", GNUSparse)],
            &[("a", Regular), ("a", Regular)],
            &[("a", Directory), ("a", Regular)],
            &[("a", Regular), ("a/b", Regular)],
            &[("a/b", Regular), ("a", Regular)],
            &[("a/x", Regular), ("A/y", Regular)],
            &[("caf\u{e9}", Regular), ("cafe\u{301}", Regular)],
            &[("1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17", Regular)],
        ];
        for case in cases {
            assert!(parsed(&tar(case)).is_err(), "{case:?}");
        }
    }

    #[test]
    fn bombs_and_hidden_tails_are_refused() {
        let mut bomb = Builder::new(Vec::new());
        bomb.append(&header("a", EntryType::Regular, 8 << 20), io::repeat(0).take(8 << 20)).unwrap();
        assert!(parsed(&bomb.into_inner().unwrap()).unwrap_err().contains("far more"));
        let many: Vec<String> = (0..=MAX_ENTRIES).map(|n| format!("f{n}")).collect();
        let many: Vec<_> = many.iter().map(|name| (name.as_str(), EntryType::Directory)).collect();
        assert!(parsed(&tar(&many)).unwrap_err().contains("entries"));
        let mut lying = header("a", EntryType::Regular, 1 << 40).as_bytes().to_vec();
        lying.extend([0; 1024]);
        assert!(parsed(&lying).is_err());
        let good = tar(&[("a", EntryType::Regular)]);
        let twice = [good.clone(), good.clone()].concat();
        assert!(parsed(&twice).unwrap_err().contains("follows"));
        let members = [gz(&good), gz(&good)].concat();
        assert!(parse(members.as_slice(), members.len() as u64).unwrap_err().contains("follows"));
        let packed = gz(&good);
        let cut = &packed[..packed.len() - 9];
        assert!(parse(cut, cut.len() as u64).is_err());
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..2048)) {
            let _ = parse(bytes.as_slice(), bytes.len() as u64);
            let _ = parsed(&bytes);
        }

        #[test]
        fn no_damage_makes_it_panic(at in 0_usize..2048, byte: u8) {
            let mut plain = tar(&[("a/", EntryType::Directory), ("a/b", EntryType::Regular)]);
            if let Some(place) = plain.get_mut(at) {
                *place = byte;
            }
            let _ = parsed(&plain);
        }
    }
}
