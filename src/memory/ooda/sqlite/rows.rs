//! The rows of epochs, graphs, events and entities, one statement each.

use rusqlite::{Connection, Row, Transaction, params};

use super::{Epoch, EvictedEvent};
use crate::memory::ooda::{CachedEntity, Dag, EntityCache, EventQueue, NodeStatus, ObservationEvent};
use crate::memory::{Memory, sql};

const EPOCH: &str = "epoch_id, run_id, opened_at, flushed_at, summary";

const EVENT: &str = "event_id, source, description, payload, at, priority";

fn read(row: &Row<'_>) -> rusqlite::Result<Epoch> {
    let summary = |row: &Row<'_>, at| {
        let text: Option<String> = row.get(at)?;
        Ok::<_, rusqlite::Error>(text.and_then(|text| serde_json::from_str(&text).ok()))
    };
    columns!(row => Epoch { epoch_id, run_id, opened_at, flushed_at, summary: summary })
}

fn event(row: &Row<'_>) -> rusqlite::Result<ObservationEvent> {
    columns!(row => ObservationEvent { event_id, source: sql::word, description, payload: sql::json, at, priority })
}

impl Memory {
    pub fn epochs(&self, most: usize) -> anyhow::Result<Vec<Epoch>> {
        let sql = format!("SELECT {EPOCH} FROM epochs ORDER BY touched DESC LIMIT ?1");
        sql::all(&self.db, &sql, [sql::limit(most)], read)
    }

    pub fn evicted_events(&self, most: usize) -> anyhow::Result<Vec<EvictedEvent>> {
        let sql = "SELECT epoch_id, event_id, description, at, why FROM ooda_evicted ORDER BY seq DESC LIMIT ?1";
        let read = |row: &Row<'_>| columns!(row => EvictedEvent { epoch_id, event_id, description, at, why });
        sql::all(&self.db, sql, [sql::limit(most)], read)
    }
}

/// The epoch named by its id or run, or the one written to last.
pub(super) fn epoch(db: &Connection, wanted: Option<&str>) -> anyhow::Result<Option<Epoch>> {
    let sql = match wanted {
        Some(_) => format!("SELECT {EPOCH} FROM epochs WHERE epoch_id = ?1 OR run_id = ?1"),
        None => format!("SELECT {EPOCH} FROM epochs WHERE ?1 IS NULL ORDER BY touched DESC LIMIT 1"),
    };
    sql::one(db, &sql, [wanted], read)
}

pub(super) fn newest_free(db: &Connection) -> anyhow::Result<Option<Epoch>> {
    let sql =
        format!("SELECT {EPOCH} FROM epochs WHERE run_id IS NULL AND flushed_at IS NULL ORDER BY touched DESC LIMIT 1");
    sql::one(db, &sql, [], read)
}

pub(super) fn open_ids(db: &Connection) -> anyhow::Result<Vec<String>> {
    sql::column(db, "SELECT epoch_id FROM epochs WHERE flushed_at IS NULL ORDER BY touched", [])
}

pub(super) fn open(tx: &Transaction<'_>, epoch: &str, run: Option<&str>, now: i64) -> anyhow::Result<()> {
    let sql = "INSERT INTO epochs(epoch_id, run_id, opened_at, touched)
               VALUES (?1, ?2, ?3, (SELECT coalesce(max(touched), 0) + 1 FROM epochs))";
    sql::run(tx, sql, params![epoch, run, now])
}

pub(super) fn touch(tx: &Transaction<'_>, epoch: &str) -> anyhow::Result<()> {
    let sql = "UPDATE epochs SET touched = (SELECT max(touched) + 1 FROM epochs)
               WHERE epoch_id = ?1 AND touched < (SELECT max(touched) FROM epochs)";
    sql::run(tx, sql, [epoch])
}

/// Clears an epoch and keeps its summary. A run's graph is kept in its final state.
pub(super) fn close(tx: &Transaction<'_>, epoch: &Epoch, summary: &str, now: i64) -> anyhow::Result<()> {
    let (run, epoch) = (&epoch.run_id, epoch.epoch_id.as_str());
    let flush = "UPDATE epochs SET flushed_at = ?2, summary = ?3 WHERE epoch_id = ?1";
    sql::run(tx, flush, params![epoch, now, summary])?;
    sql::run(tx, "DELETE FROM ooda_events WHERE epoch_id = ?1", [epoch])?;
    sql::run(tx, "DELETE FROM ooda_entities WHERE epoch_id = ?1", [epoch])?;
    if run.is_none() {
        sql::run(tx, "DELETE FROM ooda_nodes WHERE epoch_id = ?1", [epoch])?;
        sql::run(tx, "DELETE FROM ooda_dags WHERE epoch_id = ?1", [epoch])?;
    }
    Ok(())
}

pub(super) fn forget(tx: &Transaction<'_>, kept: u32) -> anyhow::Result<()> {
    let beyond = "SELECT touched FROM epochs WHERE flushed_at IS NOT NULL ORDER BY touched DESC LIMIT 1 OFFSET ?1";
    let newest: Option<i64> = sql::value(tx, beyond, [kept])?;
    // There is rarely one too many, and preparing the cascading delete costs more than this query.
    if let Some(newest) = newest {
        sql::run(tx, "DELETE FROM epochs WHERE flushed_at IS NOT NULL AND touched <= ?1", [newest])?;
    }
    Ok(())
}

pub(super) fn dags(db: &Connection, epoch: &str) -> anyhow::Result<Vec<Dag>> {
    let sql = "SELECT dag_id FROM ooda_dags WHERE epoch_id = ?1 ORDER BY pos";
    let mut dags: Vec<Dag> = sql::all(db, sql, [epoch], |row| Ok(Dag::new(row.get_ref(0)?.as_str()?, &[])))?;
    let sql = "SELECT dag_id, node_id, status FROM ooda_nodes WHERE epoch_id = ?1 ORDER BY pos";
    let nodes: Vec<(String, String, NodeStatus)> =
        sql::all(db, sql, [epoch], |row| Ok((row.get(0)?, row.get(1)?, sql::word(row, 2)?)))?;
    for (dag, node, status) in nodes {
        if let Some(dag) = dags.iter_mut().find(|one| one.id == dag) {
            dag.set(&node, status);
        }
    }
    Ok(dags)
}

pub(super) fn clear(tx: &Transaction<'_>, epoch: &str, dag: &str) -> anyhow::Result<()> {
    sql::run(tx, "DELETE FROM ooda_nodes WHERE epoch_id = ?1 AND dag_id = ?2", [epoch, dag])
}

fn put_dag(tx: &Transaction<'_>, epoch: &str, dag: &str) -> anyhow::Result<()> {
    let sql = "INSERT OR IGNORE INTO ooda_dags(epoch_id, dag_id, pos)
               VALUES (?1, ?2, (SELECT count(*) FROM ooda_dags WHERE epoch_id = ?1))";
    sql::run(tx, sql, [epoch, dag])
}

/// Registers a graph without nodes yet: all are pending except the running one.
pub(super) fn register(
    tx: &Transaction<'_>,
    epoch: &str,
    dag: &str,
    nodes: &[String],
    at_work: Option<usize>,
) -> anyhow::Result<()> {
    put_dag(tx, epoch, dag)?;
    let sql = "INSERT OR IGNORE INTO ooda_nodes(epoch_id, dag_id, node_id, pos, status)
               SELECT ?1, ?2, value, key, iif(key IS ?4, 'running', 'pending') FROM json_each(?3)";
    let at_work = at_work.map(i64::try_from).transpose()?;
    sql::run(tx, sql, params![epoch, dag, serde_json::to_string(nodes)?, at_work])
}

/// Marks the node at this position as done, the next one as running and later ones as pending; only changed nodes are
/// written. `false` if there is no such node.
pub(super) fn advance(tx: &Transaction<'_>, epoch: &str, dag: &str, at: usize) -> anyhow::Result<bool> {
    let sql = "UPDATE ooda_nodes
               SET status = CASE pos - ?3 WHEN 0 THEN 'completed' WHEN 1 THEN 'running' ELSE 'pending' END
               WHERE epoch_id = ?1 AND dag_id = ?2 AND pos >= ?3 AND (pos <= ?3 + 1 OR status <> 'pending')";
    Ok(sql::execute(tx, sql, params![epoch, dag, i64::try_from(at)?])? > 0)
}

pub(super) fn set_node(
    tx: &Transaction<'_>,
    epoch: &str,
    dag: &str,
    node: &str,
    status: NodeStatus,
) -> anyhow::Result<()> {
    put_dag(tx, epoch, dag)?;
    let sql = "INSERT INTO ooda_nodes(epoch_id, dag_id, node_id, pos, status)
               VALUES (?1, ?2, ?3, (SELECT count(*) FROM ooda_nodes WHERE epoch_id = ?1 AND dag_id = ?2), ?4)
               ON CONFLICT DO UPDATE SET status = excluded.status";
    sql::run(tx, sql, params![epoch, dag, node, status])
}

pub(super) fn queue(db: &Connection, epoch: &str) -> anyhow::Result<EventQueue> {
    let counts = "SELECT processed, distinct_events FROM epochs WHERE epoch_id = ?1";
    let counts = sql::one(db, counts, [epoch], |row| Ok((sql::count(row, 0)?, sql::count(row, 1)?)))?;
    let (processed, distinct) = counts.unwrap_or_default();
    let sql = format!("SELECT {EVENT} FROM ooda_events WHERE epoch_id = ?1 ORDER BY seq");
    Ok(EventQueue { events: sql::all(db, &sql, [epoch], event)?, processed, distinct })
}

/// Writes the newest event of a queue and the counters of the queue, and marks the epoch as the one written to last.
/// Events are ordered by the number of pushes so far.
pub(super) fn put_event(
    tx: &Transaction<'_>,
    epoch: &str,
    event: &ObservationEvent,
    queue: &EventQueue,
) -> anyhow::Result<()> {
    let sql = "INSERT INTO ooda_events(epoch_id, event_id, seq, source, description, payload, at, priority)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
               ON CONFLICT DO UPDATE SET seq = excluded.seq, source = excluded.source, payload = excluded.payload,
                 description = excluded.description, at = excluded.at, priority = excluded.priority";
    let (processed, distinct) = (i64::try_from(queue.processed)?, i64::try_from(queue.distinct)?);
    let payload = serde_json::to_string(&event.payload)?;
    let ObservationEvent { event_id, source, description, at, priority, .. } = event;
    sql::run(tx, sql, params![epoch, event_id, processed, source, description, payload, at, priority])?;
    touch(tx, epoch)?;
    let counts = "UPDATE epochs SET processed = ?2, distinct_events = ?3 WHERE epoch_id = ?1";
    sql::run(tx, counts, params![epoch, processed, distinct])
}

pub(super) fn drop_event(
    tx: &Transaction<'_>,
    epoch: &str,
    event: &ObservationEvent,
    why: &str,
    now: i64,
) -> anyhow::Result<()> {
    sql::run(tx, "DELETE FROM ooda_events WHERE epoch_id = ?1 AND event_id = ?2", [epoch, &event.event_id])?;
    let trace = "INSERT INTO ooda_evicted(epoch_id, event_id, description, at, why) VALUES (?1, ?2, ?3, ?4, ?5)";
    sql::run(tx, trace, params![epoch, event.event_id, event.description, now, why])
}

pub(super) fn keep_traces(tx: &Transaction<'_>, most: u32) -> anyhow::Result<()> {
    sql::run(tx, "DELETE FROM ooda_evicted WHERE seq <= (SELECT max(seq) FROM ooda_evicted) - ?1", [most])
}

/// The entities of an epoch, least recently used first; without their values, which may be long, if only the keys matter.
pub(super) fn cache(db: &Connection, epoch: &str, values: bool) -> anyhow::Result<EntityCache> {
    let value = if values { "value" } else { "'null'" };
    let entity = format!("key, {value}, ttl, created, source_event_id");
    let sql = format!("SELECT {entity} FROM ooda_entities WHERE epoch_id = ?1 ORDER BY used");
    Ok(EntityCache { entities: sql::all(db, &sql, [epoch], read_entity)? })
}

pub(super) fn entity(db: &Connection, epoch: &str, key: &str) -> anyhow::Result<Option<CachedEntity>> {
    let sql = "SELECT key, value, ttl, created, source_event_id FROM ooda_entities WHERE epoch_id = ?1 AND key = ?2";
    sql::one(db, sql, [epoch, key], read_entity)
}

fn read_entity(row: &Row<'_>) -> rusqlite::Result<CachedEntity> {
    columns!(row => CachedEntity { key, value: sql::json, ttl_seconds, created, source_event_id })
}

pub(super) fn use_entity(tx: &Transaction<'_>, epoch: &str, key: &str) -> anyhow::Result<()> {
    let sql = "UPDATE ooda_entities SET used = (SELECT max(used) + 1 FROM ooda_entities WHERE epoch_id = ?1)
               WHERE epoch_id = ?1 AND key = ?2";
    sql::run(tx, sql, [epoch, key])
}

pub(super) fn put_entity(tx: &Transaction<'_>, epoch: &str, entity: &CachedEntity) -> anyhow::Result<()> {
    let sql = "INSERT OR REPLACE INTO ooda_entities(epoch_id, key, value, ttl, created, source_event_id, used)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, (
                 SELECT coalesce(max(used), 0) + 1 FROM ooda_entities WHERE epoch_id = ?1))";
    let CachedEntity { key, value, ttl_seconds, created, source_event_id } = entity;
    sql::run(tx, sql, params![epoch, key, serde_json::to_string(value)?, ttl_seconds, created, source_event_id])
}

pub(super) fn drop_entity(tx: &Transaction<'_>, epoch: &str, key: &str) -> anyhow::Result<()> {
    sql::run(tx, "DELETE FROM ooda_entities WHERE epoch_id = ?1 AND key = ?2", [epoch, key])
}
