//! Eviction, accepted input, refused input.

use serde_json::json;

use super::*;

fn held(id: i64, is_active: bool, pinned: bool) -> EvictionCandidate {
    EvictionCandidate { id, created_at: 100 + id, is_active, pinned }
}

#[test]
fn the_oldest_that_nobody_needs_leaves() {
    let queue = [held(1, true, false), held(2, false, true), held(4, false, false), held(3, false, false)];
    assert_eq!(victims(&queue, 5), Ok(vec![]));
    assert_eq!(victims(&queue, 4), Ok(vec![3]));
    assert_eq!(victims(&queue, 3), Ok(vec![3, 4]));
    assert_eq!(victims(&queue, 2), Err(FifoError::Full { count: 4, capacity: 2 }));
}

#[test]
fn a_conversation_needs_a_title_only() {
    let new = NewConversation::from_json(&json!({ "title": " One  line " }), "fresh").unwrap();
    assert_eq!((new.conversation_id.as_str(), new.title.as_str()), ("fresh", "One line"));
    assert!(new.messages.is_empty() && new.tags.is_empty() && !new.is_active);
}

#[test]
fn what_is_no_conversation_is_refused() {
    for (value, why) in [
        (json!([]), "expected"),
        (json!({}), "title"),
        (json!({ "title": "  " }), "blank"),
        (json!({ "title": "t", "messages": [{ "role": "robot", "content": "x" }] }), "robot"),
        (json!({ "title": "t", "colour": 1 }), "colour"),
        (json!({ "title": "t", "conversation_id": "a b" }), "conversation_id"),
        (json!({ "title": "t", "conversation_id": "" }), "conversation_id"),
        (json!({ "title": "t".repeat(1001) }), "longer"),
        (json!({ "title": "t", "messages": [{ "role": "user", "content": "x".repeat(1024 * 1024 + 1) }] }), "TooLarge"),
    ] {
        let error = NewConversation::from_json(&value, "fresh").unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
    }
}

#[test]
fn no_credential_is_kept_or_quoted() {
    let key = ["gh", "p_", "Zk3uR8vQ1xW7pL2mT9bN4cY6dF0gH5jSaErV"].concat();
    let content =
        json!({ "title": format!("t {key}"), "tags": [key], "messages": [{ "role": "user", "content": key }] });
    let new = NewConversation::from_json(&content, "fresh").unwrap();
    assert_eq!(new.redacted(), 3);
    assert!(!format!("{new:?}").contains(&key));
    for wrong in [
        json!({ "title": "t", "messages": [{ "role": key, "content": "x" }] }),
        json!({ "title": "t", "messages": key }),
        json!({ "title": "t", "conversation_id": key }),
    ] {
        let error = NewConversation::from_json(&wrong, "fresh").unwrap_err();
        assert!(!format!("{error:?} {error}").contains(&key), "{error}");
    }
}

#[test]
fn messages_come_alone_listed_or_wrapped() {
    let one = json!({ "role": "tool", "content": "x" });
    for value in [one.clone(), json!([one]), json!({ "messages": [one] })] {
        assert_eq!(messages(&value).unwrap(), [(Role::Tool, Text::of("x"))]);
    }
    assert!(messages(&json!([])).is_err() && messages(&json!({ "messages": [], "x": 1 })).is_err());
}

#[test]
fn a_conversation_leaves_its_entities_pairs_tags_and_verb() {
    let entity = |kind, name: &str, relevance_score| Mention { kind, name: name.into(), relevance_score };
    let entities = [entity(EntityType::Method, "parse", 0.6), entity(EntityType::File, "a.rs", 1.0)];
    let found = patterns("Fixes the parser", &["Rust".into(), "rust".into()], &entities);
    let found: Vec<(&str, &str)> = found.iter().map(|one| (one.kind, one.key.as_str())).collect();
    let (file, method, pair) = ("file:a.rs", "method:parse", "file:a.rs + method:parse");
    let expected = [("entity", file), ("entity", method), ("pair", pair), ("tag", "rust"), ("verb", "fix")];
    assert_eq!(found, expected);
    assert_eq!(patterns("Parser", &[], &[]), []);
}

#[test]
fn only_the_surest_entities_are_paired() {
    let many: Vec<Mention> = (0..40)
        .map(|n| Mention { kind: EntityType::Variable, name: format!("v_{n:02}"), relevance_score: 0.6 })
        .collect();
    let found = patterns("x", &[], &many);
    assert_eq!(found.iter().filter(|one| one.kind == "pair").count(), PAIRED * (PAIRED - 1) / 2);
    assert_eq!(found.iter().filter(|one| one.kind == "entity").count(), 40);
}

proptest::proptest! {
    #[test]
    fn eviction_is_fifo_and_never_touches_what_is_needed(
        queue in proptest::collection::vec((0i64..50, proptest::bool::ANY, proptest::bool::ANY), 0..40),
        capacity in 1usize..30,
    ) {
        let candidate = |(id, (created_at, is_active, pinned))| {
            EvictionCandidate { id, created_at, is_active, pinned }
        };
        let queue: Vec<EvictionCandidate> = (0..).zip(queue).map(candidate).collect();
        let free = queue.iter().filter(|one| !one.is_active && !one.pinned).count();
        match victims(&queue, capacity) {
            Err(_) => proptest::prop_assert!(queue.len() - free + 1 > capacity),
            Ok(leaving) => {
                proptest::prop_assert!(queue.len() - leaving.len() < capacity);
                let of = |id: &i64| queue.iter().find(|one| one.id == *id).unwrap();
                proptest::prop_assert!(leaving.iter().map(of).all(|one| !one.is_active && !one.pinned));
                let stay = queue.iter().filter(|one| !one.is_active && !one.pinned && !leaving.contains(&one.id));
                let last = leaving.iter().map(of).map(|one| (one.created_at, one.id)).max();
                let first = stay.map(|one| (one.created_at, one.id)).min();
                proptest::prop_assert!(last.is_none() || first.is_none() || last < first);
            }
        }
    }
}
