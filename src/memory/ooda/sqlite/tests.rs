//! The window of an epoch in the database leaves what the window in memory leaves.

use crate::memory::ooda::{CachedEntity, EventQueue, Limits, NodeStatus, ObservationEvent};
use crate::memory::{Bounds, Memory};

#[test]
fn the_window_in_the_database_is_the_window_in_memory() {
    let mut memory = Memory::in_memory().unwrap();
    memory.open_epoch("e", 0).unwrap();
    let mut window = EventQueue::default();
    // New ones, ones that are in the window, ones that left it, and a window that grows and shrinks.
    for n in 0..200_u32 {
        let most = [3, 3, 5, 1, 4][(n / 40) as usize];
        let event = ObservationEvent {
            event_id: format!("event-{}", n * 7 % 11 % (n / 20 + 2)),
            description: format!("push {n}"),
            at: i64::from(n),
            priority: n % 3,
            ..ObservationEvent::default()
        };
        let gone: Vec<String> = window.push(event.clone(), most).into_iter().map(|gone| gone.event_id).collect();
        let ooda = Limits { events: most, ..Limits::default() };
        memory.keep_within(Bounds { ooda, ..Bounds::default() });
        assert_eq!(memory.push_event("e", &event, i64::from(n)).unwrap(), gone, "push {n}");
        assert_eq!(memory.events("e", None, 0).unwrap(), window.newest().cloned().collect::<Vec<_>>(), "push {n}");
        let traced = memory.evicted_events(gone.len()).unwrap();
        let traced: Vec<&str> = traced.iter().rev().map(|one| one.event_id.as_str()).collect();
        assert_eq!(traced, gone, "push {n}");
    }
    let summary = memory.flush_epoch("e", 200).unwrap();
    let counted = (summary.total_events_processed, summary.total_events_distinct);
    assert_eq!(counted, (window.processed, window.distinct));
}

#[test]
fn eviction_removes_expired_entities_and_old_events_and_counts_them() {
    let mut memory = Memory::in_memory().unwrap();
    memory.open_epoch("e", 0).unwrap();
    for n in 0..4_i64 {
        let event = ObservationEvent { event_id: n.to_string(), at: n * 1000, ..ObservationEvent::default() };
        memory.push_event("e", &event, 0).unwrap();
        let entity = CachedEntity { key: n.to_string(), ttl_seconds: Some(n), ..CachedEntity::default() };
        memory.cache_entity("e", &entity).unwrap();
    }
    // With an age of 10 s, at 11 s: event 1 is exactly as old as it may be; all entities have expired.
    assert_eq!(memory.evict_stale_entries(10, 11_000).unwrap(), 1 + 4);
    let left: Vec<String> = memory.events("e", None, 0).unwrap().into_iter().map(|event| event.event_id).collect();
    assert_eq!(left, ["3", "2", "1"]);
}

#[test]
fn registering_a_graph_again_begins_anew() {
    let mut memory = Memory::in_memory().unwrap();
    memory.open_epoch("e", 0).unwrap();
    let nodes = ["a".to_owned(), "b".to_owned()];
    memory.register_dag("e", "d", &nodes[..1]).unwrap();
    memory.update_dag_state("e", "d", "a", NodeStatus::Completed).unwrap();
    assert_eq!(memory.register_dag("e", "d", &nodes).unwrap().completed_count, 0);
    assert_eq!(memory.dags("e").unwrap().dags.len(), 1);
}
