//! Collects the facts of a repository: reads known files below an opened root.
//!
//! Nothing is run and nothing is written. Links are not followed, ignored files are skipped, and the number of
//! directories, names, files and bytes is limited, so that no repository delays a command.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ffi::OsString;
use std::io::{Read, Seek, SeekFrom};

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::Project;
use crate::skill::fact::{self, Facts, Source, directories, history, office};
use crate::system::rooted::{Kind, Root, Rooted};

/// How deep directories are searched below the root; those of Java's migrations are deeper.
const DEEP: usize = 4;
const DEEPEST: usize = 6;

/// The limits: directories, names in one directory, files, and bytes of one file.
const DIRECTORIES: usize = 300;
const NAMES: usize = 5_000;
const FILES: usize = 150;
const BYTES: usize = 128 << 10;
/// How many documents about one kind of work are read.
const DOCUMENTS: usize = 30;
/// How many directories of the root are searched for code.
const OFFICE: usize = 40;
/// The bytes of a table that are read: its first line.
const TABLE: usize = 2 << 10;

/// Skipped directories: dependencies, build output, and fixtures that look like projects.
const PASSED: &[&str] = &[
    "node_modules", "target", "vendor", "venv", "env", "dist", "build", "out", "coverage", "__pycache__",
    "site-packages", "third_party", "Pods", "tmp", "log", "logs", "fixtures", "testdata", "test-data", "examples",
    "example", "samples", "templates", "snapshots", "__snapshots__", "assets", "static", "public",
];

/// Hidden directories that are read.
const HIDDEN: &[&str] = &[".github", ".gitlab", ".cargo", ".config"];

/// Lock files of the root, which apply to every package below it.
const LOCKS: &[&str] = &[
    "package-lock.json", "pnpm-lock.yaml", "yarn.lock", "bun.lock", "bun.lockb", "uv.lock", "poetry.lock", "pdm.lock",
];

#[derive(Debug, Clone, Default)]
pub struct Found {
    pub facts: Facts,
    /// Known files that could not be read, with the reason.
    pub unread: Vec<String>,
}

/// The facts of a project, without secrets. None if its root cannot be opened, or for the user's own skills.
pub fn facts(project: &Project) -> Found {
    let root = project.roots().opened_root().ok().filter(|_| !project.is_user());
    let Some(root) = root else { return Found::default() };
    let mut walk = Walk {
        root,
        found: Found::default(),
        ignored: BTreeMap::new(),
        locks: BTreeSet::new(),
        listed: BTreeMap::new(),
        files: 0,
        documents: 0,
        office: false,
    };
    walk.office = walk.is_office();
    walk.go();
    walk.git();
    let mut found = walk.found;
    found.facts.office = walk.office && !found.facts.is_empty();
    found.facts.wrap();
    found.facts = found.facts.safe();
    found
}

struct Walk {
    root: Root,
    found: Found,
    ignored: BTreeMap<String, Gitignore>,
    locks: BTreeSet<String>,
    /// What was listed already and not read yet.
    listed: BTreeMap<String, Vec<(OsString, Kind)>>,
    files: usize,
    documents: usize,
    /// Whether the folder holds documents without code.
    office: bool,
}

impl Walk {
    /// Whether neither the root nor a directory in it holds code.
    fn is_office(&mut self) -> bool {
        if self.holds_code("") {
            return false;
        }
        let top = self.listed.get("").into_iter().flatten().filter(|(_, kind)| *kind == Kind::Dir);
        let below = top.filter_map(|(name, _)| name.to_str()).filter(|name| !name.starts_with('.'));
        let below: Vec<String> = below.take(OFFICE).map(str::to_owned).collect();
        !below.iter().any(|name| self.holds_code(name))
    }

    fn holds_code(&mut self, path: &str) -> bool {
        let code = |(name, kind): &(OsString, Kind)| *kind == Kind::File && name.to_str().is_some_and(office::is_code);
        let Ok(names) = self.root.at(path).list_some(NAMES) else { return false };
        let holds = names.iter().any(code);
        self.listed.insert(path.to_owned(), names);
        holds
    }

    fn go(&mut self) {
        let mut open = VecDeque::from([(String::new(), 0)]);
        let mut listed = 0;
        while let Some((path, depth)) = open.pop_front() {
            if listed >= DIRECTORIES {
                break;
            }
            listed += 1;
            let names = self.listed.remove(&path).map_or_else(|| self.root.at(&path).list_some(NAMES), Ok);
            let Ok(names) = names else { continue };
            let mut names: Vec<(String, Kind)> =
                names.into_iter().filter_map(|(name, kind)| Some((name.into_string().ok()?, kind))).collect();
            names.sort_unstable();
            self.ignore(&path, &names);
            let below = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}/{name}") };
            self.listing(&path, &names);
            self.read(&path, &names);
            if directories::is_tests(&path) {
                continue;
            }
            for (name, _) in names.iter().filter(|(_, kind)| *kind == Kind::Dir) {
                let at = below(name);
                let kept = wanted(&at, name, depth + 1) || (self.office && name == "templates");
                if kept && !self.is_ignored(&at, true) {
                    open.push_back((at, depth + 1));
                }
            }
        }
    }

    fn listing(&mut self, path: &str, names: &[(String, Kind)]) {
        if !directories::is_known(path) {
            return;
        }
        let listed = names.iter().filter(|(_, kind)| matches!(kind, Kind::File | Kind::Dir));
        let names: Vec<String> =
            listed.map(|(name, kind)| if *kind == Kind::Dir { format!("{name}/") } else { name.clone() }).collect();
        self.found.facts.add(directories::read(&directories::Listing { path, names: &names }));
    }

    fn read(&mut self, path: &str, names: &[(String, Kind)]) {
        let mut beside: BTreeSet<String> = names.iter().map(|(name, _)| name.clone()).collect();
        if path.is_empty() {
            self.locks = beside.iter().filter(|name| LOCKS.contains(&name.as_str())).cloned().collect();
        }
        beside.extend(self.locks.iter().cloned());
        for (name, _) in names.iter().filter(|(_, kind)| *kind == Kind::File) {
            let at = if path.is_empty() { name.clone() } else { format!("{path}/{name}") };
            let paper = self.office && office::reads(&at);
            if self.files >= FILES || !(paper || fact::is_known(&at)) || self.is_ignored(&at, false) {
                continue;
            }
            if paper || fact::is_work_document(&at) {
                self.documents += 1;
                if self.documents > DOCUMENTS {
                    continue;
                }
            }
            self.files += 1;
            if paper && !office::is_document(&at) {
                let head = self.root.plain(&at).head(TABLE).unwrap_or_default();
                let text = String::from_utf8(head).unwrap_or_default();
                self.found.facts.add(office::read(&Source { path: &at, text: &text, beside: &beside }));
                continue;
            }
            match self.root.plain(&at).read(BYTES).map(String::from_utf8) {
                Ok(Ok(text)) => {
                    let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
                    let source = Source { path: &at, text: &text, beside: &beside };
                    self.found.facts.add(if paper { office::read(&source) } else { fact::read(&source) });
                }
                Ok(Err(_)) => self.found.unread.push(format!("{at} is not UTF-8")),
                Err(why) => self.found.unread.push(format!("{at} was not read: {why}")),
            }
        }
    }

    fn ignore(&mut self, path: &str, names: &[(String, Kind)]) {
        if !names.iter().any(|(name, kind)| name == ".gitignore" && *kind == Kind::File) {
            return;
        }
        let Ok(bytes) = self.root.plain(path).join(".gitignore").head(BYTES) else { return };
        let mut builder = GitignoreBuilder::new("");
        for line in String::from_utf8_lossy(&bytes).lines().take(1000) {
            // An invalid pattern is ignored.
            let _wrong = builder.add_line(None, line);
        }
        if let Ok(built) = builder.build() {
            self.ignored.insert(path.to_owned(), built);
        }
    }

    /// Whether the nearest `.gitignore` that matches a path ignores it.
    fn is_ignored(&self, path: &str, directory: bool) -> bool {
        let mut above = path;
        while let Some(up) = above.rsplit_once('/').map(|(up, _)| up).or((!above.is_empty()).then_some("")) {
            if let Some(rules) = self.ignored.get(up) {
                let below = path.strip_prefix(up).unwrap_or(path).trim_start_matches('/');
                let said = rules.matched(below, directory);
                if !said.is_none() {
                    return said.is_ignore();
                }
            }
            above = up;
        }
        false
    }

    /// The tags, and the subjects of local commits, read from `.git`; git is not run.
    fn git(&mut self) {
        let git = self.root.plain(".git");
        let packed = git.join("packed-refs");
        let text = packed.read(1 << 20).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
        let mut tags: Vec<String> =
            text.lines().filter_map(|line| line.split_once(" refs/tags/")).map(|(_, tag)| tag.to_owned()).collect();
        let loose = git.join("refs/tags").list_some(NAMES).unwrap_or_default();
        tags.extend(
            loose.into_iter().filter_map(|(name, kind)| name.into_string().ok().filter(|_| kind == Kind::File)),
        );
        let file = if text.contains(" refs/tags/") { ".git/packed-refs" } else { ".git/refs/tags" };
        self.found.facts.add(history::tags(&tags, file));
        if let Some(log) = tail(&git.join("logs/HEAD")) {
            self.found.facts.add(history::subjects(&history::of_reflog(&log), ".git/logs/HEAD"));
        }
    }
}

/// The end of a file, from the first whole line on.
fn tail(at: &Rooted) -> Option<String> {
    let mut file = at.open().ok()?;
    let length = file.metadata().ok()?.len();
    let start = length.saturating_sub(BYTES as u64);
    file.seek(SeekFrom::Start(start)).ok()?;
    let mut bytes = Vec::new();
    file.take(BYTES as u64).read_to_end(&mut bytes).ok()?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    if start == 0 { Some(text) } else { text.split_once('\n').map(|(_, rest)| rest.to_owned()) }
}

fn wanted(path: &str, name: &str, depth: usize) -> bool {
    if name.starts_with('.') {
        return HIDDEN.contains(&name);
    }
    if PASSED.contains(&name) {
        return false;
    }
    let java = ["src/main/resources/db/migration", "src/main/resources/db"];
    depth <= DEEP || (depth <= DEEPEST && java.iter().any(|one| one.contains(path) || path.ends_with(one)))
}

#[cfg(test)]
mod tests;
