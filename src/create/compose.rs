//! The skill that a brief makes: the template filled with what is understood of the description.

use super::Draft;
use super::draft::Brief;
use crate::client::drafting;
use crate::client::host::Host;
use crate::client::target::Arguments;
use crate::config::{self, Settings};
use crate::error::{Code, Error, Result};
use crate::project::Project;
use crate::skill::metadata::Metadata;
use crate::skill::template::{Template, Values};
use crate::skill::{body, pack, sentence};
use crate::system::env::Env;
use crate::system::input;

/// The skill that follows from a brief and nothing else. `drafted` stands in place of the template's sections, with the
/// name of who wrote it; so does a body given as a whole.
pub(super) fn compose(
    env: &Env,
    project: &Project,
    settings: &Settings,
    brief: &Brief,
    drafted: Option<(&str, &str)>,
) -> Result<Draft> {
    let template = template(env, project, &brief.template)?;
    let sentence = sentence::read(&brief.description);
    let name = match (&brief.name, &sentence.name) {
        (Some(given), _) => given.clone(),
        (None, Some(made)) => made.to_string(),
        (None, None) => {
            return Err(Error::new(Code::CreateNoName, "no name can be made from the words of the description")
                .usage("hefesto create [DESCRIPTION] --name NAME"));
        }
    };
    let input_hash = brief.hash();
    let now = env.stamp();
    let date = now.split('T').next().unwrap_or_default();
    let packs = pack::choose(
        &input::packs(&input::template_places(env, project))?,
        &sentence,
        &brief.facts,
        &brief.attachments.packs,
    )
    .map_err(|error| Error::new(Code::CreateTemplate, error.0).usage("hefesto create [DESCRIPTION] --pack ID"))?;
    let made = body::assemble(&body::Material {
        sentence: &sentence,
        facts: &brief.facts,
        packs: &packs,
        answers: &brief.attachments.answers,
        given: &brief.attachments.material,
    });
    let words: Vec<String> = packs.iter().flat_map(|chosen| chosen.pack.head.words.clone()).collect();
    let mut values = Values::new(&name, &brief.description, &sentence, &words, date);
    values.input = made.input().to_owned();
    values.instructions = made.instructions();
    values.author = config::author(env, settings, project).value;
    values.license.clone_from(&brief.license);
    values.platforms = brief.targets.iter().map(|target| target.id.clone()).collect();
    let whole = brief.body.as_deref().and_then(drafting::whole).and_then(|body| drafting::body(body).ok());
    let agent = match Host::of(|name| env.var(name)) {
        Host::Agent(id) => Some(id.to_owned()),
        Host::Ci | Host::Person => None,
    };
    let drafted_by = drafted.map(|(by, _)| by.to_owned()).or_else(|| whole.as_ref().and(agent));
    if whole.is_none() {
        values.body = brief.body.clone().unwrap_or_default();
    }
    values.drafted = drafted.map(|(_, text)| text.to_owned()).or(whole);
    values.known = brief.attachments.words();
    values.resources = brief.resources.iter().map(|resource| resource.path.clone()).collect();
    let text = input::render(&template, &values, Arguments::Dollar)?;
    let assembled = values.drafted.is_none() && values.body.is_empty();
    let text = made.complete(&text, sentence.language);
    let text = brief.attachments.cite(&text, sentence.language);
    let mut resources = brief.resources.clone();
    resources.extend(brief.attachments.evals(&values.name, &values.description, &sentence, &text));
    Ok(Draft {
        text,
        metadata: Metadata { input_hash, ..Metadata::new(&values, &template, &now) },
        name: values.name,
        description: values.description,
        category: values.category.word().to_owned(),
        tags: values.tags,
        template: template.name,
        resources,
        targets: brief.targets.clone(),
        drafted_by,
        undrafted: None,
        body: assembled.then_some(made),
    })
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
