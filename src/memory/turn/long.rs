//! Long-term memory: episodes, what happened; facts, what is known. Bounded by count; the oldest and least important
//! are removed.

use std::collections::BTreeMap;

use serde::Serialize;

pub const EPISODES: usize = 500;
pub const FACTS: usize = 500;

words! {
    Outcome {
        /// A skill was made or changed.
        Done = "done",
        Failed = "failed",
        Declined = "declined",
    }
}

impl Outcome {
    /// The importance of an episode with this outcome, 0 to 1: a failure has the most.
    pub fn importance(self) -> f64 {
        match self {
            Self::Failed => 0.8,
            Self::Done => 0.6,
            Self::Declined => 0.4,
        }
    }
}

/// An episode: a run that ended.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Episode {
    pub run_id: String,
    pub kind: Outcome,
    /// The description of the run. Empty if it was refused.
    pub subject: String,
    /// What happened, in a sentence, without secrets.
    pub text: String,
    pub skill: Option<String>,
    pub error_code: Option<String>,
    pub phase: String,
    pub cure: Option<String>,
    #[serde(serialize_with = "crate::memory::json::as_share")]
    pub importance: f64,
    #[serde(serialize_with = "crate::memory::json::as_seconds")]
    pub at: i64,
}

/// A fact, for example about a skill.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Fact {
    /// Its key, such as `skill:review-code`.
    pub key: String,
    /// Counts the changes of its text, from 1.
    pub version: u32,
    pub text: String,
    pub source: String,
    #[serde(serialize_with = "crate::memory::json::as_share")]
    pub importance: f64,
    #[serde(serialize_with = "crate::memory::json::as_seconds")]
    pub updated_at: i64,
    /// How often it was put into a context.
    pub access_count: u32,
}

/// One fact per key: the newest, then the higher version, then by source. A different fact of another source is flagged
/// as a conflict: the key, the source that is used, and those that are not (TURN-14).
pub(super) fn resolve(facts: Vec<Fact>) -> (Vec<Fact>, Vec<String>) {
    let mut by_key: BTreeMap<String, Vec<Fact>> = BTreeMap::new();
    for fact in facts {
        by_key.entry(fact.key.clone()).or_default().push(fact);
    }
    let (mut kept, mut flagged) = (Vec::new(), Vec::new());
    for (key, mut group) in by_key {
        group.sort_by(|a, b| {
            (b.updated_at, b.version).cmp(&(a.updated_at, a.version)).then_with(|| a.source.cmp(&b.source))
        });
        let mut rest = group.into_iter();
        let Some(newest) = rest.next() else { continue };
        let dropped: Vec<String> = rest.filter(|other| other.text != newest.text).map(|other| other.source).collect();
        if !dropped.is_empty() {
            flagged.push(format!("{key}: {} contradicts {}", newest.source, dropped.join(", ")));
        }
        kept.push(newest);
    }
    (kept, flagged)
}

/// The position of the entry to remove: the lowest importance, reduced by a third for every half of the list that is
/// newer; ties go to the older. Entries are importance and time.
pub fn least_worth(entries: &[(f64, i64)]) -> Option<usize> {
    let mut ages: Vec<i64> = entries.iter().map(|entry| entry.1).collect();
    ages.sort_unstable();
    let worth = |(importance, at): (f64, i64)| {
        let older = ages.partition_point(|other| *other < at);
        importance + older as f64 / ages.len().max(1) as f64 * 2.0 / 3.0
    };
    let all = entries.iter().enumerate();
    all.min_by(|a, b| worth(*a.1).total_cmp(&worth(*b.1)).then(a.1.1.cmp(&b.1.1))).map(|(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fact(key: &str, text: &str, source: &str, updated_at: i64) -> Fact {
        let (key, text, source) = (key.into(), text.into(), source.into());
        Fact { key, version: 1, text, source, importance: 0.5, updated_at, access_count: 0 }
    }

    #[test]
    fn the_newest_of_two_stories_is_believed_and_the_other_flagged() {
        let (kept, flagged) = resolve(vec![
            fact("skill:a", "old", "memory", 1),
            fact("skill:a", "new", ".claude/skills/a", 2),
            fact("skill:b", "same", "memory", 1),
            fact("skill:b", "same", ".claude/skills/b", 2),
        ]);
        assert_eq!(kept.iter().map(|fact| fact.text.as_str()).collect::<Vec<_>>(), ["new", "same"]);
        assert_eq!(flagged, ["skill:a: .claude/skills/a contradicts memory"]);
        let (kept, _) = resolve(vec![Fact { version: 2, ..fact("k", "two", "z", 1) }, fact("k", "one", "a", 1)]);
        assert_eq!(kept[0].text, "two");
        assert_eq!(resolve(vec![fact("k", "b", "b", 1), fact("k", "a", "a", 1)]).0[0].text, "a");
    }

    #[test]
    fn the_oldest_and_least_important_goes_first() {
        assert_eq!(least_worth(&[(0.6, 1), (0.6, 2), (0.6, 3)]), Some(0), "the oldest");
        assert_eq!(least_worth(&[(0.8, 1), (0.4, 2), (0.8, 3)]), Some(1), "the least important");
        assert_eq!(least_worth(&[(0.8, 1), (0.6, 2), (0.6, 3)]), Some(0), "even what was important grows old");
        assert_eq!(least_worth(&[]), None);
    }
}
