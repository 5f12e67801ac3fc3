//! The inventory of a project: which skills are where, and since when. Reads only.

mod skill_cache;

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io::{self, ErrorKind};
use std::path::{Component, Path};

pub use skill_cache::{Read as SkillRead, Seen};

use crate::client::detect::{self, Found};
use crate::client::target::{Target, Targets};
use crate::project::Project;
use crate::registry;
use crate::skill::metadata::Metadata;
use crate::skill::{Name, Tree};
use crate::system::rooted::{self, Kind};

/// The path of a file in this directory of the project with this prefix and these bytes.
pub fn copy_of(project: &Project, dir: &str, beginning: &str, bytes: &[u8]) -> Option<String> {
    let listed = project.rooted(dir).and_then(|dir| dir.list()).unwrap_or_default();
    let names = listed.into_iter().filter_map(|(name, _)| name.into_string().ok());
    let mut paths: Vec<String> =
        names.filter(|name| name.starts_with(beginning)).map(|name| format!("{dir}/{name}")).collect();
    paths.sort();
    let same = |at: &String| project.rooted(at).and_then(|at| at.read(bytes.len())).is_ok_and(|found| found == bytes);
    paths.into_iter().find(same)
}

/// The path in the project, with the first free number appended if it exists.
pub fn free_name(project: &Project, name: &str) -> String {
    let numbered = (2..).map(|number| format!("{name}-{number}"));
    let mut names = std::iter::once(name.to_owned()).chain(numbered);
    names.find(|name| !project.exists(name)).unwrap_or_else(|| name.to_owned())
}

/// The names of the skills in a skills directory: directories with a valid name, sorted.
pub fn skills_in(project: &Project, skills_dir: &str) -> Vec<Name> {
    directories_in(project, skills_dir).iter().filter_map(|name| Name::parse(name).ok()).collect()
}

/// The names of all skills of all targets, sorted, without duplicates, for suggestions.
pub fn installed(project: &Project, targets: &Targets) -> Vec<String> {
    let names = targets.iter().flat_map(|target| skills_in(project, &target.skills_dir));
    let mut names: Vec<String> = names.map(|name| name.to_string()).collect();
    names.sort();
    names.dedup();
    names
}

/// What to name instead of a skill that is not among these.
pub fn other_names(name: &str, names: &[String]) -> String {
    let near = names.iter().map(|known| (strsim::jaro_winkler(name, known), known));
    let near = near.filter(|(score, _)| *score > 0.75).max_by(|one, other| one.0.total_cmp(&other.0));
    match near {
        Some((_, near)) => format!("Did you mean `{near}`? `hefesto list` names the skills."),
        None if names.is_empty() => "There are no skills here yet; `hefesto create` makes one.".to_owned(),
        None => {
            let some: Vec<&str> = names.iter().map(String::as_str).take(5).collect();
            format!("Skills here: {}; `hefesto list` names all.", some.join(", "))
        }
    }
}

/// Every skill in the skills directories; a folder without SKILL.md is none.
pub fn found(project: &Project, targets: &Targets, detected: &[Found]) -> registry::Found {
    let mut skills: BTreeMap<Name, registry::SkillRow> = BTreeMap::new();
    let mut clis = Vec::new();
    for target in targets.iter().filter(|target| project.is_dir(&target.skills_dir)) {
        clis.push(detect::row(target, detected));
        for name in skills_in(project, &target.skills_dir) {
            let at = target.skill_dir(name.as_str());
            let text = project.rooted(&format!("{at}/SKILL.md")).and_then(|file| file.entry_kind());
            if matches!(text, Ok(None)) {
                continue;
            }
            let (created, modified) = dates(project, &at);
            let skill = skills.entry(name.clone()).or_insert_with(|| registry::SkillRow {
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

/// When a skill was created and changed, according to its metadata, else to the file system.
fn dates(project: &Project, at: &str) -> (String, String) {
    let metadata = project.head(&format!("{at}/metadata.yaml"), 1 << 16).ok();
    let metadata =
        metadata.and_then(|bytes| Metadata::parse(&String::from_utf8_lossy(&bytes)).ok()).unwrap_or_default();
    let mut tree = Tree::new();
    tree.put("SKILL.md", "");
    let times = project.rooted(at).map(|dir| crate::system::input::times(&dir, &tree)).unwrap_or_default();
    let is_time = |text: &String| text.parse::<jiff::Timestamp>().is_ok();
    let modified =
        Some(metadata.updated).filter(is_time).or(times.modified).unwrap_or_else(|| "1970-01-01T00:00:00Z".into());
    let created = Some(metadata.created).filter(is_time).or(times.created).unwrap_or_else(|| modified.clone());
    (created, modified)
}

/// The targets in whose directory a folder with this name exists, valid or not; none if it is a path instead of a name.
pub fn holding<'t>(project: &Project, targets: impl Iterator<Item = &'t Target>, name: &str) -> Vec<&'t Target> {
    Top::of(project).holding(project, targets, name)
}

/// What the root of a project lists: most clients have no directory there, which one listing says of all of them.
pub struct Top(Option<Vec<OsString>>);

impl Top {
    pub fn of(project: &Project) -> Self {
        // The user's own skills are below several directories.
        let listed = if project.is_user() { None } else { project.rooted("").and_then(|root| root.list()).ok() };
        Self(listed.map(|entries| entries.into_iter().map(|(name, _)| name).collect()))
    }

    /// [`holding`] for one of several names.
    pub fn holding<'t>(
        &self,
        project: &Project,
        targets: impl Iterator<Item = &'t Target>,
        name: &str,
    ) -> Vec<&'t Target> {
        let is_name = Path::new(name).file_name() == Some(OsStr::new(name));
        targets.filter(|target| is_name && self.may_hold(target) && project.is_dir(&target.skill_dir(name))).collect()
    }

    /// Whether a target's skills may be there. A file system may take other letters for the same name.
    pub fn may_hold(&self, target: &Target) -> bool {
        let (Some(names), Some(Component::Normal(first))) =
            (&self.0, Path::new(&target.skills_dir).components().next())
        else {
            return true;
        };
        !first.is_ascii() || names.iter().any(|name| name.eq_ignore_ascii_case(first))
    }
}

/// The names of all directories in the skills directories of some targets, valid or not, sorted, without duplicates.
pub fn directories<'t>(project: &Project, targets: impl Iterator<Item = &'t Target>) -> Vec<String> {
    let mut names: Vec<String> = targets.flat_map(|target| directories_in(project, &target.skills_dir)).collect();
    names.sort();
    names.dedup();
    names
}

/// The names of all directories in a skills directory, valid or not, sorted; none if it cannot be listed.
pub fn directories_in(project: &Project, skills_dir: &str) -> Vec<String> {
    listed(project, skills_dir).unwrap_or_default()
}

/// The names of all directories in a skills directory, valid or not, sorted; none if it is no directory of the project.
/// Errors: when it is one and cannot be listed.
pub fn listed(project: &Project, skills_dir: &str) -> io::Result<Vec<String>> {
    let (entries, dir) = match project.rooted(skills_dir).and_then(|dir| Ok((dir.list()?, dir))) {
        Ok(listed) => listed,
        Err(error)
            if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
                || rooted::refused(&error).is_some() =>
        {
            return Ok(Vec::new());
        }
        Err(error) => return Err(error),
    };
    // The listing tells directories; only links have to be resolved.
    let is_folder = |(name, kind): &(OsString, Kind)| match kind {
        Kind::Link => dir.join(name).is_dir(),
        kind => *kind == Kind::Dir,
    };
    let folders = entries.into_iter().filter(is_folder);
    let mut names: Vec<String> = folders.filter_map(|(name, _)| name.into_string().ok()).collect();
    names.sort();
    Ok(names)
}
