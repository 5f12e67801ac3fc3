//! What an installed skill was made from: enough to make its text again when the template or a pack is newer.

use std::collections::HashMap;

use rusqlite::Transaction;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{CommittedRun, Memory, sql};

/// The table, and which recipe each installed copy follows, by its run.
pub(super) const STEP: &str = "
CREATE TABLE recipes (
  run_id TEXT PRIMARY KEY, skill TEXT NOT NULL, made_from TEXT NOT NULL CHECK (json_valid(made_from)),
  brief TEXT NOT NULL CHECK (json_valid(brief)), text TEXT NOT NULL
) STRICT;
ALTER TABLE installed ADD COLUMN recipe TEXT;
";

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recipe {
    pub made_from: MadeFrom,
    /// The request of the skill, as stored by phase P1 of `create`.
    pub brief: Value,
    /// SKILL.md as generated, before any edit; arguments written `$ARGUMENTS`.
    pub text: String,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MadeFrom {
    pub template: Ingredient,
    pub packs: Vec<Ingredient>,
    /// Whether a model wrote the text, so that it cannot be made again.
    #[serde(default)]
    pub drafted: bool,
    /// Where the author's text stayed although a newer one differs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left: Vec<Left>,
}

/// A place that the author and a newer text changed differently; none: that side has no such lines.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Left {
    pub place: String,
    pub yours: Option<String>,
    pub newer: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ingredient {
    pub id: String,
    pub digest: String,
}

impl Memory {
    pub fn ingredients(&self) -> anyhow::Result<HashMap<String, MadeFrom>> {
        let rows: Vec<(String, String)> =
            sql::all(&self.db, "SELECT run_id, made_from FROM recipes", [], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let read = |(run, text): (String, String)| Some((run, serde_json::from_str(&text).ok()?));
        Ok(rows.into_iter().filter_map(read).collect())
    }

    /// The recipe of a run; none if there is no readable one.
    pub fn recipe(&self, run: &str) -> anyhow::Result<Option<Recipe>> {
        let sql = "SELECT made_from, brief, text FROM recipes WHERE run_id = ?1";
        let row: Option<(String, String, String)> =
            sql::one(&self.db, sql, [run], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        let read = |(made_from, brief, text): (String, String, String)| {
            let made_from = serde_json::from_str(&made_from).ok()?;
            Some(Recipe { made_from, brief: serde_json::from_str(&brief).ok()?, text })
        };
        Ok(row.and_then(read))
    }
}

/// Records the recipe of a run, in the caller's transaction. Idempotent.
pub(super) fn record(tx: &Transaction<'_>, run: &CommittedRun) -> anyhow::Result<()> {
    let Some(recipe) = &run.recipe else { return Ok(()) };
    let (made_from, brief) = (serde_json::to_string(&recipe.made_from)?, recipe.brief.to_string());
    insert!(tx, "INSERT OR REPLACE INTO recipes", recipe =>
        run_id: run.run, skill: run.skill, made_from: made_from, brief: brief, text)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::{InstalledCopy, schema};
    use super::*;

    const AT: &str = "2026-02-05T10:00:00Z";

    fn run(id: &str, command: &str, recipe: Option<&str>) -> CommittedRun {
        let recipe = recipe.map(|digest| {
            let template = Ingredient { id: "base".into(), digest: digest.into() };
            let made_from = MadeFrom { template, ..MadeFrom::default() };
            Recipe { made_from, brief: json!({ "description": "Sort mail" }), text: "Text.".into() }
        });
        let at = ".claude/skills/x".into();
        let installed = vec![InstalledCopy { at, digest: Some(id.into()), ..InstalledCopy::default() }];
        let (run, command, skill) = (id.into(), command.into(), "x".into());
        CommittedRun { run, command, skill, installed, recipe, ..CommittedRun::default() }
    }

    fn followed(memory: &Memory) -> Option<String> {
        memory.bases().unwrap().remove(0).copy.recipe
    }

    #[test]
    fn a_copy_follows_the_recipe_it_was_made_by_until_it_is_made_anew() {
        let mut memory = Memory::in_memory().unwrap();
        memory.committed(&run("1", "create", Some("old")), AT).unwrap();
        memory.committed(&run("2", "edit", None), AT).unwrap();
        assert_eq!(followed(&memory).as_deref(), Some("1"));
        memory.committed(&run("3", "update", Some("new")), AT).unwrap();
        memory.committed(&run("3", "update", Some("new")), AT).unwrap();
        assert_eq!(followed(&memory).as_deref(), Some("3"));
        assert_eq!(memory.ingredients().unwrap()["3"].template.digest, "new");
        assert_eq!(memory.recipe("1").unwrap().unwrap().text, "Text.");
        memory.committed(&run("4", "adopt", None), AT).unwrap();
        assert_eq!((followed(&memory), memory.recipe("4").unwrap()), (None, None));
    }

    #[test]
    fn a_database_of_the_last_schema_keeps_its_copies_and_has_no_recipes() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("memory.db");
        let last = schema::STEPS.iter().position(|step| *step == STEP).unwrap();
        let sql = format!(
            "INSERT INTO installed(at, seq, skill, target, digest, run_id, command, stamp)
             VALUES ('.claude/skills/x', 1, 'x', 'claude', 'a', '1', 'create', '{AT}')"
        );
        schema::tests::of_version(last, &path, &sql);
        let mut memory = Memory::open(&path, 0).unwrap();
        assert_eq!((followed(&memory), memory.ingredients().unwrap().len()), (None, 0));
        memory.committed(&run("2", "update", Some("new")), AT).unwrap();
        assert_eq!(followed(&memory).as_deref(), Some("2"));
    }
}
