//! `validate`: the rules over one skill, many, or every installed one. Reads only.

mod text;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use walkdir::WalkDir;

use super::help::nearest;
use crate::change;
use crate::cli;
use crate::env::Env;
use crate::error::{Code, Error, Result};
use crate::finding::{Finding, Severity};
use crate::project::Project;
use crate::report::Report;
use crate::rules::{self, Subject};
use crate::target::{Target, Targets};
use crate::{config, disk};

/// How deep a tree is searched for skills.
const MAX_DEPTH: usize = 12;

/// A skill that was looked at.
struct Checked {
    name: String,
    path: String,
    findings: Vec<Finding>,
    valid: bool,
}

/// Runs `hefesto validate`.
///
/// # Errors
/// E-VALIDATE-001 where a name or path holds no skill.
pub(super) fn validate(env: &mut Env, project: &Project, args: &cli::Validate) -> Result<Report> {
    let settings = config::load(env, project)?;
    if let Some(id) = &args.cli {
        crate::detect::named(&settings.targets, std::slice::from_ref(id))?;
    }
    let mut places = Vec::new();
    if args.skills.is_empty() {
        for target in wanted(&settings.targets, args) {
            let names = disk::directories_in(project, &target.skills_dir);
            places.extend(names.iter().map(|name| (target.skill_dir(name), Some(target.clone()))));
        }
    }
    for given in &args.skills {
        let paths = if given == "-" { listed(env)? } else { vec![given.clone()] };
        for path in &paths {
            places.extend(named(env, project, &settings.targets, args, path)?);
        }
    }
    let mut checked = Vec::new();
    for (shown, target) in places {
        checked.push(check(env, project, &shown, target.as_ref(), args.strict));
    }
    Ok(text::report(env.style, &checked))
}

fn wanted<'t>(targets: &'t Targets, args: &cli::Validate) -> impl Iterator<Item = &'t Target> {
    let cli = args.cli.clone();
    targets.iter().filter(move |target| cli.as_ref().is_none_or(|id| target.id == *id))
}

/// The copies of a skill by name, or the one at a path.
fn named(
    env: &Env,
    project: &Project,
    targets: &Targets,
    args: &cli::Validate,
    given: &str,
) -> Result<Vec<(String, Option<Target>)>> {
    if !given.contains('/') && crate::skill::name::well_formed(given) {
        let copies = wanted(targets, args).filter(|target| project.path(&target.skill_dir(given)).is_dir());
        let copies: Vec<_> = copies.map(|target| (target.skill_dir(given), Some(target.clone()))).collect();
        if !copies.is_empty() {
            return Ok(copies);
        }
    }
    let path = env.cwd.join(given);
    let (dir, shown) = match path.file_name().and_then(|name| name.to_str()) {
        Some("SKILL.md") => (path.parent().map(Path::to_path_buf), parent_of(given)),
        _ => (Some(path.clone()), given.trim_end_matches('/').to_owned()),
    };
    if dir.is_some_and(|dir| dir.join("SKILL.md").exists()) {
        return Ok(vec![(shown, None)]);
    }
    let below = skills_below(&path, &shown);
    if !below.is_empty() {
        return Ok(below.into_iter().map(|shown| (shown, None)).collect());
    }
    let names = disk::installed(project, targets);
    let error = Error::new(
        Code::ValidateNotFound,
        format!("there is no skill {given:?}: no installed skill has that name and the path holds no SKILL.md"),
    );
    Err(match nearest(given, &names) {
        Some(near) => error.suggest(format!("Did you mean `hefesto validate {near}`?")),
        None => error,
    })
}

/// Every skill folder below a directory, as the user would name it, sorted. What belongs to version control or to
/// packages is not searched, and links are not followed.
fn skills_below(dir: &Path, shown: &str) -> Vec<String> {
    const SKIPPED: &[&str] = &[".git", ".hefesto", "node_modules", "target"];
    let skipped = |name: &OsStr| SKIPPED.iter().any(|skipped| name == *skipped);
    WalkDir::new(dir)
        .max_depth(MAX_DEPTH)
        .sort_by_file_name()
        .into_iter()
        .filter_entry(|entry| entry.depth() == 0 || !skipped(entry.file_name()))
        .flatten()
        .filter(|entry| entry.file_name() == "SKILL.md")
        .filter_map(|entry| {
            let below = entry.path().parent()?.strip_prefix(dir).ok()?.to_string_lossy().into_owned();
            Some(format!("{shown}/{below}"))
        })
        .collect()
}

/// The paths given on standard input, one per line.
fn listed(env: &mut Env) -> Result<Vec<String>> {
    let text = crate::door::read_stdin(env)?;
    Ok(text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect())
}

fn parent_of(given: &str) -> String {
    match given.rsplit_once('/') {
        Some((parent, _)) => parent.to_owned(),
        None => ".".to_owned(),
    }
}

fn check(env: &Env, project: &Project, shown: &str, target: Option<&Target>, strict: bool) -> Checked {
    let dir: PathBuf = if target.is_some() { project.path(shown) } else { env.cwd.join(shown) };
    let dir = dir.canonicalize().unwrap_or(dir);
    let name = dir.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let root = dir.parent().unwrap_or(Path::new("/"));
    // A folder that cannot be read as a skill is a finding about that skill; the others are checked all the same.
    let findings = match change::scan(root, &name) {
        Ok(tree) => {
            let tree = tree.unwrap_or_default();
            rules::check(&Subject { directory: &name, prefix: shown, tree: &tree, target })
        }
        Err(error) => rules::unreadable(shown, &error.message()),
    };
    let valid = !findings
        .iter()
        .any(|finding| finding.severity == Severity::Error || (strict && finding.severity == Severity::Warning));
    Checked { name, path: shown.to_owned(), findings, valid }
}
