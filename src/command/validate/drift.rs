//! Warns about checked skills whose copies differ from what was installed, which the rules cannot see.

use std::collections::BTreeSet;

use super::select::{self, Selected};
use crate::config::Settings;
use crate::error::Code;
use crate::project::Project;
use crate::project::copies::{self, Known};
use crate::registry::Drift;
use crate::system::env::Env;
use crate::terminal::ui;

/// How many skills are named.
const MOST: usize = 5;

/// One warning for each skill with a copy that was edited or is behind another.
pub(super) fn note(env: &mut Env, project: &Project, settings: &Settings, selected: &[Selected]) {
    let name = |skill: &Selected| Some(skill.dir.file_name()?.to_str()?.to_owned());
    let installed = selected.iter().filter(|skill| skill.target.is_some());
    let names: BTreeSet<String> = installed.filter_map(name).collect();
    let Some(registry) = select::registered(project).filter(|_| !names.is_empty()) else { return };
    let known = Known::glance(project, Some(registry));
    let skills = copies::gather(project, &settings.targets, &known, &names.into_iter().collect::<Vec<_>>());
    let drift = copies::drift(&skills, project.roots(), &settings.severities);
    let mut shown: Vec<&Drift> = Vec::new();
    for one in &drift {
        if !shown.iter().any(|other| other.skill == one.skill) {
            shown.push(one);
        }
    }
    for one in shown.iter().take(MOST) {
        env.warn(Code::Drift, format!("{} {}", one.what, one.action));
    }
    if shown.len() > MOST {
        let more = ui::count(shown.len() - MOST, "more skill");
        let said = format!("{more} with copies that are not what was installed; `hefesto status` names them.");
        env.warn(Code::Drift, said);
    }
}
