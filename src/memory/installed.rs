//! What was installed where, version by version, and what it was made from: enough to tell an edit from what was
//! installed, and to make the text again when the template or a pack is newer. Kept longer than runs.

use std::collections::{BTreeSet, HashMap};

use rusqlite::{Row, ToSql, Transaction, params};
use serde::{Deserialize, Serialize};

use super::{CommittedRun, Memory, sql};

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct InstalledCopy {
    /// Where, relative to the root.
    pub at: String,
    pub target: String,
    /// Digest of its files; none: the copy is gone.
    pub digest: Option<String>,
    pub version: Option<String>,
    /// The reason for this copy, if different from the run's.
    #[serde(default)]
    pub why: Option<String>,
    /// The run whose recipe it follows, if known.
    #[serde(default)]
    pub recipe: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installed {
    pub copy: InstalledCopy,
    pub run: String,
    pub command: String,
    /// The time, RFC 3339 UTC.
    pub stamp: String,
    /// What the run did to the text, in words.
    pub why: Option<String>,
    pub seq: i64,
}

impl Installed {
    /// Whether its command makes a text that does not come from what was there before.
    pub fn makes_anew(&self) -> bool {
        matches!(self.command.as_str(), "adopt" | "convert" | "create")
    }
}

/// The table. It starts with the results of the runs recorded so far, whose versions are unknown.
pub(super) const TABLE: &str = "
CREATE TABLE installed (
  at TEXT NOT NULL, seq INTEGER NOT NULL, skill TEXT NOT NULL, target TEXT NOT NULL, digest TEXT, version TEXT,
  run_id TEXT NOT NULL, command TEXT NOT NULL, stamp TEXT NOT NULL, why TEXT,
  PRIMARY KEY (at, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX installed_by_skill ON installed(skill, seq);
INSERT INTO installed(at, seq, skill, target, digest, run_id, command, stamp)
  SELECT c.at, c.seq, r.skill, c.target, c.after, c.run_id, r.command, coalesce(r.ended_at, r.started_at)
  FROM changes c JOIN runs r ON r.run_id = c.run_id
  WHERE substr(c.at, -length(r.skill) - 1) = '/' || r.skill AND c.at <> ''
  GROUP BY c.at, c.seq;
";

/// SQL: whether a row of `installed` is the newest of its path.
const NEWEST: &str = "seq = (SELECT max(seq) FROM installed other WHERE other.at = installed.at)";

/// The commands after which a copy follows only the recipe they record.
const MAKE_ANEW: &[&str] = &["adopt", "convert", "create", "rename", "undo"];

impl Memory {
    /// The newest row of every copy that was ever installed, by path.
    pub fn bases(&self) -> anyhow::Result<Vec<Installed>> {
        self.installed(&format!("{NEWEST} ORDER BY at"), &[])
    }

    /// The newest row of every copy of one skill, by path.
    pub fn bases_of(&self, skill: &str) -> anyhow::Result<Vec<Installed>> {
        self.installed(&format!("skill = ?1 AND {NEWEST} ORDER BY at"), params![skill])
    }

    pub fn history(&self, skill: &str) -> anyhow::Result<Vec<Installed>> {
        self.installed("skill = ?1 ORDER BY seq DESC, at", params![skill])
    }

    pub fn installed_by(&self, run: &str) -> anyhow::Result<Vec<Installed>> {
        self.installed("run_id = ?1 ORDER BY at", params![run])
    }

    /// What was installed at a path before this row; none if nothing was.
    pub fn installed_before(&self, row: &Installed) -> anyhow::Result<Option<Installed>> {
        Ok(self.installed("at = ?1 AND seq < ?2 ORDER BY seq DESC LIMIT 1", params![row.copy.at, row.seq])?.pop())
    }

    fn installed(&self, fits: &str, values: &[&dyn ToSql]) -> anyhow::Result<Vec<Installed>> {
        let columns = "at, target, digest, version, run_id, command, stamp, why, seq, recipe";
        sql::all(&self.db, &format!("SELECT {columns} FROM installed WHERE {fits}"), values, read)
    }

    /// The digests of a skill's versions beyond a number, without the newest, and their rows.
    pub fn surplus(&self, skill: &str, versions: u32) -> anyhow::Result<Vec<String>> {
        let history = self.history(skill)?;
        let mut runs: Vec<i64> = history.iter().map(|row| row.seq).collect();
        runs.dedup();
        let Some(oldest) = runs.get(usize::try_from(versions)?.saturating_sub(1)).copied() else {
            return Ok(Vec::new());
        };
        let present = self.bases_of(skill)?;
        let (kept, old): (Vec<&Installed>, Vec<&Installed>) = history.iter().partition(|row| row.seq >= oldest);
        let kept: BTreeSet<_> = kept.into_iter().chain(&present).filter_map(|row| row.copy.digest.clone()).collect();
        let old: BTreeSet<_> = old.into_iter().filter_map(|row| row.copy.digest.clone()).collect();
        Ok(old.difference(&kept).cloned().collect())
    }

    /// The digests in use, counting only the newest versions of each skill.
    pub fn kept_digests(&self, versions: u32) -> anyhow::Result<BTreeSet<String>> {
        let sql = format!(
            "SELECT DISTINCT digest FROM (
               SELECT digest, dense_rank() OVER (PARTITION BY skill ORDER BY seq DESC) AS place, {NEWEST} AS present
               FROM installed WHERE digest IS NOT NULL)
             WHERE place <= ?1 OR present"
        );
        Ok(sql::column(&self.db, &sql, [versions])?.into_iter().collect())
    }
}

/// Records the copies after a run, in the caller's transaction. Idempotent.
pub(super) fn record(tx: &Transaction<'_>, run: &CommittedRun, at: &str) -> anyhow::Result<()> {
    let known_or_next = "SELECT coalesce((SELECT max(seq) FROM installed WHERE run_id = ?1),
                                         (SELECT coalesce(max(seq), 0) + 1 FROM installed))";
    let seq: i64 = tx.prepare_cached(known_or_next)?.query_row([&run.run], |row| row.get(0))?;
    let mut insert = tx.prepare_cached(
        "INSERT OR REPLACE INTO installed(at, seq, skill, target, digest, version, run_id, command, stamp, why, recipe)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, coalesce(?11, iif(?12,
           coalesce((SELECT recipe FROM installed o WHERE o.at = ?1 AND o.digest = ?5 AND o.seq < ?2
              ORDER BY seq DESC LIMIT 1),
             (SELECT recipe FROM installed o WHERE o.at = ?1 AND o.seq < ?2 ORDER BY seq DESC LIMIT 1),
             (SELECT recipe FROM installed o WHERE o.skill = ?3 AND o.seq < ?2 AND recipe IS NOT NULL
              ORDER BY seq DESC LIMIT 1)), NULL)))",
    )?;
    let made = run.recipe.as_ref().map(|_| run.run.as_str());
    let goes_on = !MAKE_ANEW.contains(&run.command.as_str());
    for one in &run.installed {
        let skill = one.at.rsplit('/').next().unwrap_or(&one.at);
        let (why, recipe) = (one.why.as_ref().or(run.why.as_ref()), one.recipe.as_deref().or(made));
        insert.execute(params![
            one.at, seq, skill, one.target, one.digest, one.version, run.run, run.command, at, why, recipe, goes_on,
        ])?;
    }
    Ok(())
}

fn read(row: &Row<'_>) -> rusqlite::Result<Installed> {
    let (run, command, stamp, why, seq) = (row.get(4)?, row.get(5)?, row.get(6)?, row.get(7)?, row.get(8)?);
    let (at, target, digest, version, recipe) = (row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(9)?);
    let copy = InstalledCopy { at, target, digest, version, why: None, recipe };
    Ok(Installed { copy, run, command, stamp, why, seq })
}

/// The table, and which recipe each installed copy follows, by its run.
pub(super) const RECIPES: &str = "
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
    pub brief: serde_json::Value,
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
pub(super) fn record_recipe(tx: &Transaction<'_>, run: &CommittedRun) -> anyhow::Result<()> {
    let Some(recipe) = &run.recipe else { return Ok(()) };
    let (made_from, brief) = (serde_json::to_string(&recipe.made_from)?, recipe.brief.to_string());
    insert!(tx, "INSERT OR REPLACE INTO recipes", recipe =>
        run_id: run.run, skill: run.skill, made_from: made_from, brief: brief, text)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::memory::schema;

    const AT: &str = "2026-02-05T10:00:00Z";

    fn run(id: &str, copies: &[(&str, Option<&str>)]) -> CommittedRun {
        let copy = |(target, digest): &(&str, Option<&str>)| InstalledCopy {
            at: format!(".{target}/skills/x"),
            target: (*target).to_owned(),
            digest: digest.map(str::to_owned),
            ..InstalledCopy::default()
        };
        let installed = copies.iter().map(copy).collect();
        CommittedRun { run: id.to_owned(), skill: "x".to_owned(), installed, ..CommittedRun::default() }
    }

    fn digests(rows: &[Installed]) -> Vec<(&str, Option<&str>)> {
        rows.iter().map(|row| (row.copy.target.as_str(), row.copy.digest.as_deref())).collect()
    }

    #[test]
    fn the_newest_row_of_a_place_is_its_base() {
        let mut memory = Memory::in_memory().unwrap();
        memory.committed(&run("1", &[("claude", Some("a")), ("gemini", Some("b"))]), AT).unwrap();
        memory.committed(&run("2", &[("gemini", Some("c"))]), AT).unwrap();
        memory.committed(&run("2", &[("gemini", Some("c"))]), AT).unwrap();
        assert_eq!(digests(&memory.bases().unwrap()), [("claude", Some("a")), ("gemini", Some("c"))]);
        assert_eq!(memory.bases_of("x").unwrap(), memory.bases().unwrap());
        let history = memory.history("x").unwrap();
        assert_eq!(digests(&history), [("gemini", Some("c")), ("claude", Some("a")), ("gemini", Some("b"))]);
        assert_eq!(memory.installed_before(&history[0]).unwrap().as_ref(), Some(&history[2]));
        assert_eq!(memory.installed_before(&history[2]).unwrap(), None);
        memory.committed(&run("3", &[("gemini", None)]), AT).unwrap();
        assert_eq!(digests(&memory.bases().unwrap()), [("claude", Some("a")), ("gemini", None)]);
    }

    #[test]
    fn old_versions_are_given_up_but_never_what_stands_there() {
        let mut memory = Memory::in_memory().unwrap();
        memory.committed(&run("1", &[("claude", Some("old")), ("gemini", Some("a"))]), AT).unwrap();
        for (id, digest) in [("2", "b"), ("3", "c"), ("4", "d")] {
            memory.committed(&run(id, &[("gemini", Some(digest))]), AT).unwrap();
        }
        let kept = |versions| Vec::from_iter(memory.kept_digests(versions).unwrap());
        assert_eq!(kept(2), ["c", "d", "old"]);
        assert_eq!(kept(9), ["a", "b", "c", "d", "old"]);
        let surplus = [2, 4].map(|versions| memory.surplus("x", versions).unwrap());
        assert_eq!(surplus, [vec!["a".to_owned(), "b".into()], vec![]]);
    }

    /// The run of a command that leaves one copy, with the recipe it may have made.
    fn made(id: &str, command: &str, template: Option<&str>) -> CommittedRun {
        let recipe = template.map(|digest| {
            let template = Ingredient { id: "base".into(), digest: digest.into() };
            let made_from = MadeFrom { template, ..MadeFrom::default() };
            Recipe { made_from, brief: json!({ "description": "Sort mail" }), text: "Text.".into() }
        });
        CommittedRun { command: command.into(), recipe, ..run(id, &[("claude", Some(id))]) }
    }

    /// A database of the schema before a step, with rows, brought up to date.
    fn from_before(step: &str, rows: &str) -> Memory {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("memory.db");
        let version = schema::STEPS.iter().position(|one| *one == step).unwrap();
        schema::tests::of_version(version, &path, rows);
        Memory::open(&path, 0).unwrap()
    }

    #[test]
    fn a_database_of_an_older_schema_keeps_what_its_runs_left_and_has_no_recipes() {
        let memory = from_before(
            TABLE,
            "INSERT INTO runs(run_id, command, status, started_at, lane, skill) VALUES
               ('1', 'create', 'done', '2026-02-05T10:00:00Z', 0, 'x'), ('2', 'delete', 'done', '2026-02-05T10:00:00Z', 0, 'x');
             INSERT INTO changes(run_id, at, target, action, after, seq) VALUES
               ('1', '.claude/skills/x', 'claude', 'create', 'a', 1), ('1', '.gemini/skills/x', 'gemini', 'create', 'b', 1),
               ('1', '.claude/commands/x.md', 'claude', 'create', 'f', 1), ('2', '.gemini/skills/x', 'gemini', 'remove', NULL, 2)",
        );
        assert_eq!(digests(&memory.bases().unwrap()), [("claude", Some("a")), ("gemini", None)]);
        assert_eq!(memory.history("x").unwrap().len(), 3);
        let mut memory = from_before(
            RECIPES,
            "INSERT INTO installed(at, seq, skill, target, digest, run_id, command, stamp)
             VALUES ('.claude/skills/x', 1, 'x', 'claude', 'a', '1', 'create', '2026-02-05T10:00:00Z')",
        );
        assert_eq!((followed(&memory), memory.ingredients().unwrap().len()), (None, 0));
        memory.committed(&made("2", "update", Some("new")), AT).unwrap();
        assert_eq!(followed(&memory).as_deref(), Some("2"));
    }

    fn followed(memory: &Memory) -> Option<String> {
        memory.bases().unwrap().remove(0).copy.recipe
    }

    #[test]
    fn a_copy_follows_the_recipe_it_was_made_by_until_it_is_made_anew() {
        let mut memory = Memory::in_memory().unwrap();
        memory.committed(&made("1", "create", Some("old")), AT).unwrap();
        memory.committed(&made("2", "edit", None), AT).unwrap();
        assert_eq!(followed(&memory).as_deref(), Some("1"));
        memory.committed(&made("3", "update", Some("new")), AT).unwrap();
        memory.committed(&made("3", "update", Some("new")), AT).unwrap();
        assert_eq!(followed(&memory).as_deref(), Some("3"));
        assert_eq!(memory.ingredients().unwrap()["3"].template.digest, "new");
        assert_eq!(memory.recipe("1").unwrap().unwrap().text, "Text.");
        memory.committed(&made("4", "adopt", None), AT).unwrap();
        assert_eq!((followed(&memory), memory.recipe("4").unwrap()), (None, None));
    }
}
