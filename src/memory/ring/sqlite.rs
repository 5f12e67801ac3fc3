//! The ring in the database: each operation reads the lane, acts on the pure ring, and writes what changed.

use std::borrow::Cow;

use rusqlite::{Connection, Row, ToSql, Transaction, params};

use crate::memory::ooda::sqlite as ooda;
use crate::memory::ring::{Checkpoint, Marker, Phase, WorkingMemory};
use crate::memory::run::RunTx;
use crate::memory::{Facts, Memory, sql, stamp, views};

/// Longer states, in bytes of JSON text, are stored in `blobs`, and the slot has a reference.
const INLINE: usize = 64 * 1024;

const CHECKPOINT: &str = "slot, run_id, phase, seq, at, data, checksum";

#[derive(Debug, Clone)]
pub struct LaneView {
    pub memory: WorkingMemory,
    pub damaged: Vec<Damage>,
}

impl LaneView {
    pub(in crate::memory) fn of(memory: WorkingMemory) -> Self {
        Self { damaged: damage(&memory), memory }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Damage {
    pub lane: u32,
    pub slot: usize,
    pub run_id: String,
    pub phase: String,
}

impl Memory {
    /// `push_state` in one transaction with the updates of the run's epoch and session. Returns the slot.
    pub fn push_state(
        &mut self,
        lane: u32,
        run: &str,
        phase: Phase,
        data: &str,
        at: jiff::Timestamp,
    ) -> anyhow::Result<usize> {
        let bounds = self.bounds;
        self.write(|tx| {
            let here = RunTx { tx, run, bounds, now: at.as_millisecond() };
            Ok(passed(here, lane, phase, data, at, &Facts::default())?.0)
        })
    }

    /// `get_state`: the newest state of the phase in this run, read from the database and verified.
    pub fn get_state(&self, lane: u32, run: &str, phase: Phase) -> anyhow::Result<Checkpoint> {
        let _snapshot = self.snapshot()?;
        let memory = read(&self.db, lane, run, phase)?;
        Ok(memory.get_state(phase)?.clone())
    }

    /// `rollback_to` in one transaction. Returns the restored state.
    pub fn rollback_to(&mut self, lane: u32, run: &str, phase: Phase) -> anyhow::Result<Checkpoint> {
        self.write(|tx| roll_back(tx, lane, run, phase))
    }

    pub fn lane_view(&self, lane: u32, run: &str) -> anyhow::Result<LaneView> {
        let _snapshot = self.snapshot()?;
        Ok(LaneView::of(load(&self.db, lane, run)?))
    }

    /// Every damaged slot of every lane, and how many slots were checked.
    pub fn verify(&self) -> anyhow::Result<(usize, Vec<Damage>)> {
        let (mut checked, mut damaged) = (0, Vec::new());
        for lane in lanes(&self.db)? {
            let memory = load(&self.db, lane, "")?;
            checked += memory.used().count();
            damaged.extend(damage(&memory));
        }
        Ok((checked, damaged))
    }
}

/// [`Memory::push_state`] in the caller's transaction, with the messages for [`views::said`]. `facts` is what the phase
/// found out about the run.
pub(in crate::memory) fn passed(
    here: RunTx<'_>,
    lane: u32,
    phase: Phase,
    data: &str,
    at: jiff::Timestamp,
    facts: &Facts,
) -> anyhow::Result<(usize, Vec<crate::memory::fifo::sqlite::SaidMessage>)> {
    facts.write(here.tx, here.run)?;
    let said = views::passed(here, phase, facts)?;
    Ok((push(here.tx, lane, here.run, phase, data, &stamp(at))?, said))
}

/// [`Memory::rollback_to`] in the caller's transaction.
pub(in crate::memory) fn roll_back(
    tx: &Transaction<'_>,
    lane: u32,
    run: &str,
    phase: Phase,
) -> anyhow::Result<Checkpoint> {
    let mut memory = read(tx, lane, run, phase)?;
    let restored = memory.rollback_to(phase)?.clone();
    save_head(tx, &memory)?;
    for later in Phase::ALL.into_iter().filter(|later| *later > phase) {
        sql::run(tx, "DELETE FROM wm_markers WHERE run_id = ?1 AND phase = ?2", [run, later.label()])?;
    }
    ooda::undone(tx, run, phase)?;
    Ok(restored)
}

/// `push_state` in the caller's transaction.
pub(in crate::memory) fn push(
    db: &Connection,
    lane: u32,
    run: &str,
    phase: Phase,
    data: &str,
    at: &str,
) -> anyhow::Result<usize> {
    let mut memory = tenants(db, lane, run)?;
    let slot = memory.push_state(phase, data, at);
    if let Some(checkpoint) = memory.get(slot) {
        store(db, lane, checkpoint)?;
    }
    save_head(db, &memory)?;
    if let Some(marker) = memory.markers[phase.index()] {
        let mark = "INSERT INTO wm_markers(run_id, phase, slot, seq) VALUES (?1, ?2, ?3, ?4)
                    ON CONFLICT DO UPDATE SET slot = excluded.slot, seq = excluded.seq";
        sql::run(db, mark, params![run, phase.label(), marker.slot as i64, marker.seq as i64])?;
        displaced(db, lane, marker)?;
    }
    Ok(slot)
}

/// Removes the markers of earlier checkpoints in a slot. The cross join makes SQLite read the markers first:
/// they are few, a lane's runs are many. Each is deleted by its key, which costs less than collecting them.
fn displaced(db: &Connection, lane: u32, new: Marker) -> anyhow::Result<()> {
    let sql = "SELECT m.run_id, m.phase FROM wm_markers m CROSS JOIN runs r ON r.run_id = m.run_id
               WHERE m.slot = ?2 AND m.seq <> ?3 AND r.lane = ?1";
    let values = params![lane, new.slot as i64, new.seq as i64];
    let gone: Vec<(String, String)> = sql::all(db, sql, values, |row| Ok((row.get(0)?, row.get(1)?)))?;
    for (run, phase) in gone {
        sql::run(db, "DELETE FROM wm_markers WHERE run_id = ?1 AND phase = ?2", [run, phase])?;
    }
    Ok(())
}

pub(in crate::memory) fn damage(memory: &WorkingMemory) -> Vec<Damage> {
    let lane = memory.lane;
    let damaged = memory.used().filter(|(slot, one)| !one.intact(lane, *slot));
    damaged.map(|(slot, one)| Damage { lane, slot, run_id: one.run.clone(), phase: one.phase.to_string() }).collect()
}

pub(in crate::memory) fn lanes(db: &Connection) -> anyhow::Result<Vec<u32>> {
    sql::column(db, "SELECT DISTINCT lane FROM wm_slots ORDER BY lane", [])
}

/// A run's view of a lane, with all states.
pub(in crate::memory) fn load(db: &Connection, lane: u32, run: &str) -> anyhow::Result<WorkingMemory> {
    let sql = format!("SELECT {CHECKPOINT} FROM wm_slots WHERE lane = ?1");
    take(db, (lane, run), &sql, params![lane], markers(db, run)?)
}

/// A run's view of a lane, with the checkpoint of at most one phase: the other slots are left free, because a state may
/// be long.
fn read(db: &Connection, lane: u32, run: &str, phase: Phase) -> anyhow::Result<WorkingMemory> {
    let markers = markers(db, run)?;
    let slot = markers[phase.index()].map_or(-1, |marker| marker.slot as i64);
    let sql = format!("SELECT {CHECKPOINT} FROM wm_slots WHERE lane = ?1 AND slot = ?2");
    take(db, (lane, run), &sql, params![lane, slot], markers)
}

fn take(
    db: &Connection,
    (lane, run): (u32, &str),
    sql: &str,
    values: &[&dyn ToSql],
    markers: [Option<Marker>; Phase::COUNT],
) -> anyhow::Result<WorkingMemory> {
    let (head, next_seq) = head(db, lane)?;
    let mut stored: Vec<Checkpoint> = sql::all(db, sql, values, checkpoint)?;
    for one in &mut stored {
        resolve(db, one)?;
    }
    let fresh = WorkingMemory { next_seq, markers, ..WorkingMemory::fresh(lane, run) };
    Ok(fresh.restored(stored, head))
}

/// A run's view of a lane before a push, without the states.
fn tenants(db: &Connection, lane: u32, run: &str) -> anyhow::Result<WorkingMemory> {
    let sql = "SELECT slot, run_id, phase, seq, '', '', '' FROM wm_slots WHERE lane = ?1";
    take(db, (lane, run), sql, params![lane], markers(db, run)?)
}

fn head(db: &Connection, lane: u32) -> anyhow::Result<(usize, u64)> {
    let sql = "SELECT write_head, next_seq FROM wm_lanes WHERE lane = ?1";
    let found = sql::one(db, sql, [lane], |row| Ok((slot(row, 0)?, sql::count(row, 1)?)))?;
    Ok(found.unwrap_or((0, 1)))
}

fn markers(db: &Connection, run: &str) -> anyhow::Result<[Option<Marker>; Phase::COUNT]> {
    let mut markers = [None; Phase::COUNT];
    let sql = "SELECT phase, slot, seq FROM wm_markers WHERE run_id = ?1";
    let found: Vec<(String, Marker)> =
        sql::all(db, sql, [run], |row| Ok((row.get(0)?, Marker { slot: slot(row, 1)?, seq: sql::count(row, 2)? })))?;
    for (phase, marker) in found {
        if let Ok(phase) = phase.parse::<Phase>() {
            markers[phase.index()] = Some(marker);
        }
    }
    Ok(markers)
}

/// A checkpoint whose long state is still a reference.
fn checkpoint(row: &Row<'_>) -> rusqlite::Result<Checkpoint> {
    columns!(row => Checkpoint { slot: slot, run, phase: phase_of, seq: sql::count, at, data, checksum })
}

/// A phase. An invalid one cannot have been sealed, so its replacement fails the checksum.
fn phase_of(row: &Row<'_>, column: usize) -> rusqlite::Result<Phase> {
    Ok(row.get_ref(column)?.as_str()?.parse().unwrap_or(Phase::Preflight))
}

fn slot(row: &Row<'_>, column: usize) -> rusqlite::Result<usize> {
    Ok(usize::try_from(row.get::<_, i64>(column)?).unwrap_or(usize::MAX))
}

/// The checkpoints that are set aside, of one run or of all, each with its lane, in the order of the phases.
pub(in crate::memory) fn aside(db: &Connection, run: Option<&str>) -> anyhow::Result<Vec<(u32, Checkpoint)>> {
    let fits = if run.is_some() { "run_id = ?1" } else { "?1 IS NULL" };
    let sql = format!("SELECT {CHECKPOINT}, lane FROM wm_aside WHERE {fits} ORDER BY run_id, phase");
    let mut aside: Vec<(u32, Checkpoint)> = sql::all(db, &sql, [run], |row| Ok((row.get(7)?, checkpoint(row)?)))?;
    for (_, one) in &mut aside {
        resolve(db, one)?;
    }
    Ok(aside)
}

/// Fetches a long state. A blob that is missing or does not match its name leaves the reference in place,
/// and the checksum, which covers the state itself, fails.
fn resolve(db: &Connection, checkpoint: &mut Checkpoint) -> anyhow::Result<()> {
    let Some(hash) = reference(&checkpoint.data) else { return Ok(()) };
    if let Some(blob) = sql::value(db, "SELECT data FROM blobs WHERE hash = ?1", [&hash])? {
        checkpoint.data = blob;
    }
    Ok(())
}

/// The text that stands for a state in a row: the state, or the reference of the blob a long one is put into.
pub(in crate::memory) fn put_long<'s>(db: &Connection, state: &'s str) -> anyhow::Result<Cow<'s, str>> {
    if state.len() <= INLINE {
        return Ok(state.into());
    }
    let hash = blake3::hash(state.as_bytes()).to_hex().to_string();
    db.execute("INSERT OR IGNORE INTO blobs(hash, data) VALUES (?1, ?2)", params![hash, state])?;
    Ok(format!("{{\"blob\":\"{hash}\"}}").into())
}

fn reference(data: &str) -> Option<String> {
    data.strip_prefix("{\"blob\":\"")?.strip_suffix("\"}").filter(|hash| hash.len() == 64).map(str::to_owned)
}

pub(in crate::memory) fn store(db: &Connection, lane: u32, checkpoint: &Checkpoint) -> anyhow::Result<()> {
    // Only a reference matters here, which is short; a long text is not read to learn its length.
    let held = "SELECT iif(octet_length(data) < 100, data, '') FROM wm_slots WHERE lane = ?1 AND slot = ?2";
    let replaced: Option<String> = sql::value(db, held, params![lane, checkpoint.slot as i64])?;
    let data = put_long(db, &checkpoint.data)?;
    let put = "INSERT INTO wm_slots(lane, slot, run_id, phase, seq, at, data, checksum)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
               ON CONFLICT DO UPDATE SET run_id = excluded.run_id, phase = excluded.phase, seq = excluded.seq,
                 at = excluded.at, data = excluded.data, checksum = excluded.checksum";
    let Checkpoint { run, phase, at, checksum, .. } = checkpoint;
    let (slot, seq) = (checkpoint.slot as i64, checkpoint.seq as i64);
    sql::run(db, put, params![lane, slot, run, phase.label(), seq, at, data, checksum])?;
    if let Some(hash) = replaced.as_deref().and_then(reference) {
        db.execute(
            "DELETE FROM blobs WHERE hash = ?1
               AND NOT EXISTS (SELECT 1 FROM wm_slots WHERE data = ?2)
               AND NOT EXISTS (SELECT 1 FROM wm_aside WHERE data = ?2)",
            params![hash, format!("{{\"blob\":\"{hash}\"}}")],
        )?;
    }
    Ok(())
}

fn save_head(db: &Connection, memory: &WorkingMemory) -> anyhow::Result<()> {
    let sql = "INSERT INTO wm_lanes(lane, write_head, next_seq) VALUES (?1, ?2, ?3)
               ON CONFLICT DO UPDATE SET write_head = excluded.write_head, next_seq = excluded.next_seq";
    sql::run(db, sql, params![memory.lane, memory.write_head as i64, memory.next_seq as i64])
}
