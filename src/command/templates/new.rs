//! `templates new`: creates a template of the project's own.

use serde_json::json;

use super::Places;
use crate::config;
use crate::error::{Code, Error, Result};
use crate::project::{Project, open};
use crate::report::Report;
use crate::skill::Name;
use crate::skill::template::{Origin, built_in};
use crate::system::{env::Env, input};
use crate::transaction::{Change, Was, consent};

/// Copies the built-in template into `.hefesto/templates/`, with a preview. Errors: ERR-007 for an invalid name,
/// E-TEMPLATE-001 if the project has one of that name, E-PROJECT-001 if the project is not initialised, and those of
/// the gate and of the transaction.
pub(super) fn new(env: &mut Env, project: &Project, places: &Places, name: &str, yes: bool) -> Result<Report> {
    if Name::parse(name).is_err() {
        let error = Error::new(Code::BadName, format!("{name:?} is no name for a template"));
        return Err(match Name::sanitise(name) {
            Some(better) => error.suggest(format!("Use `hefesto templates new {better}`.")),
            None => error,
        });
    }
    open::enter_initialised(env, project)?;
    let settings = config::load(env, project)?;
    let own: Places = places.iter().filter(|(_, origin)| *origin == Origin::Project).cloned().collect();
    if !matches!(input::find_template(&own, name), Ok(found) if found.as_ref().is_none_or(|found| found.origin != Origin::Project))
    {
        return Err(Error::new(Code::TemplateExists, format!("the project has a template `{name}` already")).suggest(
            format!(
                "Edit it in .hefesto/templates/, look at it with `hefesto templates show {name}`, or give another name."
            ),
        ));
    }
    let base = built_in("base").ok_or_else(|| Error::new(Code::Bug, "there is no built-in template"))?;
    let text = format!("{{# version: {} #}}\n{}", base.version, base.source);
    let at = format!(".hefesto/templates/{name}.md");
    let mut preview = format!(
        "{}\n  create {} ({}), a copy of the built-in template `{}` in English\n",
        env.style.rule(&format!("templates new {name}")),
        env.style.path(&at),
        crate::terminal::ui::size(text.len() as u64),
        base.name
    );
    if built_in(name).is_some() {
        preview.push_str(
            "  it takes the place of the built-in one in this project, whatever the language of a description\n",
        );
    }
    let consent = consent::ask(env, &preview, yes, settings.gate_limit())?;
    let changes = vec![Change::Write { at: at.clone(), bytes: text.into_bytes(), was: Was::Absent }];
    open::commit(env, project, "templates new", changes)?;
    let data = json!({ "name": name, "path": at, "from": base.name, "approved_by": consent.by().word() });
    let text = format!(
        "Template {name} is in {at}.\n\nNext:\n  1. edit it; `hefesto templates show {name} --variables` lists what may stand in it\n  2. hefesto templates check {name}\n  3. hefesto create \"...\" --template {name}\n"
    );
    Ok(Report::done(data, text))
}
