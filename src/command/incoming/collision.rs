//! Collisions of an import: if another skill has the path, it is replaced after a backup, or left, or the import ends.

use std::time::Duration;

use super::{Batch, Refused};
use crate::cli::{self, OnPlace};
use crate::error::{Code, Error, Result};
use crate::project::Project;
use crate::system::env::Env;
use crate::terminal::{prompt::Question, ui};
use crate::transaction::consent;

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
            let free = |skill: &super::IncomingSkill| skill.copies.iter().all(|copy| copy.word() != "replace");
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
    let text = env.err_style().fold(&format!("Another skill exists in {}.", list.join(", ")), 2);
    env.say(&text);
    let choices: &[&str] = &["overwrite", "skip", "cancel"];
    let question = Question { choices, ..Question::typed("What should happen?", limit, "--on-collision HOW") };
    let help =
        "overwrite  replace it, after a backup\nskip       leave it, and the new one out\ncancel     change nothing";
    Ok([OnPlace::Overwrite, OnPlace::Skip, OnPlace::Cancel][consent::pick(env, &question, help, limit)?.min(2)])
}
