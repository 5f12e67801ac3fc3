//! Asks at a terminal whether an AI CLI shall draft the skill, and stores a permanent answer in the user's settings.

use super::draft::SkillRequest;
use super::drafter::{self, Drafter};
use super::{Draft, Run, ask::PromptKind, assignment::assignment, compose::understand, validate};
use crate::client::drafting::{Line, Origin};
use crate::config::{self, DraftMode, Origin as SetBy};
use crate::error::Result;
use crate::report::slashed::Slashed;
use crate::skill::printable;
use crate::terminal::prompt::{self, Question};
use crate::terminal::ui::count;

/// How many known lines are shown above the question.
const SHOWN: usize = 8;

const ANSWERS: [&str; 4] = ["yes", "no", "always", "never"];

/// Which CLI shall draft: the flag's, or the first one installed if the person agrees. `None`: none.
/// Errors: As every prompt of the wizard: a timeout is not a yes.
pub(super) fn wanted(run: &mut Run<'_>, request: &SkillRequest, first: &Draft) -> Result<Option<Option<String>>> {
    if let Some(flag) = &run.args.draft {
        return Ok(Some(flag.clone()));
    }
    let settled = request.body.is_some() || run.args.template.is_some();
    if settled || !is_asked(run) || !validate::errors(first, &run.settings.severities).is_empty() {
        return Ok(None);
    }
    let Ok(drafter) = drafter::choose(run, None) else { return Ok(None) };
    let yes = run.settings.draft_mode.value == DraftMode::Always || ask(run, request, first, &drafter)?;
    Ok(yes.then_some(None))
}

/// Whether the question is asked at all. A file of answers is asked only if the settings say `ask` explicitly:
/// otherwise a newly installed CLI would shift its lines.
fn is_asked(run: &Run<'_>) -> bool {
    let mode = &run.settings.draft_mode;
    match mode.value {
        DraftMode::Never => false,
        DraftMode::Always => run.attended(),
        DraftMode::Ask => run.attended() || (mode.origin != SetBy::Default && run.scripted()),
    }
}

fn ask(run: &mut Run<'_>, request: &SkillRequest, first: &Draft, drafter: &Drafter) -> Result<bool> {
    let understood = understand(run.env, &run.project, request)?;
    let known = assignment(&understood, first, request, &run.skills()).lines;
    show(run, &known);
    let title = printable(&drafter.title);
    let here = if drafter.id == "command" { "configured" } else { "installed" };
    let said = format!(
        "{title} is {here}. Let it draft the skill? It gets the sentence and the facts above through your own account."
    );
    let said = run.env.err_style().fold(&said, 0);
    run.env.say(&said);
    // One line of its own, typed: what is sent leaves this machine.
    let question = Question::typed("[Y/n, always, never]", run.wizard_limit(), "--draft");
    for _ in 0..run.env.prompter.attempts() {
        let line = run.ask(PromptKind::Wizard, &question)?;
        let picked = match line.to_lowercase().as_str() {
            "" => 0,
            "n" => 1,
            word => match prompt::choose(word, &ANSWERS) {
                prompt::Choice::Picked(picked) => picked,
                _ => {
                    let said = format!("{} Answer yes, no, always or never.", prompt::wrong(&line, &ANSWERS));
                    run.env.say(&said);
                    continue;
                }
            },
        };
        match picked {
            2 => keep(run, DraftMode::Always),
            3 => keep(run, DraftMode::Never),
            _ => {}
        }
        return Ok(matches!(picked, 0 | 2));
    }
    Err(run.not_understood(PromptKind::Wizard, &question))
}

/// Shows the known lines besides the sentence: those of the author, the house rules and the repository; of packs the
/// number.
fn show(run: &mut Run<'_>, known: &[Line]) {
    let mut own: Vec<&Line> = known.iter().filter(|line| line.origin != Origin::Pack).collect();
    own.sort_by_key(|line| line.origin);
    let packs = known.len() - own.len();
    let style = run.env.err_style();
    let mut text = format!("{}\n", style.rule("Known"));
    for line in own.iter().take(SHOWN) {
        let place = if line.place.is_empty() { String::new() } else { format!(" ({})", line.place) };
        text.push_str(&style.fold(&format!("  {}{place}\n", printable(&line.text)), 4));
    }
    if own.len() > SHOWN {
        text.push_str(&format!("  ... and {} more\n", own.len() - SHOWN));
    }
    let of_packs = format!("  {} of domain packs\n", count(packs, "checked line"));
    text.push_str(match (own.len(), packs) {
        (0, 0) => "  nothing but the sentence\n",
        (_, 0) => "",
        _ => &of_packs,
    });
    run.env.say(text.trim_end());
}

/// Stores the answer in the user's own settings; if that fails, it applies to this run only, with a warning.
fn keep(run: &mut Run<'_>, mode: DraftMode) {
    let word = mode.word();
    run.settings.draft_mode.value = mode;
    let said = match config::keep(run.env, mode) {
        Ok(path) => format!("Kept: draft.mode = \"{word}\" in {}.", path.slashed()),
        Err(why) => format!("This once only: draft.mode = \"{word}\" could not be kept: {why}."),
    };
    run.env.say(&said);
}
