//! The working memory of a running turn: at most 64 items and 4000 tokens, with a policy for what goes when it is full.

use std::collections::BTreeSet;

use serde::Serialize;

use super::item::{Item, Kind};

/// How many items it holds.
pub const MAX_ITEMS: usize = 64;
/// How many tokens it holds.
pub const MAX_TOKENS: usize = 4000;
/// After so many steps an item has had its time.
const STEP_TTL: u32 = 20;
/// After so many milliseconds an item has had its time: an hour.
const WALL_TTL_MS: i64 = 3_600_000;
/// Below this an item is of little importance.
const LOW: f64 = 0.3;
/// From this on an item is protected.
const PROTECTED: f64 = 0.7;
/// Items of so many steps back are recent.
const RECENT_STEPS: u32 = 5;

/// An item as the buffer keeps it: what it is and what it costs, not its text.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Slot {
    pub id: String,
    #[serde(rename = "type")]
    pub kind: Kind,
    pub source: String,
    pub tokens: usize,
    /// 0 to 1.
    pub importance: f64,
    /// When it was added, milliseconds UTC.
    pub at: i64,
    /// The ids of items it refers to.
    pub related_items: Vec<String>,
    /// BLAKE3 of its text, in hexadecimal.
    pub hash: String,
}

impl Slot {
    /// What is kept of an item added now.
    #[must_use]
    pub fn of(item: &Item, now: i64) -> Self {
        Self {
            id: item.id.clone(),
            kind: item.kind,
            source: item.source.clone(),
            tokens: item.tokens,
            importance: item.importance,
            at: now,
            related_items: Vec::new(),
            hash: blake3::hash(item.text.as_bytes()).to_hex().to_string(),
        }
    }
}

/// An item in the buffer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Kept {
    #[serde(flatten)]
    pub slot: Slot,
    /// 0 is the oldest.
    pub position: usize,
    /// The step it was added in.
    pub step_index: u32,
    /// Whether it was forgotten: not read any more, and the first to go.
    pub forgotten: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// There was no room for more items.
    Items,
    /// There was no room for more tokens.
    Tokens,
    /// Their time was over, and that was asked for.
    Ttl,
    /// They were to be forgotten for good.
    Forgotten,
}

/// One eviction, for the trace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Evicted {
    /// The items, in the order they went.
    pub ids: Vec<String>,
    pub reason: Reason,
    /// How many items there were.
    pub items_before: usize,
    pub items_after: usize,
    pub at: i64,
}

/// Only protected items are left, and the new one does not fit beside them. Nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CapacityExceeded {
    /// The item that was refused.
    pub id: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Forget {
    Oldest,
    /// The one of least importance, the oldest of equals.
    LeastImportant,
    /// The one at this position.
    Position(usize),
    /// Everything added before this step.
    BeforeStep(u32),
}

#[derive(Debug, Clone, PartialEq)]
pub struct Buffer {
    items: Vec<Kept>,
    max_items: usize,
    max_tokens: usize,
    step: u32,
    log: Vec<Evicted>,
}

impl Default for Buffer {
    fn default() -> Self {
        Self::holding(MAX_ITEMS, MAX_TOKENS)
    }
}

impl Buffer {
    /// An empty buffer that holds so much.
    #[must_use]
    pub fn holding(max_items: usize, max_tokens: usize) -> Self {
        Self { items: Vec::new(), max_items, max_tokens, step: 0, log: Vec::new() }
    }

    /// The items, oldest first, forgotten ones included.
    #[must_use]
    pub fn items(&self) -> &[Kept] {
        &self.items
    }

    /// What can be read, newest first.
    pub fn read(&self) -> impl Iterator<Item = &Kept> {
        self.items.iter().rev().filter(|kept| !kept.forgotten)
    }

    /// How many tokens its items cost.
    #[must_use]
    pub fn tokens(&self) -> usize {
        self.items.iter().map(|kept| kept.slot.tokens).sum()
    }

    /// The step the turn is in.
    #[must_use]
    pub fn step(&self) -> u32 {
        self.step
    }

    /// Enters a later step. Steps never go back.
    pub fn enter(&mut self, step: u32) {
        self.step = self.step.max(step);
    }

    /// What was evicted so far.
    #[must_use]
    pub fn log(&self) -> &[Evicted] {
        &self.log
    }

    /// Adds an item, making room where there is none: first what was forgotten, then what has had its time, then what
    /// is of little importance, then the rest, the last five steps at the end; each time the oldest first. Protected
    /// items and items that a kept one refers to stay. An item whose id is there replaces it.
    ///
    /// # Errors
    /// When no room can be made. The buffer is as it was then.
    pub fn push(&mut self, slot: Slot) -> Result<(), CapacityExceeded> {
        let (now, id) = (slot.at, slot.id.clone());
        let mut items: Vec<Kept> = self.items.iter().filter(|kept| kept.slot.id != id).cloned().collect();
        let before = items.len();
        items.push(Kept { slot, position: 0, step_index: self.step, forgotten: false });
        let (mut gone, mut reason) = (Vec::new(), Reason::Tokens);
        loop {
            let tokens: usize = items.iter().map(|kept| kept.slot.tokens).sum();
            let too_many = items.len() > self.max_items;
            if !too_many && tokens <= self.max_tokens {
                break;
            }
            if too_many {
                reason = Reason::Items;
            }
            let Some(at) = self.next_to_go(&items, &id, now) else { return Err(CapacityExceeded { id }) };
            gone.push(items.remove(at).slot.id);
        }
        self.items = items;
        self.noted(gone, reason, before, now);
        Ok(())
    }

    /// Removes what has had its time at once, protected items aside. Otherwise time is soft: an item whose time is
    /// over stays until its room is needed.
    pub fn evict_expired(&mut self, now: i64) -> usize {
        let before = self.items.len();
        let expired = |kept: &Kept| self.expired(kept, now) && kept.slot.importance < PROTECTED;
        let gone: Vec<String> =
            self.items.iter().filter(|kept| expired(kept)).map(|kept| kept.slot.id.clone()).collect();
        self.items.retain(|kept| !gone.contains(&kept.slot.id));
        let count = gone.len();
        self.noted(gone, Reason::Ttl, before, now);
        count
    }

    /// Forgets items: softly they are only not read any more; for good they are removed. Returns how many.
    pub fn forget(&mut self, which: Forget, for_good: bool, now: i64) -> usize {
        let readable = || self.items.iter().filter(|kept| !kept.forgotten);
        let ids: BTreeSet<String> = match which {
            Forget::Oldest => readable().take(1).map(|kept| kept.slot.id.clone()).collect(),
            Forget::LeastImportant => readable()
                .min_by(|a, b| a.slot.importance.total_cmp(&b.slot.importance))
                .map(|kept| kept.slot.id.clone())
                .into_iter()
                .collect(),
            Forget::Position(at) => self.items.get(at).map(|kept| kept.slot.id.clone()).into_iter().collect(),
            Forget::BeforeStep(step) => {
                readable().filter(|kept| kept.step_index < step).map(|kept| kept.slot.id.clone()).collect()
            }
        };
        let before = self.items.len();
        if for_good {
            self.items.retain(|kept| !ids.contains(&kept.slot.id));
            self.noted(ids.iter().cloned().collect(), Reason::Forgotten, before, now);
        } else {
            self.items.iter_mut().filter(|kept| ids.contains(&kept.slot.id)).for_each(|kept| kept.forgotten = true);
        }
        ids.len()
    }

    fn noted(&mut self, ids: Vec<String>, reason: Reason, items_before: usize, at: i64) {
        for (position, kept) in self.items.iter_mut().enumerate() {
            kept.position = position;
        }
        if !ids.is_empty() {
            self.log.push(Evicted { ids, reason, items_before, items_after: self.items.len(), at });
        }
    }

    fn expired(&self, kept: &Kept, now: i64) -> bool {
        now - kept.slot.at > WALL_TTL_MS || self.step.saturating_sub(kept.step_index) > STEP_TTL
    }

    /// Where the item stands that goes next. `None` when only protected ones, referred ones and the new one are left.
    fn next_to_go(&self, items: &[Kept], new: &str, now: i64) -> Option<usize> {
        let class = |kept: &Kept| {
            if kept.forgotten {
                Some(0)
            } else if kept.slot.importance >= PROTECTED {
                None
            } else if self.expired(kept, now) {
                Some(1)
            } else if kept.slot.importance < LOW {
                Some(2)
            } else if self.step.saturating_sub(kept.step_index) >= RECENT_STEPS {
                Some(3)
            } else {
                Some(4)
            }
        };
        let referred: BTreeSet<&str> =
            items.iter().flat_map(|kept| &kept.slot.related_items).map(String::as_str).collect();
        items
            .iter()
            .enumerate()
            .filter(|(_, kept)| kept.slot.id != new && !referred.contains(kept.slot.id.as_str()))
            .filter_map(|(at, kept)| Some((class(kept)?, at)))
            .min()
            .map(|(_, at)| at)
    }
}

#[cfg(test)]
mod tests;
