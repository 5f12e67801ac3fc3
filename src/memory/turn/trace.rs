//! What was done, phase by phase: spans with their targets, events with their kind. Written during the turn, then closed.

use serde::Serialize;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    Ok,
    /// Done, and it took longer than its target.
    Late,
    /// It failed; the turn went on without it.
    Failed,
    /// The deadline had passed before it began.
    Skipped,
}

impl Outcome {
    /// The name in the database and on the screen.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Late => "late",
            Self::Failed => "failed",
            Self::Skipped => "skipped",
        }
    }
}

/// One phase as it went.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Span {
    /// Its place in the turn, from 1.
    pub seq: u32,
    pub name: String,
    /// Microseconds from the beginning of the turn.
    pub start_us: u64,
    pub took_us: u64,
    /// Milliseconds it may take; none where a person is waited for.
    pub target_ms: Option<u64>,
    pub status: String,
    pub tokens: u64,
}

/// What kind of event it is (the origin's kinds).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EventKind {
    Decision,
    Observation,
    Error,
    Policy,
    Summary,
}

impl EventKind {
    /// The name in the database and on the screen.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Decision => "decision",
            Self::Observation => "observation",
            Self::Error => "error",
            Self::Policy => "policy",
            Self::Summary => "summary",
        }
    }
}

/// Something worth noting in a phase.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Event {
    /// Its order in the trace, from 1.
    pub seq: u32,
    /// Microseconds from the beginning of the turn.
    pub at_us: u64,
    pub component: String,
    pub kind: String,
    pub message: String,
}

/// A trace that is closed takes nothing any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Closed;

/// The trace of one turn.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Trace {
    spans: Vec<Span>,
    events: Vec<Event>,
    closed: bool,
}

impl Trace {
    /// Adds a span that ended.
    ///
    /// # Errors
    /// When the trace is closed.
    pub fn span(&mut self, span: Span) -> Result<(), Closed> {
        if self.closed {
            return Err(Closed);
        }
        self.spans.push(span);
        Ok(())
    }

    /// Adds an event. Secrets in its message are redacted.
    ///
    /// # Errors
    /// When the trace is closed.
    pub fn event(&mut self, at_us: u64, component: &str, kind: EventKind, message: &str) -> Result<(), Closed> {
        if self.closed {
            return Err(Closed);
        }
        self.events.push(Event {
            seq: u32::try_from(self.events.len()).unwrap_or(u32::MAX).saturating_add(1),
            at_us,
            component: component.to_owned(),
            kind: kind.word().to_owned(),
            message: crate::rules::secrets::redact(message).0.into_owned(),
        });
        Ok(())
    }

    /// Closes it: from now on it is only read.
    pub fn close(&mut self) {
        self.closed = true;
    }

    #[must_use]
    pub fn spans(&self) -> &[Span] {
        &self.spans
    }

    #[must_use]
    pub fn events(&self) -> &[Event] {
        &self.events
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_closed_trace_refuses_writes_and_events_hold_no_secret() {
        let key = ["gh", "p_", "Zk3uR8vQ1xW7pL2mT9bN4cY6dF0gH5jSaErV"].concat();
        let mut trace = Trace::default();
        assert_eq!(trace.event(1, "episodic", EventKind::Error, &format!("cannot read {key}")), Ok(()));
        assert_eq!(trace.events()[0].message, "cannot read [REDACTED:github-token]");
        trace.close();
        assert_eq!(trace.event(2, "episodic", EventKind::Error, "late"), Err(Closed));
        assert_eq!(trace.events().len(), 1);
    }
}
