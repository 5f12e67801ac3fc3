//! Selects the skills to check: by name, by path, from a list, or every installed one.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet, hash_map::Entry};
use std::path::{Path, PathBuf};

use crate::client::detect;
use crate::client::target::{Client, Target, Targets, client, clients};
use crate::command::{help::nearest, skills};
use crate::error::{Code, Error, Result};
use crate::project::inventory::{self, Top};
use crate::project::{Project, open};
use crate::registry;
use crate::report::Slashed;
use crate::skill::printable;
use crate::system::env::Env;
use crate::system::rooted::{self, Kind, Rooted};

const MAX_DEPTH: usize = 12;

/// The most paths without a skill that an error names.
const MOST_REFUSED: usize = 10;

/// The largest file that is examined as a misspelt SKILL.md, in bytes.
const MAX_MISSPELT: usize = 1 << 20;

pub(in crate::command) struct Selected {
    /// Its folder as the user would name it.
    pub(in crate::command) shown: String,
    pub(in crate::command) dir: PathBuf,
    /// The target it is installed for.
    pub(in crate::command) target: Option<Target>,
    pub(in crate::command) clients: Vec<&'static Client>,
    /// The identity of its SKILL.md, if requested.
    pub(super) file: Option<Identity>,
}

/// The device and inode of a file.
type Identity = (u64, u64);

pub(in crate::command) struct Selector<'a> {
    project: &'a Project,
    targets: &'a Targets,
    cli: Option<&'a Target>,
    /// Where AI CLIs are searched for.
    around: detect::Places,
    /// The ids of the targets in use: registered or found on this machine. Detected when first needed, because a skill
    /// at a path needs none of them.
    here: OnceCell<Vec<String>>,
    top: OnceCell<Top>,
}

impl<'a> Selector<'a> {
    pub(in crate::command) fn new(
        env: &Env,
        project: &'a Project,
        targets: &'a Targets,
        cli: Option<&str>,
    ) -> Result<Self> {
        let cli = cli.map(|id| detect::one(targets, id)).transpose()?;
        Ok(Self {
            project,
            targets,
            cli,
            around: detect::places(env, project),
            here: OnceCell::new(),
            top: OnceCell::new(),
        })
    }

    fn here(&self) -> &[String] {
        self.here.get_or_init(|| {
            let found = detect::here(self.targets, &self.around);
            let mut here: Vec<String> = found.into_iter().map(|found| found.target.id).collect();
            if let Some(registry) = registered(self.project) {
                here.extend(open::registered(&registry, self.targets).into_iter().map(|target| target.id));
            }
            here
        })
    }

    /// The skills named on the command line; all installed ones if none is named.
    pub(in crate::command) fn of(&self, env: &mut Env, args: &[String]) -> Result<Vec<Selected>> {
        let (mut selected, mut refused) = (Vec::new(), Vec::new());
        if args.is_empty() {
            for target in self.wanted() {
                let dir = &target.skills_dir;
                match inventory::listed(self.project, dir) {
                    Ok(names) => selected.extend(names.iter().map(|name| self.installed(target, name))),
                    Err(error) => refused.push(
                        Error::new(Code::Io, format!("{} cannot be listed", self.project.display(dir))).because(error),
                    ),
                }
            }
        }
        let mut paths = Vec::new();
        for given in args {
            if given == "-" {
                paths.extend(listed(env)?);
            } else {
                paths.push(given.clone());
            }
        }
        for path in &paths {
            match self.named(env, path) {
                Ok(named) => selected.extend(named),
                Err(error) => refused.push(error),
            }
        }
        if paths.len() > 1 {
            once(self.project, &mut selected);
        }
        together(refused).map_or(Ok(selected), Err)
    }

    fn wanted(&self) -> impl Iterator<Item = &Target> {
        self.targets.iter().filter(|target| self.cli.is_none_or(|cli| cli.id == target.id))
    }

    fn installed(&self, target: &Target, name: &str) -> Selected {
        let at = target.skill_dir(name);
        let clients = match client(&target.id) {
            Some(client) => vec![client],
            // The shared directory is read by the installed clients that support it.
            None => self
                .targets
                .iter()
                .filter(|reader| self.here().contains(&reader.id) && reader.also_reads.contains(&target.skills_dir))
                .filter_map(|reader| client(&reader.id))
                .collect(),
        };
        let (dir, shown) = (self.project.path(&at), self.project.display(&at));
        Selected { dir, shown, target: Some(target.clone()), clients, file: None }
    }

    /// A skill at a path is for every client, unless one is named.
    fn at(&self, dir: PathBuf, shown: String) -> Selected {
        let clients = match self.cli {
            Some(cli) => client(&cli.id).into_iter().collect(),
            None => clients().collect(),
        };
        Selected { dir, shown, target: self.cli.cloned(), clients, file: None }
    }

    /// The copies of a skill by name, or the skills at a path.
    fn named(&self, env: &mut Env, given: &str) -> Result<Vec<Selected>> {
        if given.trim().is_empty() {
            return Err(Error::new(Code::ValidateNotFound, "the name of the skill is empty")
                .suggest("Name a skill or a path; `.` is the folder you are in."));
        }
        let given = &Path::new(given).slashed();
        // An invalid name is found too; the rules report it.
        let top = self.top.get_or_init(|| Top::of(self.project));
        let copies = top.holding(self.project, self.wanted(), given);
        if !copies.is_empty() {
            return Ok(copies.into_iter().map(|target| self.installed(target, given)).collect());
        }
        let path = env.cwd.join(given);
        let (dir, shown) = match path.file_name().and_then(|name| name.to_str()) {
            Some(name) if name.eq_ignore_ascii_case("SKILL.md") && !self.is_dir(&path) => {
                let shown = given.rsplit_once('/').map_or(".", |(parent, _)| parent);
                (path.parent().unwrap_or(&path).to_path_buf(), shown.to_owned())
            }
            _ => (path.clone(), given.trim_end_matches('/').to_owned()),
        };
        let shown = if shown.is_empty() { "/".to_owned() } else { shown };
        if let file @ Some(_) = identity(self.project, &dir) {
            return Ok(vec![Selected { file, ..self.at(dir, shown) }]);
        }
        let FolderSearch { skills, closed } =
            self.at_path(&path).map(|dir| FolderSearch::of(&dir, &shown)).unwrap_or_default();
        if !skills.is_empty() {
            for folder in &closed {
                env.warn(Code::Io, format!("{} cannot be read and was not searched for skills", printable(folder)));
            }
            return Ok(skills.into_iter().map(|(dir, shown)| self.at(dir, shown)).collect());
        }
        if let Some(folder) = closed.first() {
            return Err(Error::new(Code::ValidateNotFound, format!("the folder {folder:?} cannot be read"))
                .suggest("Make it readable, or run the command as its owner."));
        }
        if self.at_path(&dir).is_some_and(|dir| misspelt(&dir)) {
            return Ok(vec![self.at(dir, shown)]); // S1 reports the right file name
        }
        Err(self.nothing(given, &path))
    }

    fn at_path(&self, path: &Path) -> Option<Rooted> {
        self.project.reach(path).ok()
    }

    fn is_dir(&self, path: &Path) -> bool {
        self.at_path(path).is_some_and(|path| path.is_dir())
    }

    fn nothing(&self, given: &str, path: &Path) -> Error {
        let error = |message: String| Error::new(Code::ValidateNotFound, message);
        if self.is_dir(path) {
            return error(format!(
                "there is no skill in the folder {given:?}: neither it nor a folder below it holds a SKILL.md"
            ))
            .suggest("A skill is a folder with a file SKILL.md. Name one, or the folder that holds several; `hefesto create` makes one.");
        }
        if self.at_path(path).is_some_and(|path| matches!(path.kind(), Ok(Some(_)))) {
            return error(format!("the file {given:?} is no skill"))
                .suggest("A skill is a folder with a file SKILL.md. Name the folder, or its SKILL.md.");
        }
        if given.contains('/') {
            return error(format!("there is no file or folder {given:?}")).suggest("Check the path.");
        }
        let error = error(format!("there is no skill {given:?}: no installed skill has that name, and no folder here"));
        let names = inventory::directories(self.project, self.targets.iter());
        match nearest(given, &names) {
            Some(near) => error.suggest(format!("Did you mean `hefesto validate {near}`?")),
            None if names.is_empty() => {
                error.suggest("No skill is installed here; name a folder: `hefesto validate ./skills`.")
            }
            None => {
                error.suggest(format!("Skills here: {}.", names.into_iter().take(10).collect::<Vec<_>>().join(", ")))
            }
        }
    }
}

fn together(refused: Vec<Error>) -> Option<Error> {
    let count = refused.len();
    let messages = skills::first(refused.iter().map(Error::message), MOST_REFUSED);
    let first = refused.into_iter().next()?;
    if count == 1 { Some(first) } else { Some(Error::new(first.code(), messages.join("; "))) }
}

pub(super) fn registered(project: &Project) -> Option<registry::Registry> {
    let bytes = project.head("MEMORY.md", registry::MAX_BYTES).ok()?;
    match registry::Registry::parse(&bytes) {
        registry::Parsed::Good(registry) => Some(*registry),
        _ => None,
    }
}

/// The paths given on standard input, one per line.
fn listed(env: &mut Env) -> Result<Vec<String>> {
    let text = crate::system::input::read_stdin(env).map_err(|error| {
        let message = format!("the list of paths cannot be used: {}", error.message());
        Error::new(error.code(), message).suggest("Give one path on each line, in UTF-8.")
    })?;
    Ok(text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect())
}

/// Removes duplicates: skills reached by several paths.
fn once(project: &Project, selected: &mut Vec<Selected>) {
    let real = |dir: &Path| project.reach(dir).and_then(|dir| dir.canonical()).unwrap_or_else(|_| dir.to_path_buf());
    let (mut files, mut others) = (HashMap::new(), HashSet::new());
    selected.retain(|skill| match skill.file.or_else(|| identity(project, &skill.dir)) {
        Some(file) => match files.entry(file) {
            Entry::Vacant(first) => {
                first.insert(skill.dir.clone());
                true
            }
            // Hard links: one file in two folders.
            Entry::Occupied(first) => real(first.get()) != real(&skill.dir),
        },
        None => others.insert(real(&skill.dir)),
    });
}

/// The identity of a folder's SKILL.md; `None` if there is none.
fn identity(project: &Project, dir: &Path) -> Option<Identity> {
    project.reach(&dir.join("SKILL.md")).ok()?.metadata().ok().map(|meta| rooted::identity(&meta))
}

/// Directories of version control, hefesto and package managers.
const SKIPPED: &[&str] = &[".git", ".hefesto", "node_modules", "target"];

#[derive(Default)]
struct FolderSearch {
    /// The skills, each with the name a user would give it.
    skills: Vec<(PathBuf, String)>,
    /// The folders that could not be read, named likewise.
    closed: Vec<String>,
}

impl FolderSearch {
    /// Every skill folder below a directory with the name a user would give it, sorted. What is [`SKIPPED`] is not
    /// searched, and links are not followed. A folder with a misspelt SKILL.md counts too, if its content begins like
    /// one: a skill that no client sees must be reported.
    fn of(dir: &Rooted, shown: &str) -> Self {
        let mut found = Self::default();
        if dir.is_dir() {
            found.search(dir, shown, 1);
        }
        found
    }

    fn search(&mut self, dir: &Rooted, shown: &str, depth: usize) {
        let Ok(mut entries) = dir.list() else { return self.closed.push(shown.to_owned()) };
        entries.sort_by(|(one, _), (other, _)| one.cmp(other));
        for (name, kind) in entries.into_iter().filter(|(name, _)| !SKIPPED.iter().any(|skipped| name == *skipped)) {
            let below = || format!("{}/{}", shown.trim_end_matches('/'), name.to_string_lossy());
            let entry = dir.join(&name);
            if name == "SKILL.md" || kind == Kind::File && is_meant(dir, &entry) {
                self.skills.push((dir.path(), shown.to_owned()));
            }
            if kind == Kind::Dir && depth < MAX_DEPTH {
                self.search(&entry, &below(), depth + 1);
            }
        }
    }
}

fn misspelt(dir: &Rooted) -> bool {
    dir.list().unwrap_or_default().iter().any(|(name, _)| name.eq_ignore_ascii_case("SKILL.md"))
}

/// Whether a file is a misspelt SKILL.md: by its name and its frontmatter, and no other file is one.
fn is_meant(dir: &Rooted, file: &Rooted) -> bool {
    let named = file.below().file_name().is_some_and(|name| name.eq_ignore_ascii_case("SKILL.md"));
    let headed = || {
        let bytes = file.head(MAX_MISSPELT).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        let head = text.strip_prefix("---").and_then(|text| text.split_once("\n---")).map_or("", |(head, _)| head);
        ["name:", "description:"].iter().all(|key| head.lines().any(|line| line.starts_with(key)))
    };
    named && !dir.join("SKILL.md").exists() && headed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ai_clis_are_searched_for_only_where_a_directory_of_nobodys_own_is_read() {
        let dir = tempfile::tempdir().unwrap();
        for skill in ["here/review-code", ".agents/skills/review-code"] {
            std::fs::create_dir_all(dir.path().join(skill)).unwrap();
            std::fs::write(dir.path().join(skill).join("SKILL.md"), "---\nname: review-code\n---\n").unwrap();
        }
        std::fs::create_dir(dir.path().join(".cursor")).unwrap();
        let mut env = Env::made(dir.path().into(), &[], jiff::Timestamp::UNIX_EPOCH);
        let (project, targets) = (Project::at(dir.path()), Targets::with(Vec::new()));
        let selector = Selector::new(&env, &project, &targets, None).unwrap();
        assert_eq!(selector.of(&mut env, &["./here/review-code".into()]).unwrap().len(), 1);
        assert_eq!(selector.here.get(), None);
        let installed = selector.of(&mut env, &[]).unwrap();
        let readers: Vec<_> = installed.iter().flat_map(|skill| &skill.clients).map(|client| client.id).collect();
        assert_eq!(readers, ["cursor"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_skill_is_meant_once_however_it_is_named_and_a_file_in_two_folders_is_two_skills() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        for name in ["one", "two", "odd"] {
            std::fs::create_dir(at(name)).unwrap();
        }
        std::fs::write(at("one/SKILL.md"), "---\nname: one\n---\n").unwrap();
        std::fs::write(at("odd/Skill.md"), "---\nname: odd\n---\n").unwrap();
        std::fs::hard_link(at("one/SKILL.md"), at("two/SKILL.md")).unwrap();
        std::os::unix::fs::symlink("one", at("three")).unwrap();
        let mut env = Env::made(dir.path().into(), &[], jiff::Timestamp::UNIX_EPOCH);
        let (project, targets) = (Project::at(dir.path()), Targets::with(Vec::new()));
        let selector = Selector::new(&env, &project, &targets, None).unwrap();
        let given = ["one", "two", "three", "one/SKILL.md", "odd", "./odd"].map(str::to_owned);
        let shown: Vec<_> = selector.of(&mut env, &given).unwrap().into_iter().map(|skill| skill.shown).collect();
        assert_eq!(shown, ["one", "two", "odd"]);
    }
}
