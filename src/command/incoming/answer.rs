//! What is asked and said about imported skills: collisions, the preview, the answer.

use std::time::Duration;

use serde_json::{Value, json};

use super::{Batch, IncomingSkill, Refused};
use crate::cli::{self, OnPlace};
use crate::command::skills;
use crate::error::{Code, Error, Result};
use crate::project::Project;
use crate::report::Report;
use crate::skill::{diff::Diff, frontmatter, printable, template};
use crate::system::env::Env;
use crate::terminal::prompt::Question;
use crate::terminal::ui::{self, Style};
use crate::transaction::consent::{self, By};
use crate::transaction::operation::Done;

/// Up to how many skills each is listed separately.
const FEW: usize = 40;

/// The characters of a description that are shown.
const DESCRIBED: usize = 160;

/// The lines of a change that are shown of each of several skills.
const CHANGED: usize = 20;

/// At most so many names are listed in one message.
const NAMED: usize = 100;

/// At most so many reasons are listed in one message.
const MOST: usize = 20;

/// The answer if no skill is accepted. Errors: E-ADOPT-001 with every reason.
pub(super) fn none(batch: &Batch, dry_run: bool) -> Result<Report> {
    if batch.refused.is_empty() {
        let data = json!({
            "skills": [], "refused": [], "backup": null, "run_id": null, "approved_by": null, "dry_run": dry_run,
        });
        return Ok(Report::done(data, format!("Everything is {} already; nothing to do.\n", batch.done)));
    }
    let reasons = skills::first(batch.refused.iter().map(reason), MOST);
    let findings = batch.refused.iter().flat_map(|one| one.findings.iter().cloned()).collect::<Vec<_>>();
    let cure = findings.first().map(|one| one.fix.clone());
    let error = Error::new(Code::AdoptRefused, format!("nothing was {}: {}", batch.done, reasons.join("; ")));
    let error = error.findings(findings);
    Err(match cure {
        Some(cure) => error.suggest(cure),
        None => error,
    })
}

fn reason(one: &Refused) -> String {
    let name = if one.path.ends_with(&one.name) { String::new() } else { format!("`{}`, ", one.name) };
    format!("{name}{}: {}", one.path, one.why)
}

/// Lists the refused skills, and those accepted with errors.
pub(super) fn note(env: &mut Env, batch: &Batch) {
    for one in batch.refused.iter().take(if env.json { usize::MAX } else { MOST }) {
        env.warn(Code::NotAdopted, format!("not {}: {}", batch.done, printable(&reason(one))));
    }
    let more = batch.refused.len().saturating_sub(MOST);
    if more > 0 && !env.json {
        env.warn(Code::NotAdopted, format!("not {}: {more} more; `--json` names all", batch.done));
    }
    let wrong: Vec<&IncomingSkill> = batch.skills.iter().filter(|skill| !skill.errors.is_empty()).collect();
    let names = wrong.iter().map(|skill| match &skill.errors[..] {
        [one] => format!("`{}` ({}: {})", skill.name, one.rule, one.message),
        [one, ..] => format!("`{}` ({}: {}; and {} more)", skill.name, one.rule, one.message, skill.errors.len() - 1),
        [] => String::new(),
    });
    if !wrong.is_empty() {
        let (skills, names) = (ui::count(wrong.len(), "skill"), skills::first(names, MOST).join(", "));
        env.warn(Code::AdoptedInvalid, printable(&format!("{skills} with errors, unchanged: {names}.")));
    }
}

pub(super) fn preview(style: Style, project: &Project, batch: &Batch) -> String {
    let what = match &batch.skills[..] {
        [one] => printable(&one.name),
        all => ui::count(all.len(), "skill"),
    };
    let mut text = format!("{}\n", style.rule(&format!("{} {what}", batch.command)));
    if batch.skills.len() <= FEW {
        let most = if batch.skills.len() == 1 { usize::MAX } else { CHANGED };
        batch.skills.iter().for_each(|skill| text.push_str(&lines(style, project, skill, most)));
    } else {
        text.push_str(&together(style, &batch.skills));
    }
    if !batch.refused.is_empty() {
        text.push_str(&format!("  {}\n", style.odd(&format!("left out: {}", ui::count(batch.refused.len(), "skill")))));
    }
    text
}

fn lines(style: Style, project: &Project, skill: &IncomingSkill, most: usize) -> String {
    let Some(first) = skill.copies.first() else { return String::new() };
    let (files, size) = (ui::count(first.after.len(), "file"), ui::size(first.after.size()));
    let mut text = format!("  {} ({files}, {size})\n", style.head(&printable(&skill.name)));
    let described = first.after.text("SKILL.md").and_then(|text| {
        let document = frontmatter::read(text.as_bytes()).ok()?;
        Some(shortened(style, document.field("description")?.value.scalar()?))
    });
    for line in described.iter().map(String::as_str).chain([skill.origin.why().as_str()]) {
        text.push_str(&style.fold(&format!("    {}\n", style.dim(&printable(line))), 4));
    }
    for note in &skill.notes {
        text.push_str(&style.fold(&format!("    {} {}\n", style.mark(), printable(note)), 6));
    }
    let mut shown: Vec<(String, &str)> = Vec::new();
    for copy in &skill.copies {
        let word = match copy.word() {
            "create" => style.good("create"),
            "keep" => "keep".to_owned(),
            word => style.odd(word),
        };
        text.push_str(&format!("    {word} {}\n", style.path(&format!("{}/", project.shown(&copy.at)))));
        if let Some(before) = copy.before.as_ref().filter(|before| **before != copy.after)
            && let (Some(old), Some(new)) = (before.text("SKILL.md"), copy.after.text("SKILL.md"))
        {
            // The ways in which clients write arguments are no difference.
            let neutral = |text: &str| template::adapt(text, crate::client::target::Arguments::Dollar);
            let change = Diff::between(&neutral(old), &neutral(new)).text();
            match shown.iter().find(|(known, _)| *known == change) {
                Some((_, at)) => text.push_str(&format!("      the same change as in {}/\n", project.shown(at))),
                None => {
                    text.push_str(&ui::diff(style, old, new, most));
                    shown.push((change, &copy.at));
                }
            }
        }
    }
    text
}

fn shortened(style: Style, description: &str) -> String {
    let Some((at, _)) = description.char_indices().nth(DESCRIBED) else { return description.to_owned() };
    let start = description.get(..at).unwrap_or_default();
    let words = start.rsplit_once(' ').map_or(start, |(words, _)| words);
    format!("{words} {}", if style.unicode { "…" } else { "..." })
}

/// Many skills, grouped by what happens to their copies.
fn together(style: Style, skills: &[IncomingSkill]) -> String {
    let mut groups: Vec<(String, Vec<String>)> = Vec::new();
    for skill in skills {
        let what: Vec<String> = skill.copies.iter().map(|copy| format!("{} {}", copy.word(), copy.target.id)).collect();
        let what = what.join(", ");
        match groups.iter_mut().find(|(known, _)| *known == what) {
            Some((_, names)) => names.push(printable(&skill.name)),
            None => groups.push((what, vec![printable(&skill.name)])),
        }
    }
    let line = |(what, names): &(String, Vec<String>)| {
        let head = style.head(&format!("{what} ({})", names.len()));
        let shown = names.get(..NAMED.min(names.len())).unwrap_or_default().join(", ");
        let more = match names.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!(" and {more} more; `--dry-run --json` names all"),
        };
        style.fold(&format!("  {head}: {shown}{more}\n"), 4)
    };
    groups.iter().map(line).collect()
}

pub(super) fn data(project: &Project, batch: &Batch, done: Option<(&Done, By)>, dry_run: bool) -> Value {
    let skill = |skill: &IncomingSkill| {
        let copies = skill
            .copies
            .iter()
            .map(|copy| json!({ "id": copy.target.id, "path": project.display(&copy.at), "action": copy.word() }));
        json!({
            "name": skill.name, "path": skill.shown, "origin": skill.origin.json(), "copies": copies.collect::<Vec<_>>(),
            "errors": skill.errors, "notes": skill.notes,
        })
    };
    json!({
        "skills": batch.skills.iter().map(skill).collect::<Vec<_>>(), "refused": batch.refused,
        "backup": done.and_then(|(done, _)| done.backup.as_deref()).map(|path| project.display(path)),
        "run_id": done.map(|(done, _)| &done.run), "approved_by": done.map(|(_, by)| by.word()), "dry_run": dry_run,
    })
}

pub(super) fn report(env: &Env, project: &Project, batch: &Batch, done: &Done, by: By) -> Report {
    let copies: usize = batch.skills.iter().map(|skill| skill.copies.len()).sum();
    let mut text = match &batch.skills[..] {
        [one] => format!("{} `{}` is {}.\n", env.style.tick(), printable(&one.name), batch.done),
        all => {
            let (skills, copies) = (ui::count(all.len(), "skill"), ui::count(copies, "copy"));
            format!("{} {skills} are {} ({copies}).\n", env.style.tick(), batch.done)
        }
    };
    if batch.skills.len() <= FEW {
        for copy in batch.skills.iter().flat_map(|skill| &skill.copies) {
            text.push_str(&format!("  {} {}/\n", copy.word(), project.shown(&copy.at)));
        }
    }
    for note in batch.skills.iter().flat_map(|skill| &skill.notes) {
        text.push_str(&env.style.fold(&format!("  {}\n", printable(note)), 4));
    }
    if !batch.refused.is_empty() {
        text.push_str(&format!("Left out: {}.\n", ui::count(batch.refused.len(), "skill")));
    }
    text.push_str("\nTo take it back: hefesto undo\n");
    let data = data(project, batch, Some((done, by)), false);
    skills::finished(env, data, text, done.pending)
}

/// Decides every collision; skipped skills are moved to the refused ones.
/// Errors: E-CREATE-003 if the only skill collides and nobody decides; E-CREATE-013 on `cancel`.
pub(super) fn resolve(
    env: &mut Env,
    project: &Project,
    batch: &mut Batch,
    args: &cli::Incoming,
    yes: bool,
    limit: Duration,
) -> Result<()> {
    let taken = batch.skills.iter().flat_map(|skill| &skill.copies).filter(|copy| copy.word() == "replace");
    let places: Vec<String> = taken.map(|copy| format!("{}/", project.display(&copy.at))).collect();
    if places.is_empty() {
        return Ok(());
    }
    let alone = batch.skills.len() == 1 && batch.refused.is_empty();
    let how = match args.on_collision {
        OnPlace::Ask if args.dry_run => OnPlace::Skip,
        OnPlace::Ask if !yes && env.prompter.present() => ask(env, &places, limit)?,
        OnPlace::Ask if alone => {
            return Err(Error::new(Code::CreateExists, format!("another skill exists in {}", places.join(", ")))
                .suggest("Say what to do with `--on-collision overwrite|skip|cancel`."));
        }
        OnPlace::Ask => OnPlace::Skip,
        how => how,
    };
    match how {
        OnPlace::Overwrite => {}
        OnPlace::Cancel => {
            return Err(Error::new(Code::CreateCollision, "cancelled at the collision; no changes made")
                .suggest("Both skills were left as they are.")
                .by_choice());
        }
        OnPlace::Skip | OnPlace::Ask => {
            let free = |skill: &IncomingSkill| skill.copies.iter().all(|copy| copy.word() != "replace");
            let (free, taken): (Vec<_>, Vec<_>) = std::mem::take(&mut batch.skills).into_iter().partition(free);
            batch.skills = free;
            let why = "another skill of that name exists there; `--on-collision overwrite` replaces it after a backup";
            batch.refused.extend(taken.iter().map(|skill| Refused::new(&skill.name, &skill.shown, why)));
        }
    }
    Ok(())
}

fn ask(env: &mut Env, places: &[String], limit: Duration) -> Result<OnPlace> {
    const SHOWN: usize = 20;
    let more = places.len().saturating_sub(SHOWN);
    let mut list: Vec<&str> = places.iter().take(SHOWN).map(String::as_str).collect();
    let rest = format!("and {} more", ui::count(more, "place"));
    if more > 0 {
        list.push(&rest);
    }
    env.say(&format!("Another skill exists in {}.", list.join(", ")));
    let choices: &[&str] = &["overwrite", "skip", "cancel"];
    let question = Question { choices, ..Question::typed("What should happen?", limit, "--on-collision HOW") };
    let help =
        "overwrite  replace it, after a backup\nskip       leave it, and the new one out\ncancel     change nothing";
    Ok([OnPlace::Overwrite, OnPlace::Skip, OnPlace::Cancel][consent::pick(env, &question, help, limit)?.min(2)])
}
