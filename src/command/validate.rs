//! `validate`: the rules over one skill, many, or every installed one. Only `--fix` writes.

mod data;
mod fit;
mod fix;
mod github;
mod remaining;
mod render;
mod sarif;
pub(super) mod select;
mod text;
pub(super) mod work;

use clap::ValueEnum;
use serde_json::Value;

use crate::cli::{self, Format};
use crate::config;
use crate::error::{Code, Error, Exit, Result, Warning};
use crate::project::Project;
use crate::report::{Form, Report};
use crate::rules::Profile;
use crate::system::env::Env;

use data::Summary;
use remaining::Left;
use render::Told;
use select::Places;
use work::{Ask, Checked};

/// Runs `hefesto validate`.
///
/// # Errors
/// E-VALIDATE-001 where a name or path holds no skill; with `--fix` E-VALIDATE-002 where one lies outside the project,
/// and those of the gate and of the transaction.
pub(super) fn validate(env: &mut Env, project: &Project, args: &cli::Validate, yes: bool) -> Result<Report> {
    let format = format(env, args)?;
    let settings = config::load(env, project)?;
    for refused in &settings.refused {
        env.note(Warning::new(Code::RuleNotWeighed, refused.clone()));
    }
    let profile = args.profile.as_deref().and_then(Profile::named).unwrap_or_default();
    let mut places = Places::new(env, project, &settings.targets, args.cli.as_deref())?.of(env, &args.skills)?;
    if let Profile::Client(client) = profile {
        for place in places.iter_mut().filter(|place| place.target.is_none()) {
            place.target = settings.targets.get(client.id).cloned();
        }
    }
    let remarks = env.volume > 0 || format == Format::Sarif;
    let quotes = (format != Format::Json).then_some(remarks);
    let ask = Ask { profile, severities: &settings.severities, strict: args.strict, keep: args.fit, quotes };
    let mut fixed = fix::Fixed::default();
    if args.fix {
        fixed = fix::fix(env, project, &settings, ask, &mut places, args.dry_run, yes)?;
    }
    let checked = work::check_all(env, ask, &places)?;
    if fixed.planned {
        fixed.tell_left(env.style, args.strict, &checked);
        fixed.list_left(ask, &checked);
    }
    let told = match format {
        Format::Json | Format::Sarif => Vec::new(),
        Format::Text => render::of_copies(&checked),
        Format::Github => render::of_each(&checked),
    };
    let mut summary = match format {
        Format::Json | Format::Sarif => Summary::of(profile, &checked),
        Format::Text | Format::Github => Summary::told(profile, &checked, &told),
    };
    summary.strict = args.strict;
    summary.here = args.skills.is_empty() && project.reach(&env.cwd.join("SKILL.md")).is_ok_and(|file| file.is_file());
    let hint = (format == Format::Text && !args.fix && env.volume >= 0).then(|| {
        let left = remaining::left(project, &settings.targets, ask, &places, &checked, &told);
        hint(env.volume > 0, &told, &left)
    });
    let fits = args.fit.then(|| fit::fits(env, project, &settings.targets, profile, &places, &checked));
    let mut report = answer(env, project, format, &checked, &told, &summary, fixed);
    report.hint = hint.flatten();
    if let Some((data, text)) = fits {
        report.data["fit"] = data;
        if format == Format::Text {
            report.text.push_str(&text);
        }
    }
    Ok(report)
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
        None if env.json => Ok(Format::Json),
        None => Ok(Format::Text),
    }
}

/// What a person may do about the findings: read about a rule, or have some of them fixed.
fn hint(remarks: bool, told: &[Told<'_>], left: &Left) -> Option<String> {
    let shown = told.iter().flat_map(|one| &one.said).filter(|said| remarks || !said.is_remark());
    let rule = &shown.map(|said| said.finding).min_by_key(|finding| finding.severity)?.rule;
    let fix = match remaining::resolved(left, told, remarks) {
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
    checked: &[Checked],
    told: &[Told<'_>],
    summary: &Summary,
    fixed: fix::Fixed,
) -> Report {
    let exit = match summary.invalid {
        _ if fixed.pending => Exit::FinishPending,
        0 if !fixed.unread => Exit::Done,
        _ => Exit::Refused,
    };
    let root = || {
        project.ground().top().map_or_else(|_| project.root().to_path_buf(), |root| root.root().path().to_path_buf())
    };
    let text = match format {
        Format::Json => String::new(),
        Format::Text if fixed.planned => fixed.text,
        Format::Text => fixed.text + &text::text(env.style, env.volume, told, summary),
        Format::Sarif => sarif::log(&root(), checked, exit),
        Format::Github => {
            env.tell(&summary.line(env.volume > 0));
            github::annotations(&root(), told, env.volume > 0)
        }
    };
    let data = if format == Format::Json { data::data(checked, summary, fixed.data) } else { Value::Null };
    let form = if format == Format::Sarif { Form::Json } else { Form::Text };
    Report::done(data, text).form(form).exit(exit)
}
