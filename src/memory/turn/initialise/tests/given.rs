//! The sources of the cases: all give something, one may fail, a phase may begin after the deadline.

use std::cell::Cell;
use std::rc::Rc;

use super::super::*;
use crate::memory::turn::goal::{Goal, GoalPriority};
use crate::memory::turn::long::{Episode, Fact, Outcome as Came};
use crate::memory::turn::observation::{Observation, ObservationKind};
use crate::memory::turn::source::{Agenda, Capability, Conversation, Identity, Load, Mandate, Mode, PastTurn, Pending};

pub(super) const NOW: i64 = 1_770_000_000_000;
pub(super) const ASKED: &str = "Extract tables from PDF files";

pub(super) fn setup(total: usize) -> Setup {
    Setup {
        turn_id: "t1".into(),
        agent_id: "hefesto".into(),
        user_id: "user".into(),
        parent_turn_id: None,
        mode: Mode::Interactive,
        asked: ASKED.into(),
        now: NOW,
        total,
    }
}

pub(super) fn mind() -> Identity {
    Identity {
        source: "CONSTITUTION.md".into(),
        version: Some("1.1.0".into()),
        mandates: vec![Mandate { id: "T0-HEFESTO-02".into(), title: "Human gate".into() }],
        capabilities: vec![Capability { name: "claude".into(), version: Some("2.1".into()) }],
    }
}

pub(super) fn wishes() -> Agenda {
    let (priority, source) = (GoalPriority::High, "memory.db runs".into());
    Agenda {
        goals: vec![Goal {
            id: "g1".into(),
            text: "cover every PDF job".into(),
            priority,
            created: NOW,
            ..Goal::default()
        }],
        pending: vec![Pending { id: "r9".into(), text: "run r9 waits at the gate".into(), source, priority, at: NOW }],
        ..Agenda::default()
    }
}

pub(super) fn past() -> Conversation {
    let (id, asked, outcome, ended) = ("r1".into(), "Review code".into(), "made".into(), "done".into());
    Conversation { recent: vec![PastTurn { id, at: NOW, asked, outcome, ended }], ..Conversation::default() }
}

pub(super) fn episode(id: &str, text: &str, hours_ago: i64) -> Episode {
    let (run_id, subject, phase, at) = (id.into(), text.into(), "finish".into(), NOW - hours_ago * 3_600_000);
    let (kind, text, skill, error_code, cure) = (Came::Done, text.into(), None, None, None);
    Episode { run_id, kind, subject, text, skill, error_code, phase, cure, importance: 0.6, at }
}

pub(super) fn fact(name: &str, text: &str, source: &str, at: i64) -> Fact {
    let (key, text, source) = (format!("skill:{name}"), text.into(), source.into());
    Fact { key, version: 1, text, source, importance: 0.6, updated_at: at, access_count: 0 }
}

pub(super) fn noticed() -> Observation {
    Observation {
        id: "o1".into(),
        kind: ObservationKind::RiskAlert,
        content: "scans in PDF files have no text layer".into(),
        source: "user".into(),
        created_at: NOW,
        expires_at: NOW + 1,
        ..Observation::default()
    }
}

/// Sources that all give something; one of them may fail.
pub(super) fn sources(total: usize, failing: u32) -> Sources<'static> {
    told(total, failing, &Rc::default())
}

/// [`sources`] of which each tells the number of its phase when it is read.
fn told(total: usize, failing: u32, begun: &Rc<Cell<u32>>) -> Sources<'static> {
    let load = (failing, begun);
    fn from<T: 'static>((failing, begun): (u32, &Rc<Cell<u32>>), number: u32, value: T) -> Load<'static, T> {
        let begun = Rc::clone(begun);
        Box::new(move || {
            begun.set(number);
            if number == failing { Err("the disk is gone".into()) } else { Ok(value) }
        })
    }
    let episodes =
        vec![episode("e1", "Made `extract-pdf-text` from PDF files", 1), episode("e2", "Made `review-code`", 0)];
    let facts = vec![fact("extract-pdf-text", "extract-pdf-text: extracts text from PDF files", "disk", NOW)];
    Sources {
        setup: setup(total),
        identity: from(load, 2, mind()),
        agenda: from(load, 3, wishes()),
        conversation: from(load, 4, past()),
        episodes: from(load, 5, episodes),
        facts: from(load, 6, facts),
        observations: from(load, 7, vec![noticed()]),
        session: Vec::new(),
    }
}

pub(super) fn still(sources: Sources<'_>) -> Initialised {
    initialise(sources, &mut || 0).unwrap()
}

pub(super) fn statuses(turn: &Initialised) -> Vec<&str> {
    turn.trace.spans.iter().map(|span| span.status.as_str()).collect()
}

pub(super) fn parts(turn: &Initialised) -> Vec<Part> {
    let all = turn.context.fragments.iter().map(|fragment| fragment.part);
    all.filter(|part| Part::LOADED.contains(part)).collect()
}

/// Sources, and a clock by which the deadline has passed when this phase begins.
pub(super) fn late_from(phase: u32) -> (Sources<'static>, impl FnMut() -> u64) {
    // A load tells that its phase began; what comes before the first load is phase 1.
    let begun = Rc::new(Cell::new(1));
    // The phase before took a second and a half.
    (told(4000, 0, &begun), move || if begun.get() + 1 >= phase { 1_500_000 } else { 10 })
}
