//! Sessions, entries, metrics, health, analytics and limits (STM-14, STM-15) as answers: JSON for scripts, tables for
//! people.

use serde_json::{Value, json};

use crate::command::memory::{many, table, table_or};
use crate::error::Result;
use crate::memory::json::millis;
use crate::memory::stm::connect::{Sessions, coded};
use crate::memory::stm::{Entry, Filter, Level, Measure, Session, Stats, Stm, StmError};
use crate::project::Project;
use crate::report::Report;
use crate::system::env::Env;
use crate::terminal::ui::{self, Style};

const PREVIEW: usize = 60;

/// An entry with the fields of STM-1, named in the style of the other answers.
pub(in crate::command::memory) fn entry_json(entry: &Entry) -> Value {
    let head = &entry.head;
    json!({
        "id": head.id,
        "tier": "STM",
        "category": head.category.word(),
        "actor": head.actor,
        "embodiment": entry.key.embodiment,
        "session_id": entry.key.id,
        "content": entry.content,
        "metadata": {
            "created_at": millis(head.created_at),
            "expires_at": millis(head.expires_at),
            "priority": head.priority.word(),
            "volatile": true,
        },
        "tags": head.tags,
    })
}

pub(super) fn session_json(session: &Session, now: i64) -> Value {
    json!({
        "session_id": session.key.id,
        "embodiment": session.key.embodiment,
        "actor": session.actor,
        "run_id": session.run_id,
        "state": state(session),
        "opened_at": millis(session.opened_at),
        "active_at": millis(session.active_at),
        "ended_at": session.ended_at.map(millis),
        "purge_after": session.purge_after().map(millis),
        "duration_ms": session.duration(now),
        "entries": session.entries,
        "bytes": session.bytes,
        "recalls": session.recalls,
        "expired": session.expired,
        "pruned": session.pruned,
    })
}

fn state(session: &Session) -> &'static str {
    if session.is_open() { "open" } else { "ended" }
}

pub(super) fn sessions_text(style: Style, sessions: &[Session], now: i64) -> String {
    let row = |session: &Session| {
        let state = match session.ended_at {
            None => "open".to_owned(),
            Some(ended) => format!("ended {}", ui::ago(now, ended)),
        };
        let Session { key, actor, opened_at, entries, bytes, .. } = session;
        row![key.id, key.embodiment, actor, ui::ago(now, *opened_at), state, entries, ui::size(*bytes)]
    };
    let headings = ["SESSION", "EMBODIMENT", "ACTOR", "OPENED", "STATE", "ENTRIES", "SIZE"];
    table_or("No sessions.", style, &headings, sessions, row)
}

pub(super) fn entries_text(style: Style, entries: &[Entry], now: i64) -> String {
    let row = |entry: &Entry| {
        let head = &entry.head;
        let gone = if head.expires_at <= now { " (expired)" } else { "" };
        let stored = format!("{}{gone}", ui::ago(now, head.created_at));
        row![head.id, head.category, head.priority, head.actor, stored, preview(&entry.content)]
    };
    table(style, &["ID", "CATEGORY", "PRIORITY", "ACTOR", "STORED", "CONTENT"], entries, row)
}

/// An entry on one line, for `tail`.
pub(in crate::command::memory) fn line(style: Style, entry: &Entry) -> String {
    let head = &entry.head;
    format!(
        "{}  {:<15}  {:<6}  {:<8}  {}",
        style.dim(&millis(head.created_at)),
        head.category.word(),
        head.priority.word(),
        crate::skill::printable(&head.actor),
        crate::skill::printable(&preview(&entry.content)).replace(['\n', '\t'], " ")
    )
}

fn preview(content: &Value) -> String {
    crate::skill::printable::beginning(&content.to_string(), PREVIEW)
}

const SHOWN: usize = 10;

pub(super) fn stats(env: &mut Env, project: &Project, mut sessions: Sessions, period: &str) -> Result<Report> {
    let now = env.now().as_millisecond();
    let since = now.saturating_sub(super::when::duration(period)?);
    let asked = sessions.ask(env, |stm| Ok((stm.backend_name(), read(stm, since)?)));
    let (backend, stats) = asked.map_err(|error| coded(env, project, error))?;
    let data = json!({
        "backend": backend,
        "period": period,
        "since": millis(since),
        "metrics": {
            "entry_count": stats.entries,
            "sessions_open": stats.open,
            "sessions_ended": stats.ended,
            "average_session_duration_ms": stats.average_session,
            "expiry_rate_percent": stats.expiry_rate(),
            "retrievals": stats.recalls,
            "stored": stats.stored,
            "expired": stats.expired,
            "pruned": stats.pruned,
            "purged": stats.purged,
        },
        "health": health_json(&stats),
        "analytics": {
            "average_session_length_ms": stats.average_session,
            "sessions": stats.sessions,
            "categories": stats.categories.iter()
                .map(|(category, count)| json!({ "category": category.word(), "count": count })).collect::<Vec<_>>(),
            "peaks": stats.peaks.iter()
                .map(|(hour, count)| json!({ "hour": millis(*hour), "count": count })).collect::<Vec<_>>(),
        },
    });
    Ok(Report::done(data, stats_text(env.style, &stats, period)))
}

fn read(stm: &Stm<'_>, since: i64) -> Result<Stats, StmError> {
    Ok(Stats::of(&stm.sessions()?, &stm.tallies(since)?))
}

fn health_json(stats: &Stats) -> Value {
    let indicator = |(measure, value): &(Measure, u64)| {
        let (warning, critical) = measure.thresholds();
        let level = measure.level(*value).word();
        json!({ "name": measure.word(), "value": value, "level": level, "warning": warning, "critical": critical })
    };
    json!({ "level": stats.level().word(), "indicators": stats.health.iter().map(indicator).collect::<Vec<_>>() })
}

fn stats_text(style: Style, stats: &Stats, period: &str) -> String {
    let length = stats.average_session.map_or_else(|| "-".to_owned(), ui::lasting);
    let mut text = format!("{}\n", style.head(&format!("Short-term memory, the last {period}")));
    for (name, value) in [
        ("sessions", format!("{} open, {} ended and still there", stats.open, stats.ended)),
        ("entries", format!("{} ({})", stats.entries, ui::size(stats.bytes))),
        ("stored", stats.stored.to_string()),
        ("recalled", many(stats.recalls, "time")),
        ("expired", format!("{} ({} % of what was stored)", stats.expired, stats.expiry_rate())),
        ("pruned, purged", format!("{}, {}", stats.pruned, stats.purged)),
        ("a session lasts", length),
    ] {
        text.push_str(&format!("  {name:<16}{value}\n"));
    }
    text.push_str(&health_text(style, stats));
    if !stats.categories.is_empty() {
        text.push_str(&format!("\n{}\n", style.head("Categories")));
        for (category, count) in &stats.categories {
            text.push_str(&format!("  {:<16}{} {count}\n", category.word(), ui::used(style, *count, stats.stored)));
        }
    }
    if !stats.peaks.is_empty() {
        text.push_str(&format!("\n{}\n", style.head("Busiest hours")));
        for (hour, count) in &stats.peaks {
            text.push_str(&format!("  {}  {count}\n", millis(*hour).get(..16).unwrap_or_default().replace('T', " ")));
        }
    }
    text
}

pub(in crate::command::memory) fn level(style: Style, level: Level) -> String {
    let paint = match level {
        Level::Healthy => Style::good,
        Level::Warning => Style::odd,
        Level::Critical => Style::bad,
    };
    paint(style, level.word())
}

fn health_text(style: Style, stats: &Stats) -> String {
    let rows = stats.health.iter().map(|(measure, value)| {
        let (warning, critical) = measure.thresholds();
        let millis = |micros: u64| format!("{}.{:03} ms", micros / 1000, micros % 1000);
        let (name, shown): (_, fn(u64) -> String) = match measure {
            Measure::WriteLatency => ("write latency", millis),
            Measure::ReadLatency => ("read latency", millis),
            Measure::SessionCount => ("sessions", |count| count.to_string()),
            Measure::MemoryUsage => ("memory", ui::size),
        };
        let limits = format!("warning from {}, critical above {}", shown(warning), shown(critical));
        [name.to_owned(), shown(*value), measure.level(*value).word().to_owned(), limits]
    });
    let level = level(style, stats.level());
    format!("\nHealth: {level}\n{}", ui::table(style, &["INDICATOR", "VALUE", "LEVEL", "LIMITS"], rows))
}

/// `memory inspect stm`: the sessions, health, and the entries of one session, a run's or the newest.
pub(in crate::command::memory) fn inspect(env: &mut Env, project: &Project, run: Option<&str>) -> Result<Report> {
    let settings = crate::config::load(env, project)?;
    let (now, most) = (env.now().as_millisecond(), settings.stm_limits());
    let asked = Sessions::look(project, &settings)?.ask(env, |stm| {
        let mut sessions = stm.sessions()?;
        let stats = Stats::of(&sessions, &stm.tallies(now - 24 * crate::memory::stm::HOUR)?);
        sessions.retain(Session::is_open);
        let chosen = match run {
            Some(run) => sessions.iter().find(|one| one.run_id.as_deref() == Some(run)),
            None => sessions.first(),
        };
        let filter = Filter { include_expired: true, limit: SHOWN, ..Filter::default() };
        let entries = chosen.map(|session| stm.look(&session.key, &filter)).transpose()?.unwrap_or_default().entries;
        Ok((stm.backend_name(), chosen.cloned(), entries, stats, sessions))
    });
    let (backend, chosen, entries, stats, sessions) = asked.map_err(|error| coded(env, project, error))?;
    let data = json!({
        "backend": backend,
        "sessions": sessions.iter().map(|session| session_json(session, now)).collect::<Vec<_>>(),
        "session": chosen.as_ref().map(|session| session_json(session, now)),
        "entries": entries.iter().map(entry_json).collect::<Vec<_>>(),
        "limits": { "entries": most.entries, "bytes": most.session_bytes },
        "health": health_json(&stats),
    });
    let style = env.style;
    let mut text = sessions_text(style, sessions.get(..SHOWN).unwrap_or(&sessions), now);
    if let Some(session) = &chosen {
        text.push_str(&format!("\n{}\n", style.head(&format!("Session {}", session.key.id))));
        let entries_used = format!("{} of {}", session.entries, most.entries);
        let bytes_used = format!("{} of {}", ui::size(session.bytes), ui::size(most.session_bytes));
        text.push_str(&format!("  entries  {}  {entries_used}\n", ui::used(style, session.entries, most.entries)));
        text.push_str(&format!("  size     {}  {bytes_used}\n", ui::used(style, session.bytes, most.session_bytes)));
        if !entries.is_empty() {
            text.push_str(&format!("\n{}", entries_text(style, &entries, now)));
        }
    }
    text.push_str(&health_text(style, &stats));
    Ok(Report::done(data, text))
}
