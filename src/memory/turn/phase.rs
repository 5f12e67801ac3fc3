//! The eleven phases of a turn's initialisation, with the time each may take (TURN-13).

word_enum! {
    /// One phase of the initialisation, in order.
    InitPhase {
        ContextSetup = "context_setup",
        Identity = "consciousness",
        /// Goals, pending actions, questions, progress.
        Goals = "frontal_cortex",
        /// Past turns and their summary.
        Conversation = "conversation",
        Episodic = "episodic",
        Semantic = "semantic",
        /// Observations that are still open.
        ScratchPage = "scratch_page",
        Budget = "budget",
        /// One text out of the fragments.
        Assembly = "assembly",
        /// The store of the running turn.
        Buffer = "working_memory",
        Finalise = "finalise",
    }
}

impl InitPhase {
    /// Its number, 1 to 11 (TURN-1).
    pub fn number(self) -> u32 {
        self as u32 + 1
    }

    /// The time it may take, in milliseconds. Phases 8 to 11 share 200.
    pub fn target_ms(self) -> u64 {
        match self {
            Self::Identity | Self::Goals | Self::Conversation => 100,
            Self::Episodic | Self::Semantic => 150,
            _ => 50,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eleven_phases_in_order_within_the_total() {
        assert!(InitPhase::ALL.windows(2).all(|pair| pair[0] < pair[1]));
        assert_eq!(InitPhase::ALL.map(InitPhase::number), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
        let last: u64 = InitPhase::ALL[7..].iter().map(|phase| phase.target_ms()).sum();
        assert_eq!(last, 200);
        assert!(InitPhase::ALL.iter().map(|phase| phase.target_ms()).sum::<u64>() <= 1000);
    }
}
