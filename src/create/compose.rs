//! The skill a request makes: the template filled with what is understood of the description.

use std::collections::BTreeMap;

use super::remake::{Made, ingredient};
use super::{Draft, Resource, draft::SkillRequest, remembered, resource};
use crate::client::{drafting, host::Host, target::Arguments};
use crate::config::{self, Settings};
use crate::error::{Code, Error, Result};
use crate::memory::{Ingredient, MadeFrom};
use crate::project::Project;
use crate::report::slashed::Slashed;
use crate::skill::body::{self, Body, Remembered};
use crate::skill::pack::{self, Chosen, PackError};
use crate::skill::template::{Template, Values};
use crate::skill::{Sentence, metadata::Metadata, printable, sentence};
use crate::system::{env::Env, input};

/// The result of reading a request, before any text is written.
pub(super) struct Understood {
    pub sentence: Sentence,
    pub packs: Vec<Chosen>,
    /// The packs by their digests.
    pub ingredients: Vec<Ingredient>,
    pub body: Body,
    /// The answers to its questions, given and remembered ones.
    pub answers: BTreeMap<String, String>,
    /// The remembered lines that are used.
    pub remembered: Vec<Remembered>,
}

impl Understood {
    pub(super) fn question(&self, key: &str, asked: &BTreeMap<String, String>) -> String {
        body::question(key, &self.packs, asked, self.sentence.language)
    }
}

/// Parses the sentence, chooses packs and assembles the body.
/// Errors: E-CREATE-008 for a pack that cannot be read or does not exist.
pub(super) fn understand(env: &Env, project: &Project, request: &SkillRequest) -> Result<Understood> {
    let sentence = sentence::read(&request.description);
    let places = input::template_places(env, project);
    let sources = input::packs(&places)?;
    let packs = pack::choose(&sources, &sentence, &request.facts, &request.attachments.packs)
        .map_err(|error| pack_refused(&places, &error))?;
    let ingredients = packs.iter().filter_map(|chosen| {
        let id = &chosen.pack.head.id;
        let source = sources.iter().rfind(|source| source.id() == id)?;
        Some(ingredient(id, source.digest()))
    });
    let ingredients = ingredients.collect();
    let assembled = |answers: &BTreeMap<String, String>, remembered: &[Remembered]| {
        body::assemble(&body::Material {
            sentence: &sentence,
            facts: &request.facts,
            packs: &packs,
            answers,
            asked: &request.attachments.asked,
            given: &request.attachments.files,
            remembered,
        })
    };
    let (answers, remembered) = remembered::answers(request, |answers| assembled(answers, &[]).open);
    let body = assembled(&answers, &remembered);
    Ok(Understood { sentence, packs, ingredients, body, answers, remembered })
}

fn pack_refused(places: &input::Places, error: &PackError) -> Error {
    match error {
        PackError::Unknown { id, nearest } => {
            let message = format!("there is no pack {id}; the nearest: {}", nearest.join(", "));
            let error = Error::new(Code::CreateTemplate, message).usage("hefesto create [DESCRIPTION] --pack ID");
            error.suggest("Name one of the packs there are, or leave `--pack` and `--no-pack` out.")
        }
        PackError::Broken { id, line, message } => {
            let file = input::pack_file(places, id).map_or_else(|| format!("pack {id}"), |file| file.path().slashed());
            let line = line.map(|line| format!(", line {line}")).unwrap_or_default();
            let error = Error::new(Code::CreateTemplate, format!("{file}{line}: {}", printable(message)));
            error.suggest(format!("Correct the file, or leave the pack out with `--no-pack {id}`."))
        }
    }
}

/// A skill another program wrote, and that program's display name.
pub(super) struct Drafted<'d> {
    pub by: &'d str,
    pub skill: &'d drafting::Skill,
}

/// Makes the skill from a request and nothing else. `drafted` replaces the assembled body, and its description and tags
/// are used if they are valid; so are those of a whole skill given as the body.
pub(super) fn compose(
    env: &Env,
    project: &Project,
    settings: &Settings,
    request: &SkillRequest,
    drafted: Option<&Drafted<'_>>,
) -> Result<Draft> {
    let template = template(env, project, &request.template)?;
    let Understood { sentence, packs, ingredients, body: made, answers, remembered } =
        understand(env, project, request)?;
    let made_name = sentence.name.as_ref().map(ToString::to_string);
    let name = request.name.clone().or(made_name).ok_or_else(nameless)?;
    let input_hash = request.hash();
    let now = env.stamp();
    let date = now.split('T').next().unwrap_or_default();
    let mut values = Values::new(&name, &request.description, &sentence, &pack::words(&packs, sentence.language), date);
    values.input = made.input().to_owned();
    values.instructions = made.instructions();
    values.author = request.author.clone().unwrap_or_else(|| config::author(env, settings, project).value);
    values.license.clone_from(&request.license);
    values.platforms = request.targets.iter().map(|target| target.id.clone()).collect();
    values.known = request.attachments.words();
    let whole = request.body.as_deref().and_then(drafting::whole).and_then(|body| drafting::skill(body).ok());
    let written = drafted.map(|drafted| drafted.skill).or(whole.as_ref());
    let (mut resources, mut amended) = (request.resources.clone(), Vec::new());
    match written {
        Some(skill) => {
            amended = put_written(&mut values, skill, &sentence);
            resources = with_files(resources, skill)?;
        }
        None => values.body = request.body.clone().unwrap_or_default(),
    }
    values.resources = resources.iter().map(|resource| resource.path.clone()).collect();
    let drafted_by = drafted.map(|drafted| drafted.by.to_owned()).or_else(|| whole.as_ref().and_then(|_| agent(env)));
    let mut text = input::render(&template, &values, Arguments::Dollar)?;
    if drafted.is_none() {
        // A body an agent hands in meets the same requirements as a draft.
        text = made.complete(&text, sentence.language, whole.is_some());
    }
    let text = request.attachments.cite(&text, sentence.language);
    resources.extend(request.attachments.evals(&values.name, &sentence, &packs, &text));
    let assembled = values.drafted.is_none() && values.body.is_empty();
    let from = MadeFrom {
        template: ingredient(&template.name, template.digest()),
        packs: ingredients,
        drafted: written.is_some(),
        left: Vec::new(),
    };
    Ok(Draft {
        made: Some(Made { from, text: text.clone() }),
        text,
        metadata: Metadata { input_hash, ..Metadata::new(&values, &template, &now) },
        name: values.name,
        description: values.description,
        category: values.category.word().to_owned(),
        tags: values.tags,
        template: template.name,
        resources,
        targets: request.targets.clone(),
        drafted_by,
        amended,
        answers,
        body: assembled.then_some(made),
        remembered,
        ..Draft::default()
    })
}

fn nameless() -> Error {
    Error::new(Code::CreateNoName, "no name can be made from the words of the description")
        .usage("hefesto create [DESCRIPTION] --name NAME")
}

/// The AI CLI that runs hefesto, if one does.
fn agent(env: &Env) -> Option<String> {
    match Host::of(|name| env.var(name)) {
        Host::Agent(id) => Some(id.to_owned()),
        Host::Ci | Host::Person => None,
    }
}

/// Replaces the assembled text with what another program wrote. An invalid description or tags leave hefesto's own;
/// returns a line for each that was left.
fn put_written(values: &mut Values, skill: &drafting::Skill, sentence: &Sentence) -> Vec<String> {
    let mut amended = Vec::new();
    values.drafted = Some(skill.body.clone());
    let problem = |text: &String| drafting::description_problem(text, sentence.language);
    match (&skill.description, skill.description.as_ref().and_then(problem)) {
        (Some(fit), None) => values.description.clone_from(fit),
        (Some(_), Some(why)) => amended.push(format!("the description is hefesto's: the drafted one {why}")),
        (None, _) => amended.push("the description is hefesto's: the draft has none".to_owned()),
    }
    let tags = drafting::usable_tags(&skill.tags);
    if !tags.is_empty() {
        values.tags = tags;
    } else if !skill.tags.is_empty() {
        amended.push("the tags are hefesto's: fewer than three of the drafted ones can be used".to_owned());
    }
    amended
}

/// Adds the files of a drafted skill, which replace others at the same path.
/// Errors: E-CREATE-009 for a path that is not a plain file name below `references/` or `scripts/`.
pub(super) fn with_files(mut resources: Vec<Resource>, skill: &drafting::Skill) -> Result<Vec<Resource>> {
    for file in &skill.files {
        let (kind, name) = file.path.split_once('/').unwrap_or_default();
        let kind = if kind == "scripts" { "scripts" } else { "references" };
        let resource = resource::make(kind, name, file.text.clone().into_bytes())?;
        resources.retain(|known| known.path != resource.path);
        resources.push(resource);
    }
    Ok(resources)
}

/// Finds a template: the project's, the user's, then the built-in ones.
fn template(env: &Env, project: &Project, name: &str) -> Result<Template> {
    let places = input::template_places(env, project);
    input::find_template(&places, name)?.ok_or_else(|| {
        Error::new(Code::CreateTemplate, format!("there is no template '{name}'"))
            .suggest(format!("Templates: {}.", input::template_names(&places).join(", ")))
            .usage("hefesto create [DESCRIPTION] --template NAME")
    })
}
