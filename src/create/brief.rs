//! `create --brief`: what whoever writes the body has to know, and how it is handed in. Writes nothing.

use serde_json::json;

use super::draft::Brief;
use super::{Draft, Request, context, generate, given, intake};
use crate::client::detect;
use crate::client::drafting::{self, Assignment};
use crate::client::target::{Selection, Target};
use crate::config::{self, Settings};
use crate::error::Result;
use crate::project::Project;
use crate::project::inventory;
use crate::report::Report;
use crate::rules::input::{self, Field};
use crate::skill::template;
use crate::system::env::Env;

/// How many of the skills that are here are named.
const MOST_OTHERS: usize = 40;

/// Prints the brief for a description.
///
/// # Errors
/// E-CREATE-001/002/004/007/008/009, ERR-007, E-CONFIG-001, and what `--from` and `--source` can meet.
pub(super) fn brief(env: &mut Env, request: &Request) -> Result<Report> {
    let args = &request.args;
    let project = request.scope.project(env)?;
    let settings = config::load(env, &project)?;
    let description = intake::description_alone(args.description.as_deref().unwrap_or_default())?;
    let name = args.name.as_deref().map(|name| match input::refuse(name, Field::Name) {
        Some(refusal) => Err(intake::refusal_error("name", &refusal)),
        None => intake::well_formed(name),
    });
    let wanted = Brief {
        description,
        name: name.transpose()?,
        body: None,
        resources: Vec::new(),
        given: given::alone(env, args)?,
        targets: targets(env, &project, &settings, args.target.as_ref())?,
        template: args.template.clone().unwrap_or_else(|| settings.template.value.clone()),
        license: args.license.clone().unwrap_or_else(|| settings.license.value.clone()),
    };
    let draft = generate::compose(env, &project, &settings, &wanted, None)?;
    let command = command(request, &project, &wanted);
    let known = context::look(env, &project, &settings, &wanted.description);
    let text = format!(
        "{}\n## How to hand it in\n\nPut this line before the body and pipe both into the command below it:\n\n    {}\n\n    \
         {command}\n\nhefesto checks the body, shows the skill and keeps the run; it prints the run's id and waits. A person \
         approves it in a terminal with `hefesto approve RUN`. Whether `--yes` may be added is for that person to say.\n",
        assignment(env, &project, &settings, &draft, &wanted, &known).text(),
        drafting::MARK,
    );
    Ok(Report::done(json!({ "name": draft.name, "brief": text, "command": command }), text))
}

/// What a body is wanted for. `known` is the context of a turn, as `memory turn context` shows it.
#[must_use]
pub(super) fn assignment(
    env: &Env,
    project: &Project,
    settings: &Settings,
    draft: &Draft,
    wanted: &Brief,
    known: &str,
) -> Assignment {
    let found = detect::here(&settings.targets, &detect::places(env, project));
    let read = draft.targets.iter().chain(found.iter().map(|found| &found.target));
    let mut others: Vec<String> = read
        .flat_map(|target| inventory::skills_in(project, &target.skills_dir))
        .map(|name| name.to_string())
        .collect();
    others.sort();
    others.dedup();
    others.retain(|name| *name != draft.name);
    others.truncate(MOST_OTHERS);
    let outline = draft.text.find("\n## ").and_then(|at| draft.text.get(at + 1..)).unwrap_or(&draft.text).to_owned();
    Assignment {
        name: draft.name.clone(),
        description: wanted.description.clone(),
        facts: wanted.given.facts(),
        sources: wanted.given.cited(),
        category: draft.category.clone(),
        tags: draft.tags.clone(),
        targets: draft.targets.iter().map(|target| target.title.clone()).collect(),
        resources: draft.resources.iter().map(|resource| resource.path.clone()).collect(),
        others,
        known: known.to_owned(),
        gaps: template::questions(&outline).into_iter().map(str::to_owned).collect(),
        outline,
    }
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
fn command(request: &Request, project: &Project, wanted: &Brief) -> String {
    let args = &request.args;
    let mut words = vec!["hefesto".to_owned()];
    if request.scope.global {
        words.push("--global".into());
    }
    if request.scope.project.is_some() {
        words.push(format!("-C {}", intake::quoted(&project.root().display().to_string())));
    }
    words.push("create".into());
    for (flag, value) in [
        ("--name", args.name.clone()),
        ("--target", args.target.as_ref().map(ToString::to_string)),
        ("--template", args.template.clone()),
        ("--license", args.license.clone()),
    ] {
        if let Some(value) = value {
            words.push(format!("{flag} {}", intake::quoted(&value)));
        }
    }
    for (flag, values) in [("--from", &args.from), ("--source", &args.source)] {
        words.extend(values.iter().map(|value| format!("{flag} {}", intake::quoted(value))));
    }
    if args.evals {
        words.push("--evals".into());
    }
    words.push("--body -".into());
    if !project.exists("MEMORY.md") {
        words.push("--init".into());
    }
    words.push(format!("-- {}", intake::quoted(&wanted.description)));
    words.join(" ")
}
