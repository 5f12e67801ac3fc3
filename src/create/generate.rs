//! P2: the request becomes a draft, the template filled with what is understood of the description. Deterministic and
//! offline, unless an AI CLI is asked to draft. `update` makes the text of an installed skill again, from its recipe.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::draft::{SkillRequest, Source};
use super::{Draft, Resource, Run, attachments, checks, drafter, preview, remembered};
use crate::client::target::{Arguments, Target};
use crate::client::{drafting, host::Host};
use crate::config::{self, Settings};
use crate::error::{Code, Error, Result};
use crate::memory::{Facts, Ingredient, MadeFrom, Recipe, ring::Phase};
use crate::project::Project;
use crate::report::slashed::Slashed;
use crate::skill::body::{self, Body, Remembered};
use crate::skill::pack::{self, Chosen, PackError};
use crate::skill::template::{Template, Values};
use crate::skill::{Blob, Sentence, fact, frontmatter, metadata::Metadata, printable, read};
use crate::system::{env::Env, input};
use crate::terminal::ui::{Style, table};

/// Runs P2. Errors: E-CREATE-002 when no name can be made, E-CREATE-008 when the template is missing or does not
/// render, E-CREATE-005 when the result must not be stored.
pub(super) fn generate(run: &mut Run<'_>, source: Source) -> Result<Draft> {
    run.enter(Phase::Generate);
    let draft = match source {
        Source::Draft(draft) => *draft,
        Source::Request(request) => {
            tell_understood(run, &request.description);
            let author = config::author(run.env, &run.settings, &run.project).value;
            checks::admit(run, "author", crate::rules::input::Field::Answer, &author)?;
            let first = compose(run.env, &run.project, &run.settings, &request, None)?;
            match drafter::wanted(run, &request, &first)? {
                Some(wanted) => super::drafting::draft(run, *request, first, wanted.as_deref())?,
                None => first,
            }
        }
    };
    // A person reads it at the gate.
    let unknown = draft.body.as_ref().and_then(|body| preview::assessment::unknown(&body.unknown));
    if let Some(message) = unknown.filter(|_| run.env.json) {
        run.env.warn(Code::UnknownTool, message);
    }
    let text = Blob { bytes: draft.text.clone().into_bytes(), executable: false };
    attachments::keepable(run, [("SKILL.md", &text)])?;
    run.record.skill = Some(draft.name.clone());
    let facts =
        Facts { skill: Some(draft.name.clone()), targets: Some(run.record.targets.join(",")), ..Facts::default() };
    let at = run.env.stamp();
    run.checkpoint_with(&draft.state(&at), &facts)?;
    Ok(draft)
}

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
    let sentence = read(&request.description);
    let places = input::template_places(env, project);
    let sources = input::packs(&places)?;
    let packs = pack::choose(&sources, &sentence, &request.facts, &request.attachments.packs)
        .map_err(|error| pack_refused(&places, &error))?;
    let ingredients = packs.iter().filter_map(|chosen| {
        let id = &chosen.pack.head.id;
        let source = sources.iter().rfind(|source| source.id() == id)?;
        Some(Ingredient { id: id.clone(), digest: source.digest() })
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
        template: Ingredient { id: template.name.clone(), digest: template.digest() },
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
        let resource = attachments::make(kind, name, file.text.clone().into_bytes())?;
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

/// What P2 assembled a text from, and the text.
#[derive(Debug, Clone)]
pub struct Made {
    pub from: MadeFrom,
    pub text: String,
}

/// The recipe of a draft installed under a name; none if it is unknown what the draft was made from.
pub(super) fn recipe(draft: &Draft, intake: Option<Value>, facts: &fact::Facts, name: &str) -> Option<Recipe> {
    let (made, mut brief) = (draft.made.clone()?, intake?);
    for (key, value) in [
        ("name", json!(name)),
        // Lines rejected at the gate stay out.
        ("remembered", json!(draft.remembered)),
        ("author", json!(draft.metadata.author)),
        ("facts", json!(facts)),
    ] {
        brief[key] = value;
    }
    let drafted = made.from.drafted || draft.drafted_by.is_some();
    Some(Recipe { made_from: MadeFrom { drafted, ..made.from }, brief, text: frontmatter::with_name(&made.text, name) })
}

/// Makes the current text of a recipe, for a skill of this name. Errors: E-UPDATE-001 if the recipe is incomplete;
/// E-CREATE-008 if the template or a pack is missing or cannot be read.
pub fn remake(
    env: &Env,
    project: &Project,
    settings: &Settings,
    recipe: &Recipe,
    (name, targets): (&str, &[Target]),
) -> Result<Recipe> {
    let facts = serde_json::from_value(recipe.brief["facts"].clone()).unwrap_or_default();
    let request = SkillRequest::from_state(&recipe.brief, targets.to_vec(), facts)
        .ok_or_else(|| Error::new(Code::UpdateUnmade, format!("what `{name}` was made from is incomplete")))?;
    let request = SkillRequest { name: Some(name.to_owned()), ..request };
    let draft = compose(env, project, settings, &request, None)?;
    let from = draft.made.map(|made| made.from).unwrap_or_default();
    Ok(Recipe { made_from: from, brief: recipe.brief.clone(), text: draft.text })
}

/// With `--explain`, says how the description was read, and keeps it for the answer.
fn tell_understood(run: &mut Run<'_>, description: &str) {
    if !run.args.explain {
        return;
    }
    let understood = read(description);
    if !run.env.json && !run.args.dry_run {
        run.env.say(understood_text(run.env.err_style(), &understood).trim_end());
    }
    run.record.understood = Some(understood);
}

/// For people: every conclusion with its reason.
pub(super) fn understood_text(style: Style, understood: &Sentence) -> String {
    let mut text = format!("{}\n", style.rule("Understood"));
    let cells = |cells: &[&str]| cells.iter().map(ToString::to_string).collect::<Vec<_>>();
    let parts: Vec<_> =
        understood.because.iter().map(|part| cells(&[part.about, &part.concluded, &part.from])).collect();
    text.push_str(&table(style, &["Part", "Understood", "From"], &parts));
    text.push_str(&format!("{}\n", style.rule("end")));
    text
}

pub(super) fn understood_json(understood: &Sentence) -> Value {
    json!({
        "language": understood.language, "archetype": understood.archetype, "head": understood.head,
        "clauses": understood.clauses, "rules": understood.rules, "parts": understood.because,
    })
}
