//! The window of an epoch in the database leaves what the window in memory leaves.

use serde_json::Map;

use crate::memory::Memory;
use crate::memory::ooda::{EventQueue, Limits, ObservationEvent, Source};

#[test]
fn a_push_that_reads_no_whole_window_leaves_what_one_that_does_would() {
    let mut memory = Memory::in_memory().unwrap();
    memory.open_epoch(None, "e", 0).unwrap();
    let mut window = EventQueue::default();
    // New ones, ones that are in the window, ones that left it, and a window that grows and shrinks.
    for n in 0..200_u32 {
        let most = [3, 3, 5, 1, 4][(n / 40) as usize];
        let event = ObservationEvent {
            event_id: format!("event-{}", n * 7 % 11 % (n / 20 + 2)),
            source: Source::System,
            description: format!("push {n}"),
            payload: Map::new(),
            at: i64::from(n),
            priority: n % 3,
        };
        let gone: Vec<String> = window.push(event.clone(), most).into_iter().map(|gone| gone.event_id).collect();
        let limits = Limits { events: most, ..Limits::default() };
        assert_eq!(memory.push_event("e", &event, limits, i64::from(n)).unwrap(), gone, "push {n}");
        assert_eq!(memory.events("e", None, 0).unwrap(), window.newest().cloned().collect::<Vec<_>>(), "push {n}");
        let traced = memory.evicted_events(gone.len()).unwrap();
        let traced: Vec<&str> = traced.iter().rev().map(|one| one.event_id.as_str()).collect();
        assert_eq!(traced, gone, "push {n}");
    }
    let summary = memory.flush_epoch("e", 200).unwrap();
    assert_eq!(summary.total_events_processed, window.processed);
}
