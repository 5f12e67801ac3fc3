//! The trace of a turn: a span for each phase with its target, and events (TURN-11).

use serde::Serialize;

words! {
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

words! {
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
    fn events_hold_no_secret() {
        let key = ["gh", "p_", "Zk3uR8vQ1xW7pL2mT9bN4cY6dF0gH5jSaErV"].concat();
        let mut trace = Trace::default();
        trace.event(1, "episodic", EventKind::Error, &format!("cannot read {key}"));
        assert_eq!(trace.events[0].message, "cannot read [REDACTED:github-token]");
    }
}
