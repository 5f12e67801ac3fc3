//! The sources of a turn, each of which may fail alone, and the data they load.

use std::collections::BTreeMap;

use super::bearing::Request;
use super::long::{Episode, Fact};
use super::note::{Goal, GoalKind, GoalPriority, Observation};
use crate::skill::ranking::Terms;
use crate::skill::sentence::{empty, words};

words! {
    Mode {
        Interactive = "interactive",
        Ci = "ci",
        Resume = "resume",
        /// Another program, such as an agent; nobody can be asked.
        Agent = "agent",
    }
}

impl Mode {
    /// What the mode allows and forbids.
    pub fn constraint(self) -> &'static str {
        match self {
            Self::Interactive => "a person approves at the gate",
            Self::Ci => "nobody can be asked; approval only by flag",
            Self::Resume => "takes up a run that waited; the gate asks again",
            Self::Agent => "nobody can be asked; a person or a flag approves",
        }
    }
}

words! {
    Urgency {
        /// A goal is critical, or its day has passed.
        Critical = "critical",
        High = "high",
        Normal = "normal",
    }
}

/// Phase 1: who and when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setup {
    pub turn_id: String,
    pub agent_id: String,
    pub user_id: String,
    pub parent_turn_id: Option<String>,
    pub mode: Mode,
    /// The request, as far as it is known. Never stored.
    pub asked: String,
    pub now: i64,
    pub total: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mandate {
    pub id: String,
    pub title: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Capability {
    /// Its name, such as `claude` or `template base`.
    pub name: String,
    pub version: Option<String>,
}

/// Phase 2: identity, rules, capabilities.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Identity {
    pub source: String,
    pub version: Option<String>,
    pub mandates: Vec<Mandate>,
    pub capabilities: Vec<Capability>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pending {
    pub id: String,
    pub text: String,
    pub source: String,
    pub priority: GoalPriority,
    /// Since when it is pending, milliseconds UTC.
    pub at: i64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    pub id: String,
    pub text: String,
    pub source: String,
}

/// What happened since the last turn.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
pub struct Progress {
    pub completed: Vec<String>,
    pub updated: Vec<String>,
    pub new: Vec<String>,
}

/// Phase 3: goals and pending actions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Agenda {
    pub goals: Vec<Goal>,
    pub pending: Vec<Pending>,
    pub questions: Vec<Question>,
    /// What happened since the last turn.
    pub progress: Progress,
}

impl Agenda {
    pub fn urgency(&self, now: i64) -> Urgency {
        let goals = || self.goals.iter().filter(|goal| goal.kind == GoalKind::Goal);
        if goals().any(|goal| goal.priority == GoalPriority::Critical || goal.overdue(now)) {
            Urgency::Critical
        } else if goals().any(|goal| goal.blocking) || self.pending.iter().any(|one| one.priority <= GoalPriority::High)
        {
            Urgency::High
        } else {
            Urgency::Normal
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PastTurn {
    /// The conversation or run it is.
    pub id: String,
    pub at: i64,
    pub asked: String,
    pub outcome: String,
    pub ended: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt {
    pub id: String,
    pub title: String,
    pub at: i64,
    pub by: String,
    pub text: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionNote {
    pub id: String,
    pub session: String,
    pub kind: NoteKind,
    pub text: String,
    pub at: i64,
}

/// The kind of an entry for the run that joins its session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoteKind {
    /// What the person asked the agent for.
    Input,
    /// What the agent has concluded.
    Reasoning,
    /// Where something is found.
    Reference,
}

/// The rest of the previous turn, if this one continues it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreviousTurn {
    pub turn_id: String,
    pub pending: Vec<String>,
    pub errors: Vec<String>,
}

/// Phase 4: past turns.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Conversation {
    pub recent: Vec<PastTurn>,
    pub previous: Option<PreviousTurn>,
    /// Excerpts about the same subject, most relevant first.
    pub excerpts: Vec<Excerpt>,
}

/// A source: loads in its phase, or returns why it cannot.
pub(super) type Load<'a, T> = Box<dyn FnOnce() -> Result<T, String> + 'a>;

/// Phase 1, and what each of the phases 2 to 7 loads, in their order.
pub struct Sources<'a> {
    pub setup: Setup,
    pub identity: Load<'a, Identity>,
    pub agenda: Load<'a, Agenda>,
    pub conversation: Load<'a, Conversation>,
    pub episodes: Load<'a, Vec<Episode>>,
    /// The facts of every source, before conflicts are resolved.
    pub facts: Load<'a, Vec<Fact>>,
    pub observations: Load<'a, Vec<Observation>>,
    /// The entries of the joined session, oldest first.
    pub session: Vec<SessionNote>,
}

/// A summary of the past turns in one line: the number of each outcome, and the most frequent words. `None` if there
/// are none.
pub(super) fn summary(recent: &[PastTurn]) -> Option<String> {
    if recent.is_empty() {
        return None;
    }
    let mut outcomes: BTreeMap<&str, usize> = BTreeMap::new();
    let mut topics: BTreeMap<String, usize> = BTreeMap::new();
    for turn in recent {
        *outcomes.entry(turn.ended.as_str()).or_default() += 1;
        let mut said: Vec<String> = words(&turn.asked).into_iter().flat_map(|word| word.parts).collect();
        said.retain(|word| !empty(word));
        said.sort();
        said.dedup();
        for word in said {
            *topics.entry(word).or_default() += 1;
        }
    }
    let mut topics: Vec<(String, usize)> = topics.into_iter().collect();
    topics.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let outcomes: Vec<String> = outcomes.iter().map(|(outcome, count)| format!("{count} {outcome}")).collect();
    let topics: Vec<&str> = topics.iter().take(5).map(|topic| topic.0.as_str()).collect();
    let about = if topics.is_empty() { String::new() } else { format!("; topics: {}", topics.join(", ")) };
    Some(format!("last {}: {}{about}", recent.len(), outcomes.join(", ")))
}

/// The words to search the memory by: the request, the goals and the last turn; never stored (TURN-5, TURN-6). Without
/// a request there is no query, and everything is a candidate.
pub(super) fn query(setup: &Setup, request: &Request, agenda: &Agenda, conversation: &Conversation) -> Terms {
    if Terms::of(&setup.asked).is_empty() {
        return Terms::default();
    }
    let of_subject = |goal: &&Goal| request.named_by(&goal.text).is_some();
    let goals = agenda.goals.iter().filter(of_subject).take(2).map(|goal| goal.text.as_str());
    let last = conversation.previous.iter().flat_map(|previous| previous.pending.iter().map(String::as_str));
    // The request counts three times: it is the subject of the search.
    let asked = std::iter::repeat_n(setup.asked.as_str(), 3);
    Terms::of(&asked.chain(goals).chain(last).collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn goal(priority: GoalPriority, due: Option<i64>, blocking: bool) -> Goal {
        Goal { priority, due, blocking, ..Goal::default() }
    }

    #[test]
    fn urgency_follows_from_goals_and_from_what_waits() {
        let of = |goals: Vec<Goal>, pending| Agenda { goals, pending, ..Agenda::default() }.urgency(10);
        let waits =
            |priority| vec![Pending { id: "p".into(), text: "x".into(), source: "runs".into(), priority, at: 0 }];
        assert_eq!(of(vec![goal(GoalPriority::Low, None, false)], waits(GoalPriority::Medium)), Urgency::Normal);
        assert_eq!(of(vec![goal(GoalPriority::Low, None, true)], Vec::new()), Urgency::High);
        assert_eq!(of(Vec::new(), waits(GoalPriority::High)), Urgency::High);
        assert_eq!(of(vec![goal(GoalPriority::Low, Some(9), false)], Vec::new()), Urgency::Critical);
        assert_eq!(of(vec![goal(GoalPriority::Critical, None, false)], Vec::new()), Urgency::Critical);
    }

    #[test]
    fn the_summary_counts_outcomes_and_names_topics() {
        let turn = |asked: &str, ended: &str| {
            let outcome = "`a` (create) for claude".into();
            PastTurn { id: "r".into(), at: 0, asked: asked.into(), outcome, ended: ended.into() }
        };
        let recent = [turn("Extract PDF tables", "done"), turn("Extract PDF text", "failed"), turn("Merge", "done")];
        let said = "last 3: 2 done, 1 failed; topics: extract, pdf, merge, tables, text";
        assert_eq!(summary(&recent).as_deref(), Some(said));
        assert_eq!(summary(&[]), None);
    }
}
