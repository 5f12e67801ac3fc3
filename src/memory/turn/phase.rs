//! The eleven phases of a turn's initialisation, with the time each may take (TURN-13).

use serde::Serialize;

/// One phase of the initialisation, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum InitPhase {
    ContextSetup,
    Identity,
    /// Goals, pending actions, questions, progress.
    Goals,
    /// Past turns and their summary.
    Conversation,
    Episodic,
    Semantic,
    /// Observations that are still open.
    ScratchPage,
    Budget,
    /// One text out of the fragments.
    Assembly,
    /// The store of the running turn.
    Buffer,
    Finalise,
}

impl InitPhase {
    /// All of them, in order.
    pub const ALL: [Self; 11] = [
        Self::ContextSetup,
        Self::Identity,
        Self::Goals,
        Self::Conversation,
        Self::Episodic,
        Self::Semantic,
        Self::ScratchPage,
        Self::Budget,
        Self::Assembly,
        Self::Buffer,
        Self::Finalise,
    ];

    /// Its number, 1 to 11 (TURN-1).
    pub fn number(self) -> u32 {
        self as u32 + 1
    }

    /// Its name in the trace.
    pub fn name(self) -> &'static str {
        match self {
            Self::ContextSetup => "context_setup",
            Self::Identity => "consciousness",
            Self::Goals => "frontal_cortex",
            Self::Conversation => "conversation",
            Self::Episodic => "episodic",
            Self::Semantic => "semantic",
            Self::ScratchPage => "scratch_page",
            Self::Budget => "budget",
            Self::Assembly => "assembly",
            Self::Buffer => "working_memory",
            Self::Finalise => "finalise",
        }
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
