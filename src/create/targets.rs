//! Which AI CLIs the skill is for, and where the copies go: each client's own directory, or one copy in the shared
//! directory for all clients that read it.

use super::{Run, ask::PromptKind, wizard};
use crate::cli;
use crate::client::target::{Layout, SHARED, Selection, Target, Targets};
use crate::error::{Code, Result};
use crate::project::default_targets::{Laid, Layouts};
use crate::terminal::prompt::Question;

/// The targets a selection resolves to.
/// Errors: E-CREATE-004 for an unknown id, or if nothing is detected and nobody can be asked.
pub(super) fn chosen(run: &mut Run<'_>, flag: Option<&Selection>) -> Result<Vec<Target>> {
    let from_settings: Selection = run.settings.target.value.parse().unwrap_or(Selection::All);
    match flag.unwrap_or(&from_settings).clone() {
        Selection::Named(ids) => named(run, &ids).map(|targets| lay_out(run, |all| all.named(targets))),
        Selection::All => {
            let here = present(run);
            if here.is_empty() {
                menu(run, false).map(Option::unwrap_or_default)
            } else {
                Ok(lay_out(run, |all| all.all(here)))
            }
        }
    }
}

/// [`chosen`] as a step of the wizard; `None`: one step back.
pub(super) fn of_wizard(run: &mut Run<'_>) -> Result<Option<Vec<Target>>> {
    match run.settings.target.value.parse() {
        Ok(Selection::Named(_)) => chosen(run, None).map(Some),
        _ => menu(run, true),
    }
}

/// The targets named in a typed line. Errors: E-CREATE-004 for an unknown id.
pub(super) fn typed(run: &mut Run<'_>, line: &str) -> Result<Vec<Target>> {
    let ids = picks(line, &entries(&run.settings.targets).0);
    named(run, &ids).map(|targets| lay_out(run, |all| all.named(targets)))
}

fn layouts<'l>(run: &'l mut Run<'_>) -> Layouts<'l> {
    let clients = run.clients();
    let flag = run.args.layout.map(|layout| match layout {
        cli::Layout::Native => Layout::Native,
        cli::Layout::Shared => Layout::Shared,
    });
    let (project, settings, governed) = (&run.project, &run.settings, &run.governed);
    let here = clients.iter().map(|client| client.row.id.clone()).collect();
    let served = clients.into_iter().flat_map(|client| client.serves).collect();
    Layouts { project, settings, governed, here, served, flag }
}

/// All detected clients, and those a person registered by hand.
pub(super) fn present(run: &mut Run<'_>) -> Vec<Target> {
    layouts(run).present()
}

/// Checks ids against the table.
/// Errors: E-CREATE-004 naming the unknown ones and listing all, or when `agents` would be doubled.
pub(super) fn named(run: &mut Run<'_>, ids: &[String]) -> Result<Vec<Target>> {
    let targets = crate::client::detect::named(&run.settings.targets, ids)?;
    let here = run.clients();
    for target in &targets {
        if here.iter().any(|client| client.row.id == target.id)
            || run.governed.manual(&target.id)
            || target.id == SHARED
        {
            continue;
        }
        let shared = layouts(run).shares_named() && target.also_reads.iter().any(|dir| dir == ".agents/skills");
        let dir = run.project.display(if shared { ".agents/skills" } else { target.skills_dir.as_str() });
        run.env
            .warn(Code::NoBinary, format!("{} was not detected; the skill is written to {dir} anyway.", target.title));
    }
    Ok(targets)
}

/// Asks for the targets where none is detected; `None` only in the wizard: one step back.
fn menu(run: &mut Run<'_>, in_wizard: bool) -> Result<Option<Vec<Target>>> {
    if !run.person() || run.yes {
        return Err(crate::error::Error::new(Code::CreateNoTarget, "no AI CLI was detected and no target is named")
            .suggest(format!(
                "Name one: `hefesto create {} --target claude`. Known targets: {}.",
                shell_words::quote(run.args.description.as_deref().unwrap_or("...")),
                run.settings.targets.ids()
            )));
    }
    run.env.say("No AI CLI was detected. Which ones is the skill for?");
    let (mut ids, mut labels) = entries(&run.settings.targets);
    // If nothing was detected, the directory that most clients read comes first.
    if let Some(at) = ids.iter().position(|id| id == SHARED) {
        ids[..=at].rotate_right(1);
        labels[..=at].rotate_right(1);
    }
    let choices: Vec<&str> = ids.iter().map(String::as_str).collect();
    let limit = Some(run.wizard_limit());
    let escape = in_wizard.then_some("back");
    let question = Question { limit, escape, ..question(&choices, &labels) };
    for _ in 0..run.env.prompter.attempts() {
        let line = run.ask(PromptKind::Wizard, &question)?;
        if let Some(left) = wizard::left(run, &line).filter(|left| in_wizard || left.is_err()) {
            return left.map(|()| None);
        }
        let picked = if line.eq_ignore_ascii_case("all") { ids.clone() } else { picks(&line, &ids) };
        if let (false, Ok(targets)) = (picked.is_empty(), named(run, &picked)) {
            return Ok(Some(targets));
        }
        run.env.say(&format!("Choose from: {}", ids.join(", ")));
    }
    Err(run.not_understood(PromptKind::Wizard, &question))
}

/// The menu of the targets, by their ids and labels.
pub(super) fn question<'q>(choices: &'q [&'q str], labels: &'q [String]) -> Question<'q> {
    Question { text: "Targets", choices, labels, several: true, flag: "--target LIST", ..Question::default() }
}

/// The ids of all targets, and their labels in a menu.
pub(super) fn entries(targets: &Targets) -> (Vec<String>, Vec<String>) {
    targets.iter().map(|target| (target.id.clone(), format!("{} ({})", target.title, target.id))).unzip()
}

/// Turns numbers (1-based) into ids and leaves ids as they are.
pub(super) fn picks(line: &str, ids: &[String]) -> Vec<String> {
    line.split([',', ' '])
        .map(str::trim)
        .filter(|word| !word.is_empty())
        .map(|word| {
            let number = word.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
            number.and_then(|index| ids.get(index)).cloned().unwrap_or_else(|| word.to_ascii_lowercase())
        })
        .collect()
}

/// Lays the targets out in the directories of the project.
pub(super) fn lay_out(run: &mut Run<'_>, lay: impl FnOnce(&Layouts<'_>) -> Laid) -> Vec<Target> {
    let laid = lay(&layouts(run));
    if let Some(line) = laid.told(&run.project) {
        run.env.tell(&line);
    }
    laid.targets
}
