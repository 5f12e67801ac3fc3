//! `memory inspect turn` and `memory inspect long`.

use serde_json::json;

use super::turn::{open_notes, turns_text};
use super::{read, table, unreadable};
use crate::error::Result;
use crate::memory::json::share;
use crate::memory::turn::{ACTIVE, EPISODES, Episode, FACTS};
use crate::project::Project;
use crate::report::Report;
use crate::system::env::Env;
use crate::terminal::ui;

/// How many rows the screen shows; the JSON answer has all.
const SHOWN: usize = 10;

pub(super) fn turns(env: &Env, project: &Project) -> Result<Report> {
    let now = env.now().as_millisecond();
    let memory = read(project)?;
    let turns = memory.turns(SHOWN).map_err(unreadable)?;
    let (page, goals) = open_notes(&memory, now)?;
    let newest = turns.first().map(|turn| memory.explained(turn)).transpose().map_err(unreadable)?;
    let explained = newest.unwrap_or_default();
    let data = json!({ "turns": turns, "in_skill": explained, "observations": page, "goals": goals });
    let mut text = turns_text(env, &turns);
    if !explained.is_empty() {
        text.push_str(&format!("\n{}\n", env.style.head("In the newest skill")));
        for reason in &explained {
            text.push_str(&env.style.fold(&format!("  {}\n", crate::skill::printable(reason)), 2));
        }
    }
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
        text.push_str("  none\n");
    }
    Ok(Report::done(data, text))
}

pub(super) fn long(env: &Env, project: &Project) -> Result<Report> {
    let memory = read(project)?;
    let episodes = memory.episodes().map_err(unreadable)?;
    let facts = memory.facts().map_err(unreadable)?;
    let patterns = memory.patterns().map_err(unreadable)?;
    let limits = json!({ "episodes": EPISODES, "facts": FACTS });
    let data = json!({ "episodes": episodes, "facts": facts, "patterns": patterns, "limits": limits });
    let (style, now) = (env.style, env.now().as_millisecond());
    let full = |name: &str, count: usize, most: usize| {
        format!("{}  {} {count} of {most}\n", style.head(name), ui::bar(style, count, most, 16))
    };
    let mut text = full("Episodes", episodes.len(), EPISODES);
    let episodes = episodes.get(..SHOWN).unwrap_or(&episodes);
    text.push_str(&table(style, &["WHEN", "OUTCOME", "IMPORTANCE", "WHAT"], episodes, |one| {
        row![ui::ago(now, one.at), one.kind, share(one.importance), what(one)]
    }));
    text.push('\n');
    text.push_str(&full("Facts", facts.len(), FACTS));
    let facts = facts.get(..SHOWN).unwrap_or(&facts);
    text.push_str(&table(style, &["KEY", "VERSION", "USED", "WHAT"], facts, |one| {
        row![one.key, one.version, one.access_count, one.text]
    }));
    if !patterns.is_empty() {
        text.push_str(&format!("\n{}\n", style.head("Patterns")));
        let patterns = patterns.get(..SHOWN).unwrap_or(&patterns);
        text.push_str(&table(style, &["KIND", "KEY", "COUNT", "LAST SEEN"], patterns, |one| {
            row![one.kind, one.key, one.count, ui::ago(now, one.last_seen)]
        }));
    }
    Ok(Report::done(data, text))
}

/// An episode, with the remedy of a failed one.
fn what(one: &Episode) -> String {
    one.cure.iter().fold(one.text.clone(), |text, cure| format!("{text} {cure}"))
}
