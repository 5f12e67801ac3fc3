//! `templates`: the templates skills are made from. Only `new` writes.

mod check;
mod list;
mod new;
mod show;

use serde_json::{Value, json};

use crate::cli;
use crate::error::{Code, Error, Result};
use crate::project::Project;
use crate::report::{Report, Slashed};
use crate::skill::template::{Origin, Template};
use crate::system::env::Env;
use crate::system::input::{self, Places};

/// Runs `hefesto templates …`. Errors: E-CREATE-008 if there is no such template, E-IO-001 if it cannot be read; for
/// `new` E-TEMPLATE-001, ERR-007 and those of the gate and of the transaction.
pub(super) fn templates(env: &mut Env, project: &Project, command: &cli::Templates, yes: bool) -> Result<Report> {
    let places = input::template_places(env, project);
    match command {
        cli::Templates::List => Ok(list::list(env, project, &places)),
        cli::Templates::Show { name, variables } => show::show(env, project, &places, name.as_deref(), *variables),
        cli::Templates::New { name } => new::new(env, project, &places, name, yes),
        cli::Templates::Check { name } => check::check(env, project, &places, name.as_deref()),
    }
}

/// The first template with this name, in the order of precedence.
fn find(places: &Places, name: &str) -> Result<Template> {
    input::find_template(places, name)?.ok_or_else(|| {
        Error::new(Code::CreateTemplate, format!("there is no template {name:?}"))
            .suggest(format!("Templates: {}.", input::template_names(places).join(", ")))
            .usage("hefesto templates [COMMAND]")
    })
}

/// The templates that one with this name and origin shadows.
fn shadows(places: &Places, name: &str, origin: Origin) -> Vec<&'static str> {
    let behind = places.iter().skip_while(|(_, one)| *one != origin).skip(1);
    let files = behind.filter(|place| {
        let found = input::find_template(std::slice::from_ref(place), name);
        !matches!(found, Ok(None)) && !matches!(found, Ok(Some(template)) if template.origin == Origin::BuiltIn)
    });
    let built_in =
        (origin != Origin::BuiltIn && crate::skill::template::built_in(name).is_some()).then_some(Origin::BuiltIn);
    files.map(|(_, origin)| *origin).chain(built_in).map(Origin::word).collect()
}

/// The template's path for display: relative to the project if inside.
fn shown(project: &Project, places: &Places, template: &Template) -> Option<String> {
    let path = input::template_file(places, template)?;
    let path = path.strip_prefix(project.root()).unwrap_or(&path);
    Some(path.slashed())
}

/// Whether the template declares an older hefesto version.
fn outdated(template: &Template) -> bool {
    let ours = crate::skill::template::built_in("base").map(|base| base.version).unwrap_or_default();
    template.above > 0 && input::older(&template.version, &ours)
}

/// A template for the answer.
fn described(project: &Project, places: &Places, template: &Template) -> Value {
    json!({
        "name": template.name,
        "origin": template.origin,
        "version": template.version,
        "path": shown(project, places, template),
        "shadows": shadows(places, &template.name, template.origin),
        "outdated": outdated(template),
        "problem": null,
    })
}
