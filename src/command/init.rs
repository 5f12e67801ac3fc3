//! `init`: governance files, MEMORY.md, `.hefesto/` and the target directories.

use serde_json::json;

use super::{detect::entered, integrations, list};
use crate::cli;
use crate::client::detect;
use crate::client::target::{Selection, Target};
use crate::config;
use crate::error::{Code, Error, Exit, Result};
use crate::project::Project;
use crate::project::open::{self, Governed};
use crate::registry::{CliRow, Op};
use crate::report::{Report, Slashed};
use crate::system::env::Env;
use crate::terminal::prompt::{self, Answer, Choices, Question};
use crate::terminal::ui;
use crate::transaction::{self, Change};

/// Errors: ERR-005 if nothing is detected and nobody chooses, E-CREATE-004 for an unknown target id.
pub(super) fn init(env: &mut Env, project: &Project, args: &cli::Init, yes: bool) -> Result<Report> {
    let settings = config::load(env, project)?;
    let governed = open::enter(env, project)?;
    // Named targets are added to the registered ones.
    if !governed.is_new() && !args.force && (args.target.is_none() || args.with_commands) {
        let report = already(env, project, &governed);
        if !args.with_commands {
            return Ok(report);
        }
        let known = governed.registry().map(|known| open::registered(known, &settings.targets));
        let targets = match &args.target {
            Some(Selection::Named(ids)) => detect::named(&settings.targets, ids)?,
            Some(Selection::All) | None => known.unwrap_or_default(),
        };
        return integrations::install(env, project, &settings, &targets, yes, report);
    }
    let mut found = detect::here(&settings.targets, &detect::places(env, project));
    let known = governed.registry().map(|registry| open::registered(registry, &settings.targets)).unwrap_or_default();
    let targets = match &args.target {
        Some(Selection::Named(ids)) => detect::named(&settings.targets, ids)?,
        Some(Selection::All) | None if !found.is_empty() => found.iter().map(|found| found.target.clone()).collect(),
        Some(Selection::All) | None if !known.is_empty() => known.clone(),
        Some(Selection::All) | None => choose(env, &settings.targets, yes)?,
    };
    detect::versions(env, &mut found);
    for one in found.iter().filter(|one| targets.contains(&one.target) && one.lacks_binary()) {
        env.note(detect::no_binary(one));
    }
    open::home(project)?;
    let mut changes = open::initialising(env, project, &governed)?;
    if !governed.is_new() {
        changes = open::governance_files(project)?;
    }
    let mut row = |target: &Target| {
        let advice = format!(" Give yourself write permission or leave {} out with `--target`.", target.id);
        entered(env, project, target, &found, &mut changes, &advice)
    };
    let rows: Vec<CliRow> = targets.iter().map(&mut row).collect();
    let made: Vec<String> = changes.iter().filter_map(|change| made(project, change)).collect();
    let pending = open::commit_with(env, project, "init", changes, &[Op::UpsertClis { clis: rows.clone() }])?;
    let data = json!({
        "root": project.root().slashed(), "initialized": true, "created": made,
        "clis": list::displayed(project, &rows), "standards": governed.standards().count,
    });
    let mut report = Report::done(data, render(env, project, &rows, &known, &made));
    if pending {
        report = report.exit(Exit::FinishPending);
    }
    if args.with_commands {
        return integrations::install(env, project, &settings, &targets, yes, report);
    }
    if env.prompter.present() && !project.is_user() {
        report.text.push_str("To call hefesto from inside these CLIs: hefesto init --with-commands\n");
    }
    Ok(report)
}

fn already(env: &mut Env, project: &Project, governed: &Governed) -> Report {
    let (at, rows, skills) = governed
        .registry()
        .map(|registry| (registry.initialized().to_owned(), registry.clis().to_vec(), registry.skills().len()))
        .unwrap_or_default();
    let (clis, known) = (ui::count(rows.len(), "CLI"), ui::count(skills, "skill"));
    let again = "`hefesto init --force` detects again and keeps everything.";
    env.warn(Code::AlreadyInitialised, format!("already initialised on {at}: {clis}, {known}. {again}"));
    let data = json!({ "root": project.root().slashed(), "initialized": true, "created": [], "since": at, "clis": list::displayed(project, &rows), "skills": skills });
    Report::done(data, "")
}

fn made(project: &Project, change: &Change) -> Option<String> {
    match change {
        Change::Write { at, .. } => Some(project.display(at)),
        Change::MakeDir { at } if !project.is_dir(at) => Some(format!("{}/", project.display(at))),
        _ => None,
    }
}

fn choose(env: &mut Env, targets: &crate::client::target::Targets, yes: bool) -> Result<Vec<Target>> {
    let nothing = || Error::new(Code::NoCliDetected, "no AI CLI was detected and no target is named");
    if yes || !env.prompter.present() {
        return Err(nothing());
    }
    let all: Vec<&Target> = targets.iter().collect();
    let ids: Vec<&str> = all.iter().map(|target| target.id.as_str()).collect();
    env.say("No AI CLI was detected. Which ones do you use?");
    let labels: Vec<String> = all.iter().map(|target| format!("{} ({})", target.title, target.id)).collect();
    for _ in 0..3 {
        let question = Question {
            text: "Targets (q: quit)",
            choices: &ids,
            labels: &labels,
            several: true,
            escape: Some("q"),
            flag: "--target LIST",
            ..Question::default()
        };
        match env.ask(&question) {
            Ok(Answer::Given(line)) if line.eq_ignore_ascii_case("q") => return Err(nothing()),
            Ok(Answer::Given(line)) => match prompt::choose_many(&line, &ids) {
                Choices::Picked(picked) => {
                    let target = |index| all.get(index).map(|target: &&Target| (*target).clone());
                    return Ok(picked.into_iter().filter_map(target).collect());
                }
                _ => env.say(&format!("Choose from 1 to {} or: {}", ids.len(), ids.join(", "))),
            },
            Ok(Answer::Signal(signal)) => return Err(transaction::interrupted(signal)),
            Ok(Answer::TimedOut | Answer::NobodyThere | Answer::NotUnderstood) | Err(_) => return Err(nothing()),
        }
    }
    Err(nothing())
}

fn render(env: &Env, project: &Project, rows: &[CliRow], known: &[Target], made: &[String]) -> String {
    let style = env.style;
    let mut text = format!("{} {} is initialised.\n\n", style.tick(), style.path(&project.root().slashed()));
    let rows = rows.iter().map(|row| {
        let new = if known.iter().any(|target| target.id == row.id) { "existing" } else { "NEW" };
        let (version, dir) = (row.version.as_deref().unwrap_or("-"), format!("{}/", project.shown(&row.skills_dir)));
        [row.id.as_str(), row.method.word(), version, row.status.word(), &dir, new].map(str::to_owned)
    });
    text.push_str(&ui::table(style, &["CLI", "FOUND BY", "VERSION", "STATUS", "SKILLS DIRECTORY", ""], rows));
    if !made.is_empty() {
        text.push_str(&style.fold(&format!("\nMade: {}\n", made.join(", ")), 6));
    }
    text.push_str(&env.spelled("\nNext: hefesto create \"what the skill should do\"\n".into()));
    text
}
