//! What the checksum of a slot covers, the names of phases, and a model check of arbitrary histories.

use proptest::prelude::*;

use super::*;

const AT: &str = "2026-02-05T10:00:00Z";

#[test]
fn a_checkpoint_of_another_lane_is_not_intact_here() {
    let (run, at, data, checksum) = ("run".into(), AT.into(), "{}".into(), String::new());
    let sealed = Checkpoint { slot: 3, run, phase: Phase::Intake, seq: 1, at, data, checksum }.sealed(0);
    assert!(sealed.intact(0, 3) && !sealed.intact(1, 3) && !sealed.intact(0, 4));
}

#[test]
fn phases_are_known_by_number_and_by_name() {
    for word in ["P2", "p2", "2", "PHASE-2", "generate", "Generate"] {
        assert_eq!(word.parse(), Ok(Phase::Generate), "{word}");
    }
    assert!("P7".parse::<Phase>().is_err());
    assert!("".parse::<Phase>().is_err());
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
