//! Makes the text of an installed skill again, from its recipe and the current templates and packs.

use serde_json::{Value, json};

use super::{Draft, compose::compose, draft::SkillRequest};
use crate::client::target::Target;
use crate::config::Settings;
use crate::error::{Code, Error, Result};
use crate::memory::{Ingredient, MadeFrom, Recipe};
use crate::project::Project;
use crate::skill::{fact::Facts, head};
use crate::system::env::Env;

/// What P2 assembled a text from, and the text.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Made {
    pub from: MadeFrom,
    pub text: String,
}

/// The recipe of a draft installed under a name; none if it is unknown what the draft was made from.
pub(super) fn recipe(draft: &Draft, intake: Option<Value>, facts: &Facts, name: &str) -> Option<Recipe> {
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
    Some(Recipe { made_from: MadeFrom { drafted, ..made.from }, brief, text: head::with_name(&made.text, name) })
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

/// A part of a text by its id and the digest of its source.
pub(super) fn ingredient(id: &str, digest: String) -> Ingredient {
    Ingredient { id: id.to_owned(), digest }
}
