//! `validate`: the rules over one skill, many, or every installed one. Only `--fix` writes.

mod data;
mod fix;
mod github;
mod sarif;
mod text;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use walkdir::WalkDir;

use super::help::nearest;
use crate::change;
use crate::cli::{self, Format};
use crate::env::Env;
use crate::error::{Code, Error, Exit, Result};
use crate::finding::{Finding, Severity};
use crate::project::Project;
use crate::report::Report;
use crate::rules::{self, Quote, Subject};
use crate::skill::Tree;
use crate::target::{Target, Targets};
use crate::{config, disk};

/// How deep a tree is searched for skills.
const MAX_DEPTH: usize = 12;

/// Where a skill lies, as the user would name it, and the client it is installed for.
type Place = (String, Option<Target>);

/// A skill that was looked at.
struct Checked {
    name: String,
    /// The folder as the user named it; findings name files below it.
    path: String,
    /// The folder, absolute and without links.
    dir: PathBuf,
    /// [`Tree::digest`] of its files, by which copies are known; `None` where they could not be read.
    digest: Option<String>,
    findings: Vec<Finding>,
    /// The line of each finding that is to be quoted.
    quotes: Vec<Option<Quote>>,
    valid: bool,
}

impl Checked {
    /// The path of a finding's file inside the skill.
    fn inside<'f>(&self, finding: &'f Finding) -> &'f str {
        let path = finding.file.strip_prefix(self.path.trim_end_matches('/')).unwrap_or(&finding.file);
        path.trim_start_matches('/')
    }

    /// A finding's file relative to the project's root where it lies there, else absolute.
    fn file(&self, root: &Path, finding: &Finding) -> String {
        let file = self.dir.join(self.inside(finding));
        file.strip_prefix(root).unwrap_or(&file).to_string_lossy().trim_end_matches('/').to_owned()
    }
}

/// Runs `hefesto validate`.
///
/// # Errors
/// E-VALIDATE-001 where a name or path holds no skill; with `--fix` E-VALIDATE-002 where one lies outside the project,
/// and those of the gate and of the transaction.
pub(super) fn validate(env: &mut Env, project: &Project, args: &cli::Validate, yes: bool) -> Result<Report> {
    let format = format(env, args)?;
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
    let mut fixed = fix::Fixed::default();
    if args.fix {
        fixed = fix::fix(env, project, &settings, args, &mut places, yes)?;
    }
    let mut checked = Vec::new();
    for (shown, target) in places {
        checked.push(check(env, project, &shown, target.as_ref(), args));
    }
    Ok(answer(env, project, format, &checked, fixed))
}

/// The format that was asked for. `--format json` is `--json`.
fn format(env: &mut Env, args: &cli::Validate) -> Result<Format> {
    match args.format {
        Some(Format::Json) => {
            env.json = true;
            env.style.colour = false;
            Ok(Format::Json)
        }
        Some(other) if env.json => {
            let word = other.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default();
            Err(Error::new(Code::Usage, format!("`--json` and `--format {word}` are two formats for one answer"))
                .suggest("Leave one of them out."))
        }
        Some(other) => Ok(other),
        None => Ok(Format::Text),
    }
}

fn answer(env: &mut Env, project: &Project, format: Format, checked: &[Checked], fixed: fix::Fixed) -> Report {
    let summary = data::Summary::of(checked);
    let exit = match summary.invalid {
        _ if fixed.pending => Exit::FinishPending,
        0 => Exit::Done,
        _ => Exit::Refused,
    };
    let root = project.root().canonicalize().unwrap_or_else(|_| project.root().to_path_buf());
    let text = match format {
        Format::Json => String::new(),
        Format::Text if fixed.planned => fixed.text,
        Format::Text => fixed.text + &text::text(env.style, env.volume, checked, &summary),
        Format::Sarif => sarif::log(&root, checked, exit),
        Format::Github => {
            env.tell(&summary.line(env.volume > 0));
            github::annotations(&root, checked, env.volume > 0)
        }
    };
    Report::done(data::data(checked, &summary, fixed.data), text).exit(exit)
}

fn wanted<'t>(targets: &'t Targets, args: &cli::Validate) -> impl Iterator<Item = &'t Target> {
    let cli = args.cli.clone();
    targets.iter().filter(move |target| cli.as_ref().is_none_or(|id| target.id == *id))
}

/// The copies of a skill by name, or the one at a path.
fn named(env: &Env, project: &Project, targets: &Targets, args: &cli::Validate, given: &str) -> Result<Vec<Place>> {
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

/// Where a skill lies, absolute and without links.
fn directory(env: &Env, project: &Project, shown: &str, target: Option<&Target>) -> PathBuf {
    let dir = if target.is_some() { project.path(shown) } else { env.cwd.join(shown) };
    dir.canonicalize().unwrap_or(dir)
}

fn check(env: &Env, project: &Project, shown: &str, target: Option<&Target>, args: &cli::Validate) -> Checked {
    let dir = directory(env, project, shown, target);
    let name = dir.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let root = dir.parent().unwrap_or(Path::new("/"));
    // A folder that cannot be read as a skill is a finding about that skill; the others are checked all the same.
    let scanned = change::scan(root, &name).map(Option::unwrap_or_default);
    let findings = match &scanned {
        Ok(tree) => judge(shown, &name, tree, target),
        Err(error) => rules::unreadable(shown, &error.message()),
    };
    let failing = |finding: &Finding| {
        finding.severity == Severity::Error || (args.strict && finding.severity == Severity::Warning)
    };
    let quotes = match (&scanned, args.format) {
        (Ok(tree), None | Some(Format::Text | Format::Sarif | Format::Github)) if !env.json => {
            let remarks = env.volume > 0 || args.format == Some(Format::Sarif);
            rules::quotes(shown, tree, &findings, remarks)
        }
        _ => vec![None; findings.len()],
    };
    let valid = !findings.iter().any(failing);
    let digest = scanned.ok().map(|tree| tree.digest());
    Checked { name, path: shown.to_owned(), dir, digest, findings, quotes, valid }
}

/// The findings about a skill under the rules in force.
fn judge(shown: &str, name: &str, tree: &Tree, target: Option<&Target>) -> Vec<Finding> {
    rules::check(&Subject { directory: name, prefix: shown, tree, target })
}
