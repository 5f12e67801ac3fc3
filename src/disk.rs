//! Looking at a project's files: which skills stand where, since when. Reads only.

mod seen;

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

pub use seen::{Read as SkillRead, Seen};

use crate::detect::{self, Found};
use crate::door;
use crate::project::Project;
use crate::registry;
use crate::skill::metadata::Metadata;
use crate::skill::{Name, Tree};
use crate::target::{Target, Targets};

/// Reads at most so many bytes of a file.
///
/// # Errors
/// When it cannot be read.
pub fn read_at_most(path: &Path, most: usize) -> io::Result<Vec<u8>> {
    let file = File::open(path)?;
    let length = file.metadata().map_or(0, |meta| meta.len());
    read_to_end(file, length, most)
}

/// Reads at most so many bytes of a file that is this long, or was a moment ago.
///
/// # Errors
/// When it cannot be read.
fn read_to_end(file: File, length: u64, most: usize) -> io::Result<Vec<u8>> {
    // A reader with a limit does not say what is to come: without room it reads 32 bytes, and 32, and 64.
    let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or(most).min(most));
    file.take(most as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// A file in the directory whose name begins so and whose bytes are these.
#[must_use]
pub fn copy_of(dir: &Path, beginning: &str, bytes: &[u8]) -> Option<String> {
    let mut names: Vec<String> = names_in(dir).into_iter().filter(|name| name.starts_with(beginning)).collect();
    names.sort();
    names.into_iter().find(|name| fs::read(dir.join(name)).is_ok_and(|found| found == bytes))
}

/// The name, or the name with the first number behind it that is free.
#[must_use]
pub fn free_name(dir: &Path, name: &str) -> String {
    if fs::symlink_metadata(dir.join(name)).is_err() {
        return name.to_owned();
    }
    let numbered = (2..).map(|number| format!("{name}-{number}"));
    numbered.into_iter().find(|name| fs::symlink_metadata(dir.join(name)).is_err()).unwrap_or_else(|| name.to_owned())
}

/// The names of the skills in a skills directory: directories with a valid name, sorted.
#[must_use]
pub fn skills_in(project: &Project, skills_dir: &str) -> Vec<Name> {
    let names = directories_in(project, skills_dir).into_iter();
    let mut names: Vec<Name> = names.filter_map(|name| Name::parse(&name).ok()).collect();
    names.sort();
    names
}

/// The names of all skills of all targets, sorted, each once: what a misspelt name is compared with.
#[must_use]
pub fn installed(project: &Project, targets: &Targets) -> Vec<String> {
    let names = targets.iter().flat_map(|target| skills_in(project, &target.skills_dir));
    let mut names: Vec<String> = names.map(|name| name.to_string()).collect();
    names.sort();
    names.dedup();
    names
}

fn names_in(dir: &Path) -> Vec<String> {
    fs::read_dir(dir).into_iter().flatten().flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect()
}

/// Everything that stands in the skills directories.
#[must_use]
pub fn found(project: &Project, targets: &Targets, detected: &[Found]) -> registry::Found {
    let mut skills: BTreeMap<Name, registry::FoundSkill> = BTreeMap::new();
    let mut clis = Vec::new();
    for target in targets.iter().filter(|target| project.path(&target.skills_dir).is_dir()) {
        clis.push(detect::row(target, detected));
        for name in skills_in(project, &target.skills_dir) {
            let (created, modified) = dates(project, &target.skill_dir(name.as_str()));
            let skill = skills.entry(name.clone()).or_insert_with(|| registry::FoundSkill {
                name,
                clis: Vec::new(),
                created: created.clone(),
                modified: modified.clone(),
            });
            skill.clis.push(target.id.clone());
            if modified > skill.modified {
                skill.modified = modified;
            }
        }
    }
    registry::Found { clis, skills: skills.into_values().collect() }
}

/// When a skill was made and changed: its metadata, else the file system.
fn dates(project: &Project, at: &str) -> (String, String) {
    let dir = project.path(at);
    let metadata = read_at_most(&dir.join("metadata.yaml"), 1 << 16).ok();
    let metadata =
        metadata.and_then(|bytes| Metadata::parse(&String::from_utf8_lossy(&bytes)).ok()).unwrap_or_default();
    let mut tree = Tree::new();
    tree.put("SKILL.md", "");
    let times = door::times(&dir, &tree);
    let is_time = |text: &String| text.parse::<jiff::Timestamp>().is_ok();
    let modified =
        Some(metadata.updated).filter(is_time).or(times.modified).unwrap_or_else(|| "1970-01-01T00:00:00Z".into());
    let created = Some(metadata.created).filter(is_time).or(times.created).unwrap_or_else(|| modified.clone());
    (created, modified)
}

/// The targets in whose directory a folder of this name stands, be it a name that no skill may have; none where it is a
/// path and no name.
pub fn holding<'t>(project: &Project, targets: impl Iterator<Item = &'t Target>, name: &str) -> Vec<&'t Target> {
    let is_name = Path::new(name).file_name() == Some(OsStr::new(name));
    targets.filter(|target| is_name && project.path(&target.skill_dir(name)).is_dir()).collect()
}

/// The names of all directories in the skills directories of some targets, valid or not, sorted, each once.
#[must_use]
pub fn directories<'t>(project: &Project, targets: impl Iterator<Item = &'t Target>) -> Vec<String> {
    let mut names: Vec<String> = targets.flat_map(|target| directories_in(project, &target.skills_dir)).collect();
    names.sort();
    names.dedup();
    names
}

/// The names of all directories in a skills directory, valid or not, sorted.
#[must_use]
pub fn directories_in(project: &Project, skills_dir: &str) -> Vec<String> {
    let entries = fs::read_dir(project.path(skills_dir)).into_iter().flatten().flatten();
    // The listing says what is a directory; only where a link leads has to be looked at.
    let directory = |entry: &fs::DirEntry| {
        entry.file_type().is_ok_and(|kind| kind.is_dir() || kind.is_symlink() && entry.path().is_dir())
    };
    let mut names: Vec<String> =
        entries.filter(directory).filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort();
    names
}
