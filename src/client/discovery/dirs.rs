//! The directories a client reads, in both scopes.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::{Dir, Reach, Scope};
use crate::client::target::{Target, reads, record};
use crate::report::slashed::Slashed;
use crate::system::rooted;

impl Reach {
    /// The directories a target's client reads, the winning one first.
    pub fn dirs(&self, target: &Target) -> Vec<Dir> {
        let mut dirs = self.all_dirs(target);
        dirs.retain(|dir| dir.off.is_none());
        dirs
    }

    /// The same, and those it leaves out because of a variable.
    pub fn all_dirs(&self, target: &Target) -> Vec<Dir> {
        let known = reads(target);
        let mut project: Vec<Dir> = match known {
            Some(known) => known.project.iter().map(|dir| self.below_root(dir)).collect(),
            None => {
                std::iter::once(&target.skills_dir).chain(&target.also_reads).map(|dir| self.own_dir(dir)).collect()
            }
        };
        if let Some(known) = known.filter(|known| known.parents) {
            project.extend(
                self.above_root()
                    .into_iter()
                    .flat_map(|above| known.project.iter().map(move |dir| above.join(dir)).collect::<Vec<_>>())
                    .map(|path| self.dir(path, Scope::Project)),
            );
        }
        let variable = |name: &str| self.variable(name).map(|value| self.cwd.join(value));
        let user = known.map(|known| known.user).unwrap_or_default().iter();
        let user: Vec<Dir> = user
            .filter_map(|dir| dir.path(variable, self.home.as_deref()))
            .map(|path| self.dir(path, Scope::User))
            .collect();
        if self.own.is_user() {
            // In the home directory both scopes have the same directory.
            project.retain(|dir| dir.scope == Scope::User || user.iter().all(|own| own.path != dir.path));
        }
        let all = match known {
            Some(known) if known.user_wins => [user, project].concat(),
            _ => [project, user].concat(),
        };
        let mut seen = BTreeSet::new();
        let mut all: Vec<Dir> = all.into_iter().filter(|dir| seen.insert(dir.path.clone())).collect();
        let switches = record(&target.id).and_then(|record| record.switches.as_ref());
        for (variable, left_out) in switches.map(|switches| switches.variables).unwrap_or_default() {
            if self.variable(variable).is_some() {
                let meant = |dir: &&mut Dir| left_out.iter().any(|left_out| dir.path.ends_with(left_out));
                all.iter_mut().filter(meant).for_each(|dir| dir.off = Some(variable));
            }
        }
        all
    }

    pub(super) fn variable(&self, name: &str) -> Option<&OsStr> {
        self.vars.get(OsStr::new(name)).map(OsString::as_os_str).filter(|value| !value.is_empty())
    }

    /// The directories above the project's root, the nearest first, up to the root of the repository it is in.
    fn above_root(&self) -> Vec<PathBuf> {
        let is_repository = |dir: &Path| rooted::anywhere(&dir.join(".git")).is_ok_and(|git| git.exists());
        let mut above = Vec::new();
        for dir in self.here.root().ancestors() {
            if dir != self.here.root() {
                above.push(dir.to_owned());
            }
            if is_repository(dir) {
                return above;
            }
        }
        Vec::new()
    }

    fn own_dir(&self, dir: &str) -> Dir {
        if self.own.is_user() { self.dir(self.own.path(dir), Scope::User) } else { self.below_root(dir) }
    }

    fn below_root(&self, dir: &str) -> Dir {
        Dir { shown: dir.to_owned(), ..self.dir(self.here.root().join(dir), Scope::Project) }
    }

    fn dir(&self, path: PathBuf, scope: Scope) -> Dir {
        Dir { shown: self.shown(&path), path, scope, off: None }
    }

    pub(super) fn shown(&self, path: &Path) -> String {
        let below = self.home.as_deref().and_then(|home| path.strip_prefix(home).ok());
        below.map_or_else(|| path.slashed(), |below| format!("~/{}", below.slashed()))
    }
}
