//! The working memory of a turn: at most 64 items and 4000 tokens (TURN-10).

use super::item::{Item, ItemKind};

const MAX_ITEMS: usize = 64;
const MAX_TOKENS: usize = 4000;
/// An item older than this is the first to be evicted, in milliseconds.
const TIME_TO_LIVE: i64 = 3_600_000;
/// Items below this importance are evicted before the others.
const LOW: f64 = 0.3;
/// Items of at least this importance are never evicted.
const PROTECTED: f64 = 0.7;

/// An item without its text.
#[derive(Debug, Clone, PartialEq)]
pub struct Slot {
    pub id: String,
    pub kind: ItemKind,
    pub source: String,
    pub tokens: usize,
    pub importance: f64,
    pub at: i64,
    pub hash: String,
}

impl Slot {
    pub fn of(item: &Item, now: i64) -> Self {
        Self {
            id: item.id.clone(),
            kind: item.kind,
            source: item.source.clone(),
            tokens: item.tokens,
            importance: item.importance,
            at: now,
            hash: blake3::hash(item.text.as_bytes()).to_hex().to_string(),
        }
    }
}

/// The items, oldest first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Buffer {
    items: Vec<Slot>,
}

impl Buffer {
    pub fn items(&self) -> &[Slot] {
        &self.items
    }

    pub fn tokens(&self) -> usize {
        self.items.iter().map(|slot| slot.tokens).sum()
    }

    /// Adds an item, or replaces the one with the same id. If there is no room, items are evicted: expired ones first,
    /// then those of low importance, then the others, the oldest of each first. Protected items stay. `false` if not
    /// enough can be evicted; then the buffer is unchanged.
    #[must_use]
    pub fn push(&mut self, slot: Slot) -> bool {
        let (now, id) = (slot.at, slot.id.clone());
        let mut items: Vec<Slot> = self.items.iter().filter(|kept| kept.id != id).cloned().collect();
        items.push(slot);
        let class = |slot: &Slot| match slot {
            slot if slot.id == id || slot.importance >= PROTECTED => None,
            slot if now - slot.at > TIME_TO_LIVE => Some(0),
            slot => Some(if slot.importance < LOW { 1 } else { 2 }),
        };
        while items.len() > MAX_ITEMS || items.iter().map(|slot| slot.tokens).sum::<usize>() > MAX_TOKENS {
            let next = items.iter().enumerate().filter_map(|(at, slot)| Some((class(slot)?, at))).min();
            let Some((_, at)) = next else { return false };
            items.remove(at);
        }
        self.items = items;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_770_000_000_000;

    fn slot(id: &str, tokens: usize, importance: f64) -> Slot {
        Slot::of(&Item { tokens, importance, ..Item::new(id, ItemKind::Observation, id) }, NOW)
    }

    fn ids(buffer: &Buffer) -> Vec<&str> {
        buffer.items().iter().map(|slot| slot.id.as_str()).collect()
    }

    #[test]
    fn an_item_with_a_known_id_replaces_it() {
        let mut buffer = Buffer::default();
        for (id, tokens) in [("a", 1), ("b", 1), ("a", 7)] {
            assert!(buffer.push(slot(id, tokens, 0.5)));
        }
        assert_eq!((ids(&buffer), buffer.tokens()), (vec!["b", "a"], 8));
    }

    #[test]
    fn the_65th_item_and_the_4001st_token_evict_the_oldest() {
        let mut buffer = Buffer::default();
        for number in 0..65 {
            assert!(buffer.push(slot(&format!("{number:02}"), 1, 0.5)));
        }
        assert_eq!((buffer.items().len(), ids(&buffer)[0]), (64, "01"));
        let mut buffer = Buffer::default();
        for id in ["a", "b", "c", "d"] {
            assert!(buffer.push(slot(id, 1300, 0.5)));
        }
        assert_eq!(ids(&buffer), ["b", "c", "d"]);
    }

    #[test]
    fn expired_items_go_first_then_unimportant_ones_and_protected_ones_never() {
        let mut buffer = Buffer::default();
        let expired = Slot { at: NOW - 90 * 60_000, ..slot("expired", 1000, 0.6) };
        for one in [slot("middle", 1000, 0.5), slot("low", 1000, 0.2), expired, slot("high", 1000, 0.9)] {
            assert!(buffer.push(one));
        }
        for (new, left) in
            [("e", ["middle", "low", "high", "e"]), ("f", ["middle", "high", "e", "f"]), ("g", ["high", "e", "f", "g"])]
        {
            assert!(buffer.push(slot(new, 1000, 0.7)));
            assert_eq!(ids(&buffer), left);
        }
        let before = buffer.clone();
        assert!(!buffer.push(slot("h", 1000, 1.0)));
        assert_eq!(buffer, before);
    }

    proptest::proptest! {
        #[test]
        fn it_never_holds_more_than_it_may(sizes in proptest::collection::vec((0_usize..1500, 0.0_f64..1.0), 0..120)) {
            let mut buffer = Buffer::default();
            for (number, (tokens, importance)) in sizes.into_iter().enumerate() {
                let _refused = buffer.push(slot(&number.to_string(), tokens, importance));
                proptest::prop_assert!(buffer.items().len() <= MAX_ITEMS && buffer.tokens() <= MAX_TOKENS);
            }
        }
    }
}
