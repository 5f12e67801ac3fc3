//! Which entries are pruned, on request or to make room (STM-8). Never those of high priority.

use std::cmp::Reverse;

use super::entry::{Head, Priority};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Prune {
    /// Keep this many: highest priority first, then newest.
    Keep(usize),
    Oldest,
    /// The oldest fifth of the medium and the oldest half of the low entries.
    #[default]
    LowestPriority,
}

impl Prune {
    /// The ids to prune among live entries.
    pub fn victims(self, heads: &[Head]) -> Vec<String> {
        let mut oldest: Vec<&Head> = heads.iter().collect();
        oldest.sort_by_key(|head| (head.created_at, head.seq));
        let of = |priority: Priority| oldest.iter().filter(move |head| head.priority == priority);
        let chosen: Vec<&Head> = match self {
            Self::Keep(limit) => {
                let mut order = oldest.clone();
                order.sort_by_key(|head| (Reverse(head.priority), Reverse(head.created_at), Reverse(head.seq)));
                order.into_iter().skip(limit).filter(|head| head.priority != Priority::High).collect()
            }
            Self::Oldest => {
                let fifth = oldest.len().div_ceil(5);
                oldest.iter().take(fifth).filter(|head| head.priority != Priority::High).copied().collect()
            }
            Self::LowestPriority => {
                let (medium, low) = (of(Priority::Medium).count(), of(Priority::Low).count());
                let medium = of(Priority::Medium).take(medium - (medium * 4).div_ceil(5));
                let low = of(Priority::Low).take(low - low.div_ceil(2));
                medium.chain(low).copied().collect()
            }
        };
        chosen.into_iter().map(|head| head.id.clone()).collect()
    }
}

/// The entries to evict first, at most this many; see [`super::StmBackend::victims`].
pub fn first_to_go(mut heads: Vec<Head>, now: i64, most: usize) -> Vec<Head> {
    heads.retain(|head| head.priority != Priority::High || head.expires_at <= now);
    heads.sort_by_key(|head| (head.expires_at > now, head.priority, head.created_at, head.seq));
    heads.truncate(most);
    heads
}
