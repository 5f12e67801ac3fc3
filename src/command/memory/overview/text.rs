//! The overview as text, at eighty columns, with or without colour.

use serde_json::Value;

use crate::command::memory::many;
use crate::command::memory::stm::level;
use crate::memory::ring::{CAPACITY, Phase};
use crate::memory::{PhaseRecord, Run, Status, Usage};
use crate::skill::printable;
use crate::terminal::ui::{self, Style};

const BAR: usize = 16;
const SHOWN: usize = 160;

impl super::Overview {
    /// The whole screen, as of `now` (milliseconds UTC).
    pub(super) fn text(&self, style: Style, now: i64) -> String {
        let Some(run) = &self.view.run else {
            let mut text = self.typed("No runs yet. `hefesto create` makes the first one.\n");
            text.push_str(&self.health(style));
            return text;
        };
        let newer = self.lost.iter().map(|lost| style.fold(&format!("{} {lost}\n\n", style.mark()), 2));
        let story = [newer.collect(), self.story(style, run, now), self.course(style), self.facts(style)];
        let state = [self.stores_text(style), self.limits_text(style), self.health(style)];
        story.concat() + &state.concat()
    }

    fn story(&self, style: Style, run: &Run, now: i64) -> String {
        let verdict = self.verdict(run);
        let ended = run.ended_at.as_deref().or(Some(&run.started_at)).and_then(|at| at.parse::<jiff::Timestamp>().ok());
        let when = ended.map(|at| format!(", {}", ui::ago(now, at.as_millisecond()))).unwrap_or_default();
        let place = verdict.stopped_in.map(|phase| format!(" in {phase} {}", phase.name())).unwrap_or_default();
        let stands = if self.dead { "died" } else { run.status.as_str() };
        let title = format!("Run {}: {stands}{place}{when}", run.run_id);
        let mut text = style.fold(&format!("{}\n", style.head(&title)), 2);
        let mut line = |name: &str, value: Option<&str>| {
            if let Some(value) = value {
                // What happened and the remedy are never cut: they are why the screen is read.
                let value = if matches!(name, "what" | "do") { value.to_owned() } else { brief(value) };
                let said = format!("  {name:<9}{}\n", printable(&value));
                text.push_str(&style.fold(&said, 9));
            }
        };
        line("command", Some(&run.command));
        let withheld = run.description.as_deref().and_then(|asked| asked.strip_prefix("[REDACTED:")?.strip_suffix(']'));
        let withheld = withheld.map(|rule| format!("(withheld: refused under {rule}, and so not kept)"));
        line("asked", withheld.as_deref().or(run.description.as_deref()));
        line("skill", run.skill.as_deref());
        line("for", run.targets.as_deref());
        line("draft", self.draft().as_deref());
        line("error", verdict.code.as_deref());
        line("what", verdict.what.as_deref());
        line("do", verdict.cure.as_deref());
        for next in &verdict.next {
            line("then", Some(next));
        }
        text
    }

    /// Who wrote the text, if an AI CLI was asked to.
    fn draft(&self) -> Option<String> {
        let state: Value = serde_json::from_str(&self.view.lane.memory.get_state(Phase::Generate).ok()?.data).ok()?;
        let written = state["drafted_by"].as_str().map(|by| format!("written by {by}"));
        written.or_else(|| Some(format!("none, the assembled text is used: {}", state["draft_failed"].as_str()?)))
    }

    /// The phases: the result, duration and data of each.
    fn course(&self, style: Style) -> String {
        let memory = &self.view.lane.memory;
        let run = self.view.run.as_ref();
        let stopped = run.and_then(|run| self.verdict(run).stopped_in).filter(|_| self.dead);
        let waits = run.is_some_and(|run| run.status == Status::Paused.word());
        let word = |phase: Phase, passed: Option<&PhaseRecord>| match passed {
            _ if stopped == Some(phase) => "died".to_owned(),
            Some(one) if waits && one.status == "declined" => "waits".to_owned(),
            Some(one) => one.status.clone(),
            None => "done".to_owned(),
        };
        let row = |phase: &Phase| {
            let passed = self.phases.iter().find(|one| one.phase == phase.name());
            let slot = memory.slot_of(*phase);
            if passed.is_none() && slot.is_none() && stopped != Some(*phase) {
                return None;
            }
            let size = memory.get_state(*phase).ok().map(|state| ui::size(state.data.len() as u64));
            let took = passed.map(|one| ui::lasting(one.ms)).unwrap_or_default();
            let slot = slot.map(|slot| slot.to_string()).unwrap_or_default();
            let name = format!("{phase} {}", phase.name());
            Some([name, word(*phase, passed), took, slot, size.unwrap_or_default()])
        };
        let mut rows = Phase::ALL.iter().filter_map(row).peekable();
        if rows.peek().is_none() {
            return String::new();
        }
        format!("\n{}", ui::table(style, &["PHASE", "STATUS", "TOOK", "SLOT", "DATA"], rows))
    }

    /// The data the run worked with, from the sliding windows.
    fn facts(&self, style: Style) -> String {
        let mut text = String::new();
        for (name, fields) in self.windows.named() {
            let known: Vec<String> = fields
                .iter()
                .filter(|(field, _)| !matches!(field.as_str(), "raw_input" | "input_hash" | "parsed_at"))
                .filter_map(|(field, value)| one_line(value).map(|value| (field, value)))
                .map(|(field, value)| style.fold(&format!("  {field:<22}{}\n", printable(&value)), 22))
                .collect();
            if !known.is_empty() {
                text.push_str(&format!("\n{}\n{}", style.head(&format!("Window: {name}")), known.concat()));
            }
        }
        text
    }

    fn stores_text(&self, style: Style) -> String {
        let mut text = format!("\n{}\n", style.head("Stores"));
        let mut line = |name: &str, value: String| {
            text.push_str(&style.fold(&format!("  {name:<6}{}\n", printable(&value)), 6));
        };
        let memory = &self.view.lane.memory;
        let bar = |part: usize, whole: usize| ui::bar(style, part, whole, BAR);
        let (used, lane, head) = (memory.used().count(), memory.lane, memory.write_head);
        line("ring", format!("{} {used} of {CAPACITY} slots, lane {lane}, next {head}", bar(used, CAPACITY)));
        match &self.session {
            Some(one) => {
                let entries = many(one.entries, "entry");
                line("stm", format!("session {} open, {entries}, {}", one.key.id, ui::size(one.bytes)));
            }
            None => line("stm", "no session of this run is open".into()),
        }
        if let Some(queue) = self.limits.iter().find(|one| one.store == "fifo") {
            let (used, limit) = (usize::try_from(queue.used).unwrap_or(0), usize::try_from(queue.limit).unwrap_or(0));
            let last =
                self.last_said.as_deref().map(|said| format!("; last said: {}", brief(said))).unwrap_or_default();
            line("fifo", format!("{} {used} of {limit} conversations{last}", bar(used, limit)));
        }
        for dag in self.epoch.iter().flat_map(|(_, dags)| dags) {
            let done = format!("{} of {} nodes done", dag.completed_count, dag.total_nodes);
            let failed = match dag.failed_node_ids.as_slice() {
                [] => String::new(),
                some => format!(", failed: {}", some.join(", ")),
            };
            line("ooda", format!("{} {}: {done}{failed}", bar(dag.completed_count, dag.total_nodes), dag.dag_id));
        }
        if let Some((turn, loaded, total)) = &self.turn {
            line("turn", format!("{} {loaded} of {total} tokens, turn {turn}", bar(*loaded, *total)));
        }
        let count = |what: &str, word: &str| {
            many(self.limits.iter().find(|one| one.what == what).map_or(0, |one| one.used), word)
        };
        let (episodes, facts) = (count("episodes", "episode"), count("facts", "fact"));
        line("long", format!("{episodes}, {facts}, {}", count("patterns", "pattern")));
        text
    }

    fn limits_text(&self, style: Style) -> String {
        let shown = |one: &Usage, n: u64| if one.what.starts_with("bytes") { ui::size(n) } else { n.to_string() };
        if self.limits.is_empty() {
            return String::new();
        }
        let rows = self.limits.iter().map(|one| {
            let part = usize::try_from(one.used).unwrap_or(usize::MAX);
            let whole = usize::try_from(one.limit).unwrap_or(usize::MAX);
            let said = format!("{} of {}", shown(one, one.used), shown(one, one.limit));
            [one.store.to_owned(), one.what.to_owned(), ui::bar(style, part.min(whole), whole, BAR), said]
        });
        format!("\n{}", ui::table(style, &["STORE", "LIMIT", "", "USED"], rows))
    }

    fn health(&self, style: Style) -> String {
        let mut text = format!("\nHealth: {}\n", level(style, self.level));
        for reason in &self.reasons {
            text.push_str(&style.fold(&format!("  {} {reason}\n", style.mark()), 2));
        }
        text
    }
}

/// A value on one line; `None` for null and empty values.
fn one_line(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::Array(items) if items.is_empty() => None,
        Value::String(text) if text.is_empty() => None,
        Value::String(long) if long.contains('\n') => {
            Some(format!("({} lines, {})", long.lines().count(), ui::size(long.len() as u64)))
        }
        Value::String(line) => Some(brief(line)),
        other => Some(brief(&other.to_string())),
    }
}

fn brief(text: &str) -> String {
    printable::beginning(&text.split_whitespace().collect::<Vec<_>>().join(" "), SHOWN)
}
