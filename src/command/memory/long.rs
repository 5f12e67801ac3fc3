//! `memory inspect turn`, `memory inspect long`, and `memory facts`: the facts learned in runs.

use serde_json::json;

use super::turn::{open_notes, turns_text};
use super::{maintenance, read, table, table_or, unreadable};
use crate::cli::memory::{Delete, Facts, Stored};
use crate::error::{Code, Result};
use crate::memory::turn::{ACTIVE, EPISODES, Episode, FACTS, Fact};
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
    text.push_str(&table_or("  none", style, &["WHEN", "OUTCOME", "IMPORTANCE", "WHAT"], episodes, |one| {
        row![ui::ago(now, one.at), one.kind, crate::memory::json::share(one.importance), what(one)]
    }));
    text.push('\n');
    text.push_str(&full("Facts", facts.len(), FACTS));
    let facts = facts.get(..SHOWN).unwrap_or(&facts);
    text.push_str(&table_or("  none", style, &["KEY", "VERSION", "USED", "WHAT"], facts, |one| {
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

pub(super) fn facts(env: &mut Env, project: &Project, command: &Facts, yes: bool) -> Result<Report> {
    match command {
        Facts::List => list(env, project),
        Facts::Forget { id } => {
            let forgotten =
                maintenance::delete(env, project, &Delete { id: id.clone(), store: Some(Stored::Long) }, yes);
            forgotten.map_err(|error| match error.code() {
                Code::NothingOfThatId => error.suggest("`hefesto memory facts list` shows the facts and answers."),
                _ => error,
            })
        }
    }
}

fn list(env: &Env, project: &Project) -> Result<Report> {
    let memory = read(project)?;
    let facts = memory.facts().map_err(unreadable)?;
    let answers = memory.answers().map_err(unreadable)?;
    let data = json!({ "facts": facts, "answers": answers });
    if facts.is_empty() && answers.is_empty() {
        return Ok(Report::done(data, env.spelled("No facts yet; `hefesto create` adds them.\n".into())));
    }
    let (style, now) = (env.style, env.now().as_millisecond());
    let mut text = String::new();
    if !answers.is_empty() {
        let headings = ["ANSWER", "WHEN", "SKILL", "KEY", "TEXT"];
        text.push_str(&table(style, &headings, &answers, |one| {
            row![format!("answer:{}", one.id), ui::ago(now, one.at), one.skill, one.key, one.text]
        }));
    }
    if !facts.is_empty() {
        let gap = if answers.is_empty() { "" } else { "\n" };
        let row = |one: &Fact| row![one.key, ui::ago(now, one.updated_at), one.text];
        text.push_str(&format!("{gap}{}", table(style, &["FACT", "WHEN", "WHAT"], &facts, row)));
    }
    Ok(Report::done(data, text))
}
