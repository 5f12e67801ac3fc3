//! The wizard: description, name, instructions, resources, targets, review. `back` keeps what was given.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::draft::{self, SkillRequest};
use super::last_run::LastRun;
use super::{Attachments, Decision, Resource, Run, ask::PromptKind, attachments, checks, resource, targets};
use crate::client::target::Target;
use crate::error::{Code, Error, Result};
use crate::memory::RunEvent;
use crate::rules::input::{self, Field};
use crate::skill::{Name, read};
use crate::terminal::prompt::{self, Question};

/// The argument that gives the description without a prompt.
const ARGUMENT: &str = "hefesto create DESCRIPTION";

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Step {
    Description,
    Name,
    Instructions,
    Resources,
    Targets,
    Review,
}

impl Step {
    const ALL: [Self; 6] =
        [Self::Description, Self::Name, Self::Instructions, Self::Resources, Self::Targets, Self::Review];

    fn before(self) -> Option<Self> {
        (self as usize).checked_sub(1).map(|before| Self::ALL[before])
    }

    fn after(self) -> Self {
        Self::ALL.get(self as usize + 1).copied().unwrap_or(self)
    }
}

/// The answers so far.
#[derive(Debug, Clone, Default)]
struct Answers {
    description: String,
    name: String,
    instructions: String,
    resources: Vec<Resource>,
    targets: Vec<Target>,
    attachments: Attachments,
}

enum Reply {
    Next,
    Back,
    Go(Step),
    Done,
}

/// Asks for everything a request needs. Errors: E-CREATE-010 on `cancel`, E-CREATE-012 on a timeout; if scripted
/// answers are wrong three times in a row, E-USAGE-002, or E-CREATE-007, -001 or -009 for a description.
pub(super) fn wizard(run: &mut Run<'_>, kept: Option<&Value>) -> Result<SkillRequest> {
    let (mut step, mut answers) = match kept.map(|kept| restored(run, kept)) {
        Some(restored) => restored,
        None => {
            let name = run.request.args.name.clone().unwrap_or_default();
            (Step::Description, Answers { name, attachments: attachments::take(run)?, ..Answers::default() })
        }
    };
    let selection = run.request.args.target.clone();
    if selection.is_some() {
        match targets::chosen(run, selection.as_ref()) {
            Ok(targets) => answers.targets = targets,
            // The targets step asks for others.
            Err(error) if error.code() == Code::CreateNoTarget && run.mends() => run.env.complain(&error),
            Err(error) => return Err(error),
        }
    }
    introduce(run, &answers);
    let last_run = LastRun::find(run);
    last_run.license(run);
    loop {
        let reply = match step {
            Step::Description => description(run, &mut answers),
            Step::Name => name(run, &mut answers),
            Step::Instructions => instructions(run, &mut answers),
            Step::Resources => resources(run, &mut answers),
            Step::Targets => targets(run, &mut answers, &last_run),
            Step::Review => review(run, &answers),
        };
        let reply = match reply {
            Ok(reply) => reply,
            Err(error) => {
                keep(run, step, &answers);
                return Err(error);
            }
        };
        step = match reply {
            Reply::Next => step.after(),
            Reply::Go(step) => step,
            Reply::Back => step.before().unwrap_or_else(|| {
                run.env.say("This is the first step.");
                step
            }),
            Reply::Done => break,
        };
        keep(run, step, &answers);
    }
    let body = Some(answers.instructions).filter(|text| !text.is_empty());
    Ok(SkillRequest {
        description: answers.description,
        name: Some(answers.name).filter(|name| !name.is_empty()),
        body,
        resources: answers.resources,
        targets: answers.targets,
        attachments: answers.attachments,
        ..SkillRequest::unfilled(run)
    })
}

/// Says how the wizard is used, and what was given on the command line.
fn introduce(run: &mut Run<'_>, answers: &Answers) {
    let rule = run.env.err_style().rule("New skill");
    run.env.say(&rule);
    let how = run.env.err_style().fold("`back` goes one step back, `cancel` stops, Enter takes the default.\n", 0);
    run.env.say(how.trim_end());
    for line in answers.attachments.summaries() {
        run.env.say(&crate::skill::printable(&line));
    }
}

/// Stores what was given on the command line up to this step.
pub(super) fn keep_given(run: &mut Run<'_>, request: &SkillRequest, step: Step) {
    let answers = Answers {
        description: request.description.clone(),
        name: request.name.clone().unwrap_or_default(),
        instructions: request.body.clone().unwrap_or_default(),
        resources: request.resources.clone(),
        targets: Vec::new(),
        attachments: request.attachments.clone(),
    };
    keep(run, step, &answers);
}

/// Stores the answers with the run, so that neither a timeout nor a crash loses them.
fn keep(run: &mut Run<'_>, step: Step, answers: &Answers) {
    run.record.described |= !answers.description.is_empty();
    let kept = serde_json::json!({
        "step": step,
        "description": answers.description,
        "name": answers.name,
        "instructions": answers.instructions,
        "resources": answers.resources.iter().map(Resource::json).collect::<Vec<_>>(),
        "targets": answers.targets.iter().map(|target| &target.id).collect::<Vec<_>>(),
        "given": answers.attachments,
        "template": run.request.args.template,
        "license": run.request.args.license,
    });
    run.note(RunEvent::Answered(kept.to_string()));
}

/// The step at which the wizard stopped, and the answers so far. Unreadable answers are asked for again.
fn restored(run: &mut Run<'_>, kept: &Value) -> (Step, Answers) {
    for (key, flag) in [("template", &mut run.request.args.template), ("license", &mut run.request.args.license)] {
        *flag = flag.take().or_else(|| kept[key].as_str().map(str::to_owned));
    }
    let text = |key: &str| kept[key].as_str().unwrap_or_default().to_owned();
    let ids = kept["targets"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let answers = Answers {
        description: text("description"),
        name: text("name"),
        instructions: text("instructions"),
        resources: draft::resources_of(kept).unwrap_or_default(),
        targets: ids.filter_map(|id| run.workspace.settings.targets.get(id)).cloned().collect(),
        attachments: serde_json::from_value(kept["given"].clone()).unwrap_or_default(),
    };
    let known = serde_json::from_value(kept["step"].clone()).ok();
    let step = known.filter(|_| !answers.description.is_empty()).unwrap_or(Step::Description);
    (step, answers)
}

/// Asks one step until `take` accepts an answer; why it refuses one is shown. `None`: the person wants to go back.
fn ask<T>(
    run: &mut Run<'_>,
    question: &Question<'_>,
    mut take: impl FnMut(&mut Run<'_>, String) -> Result<T>,
) -> Result<Option<T>> {
    let mut last = None;
    for _ in 0..run.env.prompter.attempts() {
        let line = run.ask(
            PromptKind::Wizard,
            &Question { limit: Some(run.wizard_limit()), escape: Some("back"), ..question.clone() },
        )?;
        match line.to_lowercase().as_str() {
            "back" => return Ok(None),
            "cancel" => return Err(cancelled(run)),
            _ => {}
        }
        match take(run, line) {
            Ok(taken) => return Ok(Some(taken)),
            Err(error) => {
                run.env.complain(&error);
                last = Some(error);
            }
        }
    }
    Err(match last {
        // Without a description there is nothing to continue.
        Some(error) if question.flag == ARGUMENT => error,
        _ => run.not_understood(PromptKind::Wizard, question),
    })
}

fn cancelled(run: &mut Run<'_>) -> Error {
    run.record.decision = Decision::Cancel;
    Error::new(Code::CreateCancelled, "cancelled; no changes made").by_choice()
}

fn description(run: &mut Run<'_>, answers: &mut Answers) -> Result<Reply> {
    let described = Some(answers.description.clone()).filter(|text| !text.is_empty());
    let default = described.or_else(|| answers.attachments.summary().map(str::to_owned));
    let text = "What should the skill do? (one sentence)";
    let question = Question { text, default: default.as_deref(), flag: ARGUMENT, ..Question::default() };
    let given = ask(run, &question, |run, line| checks::description(run, &line))?;
    Ok(given.map_or(Reply::Back, |given| {
        answers.description = given;
        Reply::Next
    }))
}

fn name(run: &mut Run<'_>, answers: &mut Answers) -> Result<Reply> {
    let proposed = Some(answers.name.clone())
        .filter(|name| !name.is_empty())
        .or_else(|| read(&answers.description).name.map(|name| name.to_string()));
    let question = Question { text: "Name", default: proposed.as_deref(), flag: "--name NAME", ..Question::default() };
    let given = ask(run, &question, |run, line| {
        if let Some(refusal) = input::refuse(&line, Field::Name) {
            return Err(checks::refused(run, "name", &line, &refusal));
        }
        let name = Name::sanitise(&line).ok_or_else(|| {
            Error::new(Code::CreateNoName, "no name can be made from that").suggest("Use letters, digits and hyphens.")
        })?;
        if name.as_str() != line {
            run.env.say(&format!("The name becomes `{name}`."));
        }
        Ok(name.to_string())
    })?;
    Ok(given.map_or(Reply::Back, |given| {
        answers.name = given;
        Reply::Next
    }))
}

fn instructions(run: &mut Run<'_>, answers: &mut Answers) -> Result<Reply> {
    let before = Some(answers.instructions.clone()).filter(|text| !text.is_empty());
    let question = Question {
        text: "Main instructions (optional)",
        default: before.as_deref(),
        multiline: true,
        flag: "--body FILE",
        ..Question::default()
    };
    let given = ask(run, &question, checks::check_body)?;
    Ok(given.map_or(Reply::Back, |given| {
        answers.instructions = given;
        Reply::Next
    }))
}

fn resources(run: &mut Run<'_>, answers: &mut Answers) -> Result<Reply> {
    let text = "Resource KIND:PATH, with scripts, references or assets as KIND (Enter: none)";
    let question = Question { text, flag: "--resource KIND:PATH", ..Question::default() };
    loop {
        if !answers.resources.is_empty() {
            let said = format!("Resources so far: {}", listed(&answers.resources));
            run.env.say(&said);
        }
        let given = ask(run, &question, |run, line| match line.as_str() {
            "" => Ok(None),
            spec => resource::read(run, spec).map(Some).map_err(|error| {
                let suggestion = format!("{} Press Enter to skip.", error.suggestion());
                error.suggest(suggestion)
            }),
        })?;
        match given {
            None => return Ok(Reply::Back),
            Some(None) => return Ok(Reply::Next),
            Some(Some(resource)) => {
                answers.resources.retain(|known| known.path != resource.path);
                answers.resources.push(resource);
            }
        }
    }
}

fn listed(resources: &[Resource]) -> String {
    resources.iter().map(|resource| resource.path.as_str()).collect::<Vec<_>>().join(", ")
}

fn targets(run: &mut Run<'_>, answers: &mut Answers, last_run: &LastRun) -> Result<Reply> {
    let here = if answers.targets.is_empty() {
        let present = targets::present(run);
        match last_run.targets(run, &present) {
            Some(targets) => targets,
            None if present.is_empty() => present,
            None => targets::lay_out_all(run, present),
        }
    } else {
        answers.targets.clone()
    };
    if here.is_empty() {
        answers.targets = targets::chosen(run, None)?;
        return Ok(Reply::Next);
    }
    let proposed = ids(&here, ",");
    let (all, labels) = targets::entries(&run.workspace.settings.targets);
    let choices: Vec<&str> = all.iter().map(String::as_str).collect();
    let question = Question {
        text: "Targets",
        choices: &choices,
        labels: &labels,
        several: true,
        default: Some(&proposed),
        flag: "--target LIST",
        ..Question::default()
    };
    let given = ask(run, &question, |run, line| {
        let detected = targets::present(run);
        if line.eq_ignore_ascii_case("all") {
            return Ok(targets::lay_out_all(run, detected));
        }
        let here = format!("Detected here: {}.", ids(&detected, ", "));
        match targets::named(run, &targets::picks(&line, &all)) {
            Ok(targets) if targets.is_empty() => {
                Err(Error::new(Code::CreateNoTarget, "no target is named").suggest(here))
            }
            Ok(targets) => Ok(targets::lay_out_named(run, targets)),
            Err(error) => {
                let suggestion = format!("{} {here}", error.suggestion());
                Err(error.suggest(suggestion))
            }
        }
    })?;
    Ok(given.map_or(Reply::Back, |given| {
        answers.targets = given;
        Reply::Next
    }))
}

fn ids(targets: &[Target], between: &str) -> String {
    targets.iter().map(|target| target.id.as_str()).collect::<Vec<_>>().join(between)
}

fn review(run: &mut Run<'_>, answers: &Answers) -> Result<Reply> {
    let or_none = |text: &str| if text.is_empty() { "(none)".to_owned() } else { text.to_owned() };
    let rule = run.env.err_style().rule("Review");
    run.env.say(&rule);
    for (field, value) in [
        ("Description", answers.description.clone()),
        ("Name", answers.name.clone()),
        ("Instructions", or_none(&answers.instructions)),
        ("Resources", or_none(&listed(&answers.resources))),
        ("Targets", ids(&answers.targets, ", ")),
    ] {
        let value = crate::skill::printable(&value).replace('\n', &format!("\n{:15}", ""));
        let line = run.env.err_style().fold(&format!("  {field:<13}{value}"), 13);
        run.env.say(&line);
    }
    let question = Question {
        text: "Continue?",
        choices: &["continue", "edit", "back", "cancel"],
        default: Some("continue"),
        escape: Some("back"),
        flag: ARGUMENT,
        ..Question::default()
    };
    // `yes` and `no` are accepted as well, though not listed.
    let words = ["continue", "edit", "back", "cancel", "yes", "no"];
    for _ in 0..run.env.prompter.attempts() {
        let given = run.ask(PromptKind::Wizard, &Question { limit: Some(run.wizard_limit()), ..question.clone() })?;
        match prompt::choose(&given, &words) {
            prompt::Choice::Picked(0 | 4) => return Ok(Reply::Done),
            prompt::Choice::Picked(1) => return Ok(Reply::Go(Step::Description)),
            prompt::Choice::Picked(2) => return Ok(Reply::Back),
            prompt::Choice::Picked(_) => return Err(cancelled(run)),
            _ => {
                let said =
                    format!("{}\nAnswer continue, edit, back or cancel.", prompt::wrong(&given, question.choices));
                run.env.say(&said);
            }
        }
    }
    Err(run.not_understood(PromptKind::Wizard, &question))
}
