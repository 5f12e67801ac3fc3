//! `validate`: the rules over one skill, many, or every installed one. Only `--fix` writes.

pub(super) mod check;
mod fit;
mod fix;
mod render;
mod sarif;
pub(super) mod select;
mod text;

use std::collections::BTreeSet;

use clap::ValueEnum;
use serde_json::Value;

use crate::cli::{self, Format};
use crate::config::{self, Settings};
use crate::error::{Code, Error, Exit, Result};
use crate::project::Project;
use crate::project::copies::{self, Known};
use crate::report::{Form, Report};
use crate::rules::{Profile, Surroundings};
use crate::system::env::Env;

use check::{Checked, Options};
use render::{SkillGroup, Summary};
use select::{Selected, Selector};

/// Runs `hefesto validate`. Errors: E-VALIDATE-001 if a name or path has no skill; with `--fix` E-VALIDATE-002 if one
/// is outside the project, and those of the gate and of the transaction.
pub(super) fn validate(env: &mut Env, project: &Project, args: &cli::Validate, yes: bool) -> Result<Report> {
    let format = format(env, args)?;
    let settings = config::load(env, project)?;
    for refused in &settings.refused {
        env.warn(Code::RuleNotWeighed, refused.clone());
    }
    let profile = args.profile.as_deref().and_then(Profile::named).unwrap_or_default();
    let mut selected = Selector::new(env, project, &settings.targets, args.cli.as_deref())?.of(env, &args.skills)?;
    if let Profile::Client(client) = profile {
        for skill in selected.iter_mut().filter(|skill| skill.target.is_none()) {
            skill.target = settings.targets.get(client.id).cloned();
        }
    }
    let remarks = env.volume > 0 || format == Format::Sarif;
    let quotes = (format != Format::Json).then_some(remarks);
    let exists = |path: &str| project.exists(path);
    let around = surroundings(project, &exists);
    let (severities, strict) = (&settings.severities, args.strict);
    let options = Options { profile, severities, strict, keep: args.fit, quotes, project: around.as_ref() };
    let mut fixed = fix::Fixed::default();
    if args.fix {
        fixed = fix::fix(env, project, &settings, options, &mut selected, (args.dry_run, yes && !args.dry_run))?;
    }
    let checked = check::check_all(env, options, &selected)?;
    note_drift(env, project, &settings, &selected);
    if fixed.planned {
        // The errors that remain decide the exit code.
        fixed.text.push_str(&fix::remaining_text(&fixed.remaining, env.style, args.strict, &checked));
        fixed.data.insert("left".into(), fix::remaining_json(&fixed.remaining, options, &checked));
    }
    let groups = match format {
        Format::Json | Format::Sarif => Vec::new(),
        Format::Text => render::merge_copies(&checked),
        Format::Github => render::each_copy(&checked),
    };
    let mut summary = match format {
        Format::Json | Format::Sarif => Summary::of(profile, &checked),
        Format::Text | Format::Github => Summary::shown(profile, &checked, &groups),
    };
    summary.strict = args.strict;
    summary.here = args.skills.is_empty() && project.reach(&env.cwd.join("SKILL.md")).is_ok_and(|file| file.is_file());
    let hint = (format == Format::Text && !args.fix && env.volume >= 0).then(|| {
        let remaining = fix::predict(project, &settings.targets, options, &selected, &checked, &groups);
        hint(env.volume > 0, &groups, &remaining)
    });
    let fits = args.fit.then(|| fit::fits(env, project, &settings.targets, profile, &selected, &checked));
    let mut report = answer(env, project, format, (&checked, &groups, &summary), fixed);
    report.hint = hint.flatten();
    if let Some((data, text)) = fits {
        report.data["fit"] = data;
        if format == Format::Text {
            report.text.push_str(&text);
        }
    }
    Ok(report)
}

/// The project's files and commands that a body can name; none for the user's own skills, which are in no project.
fn surroundings<'p>(project: &Project, exists: &'p (dyn Fn(&str) -> bool + Sync)) -> Option<Surroundings<'p>> {
    let text = |name: &&str| project.head(name, 1 << 20).ok().and_then(|bytes| String::from_utf8(bytes).ok());
    let makefile = ["GNUmakefile", "makefile", "Makefile"].iter().find_map(text);
    let package = text(&"package.json");
    (!project.is_user()).then(|| Surroundings::of(makefile.as_deref(), package.as_deref(), exists))
}

/// The most skills that are named as drifted.
const DRIFTED: usize = 5;

/// The requested format. `--format json` is `--json`.
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
        None if env.json => Ok(Format::Json),
        None => Ok(Format::Text),
    }
}

/// The hint after the findings: how to look up a rule, and how many findings `--fix` resolves.
fn hint(remarks: bool, groups: &[SkillGroup<'_>], remaining: &fix::Remaining) -> Option<String> {
    let shown = groups.iter().flat_map(|one| &one.findings).filter(|one| remarks || !one.is_remark());
    let rule = &shown.map(|one| one.finding).min_by_key(|finding| finding.severity)?.rule;
    let fix = match fix::resolved(remaining, groups, remarks) {
        (0, _) => String::new(),
        (1, 1) => "; `--fix` fixes it".to_owned(),
        (fixed, all) if fixed == all => format!("; `--fix` fixes all {all}"),
        (fixed, all) => format!("; `--fix` fixes {fixed} of {all}"),
    };
    Some(format!("More about a rule: `hefesto explain {rule}`{fix}."))
}

fn answer(
    env: &mut Env,
    project: &Project,
    format: Format,
    (checked, groups, summary): (&[Checked], &[SkillGroup<'_>], &Summary),
    fixed: fix::Fixed,
) -> Report {
    let exit = match summary.invalid {
        _ if fixed.pending => Exit::FinishPending,
        0 if !fixed.unread => Exit::Done,
        _ => Exit::Refused,
    };
    let root = || {
        project.roots().opened_root().map_or_else(|_| project.root().to_path_buf(), |root| root.path().to_path_buf())
    };
    let text = match format {
        Format::Json => String::new(),
        Format::Text if fixed.planned => fixed.text,
        Format::Text => fixed.text + &text::text(env.style, env.volume, groups, summary),
        Format::Sarif => sarif::log(&root(), checked, exit),
        Format::Github => {
            env.tell(&summary.line(env.volume > 0));
            sarif::annotations(&root(), groups, env.volume > 0)
        }
    };
    let data = if format == Format::Json { render::data(checked, summary, fixed.data) } else { Value::Null };
    let form = if format == Format::Sarif { Form::Json } else { Form::Text };
    Report::done(data, text).form(form).exit(exit)
}

/// One warning for each skill with a copy that was edited or is behind another.
fn note_drift(env: &mut Env, project: &Project, settings: &Settings, selected: &[Selected]) {
    let name = |skill: &Selected| Some(skill.dir.file_name()?.to_str()?.to_owned());
    let installed = selected.iter().filter(|skill| skill.target.is_some());
    let names: BTreeSet<String> = installed.filter_map(name).collect();
    let Some(registry) = select::registered(project).filter(|_| !names.is_empty()) else { return };
    let known = Known::glance(project, Some(&registry));
    let skills = copies::gather(project, &settings.targets, &known, &names.into_iter().collect::<Vec<_>>());
    let drift = copies::drift(&skills, project.roots(), &settings.severities);
    let mut seen = BTreeSet::new();
    let shown: Vec<&crate::registry::Drift> = drift.iter().filter(|one| seen.insert(&one.skill)).collect();
    for one in shown.iter().take(DRIFTED) {
        env.warn(Code::Drift, format!("{} {}", one.what, one.action));
    }
    if shown.len() > DRIFTED {
        let more = crate::terminal::ui::count(shown.len() - DRIFTED, "more skill");
        let said = format!("{more} with copies that are not what was installed; `hefesto status` names them.");
        env.warn(Code::Drift, said);
    }
}
