//! The wizard: description, name, instructions, resources, targets, review. `back` keeps what was given.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::draft::{self, SkillRequest};
use super::{Decision, Resource, Run, ask::PromptKind, attachments, checks, last_run::LastRun, targets};
use crate::client::target::Target;
use crate::error::{Code, Error, Result};
use crate::memory::RunEvent;
use crate::skill::{Name, printable, read, sentence::one_line};
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

enum Reply {
    Next,
    Back,
    Go(Step),
    Done,
}

/// Asks for everything a request needs. Errors: E-CREATE-010 on `cancel`, E-CREATE-012 on a timeout; if scripted
/// request are wrong three times in a row, E-USAGE-002, or E-CREATE-007, -001 or -009 for a description.
pub(super) fn wizard(run: &mut Run<'_>, kept: Option<&Value>) -> Result<SkillRequest> {
    let (mut step, mut request) = match kept.map(|kept| restored(run, kept)) {
        Some(restored) => restored,
        None => {
            let (name, attachments) = (run.args.name.clone().filter(|name| !name.is_empty()), attachments::take(run)?);
            (Step::Description, SkillRequest { name, attachments, ..SkillRequest::default() })
        }
    };
    let selection = run.args.target.clone();
    if selection.is_some() {
        match targets::chosen(run, selection.as_ref()) {
            Ok(targets) => request.targets = targets,
            // The targets step asks for others.
            Err(error) if error.code() == Code::CreateNoTarget && run.asks_again() => run.env.complain(&error),
            Err(error) => return Err(error),
        }
    }
    introduce(run, &request);
    let last_run = LastRun::find(run);
    last_run.license(run);
    loop {
        let reply = match step {
            Step::Description => description(run, &mut request),
            Step::Name => name(run, &mut request),
            Step::Instructions => instructions(run, &mut request),
            Step::Resources => resources(run, &mut request),
            Step::Targets => targets(run, &mut request, &last_run),
            Step::Review => review(run, &request),
        };
        let reply = match reply {
            Ok(reply) => reply,
            Err(error) => {
                keep(run, step, &request);
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
        keep(run, step, &request);
    }
    let SkillRequest { license, template, .. } = SkillRequest::unfilled(run);
    Ok(SkillRequest { license, template, ..request })
}

/// Says how the wizard is used, and what was given on the command line.
fn introduce(run: &mut Run<'_>, request: &SkillRequest) {
    run.env.say(&run.env.err_style().rule("New skill"));
    let how = "`back` goes one step back, `cancel` stops, Enter takes the default.";
    run.env.say(&run.env.err_style().fold(how, 0));
    for line in request.attachments.summaries() {
        run.env.say(&printable(&line));
    }
}

/// Stores the answers with the run, so that neither a timeout nor a crash loses them.
pub(super) fn keep(run: &mut Run<'_>, step: Step, request: &SkillRequest) {
    run.record.described |= !request.description.is_empty();
    let kept = serde_json::json!({
        "step": step, "description": request.description, "name": request.name.as_deref().unwrap_or_default(),
        "instructions": request.body.as_deref().unwrap_or_default(),
        "resources": request.resources.iter().map(Resource::json).collect::<Vec<_>>(),
        "targets": request.targets.iter().map(|target| &target.id).collect::<Vec<_>>(), "given": request.attachments,
        "template": run.args.template, "license": run.args.license,
    });
    run.note(RunEvent::Answered(kept.to_string()));
}

/// The step at which the wizard stopped, and the answers so far. Unreadable answers are asked for again.
fn restored(run: &mut Run<'_>, kept: &Value) -> (Step, SkillRequest) {
    for (key, flag) in [("template", &mut run.args.template), ("license", &mut run.args.license)] {
        *flag = flag.take().or_else(|| kept[key].as_str().map(str::to_owned));
    }
    let text = |key: &str| kept[key].as_str().unwrap_or_default().to_owned();
    let ids = kept["targets"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let given = |key: &str| Some(text(key)).filter(|text| !text.is_empty());
    let request = SkillRequest {
        description: text("description"),
        name: given("name"),
        body: given("instructions"),
        resources: draft::resources_of(kept).unwrap_or_default(),
        targets: ids.filter_map(|id| run.settings.targets.get(id)).cloned().collect(),
        attachments: serde_json::from_value(kept["given"].clone()).unwrap_or_default(),
        ..SkillRequest::default()
    };
    let known = serde_json::from_value(kept["step"].clone()).ok();
    let step = known.filter(|_| !request.description.is_empty()).unwrap_or(Step::Description);
    (step, request)
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
        if let Some(left) = left(run, &line) {
            return left.map(|()| None);
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

/// Whether an answer leaves the question: `back`, or `cancel`, which ends the run.
pub(super) fn left(run: &mut Run<'_>, line: &str) -> Option<Result<()>> {
    match line.to_lowercase().as_str() {
        "back" => Some(Ok(())),
        "cancel" => Some(Err(cancelled(run))),
        _ => None,
    }
}

/// The next step with what was given; back if nothing was.
fn next<T>(given: Option<T>, take: impl FnOnce(T)) -> Reply {
    given.map(take).map_or(Reply::Back, |()| Reply::Next)
}

fn cancelled(run: &mut Run<'_>) -> Error {
    run.record.decision = Decision::Cancel;
    Error::new(Code::CreateCancelled, "cancelled; no changes made").by_choice()
}

fn description(run: &mut Run<'_>, request: &mut SkillRequest) -> Result<Reply> {
    let described = Some(request.description.clone()).filter(|text| !text.is_empty());
    let default = described.or_else(|| request.attachments.summary().map(str::to_owned));
    let text = "What should the skill do? (one sentence)";
    let join = Some(one_line as fn(&str) -> String);
    let question = Question { text, default: default.as_deref(), flag: ARGUMENT, join, ..Question::default() };
    let given = ask(run, &question, |run, line| {
        checks::description(run, &line).map_err(|error| match error.code() {
            Code::CreateEmpty => {
                error.suggest("Type one sentence, such as: Validate email addresses using regex patterns")
            }
            _ => error,
        })
    })?;
    Ok(next(given, |given| request.description = given))
}

fn proposed_name(request: &SkillRequest) -> Option<String> {
    let made = || read(&request.description).name.map(|name| name.to_string());
    request.name.clone().or_else(made)
}

fn name(run: &mut Run<'_>, request: &mut SkillRequest) -> Result<Reply> {
    let proposed = proposed_name(request);
    let question = Question { text: "Name", default: proposed.as_deref(), flag: "--name NAME", ..Question::default() };
    let given = ask(run, &question, |run, line| {
        checks::admit(run, "name", crate::rules::input::Field::Name, &line)?;
        let name = Name::sanitise(&line).ok_or_else(|| {
            Error::new(Code::CreateNoName, "no name can be made from that").suggest("Use letters, digits and hyphens.")
        })?;
        if name.as_str() != line {
            run.env.say(&format!("The name becomes `{name}`."));
        }
        Ok(name.to_string())
    })?;
    Ok(next(given, |given| request.name = Some(given)))
}

fn instructions(run: &mut Run<'_>, request: &mut SkillRequest) -> Result<Reply> {
    let question = Question {
        text: "Main instructions (optional)",
        default: request.body.as_deref(),
        multiline: true,
        flag: "--body FILE",
        ..Question::default()
    };
    let given = ask(run, &question, checks::check_body)?;
    Ok(next(given, |given| request.body = Some(given).filter(|text| !text.is_empty())))
}

fn resources(run: &mut Run<'_>, request: &mut SkillRequest) -> Result<Reply> {
    let text = "Resource KIND:PATH, with scripts, references or assets as KIND (Enter: none)";
    let question = Question { text, flag: "--resource KIND:PATH", ..Question::default() };
    loop {
        if !request.resources.is_empty() {
            run.env.say(&format!("Resources so far: {}", listed(&request.resources)));
        }
        let given = ask(run, &question, |run, line| match line.as_str() {
            "" => Ok(None),
            spec => attachments::read_resource(run, spec).map(Some).map_err(|error| {
                let suggestion = format!("{} Press Enter to skip.", error.suggestion());
                error.suggest(suggestion)
            }),
        })?;
        match given {
            None => return Ok(Reply::Back),
            Some(None) => return Ok(Reply::Next),
            Some(Some(resource)) => {
                request.resources.retain(|known| known.path != resource.path);
                request.resources.push(resource);
            }
        }
    }
}

fn listed(resources: &[Resource]) -> String {
    resources.iter().map(|resource| resource.path.as_str()).collect::<Vec<_>>().join(", ")
}

fn targets(run: &mut Run<'_>, request: &mut SkillRequest, last_run: &LastRun) -> Result<Reply> {
    let here = if request.targets.is_empty() {
        let present = targets::present(run);
        match last_run.targets(run, &present) {
            Some(targets) => targets,
            None if present.is_empty() => present,
            None => targets::lay_out(run, |all| all.all(present)),
        }
    } else {
        request.targets.clone()
    };
    if here.is_empty() {
        let chosen = targets::of_wizard(run)?;
        return Ok(next(chosen, |chosen| request.targets = chosen));
    }
    let proposed = ids(&here, ",");
    let (all, labels) = targets::entries(&run.settings.targets);
    let choices: Vec<&str> = all.iter().map(String::as_str).collect();
    let question = Question { default: Some(&proposed), ..targets::question(&choices, &labels) };
    let given = ask(run, &question, |run, line| {
        let detected = targets::present(run);
        if line.eq_ignore_ascii_case("all") {
            return Ok(targets::lay_out(run, |all| all.all(detected)));
        }
        let here = format!("Detected here: {}.", ids(&detected, ", "));
        match targets::named(run, &targets::picks(&line, &all)) {
            Ok(targets) if targets.is_empty() => {
                Err(Error::new(Code::CreateNoTarget, "no target is named").suggest(here))
            }
            Ok(targets) => Ok(targets::lay_out(run, |all| all.named(targets))),
            Err(error) => {
                let suggestion = format!("{} {here}", error.suggestion());
                Err(error.suggest(suggestion))
            }
        }
    })?;
    Ok(next(given, |given| request.targets = given))
}

fn ids(targets: &[Target], between: &str) -> String {
    targets.iter().map(|target| target.id.as_str()).collect::<Vec<_>>().join(between)
}

fn review(run: &mut Run<'_>, request: &SkillRequest) -> Result<Reply> {
    let or_none = |text: &str| if text.is_empty() { "(none)".to_owned() } else { text.to_owned() };
    run.env.say(&run.env.err_style().rule("Review"));
    for (field, value) in [
        ("Description", request.description.clone()),
        ("Name", proposed_name(request).unwrap_or_default()),
        ("Instructions", or_none(request.body.as_deref().unwrap_or_default())),
        ("Resources", or_none(&listed(&request.resources))),
        ("Targets", ids(&request.targets, ", ")),
    ] {
        let value = printable(&value).replace('\n', &format!("\n{:15}", ""));
        run.env.say(&run.env.err_style().fold(&format!("  {field:<13}{value}"), 13));
    }
    let question = Question {
        text: "Continue?",
        choices: &["continue", "edit", "back", "cancel"],
        default: Some("continue"),
        escape: Some("back"),
        flag: ARGUMENT,
        limit: Some(run.wizard_limit()),
        ..Question::default()
    };
    // `yes` and `no` are accepted as well, though not listed.
    let words = ["continue", "edit", "back", "cancel", "yes", "no"];
    for _ in 0..run.env.prompter.attempts() {
        let given = run.ask(PromptKind::Wizard, &question)?;
        match prompt::choose(&given, &words) {
            prompt::Choice::Picked(0 | 4) => return Ok(Reply::Done),
            prompt::Choice::Picked(1) => return Ok(Reply::Go(Step::Description)),
            prompt::Choice::Picked(2) => return Ok(Reply::Back),
            prompt::Choice::Picked(_) => return Err(cancelled(run)),
            _ => {
                let wrong = prompt::wrong(&given, question.choices);
                run.env.say(&format!("{wrong}\nAnswer continue, edit, back or cancel."));
            }
        }
    }
    Err(run.not_understood(PromptKind::Wizard, &question))
}
