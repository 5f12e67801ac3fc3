//! What is restored from: the archive that a person means by a skill's name, by what a run was called, or by a file.

use std::path::Path;

use super::place_of;
use crate::client::target::Targets;
use crate::command::{backups::newest_first, help::nearest, memory::looked_into};
use crate::error::{Code, Coded, Error, Result};
use crate::project::Project;
use crate::report::Slashed;
use crate::system::env::Env;
use crate::system::rooted::{self, Rooted};
use crate::transaction::backup::{self, Archive, Listed};
use crate::transaction::operation;

/// Archives, and what of them is meant.
pub(super) struct Source {
    /// With the file each was read from, as a person names it.
    pub(super) archives: Vec<(String, Archive)>,
    /// What they are called together.
    pub(super) name: String,
    /// Whether they were taken here.
    pub(super) own: bool,
    /// The one skill that is meant, where it is not all of them.
    pub(super) only: Option<String>,
}

impl Source {
    pub(super) fn shown(&self) -> String {
        let files: Vec<&str> = self.archives.iter().map(|(file, _)| file.as_str()).collect();
        files.join(", ")
    }
}

/// An archive by its file name or path; else the newest one that holds a skill of this name, or that a run of this name
/// left. Errors: E-RESTORE-001 where there is none; E-IO-001 where it is damaged.
pub(super) fn find(env: &Env, project: &Project, targets: &Targets, what: &str) -> Result<Source> {
    let all = newest_first(project)?;
    let given = rooted::anywhere(&env.cwd.join(what)).ok().filter(|at| what.ends_with(".tar.gz") && at.is_file());
    let inside = given.as_ref().filter(|at| in_backups(project, at)).and_then(|at| file_name(&at.path()));
    let is_file = |listed: &&Listed| {
        let file = listed.path.rsplit('/').next();
        listed.path == what || file == Some(what) || (inside.is_some() && file == inside.as_deref())
    };
    if let Some(listed) = all.iter().find(is_file) {
        let (file, archive) = read(project, listed)?;
        return Ok(whole(project, targets, listed, vec![(file, archive)]));
    }
    let mut called = None;
    for listed in &all {
        let (file, archive) = match read(project, listed) {
            Ok(read) => read,
            Err(error) if listed.name == what => return Err(error),
            Err(_) => continue,
        };
        let is_it = |root: &&str| place_of(targets, root, true).is_some_and(|(_, skill)| skill == what);
        if archive.roots().iter().any(is_it) {
            let (name, only) = (operation::called(what), Some(what.to_owned()));
            return Ok(Source { archives: vec![(file, archive)], name, own: true, only });
        }
        called = called.or(Some(listed).filter(|listed| listed.name == what));
    }
    if let Some(listed) = called {
        let archives = of_one_run(project, &all, listed)?;
        return Ok(whole(project, targets, listed, archives));
    }
    if let Some(at) = given {
        let name = file_name(&at.path()).unwrap_or_default();
        let name = operation::called(name.trim_end_matches(".tar.gz"));
        let archive = backup::read_at(&at)?;
        return Ok(Source { archives: vec![(at.path().slashed(), archive)], name, own: false, only: None });
    }
    let mut names: Vec<String> = all.into_iter().map(|listed| listed.name).collect();
    names.dedup();
    let error = Error::new(Code::RestoreNotFound, format!("there is no backup {what:?}"));
    Err(match nearest(what, &names) {
        Some(near) => error.suggest(format!("Did you mean `hefesto restore {near}`? `hefesto backups` lists them.")),
        None => error,
    })
}

fn read(project: &Project, listed: &Listed) -> Result<(String, Archive)> {
    let at = project.rooted(&listed.path).coded(Code::Io, "the project root cannot be opened")?;
    Ok((at.path().slashed(), backup::read_at(&at)?))
}

fn file_name(path: &Path) -> Option<String> {
    path.file_name().map(|name| name.to_string_lossy().into_owned())
}

fn in_backups(project: &Project, at: &Rooted) -> bool {
    let backups = project.rooted(".hefesto/backups").and_then(|backups| backups.canonical());
    let both = at.canonical().ok().zip(backups.ok());
    both.is_some_and(|(path, backups)| path.parent() == Some(&*backups))
}

/// Every archive of the run that left this one: a large collection has several.
fn of_one_run(project: &Project, all: &[Listed], listed: &Listed) -> Result<Vec<(String, Archive)>> {
    let run = run_of(project, listed);
    let is_beside = |other: &&Listed| {
        other.path == listed.path || (run.is_some() && other.name == listed.name && run_of(project, other) == run)
    };
    all.iter().filter(is_beside).map(|listed| read(project, listed)).collect()
}

/// The run that left an archive, and its command.
fn run_of(project: &Project, listed: &Listed) -> Option<(String, String)> {
    looked_into(project).ok().flatten()?.run_of_backup(&listed.path).ok().flatten()
}

/// Everything in archives that were taken here; where a run was about one skill and changed others with it, as where
/// they link to it, that one only.
fn whole(project: &Project, targets: &Targets, listed: &Listed, archives: Vec<(String, Archive)>) -> Source {
    let of_many = run_of(project, listed).is_some_and(|(_, command)| command == "adopt" || command == "convert");
    let names = |(_, archive): &(String, Archive)| {
        archive.roots().iter().filter_map(|root| Some(place_of(targets, root, true)?.1.to_owned())).collect::<Vec<_>>()
    };
    let own = archives.iter().flat_map(names).find(|skill| operation::called(skill) == listed.name);
    Source { archives, name: listed.name.clone(), own: true, only: own.filter(|_| !of_many) }
}
