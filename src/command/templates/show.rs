//! `templates show`: a template's text and the variables.

use serde_json::json;

use super::{Places, described, find, shown};
use crate::error::Result;
use crate::project::Project;
use crate::report::Report;
use crate::skill::printable;
use crate::skill::template::{MEANINGS, uses};
use crate::system::env::Env;
use crate::terminal::ui;

/// Shows a template, the variables, or which variables a template uses.
/// Errors: E-CREATE-008 if there is no such template, E-IO-001 if it cannot be read.
pub(super) fn show(
    env: &Env,
    project: &Project,
    places: &Places,
    name: Option<&str>,
    variables: bool,
) -> Result<Report> {
    let template = name.map(|name| find(places, name)).transpose()?;
    let used = |name: &str| template.as_ref().is_some_and(|template| uses(template, name));
    let data = json!({
        "template": template.as_ref().map(|template| described(project, places, template)),
        "source": template.as_ref().map(|template| &template.source),
        "variables": MEANINGS
            .iter()
            .map(|(name, meaning)| json!({ "name": name, "meaning": meaning, "used": used(name) }))
            .collect::<Vec<_>>(),
    });
    let mut text = String::new();
    if let Some(template) = &template {
        let path = shown(project, places, template).map(|path| format!(", {path}")).unwrap_or_default();
        let title = format!("{} ({}, version {}{path})", template.name, template.origin.word(), template.version);
        text.push_str(&format!("{}\n", env.style.head(&printable(&title))));
        if !variables {
            text.push_str(&format!("\n{}\n", printable(template.source.trim_end())));
        }
    }
    if variables {
        let rows = MEANINGS.iter().map(|(name, meaning)| [*name, *meaning, if used(name) { "used" } else { "" }]);
        text.push_str(&ui::table(env.style, &["VARIABLE", "MEANING", ""], rows));
        text.push_str("\n{{NAME}} is the value, {{{{NAME}}}} the literal {{NAME}}; {% if NAME %} and {% for one in NAME %} work.\n");
    }
    Ok(Report::done(data, text))
}
