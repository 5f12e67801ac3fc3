//! What was installed where, version by version. Kept longer than runs, to tell an edit from what was installed.

use std::collections::BTreeSet;

use rusqlite::{Params, Row, Transaction, params};
use serde::{Deserialize, Serialize};

use super::{CommittedRun, Memory, sql};

/// One copy of a skill after a run.
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
        self.installed(&format!("{NEWEST} ORDER BY at"), [])
    }

    /// The newest row of every copy of one skill, by path.
    pub fn bases_of(&self, skill: &str) -> anyhow::Result<Vec<Installed>> {
        self.installed(&format!("skill = ?1 AND {NEWEST} ORDER BY at"), [skill])
    }

    pub fn history(&self, skill: &str) -> anyhow::Result<Vec<Installed>> {
        self.installed("skill = ?1 ORDER BY seq DESC, at", [skill])
    }

    pub fn installed_by(&self, run: &str) -> anyhow::Result<Vec<Installed>> {
        self.installed("run_id = ?1 ORDER BY at", [run])
    }

    /// What was installed at a path before this row; none if nothing was.
    pub fn installed_before(&self, row: &Installed) -> anyhow::Result<Option<Installed>> {
        Ok(self.installed("at = ?1 AND seq < ?2 ORDER BY seq DESC LIMIT 1", params![row.copy.at, row.seq])?.pop())
    }

    fn installed(&self, fits: &str, values: impl Params) -> anyhow::Result<Vec<Installed>> {
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
        sql::column(&self.db, &sql, [versions])
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

#[cfg(test)]
mod tests {
    use super::super::schema;
    use super::*;

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

    #[test]
    fn a_database_of_the_last_schema_keeps_what_its_runs_left() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("memory.db");
        let last = schema::STEPS.iter().position(|step| *step == TABLE).unwrap();
        let sql = format!(
            "INSERT INTO runs(run_id, command, status, started_at, lane, skill) VALUES ('1', 'create', 'done', '{AT}', 0, 'x');
             INSERT INTO runs(run_id, command, status, started_at, lane, skill) VALUES ('2', 'delete', 'done', '{AT}', 0, 'x');
             INSERT INTO changes(run_id, at, target, action, after, seq) VALUES
               ('1', '.claude/skills/x', 'claude', 'create', 'a', 1), ('1', '.gemini/skills/x', 'gemini', 'create', 'b', 1),
               ('1', '.claude/commands/x.md', 'claude', 'create', 'f', 1), ('2', '.gemini/skills/x', 'gemini', 'remove', NULL, 2)"
        );
        schema::tests::of_version(last, &path, &sql);
        let memory = Memory::open(&path, 0).unwrap();
        assert_eq!(digests(&memory.bases().unwrap()), [("claude", Some("a")), ("gemini", None)]);
        assert_eq!(memory.history("x").unwrap().len(), 3);
    }
}
