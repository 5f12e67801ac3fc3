//! `templates list`.

use serde_json::json;

use super::{Places, described, outdated, shadows, shown};
use crate::project::Project;
use crate::report::Report;
use crate::system::{env::Env, input};
use crate::terminal::ui;

/// Every template that `--template` finds. One that cannot be read is listed with the reason.
pub(super) fn list(env: &Env, project: &Project, places: &Places) -> Report {
    let (mut data, mut rows) = (Vec::new(), Vec::new());
    for name in input::template_names(places) {
        match input::find_template(places, &name) {
            Ok(Some(template)) => {
                let shadows = shadows(places, &name, template.origin);
                let path = shown(project, places, &template).unwrap_or_default();
                let mut remarks = Vec::new();
                if !shadows.is_empty() {
                    remarks.push(format!("in place of: {}", shadows.join(", ")));
                }
                if outdated(&template) {
                    remarks.push("written for an older hefesto".to_owned());
                }
                let origin = template.origin.word().to_owned();
                rows.push([name, origin, template.version.clone(), path, remarks.join("; ")]);
                data.push(described(project, places, &template));
            }
            Ok(None) => {} // a directory without a template in it
            Err(error) => {
                let problem = error.message();
                rows.push([name.clone(), "?".into(), String::new(), String::new(), problem.clone()]);
                data.push(json!({
                    "name": name, "origin": "?", "version": "", "path": null, "shadows": [], "outdated": false,
                    "problem": problem,
                }));
            }
        }
    }
    let text = ui::table(env.style, &["TEMPLATE", "FROM", "VERSION", "FILE", "REMARKS"], &rows);
    Report::done(json!({ "templates": data }), text)
}
