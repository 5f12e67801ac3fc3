//! `list`: the registered CLIs and skills, and whether they agree with the disk. Reads only.

use serde_json::{Value, json};

use crate::cli;
use crate::client::detect;
use crate::error::{Code, Result};
use crate::project::copies::{self, Known};
use crate::project::{DATABASE, Project, inventory, open};
use crate::registry::{self, CliRow, Registry, Status};
use crate::report::{Report, Slashed};
use crate::system::env::Env;
use crate::terminal::ui::{self, Style};

/// Runs `hefesto list`. Errors: E-PROJECT-001 when the project is not initialised.
pub(super) fn list(env: &mut Env, project: &Project, args: &cli::List, verbose: bool) -> Result<Report> {
    let (_, registry) = open::enter_initialised(env, project)?;
    let both = args.clis == args.skills;
    let mut text = String::new();
    if both || args.clis {
        text.push_str(&clis(env.style, &displayed(project, registry.clis())));
    }
    if both {
        text.push('\n');
    }
    if both || args.skills {
        text.push_str(&skills(env.style, &registry));
        if registry.skills().is_empty() {
            env.warn(Code::NoSkills, "no skills yet; `hefesto create \"what it should do\"` makes one.");
        }
    }
    if both {
        text.push_str(&state(env.style, project, &registry, verbose));
    }
    let mut data = json!({
        "root": project.root().slashed(), "clis": displayed(project, registry.clis()), "skills": registry.skills(),
        "initialized": registry.initialized, "last_updated": registry.updated, "version": registry.version,
        "totals": { "skills": registry.skills().len(), "clis": registry.clis().len(), "active": active(&registry) },
    });
    if args.check_sync {
        let (drift, lines) = sync(env, project, &registry)?;
        data["drift"] = drift;
        text.push_str(&lines);
    }
    Ok(Report::done(data, text))
}

pub(super) fn displayed(project: &Project, rows: &[CliRow]) -> Vec<CliRow> {
    rows.iter().map(|row| CliRow { skills_dir: project.display(&row.skills_dir), ..row.clone() }).collect()
}

fn active(registry: &Registry) -> usize {
    registry.clis().iter().filter(|row| row.status == Status::Active).count()
}

fn clis(style: Style, all: &[CliRow]) -> String {
    if all.is_empty() {
        return "No CLIs.\n".into();
    }
    let rows = all.iter().map(|row| {
        let (version, dir) = (row.version.as_deref().unwrap_or("-"), format!("{}/", row.skills_dir));
        [row.id.as_str(), row.method.said(), version, row.status.said(), &dir].map(str::to_owned)
    });
    ui::table(style, super::detect::HEADINGS, rows)
}

fn skills(style: Style, registry: &Registry) -> String {
    if registry.skills().is_empty() {
        return "No skills.\n".into();
    }
    let rows = registry.skills().iter();
    let rows = rows.map(|row| [row.name.to_string(), row.clis.join(", "), row.created.clone(), row.modified.clone()]);
    ui::table(style, &["SKILL", "CLIS", "CREATED", "MODIFIED"], rows)
}

fn state(style: Style, project: &Project, registry: &Registry, verbose: bool) -> String {
    let mut text = format!("\n{}\n", style.head(if project.is_user() { "Your own skills" } else { "Project" }));
    let mut line = |name: &str, value: String| text.push_str(&format!("  {name:<14}{value}\n"));
    line("Initialised", registry.initialized.clone());
    line("Updated", registry.updated.clone());
    line("Written by", format!("hefesto {}", registry.version));
    let (skills, clis) = (ui::count(registry.skills().len(), "skill"), ui::count(registry.clis().len(), "CLI"));
    line("Totals", format!("{skills}, {clis} ({} ready)", active(registry)));
    if verbose {
        let bytes = |at: &str| {
            let found = project.rooted(at).and_then(|file| file.metadata());
            found.map(|meta| ui::size(meta.len())).unwrap_or_else(|_| "-".into())
        };
        line("Root", project.root().slashed());
        line("MEMORY.md", bytes("MEMORY.md"));
        line("memory.db", bytes(DATABASE));
    }
    text
}

fn sync(env: &mut Env, project: &Project, registry: &Registry) -> Result<(Value, String)> {
    let settings = crate::config::load(env, project)?;
    let mut found = detect::here(&settings.targets, &detect::places(env, project));
    detect::versions(env, &mut found);
    let mut drift = registry::drift(registry, &inventory::found(project, &settings.targets, &found));
    let known = Known::read(env, project, Some(registry));
    let skills = copies::whole(project, &settings.targets, &known);
    drift.extend(copies::drift(&skills, project.roots(), &settings.severities));
    let mut text = format!("\n{}\n", env.style.head("Registry and disk"));
    if drift.is_empty() {
        text.push_str("  They agree.\n");
    }
    for one in &drift {
        text.push_str(&format!("  {}\n    {}\n", one.what, one.action));
        env.warn(Code::Drift, format!("{} {}", one.what, one.action));
    }
    Ok((json!(drift), text))
}
