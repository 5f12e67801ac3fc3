//! One run, five views: updates the epoch, session and conversation of a run in the transaction
//! that writes a phase's checkpoint, so that a crash never leaves them inconsistent.

use rusqlite::{Connection, Transaction};

use super::fifo::sqlite as fifo;
use super::ooda::sqlite as ooda;
use super::run::RunTx;
use super::stm::sqlite as stm;
use super::turn::sqlite as turn;
use super::{Ending, Facts, Status, long, sql};
use crate::memory::fifo::{FifoError, Role, Text};
use crate::memory::ring::Phase;
use crate::memory::stm::SessionKey;

const TITLE: usize = 100;

/// A run begins: opens its epoch and session, evicts stale entries (OODA-6, STM-4).
/// `who` is the actor and the embodiment of its session, if that is in this database.
pub(super) fn begun(at: RunTx<'_>, who: Option<(&str, &str)>) -> anyhow::Result<()> {
    ooda::evict(at.tx, at.bounds.ooda.max_age, at.now)?;
    ooda::begun(at)?;
    if let Some((actor, embodiment)) = who {
        stm::within(at.tx, at.now, |stm| {
            let session = stm.open_run(at.run, embodiment, actor)?.session;
            stm.task(&session.key, Phase::Preflight.label(), "running")
        })?;
    }
    Ok(())
}

/// A phase is done: the run is at the next one. Returns the messages of the phase, to be written to its conversation
/// with [`said`] in the same transaction, so that the messages of several phases are written together.
pub(super) fn passed(at: RunTx<'_>, phase: Phase, facts: &Facts) -> anyhow::Result<Vec<fifo::SaidMessage>> {
    let now = at.now;
    ooda::passed(at, phase, facts)?;
    if let Some(key) = session(at)? {
        stm::within(at.tx, now, |stm| stm.task(&key, phase.label(), "completed"))?;
    }
    let mut said = Vec::new();
    if let Some(description) = &facts.description {
        open_conversation(at, &title(description))?;
        said.push((Role::User, Text::of(description), now));
    }
    if let (Some(skill), Some(targets)) = (&facts.skill, &facts.targets) {
        said.push((Role::Assistant, Text::of(&format!("Drafted `{skill}` for {targets}.")), now));
    }
    if let Some(by) = &facts.approved_by {
        said.push((Role::User, Text::of(&format!("Approved by {by}.")), now));
    }
    Ok(said)
}

/// Writes the messages of phases to the conversation of a run, if it has one.
pub(super) fn said(tx: &Transaction<'_>, run: &str, said: &[fifo::SaidMessage]) -> anyhow::Result<()> {
    if !said.is_empty() {
        fifo::say(tx, &fifo::id_of(run), said)?;
    }
    Ok(())
}

/// A waiting run is resumed after this phase.
pub(super) fn taken_up(at: RunTx<'_>, last: Option<Phase>) -> anyhow::Result<()> {
    ooda::taken_up(at, last)?;
    if let Some(key) = session(at)? {
        stm::within(at.tx, at.now, |stm| stm.task(&key, last.unwrap_or(Phase::Preflight).label(), "resumed"))?;
    }
    if fifo::exists(at.tx, &fifo::id_of(at.run))? {
        open_conversation(at, "")?;
        tell(at, "Taken up again.")?;
    }
    Ok(())
}

/// A run has ended, or waits. When it ends, its epoch is summarised and cleared, its episode and fact are stored, its
/// conversation is closed after its entities were extracted, its session ends: all of it or nothing. When it waits, its
/// epoch, session and conversation stay.
pub(super) fn ended(at: RunTx<'_>, ending: &Ending<'_>) -> anyhow::Result<()> {
    let RunTx { tx, run, now, .. } = at;
    let waits = ending.status == Status::Paused;
    ooda::ended(at, ending.node(), ending.error, waits)?;
    if let Some(episode) = ending.episode {
        long::episode(tx, episode)?;
    }
    for fact in ending.facts {
        long::fact(tx, fact)?;
    }
    long::learn(tx, ending.answers)?;
    turn::end(tx, run, ending.status.word(), now, ending.phases)?;
    let how = match (ending.phase, ending.error) {
        (Some(phase), Some(code)) => format!("{} in {phase} {} with {code}.", ending.status.word(), phase.name()),
        _ => format!("{}.", ending.status.word()),
    };
    let there = tell(at, &how)?;
    if let Some(key) = session(at)? {
        let phase = ending.phase.unwrap_or(Phase::Finish).label();
        stm::within(tx, now, |stm| {
            stm.task(&key, phase, ending.status.word())?;
            if waits { Ok(()) } else { stm.end_run(&key) }
        })?;
    }
    if !waits && there {
        let summary = ending.episode.map_or(how.as_str(), |episode| episode.text.as_str());
        fifo::close_conversation(at, summary)?;
    }
    Ok(())
}

/// A run whose process died: its current node waits, as the run does.
pub(super) fn abandoned(at: RunTx<'_>) -> anyhow::Result<()> {
    ooda::ended(at, None, None, true)?;
    turn::end(at.tx, at.run, Status::Paused.word(), at.now, &[])
}

/// Runs of this lane that ended without closing their epochs: a process that died between the commit of its files and
/// its own end. Must be called with the lane locked. The cross join makes SQLite scan the epochs first: they are fewer,
/// and rarely one is open.
pub(super) fn unclosed_runs(db: &Connection, lane: u32) -> anyhow::Result<Vec<String>> {
    let sql = "SELECT r.run_id FROM epochs e CROSS JOIN runs r ON r.run_id = e.run_id
               WHERE e.flushed_at IS NULL AND r.lane = ?1 AND r.status NOT IN ('running', 'paused')";
    sql::column(db, sql, [lane])
}

fn title(description: &str) -> String {
    crate::skill::printable::beginning(&description.split_whitespace().collect::<Vec<_>>().join(" "), TITLE)
}

/// Opens the conversation of a run; if the queue is full of needed ones, the run continues without a conversation.
fn open_conversation(at: RunTx<'_>, title: &str) -> anyhow::Result<()> {
    match fifo::open_conversation(at, title) {
        Err(error) if matches!(error.downcast_ref(), Some(FifoError::Full { .. })) => Ok(()),
        other => other.map(|_opened| ()),
    }
}

/// Writes the outcome of a run to its conversation. `false` if it has none.
fn tell(at: RunTx<'_>, text: &str) -> anyhow::Result<bool> {
    fifo::say(at.tx, &fifo::id_of(at.run), &[(Role::System, Text::of(text), at.now)])
}

fn session(at: RunTx<'_>) -> anyhow::Result<Option<SessionKey>> {
    let sql = "SELECT embodiment, session_id FROM stm_sessions WHERE run_id = ?1 AND ended_at IS NULL
               ORDER BY rowid DESC LIMIT 1";
    sql::one(at.tx, sql, [at.run], |row| columns!(row => SessionKey { embodiment, id }))
}
