//! `create --brief`: prints the drafting brief and the command that hands the body in. Writes nothing.

use serde_json::json;

use super::compose::{compose, understand};
use super::{Request, attachments, checks, context, joined_session, observations, remembered};
use super::{assignment::assignment, draft::SkillRequest};
use crate::client::target::{Selection, Target};
use crate::client::{detect, drafting};
use crate::config::{self, Settings};
use crate::error::Result;
use crate::project::Project;
use crate::report::{Report, slashed::Slashed};
use crate::rules::input::Field;
use crate::system::env::Env;

/// Prints the brief for a description.
/// Errors: E-CREATE-001/002/004/007/008/009, ERR-007, E-CONFIG-001, and what `--from` and `--source` can meet.
pub(super) fn show_brief(env: &mut Env, request: &Request) -> Result<Report> {
    let args = &request.args;
    let project = request.scope.project(env)?;
    let settings = config::load(env, &project)?;
    let description = checks::sized(args.description.as_deref().unwrap_or_default())?.to_owned();
    checks::admit_alone("description", Field::Description, &description)?;
    if let Some(name) = &args.name {
        checks::admit_alone("name", Field::Name, name)?;
        checks::well_formed(name)?;
    }
    let wanted = SkillRequest {
        description,
        name: args.name.clone(),
        attachments: attachments::alone(env, args)?,
        facts: observations::said(&project, args.no_facts),
        targets: targets(env, &project, &settings, args.target.as_ref())?,
        template: args.template.clone().unwrap_or_else(|| settings.template.value.clone()),
        license: args.license.clone().unwrap_or_else(|| settings.license.value.clone()),
        ..SkillRequest::default()
    };
    let session = match &args.session {
        Some(id) => joined_session::entries(env, &project, &settings, id)?,
        None => Vec::new(),
    };
    let (remembered, background) = remembered::here(env, &project, &settings, &session, &wanted.description);
    let wanted = SkillRequest { remembered, background, ..wanted };
    let draft = compose(env, &project, &settings, &wanted, None)?;
    let command = command(request, &project, &wanted);
    let installed = context::installed(env, &project, &settings);
    let understood = understand(env, &project, &wanted)?;
    let text = format!(
        "{}\n## How to hand it in\n\nPut this line before the answer and pipe both into the command below it:\n\n    {}\n\n    \
         {command}\n\nhefesto checks it, shows the skill and keeps the run; it prints the run's id and waits. A person \
         approves it in a terminal with `hefesto approve RUN`. Whether `--yes` may be added is for that person to say.\n",
        assignment(&understood, &draft, &wanted, &installed).text(),
        drafting::MARK,
    );
    Ok(Report::done(json!({ "name": draft.name, "brief": text, "command": command }), text))
}

fn targets(env: &Env, project: &Project, settings: &Settings, flag: Option<&Selection>) -> Result<Vec<Target>> {
    let from_settings = settings.target.value.parse().unwrap_or(Selection::All);
    match flag.unwrap_or(&from_settings) {
        Selection::Named(ids) => detect::named(&settings.targets, ids),
        Selection::All => {
            let found = detect::here(&settings.targets, &detect::places(env, project));
            Ok(found.into_iter().map(|found| found.target).collect())
        }
    }
}

/// The command that takes the body.
fn command(request: &Request, project: &Project, wanted: &SkillRequest) -> String {
    let args = &request.args;
    let mut words = vec!["hefesto".to_owned()];
    if request.scope.global {
        words.push("--global".into());
    }
    if request.scope.project.is_some() {
        words.push(format!("-C {}", shell_words::quote(&project.root().slashed())));
    }
    words.push("create".into());
    for (flag, value) in [
        ("--name", args.name.clone()),
        ("--target", args.target.as_ref().map(ToString::to_string)),
        ("--template", args.template.clone()),
        ("--license", args.license.clone()),
        ("--session", args.session.as_ref().map(ToString::to_string)),
    ] {
        if let Some(value) = value {
            words.push(format!("{flag} {}", shell_words::quote(&value)));
        }
    }
    for (flag, values) in [
        ("--from", &args.from),
        ("--source", &args.source),
        ("--answer", &args.answer),
        ("--pack", &args.pack),
        ("--no-pack", &args.no_pack),
    ] {
        words.extend(values.iter().map(|value| format!("{flag} {}", shell_words::quote(value))));
    }
    if args.no_facts {
        words.push("--no-facts".into());
    }
    if args.evals {
        words.push("--evals".into());
    }
    words.push("--body -".into());
    if !project.exists("MEMORY.md") {
        words.push("--init".into());
    }
    words.push(format!("-- {}", shell_words::quote(&wanted.description)));
    words.join(" ")
}
