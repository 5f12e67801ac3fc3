//! What is wanted here: goals, open questions, stories, in the order they are worth attending to.

use serde::Serialize;

/// How pressing it is, the most pressing first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Priority {
    Critical,
    High,
    Medium,
    Low,
}

impl Priority {
    /// All of them, the most pressing first.
    pub const ALL: [Self; 4] = [Self::Critical, Self::High, Self::Medium, Self::Low];

    /// The name in the database and on the screen.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Critical => "critical",
            Self::High => "high",
            Self::Medium => "medium",
            Self::Low => "low",
        }
    }

    /// The priority of this word.
    #[must_use]
    pub fn find(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.word() == word)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Aim {
    Goal,
    Question,
    /// What it is all about.
    Story,
}

impl Aim {
    pub const ALL: [Self; 3] = [Self::Goal, Self::Question, Self::Story];

    /// The name in the database and on the screen.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Goal => "goal",
            Self::Question => "question",
            Self::Story => "story",
        }
    }

    /// The aim of this word.
    #[must_use]
    pub fn find(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.word() == word)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    Active,
    Done,
}

impl Status {
    /// The name in the database and on the screen.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Done => "done",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Goal {
    pub id: String,
    pub kind: Aim,
    pub text: String,
    pub priority: Priority,
    /// When it is due, milliseconds UTC.
    pub due: Option<i64>,
    /// Whether other things wait for it.
    pub blocking: bool,
    pub status: Status,
    /// When it was noted, milliseconds UTC.
    pub created: i64,
    /// When it was reached, milliseconds UTC.
    pub done: Option<i64>,
}

impl Goal {
    /// Brings goals into the order they are worth attending to: priority, due date, blocking, then by id.
    pub fn in_order(goals: &mut [Self]) {
        goals.sort_by_key(|goal| (goal.priority, goal.due.unwrap_or(i64::MAX), !goal.blocking, goal.id.clone()));
    }

    /// Whether its day has passed.
    #[must_use]
    pub fn overdue(&self, now: i64) -> bool {
        self.status == Status::Active && self.due.is_some_and(|due| due < now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_critical_the_due_and_the_blocking_come_first() {
        let goal = |id: &str, priority, due, blocking| Goal {
            id: id.into(),
            kind: Aim::Goal,
            text: id.into(),
            priority,
            due,
            blocking,
            status: Status::Active,
            created: 0,
            done: None,
        };
        let mut goals = [
            goal("e", Priority::Low, Some(1), true),
            goal("d", Priority::High, None, false),
            goal("c", Priority::High, None, true),
            goal("b", Priority::High, Some(9), false),
            goal("a", Priority::Critical, None, false),
        ];
        Goal::in_order(&mut goals);
        assert_eq!(goals.each_ref().map(|goal| goal.id.as_str()), ["a", "b", "c", "d", "e"]);
        assert!(goals[1].overdue(10) && !goals[1].overdue(9) && !goals[0].overdue(i64::MAX));
    }
}
