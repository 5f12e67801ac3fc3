//! `delete NAME`: removes an installed skill, after a backup and the name typed out.

use serde_json::json;

use super::{help::nearest, skills::CarriedOut};
use crate::cli;
use crate::client::{detect, target::Targets};
use crate::error::{Code, Error, Result};
use crate::project::{Project, inventory, open};
use crate::report::{Report, Slashed};
use crate::skill::{Name, printable};
use crate::system::env::Env;
use crate::terminal::ui::Style;
use crate::transaction::operation::{self, Operation, Step};
use crate::transaction::{self, consent};

/// Runs `hefesto delete`. Errors: E-DELETE-001 if there is no such skill, E-DELETE-004 when another name is typed,
/// E-DELETE-005 when a copy cannot be deleted: none is deleted then.
pub(super) fn delete(env: &mut Env, project: &Project, args: &cli::Delete, yes: bool) -> Result<Report> {
    let settings = crate::config::load(env, project)?;
    open::enter_initialised(env, project)?;
    let id = |id: &String| detect::one(&settings.targets, id.trim()).map(|target| target.id.as_str());
    let ids = args.cli.iter().map(id).collect::<Result<Vec<&str>>>()?;
    // A folder with an invalid skill name can be deleted too; it was never in the registry.
    let named = Name::parse(&args.name).is_ok();
    let mut steps = Vec::new();
    let wanted = settings.targets.iter().filter(|target| ids.is_empty() || ids.contains(&target.id.as_str()));
    let holders = if named { wanted.collect() } else { inventory::holding(project, wanted, &args.name) };
    for target in holders {
        let at = target.skill_dir(&args.name);
        if let Some(before) = transaction::scan(project.roots(), &at).map_err(incomplete)? {
            steps.push(Step { target: target.id.clone(), at, before: Some(before), after: None });
        }
    }
    let gone: Vec<&str> = ids.into_iter().filter(|id| !steps.iter().any(|step| step.target == *id)).collect();
    if steps.is_empty() || !gone.is_empty() {
        return Err(not_found(project, &settings.targets, &args.name, &gone));
    }
    let keep_backup = args.backup != Some(false);
    if !keep_backup {
        env.warn(Code::NoBackupKept, "no backup will be kept (--backup false): `hefesto undo` cannot bring it back.");
    }
    let clis = steps.iter().map(|step| step.target.clone()).collect();
    let op = crate::registry::Op::RemoveSkill { name: args.name.clone(), clis, at: env.stamp(), backup: None };
    let ops = if named { vec![op] } else { Vec::new() };
    let operation = Operation {
        command: "delete",
        name: operation::called(&args.name),
        steps,
        ops,
        keep_backup,
        ..Operation::default()
    };
    let preview = operation.preview(env.err_style(), project);
    let consent = consent::ask_by_name(env, &preview, &args.name, yes, settings.gate_limit())?;
    let done = operation::carry_out(env, project, &consent, &operation).map_err(incomplete)?;
    let data = json!({ "name": args.name, "deleted": operation.json(project) });
    let text = said(env.style, project, args, &operation, done.backup.as_deref());
    Ok(CarriedOut::of(project, done, consent.by()).report(env, data, text))
}

/// What was deleted, and how it comes back.
fn said(style: Style, project: &Project, args: &cli::Delete, operation: &Operation, backup: Option<&str>) -> String {
    let of = if args.cli.is_empty() { String::new() } else { format!(" for {}", args.cli.join(", ")) };
    let mut text = format!("{} `{}` is deleted{of}.\n", style.tick(), printable(&args.name));
    for step in &operation.steps {
        text.push_str(&format!("  {}/\n", project.shown(&step.at)));
    }
    if let Some(backup) = backup.map(|path| project.shown(path)) {
        // tar restores below one directory, and skills moved by a variable are elsewhere.
        let root = project.roots().home().unwrap_or(project.root());
        let together = operation.steps.iter().all(|step| project.path(&step.at) == root.join(&step.at));
        let shown = project.roots().home().map_or_else(|| project.shown_root().to_owned(), |home| home.slashed());
        let tar = || format!(", or tar -xzf {} -C {}", shell_words::quote(&backup), shell_words::quote(&shown));
        let tar = together.then(tar).unwrap_or_default();
        let again = format!("hefesto undo (or hefesto restore {}{tar})", operation.name);
        text.push_str(&format!("  backup: {backup}\n\nTo bring it back: {again}\n"));
    }
    text
}

/// If a copy cannot be read, packed or deleted, no copy is deleted.
fn incomplete(error: Error) -> Error {
    match error.code() {
        Code::Io | Code::CreateUnwritable | Code::WriteFailed => {
            let message = format!("{}; nothing was deleted", error.message());
            let incomplete = Error::new(Code::DeleteIncomplete, message).exit(error.exit_with());
            let general = error.suggestion() == error.code().entry().cure;
            if general { incomplete } else { incomplete.suggest(error.suggestion()) }
        }
        _ => error,
    }
}

fn not_found(project: &Project, targets: &Targets, name: &str, ids: &[&str]) -> Error {
    let place = if ids.is_empty() { String::new() } else { format!(" for {}; nothing was deleted", ids.join(", ")) };
    let error = Error::new(Code::DeleteNotFound, format!("there is no skill {name:?}{place}"));
    let holders = inventory::holding(project, targets.iter(), name);
    let holders: Vec<&str> = holders.into_iter().map(|target| target.id.as_str()).collect();
    if !holders.is_empty() {
        return error.suggest(format!("It is there for {0}: `hefesto delete {name} --cli {0}`.", holders.join(",")));
    }
    let names = inventory::directories(project, targets.iter());
    match nearest(name, &names) {
        Some(near) if near != name => error.suggest(format!("Did you mean `hefesto delete {near}`?")),
        _ if names.is_empty() => error.suggest("There are no skills here."),
        _ => error.suggest(format!("Skills here: {}.", names.into_iter().take(10).collect::<Vec<_>>().join(", "))),
    }
}
