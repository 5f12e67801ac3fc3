//! The seventeen cases of the working-memory store, by their number in its origin.

use super::*;

const NOW: i64 = 1_770_000_000_000;

fn slot(id: &str, tokens: usize, importance: f64) -> Slot {
    let item = Item { tokens, importance, ..Item::new(id, Kind::Observation, id) };
    Slot::of(&item, NOW)
}

fn at(minutes_ago: i64, slot: Slot) -> Slot {
    Slot { at: NOW - minutes_ago * 60_000, ..slot }
}

fn ids(buffer: &Buffer) -> Vec<&str> {
    buffer.items().iter().map(|kept| kept.slot.id.as_str()).collect()
}

/// A buffer of four items.
fn four(slots: &[Slot]) -> Buffer {
    let mut buffer = Buffer::holding(4, 1000);
    for one in slots {
        buffer.push(one.clone()).unwrap();
    }
    buffer
}

#[test]
fn wm_4_01_a_new_buffer_is_empty_and_holds_64_items_and_4000_tokens() {
    let buffer = Buffer::default();
    assert_eq!((buffer.items().len(), buffer.tokens(), buffer.step()), (0, 0, 0));
    assert_eq!((buffer.max_items, buffer.max_tokens), (64, 4000));
}

#[test]
fn wm_4_02_an_item_gets_the_next_position_and_the_current_step() {
    let mut buffer = four(&[slot("a", 1, 0.5)]);
    buffer.enter(3);
    buffer.push(slot("b", 1, 0.5)).unwrap();
    let places: Vec<_> = buffer.items().iter().map(|kept| (kept.position, kept.step_index)).collect();
    assert_eq!(places, [(0, 0), (1, 3)]);
    buffer.enter(1);
    assert_eq!(buffer.step(), 3, "steps never go back");
}

#[test]
fn wm_4_03_reading_is_newest_first() {
    let buffer = four(&[slot("a", 1, 0.5), slot("b", 1, 0.5), slot("c", 1, 0.5)]);
    assert_eq!(buffer.read().map(|kept| kept.slot.id.as_str()).collect::<Vec<_>>(), ["c", "b", "a"]);
}

#[test]
fn wm_4_04_an_item_with_a_known_id_replaces_it() {
    let buffer = four(&[slot("a", 1, 0.5), slot("b", 1, 0.5), slot("a", 7, 0.5)]);
    assert_eq!((ids(&buffer), buffer.tokens()), (vec!["b", "a"], 8));
}

#[test]
fn wm_4_05_the_65th_item_evicts_the_oldest() {
    let mut buffer = Buffer::default();
    for number in 0..65 {
        buffer.push(slot(&format!("{number:02}"), 1, 0.5)).unwrap();
    }
    assert_eq!((buffer.items().len(), ids(&buffer)[0]), (64, "01"));
    assert_eq!(buffer.log()[0].reason, Reason::Items);
}

#[test]
fn wm_4_06_tokens_over_4000_evict_until_they_fit() {
    let mut buffer = Buffer::default();
    for id in ["a", "b", "c"] {
        buffer.push(slot(id, 1300, 0.5)).unwrap();
    }
    buffer.push(slot("d", 1400, 0.5)).unwrap();
    assert_eq!((ids(&buffer), buffer.tokens()), (vec!["b", "c", "d"], 4000));
    assert_eq!(buffer.log()[0].reason, Reason::Tokens);
}

#[test]
fn wm_4_07_asked_to_evict_by_time_it_removes_at_once() {
    let mut buffer = four(&[at(61, slot("old", 1, 0.5)), slot("new", 1, 0.5)]);
    assert_eq!((buffer.evict_expired(NOW), ids(&buffer)), (1, vec!["new"]));
    assert_eq!((buffer.log()[0].reason, &buffer.log()[0].ids), (Reason::Ttl, &vec!["old".to_owned()]));
    buffer.enter(21);
    assert_eq!(buffer.evict_expired(NOW), 1, "twenty steps are a time too");
}

#[test]
fn wm_4_08_what_goes_first_expired_then_low_then_middle_then_recent() {
    let mut buffer = Buffer::holding(5, 1000);
    buffer.push(slot("middle", 1, 0.5)).unwrap();
    buffer.push(slot("low", 1, 0.2)).unwrap();
    buffer.push(slot("high", 1, 0.9)).unwrap();
    buffer.enter(6);
    buffer.push(slot("recent", 1, 0.5)).unwrap();
    buffer.push(at(90, slot("expired", 1, 0.6))).unwrap();
    for number in 0..4 {
        buffer.push(slot(&format!("n{number}"), 1, 0.8)).unwrap();
    }
    let gone: Vec<&str> = buffer.log().iter().flat_map(|one| &one.ids).map(String::as_str).collect();
    assert_eq!(gone, ["expired", "low", "middle", "recent"]);
}

#[test]
fn wm_4_09_time_is_soft_while_there_is_room() {
    let mut buffer = four(&[at(600, slot("old", 1, 0.1))]);
    buffer.push(slot("new", 1, 0.5)).unwrap();
    assert_eq!(ids(&buffer), ["old", "new"]);
}

#[test]
fn wm_4_10_with_only_protected_items_a_new_one_is_refused_and_nothing_changes() {
    let high = |id: &str| slot(id, 1, 0.7);
    let mut buffer = four(&[high("a"), high("b"), high("c"), high("d")]);
    let before = buffer.clone();
    assert_eq!(buffer.push(slot("e", 1, 1.0)), Err(CapacityExceeded { id: "e".into() }));
    assert_eq!(buffer, before);
    assert!(buffer.push(slot("f", 5000, 1.0)).is_err(), "larger than all there is");
    assert_eq!(four(&[at(600, high("a"))]).evict_expired(NOW), 0, "protected means never");
}

#[test]
fn wm_4_11_what_a_kept_item_refers_to_is_not_evicted() {
    let mut buffer = four(&[slot("cause", 1, 0.1), slot("b", 1, 0.5), slot("c", 1, 0.5)]);
    buffer.push(Slot { related_items: vec!["cause".into()], ..slot("effect", 1, 0.9) }).unwrap();
    buffer.push(slot("e", 1, 0.5)).unwrap();
    assert_eq!(ids(&buffer), ["cause", "c", "effect", "e"]);
}

#[test]
fn wm_4_12_forgetting_the_oldest() {
    let mut buffer = four(&[slot("a", 1, 0.9), slot("b", 1, 0.1)]);
    assert_eq!(buffer.forget(Forget::Oldest, true, NOW), 1);
    assert_eq!(ids(&buffer), ["b"]);
}

#[test]
fn wm_4_13_forgetting_the_least_important_the_oldest_of_equals() {
    let mut buffer = four(&[slot("a", 1, 0.9), slot("b", 1, 0.1), slot("c", 1, 0.1)]);
    buffer.forget(Forget::LeastImportant, true, NOW);
    assert_eq!(ids(&buffer), ["a", "c"]);
}

#[test]
fn wm_4_14_forgetting_a_position() {
    let mut buffer = four(&[slot("a", 1, 0.5), slot("b", 1, 0.5)]);
    assert_eq!(buffer.forget(Forget::Position(1), true, NOW), 1);
    assert_eq!(buffer.forget(Forget::Position(9), true, NOW), 0);
    assert_eq!(ids(&buffer), ["a"]);
}

#[test]
fn wm_4_15_forgetting_before_a_step_softly_hides_and_those_go_first() {
    let mut buffer = four(&[slot("a", 1, 0.9), slot("b", 1, 0.9)]);
    buffer.enter(2);
    buffer.push(slot("c", 1, 0.1)).unwrap();
    assert_eq!(buffer.forget(Forget::BeforeStep(2), false, NOW), 2);
    assert_eq!(buffer.read().map(|kept| kept.slot.id.as_str()).collect::<Vec<_>>(), ["c"]);
    assert_eq!(ids(&buffer), ["a", "b", "c"], "they are still there");
    buffer.push(slot("d", 1, 0.5)).unwrap();
    buffer.push(slot("e", 1, 0.5)).unwrap();
    assert_eq!(ids(&buffer), ["b", "c", "d", "e"], "forgotten, even protected ones are the first to go");
}

#[test]
fn wm_4_16_positions_are_counted_anew_after_every_eviction() {
    let mut buffer = four(&[slot("a", 1, 0.1), slot("b", 1, 0.5), slot("c", 1, 0.5), slot("d", 1, 0.5)]);
    buffer.push(slot("e", 1, 0.5)).unwrap();
    assert_eq!(buffer.items().iter().map(|kept| kept.position).collect::<Vec<_>>(), [0, 1, 2, 3]);
}

#[test]
fn wm_4_17_every_eviction_is_logged_with_ids_reason_counts_and_time() {
    let mut buffer = four(&[slot("a", 300, 0.1), slot("b", 300, 0.1), slot("c", 300, 0.5)]);
    buffer.push(slot("d", 600, 0.5)).unwrap();
    let logged =
        Evicted { ids: vec!["a".into(), "b".into()], reason: Reason::Tokens, items_before: 3, items_after: 2, at: NOW };
    assert_eq!(buffer.log(), [logged]);
}

proptest::proptest! {
    #[test]
    fn it_never_holds_more_than_it_may(sizes in proptest::collection::vec((0_usize..1500, 0.0_f64..1.0), 0..120)) {
        let mut buffer = Buffer::default();
        for (number, (tokens, importance)) in sizes.into_iter().enumerate() {
            buffer.enter(u32::try_from(number / 3).unwrap());
            let _refused = buffer.push(slot(&number.to_string(), tokens, importance));
            proptest::prop_assert!(buffer.items().len() <= MAX_ITEMS && buffer.tokens() <= MAX_TOKENS);
            let counted = buffer.items().iter().enumerate().all(|(at, kept)| kept.position == at);
            proptest::prop_assert!(counted);
        }
    }
}
