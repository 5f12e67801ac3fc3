//! The token budget of a turn: loaded parts are counted, the rest is allocated, and the sum is the total.

use serde::{Deserialize, Serialize};

/// The default number of tokens of a turn (TURN-2).
pub const TOTAL: usize = 4000;
/// The maximum for the working memory (TURN-8).
const WORKING_MEMORY: usize = 1500;
/// The maximum for the tools.
const TOOLS: usize = 500;

words! {
    /// One source of the context, in the order of the context.
    Part {
        Identity = "consciousness",
        Goals = "fc",
        Conversation = "conversation",
        Episodic = "episodic",
        Semantic = "semantic",
        ScratchPage = "scratch_page",
        WorkingMemory = "working_memory",
        /// The AI CLIs and templates on this machine.
        Tools = "tools",
    }
}

impl Part {
    /// The parts that phases 2 to 7 load; the others get the rest.
    pub const LOADED: [Self; 6] =
        [Self::Identity, Self::Goals, Self::Conversation, Self::Episodic, Self::Semantic, Self::ScratchPage];

    pub fn heading(self) -> &'static str {
        match self {
            Self::Identity => "Identity and rules",
            Self::Goals => "Goals and open work",
            Self::Conversation => "Conversation",
            Self::Episodic => "Memory: what happened",
            Self::Semantic => "Memory: what is known",
            Self::ScratchPage => "Memory: observations",
            Self::WorkingMemory => "The session",
            Self::Tools => "What is here",
        }
    }

    /// The most tokens it may take (TURN-8).
    pub fn cap(self) -> usize {
        match self {
            Self::Identity => 200,
            Self::Goals | Self::Semantic => 300,
            Self::Conversation | Self::Episodic => 500,
            Self::ScratchPage => 100,
            Self::WorkingMemory => WORKING_MEMORY,
            Self::Tools => TOOLS,
        }
    }
}

/// The shares, in tokens. Their sum is `total`, always.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Budget {
    pub total: usize,
    pub consciousness: usize,
    pub fc: usize,
    pub conversation: usize,
    pub episodic: usize,
    pub semantic: usize,
    pub scratch_page: usize,
    pub working_memory: usize,
    pub tools: usize,
    /// Kept free; also what a failed phase did not use.
    pub buffer: usize,
}

impl Budget {
    /// Allocates the rest: working memory first, then tools; what is left stays free. `None` if more was loaded than
    /// the total.
    pub fn allocate(total: usize, loaded: [usize; 6]) -> Option<Self> {
        let sum = loaded.iter().try_fold(0_usize, |sum, one| sum.checked_add(*one))?;
        let rest = total.checked_sub(sum)?;
        let working_memory = rest.min(WORKING_MEMORY);
        let tools = (rest - working_memory).min(TOOLS);
        let buffer = rest - working_memory - tools;
        let [consciousness, fc, conversation, episodic, semantic, scratch_page] = loaded;
        Some(Self {
            total,
            consciousness,
            fc,
            conversation,
            episodic,
            semantic,
            scratch_page,
            working_memory,
            tools,
            buffer,
        })
    }

    /// The shares by name, in order, without the total.
    pub fn shares(&self) -> [(&'static str, usize); 9] {
        let shares = [
            self.consciousness, self.fc, self.conversation, self.episodic, self.semantic, self.scratch_page,
            self.working_memory, self.tools, self.buffer,
        ];
        std::array::from_fn(|at| (Part::ALL.get(at).map_or("buffer", |part| part.word()), shares[at]))
    }

    pub fn loaded(&self) -> usize {
        self.shares().iter().take(Part::LOADED.len()).map(|share| share.1).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_typical_numbers_of_the_seed_leave_a_buffer_of_one_hundred() {
        let caps = Part::LOADED.map(Part::cap);
        assert_eq!(caps, [200, 300, 500, 500, 300, 100]);
        let budget = Budget::allocate(TOTAL, caps).unwrap();
        assert_eq!((budget.loaded(), budget.working_memory, budget.tools, budget.buffer), (1900, 1500, 500, 100));
    }

    #[test]
    fn a_small_total_is_given_to_the_working_memory_first() {
        let budget = Budget::allocate(1000, [100, 0, 0, 0, 0, 0]).unwrap();
        assert_eq!((budget.working_memory, budget.tools, budget.buffer), (900, 0, 0));
        assert_eq!(Budget::allocate(99, [100, 0, 0, 0, 0, 0]), None);
        assert_eq!(Budget::allocate(99, [usize::MAX, 2, 0, 0, 0, 0]), None);
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig::with_cases(1000))]
        #[test]
        fn the_sum_is_the_total_for_all_sizes(total in 0_usize..20_000, loaded in proptest::array::uniform6(0_usize..3000)) {
            let sum: usize = loaded.iter().sum();
            match Budget::allocate(total, loaded) {
                Some(budget) => {
                    let shares = budget.shares();
                    proptest::prop_assert_eq!(shares.iter().map(|share| share.1).sum::<usize>(), total);
                    proptest::prop_assert_eq!(budget.loaded(), sum);
                }
                None => proptest::prop_assert!(sum > total),
            }
        }
    }
}
