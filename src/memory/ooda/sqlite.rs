//! The live memory of epochs in the database: each operation reads what it needs, acts on the pure memory, and writes
//! what changed, in one transaction.

mod rows;
mod run;

use anyhow::Context;
use rusqlite::{Connection, Transaction};
use serde::Serialize;
use serde_json::Value;

use crate::memory::ooda::{
    CachedEntity, ContextSlice, Dag, DagStateSnapshot, Decision, EntityCache, EpochSummary, EventQueue, Limits,
    LiveMemory, NodeStatus, ObservationEvent, Query, Source,
};
use crate::memory::{Memory, sql};

pub(in crate::memory) use run::{begun, ended, observed, passed, taken_up, undone};

/// How many flushed epochs are kept; the oldest are removed first.
const EPOCHS_KEPT: u32 = 50;

/// How many evicted events are kept in the trace, over all epochs.
const TRACED: u32 = 256;

/// An epoch: the lifetime of one loop.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Epoch {
    /// Its id; a run's epoch has the run's.
    pub epoch_id: String,
    pub run_id: Option<String>,
    #[serde(rename = "opened_utc", serialize_with = "crate::memory::json::as_seconds")]
    pub opened_at: i64,
    #[serde(rename = "flushed_utc", serialize_with = "crate::memory::json::as_seconds_if")]
    pub flushed_at: Option<i64>,
    pub summary: Option<Value>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EvictedEvent {
    pub epoch_id: String,
    pub event_id: String,
    pub description: String,
    #[serde(rename = "evicted_utc", serialize_with = "crate::memory::json::as_seconds")]
    pub at: i64,
    /// `window` or `age`.
    pub why: String,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DagState {
    pub dags: Vec<DagStateSnapshot>,
    pub decision: Decision,
}

impl Memory {
    /// The epoch by id or by run, or the one written to last.
    pub fn epoch(&self, wanted: Option<&str>) -> anyhow::Result<Option<Epoch>> {
        rows::epoch(&self.db, wanted)
    }

    /// The newest open epoch of no run, or a new one with this id.
    pub fn open_epoch(&mut self, new: &str, now: i64) -> anyhow::Result<Epoch> {
        self.write(|tx| {
            if let Some(epoch) = rows::newest_free(tx)? {
                return Ok(epoch);
            }
            rows::open(tx, new, None, now)?;
            rows::epoch(tx, Some(new))?.context("the epoch that was just opened is gone")
        })
    }

    /// The state of an epoch's graphs; of a flushed one, the final state.
    pub fn dags(&self, epoch: &str) -> anyhow::Result<DagState> {
        let mut dags = rows::dags(&self.db, epoch)?;
        if dags.is_empty()
            && let Some(summary) = rows::epoch(&self.db, Some(epoch))?.and_then(|epoch| epoch.summary)
        {
            dags = ended_dags(&summary);
        }
        Ok(DagState { decision: Decision::of(&dags), dags: dags.iter().map(Dag::snapshot).collect() })
    }

    /// Registers a graph with all nodes pending; one with the same id is replaced.
    pub fn register_dag(&mut self, epoch: &str, dag: &str, nodes: &[String]) -> anyhow::Result<DagStateSnapshot> {
        self.write(|tx| {
            rows::touch(tx, epoch)?;
            rows::clear(tx, epoch, dag)?;
            rows::register(tx, epoch, dag, nodes, None)?;
            Ok(Dag::new(dag, nodes).snapshot())
        })
    }

    /// Sets a node's status (OODA-1).
    pub fn update_dag_state(
        &mut self,
        epoch: &str,
        dag: &str,
        node: &str,
        status: NodeStatus,
    ) -> anyhow::Result<DagStateSnapshot> {
        self.write(|tx| {
            rows::touch(tx, epoch)?;
            let mut ram = LiveMemory { dags: rows::dags(tx, epoch)?, ..LiveMemory::default() };
            let snapshot = ram.update_dag_state(dag, node, status);
            rows::set_node(tx, epoch, dag, node, status)?;
            Ok(snapshot)
        })
    }

    /// Adds an event (OODA-2) and returns the ids of the evicted ones.
    pub fn push_event(&mut self, epoch: &str, event: &ObservationEvent, now: i64) -> anyhow::Result<Vec<String>> {
        let limits = self.bounds.ooda;
        self.write(|tx| push(tx, epoch, event, limits, now))
    }

    /// The events of an epoch, newest first, optionally of one source and with a minimum priority.
    pub fn events(&self, epoch: &str, source: Option<Source>, urgent: u32) -> anyhow::Result<Vec<ObservationEvent>> {
        let queue = rows::queue(&self.db, epoch)?;
        let fits =
            |event: &&ObservationEvent| event.priority >= urgent && source.is_none_or(|source| event.source == source);
        Ok(queue.newest().filter(fits).cloned().collect())
    }

    /// Caches an entity (OODA-3) and returns the keys of the evicted ones.
    pub fn cache_entity(&mut self, epoch: &str, entity: &CachedEntity) -> anyhow::Result<Vec<String>> {
        let limits = self.bounds.ooda;
        self.write(|tx| {
            rows::touch(tx, epoch)?;
            keep(tx, epoch, entity, limits)
        })
    }

    /// A valid entity; reading it makes it the most recently used, or removes it if it has expired.
    pub fn get_entity(&mut self, epoch: &str, key: &str, now: i64) -> anyhow::Result<Option<CachedEntity>> {
        self.write(|tx| {
            let mut asked = EntityCache { entities: rows::entity(tx, epoch, key)?.into_iter().collect() };
            let found = asked.get(key, now).cloned();
            match found {
                Some(_) => rows::use_entity(tx, epoch, key)?,
                None => rows::drop_entity(tx, epoch, key)?,
            }
            Ok(found)
        })
    }

    /// The context slice of an epoch (OODA-4).
    pub fn read_context(&self, epoch: &str, query: Option<&Query>, now: i64) -> anyhow::Result<ContextSlice> {
        Ok(ram(&self.db, epoch)?.read_context(query, self.bounds.ooda.context, now))
    }

    /// Whether an epoch belongs to a running or waiting run; then only that run may flush it.
    pub fn belongs_to_live_run(&self, epoch: &Epoch) -> anyhow::Result<bool> {
        let Some(run) = &epoch.run_id else { return Ok(false) };
        let sql = "SELECT status IN ('running', 'paused') FROM runs WHERE run_id = ?1";
        Ok(sql::value(&self.db, sql, [run])?.unwrap_or(false))
    }

    pub fn free_epoch(&self) -> anyhow::Result<Option<Epoch>> {
        rows::newest_free(&self.db)
    }

    /// Summarises and clears an epoch, once (OODA-5); a flushed one has nothing left.
    pub fn flush_epoch(&mut self, epoch: &str, now: i64) -> anyhow::Result<EpochSummary> {
        self.write(|tx| {
            let found = rows::epoch(tx, Some(epoch))?.with_context(|| format!("there is no epoch {epoch:?}"))?;
            if found.flushed_at.is_some() {
                return Ok(LiveMemory::default().flush_to_summarizer(epoch, now, now));
            }
            sum_up(tx, &found, now)
        })
    }

    /// Removes expired entities and events older than this many seconds from every open epoch; returns how many
    /// (OODA-6).
    pub fn evict_stale_entries(&mut self, max_age: i64, now: i64) -> anyhow::Result<usize> {
        self.write(|tx| evict(tx, max_age, now))
    }
}

/// The graphs of a flushed epoch, from its summary.
fn ended_dags(summary: &Value) -> Vec<Dag> {
    let of = |dag: &Value| {
        let mut ended = Dag::new(dag["dag_id"].as_str()?, &[]);
        for (node, status) in dag["node_statuses"].as_object()? {
            ended.set(node, status.as_str()?.parse().ok()?);
        }
        Some(ended)
    };
    summary["final_dags"].as_array().into_iter().flatten().filter_map(of).collect()
}

fn ram(db: &Connection, epoch: &str) -> anyhow::Result<LiveMemory> {
    Ok(LiveMemory {
        dags: rows::dags(db, epoch)?,
        events: rows::queue(db, epoch)?,
        entities: rows::cache(db, epoch, true)?,
    })
}

/// [`Memory::push_event`] in the caller's transaction.
pub(in crate::memory) fn push(
    tx: &Transaction<'_>,
    epoch: &str,
    event: &ObservationEvent,
    limits: Limits,
    now: i64,
) -> anyhow::Result<Vec<String>> {
    add(tx, epoch, rows::queue(tx, epoch)?, event, limits, now)
}

/// [`push`] to a queue that was just read.
fn add(
    tx: &Transaction<'_>,
    epoch: &str,
    mut queue: EventQueue,
    event: &ObservationEvent,
    limits: Limits,
    now: i64,
) -> anyhow::Result<Vec<String>> {
    let gone = queue.push(event.clone(), limits.events);
    rows::put_event(tx, epoch, event, &queue)?;
    for old in &gone {
        rows::drop_event(tx, epoch, old, "window", now)?;
    }
    if !gone.is_empty() {
        rows::keep_traces(tx, TRACED)?;
    }
    Ok(gone.into_iter().map(|event| event.event_id).collect())
}

/// [`Memory::cache_entity`] for an epoch that is already the one written to last.
fn keep(tx: &Transaction<'_>, epoch: &str, entity: &CachedEntity, limits: Limits) -> anyhow::Result<Vec<String>> {
    // Eviction does not depend on the values, which may be long.
    let gone = rows::cache(tx, epoch, false)?.put(entity.clone(), limits.entities);
    rows::put_entity(tx, epoch, entity)?;
    for old in &gone {
        rows::drop_entity(tx, epoch, &old.key)?;
    }
    Ok(gone.into_iter().map(|entity| entity.key).collect())
}

/// [`Memory::flush_epoch`] of an open epoch.
fn sum_up(tx: &Transaction<'_>, epoch: &Epoch, now: i64) -> anyhow::Result<EpochSummary> {
    let summary = ram(tx, &epoch.epoch_id)?.flush_to_summarizer(&epoch.epoch_id, epoch.opened_at, now);
    rows::close(tx, epoch, &serde_json::to_string(&summary)?, now)?;
    rows::forget(tx, EPOCHS_KEPT)?;
    Ok(summary)
}

/// [`Memory::evict_stale_entries`] in the caller's transaction.
pub(in crate::memory) fn evict(tx: &Transaction<'_>, max_age: i64, now: i64) -> anyhow::Result<usize> {
    let mut count = 0;
    for epoch in rows::open_ids(tx)? {
        let mut ram = ram(tx, &epoch)?;
        let (entities, events) = (ram.entities.evict_expired(now), ram.events.evict_older(max_age, now));
        for entity in &entities {
            rows::drop_entity(tx, &epoch, &entity.key)?;
        }
        for event in &events {
            rows::drop_event(tx, &epoch, event, "age", now)?;
        }
        count += entities.len() + events.len();
    }
    if count > 0 {
        rows::keep_traces(tx, TRACED)?;
    }
    Ok(count)
}

#[cfg(test)]
mod tests {
    use crate::memory::ooda::{CachedEntity, EventQueue, Limits, NodeStatus, ObservationEvent};
    use crate::memory::{Bounds, Memory};

    #[test]
    fn the_window_in_the_database_is_the_window_in_memory() {
        let mut memory = Memory::in_memory().unwrap();
        memory.open_epoch("e", 0).unwrap();
        let mut window = EventQueue::default();
        // New ones, ones that are in the window, ones that left it, and a window that grows and shrinks.
        for n in 0..200_u32 {
            let most = [3, 3, 5, 1, 4][(n / 40) as usize];
            let event = ObservationEvent {
                event_id: format!("event-{}", n * 7 % 11 % (n / 20 + 2)),
                description: format!("push {n}"),
                at: i64::from(n),
                priority: n % 3,
                ..ObservationEvent::default()
            };
            let gone: Vec<String> = window.push(event.clone(), most).into_iter().map(|gone| gone.event_id).collect();
            let ooda = Limits { events: most, ..Limits::default() };
            memory.bounds = Bounds { ooda, ..Bounds::default() };
            assert_eq!(memory.push_event("e", &event, i64::from(n)).unwrap(), gone, "push {n}");
            assert_eq!(memory.events("e", None, 0).unwrap(), window.newest().cloned().collect::<Vec<_>>(), "push {n}");
            let traced = memory.evicted_events(gone.len()).unwrap();
            let traced: Vec<&str> = traced.iter().rev().map(|one| one.event_id.as_str()).collect();
            assert_eq!(traced, gone, "push {n}");
        }
        let summary = memory.flush_epoch("e", 200).unwrap();
        let counted = (summary.total_events_processed, summary.total_events_distinct);
        assert_eq!(counted, (window.processed, window.distinct));
    }

    #[test]
    fn eviction_removes_expired_entities_and_old_events_and_counts_them() {
        let mut memory = Memory::in_memory().unwrap();
        memory.open_epoch("e", 0).unwrap();
        for n in 0..4_i64 {
            let event = ObservationEvent { event_id: n.to_string(), at: n * 1000, ..ObservationEvent::default() };
            memory.push_event("e", &event, 0).unwrap();
            let entity = CachedEntity { key: n.to_string(), ttl_seconds: Some(n), ..CachedEntity::default() };
            memory.cache_entity("e", &entity).unwrap();
        }
        // With an age of 10 s, at 11 s: event 1 is exactly as old as it may be; all entities have expired.
        assert_eq!(memory.evict_stale_entries(10, 11_000).unwrap(), 1 + 4);
        let left: Vec<String> = memory.events("e", None, 0).unwrap().into_iter().map(|event| event.event_id).collect();
        assert_eq!(left, ["3", "2", "1"]);
    }

    #[test]
    fn registering_a_graph_again_begins_anew() {
        let mut memory = Memory::in_memory().unwrap();
        memory.open_epoch("e", 0).unwrap();
        let nodes = ["a".to_owned(), "b".to_owned()];
        memory.register_dag("e", "d", &nodes[..1]).unwrap();
        memory.update_dag_state("e", "d", "a", NodeStatus::Completed).unwrap();
        assert_eq!(memory.register_dag("e", "d", &nodes).unwrap().completed_count, 0);
        assert_eq!(memory.dags("e").unwrap().dags.len(), 1);
    }
}
