//! The sources of a turn: the constitution, the skills on disk and the memory, read only.

mod skills;

use jiff::Timestamp;

use super::fifo::{Message, Role, sqlite as fifo};
use super::turn::{
    Agenda, Capability, Conversation, Excerpt, Fact, GoalPriority, GoalStatus, Identity, Mandate, Mode, Outcome,
    PastTurn, Pending, PreviousTurn, Progress, Question, Request, SessionNote, Setup, Sources,
};
use super::{Memory, Pattern, Run, TurnRecord};
use crate::registry::{self, Parsed, Registry, constitution};
use crate::skill::ranking::Terms;
use crate::system::input;

pub use skills::{InstalledSkill, fact_key, fact_text};

const PAST: usize = 10;
/// How many runs are searched for the end of a conversation.
const KEPT_RUNS: usize = 50;
/// How many excerpts of conversations are used, and the length of each in characters.
const EXCERPTS: usize = 3;
const EXCERPT: usize = 200;
/// The least similarity of two descriptions of the same thing.
const SAME_THING: f64 = 0.8;

pub struct TurnInputs<'a> {
    pub project: &'a crate::project::Project,
    pub settings: &'a crate::config::Settings,
    pub clients: &'a [String],
    pub memory: Option<&'a Memory>,
    pub templates: Vec<String>,
    /// The run the turn belongs to; it is left out of its own context.
    pub run: Option<&'a str>,
    pub setup: Setup,
    pub session: &'a [SessionNote],
    pub seen: &'a crate::project::inventory::Seen,
    pub skills: std::cell::OnceCell<Vec<InstalledSkill>>,
}

impl TurnInputs<'_> {
    /// The installed skills, read once.
    pub fn skills(&self) -> &[InstalledSkill] {
        self.skills.get_or_init(|| skills::here(self.project, &self.settings.targets, self.seen))
    }

    /// Everything the turn is initialised from; each source is read when its phase comes.
    pub fn sources(&self) -> Sources<'_> {
        Sources {
            setup: self.setup.clone(),
            identity: Box::new(|| identity(self)),
            agenda: Box::new(|| self.agenda()),
            conversation: Box::new(|| self.conversation()),
            episodes: Box::new(|| self.remembered(Memory::episodes)),
            facts: Box::new(|| self.facts()),
            observations: Box::new(|| self.remembered(Memory::observations)),
            session: self.session.to_vec(),
        }
    }

    /// Reads from the memory; empty without one.
    fn remembered<T: Default>(&self, read: impl FnOnce(&Memory) -> anyhow::Result<T>) -> Result<T, String> {
        self.memory.map_or_else(|| Ok(T::default()), |memory| read(memory).map_err(|error| format!("{error:#}")))
    }

    fn runs(&self, most: usize) -> Result<Vec<Run>, String> {
        let mut runs = self.remembered(|memory| memory.runs(most + 1))?;
        runs.retain(|run| Some(run.run_id.as_str()) != self.run);
        runs.truncate(most);
        Ok(runs)
    }

    fn agenda(&self) -> Result<Agenda, String> {
        let mut goals = self.remembered(Memory::goals)?;
        goals.retain(|goal| goal.status == GoalStatus::Active);
        let runs = self.runs(50)?;
        let mut pending: Vec<Pending> = runs.iter().filter_map(waits).collect();
        pending.extend(input::outdated_templates(self.project).into_iter().map(|(name, version)| Pending {
            id: format!("template-{name}"),
            text: format!("template `{name}` was written for hefesto {version}; compare it with the built-in one"),
            source: ".hefesto/templates".into(),
            priority: GoalPriority::Low,
            at: self.setup.now,
        }));
        let mut open: Vec<&InstalledSkill> = self.skills().iter().filter(|skill| !skill.questions.is_empty()).collect();
        open.sort_by(|a, b| b.changed.cmp(&a.changed).then_with(|| a.name.cmp(&b.name)));
        let questions = open.iter().flat_map(|skill| {
            skill.questions.iter().enumerate().map(|(at, text)| Question {
                id: format!("{}-{at}", skill.name),
                text: format!("{}: {text}", skill.name),
                source: format!("{}/SKILL.md", skill.place),
            })
        });
        let questions = questions.take(3).collect();
        Ok(Agenda { goals, pending, questions, progress: self.progress(&runs)? })
    }

    fn progress(&self, runs: &[Run]) -> Result<Progress, String> {
        let turns = self.remembered(|memory| memory.turns(2))?;
        let other = |turn: &&TurnRecord| turn.turn_id != self.setup.turn_id;
        let Some(last) = turns.iter().find(other) else { return Ok(Progress::default()) };
        let since = last.started_at;
        let mut progress = Progress::default();
        for run in runs.iter().filter(|run| run.status == "done") {
            let ended = run.ended_at.as_deref().map(millis).unwrap_or_default();
            // Runs are stamped to the second.
            if ended < since - since.rem_euclid(1000) {
                continue;
            }
            let what =
                run.skill.as_ref().map_or_else(|| run.command.clone(), |skill| format!("{} {skill}", run.command));
            if run.command == "create" { progress.completed.push(what) } else { progress.updated.push(what) }
        }
        let made = |name: &str| runs.iter().any(|run| run.skill.as_deref() == Some(name));
        let new = self.skills().iter().filter(|skill| skill.changed > since && !skill.ours && !made(&skill.name));
        progress.new = new.map(|skill| format!("skill {}", skill.name)).take(3).collect();
        Ok(progress)
    }

    fn conversation(&self) -> Result<Conversation, String> {
        let own = self.run.map(fifo::id_of);
        let recent = self.remembered(|memory| memory.recent_conversations(PAST + 1))?;
        let others = recent.into_iter().filter(|one| Some(&one.conversation_id) != own.as_ref());
        let runs = self.runs(KEPT_RUNS)?;
        let recent = others.take(PAST).map(|one| {
            let run = runs.iter().find(|run| one.conversation_id == fifo::id_of(&run.run_id));
            let ended = run.map_or("noted", |run| how(&run.status)).to_owned();
            let outcome = one.summary.unwrap_or_else(|| ended.clone());
            PastTurn { id: one.conversation_id, at: one.created_at, asked: one.title, outcome, ended }
        });
        let parent = self.setup.parent_turn_id.as_deref();
        let turns = if parent.is_some() { self.remembered(|memory| memory.turns(50))? } else { Vec::new() };
        let previous = turns.into_iter().find(|turn| Some(turn.turn_id.as_str()) == parent);
        let capacity = self.settings.fifo_capacity.value;
        Ok(Conversation {
            recent: recent.collect(),
            excerpts: self.remembered(|memory| excerpts(memory, &self.setup.asked, capacity))?,
            previous: previous.map(|turn| PreviousTurn {
                pending: vec![format!("its run was {}", turn.status)],
                errors: turn.warnings,
                turn_id: turn.turn_id,
            }),
        })
    }

    /// The known facts: the skills on disk, and remembered skills and patterns. A skill on disk is at least as new as
    /// its remembered fact; facts about deleted skills are left out.
    fn facts(&self) -> Result<Vec<Fact>, String> {
        let remembered = self.remembered(Memory::facts)?;
        let mut facts: Vec<Fact> = Vec::new();
        for skill in self.skills() {
            let fact = skill.fact();
            let known = remembered.iter().find(|known| known.key == fact.key);
            let (version, updated_at, access_count) = known.map_or((1, fact.updated_at, 0), |known| {
                let version = known.version + u32::from(known.text != fact.text);
                (version, fact.updated_at.max(known.updated_at), known.access_count)
            });
            facts.extend(skill.others.iter().map(|(place, text)| Fact {
                source: place.clone(),
                text: text.clone(),
                updated_at: i64::MIN,
                ..fact.clone()
            }));
            facts.extend(known.cloned());
            facts.push(Fact { version, updated_at, access_count, ..fact });
        }
        facts.extend(remembered.into_iter().filter(|known| !known.key.starts_with("skill:")));
        let fact = |key, text, source: &str, importance, updated_at| {
            let source = source.to_owned();
            Fact { key, version: 1, text, source, importance, updated_at, access_count: 0 }
        };
        facts.extend(self.remembered(Memory::answers)?.into_iter().map(|one| {
            let text = format!("as you answered for `{}`: {} = {}", one.skill, one.key, one.text);
            fact(format!("answer:{}", one.id), text, "memory.db answers", 0.7, one.at)
        }));
        facts.extend(self.remembered(Memory::patterns)?.into_iter().map(|Pattern { kind, key, count, last_seen }| {
            let text = format!("{kind} {key} occurred {count} times");
            fact(format!("pattern:{kind}:{key}"), text, "memory.db patterns", 0.4, last_seen)
        }));
        Ok(facts)
    }
}

/// Excerpts of conversations about the same subject, except those of hefesto's own runs.
pub fn excerpts(memory: &Memory, asked: &str, capacity: usize) -> anyhow::Result<Vec<Excerpt>> {
    let request = Request::of(asked);
    if request.is_empty() {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    for one in memory.recent_conversations(capacity)? {
        if one.conversation_id.starts_with(&fifo::id_of("")) {
            continue;
        }
        let said = memory.messages(&one.conversation_id)?;
        let fits = |message: &&Message| message.role != Role::System && request.bears(&message.content);
        let Some(message) = said.iter().rfind(fits) else { continue };
        let line = message.content.split_whitespace().collect::<Vec<_>>().join(" ");
        found.push(Excerpt {
            id: one.conversation_id,
            title: one.title,
            at: message.timestamp,
            by: message.role.to_string(),
            text: line.chars().take(EXCERPT).collect(),
        });
        if found.len() == EXCERPTS {
            break;
        }
    }
    Ok(found)
}

/// The last attempt at the same thing, if it failed and has not succeeded since.
pub fn failed_before(memory: &Memory, description: &str) -> anyhow::Result<Option<crate::memory::turn::Episode>> {
    let wanted = Terms::of(description);
    let episodes = memory.episodes()?;
    let last = episodes.into_iter().find(|one| wanted.cosine(&Terms::of(&one.subject)) >= SAME_THING);
    Ok(last.filter(|one| one.kind == Outcome::Failed))
}

/// The mode of a run: driven by a person, a job or another program, or resumed.
pub fn mode(resumed: bool, person: bool, ci: bool) -> Mode {
    match (resumed, person, ci) {
        (true, ..) => Mode::Resume,
        (_, true, _) => Mode::Interactive,
        (_, _, true) => Mode::Ci,
        _ => Mode::Agent,
    }
}

fn how(status: &str) -> &str {
    match status {
        "paused" => "waiting",
        "running" => "under way",
        "dry_run" => "dry run",
        other => other,
    }
}

/// A pending action: a run that waits, is running, or was refused and not repeated since.
fn waits(run: &Run) -> Option<Pending> {
    let about = run.skill.as_ref().map(|skill| format!(" for `{skill}`")).unwrap_or_default();
    let short = &run.run_id;
    let (text, priority) = match (run.status.as_str(), run.error.as_deref()) {
        ("paused", _) => (format!("run {short}{about} waits: `hefesto resume {short}`"), GoalPriority::High),
        ("running", _) => (format!("run {short}{about} is under way"), GoalPriority::Medium),
        ("failed", Some("E-CREATE-005")) => {
            (format!("run {short}{about} failed validation: correct it and create it again"), GoalPriority::Medium)
        }
        _ => return None,
    };
    let (id, at) = (run.run_id.clone(), millis(&run.started_at));
    Some(Pending { id, text, source: "memory.db runs".into(), priority, at })
}

/// An RFC 3339 time in milliseconds UTC; 0 if it is invalid.
pub fn millis(time: &str) -> i64 {
    time.parse::<Timestamp>().map_or(0, Timestamp::as_millisecond)
}

/// Phase 2 of a turn: the constitution of the project, the CLIs, the templates.
fn identity(here: &TurnInputs<'_>) -> Result<Identity, String> {
    let (source, text) = if here.project.exists("CONSTITUTION.md") {
        let file = here.project.rooted("CONSTITUTION.md").map_err(|error| error.to_string())?;
        ("CONSTITUTION.md", input::read_text(&file).map_err(|error| error.message())?)
    } else {
        ("the embedded constitution", constitution::EMBEDDED.to_owned())
    };
    let mandates = text.lines().filter_map(mandate).collect();
    Ok(Identity {
        source: source.to_owned(),
        version: constitution::check(&text).version,
        mandates,
        capabilities: capabilities(here),
    })
}

/// The rule named by a heading of the constitution, if any.
fn mandate(line: &str) -> Option<Mandate> {
    let (id, title) = line.trim_start_matches('#').trim().split_once(": ")?;
    let rule = line.starts_with('#') && (id.starts_with("T0-HEFESTO-") || id.starts_with("T1-HEFESTO-"));
    rule.then(|| Mandate { id: id.replace("HEFESTO-", ""), title: title.trim().to_owned() })
}

fn capabilities(here: &TurnInputs<'_>) -> Vec<Capability> {
    let bytes = here.project.head("MEMORY.md", registry::MAX_BYTES).ok();
    let registry = match bytes.as_deref().map(Registry::parse) {
        Some(Parsed::Good(registry)) => Some(registry),
        _ => None,
    };
    let clis = here.clients.iter().map(|id| Capability {
        name: id.clone(),
        version: registry.as_ref().and_then(|registry| registry.cli(id)?.version.clone()),
    });
    let templates = here.templates.iter().map(|name| Capability {
        name: format!("template {name}"),
        version: (name == "base").then(|| env!("CARGO_PKG_VERSION").to_owned()),
    });
    clis.chain(templates).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rules_are_the_headings_of_the_constitution() {
        let rules: Vec<Mandate> = constitution::EMBEDDED.lines().filter_map(mandate).collect();
        assert!(rules.iter().filter(|rule| rule.id.starts_with("T0-")).count() == constitution::T0.len());
        assert_eq!(rules[1], Mandate { id: "T0-02".into(), title: "Human gate".into() });
        assert_eq!(mandate("T0-HEFESTO-02: not a heading"), None);
    }
}
