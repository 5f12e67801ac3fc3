//! The human gate: the preview, the one question that permits writing, and the only place an approval is made.

use std::time::{Duration, Instant};

pub use crate::transaction::consent::By;

use super::{Decision, Draft, Run, Trigger, Verdict, ask::PromptKind, preview, remembered, revise};
use super::{approve::Plan, draft::Source};
use crate::error::{Code, Error, Result};
use crate::rules::quality::checklist::{Grade, Point};
use crate::skill::printable;
use crate::terminal::prompt::Question;

/// The permission to write exactly this plan. Only this file makes one; `persist` consumes it.
///
/// ```compile_fail
/// fn forge(proposal: hefesto::create::Proposal) -> hefesto::create::Approved {
///     hefesto::create::Approved { proposal, by: hefesto::create::By::Person }
/// }
/// ```
pub struct Approved {
    proposal: Proposal,
    by: By,
}

/// What is shown at the gate: the plan, and the draft it was made of.
#[derive(Debug, Clone)]
pub struct Proposal {
    pub plan: Plan,
    pub draft: Draft,
    pub warnings: Vec<crate::rules::finding::Finding>,
    pub points: Vec<Point>,
    pub grade: Grade,
    /// Whether the skill will trigger beside the other skills, and which clients see it.
    pub trigger: Trigger,
    pub can_draft: bool,
}

impl Approved {
    pub fn by(&self) -> By {
        self.by
    }

    /// Consumes the permission.
    pub fn into_parts(self) -> (Proposal, By) {
        (self.proposal, self.by)
    }
}

/// The answer at the gate: its name in RUN-4, and what the run does next; `None`: rejected.
type GateAnswer = (Option<&'static str>, Option<Verdict>);

/// What the run does next. Errors: E-CREATE-011 on a rejection.
pub(super) fn verdict(run: &mut Run<'_>, decided: Option<Verdict>) -> Result<Verdict> {
    let Some(verdict) = decided else {
        run.record.decision = Decision::Reject;
        return Err(Error::new(Code::CreateRejected, "rejected; no changes made")
            .suggest("Run the command again with other words, or `edit` at the gate.")
            .by_choice());
    };
    if let Verdict::Approved(approved) = &verdict {
        run.record.decision = Decision::Approve;
        if approved.by == By::Answers {
            run.record.details.insert("approved_by".into(), approved.by.log_word().into());
        }
    }
    Ok(verdict)
}

fn approved(proposal: Proposal, by: By) -> GateAnswer {
    (Some("approve"), Some(Verdict::Approved(Box::new(Approved { proposal, by }))))
}

const CHOICES: &[&str] = &["approve", "expand", "edit", "view", "reject"];
/// The choices when an AI CLI wrote the text, or could.
const WITH_REVISE: &[&str] = &["approve", "revise", "expand", "edit", "view", "reject"];
/// Offered with the number of each line from the memory.
const REJECT_MEMORY: &str = "reject-memory ";

/// Shows the plan and waits for one of the answers. A timeout, the end of input and unknown words never approve.
/// Errors: E-CREATE-011 at the end of input, E-CREATE-012 on silence, E-TXN-002 when `--approve` names another content.
pub(super) fn gate(run: &mut Run<'_>, proposal: Proposal) -> Result<GateAnswer> {
    if run.args.dry_run {
        return Ok((None, Some(Verdict::Shown(Box::new(proposal)))));
    }
    if let Some(wanted) = run.args.approve.clone() {
        let digest = proposal.plan.digest();
        if wanted != digest {
            run.record.decision = Decision::DigestMismatch;
            let message = format!("`--approve {wanted}` was given, and what would be written has the digest {digest}");
            let cure = "Look at it again with `--dry-run`, then approve the digest it prints.";
            return Err(Error::new(Code::Changed, message).suggest(cure));
        }
        return Ok(approved(proposal, By::Flag));
    }
    let before = run.revised.take();
    let shown = preview::preview(run.env.err_style(), &proposal, before.as_ref(), run.initialises().as_deref());
    if run.yes {
        // What another program wrote is shown in full.
        let own = proposal.draft.drafted_by.is_none();
        let short = own && !run.env.err_is_terminal && run.env.volume < 1;
        let shown = if short { preview::summary(run.env.err_style(), &proposal) } else { shown };
        run.env.tell(shown.trim_end());
        run.env.tell("Approved by flag (--yes).");
        return Ok(approved(proposal, By::Flag));
    }
    match run.person() {
        true => run.env.say(shown.trim_end()),
        false => run.env.tell(shown.trim_end()),
    }
    ask(run, proposal)
}

fn ask(run: &mut Run<'_>, proposal: Proposal) -> Result<GateAnswer> {
    let limit = run.gate_limit();
    let (start, watch) = (Instant::now(), run.env.watch());
    let mut busy = Duration::ZERO; // editing, expanding or waiting for a revision does not count
    let drafter = revise::available(run, &proposal.draft);
    let always = if drafter.is_some() { WITH_REVISE } else { CHOICES };
    let rejections = (1..=proposal.draft.remembered.len()).map(|number| format!("{REJECT_MEMORY}{number}"));
    let offered: Vec<String> = always.iter().map(|word| (*word).to_owned()).chain(rejections).collect();
    let choices: Vec<&str> = offered.iter().map(String::as_str).collect();
    let help = help(drafter.as_ref().map(|drafter| drafter.title.as_str()), !proposal.draft.remembered.is_empty());
    if let Some(note) = &proposal.draft.note {
        let said = format!("Interrupted, and not done: \"{}\". `revise` takes it up again.", printable(note));
        run.env.say(&said);
    }
    loop {
        let silent = start.elapsed().saturating_sub(busy);
        let left = limit.saturating_sub(silent).max(Duration::from_millis(1));
        let question = Question { choices: &choices, ..Question::typed("Write this?", left, "--yes") };
        let (picked, note) = run.pick_noted(PromptKind::Gate, &question, "revise", &help)?;
        run.record.response_seconds = Some(watch.elapsed().as_secs_f64());
        let began = Instant::now();
        let (changed, word) = match (choices[picked], &drafter) {
            ("approve", _) => return Ok(approved(proposal, By::prompted(run.env))),
            ("reject", _) => return Ok((Some("reject"), None)),
            ("view", _) => {
                run.env.say(preview::everything(run.env.err_style(), &proposal.plan).trim_end());
                continue;
            }
            ("revise", Some(drafter)) => {
                let revised = revise::revise(run, &proposal.draft, drafter, &note)?;
                if revised.is_some() {
                    run.revised = Some(proposal.draft.clone());
                }
                (revised, "revise")
            }
            ("expand", _) => (revise::expand(run, &proposal.draft)?, "expand"),
            (word, _) if word.starts_with(REJECT_MEMORY) => {
                (Some(remembered::leave_out(run, &proposal.draft, picked - always.len())?), "reject-memory")
            }
            _ => (revise::edit(run, &proposal.draft)?, "edit"),
        };
        if let (Some(draft), "edit") = (&changed, word) {
            run.record.added.extend(remembered::added(&proposal.draft.text, &draft.text));
        }
        if let Some(draft) = changed {
            return Ok((Some(word), Some(Verdict::Revise(Source::Draft(Box::new(draft))))));
        }
        busy += began.elapsed();
    }
}

/// What each answer does; `drafter` is whom `revise` asks, `remembered` whether there are lines from the memory.
fn help(drafter: Option<&str>, remembered: bool) -> String {
    let revise =
        drafter.map(|by| format!("revise   let {} change the text: `revise: make it shorter`\n", printable(by)));
    let help = HELP.replacen("expand ", &format!("{}expand ", revise.unwrap_or_default()), 1);
    if remembered { help + REJECTS_MEMORY } else { help }
}

const HELP: &str = "\
approve  write exactly what is shown
expand   add scripts, references or assets
edit     open SKILL.md in your editor
view     show every file in full
reject   write nothing";

const REJECTS_MEMORY: &str = "\nreject-memory N  take out remembered line N, here and in later skills";
