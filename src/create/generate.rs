//! P2: the brief becomes a draft. Deterministic and offline: what the person gave, and what the template knows.

use super::draft::{Brief, Source};
use super::{Draft, Run, explain, intake};
use crate::error::{Code, Error, Result};
use crate::memory::Facts;
use crate::skill::metadata::Metadata;
use crate::skill::template::{Template, Values};
use crate::skill::{tree, understand};
use crate::target::Arguments;
use crate::working::Phase;
use crate::{config, door};

/// Runs P2.
///
/// # Errors
/// E-CREATE-002 when no name can be made, E-CREATE-008 when the template is missing or does not render, E-CREATE-005 when
/// what it makes must not be kept.
pub(super) fn generate(run: &mut Run<'_>, source: Source) -> Result<Draft> {
    run.enter(Phase::Generate);
    let draft = match source {
        Source::Draft(draft) => *draft,
        Source::Brief(brief) => write(run, *brief)?,
    };
    let text = tree::Blob { bytes: draft.text.clone().into_bytes(), executable: false };
    intake::keepable(run, [("SKILL.md", &text)])?;
    run.skill = Some(draft.name.clone());
    let facts = Facts { skill: Some(draft.name.clone()), targets: Some(run.targets.join(",")), ..Facts::default() };
    let at = run.env.stamp();
    run.checkpoint_with(&draft.state(&at), &facts)?;
    Ok(draft)
}

fn write(run: &mut Run<'_>, brief: Brief) -> Result<Draft> {
    let template = template(run, &brief.template)?;
    let understood = understand(&brief.description);
    if run.request.args.explain {
        if !run.env.json && !run.request.args.dry_run {
            let said = explain::text(run.env.style, &understood);
            run.env.say(said.trim_end());
        }
        run.understood = Some(understood.clone());
    }
    let name = match (&brief.name, &understood.name) {
        (Some(given), _) => given.clone(),
        (None, Some(made)) => made.to_string(),
        (None, None) => {
            return Err(Error::new(Code::CreateNoName, "no name can be made from the words of the description")
                .usage("hefesto create [DESCRIPTION] --name NAME"));
        }
    };
    let input_hash = brief.hash();
    let now = run.env.stamp();
    let date = now.split('T').next().unwrap_or_default();
    let mut values = Values::new(&name, &brief.description, &understood, date);
    values.author = config::author(run.env, &run.settings, &run.project).value;
    intake::settled(run, "author", &values.author)?;
    values.license = brief.license;
    values.platforms = brief.targets.iter().map(|target| target.id.clone()).collect();
    values.body = brief.body.unwrap_or_default();
    values.known = brief.given.words();
    values.resources = brief.resources.iter().map(|resource| resource.path.clone()).collect();
    let text = template.render(&values, Arguments::Dollar)?;
    let text = brief.given.put_into(&text, understood.language);
    let mut resources = brief.resources;
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
        targets: brief.targets,
    })
}

/// Finds a template: the project's, the user's, then the built-in ones.
fn template(run: &Run<'_>, name: &str) -> Result<Template> {
    let places = door::template_places(run.env, &run.project);
    door::find_template(&places, name)?.ok_or_else(|| {
        Error::new(Code::CreateTemplate, format!("there is no template {}", intake::quoted(name)))
            .suggest(format!("Templates: {}.", door::template_names(&places).join(", ")))
            .usage("hefesto create [DESCRIPTION] --template NAME")
    })
}
