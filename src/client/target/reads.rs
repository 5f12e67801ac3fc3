//! In which directories each client looks for skills, in which order, and what it does with duplicate names.

use std::path::{Path, PathBuf};

use super::{TABLE, Target};

/// A user directory, below a variable if that is set, else below the home directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UserDir {
    pub variable: Option<&'static str>,
    pub below: &'static str,
    /// Its path below the home directory; empty where only the variable leads to it.
    pub home: &'static str,
}

impl UserDir {
    pub fn path(&self, variable: impl Fn(&str) -> Option<PathBuf>, home: Option<&Path>) -> Option<PathBuf> {
        if let Some(moved) = self.variable.and_then(variable) {
            return Some(moved.join(self.below));
        }
        match self.home {
            "" => None,
            below => Some(home?.join(below)),
        }
    }

    /// What its variable moves: the prefix of its path below the home directory, and the replacement below the
    /// variable's value. `CODEX_HOME` replaces `.codex` by the value itself.
    pub fn moves(&self) -> Option<(&'static str, &'static str, &'static str)> {
        let (variable, mut home, mut below) = (self.variable?, self.home, self.below);
        while let Some((shorter, last)) = home.rsplit_once('/')
            && let (above, end) = below.rsplit_once('/').unwrap_or(("", below))
            && end == last
        {
            (home, below) = (shorter, above);
        }
        (!home.is_empty()).then_some((variable, home, below))
    }
}

/// The plugins of a client. Each keeps its skills in `skills` and where its manifest says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Plugins {
    /// A file lists where each is and for which project. It is used where the last settings file that names it in
    /// `enabledPlugins` says so, and its skills go by `PLUGIN:NAME`.
    Listed { list: UserDir, manifest: &'static str },
    /// Each is in `MARKETPLACE/PLUGIN/VERSION`. It is used where `[plugins."PLUGIN@MARKETPLACE"]` of the user's settings
    /// says so, and its skills go by `PLUGIN:NAME`.
    Cached { cache: UserDir, settings: UserDir, manifest: &'static str },
    /// Each is a folder. It is used unless a rule leaves the directory out, and its skills keep their names.
    Extensions { dir: UserDir, manifest: &'static str },
}

/// A place for everybody on the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SystemPath {
    pub variable: Option<&'static str>,
    /// The directory on Linux, macOS and Windows; empty on a platform that has none.
    pub dirs: [&'static str; 3],
    pub below: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Twice {
    First,
    /// It uses the first and warns about the other, identical or not.
    Complains,
    /// It lists both, and invoking the name invokes neither.
    Both,
    /// It uses one of them, not always the same.
    Either,
    /// The project's directories count as one and the user's as one; of each it uses the first.
    OnePerScope,
}

#[derive(Debug, PartialEq, Eq)]
pub struct Reads {
    /// The project's directories, the winning one first.
    pub project: &'static [&'static str],
    /// The user's directories, the winning one first.
    pub user: &'static [UserDir],
    /// The directories for everybody on the machine: before the user's where the user's own win, else the last.
    pub system: &'static [SystemPath],
    /// What it loads plugins from, whose skills come behind all others.
    pub plugins: Option<Plugins>,
    /// Whether the user's own skills win over the project's.
    pub user_wins: bool,
    /// Whether it also looks in the parent directories, up to the repository's root.
    pub parents: bool,
    pub twice: Twice,
}

pub(super) const fn home(home: &'static str) -> UserDir {
    UserDir { variable: None, below: "", home }
}

pub(super) const fn moved(variable: &'static str, below: &'static str, home: &'static str) -> UserDir {
    UserDir { variable: Some(variable), below, home }
}

pub(super) const fn system(dirs: [&'static str; 3], below: &'static str) -> SystemPath {
    SystemPath { variable: None, dirs, below }
}

pub(super) const SHARED: UserDir = home(".agents/skills");

impl Reads {
    pub(super) const TYPICAL: Self = Self {
        project: &[],
        user: &[],
        system: &[],
        plugins: None,
        user_wins: false,
        parents: false,
        twice: Twice::First,
    };

    pub fn own_user_dir(&self) -> Option<&'static UserDir> {
        let shared = |dir: &&UserDir| dir.home == SHARED.home && self.project != [SHARED.home];
        self.user.iter().find(|dir| !shared(dir))
    }
}

pub fn user_dirs() -> impl Iterator<Item = &'static UserDir> {
    TABLE.iter().filter_map(|record| record.reads.own_user_dir())
}

pub fn reads(target: &Target) -> Option<&'static Reads> {
    let known = &super::record(&target.id)?.reads;
    // A configured target of the same id may live elsewhere.
    let dir = target.skills_dir.as_str();
    let own = known.project.contains(&dir) || known.own_user_dir().is_some_and(|own| own.home == dir);
    own.then_some(known)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::target::{Targets, record};

    #[test]
    fn a_variable_moves_a_directory_and_home_is_asked_otherwise() {
        let home = Some(Path::new("/home/u"));
        let set = |name: &str| (name == "CODEX_HOME").then(|| PathBuf::from("/elsewhere"));
        let codex: Vec<_> = record("codex").unwrap().reads.user.iter().filter_map(|dir| dir.path(set, home)).collect();
        let wanted = ["/home/u/.agents/skills", "/elsewhere/skills"];
        assert_eq!(codex, wanted.map(PathBuf::from));
        assert_eq!(record("opencode").unwrap().reads.user.last().and_then(|dir| dir.path(set, home)), None);
    }

    #[test]
    fn a_variable_moves_the_beginning_of_a_path() {
        let moves: Vec<_> = user_dirs().filter_map(UserDir::moves).collect();
        let wanted = [
            ("CLAUDE_CONFIG_DIR", ".claude", ""),
            ("GEMINI_CLI_HOME", ".gemini", ".gemini"),
            ("CODEX_HOME", ".codex", ""),
            ("COPILOT_HOME", ".copilot", ""),
            ("XDG_CONFIG_HOME", ".config", ""),
            ("QWEN_HOME", ".qwen", ""),
        ];
        assert_eq!(moves, wanted);
    }

    #[test]
    fn a_target_that_was_moved_has_no_known_habits() {
        let mut claude = Targets::with(Vec::new()).get("claude").cloned().unwrap();
        claude.skills_dir = "team/skills".into();
        assert_eq!(reads(&claude), None);
    }
}
