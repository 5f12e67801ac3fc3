//! `memory stm stats` and `memory inspect stm`: metrics, health, analytics, limits (STM-14, STM-15).

use serde_json::{Value, json};

use super::answer::{entries_text, entry_json, session_json, sessions_text};
use super::when;
use crate::command::memory::many;
use crate::config;
use crate::error::Result;
use crate::memory::json::millis;
use crate::memory::stm::connect::{Sessions, coded};
use crate::memory::stm::{Filter, Level, Measure, Session, Stats, Stm, StmError};
use crate::project::Project;
use crate::report::Report;
use crate::system::env::Env;
use crate::terminal::ui::{self, Style};

const SHOWN: usize = 10;

pub(super) fn stats(env: &mut Env, project: &Project, mut sessions: Sessions, period: &str) -> Result<Report> {
    let now = env.now().as_millisecond();
    let since = now.saturating_sub(when::duration(period)?);
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
    let settings = config::load(env, project)?;
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
