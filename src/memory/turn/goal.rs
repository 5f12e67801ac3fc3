//! Goals, open questions and stories, in order of priority.

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
}
