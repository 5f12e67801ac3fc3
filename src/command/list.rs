//! `list`: the registered CLIs and skills, and whether they agree with the disk. `status`: what has become of each copy
//! since it was installed, and what to do about it. Both only read.

use serde_json::{Value, json};

use super::{skills::Skills, update};
use crate::cli;
use crate::client::detect;
use crate::error::{Code, Exit, Result};
use crate::project::copies::{self, Copies, CopyStatus, Known};
use crate::project::{DATABASE, Project, inventory, open};
use crate::registry::{self, CliRow, CopyState, Registry, Status};
use crate::report::{Report, Slashed};
use crate::skill::printable_line;
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
    let mut text = String::new();
    for (title, status) in [
        ("Active", Status::Active),
        ("Warnings", Status::WarningNoPath),
        ("Errors", Status::ErrorPermission),
        ("Manual", Status::Manual),
    ] {
        let group: Vec<&CliRow> = all.iter().filter(|row| row.status == status).collect();
        if group.is_empty() {
            continue;
        }
        text.push_str(&format!("{}\n", style.head(&format!("CLIs: {title}"))));
        for row in group {
            let version = row.version.as_deref().unwrap_or("-");
            text.push_str(&format!("  {:<10} {:<17} {version:<10} {}/\n", row.id, row.method.word(), row.skills_dir));
        }
    }
    text
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
    line("Version", registry.version.clone());
    let (skills, clis) = (ui::count(registry.skills().len(), "skill"), ui::count(registry.clis().len(), "CLI"));
    line("Totals", format!("{skills}, {clis} ({} active)", active(registry)));
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

struct Seen {
    skill: Copies,
    states: Vec<Option<CopyStatus>>,
}

impl Seen {
    /// The copies that are listed: client, place, state.
    fn copies(&self) -> impl Iterator<Item = (&copies::Copy, &CopyStatus)> {
        self.skill.all.iter().zip(&self.states).filter_map(|(copy, status)| Some((copy, status.as_ref()?)))
    }

    fn is_same(&self) -> bool {
        self.copies().all(|(_, status)| status.state == CopyState::Same)
    }
}

/// Errors: E-PROJECT-001 when the project is not initialised, E-SKILL-001 for a name that no skill has.
pub(super) fn status(env: &mut Env, project: &Project, args: &cli::Status) -> Result<Report> {
    let skills = Skills::open(env, project)?;
    let mut meant = skills.named_or_all(&args.names)?;
    update::mark(env, &skills, &mut meant)?;
    let seen = meant.into_iter().map(|skill| {
        let states = skill.states(project.roots(), &skills.settings.severities);
        Seen { skill, states }
    });
    let seen: Vec<Seen> = seen.filter(|seen| seen.copies().next().is_some()).collect();
    let differing = seen.iter().filter(|seen| !seen.is_same()).count();
    let total: usize = seen.iter().map(|seen| seen.copies().count()).sum();
    let text = states(env.style, project, &seen, !args.names.is_empty() || env.volume > 0, total);
    let data =
        json!({ "skills": seen.iter().map(|seen| answer(project, seen)).collect::<Vec<_>>(), "differing": differing });
    let exit = if args.check && differing > 0 { Exit::Refused } else { Exit::Done };
    Ok(Report::done(data, env.spelled(text)).exit(exit))
}

fn answer(project: &Project, seen: &Seen) -> Value {
    let copies = seen.copies().map(|(copy, status)| {
        json!({
            "client": copy.target.id, "path": project.display(&copy.at), "state": status.state,
            "version": copy.base.as_ref().and_then(|base| base.copy.version.clone()), "what": status.what,
            "reason": status.reason, "action": status.action,
        })
    });
    json!({ "name": seen.skill.name, "copies": copies.collect::<Vec<_>>() })
}

/// The skills whose copies are not as they were installed or not of one text; with `every` the others too.
fn states(style: Style, project: &Project, all: &[Seen], every: bool, total: usize) -> String {
    if all.is_empty() {
        return "No skills.\n".to_owned();
    }
    let mut text = String::new();
    let to_tell = |seen: &&Seen| !seen.is_same() || seen.copies().any(|(_, status)| status.action.is_some());
    for seen in all.iter().filter(|seen| every || to_tell(seen)) {
        let name = &seen.skill.name;
        text.push_str(&format!("{}\n", style.head(&printable_line(name))));
        let mut actions: Vec<String> = Vec::new();
        for (copy, status) in seen.copies() {
            let word = format!("{:<9}", status.state.word());
            let word = match status.state {
                CopyState::Same => style.good(&word),
                CopyState::Invalid | CopyState::Missing => style.bad(&word),
                _ => style.odd(&word),
            };
            let place = style.path(&format!("{}/", printable_line(&project.shown(&copy.at))));
            text.push_str(
                &style.fold(&format!("  {word} {:<9} {place} {}\n", copy.target.id, printable_line(&status.what)), 4),
            );
            actions.extend(status.action.clone().filter(|action| !actions.contains(action)));
        }
        actions.dedup();
        for action in actions {
            text.push_str(&style.fold(&format!("  {}\n", printable_line(&action)), 4));
        }
    }
    let same = all.iter().filter(|seen| seen.is_same()).count();
    let others = all.len() - same;
    let skills = ui::count(all.len(), "skill");
    let copies = ui::count(total, "copy");
    if !text.is_empty() {
        text.push('\n');
    }
    text.push_str(&match others {
        0 => format!("{} {skills}, {copies}: all as they were installed.\n", style.tick()),
        _ => format!("{skills}, {copies}: {} as installed, {} to look at.\n", ui::count(same, "skill"), others),
    });
    let unrecorded =
        |(copy, status): (&copies::Copy, &CopyStatus)| status.state == CopyState::Same && copy.base.is_none();
    if all.iter().any(|seen| seen.copies().any(unrecorded)) {
        let hint = "What was installed is not recorded here, as after a clone: `hefesto adopt --all` records what is \
                    there, so that later edits can be told and merged.\n";
        text.push_str(&style.fold(hint, 2));
    }
    text
}
