//! Computes what `validate --fix` changes.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::{super::check::Options, super::select::Selected, AfterFix, Remaining};
use crate::error::{Code, Error, Result};
use crate::project::Project;
use crate::report::Slashed;
use crate::rules::fix::{self, Edit, FixedSkill};
use crate::rules::{self, Subject};
use crate::skill::{Tree, printable};

pub(super) struct SkillFix {
    /// Relative to the project's root.
    pub(super) at: String,
    pub(super) target: Option<String>,
    pub(super) before: Tree,
    pub(super) fixed: FixedSkill,
    /// The skills inside it that are fixed with it: the path of each below the root, before and after.
    moved: Vec<(String, String)>,
}

impl SkillFix {
    /// The path after the fix.
    pub(super) fn to(&self) -> String {
        match self.at.rsplit_once('/') {
            Some((parent, _)) => format!("{parent}/{}", self.fixed.directory),
            None => self.fixed.directory.clone(),
        }
    }
}

#[derive(Default)]
pub(in crate::command::validate) struct Plan {
    pub(super) fixes: Vec<SkillFix>,
    pub(in crate::command::validate) remaining: Remaining,
    /// The unreadable skills, as the user would name them, and why.
    pub(super) unread: Vec<(String, String)>,
}

/// Fixes the skills in memory, each once, even if several paths lead to it.
pub(in crate::command::validate) fn plan<'p>(
    project: &Project,
    targets: &crate::client::target::Targets,
    options: Options<'_>,
    selected: impl IntoIterator<Item = &'p Selected>,
) -> Result<Plan> {
    let (mut known, mut promised) = (BTreeSet::new(), BTreeSet::new());
    let Plan { mut fixes, mut remaining, mut unread } = Plan::default();
    for skill in selected {
        let (dir, target) = (directory(project, skill), &skill.target);
        let at = inside(project, &dir, &skill.shown)?;
        if !known.insert(at.clone()) {
            continue;
        }
        let before = match crate::transaction::scan(project.roots(), &at) {
            Ok(Some(before)) => before,
            // A missing folder is a finding, with nothing to fix.
            Ok(None) => continue,
            Err(error) => {
                unread.push((skill.shown.clone(), error.message()));
                continue;
            }
        };
        let name = at.rsplit('/').next().unwrap_or(&at);
        let check = |name: &str, tree: &Tree| {
            let subject = Subject { directory: name, prefix: &skill.shown, tree, target: target.as_ref() };
            rules::check_for(&subject, &options.policy(skill))
        };
        let subject = fix::Subject {
            directory: name,
            tree: &before,
            taken: &|other| {
                let path = dir.with_file_name(other);
                promised.contains(&path) || project.reach(&path).is_ok_and(|path| path.exists())
            },
            judge: &|name, tree| check(name, tree).findings,
        };
        let fixed = fix::fix(&subject);
        if fixed.edits.is_empty() {
            continue;
        }
        let checked = check(&fixed.directory, &fixed.tree);
        remaining.insert(dir.clone(), AfterFix { name: fixed.directory.clone(), checked });
        promised.insert(dir.with_file_name(&fixed.directory));
        let owner = target.as_ref().or_else(|| targets.iter().find(|target| target.skill_dir(name) == at));
        let target = owner.map(|target| target.id.clone());
        fixes.push(SkillFix { at, target, before, fixed, moved: Vec::new() });
    }
    Ok(Plan { fixes: nested(fixes), remaining, unread })
}

/// Merges the fix of a skill inside another fixed skill into that one: a directory is replaced once.
fn nested(mut fixes: Vec<SkillFix>) -> Vec<SkillFix> {
    fixes.sort_by(|one, other| one.at.cmp(&other.at));
    let mut outer: Vec<SkillFix> = Vec::new();
    for inner in fixes {
        let inside = |outer: &SkillFix| Some(inner.at.strip_prefix(&outer.at)?.strip_prefix('/')?.to_owned());
        let Some((into, at)) = outer.iter_mut().find_map(|outer| inside(outer).map(|at| (outer, at))) else {
            outer.push(inner);
            continue;
        };
        let to = match at.rsplit_once('/') {
            Some((above, _)) => format!("{above}/{}", inner.fixed.directory),
            None => inner.fixed.directory.clone(),
        };
        let mut tree = Tree::new();
        let kept = into.fixed.tree.iter().filter(|(path, _)| !path.starts_with(&format!("{at}/")));
        kept.for_each(|(path, blob)| tree.put_blob(path, blob.clone()));
        inner.fixed.tree.iter().for_each(|(path, blob)| tree.put_blob(format!("{to}/{path}"), blob.clone()));
        into.fixed.tree = tree;
        let edits = inner.fixed.edits.into_iter();
        into.fixed.edits.extend(edits.map(|edit| Edit { file: format!("{to}/{}", edit.file), ..edit }));
        into.moved.push((inner.at, format!("{}/{to}", into.to())));
    }
    outer
}

/// The absolute path of a skill without links.
fn directory(project: &Project, skill: &Selected) -> PathBuf {
    project.reach(&skill.dir).and_then(|dir| dir.canonical()).unwrap_or_else(|_| skill.dir.clone())
}

/// The new name and path of a skill whose folder, or one above it, is renamed.
pub(super) fn moved(project: &Project, fixes: &[SkillFix], skill: &Selected) -> Option<(String, PathBuf)> {
    let dir = directory(project, skill);
    let at = project.relative(&dir)?;
    let now = renamed(fixes, &at)?;
    let path = project.path(&now);
    Some((shown_as(&skill.shown, &at, &now), path))
}

fn renamed(fixes: &[SkillFix], at: &str) -> Option<String> {
    let moves = fixes.iter().flat_map(|one| one.moved.iter().cloned().chain([(one.at.clone(), one.to())]));
    let mut moves: Vec<(String, String)> = moves.filter(|(from, to)| from != to).collect();
    moves.sort_by_key(|(from, _)| std::cmp::Reverse(from.len()));
    moves.into_iter().find_map(|(from, to)| {
        let rest = at.strip_prefix(&from)?;
        (rest.is_empty() || rest.starts_with('/')).then(|| format!("{to}{rest}"))
    })
}

/// The user's form of a path after its part below the root changed; both have the same number of components.
fn shown_as(shown: &str, from: &str, to: &str) -> String {
    let mut parts: Vec<&str> = shown.trim_end_matches('/').split('/').collect();
    for (part, (old, new)) in parts.iter_mut().rev().zip(from.rsplit('/').zip(to.rsplit('/'))) {
        if *part != old {
            break;
        }
        *part = new;
    }
    parts.join("/")
}

/// The path of a skill's folder below the root.
pub(in crate::command::validate) fn inside(project: &Project, dir: &Path, shown: &str) -> Result<String> {
    let outside = |why: &str| Error::new(Code::FixOutside, format!("{} {why}: nothing was fixed", printable(shown)));
    match project.relative(dir).as_deref() {
        Some("") => Err(outside("is the project's root itself")),
        Some(at) => Ok(at.to_owned()),
        None if dir.to_str().is_none() => Err(outside("has a path that is not UTF-8")),
        None => match project.roots().home() {
            Some(home) => Err(outside(&format!("is outside your home directory {}", home.slashed()))),
            None => Err(outside(&format!("is outside the project {}", project.root().slashed()))),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn work(at: &str, directory: &str, files: &[(&str, &str)]) -> SkillFix {
        let mut tree = Tree::new();
        files.iter().for_each(|(path, text)| tree.put(*path, *text));
        let edit = Edit {
            file: "SKILL.md".into(),
            rule: "S7".into(),
            what: "x".into(),
            before: "a".into(),
            after: "b".into(),
        };
        let fixed = FixedSkill { directory: directory.into(), tree: tree.clone(), edits: vec![edit] };
        SkillFix { at: at.into(), target: None, before: tree, fixed, moved: Vec::new() }
    }

    #[test]
    fn a_skill_inside_another_is_fixed_with_it() {
        let inner = work("s/Outer/sub/In_ner", "in-ner", &[("SKILL.md", "new")]);
        let outer = work("s/Outer", "outer", &[("SKILL.md", "o"), ("sub/In_ner/SKILL.md", "old"), ("sub/x", "x")]);
        let other = work("s/Outer2", "outer2", &[("SKILL.md", "2")]);
        let all = nested(vec![inner, outer, other]);
        assert_eq!(all.iter().map(|one| one.at.as_str()).collect::<Vec<_>>(), ["s/Outer", "s/Outer2"]);
        let whole = all.first().unwrap();
        let files: Vec<_> = whole.fixed.tree.iter().map(|(path, _)| path).collect();
        assert_eq!(files, ["SKILL.md", "sub/in-ner/SKILL.md", "sub/x"]);
        assert_eq!(whole.fixed.tree.text("sub/in-ner/SKILL.md"), Some("new"));
        assert_eq!(whole.fixed.edits.last().map(|edit| edit.file.as_str()), Some("sub/in-ner/SKILL.md"));
        assert_eq!(renamed(&all, "s/Outer/sub/In_ner").as_deref(), Some("s/outer/sub/in-ner"));
        assert_eq!(renamed(&all, "s/Outer/sub").as_deref(), Some("s/outer/sub"));
        assert_eq!(renamed(&all, "s/Outer3"), None);
    }

    #[test]
    fn a_place_keeps_the_users_way_of_naming_it() {
        assert_eq!(shown_as("Outer/Inner/", "s/Outer/Inner", "s/outer/inner"), "outer/inner");
        assert_eq!(shown_as("../s/Outer", "s/Outer", "s/outer"), "../s/outer");
        assert_eq!(shown_as(".", "s/Outer", "s/outer"), ".");
    }
}
