//! The assignment: everything the writer of a skill needs to know, for a drafter and for `create --brief`, which prints
//! it with the command that hands the body in, and writes nothing.

use serde_json::json;

use super::generate::{Understood, compose, understand};
use super::{Draft, Request, attachments, checks, context, draft::SkillRequest, observations, remembered};
use crate::client::detect;
use crate::client::drafting::{self, Assignment, Line, Origin, whole};
use crate::client::target::{Selection, Target, client};
use crate::config::{self, Settings};
use crate::error::Result;
use crate::memory::context::InstalledSkill;
use crate::project::Project;
use crate::report::{Report, slashed::Slashed};
use crate::rules::input::Field;
use crate::skill::body::{self, Shape};
use crate::skill::fact::{Fact, Kind};
use crate::system::env::Env;

/// How many neighbouring skills are listed, and how many characters of each description.
const MOST_NEIGHBOURS: usize = 6;
const MOST_DESCRIBED: usize = 200;
/// How many lines of repository facts are listed.
const MOST_FACTS: usize = 20;
/// How many hand-written lines of the author the drafter must keep.
const MOST_NOTES: usize = 40;

/// The assignment for a skill. `first` is the draft assembled without a drafter.
pub(super) fn assignment(
    understood: &Understood,
    first: &Draft,
    wanted: &SkillRequest,
    installed: &[InstalledSkill],
) -> Assignment {
    let sentence = &understood.sentence;
    let parts = sentence.head.iter().chain(&sentence.clauses).map(|clause| clause.text.clone());
    let resources = first.resources.iter().filter(|resource| !resource.path.starts_with("evals/"));
    let list = |target: &Target| Some((target.title.clone(), client(&target.id)?.budget?.least_room()));
    Assignment {
        name: first.name.clone(),
        sentence: wanted.description.clone(),
        language: sentence.language,
        parts: parts.chain(sentence.rules.iter().cloned()).collect(),
        lines: lines(understood, wanted),
        open: understood.body.open.iter().map(|question| question.ask.clone()).collect(),
        resources: resources.map(|resource| resource.path.clone()).collect(),
        sources: wanted.attachments.cited(),
        neighbours: neighbours(&first.name, &wanted.description, installed),
        targets: first.targets.iter().map(|target| target.title.clone()).collect(),
        lists: first.targets.iter().filter_map(list).collect(),
    }
}

fn lines(understood: &Understood, wanted: &SkillRequest) -> Vec<Line> {
    let mut lines = notes(wanted);
    lines.extend(understood.body.lines().filter_map(|line| assembled(understood, wanted, line)));
    let bearing = wanted.facts.bearing_on(&understood.sentence.text).into_iter().filter(|fact| fact.kind != Kind::Rule);
    for fact in bearing {
        let place = fact.place();
        let told = lines.iter().filter(|line| line.origin == Origin::Repository);
        if told.clone().count() < MOST_FACTS && !told.into_iter().any(|line| line.place == place) {
            lines.push(Line { origin: Origin::Repository, text: with_risk(fact), place });
        }
    }
    let tools = understood.packs.iter().flat_map(|chosen| &chosen.pack.head.tools);
    for (tool, runner) in tools.filter_map(|tool| Some((tool, wanted.facts.runners.get(tool)?))) {
        if runner != tool {
            let text = format!("`{tool}` is run as `{runner}` here");
            lines.push(Line { origin: Origin::Repository, text, place: String::new() });
        }
    }
    let told = wanted.background.iter().cloned();
    lines.extend(told.map(|(text, place)| Line { origin: Origin::Memory, text, place }));
    lines
}

fn with_risk(fact: &Fact) -> String {
    if fact.risk.is_some() { format!("{} (ask first)", fact.text) } else { fact.text.clone() }
}

/// A line of the assembled body with its origin. The sentence's own lines are the task; open questions are separate.
fn assembled(understood: &Understood, wanted: &SkillRequest, line: &body::Line) -> Option<Line> {
    if line.text.contains("$ARGUMENTS") {
        return None;
    }
    let (origin, place) = match &line.origin {
        body::Origin::Sentence if line.shape == Shape::Point => (Origin::Author, String::new()),
        body::Origin::Sentence | body::Origin::Open { .. } => return None,
        body::Origin::Answer { key, said } => {
            let place = understood.question(key, &wanted.attachments.asked);
            return Some(Line { origin: Origin::Author, text: said.clone(), place });
        }
        body::Origin::Given { file, line: 0 } => (Origin::House, file.clone()),
        body::Origin::Given { file, line } | body::Origin::House { file, line } => {
            (Origin::House, format!("{file}:{line}"))
        }
        body::Origin::Repository { file, line } => (Origin::Repository, format!("{file}:{line}")),
        body::Origin::Pack { id } => (Origin::Pack, id.clone()),
        body::Origin::Memory { .. } => (Origin::House, "noted in this project".to_owned()),
    };
    let text = line.text.replace(&format!(" ({place})"), "");
    let text = if line.shape == Shape::Code { format!("`{text}`") } else { text };
    Some(Line { origin, text, place })
}

/// The lines of a text that the author wrote by hand.
fn notes(wanted: &SkillRequest) -> Vec<Line> {
    let text = wanted.body.as_deref().filter(|body| whole(body).is_none()).unwrap_or_default();
    let lines = text.lines().map(|line| line.trim().trim_start_matches(['#', '-', '*', '>', ' ']));
    let content = lines.filter(|line| line.contains(char::is_alphanumeric) && !line.starts_with("```"));
    let line = |text: &str| Line { origin: Origin::Author, text: text.to_owned(), place: String::new() };
    content.take(MOST_NOTES).map(line).collect()
}

/// The installed skills with the most similar words.
fn neighbours(name: &str, sentence: &str, installed: &[InstalledSkill]) -> Vec<(String, String)> {
    let others: Vec<&InstalledSkill> = installed.iter().filter(|skill| skill.name != name).collect();
    let described: Vec<(&str, &str)> =
        others.iter().map(|skill| (skill.name.as_str(), skill.description.as_str())).collect();
    let nearest = crate::skill::ranking::rank(sentence, &described).into_iter().take(MOST_NEIGHBOURS);
    let named = nearest.filter_map(|scored| described.get(scored.index)).map(|(name, description)| {
        let short: String = description.chars().take(MOST_DESCRIBED).collect();
        ((*name).to_owned(), short)
    });
    named.collect()
}

/// Prints the brief for a description.
/// Errors: E-CREATE-001/002/004/007/008/009, ERR-007, E-CONFIG-001, and what `--from` and `--source` can meet.
pub(super) fn show_brief(env: &mut Env, request: &Request) -> Result<Report> {
    let args = &request.args;
    let project = request.scope.project(env)?;
    let settings = config::load(env, &project)?;
    let description = checks::sized(args.description.as_deref().unwrap_or_default())?.to_owned();
    checks::admit_in(env, None, "description", Field::Description, &description)?;
    if let Some(name) = &args.name {
        checks::admit_in(env, None, "name", Field::Name, name)?;
        checks::well_formed(name)?;
    }
    let wanted = SkillRequest {
        description,
        name: args.name.clone(),
        attachments: attachments::alone(env, args)?,
        facts: observations::facts_of(&project, args.no_facts),
        targets: targets(env, &project, &settings, args.target.as_ref())?,
        template: args.template.clone().unwrap_or_else(|| settings.template.value.clone()),
        license: args.license.clone().unwrap_or_else(|| settings.license.value.clone()),
        ..SkillRequest::default()
    };
    let session = match &args.session {
        Some(id) => context::joined_session(env, &project, &settings, id)?,
        None => Vec::new(),
    };
    let (remembered, background) = remembered::here(env, &project, &settings, &session, &wanted.description);
    let wanted = SkillRequest { remembered, background, ..wanted };
    let draft = compose(env, &project, &settings, &wanted, None)?;
    let command = command(request, &project, &wanted);
    let installed = context::installed(env, &project, &settings);
    let understood = understand(env, &project, &wanted)?;
    let text = format!(
        "{}\n## How to hand it in\n\nPut this line before the answer and pipe both into the command below it:\n\n    {}\n\n    \
         {command}\n\nhefesto checks it, shows the skill and keeps the run; it prints the run's id and waits. A person \
         approves it in a terminal with `hefesto approve RUN`. Whether `--yes` may be added is for that person to say.\n",
        assignment(&understood, &draft, &wanted, &installed).text(),
        drafting::MARK,
    );
    Ok(Report::done(json!({ "name": draft.name, "brief": text, "command": command }), text))
}

fn targets(env: &Env, project: &Project, settings: &Settings, flag: Option<&Selection>) -> Result<Vec<Target>> {
    let from_settings = settings.target.value.parse().unwrap_or(Selection::All);
    match flag.unwrap_or(&from_settings) {
        Selection::Named(ids) => detect::named(&settings.targets, ids),
        Selection::All => {
            let found = detect::here(&settings.targets, &detect::places(env, project));
            Ok(found.into_iter().map(|found| found.target).collect())
        }
    }
}

/// The command that takes the body.
fn command(request: &Request, project: &Project, wanted: &SkillRequest) -> String {
    let args = &request.args;
    let mut words = vec!["hefesto".to_owned()];
    if request.scope.global {
        words.push("--global".into());
    }
    if request.scope.project.is_some() {
        words.push(format!("-C {}", shell_words::quote(&project.root().slashed())));
    }
    words.push("create".into());
    for (flag, value) in [
        ("--name", args.name.clone()),
        ("--target", args.target.as_ref().map(ToString::to_string)),
        ("--template", args.template.clone()),
        ("--license", args.license.clone()),
        ("--session", args.session.as_ref().map(ToString::to_string)),
    ] {
        if let Some(value) = value {
            words.push(format!("{flag} {}", shell_words::quote(&value)));
        }
    }
    for (flag, values) in [
        ("--from", &args.from),
        ("--source", &args.source),
        ("--answer", &args.answer),
        ("--pack", &args.pack),
        ("--no-pack", &args.no_pack),
    ] {
        words.extend(values.iter().map(|value| format!("{flag} {}", shell_words::quote(value))));
    }
    if args.no_facts {
        words.push("--no-facts".into());
    }
    if args.evals {
        words.push("--evals".into());
    }
    words.push("--body -".into());
    if !project.exists("MEMORY.md") {
        words.push("--init".into());
    }
    words.push(format!("-- {}", shell_words::quote(&wanted.description)));
    words.join(" ")
}
