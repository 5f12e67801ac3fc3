//! `validate --fix`: what is certainly wrong is mended, shown as a difference, consented to and written with a backup.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Map, Value, json};

use super::remaining::{self, Left, Remains};
use super::render;
use super::select::Place;
use super::work::{Ask, Checked};
use crate::client::target::Targets;
use crate::config::Settings;
use crate::error::{Code, Error, Result, Warning};
use crate::project::Project;
use crate::project::open;
use crate::registry::Op;
use crate::rules::fix::{self, Edit, FixedSkill};
use crate::rules::{self, Subject};
use crate::skill::diff::Diff;
use crate::skill::{Name, Tree, printable};
use crate::system::env::Env;
use crate::terminal::ui::{self, Style};
use crate::transaction;
use crate::transaction::consent;
use crate::transaction::operation::{self, Deed, Step};

/// The most lines of one file's difference on the screen.
const MOST: usize = 60;

#[derive(Default)]
pub(super) struct Fixed {
    /// What it adds to the `data` of the answer.
    pub(super) data: Map<String, Value>,
    /// What stands before the findings that are left.
    pub(super) text: String,
    /// Whether it is what would be done, by `--dry-run`, and all of the text.
    pub(super) planned: bool,
    /// What would still be found in each folder that would be mended.
    left: Left,
    /// Whether the finishing of a run was cut short.
    pub(super) pending: bool,
    /// Whether a skill could not be read and was therefore not looked into.
    pub(super) unread: bool,
}

impl Fixed {
    /// Adds what would be found after a mending that is only planned, every skill under the path it has now.
    pub(super) fn list_left(&mut self, ask: Ask<'_>, checked: &[Checked]) {
        self.data.insert("left".into(), remaining::listed(&self.left, ask, checked));
    }

    /// Says which errors a mending that is only planned would leave, skill by skill: they are why it ends as it does.
    pub(super) fn tell_left(&mut self, style: Style, strict: bool, checked: &[Checked]) {
        self.text.push_str(&remaining::told(&self.left, style, strict, checked));
    }
}

/// A skill with something to mend.
pub(super) struct Work {
    /// Relative to the project's root.
    at: String,
    target: Option<String>,
    before: Tree,
    mended: FixedSkill,
    /// The skills inside it that are mended with it: where each was and where it is afterwards, below the root.
    moved: Vec<(String, String)>,
}

impl Work {
    /// Where the skill lies afterwards.
    fn to(&self) -> String {
        match self.at.rsplit_once('/') {
            Some((parent, _)) => format!("{parent}/{}", self.mended.directory),
            None => self.mended.directory.clone(),
        }
    }
}

/// Mends the skills at these places; a place whose folder is renamed is the new one afterwards. With `--dry-run` nothing
/// is written and nobody is asked.
///
/// # Errors
/// E-VALIDATE-002 for a skill that the project's transaction does not reach, and those of [`consent::ask`] and
/// [`operation::carry_out`]. Skills mended by an earlier run of the same command stay mended.
pub(super) fn fix(
    env: &mut Env,
    project: &Project,
    settings: &Settings,
    ask: Ask<'_>,
    places: &mut [Place],
    dry_run: bool,
    yes: bool,
) -> Result<Fixed> {
    let initialised = !open::enter(env, project)?.is_new();
    let Found { work, left, unread } = work(project, &settings.targets, ask, &*places)?;
    for (shown, why) in &unread {
        let message = format!("{} cannot be read and is not mended: {}", printable(shown), printable(why));
        env.note(Warning::new(Code::Io, message));
    }
    let before = super::work::check_all(env, ask, places)?;
    let resolved = remaining::resolved(&left, &render::of_copies(&before), env.volume > 0);
    // Where nothing would be done, the findings themselves are the answer.
    let unread = !unread.is_empty();
    let mut fixed = Fixed { planned: dry_run && !work.is_empty(), left, unread, ..Fixed::default() };
    fixed.data.insert("fixed".into(), work.iter().flat_map(entries).collect());
    if dry_run {
        fixed.data.insert("dry_run".into(), true.into());
    }
    if work.is_empty() {
        env.tell("Nothing to fix: no finding has a fix that is certain to be right.");
        return Ok(fixed);
    }
    let changes = ui::count(work.iter().map(|one| one.mended.edits.len()).sum(), "change");
    let preview = preview(env.style, &work);
    if dry_run {
        fixed.text = format!("{preview}\n{changes} planned{}; nothing was written.\n", share(resolved, "to fix "));
        return Ok(fixed);
    }
    let limit = Duration::from_secs(settings.gate_timeout.value.into());
    let consent = consent::ask(env, &preview, yes, limit)?;
    let after_moves: Vec<_> = places.iter().map(|place| moved(project, &work, place)).collect();
    let mut runs = Vec::new();
    for deed in deeds(env, &work, initialised) {
        let done = operation::carry_out(env, project, &consent, &deed).map_err(|error| after(error, &runs))?;
        fixed.pending |= done.pending;
        runs.push(done.run);
    }
    for (place, now) in places.iter_mut().zip(after_moves) {
        if let Some((shown, dir)) = now {
            (place.shown, place.dir) = (shown, dir);
        }
    }
    fixed.text = format!("{} {changes} made{}.\n", env.style.tick(), share(resolved, "; fixed "));
    for run in &runs {
        fixed.text.push_str(&env.spelled(format!("  To undo: hefesto undo {run}\n")));
    }
    fixed.text.push('\n');
    fixed.data.insert("fix_runs".into(), json!(runs));
    Ok(fixed)
}

/// What there is to mend.
#[derive(Default)]
pub(super) struct Found {
    work: Vec<Work>,
    pub(super) left: Left,
    /// The skills that cannot be read, as the user calls them, and why.
    unread: Vec<(String, String)>,
}

/// How many of the findings are fixed, in the unit that [`super::hint`] announces; nothing where none was shown.
fn share((fixed, all): (usize, usize), lead: &str) -> String {
    if fixed == 0 { String::new() } else { format!("{lead}{fixed} of {}", ui::count(all, "finding")) }
}

/// The skills with something to mend, each once, however many names lead to it; and what is left in each of them.
pub(super) fn work<'p>(
    project: &Project,
    targets: &Targets,
    ask: Ask<'_>,
    places: impl IntoIterator<Item = &'p Place>,
) -> Result<Found> {
    let (mut known, mut promised) = (BTreeSet::new(), BTreeSet::new());
    let Found { mut work, mut left, mut unread } = Found::default();
    for place in places {
        let (dir, target) = (directory(project, place), &place.target);
        let at = inside(project, &dir, &place.shown)?;
        if !known.insert(at.clone()) {
            continue;
        }
        let before = match transaction::scan(project.ground(), &at) {
            Ok(Some(before)) => before,
            // That nothing lies there is a finding, and nothing to mend.
            Ok(None) => continue,
            Err(error) => {
                unread.push((place.shown.clone(), error.message()));
                continue;
            }
        };
        let name = at.rsplit('/').next().unwrap_or(&at);
        let judge = |name: &str, tree: &Tree| {
            let subject = Subject { directory: name, prefix: &place.shown, tree, target: target.as_ref() };
            rules::check_for(&subject, &ask.policy(place))
        };
        let subject = fix::Subject {
            directory: name,
            tree: &before,
            taken: &|other| {
                let path = dir.with_file_name(other);
                promised.contains(&path) || project.reach(&path).is_ok_and(|path| path.exists())
            },
            judge: &|name, tree| judge(name, tree).findings,
        };
        let mended = fix::fix(&subject);
        if mended.edits.is_empty() {
            continue;
        }
        let checked = judge(&mended.directory, &mended.tree);
        left.insert(dir.clone(), Remains { name: mended.directory.clone(), checked });
        promised.insert(dir.with_file_name(&mended.directory));
        let owner = target.as_ref().or_else(|| targets.iter().find(|target| target.skill_dir(name) == at));
        let target = owner.map(|target| target.id.clone());
        work.push(Work { at, target, before, mended, moved: Vec::new() });
    }
    Ok(Found { work: nested(work), left, unread })
}

/// A skill inside another one that is mended too becomes a part of that one: a directory is replaced once.
fn nested(mut work: Vec<Work>) -> Vec<Work> {
    work.sort_by(|one, other| one.at.cmp(&other.at));
    let mut outer: Vec<Work> = Vec::new();
    for inner in work {
        let inside = |outer: &Work| Some(inner.at.strip_prefix(&outer.at)?.strip_prefix('/')?.to_owned());
        let Some((into, at)) = outer.iter_mut().find_map(|outer| inside(outer).map(|at| (outer, at))) else {
            outer.push(inner);
            continue;
        };
        let to = match at.rsplit_once('/') {
            Some((above, _)) => format!("{above}/{}", inner.mended.directory),
            None => inner.mended.directory.clone(),
        };
        let mut tree = Tree::new();
        let kept = into.mended.tree.iter().filter(|(path, _)| !path.starts_with(&format!("{at}/")));
        kept.for_each(|(path, blob)| tree.put_blob(path, blob.clone()));
        inner.mended.tree.iter().for_each(|(path, blob)| tree.put_blob(format!("{to}/{path}"), blob.clone()));
        into.mended.tree = tree;
        let edits = inner.mended.edits.into_iter();
        into.mended.edits.extend(edits.map(|mend| Edit { file: format!("{to}/{}", mend.file), ..mend }));
        into.moved.push((inner.at, format!("{}/{to}", into.to())));
    }
    outer
}

/// Where a skill lies, absolute and without links.
fn directory(project: &Project, place: &Place) -> PathBuf {
    project.reach(&place.dir).and_then(|dir| dir.canonical()).unwrap_or_else(|_| place.dir.clone())
}

/// What the user will call a place and where it is, where its folder or one on the way to it is renamed.
fn moved(project: &Project, work: &[Work], place: &Place) -> Option<(String, PathBuf)> {
    let dir = directory(project, place);
    let at = project.relative(&dir)?;
    let now = renamed(work, &at)?;
    let path = project.path(&now);
    Some((shown_as(&place.shown, &at, &now), path))
}

/// Where a place lies after the folders on its way were renamed.
fn renamed(work: &[Work], at: &str) -> Option<String> {
    let moves = work.iter().flat_map(|one| one.moved.iter().cloned().chain([(one.at.clone(), one.to())]));
    let mut moves: Vec<(String, String)> = moves.filter(|(from, to)| from != to).collect();
    moves.sort_by_key(|(from, _)| std::cmp::Reverse(from.len()));
    moves.into_iter().find_map(|(from, to)| {
        let rest = at.strip_prefix(&from)?;
        (rest.is_empty() || rest.starts_with('/')).then(|| format!("{to}{rest}"))
    })
}

/// The user's name for a place whose path below the root became another one of as many components.
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
pub(super) fn inside(project: &Project, dir: &Path, shown: &str) -> Result<String> {
    let outside = |why: &str| Error::new(Code::FixOutside, format!("{} {why}: nothing was mended", printable(shown)));
    match project.relative(dir).as_deref() {
        Some("") => Err(outside("is the project's root itself")),
        Some(at) => Ok(at.to_owned()),
        None if dir.to_str().is_none() => Err(outside("has a path that is not UTF-8")),
        None => match project.ground().home() {
            Some(home) => Err(outside(&format!("lies outside your home directory {}", home.display()))),
            None => Err(outside(&format!("lies outside the project {}", project.root().display()))),
        },
    }
}

/// One deed for all the copies of a skill, so that they change together and are taken back together.
fn deeds(env: &Env, work: &[Work], initialised: bool) -> Vec<Deed> {
    let mut deeds: BTreeMap<String, Deed> = BTreeMap::new();
    for one in work {
        let name = &one.mended.directory;
        let named = Name::parse(name).is_ok();
        let called = operation::called(name);
        let deed = deeds.entry(called.clone()).or_insert_with(|| Deed {
            command: "validate --fix",
            name: called,
            steps: Vec::new(),
            files: Vec::new(),
            ops: Vec::new(),
            keep_backup: true,
            empty: Vec::new(),
        });
        let (target, to) = (one.target.clone().unwrap_or_default(), one.to());
        let (before, after) = (Some(one.before.clone()), Some(one.mended.tree.clone()));
        if to == one.at {
            deed.steps.push(Step { target, at: to, before, after });
        } else {
            deed.steps.push(Step { target: target.clone(), at: one.at.clone(), before, after: None });
            deed.steps.push(Step { target, at: to, before: None, after });
        }
        if let (Some(id), true, true) = (&one.target, initialised, named) {
            match deed.ops.first_mut() {
                Some(Op::UpsertSkill { clis, .. }) => clis.push(id.clone()),
                _ => deed.ops.push(Op::UpsertSkill { name: name.clone(), clis: vec![id.clone()], at: env.stamp() }),
            }
        }
    }
    deeds.into_values().collect()
}

/// An error of a later run says what the earlier ones have done.
fn after(error: Error, runs: &[String]) -> Error {
    if runs.is_empty() {
        return error;
    }
    let told = format!("{}; mended before that: {}", error.message(), ui::count(runs.len(), "skill"));
    Error::new(error.code(), told).exit(error.exit_with()).suggest(error.suggestion())
}

fn preview(style: Style, work: &[Work]) -> String {
    let mut text = format!("{}\n", style.rule("validate --fix"));
    for (index, one) in work.iter().enumerate() {
        let to = one.to();
        let moved = if to == one.at { String::new() } else { format!(" -> {}/", style.path(&printable(&to))) };
        text.push_str(&format!("{}/{moved}\n", style.path(&printable(&one.at))));
        let same = |other: &&Work| other.before == one.before && other.mended == one.mended;
        if let Some(copy) = work.get(..index).unwrap_or_default().iter().find(same) {
            text.push_str(&format!("  the same as in {}/\n", style.path(&printable(&copy.at))));
            continue;
        }
        for mend in &one.mended.edits {
            let line = format!("  {} [{}] {}", printable(&mend.file), mend.rule, printable(&mend.what));
            text.push_str(&format!("{}\n", style.fold(&line, 2)));
        }
        for (file, before, after) in differences(one) {
            text.push_str(&format!("{}\n", style.head(&format!("--- {}", printable(file)))));
            text.push_str(&ui::diff(style, &before, &after, MOST));
        }
    }
    text
}

/// What the files of a skill say before and after, as far as that differs, without what must not be shown.
fn differences(work: &Work) -> Vec<(&str, String, String)> {
    let mut files: BTreeMap<&str, (&str, &str)> = BTreeMap::new();
    for mend in &work.mended.edits {
        let last = files.entry(&mend.file).or_insert((&mend.before, &mend.before));
        if !mend.after.is_empty() {
            last.1 = &mend.after;
        }
    }
    let changed = files.into_iter().filter(|(_, (before, after))| before != after);
    changed.map(|(file, (before, after))| (file, rules::masked(before), rules::masked(after))).collect()
}

/// What was mended, for the answer: files by their paths below the root, afterwards.
fn entries(work: &Work) -> Vec<Value> {
    let to = work.to();
    let entry = |mend: &Edit| {
        let diff = Diff::between(&rules::masked(&mend.before), &rules::masked(&mend.after)).text();
        json!({ "path": format!("{to}/{}", mend.file), "rule": mend.rule, "what": mend.what, "diff": diff })
    };
    work.mended.edits.iter().map(entry).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn work(at: &str, directory: &str, files: &[(&str, &str)]) -> Work {
        let mut tree = Tree::new();
        files.iter().for_each(|(path, text)| tree.put(*path, *text));
        let mend = Edit {
            file: "SKILL.md".into(),
            rule: "S7".into(),
            what: "x".into(),
            before: "a".into(),
            after: "b".into(),
        };
        let mended = FixedSkill { directory: directory.into(), tree: tree.clone(), edits: vec![mend] };
        Work { at: at.into(), target: None, before: tree, mended, moved: Vec::new() }
    }

    #[test]
    fn a_skill_inside_another_is_mended_with_it() {
        let inner = work("s/Outer/sub/In_ner", "in-ner", &[("SKILL.md", "new")]);
        let outer = work("s/Outer", "outer", &[("SKILL.md", "o"), ("sub/In_ner/SKILL.md", "old"), ("sub/x", "x")]);
        let other = work("s/Outer2", "outer2", &[("SKILL.md", "2")]);
        let all = nested(vec![inner, outer, other]);
        assert_eq!(all.iter().map(|one| one.at.as_str()).collect::<Vec<_>>(), ["s/Outer", "s/Outer2"]);
        let whole = all.first().unwrap();
        let files: Vec<_> = whole.mended.tree.iter().map(|(path, _)| path).collect();
        assert_eq!(files, ["SKILL.md", "sub/in-ner/SKILL.md", "sub/x"]);
        assert_eq!(whole.mended.tree.text("sub/in-ner/SKILL.md"), Some("new"));
        assert_eq!(whole.mended.edits.last().map(|mend| mend.file.as_str()), Some("sub/in-ner/SKILL.md"));
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
