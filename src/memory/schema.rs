//! The tables, and the steps from one version of them to the next. Steps are never edited, only added.

use anyhow::{anyhow, bail, ensure};
use rusqlite::{Connection, TransactionBehavior};

/// Each entry takes the schema from its index to the next version.
pub(super) const STEPS: &[&str] = &[
    "
CREATE TABLE runs (
  run_id      TEXT PRIMARY KEY,
  command     TEXT NOT NULL,
  status      TEXT NOT NULL,
  started_at  TEXT NOT NULL,
  ended_at    TEXT,
  lane        INTEGER NOT NULL,
  description TEXT,
  input_hash  TEXT,
  skill       TEXT,
  targets     TEXT,
  approved_by TEXT,
  digest      TEXT,
  error       TEXT,
  answers     TEXT
) STRICT;
CREATE INDEX runs_by_input ON runs(input_hash);
CREATE TABLE run_phases (
  run_id TEXT NOT NULL, phase TEXT NOT NULL, status TEXT NOT NULL, ms INTEGER NOT NULL,
  PRIMARY KEY (run_id, phase)
) STRICT, WITHOUT ROWID;
CREATE TABLE wm_lanes (
  lane INTEGER PRIMARY KEY, write_head INTEGER NOT NULL CHECK (write_head BETWEEN 0 AND 15), next_seq INTEGER NOT NULL
) STRICT;
CREATE TABLE wm_slots (
  lane INTEGER NOT NULL, slot INTEGER NOT NULL CHECK (slot BETWEEN 0 AND 15),
  run_id TEXT NOT NULL, phase TEXT NOT NULL, seq INTEGER NOT NULL, at TEXT NOT NULL,
  data TEXT NOT NULL, checksum TEXT NOT NULL,
  PRIMARY KEY (lane, slot)
) STRICT, WITHOUT ROWID;
CREATE TABLE wm_markers (
  run_id TEXT NOT NULL, phase TEXT NOT NULL, slot INTEGER NOT NULL, seq INTEGER NOT NULL,
  PRIMARY KEY (run_id, phase)
) STRICT, WITHOUT ROWID;
CREATE TABLE wm_aside (
  run_id TEXT NOT NULL, phase TEXT NOT NULL, lane INTEGER NOT NULL, slot INTEGER NOT NULL, seq INTEGER NOT NULL,
  at TEXT NOT NULL, data TEXT NOT NULL, checksum TEXT NOT NULL,
  PRIMARY KEY (run_id, phase)
) STRICT, WITHOUT ROWID;
CREATE TABLE changes (
  run_id TEXT NOT NULL, at TEXT NOT NULL, target TEXT NOT NULL, action TEXT NOT NULL,
  before TEXT, after TEXT, backup TEXT,
  PRIMARY KEY (run_id, at)
) STRICT, WITHOUT ROWID;
CREATE TABLE blobs (hash TEXT PRIMARY KEY, data TEXT NOT NULL) STRICT, WITHOUT ROWID;
",
    "
ALTER TABLE runs ADD COLUMN registry TEXT;
ALTER TABLE changes ADD COLUMN seq INTEGER NOT NULL DEFAULT 0;
",
    "
CREATE TABLE epochs (
  epoch_id        TEXT PRIMARY KEY,
  run_id          TEXT UNIQUE,
  opened_at       INTEGER NOT NULL,
  flushed_at      INTEGER,
  touched         INTEGER NOT NULL,
  processed       INTEGER NOT NULL DEFAULT 0,
  distinct_events INTEGER NOT NULL DEFAULT 0,
  summary         TEXT CHECK (summary IS NULL OR json_valid(summary))
) STRICT;
CREATE TABLE ooda_dags (
  epoch_id TEXT NOT NULL REFERENCES epochs ON DELETE CASCADE, dag_id TEXT NOT NULL, pos INTEGER NOT NULL,
  PRIMARY KEY (epoch_id, dag_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE ooda_nodes (
  epoch_id TEXT NOT NULL REFERENCES epochs ON DELETE CASCADE, dag_id TEXT NOT NULL, node_id TEXT NOT NULL,
  pos INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('pending', 'running', 'completed', 'failed', 'parked')),
  PRIMARY KEY (epoch_id, dag_id, node_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE ooda_events (
  epoch_id TEXT NOT NULL REFERENCES epochs ON DELETE CASCADE, event_id TEXT NOT NULL, seq INTEGER NOT NULL,
  source TEXT NOT NULL, description TEXT NOT NULL, payload TEXT NOT NULL CHECK (json_valid(payload)),
  at INTEGER NOT NULL, priority INTEGER NOT NULL,
  PRIMARY KEY (epoch_id, event_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE ooda_entities (
  epoch_id TEXT NOT NULL REFERENCES epochs ON DELETE CASCADE, key TEXT NOT NULL,
  value TEXT NOT NULL CHECK (json_valid(value)), ttl INTEGER, created INTEGER NOT NULL, source_event_id TEXT,
  used INTEGER NOT NULL,
  PRIMARY KEY (epoch_id, key)
) STRICT, WITHOUT ROWID;
CREATE TABLE ooda_evicted (
  seq INTEGER PRIMARY KEY, epoch_id TEXT NOT NULL, event_id TEXT NOT NULL, description TEXT NOT NULL,
  at INTEGER NOT NULL, why TEXT NOT NULL
) STRICT;
",
    super::stm::sqlite::STEP,
    super::fifo::sqlite::TABLES,
    "
CREATE TABLE turns (
  id             INTEGER PRIMARY KEY,
  turn_id        TEXT NOT NULL UNIQUE,
  run_id         TEXT,
  parent_turn_id TEXT,
  agent_id       TEXT NOT NULL,
  user_id        TEXT NOT NULL,
  mode           TEXT NOT NULL,
  urgency        TEXT NOT NULL,
  status         TEXT NOT NULL,
  started_at     INTEGER NOT NULL,
  ended_at       INTEGER,
  init_us        INTEGER NOT NULL,
  timed_out      INTEGER NOT NULL,
  budget         TEXT NOT NULL CHECK (json_valid(budget)),
  fragments      TEXT NOT NULL CHECK (json_valid(fragments)),
  warnings       TEXT NOT NULL CHECK (json_valid(warnings)),
  context_hash   TEXT NOT NULL
) STRICT;
CREATE TABLE trace_spans (
  turn INTEGER NOT NULL REFERENCES turns ON DELETE CASCADE, seq INTEGER NOT NULL, name TEXT NOT NULL,
  start_us INTEGER NOT NULL, took_us INTEGER NOT NULL, target_ms INTEGER, status TEXT NOT NULL, tokens INTEGER NOT NULL,
  PRIMARY KEY (turn, seq)
) STRICT, WITHOUT ROWID;
CREATE TABLE trace_events (
  turn INTEGER NOT NULL REFERENCES turns ON DELETE CASCADE, seq INTEGER NOT NULL, at_us INTEGER NOT NULL,
  component TEXT NOT NULL, kind TEXT NOT NULL, message TEXT NOT NULL,
  PRIMARY KEY (turn, seq)
) STRICT, WITHOUT ROWID;
CREATE TABLE wm_items (
  turn INTEGER NOT NULL REFERENCES turns ON DELETE CASCADE, position INTEGER NOT NULL, item_id TEXT NOT NULL,
  type TEXT NOT NULL, source TEXT NOT NULL, tokens INTEGER NOT NULL, importance REAL NOT NULL, at INTEGER NOT NULL,
  step_index INTEGER NOT NULL, hash TEXT NOT NULL,
  PRIMARY KEY (turn, position)
) STRICT, WITHOUT ROWID;
CREATE TABLE observations (
  id TEXT PRIMARY KEY, type TEXT NOT NULL, content TEXT NOT NULL, source TEXT NOT NULL, owner TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('active', 'pending_review', 'resolved', 'archived')),
  confidence REAL NOT NULL, tags TEXT NOT NULL CHECK (json_valid(tags)),
  created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL
) STRICT;
CREATE TABLE goals (
  id TEXT PRIMARY KEY, kind TEXT NOT NULL CHECK (kind IN ('goal', 'question', 'story')), text TEXT NOT NULL,
  priority TEXT NOT NULL CHECK (priority IN ('critical', 'high', 'medium', 'low')), due INTEGER,
  blocking INTEGER NOT NULL, status TEXT NOT NULL CHECK (status IN ('active', 'done')),
  created_at INTEGER NOT NULL, done_at INTEGER
) STRICT;
CREATE TABLE episodes (
  id INTEGER PRIMARY KEY, run_id TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL CHECK (kind IN ('done', 'failed', 'declined')),
  subject TEXT NOT NULL, text TEXT NOT NULL, skill TEXT, error_code TEXT, phase TEXT NOT NULL, cure TEXT,
  importance REAL NOT NULL, ts INTEGER NOT NULL
) STRICT;
CREATE TABLE facts (
  key TEXT PRIMARY KEY, version INTEGER NOT NULL, text TEXT NOT NULL, source TEXT NOT NULL, importance REAL NOT NULL,
  updated_at INTEGER NOT NULL, access_count INTEGER NOT NULL
) STRICT;
",
    // States are too long for WITHOUT ROWID: every search would read whole states.
    "
CREATE TABLE wm_slots_by_row (
  lane INTEGER NOT NULL, slot INTEGER NOT NULL CHECK (slot BETWEEN 0 AND 15),
  run_id TEXT NOT NULL, phase TEXT NOT NULL, seq INTEGER NOT NULL, at TEXT NOT NULL,
  data TEXT NOT NULL, checksum TEXT NOT NULL,
  PRIMARY KEY (lane, slot)
) STRICT;
INSERT INTO wm_slots_by_row(lane, slot, run_id, phase, seq, at, data, checksum)
  SELECT lane, slot, run_id, phase, seq, at, data, checksum FROM wm_slots ORDER BY lane, slot;
DROP TABLE wm_slots;
ALTER TABLE wm_slots_by_row RENAME TO wm_slots;
",
    super::installed::TABLE,
    super::long::REJECTED,
    super::long::ANSWERS_STEP,
    super::installed::RECIPES,
];

/// The digest of the objects of each version, the empty one first. A file whose objects differ is not ours: a foreign
/// trigger, view, generated column or constraint would run with our statements.
#[rustfmt::skip]
const DIGESTS: [&str; STEPS.len() + 1] = [
    "af1349b9f5f9a1a6a0404dea36dcc949", "9d8e7da1fdf4369b8bea75d1e7a8ec46", "e679cc4e37211686324dc04911f5b579",
    "b1020ae9a32a55d198f34696f6c31808", "265682b81b8460b1449f29b4f5f13d78", "0abd0efc8144fce7d34a6f680b29c055",
    "e426f7a5a2232d88e46415247e015f11", "dca4603d4fcea3da9164ecec6b1e3ceb", "207986d528c751f5a54cde61243c8dd7",
    "7cd0883b65d2810e2fb62ae5c662e0aa", "cb41b9c49bc14cca65e7e7b6b3d908c3", "9b926a8101cd34c39c9197d836ba7134",
];

pub(super) fn migrate(db: &mut Connection) -> anyhow::Result<()> {
    if version(db)? == STEPS.len() {
        return Ok(());
    }
    let tx = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let from = verified(&tx)?;
    for step in &STEPS[from..] {
        tx.execute_batch(step)?;
    }
    tx.pragma_update(None, "application_id", APPLICATION)?;
    tx.pragma_update(None, "user_version", i64::try_from(STEPS.len())?)?;
    tx.commit()?;
    Ok(())
}

const APPLICATION: i64 = 0x4845_464D;

/// Verifies that the file is ours: application id, version, and every object of its schema. No other statement may run
/// before.
pub(super) fn verify(db: &Connection) -> anyhow::Result<usize> {
    // In one transaction: another process may be creating the schema.
    let tx = db.unchecked_transaction()?;
    let version = verified(&tx)?;
    tx.commit()?;
    Ok(version)
}

fn verified(db: &Connection) -> anyhow::Result<usize> {
    let mark: i64 = db.query_row("PRAGMA application_id", [], |row| row.get(0))?;
    // A file without an application id is new, or of the first version, which set none.
    ensure!(mark == 0 || mark == APPLICATION, "it is the database of another program");
    let version = version(db)?;
    if version > STEPS.len() {
        bail!("it was written by a newer hefesto (schema {version}, this one knows {})", STEPS.len());
    }
    let found = objects(db)?;
    if digest(&found) != DIGESTS[version] {
        bail!("its schema is not that of version {version}: {}", difference(&found, version)?);
    }
    Ok(version)
}

/// An object of a schema: type, name, table, SQL.
type Object = (String, String, String, Option<String>);

fn objects(db: &Connection) -> anyhow::Result<Vec<Object>> {
    let mut statement = db.prepare("SELECT type, name, tbl_name, sql FROM sqlite_schema")?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))?;
    let mut objects: Vec<Object> = rows.collect::<Result<_, _>>()?;
    objects.sort();
    Ok(objects)
}

fn digest(objects: &[Object]) -> String {
    let mut hasher = blake3::Hasher::new();
    for (kind, name, table, sql) in objects {
        for part in [kind, name, table, sql.as_ref().unwrap_or(&String::new())] {
            hasher.update(&(part.len() as u64).to_le_bytes()).update(part.as_bytes());
        }
    }
    hasher.finalize().to_hex()[..32].to_owned()
}

/// The objects that the steps up to a version create.
fn expected(version: usize) -> anyhow::Result<Vec<Object>> {
    let db = Connection::open_in_memory()?;
    for step in &STEPS[..version] {
        db.execute_batch(step)?;
    }
    objects(&db)
}

/// The first object in which a schema differs from that of a version.
fn difference(found: &[Object], version: usize) -> anyhow::Result<String> {
    let expected = expected(version)?;
    let named = |one: &Object| {
        let name: String = one.1.chars().take(60).collect();
        format!("{} {name:?}", if one.0.len() < 10 { &one.0 } else { "object" }.escape_debug())
    };
    let known = |one: &Object| expected.iter().any(|other| (&other.0, &other.1) == (&one.0, &one.1));
    if let Some(one) = found.iter().find(|one| !expected.contains(one)) {
        return Ok(format!("{} {}", named(one), if known(one) { "differs" } else { "does not belong to it" }));
    }
    let missing = expected.iter().find(|one| !found.contains(one));
    Ok(missing.map_or_else(|| "an object occurs twice".into(), |one| format!("{} is missing", named(one))))
}

pub(super) fn is_empty(db: &Connection) -> rusqlite::Result<bool> {
    db.query_row("PRAGMA page_count", [], |row| Ok(row.get::<_, i64>(0)? == 0))
}

/// Verifies that this hefesto can read the file without a migration.
pub(super) fn readable(db: &Connection) -> anyhow::Result<()> {
    let found = verify(db)?;
    if found < STEPS.len() {
        bail!(
            "its schema (version {found}) is older than this hefesto's; the next `hefesto create` brings it up to date"
        );
    }
    Ok(())
}

fn version(db: &Connection) -> anyhow::Result<usize> {
    let found: i64 = db.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    usize::try_from(found).map_err(|_| anyhow!("its schema version is {found}"))
}

#[cfg(test)]
pub(super) mod tests {
    use std::path::Path;

    use super::*;
    use crate::memory::ring::Phase;
    use crate::memory::tests::{AT, full_run};
    use crate::memory::{Ending, Memory, Status};

    #[test]
    fn the_digests_are_those_of_the_steps() {
        let made: Vec<String> = (0..=STEPS.len()).map(|version| digest(&expected(version).unwrap())).collect();
        assert_eq!(made, DIGESTS, "{made:#?}");
    }

    /// A file of the schema of a version, with what the SQL adds.
    pub(in crate::memory) fn of_version(version: usize, path: &Path, sql: &str) {
        let db = Connection::open(path).unwrap();
        STEPS[..version].iter().for_each(|step| db.execute_batch(step).unwrap());
        db.execute_batch(&format!("{sql}; PRAGMA user_version = {version};")).unwrap();
        drop(db);
        assert!(Memory::look(path).is_err(), "looking changes nothing");
    }

    #[test]
    fn what_differs_is_named() {
        let newest = || expected(STEPS.len()).unwrap();
        let said = |objects: &[Object]| difference(objects, STEPS.len()).unwrap();
        let mut more = newest();
        more.push(("trigger".into(), "evil\u{1b}".into(), "runs".into(), Some("CREATE TRIGGER".into())));
        assert_eq!(said(&more), "trigger \"evil\\u{1b}\" does not belong to it");
        let mut other = newest();
        let runs = other.iter_mut().find(|one| one.1 == "runs").unwrap();
        runs.3 = Some(runs.3.clone().unwrap().replace("run_id      TEXT", "run_id BLOB"));
        assert_eq!(said(&other), "table \"runs\" differs");
        let less: Vec<Object> = newest().into_iter().filter(|one| one.1 != "runs_by_input").collect();
        assert_eq!(said(&less), "index \"runs_by_input\" is missing");
        let twice = [newest(), newest()].concat();
        assert_eq!(said(&twice), "an object occurs twice");
        for changed in [more, other, less, twice] {
            assert_ne!(digest(&changed), digest(&newest()));
        }
    }

    /// The tables of the first schema, and their columns, as the run that is copied into them fills them.
    const FIRST: [(&str, &str); 5] = [
        ("runs", "run_id, command, status, started_at, ended_at, lane, description, skill, targets"),
        ("wm_lanes", "lane, write_head, next_seq"),
        ("wm_slots", "lane, slot, run_id, phase, seq, at, data, checksum"),
        ("wm_markers", "run_id, phase, slot, seq"),
        ("changes", "run_id, at, target, action"),
    ];

    #[test]
    fn a_file_of_every_older_schema_is_brought_up_to_date() {
        let dir = tempfile::tempdir().unwrap();
        let newest = dir.path().join("newest.db");
        let mut memory = Memory::open(&newest, 0).unwrap();
        full_run(&mut memory, "1");
        let change = "INSERT INTO changes(run_id, at, target, action) VALUES ('1', 'x', 'claude', 'remove')";
        memory.db.execute(change, []).unwrap();
        drop(memory);
        let copied = FIRST
            .map(|(table, columns)| format!("INSERT INTO {table}({columns}) SELECT {columns} FROM newest.{table};"));
        let copied = format!("ATTACH '{}' AS newest; {}", newest.display(), copied.concat());
        for version in 1..STEPS.len() {
            let path = dir.path().join(format!("{version}.db"));
            of_version(version, &path, &copied);
            let mut memory = Memory::open(&path, 0).unwrap();
            assert_eq!(memory.last_change().unwrap().as_deref(), Some("1"), "{version}");
            assert_eq!(memory.registry_before("1").unwrap(), None, "{version}");
            assert_eq!(memory.get_state(0, "1", Phase::Finish).unwrap().slot, 6, "{version}");
            full_run(&mut memory, "2");
            assert_eq!(memory.epoch(Some("2")).unwrap().unwrap().run_id.as_deref(), Some("2"), "{version}");
            memory.end("2", &Ending::of(Status::Done, AT)).unwrap();
        }
    }
}
