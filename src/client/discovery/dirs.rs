//! The directories a client reads, in both scopes.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::{Plugin, Reach, Scope};
use crate::client::target::{SystemPath, Target, UserDir, reads, record};
use crate::report::Slashed;
use crate::system::os::places;
use crate::system::rooted;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dir {
    pub path: PathBuf,
    /// The same as people write it: below the project, below `~`, or absolute.
    pub shown: String,
    pub scope: Scope,
    /// The variable that is set and makes the client leave it out.
    pub off: Option<&'static str>,
    pub plugin: Option<Rc<Plugin>>,
}

impl Dir {
    pub fn listed_name(&self, name: &str) -> String {
        match self.prefix() {
            Some(prefix) => format!("{prefix}:{name}"),
            None => name.to_owned(),
        }
    }

    /// The name of a skill in it, of the one that it goes by or that name itself.
    pub fn own_name<'n>(&self, name: &'n str) -> &'n str {
        let behind = self.prefix().and_then(|prefix| name.strip_prefix(prefix)?.strip_prefix(':'));
        behind.unwrap_or(name)
    }

    fn prefix(&self) -> Option<&str> {
        self.plugin.as_ref()?.prefix.as_deref()
    }
}

impl Reach {
    /// The directories a target's client reads, the winning one first.
    pub fn dirs(&self, target: &Target) -> Vec<Dir> {
        let mut dirs = self.all_dirs(target);
        dirs.retain(|dir| dir.off.is_none() && dir.plugin.as_ref().is_none_or(|plugin| plugin.off.is_none()));
        dirs
    }

    /// The same, and those it leaves out because of a variable or of its settings.
    pub fn all_dirs(&self, target: &Target) -> Vec<Dir> {
        let known = reads(target);
        let mut project: Vec<Dir> = match known {
            Some(known) => known.project.iter().map(|dir| self.below_root(dir)).collect(),
            None => {
                std::iter::once(&target.skills_dir).chain(&target.also_reads).map(|dir| self.own_dir(dir)).collect()
            }
        };
        if let Some(known) = known.filter(|known| known.parents) {
            for above in self.above_root() {
                project.extend(known.project.iter().map(|dir| self.dir(above.join(dir), Scope::Project)));
            }
        }
        let user = known.map(|known| known.user).unwrap_or_default().iter();
        let user = user.filter_map(|dir| self.user_path(dir)).map(|path| self.dir(path, Scope::User));
        let system = known.map(|known| known.system).unwrap_or_default().iter();
        let system = system.filter_map(|path| self.system_path(path)).map(|path| self.dir(path, Scope::System));
        let (user, system): (Vec<Dir>, Vec<Dir>) = (user.collect(), system.collect());
        if self.own.is_user() {
            // In the home directory both scopes have the same directory.
            project.retain(|dir| dir.scope == Scope::User || user.iter().all(|own| own.path != dir.path));
        }
        let mut all = match known {
            Some(known) if known.user_wins => [system, user, project].concat(),
            _ => [project, user, system].concat(),
        };
        let plugins = known.and_then(|known| known.plugins).map(|plugins| self.plugin_dirs(target, plugins));
        all.extend(plugins.unwrap_or_default());
        let mut seen = BTreeSet::new();
        all.retain(|dir| seen.insert(dir.path.clone()));
        let switches = record(&target.id).and_then(|record| record.switches.as_ref());
        for (variable, left_out) in switches.map(|switches| switches.variables).unwrap_or_default() {
            if self.variable(variable).is_some() {
                let meant = |dir: &&mut Dir| left_out.iter().any(|left_out| dir.path.ends_with(left_out));
                all.iter_mut().filter(meant).for_each(|dir| dir.off = Some(variable));
            }
        }
        all
    }

    pub(super) fn user_path(&self, dir: &UserDir) -> Option<PathBuf> {
        dir.path(|name| self.variable(name).map(|value| self.cwd.join(value)), self.home.as_deref())
    }

    pub(super) fn system_path(&self, path: &SystemPath) -> Option<PathBuf> {
        let named = path.variable.and_then(|name| self.variable(name)).map(|value| self.cwd.join(value));
        let [linux, macos, windows] = path.dirs;
        let dir = places::of_system(linux, macos, windows);
        named.or_else(|| (!dir.is_empty()).then(|| PathBuf::from(format!("{dir}/{}", path.below))))
    }

    fn variable(&self, name: &str) -> Option<&OsStr> {
        self.vars.get(OsStr::new(name)).map(OsString::as_os_str).filter(|value| !value.is_empty())
    }

    /// The directories above the project's root, the nearest first, up to the root of the repository it is in.
    fn above_root(&self) -> &[PathBuf] {
        let is_repository = |dir: &&Path| rooted::anywhere(&dir.join(".git")).is_ok_and(|git| git.exists());
        self.above.get_or_init(|| {
            let above: Vec<&Path> = self.here.root().ancestors().collect();
            let last = above.iter().position(is_repository);
            last.and_then(|last| above.get(1..=last)).unwrap_or_default().iter().map(|dir| dir.to_path_buf()).collect()
        })
    }

    fn own_dir(&self, dir: &str) -> Dir {
        if self.own.is_user() { self.dir(self.own.path(dir), Scope::User) } else { self.below_root(dir) }
    }

    fn below_root(&self, dir: &str) -> Dir {
        Dir { shown: dir.to_owned(), ..self.dir(self.here.root().join(dir), Scope::Project) }
    }

    pub(super) fn dir(&self, path: PathBuf, scope: Scope) -> Dir {
        Dir { shown: self.shown(&path), path, scope, off: None, plugin: None }
    }

    pub(super) fn shown(&self, path: &Path) -> String {
        let below = self.home.as_deref().and_then(|home| path.strip_prefix(home).ok());
        below.map_or_else(|| path.slashed(), |below| format!("~/{}", below.slashed()))
    }
}
