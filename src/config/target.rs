//! Targets defined in the settings.

use std::path::Path;

use serde::Deserialize;

use crate::client::target::{Arguments, Target};
use crate::error::{Code, Error, Result};
use crate::report::slashed::Slashed;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CustomTarget {
    title: Option<String>,
    skills_dir: String,
    #[serde(default)]
    binaries: Vec<String>,
    #[serde(default)]
    home_dirs: Vec<String>,
    #[serde(default)]
    project_marks: Vec<String>,
    #[serde(default)]
    also_reads: Vec<String>,
    arguments: Option<String>,
    invoke: Option<String>,
}

/// Makes the target. `known` is the one with the same id that a project's file redefines: its programs and home
/// directories for detection do not change. Errors: E-CONFIG-001 naming the file, the target and the problem.
pub(super) fn custom_target(id: &str, custom: &CustomTarget, path: &Path, known: Option<&Target>) -> Result<Target> {
    let wrong = |what: String| Err(Error::new(Code::Config, format!("{}: targets.{id}: {what}", path.slashed())));
    if !crate::skill::name::well_formed(id) || id == "all" {
        return wrong("an id is lowercase words joined by hyphens, and not `all`".into());
    }
    let dirs = [&custom.skills_dir].into_iter().chain(&custom.project_marks).chain(&custom.also_reads);
    if let Some(outside) = dirs.clone().find(|dir| !inside(dir)) {
        return wrong(format!("{outside:?} is not a path below the project"));
    }
    let first = custom.skills_dir.split('/').next().unwrap_or_default().to_ascii_lowercase();
    if first == ".context" || [".hefesto", "memory.md", "constitution.md"].iter().any(|own| first.starts_with(own)) {
        return wrong(format!("skills_dir {:?} is where hefesto keeps its own", custom.skills_dir));
    }
    if custom.skills_dir.split('/').any(|part| part.eq_ignore_ascii_case(".git")) {
        return wrong(format!("skills_dir {:?} is where git keeps its own", custom.skills_dir));
    }
    let arguments = match custom.arguments.as_deref() {
        None | Some("$ARGUMENTS") => Arguments::Dollar,
        Some("{{args}}") => Arguments::Braces,
        Some(other) => return wrong(format!("arguments is {other:?}; it is `$ARGUMENTS` or `{{{{args}}}}`")),
    };
    Ok(Target {
        id: id.to_owned(),
        title: custom.title.clone().unwrap_or_else(|| id.to_owned()),
        binaries: known.map_or_else(|| custom.binaries.clone(), |known| known.binaries.clone()),
        home_dirs: known.map_or_else(|| custom.home_dirs.clone(), |known| known.home_dirs.clone()),
        project_marks: custom.project_marks.clone(),
        skills_dir: custom.skills_dir.clone(),
        also_reads: custom.also_reads.clone(),
        arguments,
        invoke: custom.invoke.clone().unwrap_or_else(|| "/NAME".into()),
    })
}

/// Whether a path lexically stays below its base directory.
fn inside(path: &str) -> bool {
    path.split('/').all(|part| !part.is_empty() && part != "." && part != ".." && !part.contains('\\'))
}
