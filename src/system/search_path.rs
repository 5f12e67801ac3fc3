//! Where programs are looked for: the absolute directories of PATH that lie outside the project.
//!
//! A relative or empty entry of PATH means the current directory, which may be a clone of somebody else's repository;
//! so may a directory inside the project. Neither is searched, and programs that are started get a PATH without them.

#![expect(clippy::disallowed_methods, reason = "access to the programs of the machine and to the home directory")]

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::os::places::{is_program, programs, real};

/// The directories that are searched, in order.
#[derive(Debug, Clone, Default)]
pub struct SearchPath {
    dirs: Vec<PathBuf>,
    /// The same without those that are another one by way of a link, such as `/bin` on most systems.
    distinct: Vec<PathBuf>,
    skipped: Vec<PathBuf>,
    projects: Vec<PathBuf>,
    listed: Listed,
}

impl SearchPath {
    /// Reads the value of PATH. `projects` are the directories whose programs are never used; one that contains the
    /// home directory does not count, because it contains the user's own programs too.
    pub fn new(path: Option<&OsStr>, home: Option<&Path>, projects: &[&Path]) -> Self {
        let home = home.and_then(|home| real(home).ok());
        let projects = projects
            .iter()
            .filter_map(|project| real(project).ok())
            .filter(|project| !home.as_ref().is_some_and(|home| home.starts_with(project)))
            .collect();
        let mut found = Self { projects, ..Self::default() };
        let mut reals: Vec<Option<PathBuf>> = Vec::new();
        for dir in path.into_iter().flat_map(std::env::split_paths) {
            if found.dirs.contains(&dir) || found.skipped.contains(&dir) {
                continue;
            }
            let real = if dir.is_absolute() { real(&dir).ok() } else { None };
            match dir.is_absolute() && !real.as_ref().is_some_and(|real| found.holds(real)) {
                true if !dir.is_dir() => continue,
                true => {
                    if real.is_none() || !reals.contains(&real) {
                        found.distinct.push(dir.clone());
                    }
                    reals.push(real);
                    found.dirs.push(dir);
                }
                false => found.skipped.push(dir),
            }
        }
        found
    }

    /// The program of this name in these directories, or at this absolute path. Any other path is no program.
    pub fn find(&self, name: &str) -> Option<PathBuf> {
        self.first(name, |_| true)
    }

    /// [`Self::find`] for one of many names: each directory is listed once, and asked only for names that it lists.
    pub fn find_listed(&self, name: &str) -> Option<PathBuf> {
        let listed = |path: &Path| {
            let named = path.parent().zip(path.file_name());
            named.is_none_or(|(dir, name)| self.listed.may_hold(dir, name))
        };
        self.first(name, listed)
    }

    fn first(&self, name: &str, may_be: impl Fn(&Path) -> bool) -> Option<PathBuf> {
        if name.contains(std::path::is_separator) {
            return Some(PathBuf::from(name)).filter(|path| path.is_absolute() && is_program(path));
        }
        let mut candidates = self.distinct.iter().flat_map(|dir| programs(dir, name));
        candidates.find(|path| may_be(path) && is_program(path) && !self.in_project(path))
    }

    /// Whether a path, with every link resolved, lies inside the project.
    pub fn in_project(&self, path: &Path) -> bool {
        real(path).is_ok_and(|path| self.holds(&path))
    }

    fn holds(&self, real: &Path) -> bool {
        self.projects.iter().any(|project| real.starts_with(project))
    }

    /// The entries of PATH that are not searched because they are relative, empty or inside the project.
    pub fn skipped(&self) -> &[PathBuf] {
        &self.skipped
    }

    /// The value of PATH for a program that is started.
    pub fn value(&self) -> OsString {
        std::env::join_paths(&self.dirs).unwrap_or_default()
    }
}

/// A directory that takes more bytes has a thousand names: to ask for a few of them is cheaper than to list them.
const LARGE: u64 = 32 << 10;

/// Directories in which many names are looked for: each is listed once, and only a name that it lists is asked for.
#[derive(Debug, Clone, Default)]
pub struct Listed(Arc<Mutex<std::collections::HashMap<PathBuf, Option<Names>>>>);

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
#[cfg(unix)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn script(dir: &Path, name: &str) -> PathBuf {
        std::fs::create_dir_all(dir).unwrap();
        let path = dir.join(name);
        std::fs::write(&path, "#!/bin/sh\n").unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    #[test]
    fn each_directory_that_exists_is_searched_once_in_order() {
        let dir = tempfile::tempdir().unwrap();
        let (one, two, gone) = (dir.path().join("one"), dir.path().join("two"), dir.path().join("gone"));
        let _other = script(&one, "claude");
        let claude = script(&two, "claude");
        let path = std::env::join_paths([&two, &gone, &two, &one]).unwrap();
        let search = SearchPath::new(Some(&path), None, &[]);
        assert_eq!(search.dirs, [two.clone(), one.clone()]);
        assert_eq!(search.find("claude"), Some(claude.clone()));
        assert_eq!((search.find_listed("claude"), search.find_listed("gemini")), (Some(claude), None));
        assert_eq!(search.value(), std::env::join_paths([&two, &one]).unwrap());
        assert_eq!(SearchPath::new(None, None, &[]).find("sh"), None);
    }

    #[test]
    fn relative_and_empty_entries_and_those_inside_the_project_are_not_searched() {
        let dir = tempfile::tempdir().unwrap();
        let (project, home) = (dir.path().join("project"), dir.path().join("home"));
        let inside = project.join("node_modules/.bin");
        script(&inside, "claude");
        let outside = dir.path().join("bin");
        std::fs::create_dir_all(&outside).unwrap();
        std::fs::create_dir_all(&home).unwrap();
        // A link outside the project that leads into it.
        std::os::unix::fs::symlink(&inside, dir.path().join("link")).unwrap();
        std::os::unix::fs::symlink(inside.join("claude"), outside.join("claude")).unwrap();
        let dirs =
            ["".into(), ".".into(), "node_modules/.bin".into(), inside.clone(), dir.path().join("link"), outside];
        let path = std::env::join_paths(&dirs).unwrap();
        let search = SearchPath::new(Some(&path), Some(&home), &[&project]);
        assert_eq!(search.find("claude"), None);
        assert_eq!(search.skipped(), &dirs[..5]);
        assert_eq!(search.dirs, dirs[5..]);
        // Where the home directory itself is named as the project, its programs are the user's own.
        let at_home = SearchPath::new(Some(inside.as_os_str()), Some(&project), &[&project]);
        assert_eq!(at_home.find("claude"), Some(inside.join("claude")));
    }

    #[test]
    fn a_path_is_a_program_only_where_it_is_absolute() {
        let dir = tempfile::tempdir().unwrap();
        let mine = script(dir.path(), "mine");
        let search = SearchPath::new(Some(dir.path().as_os_str()), None, &[]);
        assert_eq!(search.find("mine"), Some(mine.clone()));
        assert_eq!(search.find(mine.to_str().unwrap()), Some(mine));
        for none in ["other", "./mine", "a/mine", "", "/mine"] {
            assert_eq!(search.find(none), None, "{none}");
        }
    }

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
