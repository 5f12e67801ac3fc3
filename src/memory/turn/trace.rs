//! The phases of a turn's initialisation, with the time each may take (TURN-13), and its trace: a span for each phase,
//! and events (TURN-11).

use serde::Serialize;

word_enum! {
    InitPhase {
        ContextSetup = "context_setup",
        Identity = "consciousness",
        Goals = "frontal_cortex",
        Conversation = "conversation",
        Episodic = "episodic",
        Semantic = "semantic",
        ScratchPage = "scratch_page",
        Budget = "budget",
        Assembly = "assembly",
        Buffer = "working_memory",
        Finalise = "finalise",
    }
}

impl InitPhase {
    pub fn number(self) -> u32 {
        self as u32 + 1
    }

    /// The time it may take, in milliseconds. Phases 8 to 11 share 200.
    pub fn target_ms(self) -> u64 {
        match self {
            Self::Identity | Self::Goals | Self::Conversation => 100,
            Self::Episodic | Self::Semantic => 150,
            _ => 50,
        }
    }
}

word_enum! {
    SpanStatus {
        Ok = "ok",
        /// Done, but later than its target.
        Late = "late",
        Failed = "failed",
        /// The deadline had passed before it began.
        Skipped = "skipped",
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Span {
    pub seq: u32,
    pub name: String,
    pub start_us: u64,
    pub took_us: u64,
    /// Target in milliseconds; none if a person is waited for.
    pub target_ms: Option<u64>,
    pub status: String,
    pub tokens: u64,
}

word_enum! {
    EventKind {
        Decision = "decision",
        Observation = "observation",
        Error = "error",
        Policy = "policy",
        Summary = "summary",
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Event {
    pub seq: u32,
    pub at_us: u64,
    pub component: String,
    pub kind: String,
    pub message: String,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Trace {
    pub spans: Vec<Span>,
    pub events: Vec<Event>,
}

impl Trace {
    /// Adds an event. Secrets in its message are redacted.
    pub fn event(&mut self, at_us: u64, component: &str, kind: EventKind, message: &str) {
        self.events.push(Event {
            seq: u32::try_from(self.events.len()).unwrap_or(u32::MAX).saturating_add(1),
            at_us,
            component: component.to_owned(),
            kind: kind.word().to_owned(),
            message: crate::rules::secrets::redact(message).0.into_owned(),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eleven_phases_in_order_within_the_total() {
        assert!(InitPhase::ALL.windows(2).all(|pair| pair[0] < pair[1]));
        assert_eq!(InitPhase::ALL.map(InitPhase::number), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
        let last: u64 = InitPhase::ALL[7..].iter().map(|phase| phase.target_ms()).sum();
        assert_eq!(last, 200);
        assert!(InitPhase::ALL.iter().map(|phase| phase.target_ms()).sum::<u64>() <= 1000);
    }

    #[test]
    fn events_hold_no_secret() {
        let key = ["gh", "p_", "Zk3uR8vQ1xW7pL2mT9bN4cY6dF0gH5jSaErV"].concat();
        let mut trace = Trace::default();
        trace.event(1, "episodic", EventKind::Error, &format!("cannot read {key}"));
        assert_eq!(trace.events[0].message, "cannot read [REDACTED:github-token]");
    }
}
