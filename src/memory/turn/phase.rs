//! The eleven phases of a turn's initialisation, with the time each may take (TURN-13).

word_enum! {
    InitPhase {
        ContextSetup = "context_setup",
        Identity = "consciousness",
        Goals = "frontal_cortex",
        Conversation = "conversation",
        Episodic = "episodic",
        Semantic = "semantic",
        ScratchPage = "scratch_page",
        Budget = "budget",
        Assembly = "assembly",
        Buffer = "working_memory",
        Finalise = "finalise",
    }
}

impl InitPhase {
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
