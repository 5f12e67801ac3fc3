//! What leaves a full queue, and what is kept of it.

use super::*;

#[test]
fn f42_where_everybody_is_needed_nobody_is_added() {
    let mut memory = memory();
    for id in ["r1", "r2"] {
        run(&mut memory, id);
        opened(&mut memory, id, 2).unwrap();
    }
    let error = opened(&mut memory, "r3", 2).unwrap_err();
    assert_eq!(why(&error), Some(&FifoError::Full { count: 2, capacity: 2 }));
    let error = memory.add_conversation(&new("c", "t", &[]), 2, NOW).unwrap_err();
    assert!(error.to_string().contains("FifoFull"), "{error}");
    assert_eq!(held(&memory), 2);
    memory.end("r1", &Ending::of(Status::Done, "2026-02-05T10:00:00Z".parse().unwrap())).unwrap();
    let added = memory.add_conversation(&new("c", "t", &[]), 2, NOW).unwrap();
    assert_eq!(added.evicted, ["run_r1"], "a run that has ended needs it no more; the other is active and waits");
}

#[test]
fn f44_patterns_are_kept_before_a_conversation_is_deleted() {
    let mut memory = memory();
    let content = json!({
        "conversation_id": "c", "title": "Fix the parser", "tags": ["Bug"],
        "messages": [{ "role": "user", "content": "`src/parse.rs` breaks `read_head()`" }],
    });
    memory.add_conversation(&NewConversation::from_json(&content, "").unwrap(), 1, NOW).unwrap();
    memory.add_conversation(&new("d", "Fix another", &["in `src/parse.rs`"]), 1, NOW + 1).unwrap();
    memory.add_conversation(&new("e", "Third", &[]), 1, NOW + 2).unwrap();
    let kept: Vec<(String, String, i64)> =
        memory.patterns().unwrap().into_iter().map(|one| (one.kind, one.key, one.count)).collect();
    let wanted = [
        ("entity", "file:src/parse.rs", 2),
        ("verb", "fix", 2),
        ("entity", "method:read_head", 1),
        ("pair", "file:src/parse.rs + method:read_head", 1),
        ("tag", "bug", 1),
    ];
    assert_eq!(kept, wanted.map(|(kind, key, count)| (kind.to_owned(), key.to_owned(), count)));
    let known = memory.entity_statistics(Some(EntityType::File), 9).unwrap();
    assert_eq!((known[0].conversation_count, known[0].access_count, known[0].pattern_count), (0, 2, 2));
}

#[test]
fn a_smaller_queue_evicts_as_many_as_it_must() {
    let mut memory = filled(5);
    let added = memory.add_conversation(&new("x", "t", &[]), 2, NOW + 9 * MINUTE).unwrap();
    assert_eq!((added.evicted.len(), held(&memory)), (4, 2));
}

#[test]
fn what_is_kept_forever_is_bounded() {
    let mut memory = memory();
    for n in 0..1150 {
        let title = format!("Conversation {n}");
        let mut one = new(&format!("c{n}"), &title, &[]);
        one.messages = vec![(Role::User, Text::of(&format!("`f_{n}.py` and `g_{n}.py`")))];
        memory.add_conversation(&one, 1, NOW + n).unwrap();
    }
    let there = memory.fifo_statistics().unwrap();
    assert_eq!((there.conversations, there.evictions), (1, 1149));
    assert!(there.patterns <= 1100 && memory.evictions(9999).unwrap().len() <= 220, "{there:?}");
    assert!(there.entities.iter().map(|(_, count)| count).sum::<usize>() <= 1100);
    let entities = memory.entity_statistics(None, 9999).unwrap();
    assert!(entities.iter().any(|one| one.entity_name == "f_1149.py"), "the newest stay");
    assert!(!entities.iter().any(|one| one.entity_name == "f_0.py"), "the oldest go");
}
