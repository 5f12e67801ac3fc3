//! P2: the brief becomes a draft. Deterministic and offline: what the person gave, and what the template knows.

use super::draft::{Brief, Source};
use super::{Draft, Run, drafter, explain, intake};
use crate::client::drafting;
use crate::client::host::Host;
use crate::client::target::Arguments;
use crate::config;
use crate::config::Settings;
use crate::error::{Code, Error, Result};
use crate::memory::Facts;
use crate::memory::ring::Phase;
use crate::project::Project;
use crate::skill::metadata::Metadata;
use crate::skill::template::{Template, Values};
use crate::skill::{tree, understand};
use crate::system::env::Env;
use crate::system::input;

/// Runs P2.
///
/// # Errors
/// E-CREATE-002 when no name can be made, E-CREATE-008 when the template is missing or does not render, E-CREATE-005 when
/// what it makes must not be kept.
pub(super) fn generate(run: &mut Run<'_>, source: Source) -> Result<Draft> {
    run.enter(Phase::Generate);
    let draft = match source {
        Source::Draft(draft) => *draft,
        Source::Brief(brief) => {
            explain::tell(run, &brief.description);
            let author = config::author(run.env, &run.settings, &run.project).value;
            intake::settled(run, "author", &author)?;
            let first = compose(run.env, &run.project, &run.settings, &brief, None)?;
            match run.request.args.draft.clone() {
                Some(wanted) => drafter::improve(run, &brief, first, wanted.as_deref())?,
                None => first,
            }
        }
    };
    let text = tree::Blob { bytes: draft.text.clone().into_bytes(), executable: false };
    intake::keepable(run, [("SKILL.md", &text)])?;
    run.skill = Some(draft.name.clone());
    let facts = Facts { skill: Some(draft.name.clone()), targets: Some(run.targets.join(",")), ..Facts::default() };
    let at = run.env.stamp();
    run.checkpoint_with(&draft.state(&at), &facts)?;
    Ok(draft)
}

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
    let understood = understand(&brief.description);
    let name = match (&brief.name, &understood.name) {
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
    let mut values = Values::new(&name, &brief.description, &understood, date);
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
    values.known = brief.given.words();
    values.resources = brief.resources.iter().map(|resource| resource.path.clone()).collect();
    let text = input::render(&template, &values, Arguments::Dollar)?;
    let text = brief.given.put_into(&text, understood.language);
    let mut resources = brief.resources.clone();
    resources.extend(brief.given.evals(&values.name, &values.description, &understood, &text));
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
    })
}

/// Finds a template: the project's, the user's, then the built-in ones.
fn template(env: &Env, project: &Project, name: &str) -> Result<Template> {
    let places = input::template_places(env, project);
    input::find_template(&places, name)?.ok_or_else(|| {
        Error::new(Code::CreateTemplate, format!("there is no template {}", intake::quoted(name)))
            .suggest(format!("Templates: {}.", input::template_names(&places).join(", ")))
            .usage("hefesto create [DESCRIPTION] --template NAME")
    })
}
