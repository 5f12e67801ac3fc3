//! The ring's scenarios: wrapping, damage, and a model check of arbitrary histories.

use proptest::prelude::*;

use super::*;

const AT: &str = "2026-02-05T10:00:00Z";

fn pushed(memory: &mut WorkingMemory, phases: &[Phase]) {
    for phase in phases {
        memory.push_state(*phase, format!("{{\"of\":\"{phase}\"}}"), AT);
    }
}

/// The next run in the same lane: the ring continues where it stopped, the markers start unset.
fn next_run(memory: &WorkingMemory, run: &str) -> WorkingMemory {
    WorkingMemory::open(memory.lane(), run, memory.ring().clone(), memory.next_seq(), [None; Phase::COUNT])
}

fn slots(memory: &WorkingMemory) -> Vec<Option<usize>> {
    Phase::ALL.iter().map(|phase| memory.slot_of(*phase)).collect()
}

#[test]
fn a_whole_run_fills_slots_0_to_6_and_the_next_takes_7_to_13_and_the_third_wraps() {
    let mut first = WorkingMemory::fresh(0, "one");
    pushed(&mut first, &Phase::ALL);
    assert_eq!(slots(&first), (0..7).map(Some).collect::<Vec<_>>());
    assert_eq!((first.write_head(), first.ring().used().count()), (7, 7));

    let mut second = next_run(&first, "two");
    assert_eq!(second.get_state(Phase::Preflight), Err(MemoryError::PhaseNotInitialized(Phase::Preflight)));
    pushed(&mut second, &Phase::ALL);
    assert_eq!(slots(&second), (7..14).map(Some).collect::<Vec<_>>());

    let mut third = next_run(&second, "three");
    pushed(&mut third, &Phase::ALL);
    assert_eq!(slots(&third), [14, 15, 0, 1, 2, 3, 4].map(Some));
    assert_eq!(third.write_head(), 5);
    assert_eq!(third.ring().used().count(), CAPACITY);
}

#[test]
fn a_run_whose_slots_were_reused_gets_nothing_of_the_new_tenant() {
    let mut first = WorkingMemory::fresh(0, "one");
    pushed(&mut first, &Phase::ALL);
    let mut ring = first.clone();
    for run in ["two", "three"] {
        ring = next_run(&ring, run);
        pushed(&mut ring, &Phase::ALL);
    }
    let first = WorkingMemory::open(0, "one", ring.ring().clone(), ring.next_seq(), *first.markers());
    assert_eq!(first.get_state(Phase::Preflight), Err(MemoryError::PhaseNotInitialized(Phase::Preflight)));
    assert_eq!(first.get_state(Phase::Finish).map(|c| c.slot), Ok(6), "slot 6 is not reached yet");
}

#[test]
fn the_retry_of_the_seed_ends_with_p2_in_slot_2() {
    let mut memory = WorkingMemory::fresh(0, "run");
    pushed(&mut memory, &Phase::ALL[..4]);
    let before = memory.get_state(Phase::Preflight).cloned();
    memory.rollback_to(Phase::Preflight).unwrap();
    assert_eq!(memory.write_head(), 1);
    memory.push_state(Phase::Intake, "{\"description\":\"Validate email with improved patterns\"}", AT);
    assert_eq!(memory.push_state(Phase::Generate, "{}", AT), 2);
    assert_eq!(memory.get_state(Phase::Preflight).cloned(), before);
    assert_eq!(memory.get_state(Phase::Validate), Err(MemoryError::PhaseNotInitialized(Phase::Validate)));
}

#[test]
fn rollback_clears_the_future_and_sets_the_head_behind_the_restored_slot() {
    let mut memory = WorkingMemory::fresh(0, "run");
    pushed(&mut memory, &Phase::ALL[..4]);
    let restored = memory.rollback_to(Phase::Intake).unwrap().data.clone();
    assert_eq!(restored, "{\"of\":\"P1\"}");
    assert_eq!(memory.write_head(), 2);
    assert_eq!(slots(&memory), [Some(0), Some(1), None, None, None, None, None]);
    assert_eq!(memory.rollback_to(Phase::Finish), Err(MemoryError::NothingToRollback(Phase::Finish)));
}

#[test]
fn any_number_of_edit_rounds_leaves_every_earlier_phase_readable() {
    let mut memory = WorkingMemory::fresh(0, "run");
    pushed(&mut memory, &Phase::ALL[..5]);
    for round in 0..50 {
        for phase in [Phase::Generate, Phase::Validate, Phase::Approve] {
            memory.push_state(phase, format!("{{\"round\":{round}}}"), AT);
        }
        assert_eq!(memory.get_state(Phase::Preflight).map(|c| c.data.as_str()), Ok("{\"of\":\"P0\"}"));
        assert_eq!(memory.get_state(Phase::Intake).map(|c| c.data.as_str()), Ok("{\"of\":\"P1\"}"));
        assert_eq!(memory.get_state(Phase::Approve).map(|c| c.data.clone()), Ok(format!("{{\"round\":{round}}}")));
    }
    assert!(memory.rollback_to(Phase::Intake).is_ok());
}

#[test]
fn seventeen_pushes_bring_the_head_to_1_without_growth() {
    let mut ring = CircularBuffer::new();
    for n in 0..17 {
        ring.push(n);
    }
    assert_eq!((ring.write_head(), ring.used().count(), ring.get(0)), (1, CAPACITY, Some(&16)));
}

#[test]
fn one_changed_byte_or_a_swapped_row_fails_the_integrity_check() {
    let mut memory = WorkingMemory::fresh(0, "run");
    pushed(&mut memory, &Phase::ALL[..3]);
    let stored: Vec<_> = memory.ring().used().map(|(slot, c)| (slot, c.clone())).collect();
    let with = |rows: Vec<(usize, Checkpoint)>| {
        let ring = CircularBuffer::restored(rows, memory.write_head());
        WorkingMemory::open(0, "run", ring, memory.next_seq(), *memory.markers())
    };
    let damaged = Err(MemoryError::IntegrityCheckFailed { phase: Phase::Intake, slot: 1 });

    let mut flipped = stored.clone();
    flipped[1].1.data = flipped[1].1.data.replace("P1", "P9");
    assert_eq!(with(flipped.clone()).get_state(Phase::Intake), damaged);
    assert_eq!(with(flipped).rollback_to(Phase::Intake).cloned(), damaged.clone().cloned());

    let mut swapped = stored.clone();
    let (a, b) = (swapped[1].1.clone(), swapped[2].1.clone());
    (swapped[1].1, swapped[2].1) = (b, a);
    assert_eq!(with(swapped).get_state(Phase::Intake), damaged);

    let mut readdressed = stored;
    readdressed[1].1 = readdressed[2].1.clone();
    readdressed[1].1.slot = 1;
    assert_eq!(with(readdressed).get_state(Phase::Intake), damaged);
}

#[test]
fn a_checkpoint_of_another_lane_is_not_intact_here() {
    let sealed = Checkpoint {
        slot: 3,
        run: "run".into(),
        phase: Phase::Intake,
        seq: 1,
        at: AT.into(),
        data: "{}".into(),
        checksum: String::new(),
    }
    .sealed(0);
    assert!(sealed.intact(0, 3));
    assert!(!sealed.intact(1, 3));
    assert!(!sealed.intact(0, 4));
}

#[test]
fn phases_are_known_by_number_and_by_name() {
    for word in ["P2", "p2", "2", "PHASE-2", "generate", "Generate"] {
        assert_eq!(word.parse(), Ok(Phase::Generate), "{word}");
    }
    assert!("P7".parse::<Phase>().is_err());
    assert!("".parse::<Phase>().is_err());
}

#[test]
fn windows_are_views_over_the_slots() {
    let mut memory = WorkingMemory::fresh(0, "run");
    memory.push_state(Phase::Intake, r#"{"description":"d","input_valid":true,"private":1}"#, AT);
    memory.push_state(Phase::Generate, r#"{"skill_name":"s","validation_passed":null}"#, AT);
    memory.push_state(Phase::Validate, r#"{"validation_passed":true}"#, AT);
    let windows = serde_json::to_value(Windows::of(&memory)).unwrap();
    assert_eq!(windows["input"]["description"], "d");
    assert_eq!(windows["input"]["target_cli"], serde_json::Value::Null);
    assert!(windows["input"].get("private").is_none());
    assert_eq!(windows["processing"]["skill_name"], "s");
    assert_eq!(windows["processing"]["validation_passed"], true);
    assert_eq!(windows["approval"]["human_gate_response"], serde_json::Value::Null);
}

proptest! {
    /// Compares with a model that stores everything: `get_state` returns the newest push of that phase since the last
    /// rollback before it, and nothing else.
    #[test]
    fn get_state_gives_the_newest_push_or_nothing(history in proptest::collection::vec((0usize..7, any::<bool>()), 0..200)) {
        let mut memory = WorkingMemory::fresh(0, "run");
        let mut model: [Option<String>; Phase::COUNT] = Default::default();
        for (step, (index, push)) in history.into_iter().enumerate() {
            let phase = Phase::ALL[index];
            if push {
                let data = format!("{{\"step\":{step}}}");
                memory.push_state(phase, data.clone(), AT);
                model[index] = Some(data);
            } else {
                let rolled = memory.rollback_to(phase).map(|c| c.data.clone()).ok();
                prop_assert_eq!(&rolled, &model[index]);
                if rolled.is_some() {
                    model[index + 1..].fill(None);
                }
            }
            for phase in Phase::ALL {
                prop_assert_eq!(memory.get_state(phase).map(|c| c.data.clone()).ok(), model[phase.index()].clone());
            }
            prop_assert!(memory.write_head() < CAPACITY);
        }
    }
}
