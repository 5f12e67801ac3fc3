//! `memory inspect turn` and `memory inspect long`: what runs were told, and what stays of them.

use serde_json::{Value, json};

use super::looked_into;
use super::turn::{goal_json, noted, observation_json, row_json, share, table, when};
use crate::error::{Code, Coded, Result};
use crate::memory::turn::{ACTIVE, EPISODES, Episode, FACTS, Fact};
use crate::project::Project;
use crate::report::Report;
use crate::system::env::Env;
use crate::terminal::ui;

/// What the memory that cannot be read is called.
const UNREADABLE: &str = "the memory cannot be read";
/// How many rows of each the screen shows; the JSON answer has them all.
const SHOWN: usize = 10;

/// Runs `hefesto memory inspect turn`.
///
/// # Errors
/// E-IO-001 when the database cannot be read.
pub(super) fn turns(env: &Env, project: &Project) -> Result<Report> {
    let now = env.now().as_millisecond();
    let memory = looked_into(project)?;
    let turns = match &memory {
        Some(memory) => memory.turns(SHOWN).coded(Code::Io, UNREADABLE)?,
        None => Vec::new(),
    };
    let (page, goals) = memory.as_ref().map(|memory| noted(memory, now)).transpose()?.unwrap_or_default();
    let data = json!({
        "turns": turns.iter().map(row_json).collect::<Vec<_>>(),
        "observations": page.iter().map(observation_json).collect::<Vec<_>>(),
        "goals": goals.iter().map(goal_json).collect::<Vec<_>>(),
    });
    let mut text = table(env, &turns);
    text.push_str(&format!("\n{}  {} of {ACTIVE}\n", env.style.head("Scratch page"), page.len()));
    for one in &page {
        let line = format!("  {}: {}\n", one.kind.word(), crate::skill::printable(&one.content));
        text.push_str(&env.style.fold(&line, 2));
    }
    text.push_str(&format!("\n{}\n", env.style.head("Goals")));
    for goal in &goals {
        let line = format!("{} ({}): {}", goal.kind.word(), goal.priority.word(), goal.text);
        text.push_str(&env.style.fold(&format!("  {}\n", crate::skill::printable(&line)), 2));
    }
    if goals.is_empty() {
        text.push_str("  nothing is noted\n");
    }
    Ok(Report::done(data, text))
}

/// Runs `hefesto memory inspect long`.
///
/// # Errors
/// E-IO-001 when the database cannot be read.
pub(super) fn long(env: &Env, project: &Project) -> Result<Report> {
    let memory = looked_into(project)?;
    let (episodes, facts, patterns) = match &memory {
        Some(memory) => (
            memory.episodes().coded(Code::Io, UNREADABLE)?,
            memory.facts().coded(Code::Io, UNREADABLE)?,
            memory.long_patterns().coded(Code::Io, UNREADABLE)?,
        ),
        None => Default::default(),
    };
    let data = json!({
        "episodes": episodes.iter().map(episode_json).collect::<Vec<_>>(),
        "facts": facts.iter().map(fact_json).collect::<Vec<_>>(),
        "patterns": patterns
            .iter()
            .map(|one| json!({ "kind": one.kind, "key": one.key, "count": one.count, "last_seen": when(one.last_seen) }))
            .collect::<Vec<_>>(),
        "limits": { "episodes": EPISODES, "facts": FACTS },
    });
    let (style, now) = (env.style, env.now().as_millisecond());
    let full = |name: &str, held: usize, most: usize| {
        format!("{}  {} {held} of {most}\n", style.head(name), ui::bar(style, held, most, 16))
    };
    let mut text = full("Episodes", episodes.len(), EPISODES);
    let rows: Vec<Vec<String>> = episodes
        .iter()
        .take(SHOWN)
        .map(|one| {
            vec![ui::ago(now, one.at), one.kind.word().to_owned(), share(one.importance).to_string(), one.text.clone()]
        })
        .collect();
    text.push_str(&ui::table(style, &["WHEN", "OUTCOME", "IMPORTANCE", "WHAT"], &rows));
    text.push('\n');
    text.push_str(&full("Facts", facts.len(), FACTS));
    let rows: Vec<Vec<String>> = facts
        .iter()
        .take(SHOWN)
        .map(|one| vec![one.key.clone(), one.version.to_string(), one.access_count.to_string(), one.text.clone()])
        .collect();
    text.push_str(&ui::table(style, &["KEY", "VERSION", "TOLD", "WHAT"], &rows));
    if !patterns.is_empty() {
        let rows: Vec<Vec<String>> = patterns
            .iter()
            .take(SHOWN)
            .map(|one| vec![one.kind.clone(), one.key.clone(), one.count.to_string(), ui::ago(now, one.last_seen)])
            .collect();
        text.push_str(&format!("\n{}\n", style.head("Patterns")));
        text.push_str(&ui::table(style, &["KIND", "KEY", "COUNT", "LAST SEEN"], &rows));
    }
    Ok(Report::done(data, text))
}

fn episode_json(one: &Episode) -> Value {
    json!({
        "run_id": one.run_id,
        "kind": one.kind,
        "subject": one.subject,
        "text": one.text,
        "skill": one.skill,
        "error_code": one.error_code,
        "phase": one.phase,
        "cure": one.cure,
        "importance": share(one.importance),
        "at": when(one.at),
    })
}

fn fact_json(one: &Fact) -> Value {
    json!({
        "key": one.key,
        "version": one.version,
        "text": one.text,
        "source": one.source,
        "importance": share(one.importance),
        "updated_at": when(one.updated_at),
        "access_count": one.access_count,
    })
}
