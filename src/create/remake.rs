//! Makes the text of an installed skill again, from what it was made from and the templates and packs there are now.

use serde_json::{Value, json};

use super::Draft;
use super::compose::compose;
use super::draft::SkillRequest;
use crate::client::target::Target;
use crate::config::Settings;
use crate::error::{Code, Error, Result};
use crate::memory::{Ingredient, MadeFrom, Recipe};
use crate::project::Project;
use crate::skill::fact::Facts;
use crate::skill::head;
use crate::system::env::Env;

/// What P2 assembled a text from, and that text.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Made {
    pub from: MadeFrom,
    pub text: String,
}

/// The recipe of a draft that is installed under a name; none where it is not known what it was made from.
pub(super) fn recipe(draft: &Draft, intake: Option<Value>, facts: &Facts, name: &str) -> Option<Recipe> {
    let (made, mut brief) = (draft.made.clone()?, intake?);
    for (key, value) in [
        ("name", json!(name)),
        // What was rejected at the gate stays out.
        ("remembered", json!(draft.remembered)),
        ("author", json!(draft.metadata.author)),
        ("facts", json!(facts)),
    ] {
        brief[key] = value;
    }
    let drafted = made.from.drafted || draft.drafted_by.is_some();
    Some(Recipe { made_from: MadeFrom { drafted, ..made.from }, brief, text: head::with_name(&made.text, name) })
}

/// The text that a recipe gives now, for a skill of this name, and the recipe of that text.
///
/// # Errors
/// E-UPDATE-001 where the recipe is not whole; E-CREATE-008 where the template or a pack is gone or cannot be read.
pub fn remake(
    env: &Env,
    project: &Project,
    settings: &Settings,
    recipe: &Recipe,
    (name, targets): (&str, &[Target]),
) -> Result<Recipe> {
    let facts = serde_json::from_value(recipe.brief["facts"].clone()).unwrap_or_default();
    let request = SkillRequest::from_state(&recipe.brief, targets.to_vec(), facts)
        .ok_or_else(|| Error::new(Code::UpdateUnmade, format!("what `{name}` was made from is not whole any more")))?;
    let request = SkillRequest { name: Some(name.to_owned()), ..request };
    let draft = compose(env, project, settings, &request, None)?;
    let from = draft.made.map(|made| made.from).unwrap_or_default();
    Ok(Recipe { made_from: from, brief: recipe.brief.clone(), text: draft.text })
}

/// A part of a text by its id and the digest of its source.
pub(super) fn ingredient(id: &str, digest: String) -> Ingredient {
    Ingredient { id: id.to_owned(), digest }
}
