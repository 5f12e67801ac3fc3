//! Directories in which many names are looked for: each is listed once, and only a name that it lists is asked for.

#![expect(clippy::disallowed_methods, reason = "access to the programs of the machine and to the home directory")]

use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// A directory that takes more bytes has a thousand names: to ask for a few of them is cheaper than to list them.
const LARGE: u64 = 32 << 10;

/// What was listed. All collections are equal: what was listed is no part of a value.
#[derive(Debug, Clone, Default)]
pub struct Listed(Arc<Mutex<HashMap<PathBuf, Option<Names>>>>);

impl PartialEq for Listed {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Listed {}

impl Listed {
    /// Whether a directory may hold an ASCII name, whatever its case. What cannot be listed may hold anything.
    pub fn may_hold(&self, dir: &Path, name: &OsStr) -> bool {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !known.contains_key(dir) {
            known.insert(dir.to_path_buf(), names(dir));
        }
        let names = known.get(dir).and_then(Option::as_ref);
        names.is_none_or(|names| names.holds(name))
    }
}

/// Names in lower case, with a zero byte around each: no name has one.
#[derive(Debug, Default)]
struct Names(Vec<u8>);

impl Names {
    fn add(&mut self, name: &OsStr) {
        self.0.extend(name.as_encoded_bytes().iter().map(u8::to_ascii_lowercase));
        self.0.push(0);
    }

    fn holds(&self, name: &OsStr) -> bool {
        let mut wanted = Self(vec![0]);
        wanted.add(name);
        memchr::memmem::find(&self.0, &wanted.0).is_some()
    }
}

/// The names in a directory; `None` for one that cannot be listed, or is large.
fn names(dir: &Path) -> Option<Names> {
    let mut names = Names(vec![0]);
    if std::fs::metadata(dir).is_ok_and(|meta| meta.len() > LARGE) {
        return None;
    }
    let entries = match std::fs::read_dir(dir) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Some(names),
        entries => entries.ok()?,
    };
    for entry in entries {
        names.add(&entry.ok()?.file_name());
    }
    Some(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_listed_or_cannot_be_listed_is_asked_for() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("Claude"), "").unwrap();
        let listed = Listed::default();
        let holds = |name: &str| listed.may_hold(dir.path(), name.as_ref());
        assert!(holds("claude") && holds("Claude") && !holds("gemini"));
        std::fs::write(dir.path().join("gemini"), "").unwrap();
        assert!(!holds("gemini"), "it is listed once");
        assert!(!listed.may_hold(&dir.path().join("none"), "claude".as_ref()));
        assert!(listed.may_hold(&dir.path().join("Claude"), "claude".as_ref()), "a file cannot be listed");
    }
}
