//! Turns in the database: budgets, sources and hashes of each, its trace and its working memory, never the texts.

use rusqlite::types::Type;
use rusqlite::{Row, Transaction, params};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::json;

use crate::memory::turn::trace::EventKind;
use crate::memory::turn::{Budget, Event, Fragment, InitPhase, Initialised, Part, Span};
use crate::memory::{Memory, PhaseRecord, sql};

pub(in crate::memory) const TURNS_KEPT: u32 = 50;
/// For how many of the newest turns traces and items are kept, too.
const TRACED: u32 = 25;
/// For how many days they are kept at most.
const DAYS: i64 = 90;
const DAY_MS: i64 = 86_400_000;
/// The component of events that explain the lines in a skill.
pub(in crate::memory) const IN_SKILL: &str = "skill";

/// A fragment of a turn's context, without its text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FragmentRecord {
    /// [`Part::word`].
    pub part: String,
    pub source: String,
    pub version: Option<String>,
    pub tokens: usize,
    pub hash: String,
    pub items: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TurnRecord {
    #[serde(skip)]
    id: i64,
    pub turn_id: String,
    pub run_id: Option<String>,
    pub parent_turn_id: Option<String>,
    pub agent_id: String,
    pub user_id: String,
    pub mode: String,
    pub urgency: String,
    /// The status of its run; `running` until it ends.
    pub status: String,
    #[serde(serialize_with = "crate::memory::json::as_seconds")]
    pub started_at: i64,
    #[serde(serialize_with = "crate::memory::json::as_seconds_if")]
    pub ended_at: Option<i64>,
    pub init_us: i64,
    pub timed_out: bool,
    /// The shares of the tokens; in JSON, how many were loaded.
    #[serde(rename = "total_tokens", serialize_with = "loaded")]
    pub budget: Budget,
    #[serde(skip)]
    pub fragments: Vec<FragmentRecord>,
    pub context_hash: String,
    pub warnings: Vec<String>,
}

fn loaded<S: Serializer>(budget: &Budget, to: S) -> Result<S::Ok, S::Error> {
    budget.loaded().serialize(to)
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ItemRecord {
    pub position: i64,
    pub id: String,
    #[serde(rename = "type")]
    pub kind: String,
    pub source: String,
    pub tokens: i64,
    pub importance: f64,
    pub step_index: i64,
    pub hash: String,
}

const COLUMNS: &str = "id, turn_id, run_id, parent_turn_id, agent_id, user_id, mode, urgency, status, started_at, \
     ended_at, init_us, timed_out, budget, fragments, warnings, context_hash";

impl Memory {
    pub fn turns(&self, most: usize) -> anyhow::Result<Vec<TurnRecord>> {
        let sql = format!("SELECT {COLUMNS} FROM turns ORDER BY id DESC LIMIT ?1");
        sql::all(&self.db, &sql, [sql::limit(most)], read)
    }

    /// The newest turn, or the one whose id, or whose run's id, begins or ends with `wanted`; of several turns of one
    /// run the newest. `None` when there is none, or several match.
    pub fn find_turn(&self, wanted: Option<&str>) -> anyhow::Result<Option<TurnRecord>> {
        let mut all = self.turns(if wanted.is_some() { usize::MAX } else { 1 })?;
        let Some(wanted) = wanted else { return Ok(all.pop()) };
        let fits = |id: &str| id.starts_with(wanted) || id.ends_with(wanted);
        let named = all.iter().any(|one| fits(&one.turn_id));
        all.retain(|one| if named { fits(&one.turn_id) } else { one.run_id.as_deref().is_some_and(fits) });
        if !named {
            all.dedup_by(|older, newer| older.run_id == newer.run_id);
        }
        Ok(if all.len() == 1 { all.pop() } else { None })
    }

    pub fn turn_of(&self, run: &str) -> anyhow::Result<Option<String>> {
        let sql = "SELECT turn_id FROM turns WHERE run_id = ?1 ORDER BY id DESC LIMIT 1";
        sql::value(&self.db, sql, [run])
    }

    pub fn spans(&self, turn: &TurnRecord) -> anyhow::Result<Vec<Span>> {
        let sql = "SELECT seq, name, start_us, took_us, target_ms, status, tokens FROM trace_spans
                   WHERE turn = ?1 ORDER BY seq";
        let target = |row: &Row<'_>, at| row.get(at).map(|ms: Option<i64>| ms.map(i64::unsigned_abs));
        sql::all(&self.db, sql, [turn.id], |row| {
            columns!(row => Span {
                seq, name, start_us: sql::count, took_us: sql::count, target_ms: target, status, tokens: sql::count,
            })
        })
    }

    pub fn trace_events(&self, turn: &TurnRecord) -> anyhow::Result<Vec<Event>> {
        let sql = "SELECT seq, at_us, component, kind, message FROM trace_events WHERE turn = ?1 ORDER BY seq";
        let read = |row: &Row<'_>| columns!(row => Event { seq, at_us: sql::count, component, kind, message });
        sql::all(&self.db, sql, [turn.id], read)
    }

    /// The reasons for the remembered lines in the skill of a turn, in order.
    pub fn explained(&self, turn: &TurnRecord) -> anyhow::Result<Vec<String>> {
        let sql = "SELECT message FROM trace_events WHERE turn = ?1 AND component = ?2 ORDER BY seq";
        sql::column(&self.db, sql, params![turn.id, IN_SKILL])
    }

    /// The items of a turn's working memory, oldest first.
    pub fn turn_items(&self, turn: &TurnRecord) -> anyhow::Result<Vec<ItemRecord>> {
        let sql = "SELECT position, item_id, type, source, tokens, importance, step_index, hash
                   FROM wm_items WHERE turn = ?1 ORDER BY position";
        sql::all(
            &self.db,
            sql,
            [turn.id],
            |row| columns!(row => ItemRecord { position, id, kind, source, tokens, importance, step_index, hash }),
        )
    }
}

/// Writes a turn, its trace and its items, in the caller's transaction. It replaces a turn with the same id.
pub(in crate::memory) fn record(tx: &Transaction<'_>, run: Option<&str>, turn: &Initialised) -> anyhow::Result<()> {
    let fragments: Vec<FragmentRecord> = turn.context.fragments.iter().map(fragment).collect();
    let warnings: Vec<String> = turn.warnings.iter().map(|one| format!("{}: {}", one.phase, one.message)).collect();
    let setup = &turn.setup;
    sql::run(tx, "DELETE FROM turns WHERE turn_id = ?1", [&setup.turn_id])?;
    let (took_us, hash) = (i64::try_from(turn.took_us)?, turn.context.hash());
    let [budget, fragments, warnings] =
        [json!(turn.budget), json!(fragments), json!(warnings)].map(|one| one.to_string());
    insert!(
        tx, "INSERT INTO turns", setup =>
        turn_id, run_id: run, parent_turn_id, agent_id, user_id, mode, urgency: turn.urgency, status: "running",
        started_at: setup.now, init_us: took_us, timed_out: turn.timed_out, budget: budget, fragments: fragments,
        warnings: warnings, context_hash: hash,
    )?;
    let id = tx.last_insert_rowid();
    for one in &turn.trace.spans {
        span(tx, id, one)?;
    }
    for event in &turn.trace.events {
        let at_us = i64::try_from(event.at_us)?;
        insert!(tx, "INSERT INTO trace_events", event => turn: id, seq, at_us: at_us, component, kind, message)?;
    }
    for (position, item) in turn.buffer.items.iter().enumerate() {
        let (position, tokens) = (i64::try_from(position)?, i64::try_from(item.tokens)?);
        let hash = blake3::hash(item.text.as_bytes()).to_hex().to_string();
        insert!(
            tx, "INSERT INTO wm_items", item => turn: id, position: position, item_id: item.id, type: item.kind,
            source, tokens: tokens, importance, at, step_index: 0, hash: hash,
        )?;
    }
    give_up_old(tx, id, setup.now)
}

fn fragment(fragment: &Fragment) -> FragmentRecord {
    FragmentRecord {
        part: fragment.part.word().to_owned(),
        source: fragment.source.clone(),
        version: fragment.version.clone(),
        tokens: fragment.tokens,
        hash: fragment.hash.clone(),
        items: fragment.items.iter().map(|line| line.id.clone()).collect(),
    }
}

/// Deletes the turns that are no longer kept, and the traces of others.
fn give_up_old(tx: &Transaction<'_>, newest: i64, now: i64) -> anyhow::Result<()> {
    let beyond = "id <= ?1 - ?2 OR started_at < ?3";
    let limits = params![newest, TURNS_KEPT, now - DAYS * DAY_MS];
    // Preparing the cascading delete costs more than asking whether there is one too many.
    if tx.prepare_cached(&format!("SELECT 1 FROM turns WHERE {beyond}"))?.exists(limits)? {
        sql::run(tx, &format!("DELETE FROM turns WHERE {beyond}"), limits)?;
    }
    if newest > i64::from(TRACED) {
        for table in ["trace_spans", "trace_events", "wm_items"] {
            sql::run(tx, &format!("DELETE FROM {table} WHERE turn <= ?1 - ?2"), [newest, i64::from(TRACED)])?;
        }
    }
    Ok(())
}

/// Adds the reasons for lines in its skill to the trace of a run's newest turn, in the caller's transaction.
pub(in crate::memory) fn explain(tx: &Transaction<'_>, run: &str, reasons: &[String]) -> anyhow::Result<()> {
    let mut insert = tx.prepare_cached(
        "INSERT INTO trace_events(turn, seq, at_us, component, kind, message)
         SELECT t.id, coalesce((SELECT max(e.seq) FROM trace_events e WHERE e.turn = t.id), 0) + 1, t.init_us, ?2, ?3, ?4
         FROM turns t WHERE t.id = (SELECT max(id) FROM turns WHERE run_id = ?1)",
    )?;
    for reason in reasons {
        let message = crate::rules::secrets::redact(reason).0;
        insert.execute(params![run, IN_SKILL, EventKind::Decision.word(), message])?;
    }
    Ok(())
}

/// Closes the newest turn of a run, in the caller's transaction: its status and a span per phase of the run.
pub(in crate::memory) fn end(
    tx: &Transaction<'_>,
    run: &str,
    status: &str,
    at: i64,
    phases: &[PhaseRecord],
) -> anyhow::Result<()> {
    let newest: Option<i64> = sql::value(tx, "SELECT max(id) FROM turns WHERE run_id = ?1", [run])?.flatten();
    let Some(id) = newest else { return Ok(()) };
    sql::run(tx, "UPDATE turns SET status = ?2, ended_at = ?3 WHERE id = ?1", params![id, status, at])?;
    let mut start_us = 0_u64;
    for record in phases {
        let Ok(phase) = record.phase.parse::<crate::memory::ring::Phase>() else { continue };
        let took_us = record.ms.saturating_mul(1000);
        let seq = u32::try_from(InitPhase::ALL.len() + 1 + phase.index())?;
        let (name, status) = (phase.name().to_owned(), record.status.clone());
        span(tx, id, &Span { seq, name, start_us, took_us, target_ms: None, status, tokens: 0 })?;
        start_us = start_us.saturating_add(took_us);
    }
    Ok(())
}

fn span(tx: &Transaction<'_>, turn: i64, span: &Span) -> anyhow::Result<()> {
    let (start_us, took_us) = (i64::try_from(span.start_us)?, i64::try_from(span.took_us)?);
    let (target_ms, tokens) = (span.target_ms.map(i64::try_from).transpose()?, i64::try_from(span.tokens)?);
    insert!(
        tx, "INSERT OR REPLACE INTO trace_spans", span => turn: turn, seq, name, start_us: start_us, took_us: took_us,
        target_ms: target_ms, status, tokens: tokens,
    )
}

fn read(row: &Row<'_>) -> rusqlite::Result<TurnRecord> {
    columns!(row => TurnRecord {
        id, turn_id, run_id, parent_turn_id, agent_id, user_id, mode, urgency, status, started_at, ended_at, init_us,
        timed_out, budget: parsed, fragments: parsed, warnings: parsed, context_hash,
    })
}

fn parsed<T: serde::de::DeserializeOwned>(row: &Row<'_>, at: usize) -> rusqlite::Result<T> {
    let wrong = |error: serde_json::Error| rusqlite::Error::FromSqlConversionFailure(at, Type::Text, error.into());
    serde_json::from_str(row.get_ref(at)?.as_str()?).map_err(wrong)
}

impl TurnRecord {
    /// The cost of each part of the context, in the order of the parts.
    pub fn breakdown(&self) -> Vec<(&'static str, usize)> {
        let of = |part: &str| self.fragments.iter().filter(|one| one.part == part).map(|one| one.tokens).sum();
        Part::ALL.iter().map(|part| (part.word(), of(part.word()))).collect()
    }
}
