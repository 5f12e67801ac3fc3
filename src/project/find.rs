//! Finds the project a command is about.
//!
//! The nearest ancestor with `.git`, `.hefesto` or a hefesto MEMORY.md wins. What somebody else may have put there is
//! not trusted: `.hefesto` and MEMORY.md of another owner; those in an ancestor that everybody can write to, unless it
//! is a repository; and `.git` that is both. The home directory is no project. `-C` overrides this. Root is no
//! exception: another user's files are not trusted.

#![expect(clippy::disallowed_methods, reason = "access to the root, which is looked for")]

use std::fs::Metadata;
use std::path::{Component, Path, PathBuf};

use super::Project;
use crate::registry::{MAX_BYTES, Parsed, Registry};
use crate::report::Slashed;
use crate::system::os::files::{self, is_shared, owner};
use crate::system::os::places::real;
use crate::system::rooted::beginning;

/// Why a directory is not used as the project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// Its files belong to the user with this id.
    Foreign(u32),
    Shared,
    Home,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    pub dir: PathBuf,
    pub why: Why,
}

impl Skipped {
    /// The reason for people.
    pub fn text(&self) -> String {
        let dir = self.dir.slashed();
        match self.why {
            Why::Foreign(owner) => format!("{dir} holds hefesto files of another user (uid {owner})"),
            Why::Shared => format!("{dir} holds hefesto files that every user can write"),
            Why::Home => format!("{dir} is your home directory and no project"),
        }
    }
}

#[derive(Debug, Clone)]
pub struct Found {
    pub project: Project,
    /// The directories above that were skipped.
    pub skipped: Vec<Skipped>,
    /// Why the root itself is used only when it is named.
    pub refused: Option<Skipped>,
}

impl Project {
    /// The project a command is about: the one named, else the nearest ancestor that is one, else the directory.
    pub fn find(cwd: &Path, named: Option<&Path>, home: Option<&Path>) -> Found {
        Self::find_as(files::user(), cwd, named, home)
    }

    /// The same for the user with this id.
    fn find_as(user: u32, cwd: &Path, named: Option<&Path>, home: Option<&Path>) -> Found {
        let found = |root: &Path, skipped, refused| Found { project: Self::at(root), skipped, refused };
        if let Some(named) = named {
            // Normalised by components: `-C .` is not shown as `/here/.`.
            return found(&cwd.join(named).components().collect::<PathBuf>(), Vec::new(), None);
        }
        let home = home.and_then(|home| real(home).ok());
        let is_home = |dir: &Path| home.is_some() && real(dir).ok() == home;
        let mut skipped = Vec::new();
        for dir in cwd.ancestors() {
            let git = git(dir, user);
            let at_home = is_home(dir);
            let why = match believed(dir, user) {
                _ if at_home && (dir == cwd || !ours(dir).is_empty()) => Why::Home,
                _ if at_home => continue,
                Some(Ok(())) => return found(dir, skipped, None),
                // The user's own files in the current directory or in their own repository are trusted.
                Some(Err(Why::Shared)) if dir == cwd || git => return found(dir, skipped, None),
                Some(Err(why)) => why,
                None if git => return found(dir, skipped, None),
                None => continue,
            };
            let one = Skipped { dir: dir.to_owned(), why };
            // It is the current directory or its repository: nothing else is used instead.
            if dir == cwd || (git && why != Why::Home) {
                return found(dir, skipped, Some(one));
            }
            skipped.push(one);
        }
        found(cwd, skipped, None)
    }
}

/// Whether there is a trustworthy repository.
fn git(dir: &Path, user: u32) -> bool {
    let repository = std::fs::symlink_metadata(dir.join(".git"));
    repository.is_ok_and(|meta| owner(&meta) == user || !std::fs::metadata(dir).is_ok_and(|dir| is_shared(&dir)))
}

fn ours(dir: &Path) -> Vec<Metadata> {
    let hefesto =
        std::fs::symlink_metadata(dir.join(".hefesto")).ok().filter(|meta| meta.is_dir() || meta.is_symlink());
    hefesto.into_iter().chain(memory(&dir.join("MEMORY.md"))).collect()
}

/// Whether a directory with hefesto's files can be used as the project; `None` if it has none.
fn believed(dir: &Path, user: u32) -> Option<Result<(), Why>> {
    let ours = ours(dir);
    if ours.is_empty() {
        return None;
    }
    if let Some(foreign) = ours.iter().map(owner).find(|owner| *owner != user) {
        return Some(Err(Why::Foreign(foreign)));
    }
    let dir = std::fs::metadata(dir).ok();
    let open = ours.iter().filter(|meta| !meta.is_symlink()).chain(&dir).any(is_shared);
    Some(if open { Err(Why::Shared) } else { Ok(()) })
}

/// MEMORY.md, if it is hefesto's: a regular file with its frontmatter.
fn memory(path: &Path) -> Option<Metadata> {
    let meta = std::fs::symlink_metadata(path).ok().filter(Metadata::is_file)?;
    let bytes = beginning(std::fs::File::open(path).ok()?, meta.len(), MAX_BYTES + 1).ok()?;
    (!matches!(Registry::parse(&bytes), Parsed::Foreign(_))).then_some(meta)
}

/// The path from one directory to another: `..` to a parent, the rest to a child; otherwise absolute.
pub(super) fn way(from: &Path, to: &Path) -> String {
    let (from, to) = (real(from).unwrap_or_else(|_| from.into()), real(to).unwrap_or_else(|_| to.into()));
    let way: PathBuf = match (from.strip_prefix(&to), to.strip_prefix(&from)) {
        (Ok(below), _) => below.components().map(|_| Component::ParentDir).collect(),
        (_, Ok(below)) => below.to_owned(),
        _ => to,
    };
    way.slashed()
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{MetadataExt, PermissionsExt};

    use super::*;

    /// `a/b/c` in a directory of its own.
    fn tree() -> (tempfile::TempDir, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let deep = dir.path().join("a/b/c");
        fs::create_dir_all(&deep).unwrap();
        (dir, deep)
    }

    fn root(cwd: &Path, home: Option<&Path>) -> PathBuf {
        Project::find(cwd, None, home).project.root().to_owned()
    }

    fn mode(dir: &Path, mode: u32) {
        fs::set_permissions(dir, fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn the_nearest_of_git_hefesto_and_memory_wins() {
        let (dir, deep) = tree();
        assert_eq!(root(&deep, None), deep);
        fs::create_dir(dir.path().join(".hefesto")).unwrap();
        assert_eq!(root(&deep, None), dir.path());
        fs::create_dir(dir.path().join("a/.git")).unwrap();
        assert_eq!(root(&deep, None), dir.path().join("a"));
        fs::write(dir.path().join("a/b/MEMORY.md"), "# notes of somebody\n").unwrap();
        assert_eq!(root(&deep, None), dir.path().join("a"));
        fs::create_dir(dir.path().join("a/b/.hefesto")).unwrap();
        assert_eq!(root(&deep, None), dir.path().join("a/b"));
        let named = |name: &str| Project::find(&deep, Some(Path::new(name)), None).project;
        assert_eq!(named("x").root(), deep.join("x"));
        assert_eq!(named("./").root().as_os_str(), deep.as_os_str());
    }

    #[test]
    fn an_ancestor_that_everybody_can_write_is_used_only_when_it_is_named() {
        let (dir, deep) = tree();
        let above = dir.path().join("a");
        fs::create_dir(above.join(".hefesto")).unwrap();
        mode(&above, 0o1777);
        let found = Project::find(&deep, None, None);
        let skipped = Skipped { dir: above.clone(), why: Why::Shared };
        assert_eq!(
            (found.project.root(), &found.skipped, &found.refused),
            (deep.as_path(), &vec![skipped.clone()], &None)
        );
        assert_eq!(Project::find(&deep, Some(&above), None).refused, None);
        // The user's own files are used in the current directory and in their own repository.
        assert_eq!(Project::find(&above, None, None).refused, None);
        fs::create_dir(above.join(".git")).unwrap();
        assert_eq!(root(&deep, None), above);
    }

    #[test]
    fn what_belongs_to_another_user_is_used_only_when_it_is_named() {
        let (dir, deep) = tree();
        let me = fs::metadata(dir.path()).unwrap().uid();
        let find = |named| Project::find_as(me + 1, &deep, named, None);
        let above = dir.path().join("a");
        let skipped = Skipped { dir: above.clone(), why: Why::Foreign(me) };
        fs::write(above.join("MEMORY.md"), Registry::fresh("0.1.0", "2026-02-05T10:00:00Z").render()).unwrap();
        assert_eq!((find(None).project.root(), find(None).skipped), (deep.as_path(), vec![skipped.clone()]));
        let named = find(Some(&above));
        assert_eq!((named.project.root(), named.skipped, named.refused), (above.as_path(), vec![], None));
        // A repository of another user is used as long as it has no files of ours.
        fs::create_dir(dir.path().join("a/b/.git")).unwrap();
        assert_eq!((find(None).project.root(), find(None).refused), (dir.path().join("a/b").as_path(), None));
        fs::create_dir(dir.path().join("a/b/.hefesto")).unwrap();
        assert_eq!(find(None).refused.map(|one| one.why), Some(Why::Foreign(me)));
    }

    #[test]
    fn the_home_directory_is_no_project_and_a_repository_in_it_is() {
        let (dir, deep) = tree();
        let home = Some(dir.path());
        let at_home = Project::find(dir.path(), None, home);
        assert_eq!(at_home.refused.map(|one| one.why), Some(Why::Home));
        fs::create_dir(dir.path().join(".git")).unwrap();
        assert_eq!(root(&deep, home), deep);
        fs::create_dir(dir.path().join(".hefesto")).unwrap();
        let found = Project::find(&deep, None, home);
        assert_eq!((found.project.root(), found.refused), (deep.as_path(), None));
        assert_eq!(found.skipped[0].why, Why::Home);
        assert_eq!(Project::find(dir.path(), Some(Path::new(".")), home).refused, None);
    }

    #[test]
    fn paths_are_shown_from_where_the_user_stands() {
        let (dir, deep) = tree();
        let shown = |root: &Path, cwd: &Path| Project::at(root).seen_from(cwd).shown(".claude/skills/x");
        assert_eq!(shown(&deep, &deep), ".claude/skills/x");
        assert_eq!(shown(&dir.path().join("a"), &deep), "../../.claude/skills/x");
        assert_eq!(shown(&deep, &dir.path().join("a")), "b/c/.claude/skills/x");
        let elsewhere = tempfile::tempdir().unwrap();
        let absolute = elsewhere.path().canonicalize().unwrap();
        assert_eq!(shown(elsewhere.path(), &deep), format!("{}/.claude/skills/x", absolute.display()));
    }
}
