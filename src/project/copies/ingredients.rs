//! Finds skills made from an older version of a template or a pack.

use std::collections::HashMap;

use super::{Copies, seq};
use serde::Serialize;

use crate::error::Result;
use crate::memory::{Ingredient, MadeFrom};
use crate::project::Project;
use crate::system::env::Env;
use crate::system::input;

/// The current templates and packs, by id and digest.
#[derive(Debug)]
pub struct Ingredients {
    packs: HashMap<String, String>,
    templates: HashMap<String, Option<String>>,
}

/// A template or pack newer than a skill's text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Newer {
    /// `template` or `pack`.
    pub kind: &'static str,
    pub id: String,
}

impl Newer {
    /// For people.
    pub fn text(all: &[Self]) -> String {
        all.iter().map(|one| format!("{} {}", one.kind, one.id)).collect::<Vec<_>>().join(", ")
    }
}

impl Ingredients {
    /// Reads the packs and the templates of these texts.
    pub fn of<'m>(env: &Env, project: &Project, made: impl Iterator<Item = &'m MadeFrom>) -> Result<Self> {
        let places = input::template_places(env, project);
        let sources = input::packs(&places)?;
        let (mut packs, mut templates) = (HashMap::new(), HashMap::new());
        for made in made {
            for one in &made.packs {
                let source = sources.iter().rfind(|source| source.id() == one.id);
                if let Some(source) = source.filter(|_| !packs.contains_key(&one.id)) {
                    packs.insert(one.id.clone(), source.digest());
                }
            }
            let id = &made.template.id;
            if !templates.contains_key(id) {
                let found = input::find_template(&places, id)?;
                templates.insert(id.clone(), found.map(|template| template.digest()));
            }
        }
        Ok(Self { packs, templates })
    }

    /// The parts of a text that changed since. A deleted one does not count.
    pub fn newer(&self, made: &MadeFrom) -> Vec<Newer> {
        let changed = |one: &Ingredient, now: Option<&String>| now.is_some_and(|now| *now != one.digest);
        let template = self.templates.get(&made.template.id).and_then(Option::as_ref);
        let template = changed(&made.template, template).then_some(("template", &made.template));
        let packs = made.packs.iter().filter(|one| changed(one, self.packs.get(&one.id))).map(|one| ("pack", one));
        template.into_iter().chain(packs).map(|(kind, one)| Newer { kind, id: one.id.clone() }).collect()
    }
}

impl Copies {
    /// The run whose recipe the skill follows.
    pub fn recipe(&self) -> Option<&str> {
        let newest = self.all.iter().filter(|copy| copy.base_digest().is_some() && recipe_of(copy).is_some());
        newest.max_by_key(|copy| seq(copy)).and_then(recipe_of)
    }
}

fn recipe_of(copy: &super::Copy) -> Option<&str> {
    copy.base.as_ref()?.copy.recipe.as_deref()
}
