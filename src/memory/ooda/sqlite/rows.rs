//! The rows of epochs, graphs, events and entities, one statement each.

use rusqlite::{Connection, OptionalExtension, Row, ToSql, Transaction, params};
use serde_json::{Map, Value};

use super::{Epoch, EvictedEvent};
use crate::memory::ooda::{Dag, EventQueue, NodeStatus, ObservationEvent, Source};
use crate::memory::sql;

const EPOCH: &str = "epoch_id, run_id, opened_at, flushed_at, summary";

fn read(row: &Row<'_>) -> rusqlite::Result<Epoch> {
    let summary: Option<String> = row.get(4)?;
    Ok(Epoch {
        epoch_id: row.get(0)?,
        run_id: row.get(1)?,
        opened_at: row.get(2)?,
        flushed_at: row.get(3)?,
        summary: summary.and_then(|text| serde_json::from_str(&text).ok()),
    })
}

/// The epoch named by its id or run, or the one written to last.
pub(super) fn epoch(db: &Connection, wanted: Option<&str>) -> anyhow::Result<Option<Epoch>> {
    let sql = match wanted {
        Some(_) => format!("SELECT {EPOCH} FROM epochs WHERE epoch_id = ?1 OR run_id = ?1"),
        None => format!("SELECT {EPOCH} FROM epochs WHERE ?1 IS NULL ORDER BY touched DESC LIMIT 1"),
    };
    sql::one(db, &sql, [wanted], read)
}

/// The epoch of this id, which is also the id of the run it belongs to.
pub(super) fn known(db: &Connection, id: &str) -> anyhow::Result<Option<Epoch>> {
    let sql = format!("SELECT {EPOCH} FROM epochs WHERE epoch_id = ?1");
    sql::one(db, &sql, [id], read)
}

pub(super) fn epochs(db: &Connection, most: usize) -> anyhow::Result<Vec<Epoch>> {
    sql::all(
        db,
        &format!("SELECT {EPOCH} FROM epochs ORDER BY touched DESC LIMIT ?1"),
        [i64::try_from(most).unwrap_or(i64::MAX)],
        read,
    )
}

pub(super) fn newest_free(db: &Connection) -> anyhow::Result<Option<Epoch>> {
    let sql =
        format!("SELECT {EPOCH} FROM epochs WHERE run_id IS NULL AND flushed_at IS NULL ORDER BY touched DESC LIMIT 1");
    Ok(db.query_row(&sql, [], read).optional()?)
}

pub(super) fn open_ids(db: &Connection) -> anyhow::Result<Vec<String>> {
    sql::all(db, "SELECT epoch_id FROM epochs WHERE flushed_at IS NULL ORDER BY touched", [], |row| row.get(0))
}

pub(super) fn open(tx: &Transaction<'_>, epoch: &str, run: Option<&str>, now: i64) -> anyhow::Result<()> {
    sql::execute(
        tx,
        "INSERT INTO epochs(epoch_id, run_id, opened_at, touched)
         VALUES (?1, ?2, ?3, (SELECT coalesce(max(touched), 0) + 1 FROM epochs))",
        params![epoch, run, now],
    )?;
    Ok(())
}

pub(super) fn touch(tx: &Transaction<'_>, epoch: &str) -> anyhow::Result<()> {
    sql::execute(
        tx,
        "UPDATE epochs SET touched = (SELECT max(touched) + 1 FROM epochs)
         WHERE epoch_id = ?1 AND touched < (SELECT max(touched) FROM epochs)",
        [epoch],
    )?;
    Ok(())
}

/// Clears an epoch and keeps its summary. A run's graph is kept in its final state.
pub(super) fn close(tx: &Transaction<'_>, epoch: &Epoch, summary: &str, now: i64) -> anyhow::Result<()> {
    let (run, epoch) = (&epoch.run_id, epoch.epoch_id.as_str());
    sql::execute(
        tx,
        "UPDATE epochs SET flushed_at = ?2, summary = ?3 WHERE epoch_id = ?1",
        params![epoch, now, summary],
    )?;
    sql::execute(tx, "DELETE FROM ooda_events WHERE epoch_id = ?1", [epoch])?;
    sql::execute(tx, "DELETE FROM ooda_entities WHERE epoch_id = ?1", [epoch])?;
    if run.is_none() {
        sql::execute(tx, "DELETE FROM ooda_nodes WHERE epoch_id = ?1", [epoch])?;
        sql::execute(tx, "DELETE FROM ooda_dags WHERE epoch_id = ?1", [epoch])?;
    }
    Ok(())
}

/// Removes the oldest flushed epochs beyond this many.
pub(super) fn forget(tx: &Transaction<'_>, kept: u32) -> anyhow::Result<()> {
    let newest: Option<i64> = sql::one(
        tx,
        "SELECT touched FROM epochs WHERE flushed_at IS NOT NULL ORDER BY touched DESC LIMIT 1 OFFSET ?1",
        [kept],
        |row| row.get(0),
    )?;
    // There is rarely one too many, and preparing the cascading delete costs more than this query.
    if let Some(newest) = newest {
        sql::execute(tx, "DELETE FROM epochs WHERE flushed_at IS NOT NULL AND touched <= ?1", [newest])?;
    }
    Ok(())
}

pub(super) fn dags(db: &Connection, epoch: &str) -> anyhow::Result<Vec<Dag>> {
    let mut statement = db.prepare_cached("SELECT dag_id FROM ooda_dags WHERE epoch_id = ?1 ORDER BY pos")?;
    let ids: Vec<String> = statement.query_map([epoch], |row| row.get(0))?.collect::<Result<_, _>>()?;
    let mut dags: Vec<Dag> = ids.iter().map(|id| Dag::new(id, &[])).collect();
    let mut statement =
        db.prepare_cached("SELECT dag_id, node_id, status FROM ooda_nodes WHERE epoch_id = ?1 ORDER BY pos")?;
    let rows = statement
        .query_map([epoch], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?, row.get::<_, String>(2)?)))?;
    for row in rows {
        let (dag, node, status) = row?;
        if let Some(dag) = dags.iter_mut().find(|one| one.id() == dag) {
            dag.set(&node, status.parse().unwrap_or(NodeStatus::Pending));
        }
    }
    Ok(dags)
}

/// Removes the nodes of a graph.
pub(super) fn clear(tx: &Transaction<'_>, epoch: &str, dag: &str) -> anyhow::Result<()> {
    sql::execute(tx, "DELETE FROM ooda_nodes WHERE epoch_id = ?1 AND dag_id = ?2", [epoch, dag])?;
    Ok(())
}

/// Registers a graph without nodes yet: all are pending except the running one.
pub(super) fn register(
    tx: &Transaction<'_>,
    epoch: &str,
    dag: &str,
    nodes: &[String],
    at_work: Option<usize>,
) -> anyhow::Result<()> {
    sql::execute(
        tx,
        "INSERT OR IGNORE INTO ooda_dags(epoch_id, dag_id, pos)
         VALUES (?1, ?2, (SELECT count(*) FROM ooda_dags WHERE epoch_id = ?1))",
        [epoch, dag],
    )?;
    sql::execute(
        tx,
        "INSERT OR IGNORE INTO ooda_nodes(epoch_id, dag_id, node_id, pos, status)
         SELECT ?1, ?2, value, key, iif(key IS ?4, 'running', 'pending') FROM json_each(?3)",
        params![epoch, dag, serde_json::to_string(nodes)?, at_work.map(i64::try_from).transpose()?],
    )?;
    Ok(())
}

/// Marks the node at this position as done, the next one as running and later ones as pending; only changed nodes are
/// written. `false` if there is no such node.
pub(super) fn advance(tx: &Transaction<'_>, epoch: &str, dag: &str, at: usize) -> anyhow::Result<bool> {
    let changed = sql::execute(
        tx,
        "UPDATE ooda_nodes SET status = CASE pos - ?3 WHEN 0 THEN 'completed' WHEN 1 THEN 'running' ELSE 'pending' END
             WHERE epoch_id = ?1 AND dag_id = ?2 AND pos >= ?3 AND (pos <= ?3 + 1 OR status <> 'pending')",
        params![epoch, dag, i64::try_from(at)?],
    )?;
    Ok(changed > 0)
}

pub(super) fn set_node(
    tx: &Transaction<'_>,
    epoch: &str,
    dag: &str,
    node: &str,
    status: NodeStatus,
) -> anyhow::Result<()> {
    sql::execute(
        tx,
        "INSERT OR IGNORE INTO ooda_dags(epoch_id, dag_id, pos)
         VALUES (?1, ?2, (SELECT count(*) FROM ooda_dags WHERE epoch_id = ?1))",
        [epoch, dag],
    )?;
    sql::execute(
        tx,
        "INSERT INTO ooda_nodes(epoch_id, dag_id, node_id, pos, status)
         VALUES (?1, ?2, ?3, (SELECT count(*) FROM ooda_nodes WHERE epoch_id = ?1 AND dag_id = ?2), ?4)
         ON CONFLICT DO UPDATE SET status = excluded.status",
        params![epoch, dag, node, status.word()],
    )?;
    Ok(())
}

/// The counters of an epoch, and its position among the epochs.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Counts {
    pub(super) processed: u64,
    pub(super) distinct: u64,
    /// Its position after the next write: behind every other epoch.
    touched: i64,
}

/// The counters of an epoch; none if it does not exist.
pub(super) fn counts(db: &Connection, epoch: &str) -> anyhow::Result<Counts> {
    let found = db
        .prepare_cached(
            "SELECT processed, distinct_events, touched, (SELECT max(touched) FROM epochs) FROM epochs WHERE epoch_id = ?1",
        )?
        .query_row([epoch], |row| {
            let (processed, distinct): (i64, i64) = (row.get(0)?, row.get(1)?);
            let (touched, last): (i64, i64) = (row.get(2)?, row.get(3)?);
            let touched = if touched < last { last + 1 } else { touched };
            Ok(Counts { processed: processed.unsigned_abs(), distinct: distinct.unsigned_abs(), touched })
        });
    Ok(found.optional()?.unwrap_or_default())
}

pub(super) fn queue(db: &Connection, epoch: &str) -> anyhow::Result<EventQueue> {
    let counts = counts(db, epoch)?;
    let sql =
        "SELECT event_id, source, description, payload, at, priority FROM ooda_events WHERE epoch_id = ?1 ORDER BY seq";
    Ok(EventQueue::restored(events(db, sql, params![epoch])?, counts.processed, counts.distinct))
}

/// The part of an epoch's queue that a push needs: the event with this id, and a number of the oldest others.
pub(super) fn queue_of(
    db: &Connection,
    epoch: &str,
    event: &str,
    oldest: usize,
    counts: Counts,
) -> anyhow::Result<EventQueue> {
    let sql = "SELECT event_id, source, description, payload, at, priority FROM ooda_events
               WHERE epoch_id = ?1 AND event_id = ?2";
    let mut found = events(db, sql, params![epoch, event])?;
    if oldest > 0 {
        let sql = "SELECT event_id, source, description, payload, at, priority FROM ooda_events
                   WHERE epoch_id = ?1 AND event_id <> ?2 ORDER BY seq LIMIT ?3";
        found.extend(events(db, sql, params![epoch, event, i64::try_from(oldest)?])?);
    }
    Ok(EventQueue::restored(found, counts.processed, counts.distinct))
}

/// How many other events an epoch has.
pub(super) fn others(db: &Connection, epoch: &str, event: &str) -> anyhow::Result<usize> {
    let sql = "SELECT count(*) FROM ooda_events WHERE epoch_id = ?1 AND event_id <> ?2";
    let count: i64 = db.prepare_cached(sql)?.query_row([epoch, event], |row| row.get(0))?;
    Ok(usize::try_from(count)?)
}

fn events(db: &Connection, sql: &str, values: &[&dyn ToSql]) -> anyhow::Result<Vec<ObservationEvent>> {
    sql::all(db, sql, values, |row| {
        let (source, payload): (String, String) = (row.get(1)?, row.get(3)?);
        Ok(ObservationEvent {
            event_id: row.get(0)?,
            source: source.parse().unwrap_or(Source::System),
            description: row.get(2)?,
            payload: serde_json::from_str::<Map<String, Value>>(&payload).unwrap_or_default(),
            at: row.get(4)?,
            priority: row.get(5)?,
        })
    })
}

/// Stores the counters of the queue, and marks the epoch as the one written to last.
pub(super) fn count(tx: &Transaction<'_>, epoch: &str, queue: &EventQueue, counts: Counts) -> anyhow::Result<()> {
    sql::execute(
        tx,
        "UPDATE epochs SET processed = ?2, distinct_events = ?3, touched = ?4 WHERE epoch_id = ?1",
        params![epoch, i64::try_from(queue.processed)?, i64::try_from(queue.distinct)?, counts.touched],
    )?;
    Ok(())
}

/// Writes an event as the newest: events are ordered by the number of pushes so far.
pub(super) fn put_event(
    tx: &Transaction<'_>,
    epoch: &str,
    event: &ObservationEvent,
    processed: u64,
) -> anyhow::Result<()> {
    sql::execute(
        tx,
        "INSERT INTO ooda_events(epoch_id, event_id, seq, source, description, payload, at, priority)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
         ON CONFLICT DO UPDATE SET seq = excluded.seq, source = excluded.source, description = excluded.description,
           payload = excluded.payload, at = excluded.at, priority = excluded.priority",
        params![
            epoch,
            event.event_id,
            i64::try_from(processed)?,
            event.source.word(),
            event.description,
            serde_json::to_string(&event.payload)?,
            event.at,
            event.priority
        ],
    )?;
    Ok(())
}

pub(super) fn drop_event(
    tx: &Transaction<'_>,
    epoch: &str,
    event: &ObservationEvent,
    why: &str,
    now: i64,
) -> anyhow::Result<()> {
    sql::execute(tx, "DELETE FROM ooda_events WHERE epoch_id = ?1 AND event_id = ?2", [epoch, &event.event_id])?;
    sql::execute(
        tx,
        "INSERT INTO ooda_evicted(epoch_id, event_id, description, at, why) VALUES (?1, ?2, ?3, ?4, ?5)",
        params![epoch, event.event_id, event.description, now, why],
    )?;
    Ok(())
}

pub(super) fn keep_traces(tx: &Transaction<'_>, most: u32) -> anyhow::Result<()> {
    sql::execute(tx, "DELETE FROM ooda_evicted WHERE seq <= (SELECT max(seq) FROM ooda_evicted) - ?1", [most])?;
    Ok(())
}

pub(super) fn evicted(db: &Connection, most: usize) -> anyhow::Result<Vec<EvictedEvent>> {
    sql::all(
        db,
        "SELECT epoch_id, event_id, description, at, why FROM ooda_evicted ORDER BY seq DESC LIMIT ?1",
        [i64::try_from(most).unwrap_or(i64::MAX)],
        |row| columns!(row => EvictedEvent { epoch_id, event_id, description, at, why }),
    )
}
