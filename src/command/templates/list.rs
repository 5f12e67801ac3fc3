//! `templates list`.

use serde_json::json;

use super::{Places, outdated, shadows, shown};
use crate::project::Project;
use crate::report::Report;
use crate::system::env::Env;
use crate::system::input;
use crate::terminal::ui;

/// Every template that `--template` finds. One that cannot be read is listed with the reason.
pub(super) fn list(env: &Env, project: &Project, places: &Places) -> Report {
    let (mut data, mut rows) = (Vec::new(), Vec::new());
    for name in input::template_names(places) {
        match input::find_template(places, &name) {
            Ok(Some(template)) => {
                let shadows = shadows(places, &name, template.origin);
                let path = shown(project, places, &template);
                let old = outdated(&template);
                let mut remarks = Vec::new();
                if !shadows.is_empty() {
                    remarks.push(format!("in place of: {}", shadows.join(", ")));
                }
                if old {
                    remarks.push("written for an older hefesto".to_owned());
                }
                rows.push(vec![
                    name.clone(),
                    template.origin.word().to_owned(),
                    template.version.clone(),
                    path.clone().unwrap_or_default(),
                    remarks.join("; "),
                ]);
                data.push(json!({
                    "name": name,
                    "origin": template.origin,
                    "version": template.version,
                    "path": path,
                    "shadows": shadows,
                    "outdated": old,
                    "problem": null,
                }));
            }
            Ok(None) => {} // a directory without a template in it
            Err(error) => {
                let problem = error.message();
                rows.push(vec![name.clone(), "?".into(), String::new(), String::new(), problem.clone()]);
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
