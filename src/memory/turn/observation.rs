//! The scratch page: what was noticed and is still open, for seven days, at most a hundred at once.

use serde::Serialize;

/// How many are active at once.
pub const ACTIVE: usize = 100;
/// How many days one lives unless something else is said.
pub const DAYS: i64 = 7;

/// What kind of observation it is (the origin's eight).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ObservationKind {
    /// Somebody has to say yes or no.
    PendingConfirmation,
    ContextualInsight,
    RiskAlert,
    Observation,
    ActionSuggestion,
    PatternDetected,
    Dependency,
    Reminder,
}

impl ObservationKind {
    pub const ALL: [Self; 8] = [
        Self::PendingConfirmation,
        Self::ContextualInsight,
        Self::RiskAlert,
        Self::Observation,
        Self::ActionSuggestion,
        Self::PatternDetected,
        Self::Dependency,
        Self::Reminder,
    ];

    /// The name in the database and on the screen.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::PendingConfirmation => "pending_confirmation",
            Self::ContextualInsight => "contextual_insight",
            Self::RiskAlert => "risk_alert",
            Self::Observation => "observation",
            Self::ActionSuggestion => "action_suggestion",
            Self::PatternDetected => "pattern_detected",
            Self::Dependency => "dependency",
            Self::Reminder => "reminder",
        }
    }

    /// The kind of this word.
    #[must_use]
    pub fn find(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.word() == word)
    }

    /// Its place in a list: risks first, then what waits for somebody, then the rest.
    fn rank(self) -> u8 {
        match self {
            Self::RiskAlert => 0,
            Self::PendingConfirmation => 1,
            _ => 2,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    Active,
    /// Somebody is to look at it.
    PendingReview,
    Resolved,
    /// Set aside because there were too many.
    Archived,
}

impl Standing {
    pub const ALL: [Self; 4] = [Self::Active, Self::PendingReview, Self::Resolved, Self::Archived];

    /// The name in the database and on the screen.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::PendingReview => "pending_review",
            Self::Resolved => "resolved",
            Self::Archived => "archived",
        }
    }

    /// The standing of this word.
    #[must_use]
    pub fn find(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.word() == word)
    }
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Observation {
    pub id: String,
    #[serde(rename = "type")]
    pub kind: ObservationKind,
    pub content: String,
    /// Who or what noticed it.
    pub source: String,
    pub owner: String,
    pub status: Standing,
    /// How sure it is, 0 to 1.
    pub confidence: f64,
    pub tags: Vec<String>,
    /// When it was noticed, milliseconds UTC.
    pub created_at: i64,
    /// When it goes, milliseconds UTC.
    pub expires_at: i64,
}

impl Observation {
    /// Whether it is open now. Its last moment still counts.
    #[must_use]
    pub fn open(&self, now: i64) -> bool {
        matches!(self.status, Standing::Active | Standing::PendingReview) && self.expires_at >= now
    }

    /// The order of the page: risks first, then what waits for somebody, the surest, the newest, then by id.
    pub fn in_order(observations: &mut [Self]) {
        observations.sort_by(|a, b| {
            (a.kind.rank().cmp(&b.kind.rank()))
                .then_with(|| b.confidence.total_cmp(&a.confidence))
                .then_with(|| b.created_at.cmp(&a.created_at))
                .then_with(|| a.id.cmp(&b.id))
        });
    }

    /// The id of the one to be set aside where there are too many: the last of the page.
    #[must_use]
    pub fn least(observations: &[Self]) -> Option<String> {
        let mut all = observations.to_vec();
        Self::in_order(&mut all);
        all.pop().map(|one| one.id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(id: &str, kind: ObservationKind, confidence: f64, created_at: i64) -> Observation {
        Observation {
            id: id.into(),
            kind,
            content: id.into(),
            source: "user".into(),
            owner: "agent".into(),
            status: Standing::Active,
            confidence,
            tags: Vec::new(),
            created_at,
            expires_at: 100,
        }
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
        assert!(!Observation { status: Standing::Resolved, ..open }.open(0));
    }

    #[test]
    fn the_words_are_the_origins() {
        assert!(ObservationKind::ALL.iter().all(|kind| ObservationKind::find(kind.word()) == Some(*kind)));
        assert!(Standing::ALL.iter().all(|one| Standing::find(one.word()) == Some(*one)));
        assert_eq!(ObservationKind::find("guess"), None);
    }
}
