//! P2: the request becomes a draft. Deterministic and offline, unless an AI CLI is asked to draft.

use super::draft::Source;
use super::{Draft, Run, checks, compose::compose, draft_offer, drafting, explain, preview, resource};
use crate::config;
use crate::error::{Code, Result};
use crate::memory::{Facts, ring::Phase};
use crate::rules::input::Field;
use crate::skill::Blob;

/// Runs P2. Errors: E-CREATE-002 when no name can be made, E-CREATE-008 when the template is missing or does not
/// render, E-CREATE-005 when the result must not be stored.
pub(super) fn generate(run: &mut Run<'_>, source: Source) -> Result<Draft> {
    run.enter(Phase::Generate);
    let draft = match source {
        Source::Draft(draft) => *draft,
        Source::Request(request) => {
            explain::tell(run, &request.description);
            let author = config::author(run.env, &run.settings, &run.project).value;
            checks::admit(run, "author", Field::Answer, &author)?;
            let first = compose(run.env, &run.project, &run.settings, &request, None)?;
            match draft_offer::wanted(run, &request, &first)? {
                Some(wanted) => drafting::draft(run, *request, first, wanted.as_deref())?,
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
    resource::keepable(run, [("SKILL.md", &text)])?;
    run.record.skill = Some(draft.name.clone());
    let facts =
        Facts { skill: Some(draft.name.clone()), targets: Some(run.record.targets.join(",")), ..Facts::default() };
    let at = run.env.stamp();
    run.checkpoint_with(&draft.state(&at), &facts)?;
    Ok(draft)
}
