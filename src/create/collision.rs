//! A skill of that name exists: overwrite, merge, rename, skip or cancel. Never by itself.

use std::time::{Duration, Instant};

use super::approve::{Action, Plan, PlannedCopy};
use super::remembered::{self, Choice};
use super::{Decision, Draft, Run, Valid, ask::PromptKind, attachments, checks, draft::Source, preview, validate};
use crate::cli::OnCollision;
use crate::error::{Code, Error, Result, Warning};
use crate::project::{copies, inventory};
use crate::skill::sections::{self, Keep};
use crate::skill::{Name, metadata::Metadata, printable, version::Bump};
use crate::terminal::{prompt::Question, ui};

/// The copies that exist, with the digests of their files.
type Existing = Vec<(String, String)>;

/// The answers at a collision. They stay valid for the same name as long as the same files exist.
#[derive(Debug, Clone, Default)]
pub struct CollisionAnswers {
    /// The answer for a skill of this name where these copies exist.
    how: Option<(String, Existing, OnCollision)>,
    renamed: Option<String>,
    kept: Vec<(String, sections::Difference, Keep)>,
}

impl CollisionAnswers {
    pub(super) fn renamed(&self) -> Option<&str> {
        self.renamed.as_deref()
    }

    fn how(&self, plan: &Plan) -> Option<OnCollision> {
        let (name, existing, how) = self.how.as_ref()?;
        (*name == plan.name && *existing == existing_copies(plan)).then_some(*how)
    }

    fn keep(&self, at: &str, difference: &sections::Difference) -> Option<Keep> {
        self.kept.iter().find(|(known, of, _)| known == at && of == difference).map(|(_, _, keep)| *keep)
    }
}

/// The copies that exist, with the digests of their files.
fn existing_copies(plan: &Plan) -> Vec<(String, String)> {
    let digest =
        |entry: &PlannedCopy| entry.existing.as_ref().map(|existing| existing.tree.digest()).unwrap_or_default();
    plan.collisions().map(|entry| (entry.at.clone(), digest(entry))).collect()
}

/// Decides every collision of the plan. `Some`: the skill was renamed and is checked again.
/// Errors: E-CREATE-003 if nobody decides, E-CREATE-013 on `cancel`, E-CREATE-012 on a timeout.
pub(super) fn resolve(run: &mut Run<'_>, plan: &mut Plan, valid: &Valid) -> Result<Option<Source>> {
    if plan.collisions().next().is_none() {
        offer_add(run, plan);
        return Ok(None);
    }
    let how = match run.args.gate.on_collision {
        Some(OnCollision::Ask) | None if run.args.dry_run => return Ok(None),
        Some(OnCollision::Ask) | None => match run.collision.how(plan) {
            Some(how) => how,
            None => ask(run, plan)?,
        },
        Some(how) => how,
    };
    if matches!(how, OnCollision::Overwrite | OnCollision::Merge | OnCollision::Skip) {
        run.collision.how = Some((plan.name.clone(), existing_copies(plan), how));
    }
    match how {
        OnCollision::Overwrite => plan.decide(Action::Overwrite),
        OnCollision::Merge => merge(run, plan)?,
        OnCollision::Skip => {
            plan.decide(Action::Skip);
            if plan.written().next().is_none() {
                return Err(exists(plan).suggest("Every target has it already: overwrite, merge or rename instead."));
            }
        }
        OnCollision::Rename => return rename(run, plan, valid).map(Some),
        OnCollision::Cancel | OnCollision::Ask => {
            run.record.decision = Decision::CollisionCancel;
            return Err(Error::new(Code::CreateCollision, "cancelled at the collision; no changes made").by_choice());
        }
    }
    Ok(None)
}

/// Suggests `add` if a skill of that name is installed for other clients only.
fn offer_add(run: &mut Run<'_>, plan: &Plan) {
    let there = inventory::holding(&run.project, run.settings.targets.iter(), &plan.name);
    let there: Vec<&str> = there.into_iter().map(|target| target.id.as_str()).collect();
    if there.is_empty() {
        return;
    }
    let new: Vec<&str> = plan.entries.iter().map(|entry| entry.target.id.as_str()).collect();
    let said = format!(
        "`{0}` is installed for {1}; `hefesto add {0} --target {2}` installs that text there too, where this is another one.",
        plan.name,
        there.join(", "),
        new.join(",")
    );
    run.env.note_once(Warning::new(Code::NameInUse, said));
}

fn exists(plan: &Plan) -> Error {
    let places: Vec<&str> = plan.collisions().map(|entry| entry.display_path.as_str()).collect();
    Error::new(Code::CreateExists, format!("skill `{}` already exists in {}", plan.name, places.join(", ")))
}

fn ask(run: &mut Run<'_>, plan: &Plan) -> Result<OnCollision> {
    if run.yes || !run.person() {
        run.record.decision = if run.yes { Decision::CollisionUnanswered } else { Decision::Nobody };
        return Err(exists(plan));
    }
    run.env.say(preview::collision(run.env.err_style(), plan).trim_end());
    recall(run, &plan.name, remembered::COLLISION);
    let free = plan.entries.iter().any(|entry| entry.existing.is_none());
    let choices: &[&str] = if free {
        &["overwrite", "merge", "rename", "skip", "cancel"]
    } else {
        &["overwrite", "merge", "rename", "cancel"]
    };
    let question = Question::typed("What should happen?", run.gate_limit(), "--on-collision HOW");
    let question = Question { choices, ..question };
    let help = COLLISION_HELP.iter().filter(|(word, _)| choices.contains(word));
    let help: Vec<String> = help.map(|(word, meaning)| format!("{word:<11}{meaning}")).collect();
    let picked = run.pick(PromptKind::Collision, &question, &help.join("\n"))?;
    let (skill, word) = (plan.name.clone(), choices[picked]);
    run.record.choices.push(Choice::Chosen { skill, about: remembered::COLLISION.to_owned(), word });
    Ok(word.parse().unwrap_or(OnCollision::Cancel))
}

/// Says what was chosen the last time, for this skill or for one on the same subject.
fn recall(run: &mut Run<'_>, skill: &str, about: &str) {
    let state = run.state(crate::memory::ring::Phase::Intake).ok().flatten().unwrap_or_default();
    let asked = state["description"].as_str().unwrap_or_default();
    if let Some((of, word)) = remembered::chosen_before(run, skill, asked, about) {
        let said = format!("As for `{}` before: {}.", printable(&of), printable(&word));
        run.env.say(&said);
    }
}

const COLLISION_HELP: [(&str, &str); 5] = [
    ("overwrite", "replace every copy, after a backup"),
    ("merge", "keep what exists, add what is new, section by section, after a backup"),
    ("rename", "install under another name"),
    ("skip", "leave existing copies, write the others"),
    ("cancel", "change nothing"),
];

const KEEP_HELP: &str = "existing   keep the text that is installed\nnew        take the text of this run";

fn rename(run: &mut Run<'_>, plan: &Plan, valid: &Valid) -> Result<Source> {
    let draft = valid.draft().clone();
    if let Some(given) = run.args.gate.rename_to.take() {
        let name = Name::parse(&given).map_err(|_| checks::bad_name(&given))?;
        return Ok(renamed(run, draft, &name));
    }
    if run.yes
        || !run.person()
        || run.args.gate.on_collision == Some(OnCollision::Rename) && run.collision.renamed().is_some()
    {
        return Err(exists(plan).suggest("Give a free name with `--rename-to NAME`."));
    }
    let (limit, start) = (run.gate_limit(), Instant::now());
    let question = Question::typed("New name", limit, "--rename-to NAME");
    for _ in 0..run.env.prompter.attempts() {
        let left = limit.saturating_sub(start.elapsed()).max(Duration::from_millis(1));
        let question = Question { limit: Some(left), ..question.clone() };
        let given = run.ask(PromptKind::Collision, &question)?;
        let Some(name) = Name::sanitise(&given) else {
            run.env.say("No name can be made of that: use letters, digits and hyphens.");
            continue;
        };
        if name.as_str() != given {
            run.env.say(&format!("The name becomes `{name}`."));
        }
        let taken = draft.targets.iter().any(|target| run.project.exists(&target.skill_dir(name.as_str())));
        if taken {
            run.env.say(&format!("`{name}` exists too."));
            continue;
        }
        return Ok(renamed(run, draft, &name));
    }
    Err(run.not_understood(PromptKind::Collision, &question))
}

/// Renames a draft: in the frontmatter, metadata.yaml and the directory.
fn renamed(run: &mut Run<'_>, mut draft: Draft, name: &Name) -> Source {
    draft.text = crate::skill::frontmatter::with_name(&draft.text, name.as_str());
    draft.metadata.name = name.to_string();
    draft.name = name.to_string();
    attachments::rename_evals(&mut draft);
    run.collision.renamed = Some(name.to_string());
    Source::Draft(Box::new(draft))
}

/// Merges each copy with the existing one, separately. Without a person every existing section is kept.
fn merge(run: &mut Run<'_>, plan: &mut Plan) -> Result<()> {
    let person = run.person() && !run.yes && !run.args.dry_run;
    let (mut failed, now) = (None, run.env.stamp());
    for entry in plan.entries.iter_mut().filter(|entry| entry.existing.is_some()) {
        let Some(existing) = entry.existing.clone() else { continue };
        let new = entry.tree.text("SKILL.md").unwrap_or_default().to_owned();
        let merged = match existing.tree.text("SKILL.md") {
            Some(old) => {
                let mut decide = |difference: &sections::Difference| {
                    if !person || failed.is_some() {
                        return Keep::Existing;
                    }
                    choose(run, (&plan.name, &entry.display_path), difference).unwrap_or_else(|error| {
                        failed = Some(error);
                        Keep::Existing
                    })
                };
                sections::merge(old, &new, &mut decide).text
            }
            None => new,
        };
        if let Some(error) = failed.take() {
            return Err(error);
        }
        join(entry, &existing.tree, merged);
        let revision = copies::Revision { bump: Bump::Patch, now: &now };
        entry.tree = copies::revise(Some(&existing.tree), std::mem::take(&mut entry.tree), revision);
    }
    plan.decide(Action::Merge);
    validate::recheck(&plan.name, plan.written(), &run.settings.severities)
}

/// The merged copy: all existing files, the merged text, new resources, and an updated metadata.yaml.
fn join(entry: &mut PlannedCopy, old: &crate::skill::Tree, merged: String) {
    let fresh = std::mem::replace(&mut entry.tree, old.clone());
    for (path, blob) in fresh.iter() {
        if path.contains('/') && old.get(path).is_none() {
            entry.tree.put_blob(path, blob.clone());
        }
    }
    entry.tree.put("SKILL.md", merged);
    let new_metadata = fresh.text("metadata.yaml").and_then(|text| Metadata::parse(text).ok());
    let old_metadata = old.text("metadata.yaml").and_then(|text| Metadata::parse(text).ok());
    match (old_metadata, new_metadata) {
        (Some(mut kept), Some(new)) => {
            kept.updated = new.updated;
            entry.tree.put("metadata.yaml", kept.to_yaml());
        }
        (None, Some(new)) if old.get("metadata.yaml").is_none() => entry.tree.put("metadata.yaml", new.to_yaml()),
        _ => {}
    }
}

fn choose(run: &mut Run<'_>, (skill, at): (&str, &str), difference: &sections::Difference) -> Result<Keep> {
    if let Some(keep) = run.collision.keep(at, difference) {
        return Ok(keep);
    }
    let text = ui::diff(run.env.err_style(), &difference.existing, &difference.new, usize::MAX);
    let heading = run.env.err_style().rule(&format!("{at}: {}", difference.place));
    run.env.say(&format!("{heading}\n{}", text.trim_end()));
    recall(run, skill, &difference.place);
    let question = Question::typed("Keep which?", run.gate_limit(), "--on-collision merge --yes");
    let question = Question { choices: &["existing", "new"], ..question };
    let picked = run.pick(PromptKind::Collision, &question, KEEP_HELP)?;
    let (skill, about) = (skill.to_owned(), difference.place.clone());
    run.record.choices.push(Choice::Chosen { skill, about, word: question.choices[picked] });
    let keep = if picked == 0 { Keep::Existing } else { Keep::New };
    run.collision.kept.push((at.to_owned(), difference.clone(), keep));
    Ok(keep)
}
