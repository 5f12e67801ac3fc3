//! A cache of SKILL.md files: each is read once unless it changes, and equal bytes are parsed once.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use crate::skill::frontmatter::{self, Document};
use crate::system::os::files::{Stamp, stamp};
use crate::system::rooted::{Rooted, beginning};

#[derive(Debug, Clone)]
pub struct Read {
    /// Its bytes, up to the requested number.
    pub bytes: Rc<[u8]>,
    /// The parsed document; `None` if it cannot be parsed.
    pub doc: Option<Rc<Document>>,
}

#[derive(Debug, Default)]
pub struct Seen {
    /// By the path's text: comparing paths by components costs more than reading some files.
    files: RefCell<BTreeMap<std::ffi::OsString, (Stamp, Read)>>,
    texts: RefCell<Texts>,
}

/// Parsed documents by their bytes; `None` if they cannot be parsed.
type Texts = BTreeMap<Rc<[u8]>, Option<Rc<Document>>>;

impl Seen {
    /// Reads so many bytes of a regular file, again only if it has changed; none if it cannot be read.
    pub fn read(&self, at: &Rooted, most: usize) -> Option<Read> {
        let (file, meta) = at.open_known().ok()?;
        let path = at.path();
        let stamp = stamp(&meta);
        let fits = meta.len() <= most as u64;
        if fits
            && let Some((known, read)) = self.files.borrow().get(path.as_os_str())
            && *known == stamp
        {
            return Some(read.clone());
        }
        let bytes = beginning(file, meta.len(), most).ok()?;
        let read = self.taken_apart(bytes);
        if fits {
            self.files.borrow_mut().insert(path.into_os_string(), (stamp, read.clone()));
        }
        Some(read)
    }

    fn taken_apart(&self, bytes: Vec<u8>) -> Read {
        let mut texts = self.texts.borrow_mut();
        if let Some((bytes, doc)) = texts.get_key_value(bytes.as_slice()) {
            return Read { bytes: Rc::clone(bytes), doc: doc.clone() };
        }
        let read = Read { doc: frontmatter::read(&bytes).ok().map(Rc::new), bytes: bytes.into() };
        texts.insert(Rc::clone(&read.bytes), read.doc.clone());
        read
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::system::rooted::Root;

    fn described(read: &Read) -> Option<&str> {
        read.doc.as_ref()?.field("description")?.value.scalar()
    }

    #[test]
    fn a_file_is_read_again_when_it_is_another_one() {
        let dir = tempfile::tempdir().unwrap();
        let root = Root::open(dir.path()).unwrap();
        let (path, other) = (dir.path().join("SKILL.md"), dir.path().join("other"));
        let (seen, at) = (Seen::default(), root.at("SKILL.md"));
        assert!(seen.read(&at, 100).is_none());
        assert!(seen.read(&root.at(""), 100).is_none());
        fs::write(&path, "---\nname: x\ndescription: One.\n---\n").unwrap();
        let first = seen.read(&at, 100).unwrap();
        assert_eq!(described(&first), Some("One."));
        assert!(Rc::ptr_eq(&first.bytes, &seen.read(&at, 100).unwrap().bytes));
        fs::write(&other, "---\nname: x\ndescription: Two.\n---\n").unwrap();
        fs::rename(&other, &path).unwrap();
        assert_eq!(described(&seen.read(&at, 100).unwrap()), Some("Two."));
    }

    #[test]
    fn equal_bytes_are_taken_apart_once_and_a_beginning_is_not_the_file() {
        let dir = tempfile::tempdir().unwrap();
        let text = "---\nname: x\ndescription: One.\n---\n";
        let root = Root::open(dir.path()).unwrap();
        let paths = ["one", "two"].map(|name| root.at(name));
        paths.iter().for_each(|path| fs::write(path.path(), text).unwrap());
        let seen = Seen::default();
        let [one, two] = paths.each_ref().map(|path| seen.read(path, 100).unwrap());
        assert!(Rc::ptr_eq(one.doc.as_ref().unwrap(), two.doc.as_ref().unwrap()));
        assert_eq!(&*seen.read(&paths[0], 8).unwrap().bytes, b"---\nname");
        assert_eq!(&*seen.read(&paths[0], 100).unwrap().bytes, text.as_bytes());
    }
}
