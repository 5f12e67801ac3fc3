//! What is noted for the next turn: goals, open questions and stories in order of priority, and the scratch page of
//! observations, kept for seven days, at most a hundred at once.

use serde::Serialize;

words! {
    #[derive(Default)]
    GoalPriority {
        Critical = "critical",
        High = "high",
        #[default]
        Medium = "medium",
        Low = "low",
    }
}

words! {
    #[derive(Default)]
    GoalKind {
        #[default]
        Goal = "goal",
        Question = "question",
        Story = "story",
    }
}

words! {
    #[derive(Default)]
    GoalStatus {
        #[default]
        Active = "active",
        Done = "done",
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Goal {
    pub id: String,
    pub kind: GoalKind,
    pub text: String,
    pub priority: GoalPriority,
    #[serde(serialize_with = "crate::memory::json::as_seconds_if")]
    pub due: Option<i64>,
    pub blocking: bool,
    pub status: GoalStatus,
    #[serde(rename = "created_at", serialize_with = "crate::memory::json::as_seconds")]
    pub created: i64,
    #[serde(rename = "done_at", serialize_with = "crate::memory::json::as_seconds_if")]
    pub done: Option<i64>,
}

impl Goal {
    pub fn in_order(goals: &mut [Self]) {
        goals.sort_by_key(|goal| (goal.priority, goal.due.unwrap_or(i64::MAX), !goal.blocking, goal.id.clone()));
    }

    pub fn overdue(&self, now: i64) -> bool {
        self.status == GoalStatus::Active && self.due.is_some_and(|due| due < now)
    }
}

pub const ACTIVE: usize = 100;
pub const DAYS: i64 = 7;

words! {
    #[derive(Default)]
    ObservationKind {
        PendingConfirmation = "pending_confirmation",
        ContextualInsight = "contextual_insight",
        RiskAlert = "risk_alert",
        #[default]
        Observation = "observation",
        ActionSuggestion = "action_suggestion",
        PatternDetected = "pattern_detected",
        Dependency = "dependency",
        Reminder = "reminder",
    }
}

impl ObservationKind {
    /// Its place in a list: risks first, then confirmations, then the rest.
    fn rank(self) -> u8 {
        match self {
            Self::RiskAlert => 0,
            Self::PendingConfirmation => 1,
            _ => 2,
        }
    }
}

words! {
    #[derive(Default)]
    ObservationStatus {
        #[default]
        Active = "active",
        PendingReview = "pending_review",
        Resolved = "resolved",
        /// Archived because there were too many.
        Archived = "archived",
    }
}

#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Observation {
    pub id: String,
    #[serde(rename = "type")]
    pub kind: ObservationKind,
    pub content: String,
    /// Who or what noticed it.
    pub source: String,
    pub owner: String,
    pub status: ObservationStatus,
    #[serde(serialize_with = "crate::memory::json::as_share")]
    pub confidence: f64,
    pub tags: Vec<String>,
    #[serde(serialize_with = "crate::memory::json::as_seconds")]
    pub created_at: i64,
    #[serde(serialize_with = "crate::memory::json::as_seconds")]
    pub expires_at: i64,
}

impl Observation {
    /// Whether it is open now. Its last moment still counts.
    pub fn open(&self, now: i64) -> bool {
        matches!(self.status, ObservationStatus::Active | ObservationStatus::PendingReview) && self.expires_at >= now
    }

    /// Sorts the page: risks first, then confirmations, confidence, newest first, id.
    pub fn in_order(observations: &mut [Self]) {
        observations.sort_by(|a, b| {
            (a.kind.rank().cmp(&b.kind.rank()))
                .then_with(|| b.confidence.total_cmp(&a.confidence))
                .then_with(|| b.created_at.cmp(&a.created_at))
                .then_with(|| a.id.cmp(&b.id))
        });
    }

    /// The id of the one to archive if there are too many: the last of the page.
    pub fn least(observations: &[Self]) -> Option<String> {
        let mut all = observations.to_vec();
        Self::in_order(&mut all);
        all.pop().map(|one| one.id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_critical_the_due_and_the_blocking_come_first() {
        let goal =
            |id: &str, priority, due, blocking| Goal { id: id.into(), priority, due, blocking, ..Goal::default() };
        let mut goals = [
            goal("e", GoalPriority::Low, Some(1), true),
            goal("d", GoalPriority::High, None, false),
            goal("c", GoalPriority::High, None, true),
            goal("b", GoalPriority::High, Some(9), false),
            goal("a", GoalPriority::Critical, None, false),
        ];
        Goal::in_order(&mut goals);
        assert_eq!(goals.each_ref().map(|goal| goal.id.as_str()), ["a", "b", "c", "d", "e"]);
        assert!(goals[1].overdue(10) && !goals[1].overdue(9) && !goals[0].overdue(i64::MAX));
    }

    fn one(id: &str, kind: ObservationKind, confidence: f64, created_at: i64) -> Observation {
        Observation { id: id.into(), kind, confidence, created_at, expires_at: 100, ..Observation::default() }
    }

    #[test]
    fn risks_come_first_then_the_sure_then_the_new() {
        let mut page = [
            one("d", ObservationKind::Reminder, 0.5, 1),
            one("c", ObservationKind::Reminder, 0.5, 2),
            one("b", ObservationKind::Observation, 0.9, 0),
            one("a", ObservationKind::RiskAlert, 0.1, 0),
        ];
        assert_eq!(Observation::least(&page).as_deref(), Some("d"));
        Observation::in_order(&mut page);
        assert_eq!(page.each_ref().map(|one| one.id.as_str()), ["a", "b", "c", "d"]);
    }

    #[test]
    fn it_is_open_until_it_is_resolved_or_its_time_is_over() {
        let open = one("a", ObservationKind::Reminder, 0.5, 0);
        assert!(open.open(100) && !open.open(101));
        assert!(!Observation { status: ObservationStatus::Resolved, ..open }.open(0));
    }
}
