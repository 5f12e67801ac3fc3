//! The wizard: description, name, instructions, resources, targets, review. `back` keeps what was given.

use std::time::Duration;

use serde_json::Value;

use super::ask::Place;
use super::draft::{self, Brief};
use super::{Given, Resource, Run, given, intake, layout, remembered};
use crate::error::{Code, Error, Result};
use crate::memory::Note;
use crate::prompt::Question;
use crate::rules::input::{self, Field};
use crate::skill::{Name, understand};
use crate::target::Target;

/// How often a step may be answered wrongly.
const ATTEMPTS: usize = 3;

/// What gives the description without being asked.
const ARGUMENT: &str = "hefesto create DESCRIPTION";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
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
        let index = Self::ALL.iter().position(|step| *step == self)?;
        index.checked_sub(1).map(|before| Self::ALL[before])
    }

    fn name(self) -> &'static str {
        match self {
            Self::Description => "description",
            Self::Name => "name",
            Self::Instructions => "instructions",
            Self::Resources => "resources",
            Self::Targets => "targets",
            Self::Review => "review",
        }
    }

    fn after(self) -> Self {
        let index = Self::ALL.iter().position(|step| *step == self).unwrap_or_default();
        Self::ALL.get(index + 1).copied().unwrap_or(Self::Review)
    }
}

/// What has been answered so far.
#[derive(Debug, Clone, Default)]
struct Answers {
    description: String,
    name: String,
    instructions: String,
    resources: Vec<Resource>,
    targets: Vec<Target>,
    given: Given,
}

enum Reply {
    Next,
    Back,
    Go(Step),
    Done,
}

/// Asks for everything a brief needs.
///
/// # Errors
/// E-CREATE-007 after three empty descriptions, E-CREATE-010 on `cancel`, E-CREATE-012 on silence.
pub(super) fn wizard(run: &mut Run<'_>, kept: Option<&Value>) -> Result<Brief> {
    let (mut step, mut answers) = match kept.map(|kept| taken_up(run, kept)) {
        Some(taken_up) => taken_up,
        None => {
            let name = run.request.args.name.clone().unwrap_or_default();
            (Step::Description, Answers { name, given: given::take(run)?, ..Answers::default() })
        }
    };
    let selection = run.request.args.target.clone();
    if selection.is_some() {
        answers.targets = intake::chosen(run, selection.as_ref())?;
    }
    let rule = run.env.style.rule("New skill");
    run.env.say(&rule);
    run.env.say("`back` goes one step back, `cancel` stops; Enter takes the default.");
    for line in answers.given.told() {
        run.env.say(&crate::skill::printable(&line));
    }
    let before = remembered::before(run);
    before.license(run);
    loop {
        let reply = match step {
            Step::Description => description(run, &mut answers),
            Step::Name => name(run, &mut answers),
            Step::Instructions => instructions(run, &mut answers),
            Step::Resources => resources(run, &mut answers),
            Step::Targets => targets(run, &mut answers, &before),
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
    Ok(Brief {
        description: answers.description,
        name: Some(answers.name).filter(|name| !name.is_empty()),
        body,
        resources: answers.resources,
        targets: answers.targets,
        given: answers.given,
        ..intake::unfilled(run)
    })
}

/// Keeps what was given on the command line, where only the targets were asked for.
pub(super) fn keep_given(run: &mut Run<'_>, brief: &Brief) {
    let answers = Answers {
        description: brief.description.clone(),
        name: brief.name.clone().unwrap_or_default(),
        instructions: brief.body.clone().unwrap_or_default(),
        resources: brief.resources.clone(),
        targets: Vec::new(),
        given: brief.given.clone(),
    };
    keep(run, Step::Targets, &answers);
}

/// Keeps what was answered with the run, so that neither a timeout nor a crash loses it.
fn keep(run: &mut Run<'_>, step: Step, answers: &Answers) {
    let kept = serde_json::json!({
        "step": step.name(),
        "description": answers.description,
        "name": answers.name,
        "instructions": answers.instructions,
        "resources": answers.resources.iter().map(Resource::json).collect::<Vec<_>>(),
        "targets": answers.targets.iter().map(|target| &target.id).collect::<Vec<_>>(),
        "given": answers.given,
        "template": run.request.args.template,
        "license": run.request.args.license,
    });
    run.note(Note::Answered(kept.to_string()));
}

/// Where the wizard stopped, and what had been answered. What cannot be read is asked again.
fn taken_up(run: &mut Run<'_>, kept: &Value) -> (Step, Answers) {
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
        targets: ids.filter_map(|id| run.settings.targets.get(id)).cloned().collect(),
        given: serde_json::from_value(kept["given"].clone()).unwrap_or_default(),
    };
    let known = Step::ALL.into_iter().find(|step| step.name() == text("step"));
    let step = known.filter(|_| !answers.description.is_empty()).unwrap_or(Step::Description);
    (step, answers)
}

/// Asks one line. `None`: the person wants to go back.
fn line(run: &mut Run<'_>, text: &str, default: Option<&str>, flag: &str) -> Result<Option<String>> {
    let limit: Duration = run.wizard_limit();
    let question = Question { text, default, limit: Some(limit), flag, ..Question::default() };
    let line = run.ask(Place::Wizard, &question)?;
    match line.to_lowercase().as_str() {
        "back" => Ok(None),
        "cancel" => {
            run.decision = "cancel";
            Err(Error::new(Code::CreateCancelled, "cancelled; no changes made"))
        }
        _ => Ok(Some(line)),
    }
}

fn description(run: &mut Run<'_>, answers: &mut Answers) -> Result<Reply> {
    let mut last = None;
    for _ in 0..ATTEMPTS {
        let described = Some(answers.description.clone()).filter(|text| !text.is_empty());
        let default = described.or_else(|| answers.given.summary().map(str::to_owned));
        let asked = line(run, "What should the skill do? (one sentence)", default.as_deref(), ARGUMENT)?;
        let Some(given) = asked else { return Ok(Reply::Back) };
        match intake::description(run, &given) {
            Ok(text) => {
                answers.description = text;
                return Ok(Reply::Next);
            }
            Err(error) => {
                run.env.complain(&error);
                last = Some(error);
            }
        }
    }
    Err(last.unwrap_or_else(|| Error::new(Code::CreateEmpty, "the description is empty")))
}

fn name(run: &mut Run<'_>, answers: &mut Answers) -> Result<Reply> {
    let proposed = Some(answers.name.clone())
        .filter(|name| !name.is_empty())
        .or_else(|| understand(&answers.description).name.map(|name| name.to_string()));
    for _ in 0..ATTEMPTS {
        let Some(given) = line(run, "Name", proposed.as_deref(), "--name NAME")? else { return Ok(Reply::Back) };
        if let Some(refusal) = input::refuse(&given, Field::Name) {
            let error = intake::refused(run, "name", &given, &refusal);
            run.env.complain(&error);
            continue;
        }
        match Name::sanitise(&given) {
            Some(name) => {
                if name.as_str() != given {
                    run.env.say(&format!("The name becomes `{name}`."));
                }
                answers.name = name.to_string();
                return Ok(Reply::Next);
            }
            None => run.env.say("No name can be made of that: use letters, digits and hyphens."),
        }
    }
    Err(Error::new(Code::CreateNoName, "no valid name was given in three attempts"))
}

fn instructions(run: &mut Run<'_>, answers: &mut Answers) -> Result<Reply> {
    for _ in 0..ATTEMPTS {
        let before = Some(answers.instructions.clone()).filter(|text| !text.is_empty());
        let Some(given) = line(run, "Main instructions (optional)", before.as_deref(), "--body FILE")? else {
            return Ok(Reply::Back);
        };
        match intake::check_body(run, given) {
            Ok(text) => {
                answers.instructions = text;
                return Ok(Reply::Next);
            }
            Err(error) => run.env.complain(&error),
        }
    }
    Err(Error::new(Code::CreateUnsafeInput, "the instructions were refused three times"))
}

fn resources(run: &mut Run<'_>, answers: &mut Answers) -> Result<Reply> {
    let mut wrong = 0;
    while wrong < ATTEMPTS {
        if !answers.resources.is_empty() {
            let paths: Vec<&str> = answers.resources.iter().map(|resource| resource.path.as_str()).collect();
            let said = format!("Resources so far: {}", paths.join(", "));
            run.env.say(&said);
        }
        let asked =
            line(run, "Resource KIND:PATH (scripts, references, assets; Enter: none)", None, "--resource KIND:PATH")?;
        let Some(given) = asked else { return Ok(Reply::Back) };
        if given.is_empty() {
            return Ok(Reply::Next);
        }
        match intake::resource(run, &given) {
            Ok(resource) => {
                answers.resources.retain(|known| known.path != resource.path);
                answers.resources.push(resource);
            }
            Err(error) => {
                run.env.complain(&error);
                wrong += 1;
            }
        }
    }
    Err(Error::new(Code::Io, "no resource could be read in three attempts"))
}

fn targets(run: &mut Run<'_>, answers: &mut Answers, before: &remembered::Before) -> Result<Reply> {
    let here = if answers.targets.is_empty() {
        let present = intake::present(run);
        match before.targets(run, &present) {
            Some(before) => before,
            None if present.is_empty() => present,
            None => layout::everything(run, present),
        }
    } else {
        answers.targets.clone()
    };
    if here.is_empty() {
        answers.targets = intake::chosen(run, None)?;
        return Ok(Reply::Next);
    }
    let ids = here.iter().map(|target| target.id.as_str()).collect::<Vec<_>>().join(",");
    for _ in 0..ATTEMPTS {
        let asked = line(run, "Targets (comma separated, or all)", Some(&ids), "--target LIST")?;
        let Some(given) = asked else { return Ok(Reply::Back) };
        let chosen = if given.eq_ignore_ascii_case("all") {
            let here = intake::present(run);
            Ok(layout::everything(run, here))
        } else {
            intake::named(run, &intake::picks(&given, &[])).map(|targets| layout::named(run, targets))
        };
        match chosen {
            Ok(targets) if !targets.is_empty() => {
                answers.targets = targets;
                return Ok(Reply::Next);
            }
            Ok(_) => {}
            Err(error) => run.env.complain(&error),
        }
        let detected = intake::present(run).iter().map(|target| target.id.clone()).collect::<Vec<_>>().join(", ");
        run.env.say(&format!("Detected here: {detected}"));
    }
    Err(Error::new(Code::CreateNoTarget, "no target was chosen in three attempts"))
}

fn review(run: &mut Run<'_>, answers: &Answers) -> Result<Reply> {
    let targets = answers.targets.iter().map(|target| target.id.as_str()).collect::<Vec<_>>().join(", ");
    let resources = answers.resources.iter().map(|resource| resource.path.as_str()).collect::<Vec<_>>().join(", ");
    let or_none = |text: &str| if text.is_empty() { "(none)".to_owned() } else { text.to_owned() };
    let rule = run.env.style.rule("Review");
    run.env.say(&rule);
    for (field, value) in [
        ("Description", answers.description.clone()),
        ("Name", answers.name.clone()),
        ("Instructions", or_none(&answers.instructions)),
        ("Resources", or_none(&resources)),
        ("Targets", targets),
    ] {
        run.env.say(&format!("  {field:<13}{}", crate::skill::printable(&value)));
    }
    for _ in 0..ATTEMPTS {
        let choices = ["continue", "edit", "back", "cancel"];
        let limit = run.wizard_limit();
        let question =
            Question { text: "Go on?", choices: &choices, limit: Some(limit), flag: ARGUMENT, ..Question::default() };
        let given = run.ask(Place::Wizard, &question)?.to_lowercase();
        match given.as_str() {
            "" | "continue" | "c" | "yes" | "y" => return Ok(Reply::Done),
            "edit" | "e" => return Ok(Reply::Go(Step::Description)),
            "back" | "b" => return Ok(Reply::Back),
            "cancel" | "no" | "n" => {
                run.decision = "cancel";
                return Err(Error::new(Code::CreateCancelled, "cancelled; no changes made"));
            }
            _ => run.env.say("Answer continue, edit, back or cancel."),
        }
    }
    Err(Error::new(Code::CreateCancelled, "no answer at the review in three attempts; no changes made"))
}
