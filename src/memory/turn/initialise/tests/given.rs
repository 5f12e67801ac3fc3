//! The sources of the cases: all give something, one may fail, a phase may begin after the deadline.

use std::cell::Cell;
use std::rc::Rc;

use super::super::*;
use crate::memory::turn::goal::{Goal, GoalPriority};
use crate::memory::turn::long::{Episode, Fact, Outcome as Came};
use crate::memory::turn::observation::{Observation, ObservationKind};
use crate::memory::turn::source::{Agenda, Capability, Conversation, Identity, Mandate, Mode, PastTurn, Pending};

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
    Agenda {
        goals: vec![Goal {
            id: "g1".into(),
            text: "cover every PDF job".into(),
            priority: GoalPriority::High,
            created: NOW,
            ..Goal::default()
        }],
        pending: vec![Pending {
            id: "r9".into(),
            text: "run r9 waits at the gate".into(),
            source: "memory.db runs".into(),
            priority: GoalPriority::High,
            at: NOW,
        }],
        ..Agenda::default()
    }
}

pub(super) fn past() -> Conversation {
    let recent = vec![PastTurn {
        id: "r1".into(),
        at: NOW,
        asked: "Review code".into(),
        outcome: "made".into(),
        ended: "done".into(),
    }];
    Conversation { recent, ..Conversation::default() }
}

pub(super) fn episode(id: &str, text: &str, hours_ago: i64) -> Episode {
    Episode {
        run_id: id.into(),
        kind: Came::Done,
        subject: text.into(),
        text: text.into(),
        skill: None,
        error_code: None,
        phase: "finish".into(),
        cure: None,
        importance: 0.6,
        at: NOW - hours_ago * 3_600_000,
    }
}

pub(super) fn fact(name: &str, text: &str, source: &str, at: i64) -> Fact {
    Fact {
        key: format!("skill:{name}"),
        version: 1,
        text: text.into(),
        source: source.into(),
        importance: 0.6,
        updated_at: at,
        access_count: 0,
    }
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
    fn load<T: 'static>(number: u32, failing: u32, value: T) -> crate::memory::turn::source::Load<'static, T> {
        Box::new(move || if number == failing { Err("the disk is gone".into()) } else { Ok(value) })
    }
    let episodes =
        vec![episode("e1", "Made `extract-pdf-text` from PDF files", 1), episode("e2", "Made `review-code`", 0)];
    let facts = vec![fact("extract-pdf-text", "extract-pdf-text: extracts text from PDF files", "disk", NOW)];
    Sources {
        setup: setup(total),
        identity: load(2, failing, mind()),
        agenda: load(3, failing, wishes()),
        conversation: load(4, failing, past()),
        episodes: load(5, failing, episodes),
        facts: load(6, failing, facts),
        observations: load(7, failing, vec![noticed()]),
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
    let begun = Rc::new(Cell::new(1));
    let made = sources(4000, 0);
    // A load tells that its phase began; what comes before the first load is phase 1.
    fn counted<T: 'static>(
        begun: &Rc<Cell<u32>>,
        number: u32,
        load: crate::memory::turn::source::Load<'static, T>,
    ) -> crate::memory::turn::source::Load<'static, T> {
        let begun = Rc::clone(begun);
        Box::new(move || {
            begun.set(number);
            load()
        })
    }
    let counted = Sources {
        setup: made.setup,
        identity: counted(&begun, 2, made.identity),
        agenda: counted(&begun, 3, made.agenda),
        conversation: counted(&begun, 4, made.conversation),
        episodes: counted(&begun, 5, made.episodes),
        facts: counted(&begun, 6, made.facts),
        observations: counted(&begun, 7, made.observations),
        session: Vec::new(),
    };
    // The phase before took a second and a half.
    (counted, move || if begun.get() + 1 >= phase { 1_500_000 } else { 10 })
}
