//! `memory stats`: counts over a period. Never writes.

use serde_json::{Value, json};

use super::{many, read, table, unreadable};
use crate::cli::memory::Period;
use crate::error::Result;
use crate::memory::json::millis;
use crate::memory::ring::Phase;
use crate::project::Project;
use crate::report::Report;
use crate::system::env::Env;
use crate::terminal::ui;

const DAY: i64 = 86_400_000;

pub(super) fn stats(env: &Env, project: &Project, period: Period) -> Result<Report> {
    let memory = read(project)?;
    let now = env.now().as_millisecond();
    let since = period.days().map_or(i64::MIN, |days| now.saturating_sub(days * DAY));
    let (statuses, errors) = memory.outcomes(since).map_err(unreadable)?;
    let mut phases = memory.durations(since).map_err(unreadable)?;
    phases.sort_by_key(|(name, ..)| name.parse::<Phase>().map_or(usize::MAX, Phase::index));
    let counted = memory.counted(since).map_err(unreadable)?;
    let runs: u64 = statuses.values().sum();
    let data = json!({
        "period": period.word(),
        "since": period.days().map(|_| millis(since)),
        "runs": runs,
        "outcomes": statuses,
        "errors": errors,
        "phases": phases.iter().map(|(phase, runs, mean, most)| {
            json!({ "phase": phase, "runs": runs, "mean_ms": mean, "longest_ms": most })
        }).collect::<Vec<Value>>(),
        "stores": counted.iter().map(|(store, kind, count)| {
            json!({ "store": store, "kind": kind, "count": count })
        }).collect::<Vec<Value>>(),
    });
    let style = env.style;
    let said = match period {
        Period::All => "All time".to_owned(),
        other => format!("The last {}", other.word()),
    };
    let mut text = format!("{}\n", style.head(&format!("{said}: {}", many(runs, "run"))));
    let whole = usize::try_from(runs).unwrap_or(usize::MAX);
    for (status, count) in &statuses {
        let part = usize::try_from(*count).unwrap_or(usize::MAX);
        text.push_str(&format!("  {status:<10} {} {count}\n", ui::bar(style, part, whole, 20)));
    }
    if !errors.is_empty() {
        let rows = errors.iter().map(|(code, count)| row![code, count]);
        text.push_str(&format!("\n{}", ui::table(style, &["ERROR", "RUNS"], rows)));
    }
    if !phases.is_empty() {
        let headings = ["PHASE", "RUNS", "MEAN", "LONGEST"];
        let phases = table(style, &headings, &phases, |(phase, runs, mean, most)| {
            row![phase, runs, ui::lasting(*mean), ui::lasting(*most)]
        });
        text.push_str(&format!("\n{phases}"));
    }
    if !counted.is_empty() {
        let rows = counted.iter().map(|(store, kind, count)| row![store, kind, count]);
        text.push_str(&format!("\n{}", ui::table(style, &["STORE", "WHAT", "COUNT"], rows)));
    }
    Ok(Report::done(data, text))
}
