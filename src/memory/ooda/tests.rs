//! The module's own cases: OODA-1 to OODA-6.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use serde_json::json;

use super::*;

fn event(id: &str, at: i64, priority: u32) -> ObservationEvent {
    ObservationEvent { event_id: id.into(), description: format!("saw {id}"), at, priority, ..Default::default() }
}

fn entity(key: &str, ttl: Option<i64>, created: i64) -> CachedEntity {
    CachedEntity { key: key.into(), value: json!(key), ttl_seconds: ttl, created, ..Default::default() }
}

fn nodes(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn o01_a_graph_counts_what_is_done_failed_and_left() {
    let mut ram = LiveMemory { dags: vec![Dag::new("d", &nodes(&["a", "b", "c"]))], ..LiveMemory::default() };
    ram.update_dag_state("d", "a", NodeStatus::Completed);
    ram.update_dag_state("d", "b", NodeStatus::Failed);
    let snapshot = ram.update_dag_state("d", "c", NodeStatus::Running);
    let counts = [snapshot.total_nodes, snapshot.completed_count, snapshot.failed_count, snapshot.running_count];
    assert_eq!((counts, snapshot.estimated_remaining_steps), ([3, 1, 1, 1], 1));
    assert_eq!(snapshot.completion_percentage, 33.33);
    assert_eq!(snapshot.failed_node_ids, ["b"]);
    let parked = ram.update_dag_state("d", "a", NodeStatus::Parked);
    assert_eq!((parked.estimated_remaining_steps, parked.parked_count), (2, 1), "o20: still to be done");
    assert_eq!(Dag::new("d", &[]).snapshot().completion_percentage, 0.0, "o02");
}

#[test]
fn o04_an_unknown_graph_or_node_is_added() {
    let mut ram = LiveMemory::default();
    assert_eq!(ram.update_dag_state("new", "x", NodeStatus::Completed).total_nodes, 1);
    assert_eq!(ram.update_dag_state("new", "y", NodeStatus::Pending).total_nodes, 2);
}

#[test]
fn o05_o06_the_window_slides_and_an_event_seen_again_is_the_newest_with_its_new_words() {
    let mut queue = EventQueue::default();
    let gone: Vec<_> = (0..5).flat_map(|n| queue.push(event(&n.to_string(), n, 0), 3)).collect();
    assert_eq!(gone.iter().map(|event| event.event_id.as_str()).collect::<Vec<_>>(), ["0", "1"]);
    assert_eq!(queue.newest().map(|event| event.event_id.as_str()).collect::<Vec<_>>(), ["4", "3", "2"]);
    let mut queue = EventQueue::default();
    queue.push(event("a", 1, 0), 3);
    queue.push(event("b", 2, 0), 3);
    queue.push(ObservationEvent { description: "again".into(), ..event("a", 3, 0) }, 3);
    assert_eq!(queue.newest().next().unwrap().description, "again");
    assert_eq!((queue.events.len(), queue.processed, queue.distinct), (2, 3, 2));
}

#[test]
fn o07_o08_o09_an_entity_lives_as_long_as_its_ttl_is_replaced_by_its_key_and_goes_when_least_used() {
    let mut cache = EntityCache::default();
    cache.put(entity("k", Some(10), 0), 4);
    assert!(cache.get("k", 10_000).is_some());
    assert!(cache.get("k", 10_001).is_none());
    assert!(cache.entities.is_empty(), "reading an expired entity removes it");
    let mut cache = EntityCache::default();
    cache.put(entity("k", Some(10), 0), 4);
    cache.put(CachedEntity { value: json!(2), ..entity("k", Some(10), 9_000) }, 4);
    assert_eq!(cache.entities.len(), 1);
    assert_eq!(cache.get("k", 12_000).unwrap().value, json!(2));
    let mut cache = EntityCache::default();
    cache.put(entity("a", None, 0), 2);
    cache.put(entity("b", None, 0), 2);
    assert!(cache.get("a", 0).is_some());
    let gone = cache.put(entity("c", None, 0), 2);
    assert_eq!(gone.first().unwrap().key, "b");
}

#[test]
fn o11_o12_o14_a_query_filters_what_has_not_expired() {
    let mut ram = LiveMemory::default();
    ram.dags.push(Dag::new("d", &nodes(&["n"])));
    ram.events.push(event("disk", 1, 0), 9);
    ram.events.push(event("net", 2, 0), 9);
    for (key, ttl) in [("disk_path", None), ("host", None), ("disk_gone", Some(1))] {
        ram.entities.put(entity(key, ttl, 0), 9);
    }
    let slice = ram.read_context(Query::of("DISK").as_ref(), 50, 2_000);
    assert_eq!(slice.recent_events.len(), 1);
    assert_eq!(slice.cached_entities.keys().collect::<Vec<_>>(), ["disk_path"]);
    assert_eq!((slice.total_events_in_history, slice.total_entities_cached), (2, 3));
    assert_eq!(slice.dag_snapshots.len(), 1);
    let all = ram.read_context(Query::of("  ").as_ref(), 50, 2_000);
    assert_eq!((all.recent_events.len(), all.cached_entities.len(), all.truncated), (2, 2, false));
}

#[test]
fn o15_o16_o22_a_flush_sums_up_what_is_key_and_wipes() {
    let mut ram = LiveMemory::default();
    ram.dags.push(Dag::new("good", &nodes(&["a"])));
    ram.update_dag_state("good", "a", NodeStatus::Completed);
    ram.update_dag_state("bad", "b", NodeStatus::Failed);
    ram.events.push(event("e", 1, 0), 9);
    ram.entities.put(entity("k", None, 0), 9);
    let summary = ram.flush_to_summarizer("1", 1_000, 3_500);
    assert_eq!((summary.epoch_id.as_str(), summary.total_duration_ms), ("epoch_1", 2_500));
    assert_eq!(summary.dag_ids_processed, ["good", "bad"]);
    assert_eq!((summary.completed_dags, summary.failed_dags), (vec!["good".to_owned()], vec!["bad".to_owned()]));
    assert_eq!((summary.total_events_processed, summary.total_entities_cached), (1, 1));
    assert!(ram.dags.is_empty() && ram.events.events.is_empty() && ram.entities.entities.is_empty());
    let mut ram = LiveMemory::default();
    ram.entities.put(entity("old", Some(1), 0), 99);
    for n in 0..12 {
        ram.entities.put(entity(&format!("k{n}"), None, 0), 99);
    }
    let summary = ram.flush_to_summarizer("1", 0, 5_000);
    assert_eq!(summary.key_entities.len(), 10);
    assert_eq!(summary.key_entities.keys().next().unwrap(), "k11");
    assert!(!summary.key_entities.contains_key("old"));
    let mut ram = LiveMemory::default();
    for (id, priority) in [("low1", 1), ("high1", 5), ("low2", 1), ("high2", 5)] {
        ram.events.push(event(id, 0, priority), 99);
    }
    let summary = ram.flush_to_summarizer("1", 0, 0);
    assert_eq!(summary.key_events, ["saw high2", "saw high1", "saw low2", "saw low1"]);
}

#[test]
fn o18_the_decision_follows_from_the_work() {
    let mut ram = LiveMemory::default();
    assert_eq!(Decision::of(&ram.dags), Decision::Replan);
    ram.dags.push(Dag::new("d", &nodes(&["a", "b"])));
    assert_eq!(Decision::of(&ram.dags), Decision::Continue("a".into()));
    for (node, status, decision) in [
        ("b", NodeStatus::Running, Decision::Continue("b".into())), // o19: before what is pending
        ("b", NodeStatus::Pending, Decision::Continue("a".into())),
        ("a", NodeStatus::Completed, Decision::Continue("b".into())),
        ("b", NodeStatus::Parked, Decision::Park),
        ("b", NodeStatus::Failed, Decision::Replan),
        ("b", NodeStatus::Completed, Decision::Complete),
    ] {
        ram.update_dag_state("d", node, status);
        assert_eq!(Decision::of(&ram.dags), decision);
    }
}

#[test]
fn o10_o13_o21_the_context_is_bounded_looks_into_source_and_payload_and_is_no_use() {
    let mut ram = LiveMemory::default();
    for n in 0..60 {
        ram.events.push(event(&n.to_string(), n, 0), 256);
    }
    let slice = ram.read_context(None, 50, 0);
    assert_eq!(slice.recent_events.len(), 50);
    assert_eq!(slice.recent_events.first().unwrap().event_id, "59");
    assert!(slice.truncated);
    let mut ram = LiveMemory::default();
    let payload = json!({ "path": "/srv/Data" }).as_object().unwrap().clone();
    ram.events.push(ObservationEvent { payload, source: Source::Webhook, ..event("a", 1, 0) }, 9);
    ram.events.push(event("b", 2, 0), 9);
    for words in ["webhook", "srv/data", "saw webhook"] {
        let slice = ram.read_context(Query::of(words).as_ref(), 50, 0);
        assert_eq!(slice.recent_events.len(), 1, "{words}");
    }
    let mut ram = LiveMemory::default();
    ram.entities.put(entity("a", None, 0), 2);
    ram.entities.put(entity("b", None, 0), 2);
    let _slice = ram.read_context(Query::of("a").as_ref(), 50, 0);
    assert_eq!(ram.entities.put(entity("c", None, 0), 2).first().unwrap().key, "a");
}
