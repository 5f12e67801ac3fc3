//! Metrics and health thresholds of short-term memory (STM-14) and its analytics.

use std::collections::BTreeMap;

use super::backend::Tally;
use super::{Category, Session};

word_enum! {
    Level {
        Healthy = "healthy",
        Warning = "warning",
        Critical = "critical",
    }
}

word_enum! {
    Measure {
        /// Mean time of a write, in microseconds.
        WriteLatency = "write_latency_us",
        /// Mean time of a recall, in microseconds.
        ReadLatency = "read_latency_us",
        SessionCount = "session_count",
        MemoryUsage = "memory_usage_bytes",
    }
}

impl Measure {
    /// The thresholds (STM-14): healthy below the first, critical above the second.
    pub fn thresholds(self) -> (u64, u64) {
        const MB: u64 = 1 << 20;
        match self {
            Self::WriteLatency => (10_000, 50_000),
            Self::ReadLatency => (5_000, 20_000),
            Self::SessionCount => (100, 500),
            Self::MemoryUsage => (50 * MB, 200 * MB),
        }
    }

    pub fn level(self, value: u64) -> Level {
        let (warning, critical) = self.thresholds();
        match value {
            value if value < warning => Level::Healthy,
            value if value <= critical => Level::Warning,
            _ => Level::Critical,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stats {
    pub open: u64,
    /// Sessions that ended and are not deleted yet.
    pub ended: u64,
    pub entries: u64,
    pub bytes: u64,
    pub stored: u64,
    pub recalls: u64,
    pub expired: u64,
    pub pruned: u64,
    pub purged: u64,
    pub sessions: u64,
    /// Average duration of ended sessions, in milliseconds.
    pub average_session: Option<u64>,
    /// Entries stored in the period, by category, the most common first.
    pub categories: Vec<(Category, u64)>,
    /// The busiest hours of the period by stores and recalls, at most five.
    pub peaks: Vec<(i64, u64)>,
    pub health: Vec<(Measure, u64)>,
}

impl Stats {
    /// Aggregates the existing sessions and the hours of the period.
    pub fn of(sessions: &[Session], tallies: &[Tally]) -> Self {
        let sum = |what: &str| -> (u64, u64) {
            let of = tallies.iter().filter(|tally| tally.what == what);
            of.fold((0, 0), |(n, sum), tally| (n + tally.n, sum + tally.sum))
        };
        let mean = |(n, sum): (u64, u64)| sum.checked_div(n);
        let mut categories: Vec<(Category, u64)> =
            Category::ALL.into_iter().map(|one| (one, sum(&format!("store:{one}")).0)).collect();
        let writes = Category::ALL.iter().map(|one| sum(&format!("store:{one}")));
        let writes = writes.fold((0, 0), |(n, sum), (more, took)| (n + more, sum + took));
        categories.retain(|(_, n)| *n > 0);
        categories.sort_by_key(|(category, n)| (std::cmp::Reverse(*n), *category));
        let mut hours: BTreeMap<i64, u64> = BTreeMap::new();
        for tally in tallies.iter().filter(|tally| tally.what.starts_with("store:") || tally.what == "recall") {
            *hours.entry(tally.hour).or_default() += tally.n;
        }
        let mut peaks: Vec<(i64, u64)> = hours.into_iter().collect();
        peaks.sort_by_key(|(hour, n)| (std::cmp::Reverse(*n), *hour));
        peaks.truncate(5);
        let (recalls, ended) = (sum("recall"), sum("session"));
        let bytes = sessions.iter().map(|session| session.bytes).sum();
        let open = sessions.iter().filter(|session| session.is_open()).count() as u64;
        Self {
            open,
            ended: sessions.len() as u64 - open,
            entries: sessions.iter().map(|session| session.entries).sum(),
            bytes,
            stored: writes.0,
            recalls: recalls.0,
            expired: sum("expired").0,
            pruned: sum("pruned").0,
            purged: sum("purged").0,
            sessions: ended.0,
            average_session: mean(ended),
            categories,
            peaks,
            health: vec![
                (Measure::WriteLatency, mean(writes).unwrap_or(0)),
                (Measure::ReadLatency, mean(recalls).unwrap_or(0)),
                (Measure::SessionCount, sessions.len() as u64),
                (Measure::MemoryUsage, bytes),
            ],
        }
    }

    pub fn expiry_rate(&self) -> u64 {
        (self.expired * 100).checked_div(self.stored).unwrap_or(0).min(100)
    }

    pub fn level(&self) -> Level {
        self.health.iter().map(|(measure, value)| measure.level(*value)).max().unwrap_or(Level::Healthy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_thresholds_are_the_seeds() {
        for (measure, healthy, warning, critical) in [
            (Measure::WriteLatency, 9_999, 10_000, 50_001),
            (Measure::ReadLatency, 4_999, 20_000, 20_001),
            (Measure::SessionCount, 99, 500, 501),
            (Measure::MemoryUsage, (50 << 20) - 1, 50 << 20, (200 << 20) + 1),
        ] {
            let levels = [healthy, warning, critical].map(|value| measure.level(value));
            assert_eq!(levels, [Level::Healthy, Level::Warning, Level::Critical], "{measure:?}");
        }
    }

    #[test]
    fn the_hours_are_counted_together() {
        let tally = |hour, what: &str, n, sum| Tally { hour, what: what.into(), n, sum };
        let hours = [
            tally(0, "store:user_input", 3, 300),
            tally(0, "recall", 1, 50),
            tally(3_600_000, "store:active_task", 1, 900),
            tally(3_600_000, "session", 2, 10_000),
            tally(3_600_000, "expired", 1, 0),
        ];
        let stats = Stats::of(&[], &hours);
        assert_eq!((stats.stored, stats.recalls, stats.expiry_rate()), (4, 1, 25));
        assert_eq!(stats.average_session, Some(5_000));
        assert_eq!(stats.categories, [(Category::UserInput, 3), (Category::ActiveTask, 1)]);
        assert_eq!(stats.peaks, [(0, 4), (3_600_000, 1)]);
        assert_eq!(stats.health.first(), Some(&(Measure::WriteLatency, 300)));
        assert_eq!((stats.level(), Stats::of(&[], &[]).average_session), (Level::Healthy, None));
    }
}
