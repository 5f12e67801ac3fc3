//! `rename OLD NEW`: another name for a skill, in every copy, in the registry, and in what links to it.

use serde_json::json;

use super::skills::{self, Skills};
use crate::error::{Code, Error, Result};
use crate::project::Project;
use crate::project::copies::{self, Copies, Copy};
use crate::registry::Op;
use crate::report::Report;
use crate::skill::rename::{called_in, renamed, repointed};
use crate::skill::{Name, Tree, version::version};
use crate::system::env::Env;
use crate::transaction::operation::{self, Operation, Step};

/// Files of a project that tell agents what to use.
const CONTEXT: &[&str] = &["AGENTS.md", "CLAUDE.md", "GEMINI.md", ".github/copilot-instructions.md"];

const CONTEXT_BYTES: usize = 1 << 20;

const SHOWN: usize = 10;

/// Runs `hefesto rename`. Errors: E-SKILL-001 if no skill has this name; E-RENAME-001 if the new one is taken; ERR-007
/// if it is invalid; E-CREATE-005 if a rule forbids it.
pub(super) fn rename(env: &mut Env, project: &Project, args: &crate::cli::Rename, yes: bool) -> Result<Report> {
    let skills = Skills::open(env, project)?;
    let skill = skills.named(&args.old)?;
    let new = Name::parse(&args.new).map_err(|_| bad_name(&args.new))?.to_string();
    free(&skills, &skill, &new)?;
    let mut rename = Renaming { project, skill: &skill, new: &new, operation: Operation::default() };
    for copy in &skill.all {
        rename.copy(copy)?;
    }
    accept(&skills, &rename)?;
    let (mut linked, mut left) = (Vec::new(), Vec::new());
    let others = skills.all();
    for other in others.iter().filter(|other| other.name != skill.name) {
        for copy in &other.all {
            let Some(after) = copy.tree().and_then(|tree| repointed(tree, &skill.name, &new)) else { continue };
            if copy.is_own() {
                rename.link(copy, after);
                linked.push(other.name.clone());
            } else {
                left.push(project.display(&copy.at));
            }
        }
    }
    linked.dedup();
    if !left.is_empty() {
        let (left, was) = (left.join(", "), &skill.name);
        let said = format!("{left} links to `{was}` and was not installed by hefesto; it was left as it is.");
        env.warn(Code::Drift, said);
    }
    still_called(env, project, &others, &skill.name, &rename.operation);
    let now = env.stamp();
    let mut ops = vec![Op::RenameSkill { name: skill.name.clone(), to: new.clone(), at: now.clone() }];
    if Name::parse(&skill.name).is_err() {
        // The registry could not list it under the name it had.
        let clis = skill.all.iter().filter(|copy| copy.is_own()).map(|copy| copy.target.id.clone()).collect();
        ops.push(Op::UpsertSkill { name: new.clone(), clis, at: now });
    }
    let operation = Operation {
        command: "rename",
        name: operation::called(&skill.name),
        ops,
        keep_backup: true,
        why: Some(format!("renamed from {} to {new}", skill.name)),
        ..rename.operation
    };
    let done = skills::carry_out(env, project, &operation, yes, skills.settings.gate_limit())?;
    let data = json!({ "name": new, "was": skill.name, "copies": operation.json(project), "linked": linked });
    let mut text = format!("{} `{}` is called `{new}` now.\n", env.style.tick(), skill.name);
    for step in operation.steps.iter().filter(|step| step.after.is_some()) {
        text.push_str(&format!("  {} {}/\n", step.word(), project.shown(&step.at)));
    }
    text.push_str(skills::BACK);
    Ok(done.report(env, data, text))
}

/// Names the places that call the skill by its former name in their own words, which are left as they are.
fn still_called(env: &mut Env, project: &Project, others: &[Copies], name: &str, operation: &Operation) {
    let mut places: Vec<String> = Vec::new();
    let mut note = |shown: &str, text: &str| {
        places.extend(called_in(text, name).iter().map(|line| format!("{shown}:{line}")));
    };
    let others = others.iter().filter(|other| other.name != name).flat_map(|other| &other.all);
    for copy in others.filter(|copy| copy.is_own()) {
        let after = operation.steps.iter().find(|step| step.at == copy.at).and_then(|step| step.after.as_ref());
        if let Some(text) = after.or(copy.tree()).and_then(|tree| tree.text("SKILL.md")) {
            note(&format!("{}/SKILL.md", project.display(&copy.at)), text);
        }
    }
    for file in CONTEXT {
        let read = project.rooted(file).and_then(|file| file.read(CONTEXT_BYTES)).ok();
        if let Some(text) = read.and_then(|bytes| String::from_utf8(bytes).ok()) {
            note(file, &text);
        }
    }
    if places.is_empty() {
        return;
    }
    let places = skills::first(places, SHOWN).join(", ");
    env.warn(Code::Drift, format!("`{name}` is still called so, which is left as it is: {places}."));
}

fn bad_name(given: &str) -> Error {
    let error = Error::new(Code::BadName, format!("{given:?} is not a skill name"));
    match Name::sanitise(given) {
        Some(name) => error.suggest(format!("Lowercase letters, digits and single hyphens, such as `{name}`.")),
        None => error.suggest("It takes lowercase letters, digits and single hyphens."),
    }
}

/// Refuses a name that exists where the skill goes.
fn free(skills: &Skills<'_>, skill: &Copies, new: &str) -> Result<()> {
    if skill.name == new {
        let error = Error::new(Code::RenameTaken, format!("`{new}` is its name already"));
        return Err(error.suggest("Choose another name."));
    }
    let taken = skills.gather(&[new.to_owned()]);
    let Some(copy) = taken.iter().flat_map(|other| &other.all).next() else { return Ok(()) };
    let message = format!("{}/ is there already; nothing was renamed", skills.project.display(&copy.at));
    let delete = format!("Choose another name, or delete that skill first: `hefesto delete {new}`.");
    Err(Error::new(Code::RenameTaken, message).suggest(delete))
}

/// Refuses a name that new findings forbid; rules the skill broke before do not count.
fn accept(skills: &Skills<'_>, rename: &Renaming<'_>) -> Result<()> {
    let (gone, made): (Vec<Step>, Vec<Step>) =
        rename.operation.steps.iter().cloned().partition(|step| step.after.is_none());
    let before: Vec<Step> = gone.into_iter().map(|step| Step { after: step.before.clone(), ..step }).collect();
    match skills.refusal(rename.new, &made) {
        Some(error) if skills.refusal(&rename.skill.name, &before).is_none() => Err(error),
        _ => Ok(()),
    }
}

struct Renaming<'r> {
    project: &'r Project,
    skill: &'r Copies,
    new: &'r str,
    operation: Operation,
}

impl Renaming<'_> {
    fn copy(&mut self, copy: &Copy) -> Result<()> {
        let tree = match &copy.found {
            copies::Found::Files { tree, .. } => tree,
            copies::Found::Nothing => return Ok(()),
            copies::Found::Unreadable(why) => {
                let message = format!("{}/ cannot be read: {why}; nothing was renamed", self.project.display(&copy.at));
                return Err(Error::new(Code::Io, message));
            }
        };
        let (id, to) = (copy.target.id.clone(), copy.target.skill_dir(self.new));
        let after = renamed(tree, &self.skill.name, self.new);
        let (target, at, before) = (id.clone(), copy.at.clone(), Some(tree.clone()));
        self.operation.steps.push(Step { target, at, before, after: None });
        let recipe = copy.base.as_ref().and_then(|base| base.copy.recipe.clone());
        self.row(&id, &copy.at, None, None);
        // An edited copy stays edited: the installed text is recorded under the new name.
        let base = copy.base.as_ref().and_then(|base| base.copy.digest.as_deref());
        let base = base.and_then(|digest| match digest == tree.digest() {
            true => Some(tree.clone()),
            false => crate::transaction::objects::read(self.project.roots(), digest),
        });
        if let Some(base) = base.map(|base| renamed(&base, &self.skill.name, self.new)) {
            self.row(&id, &to, Some(&base), recipe);
            self.operation.objects.push(base);
        }
        self.operation.steps.push(Step { target: id, at: to, before: None, after: Some(after) });
        Ok(())
    }

    fn link(&mut self, copy: &Copy, after: Tree) {
        let (id, before) = (copy.target.id.clone(), copy.tree().cloned());
        let base = copy.base.as_ref().and_then(|base| base.copy.digest.clone());
        if base.is_some() && base == before.as_ref().map(Tree::digest) {
            let recipe = copy.base.as_ref().and_then(|base| base.copy.recipe.clone());
            self.row(&id, &copy.at, Some(&after), recipe);
        }
        self.operation.steps.push(Step { target: id, at: copy.at.clone(), before, after: Some(after) });
    }

    fn row(&mut self, target: &str, at: &str, tree: Option<&Tree>, recipe: Option<String>) {
        let (at, target) = (at.to_owned(), target.to_owned());
        let (digest, version) = (tree.map(Tree::digest), tree.and_then(version));
        let row = crate::memory::InstalledCopy { at, target, digest, version, why: None, recipe };
        self.operation.installed.get_or_insert_default().push(row);
    }
}
