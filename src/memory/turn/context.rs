//! The token budget of a turn: loaded parts are counted, the rest is allocated, and the sum is the total; and the
//! assembled context: fragments in a fixed order, each with its source, reason and cost.

use serde::{Deserialize, Serialize};

use super::buffer::Item;
use super::rank::Score;
use crate::skill::tokens;

/// The default number of tokens of a turn (TURN-2).
pub const TOTAL: usize = 4000;
/// The maxima for the working memory (TURN-8) and for the tools.
const WORKING_MEMORY: usize = 1500;
const TOOLS: usize = 500;

word_enum! {
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

/// One line of a fragment, and the reason for it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ContextLine {
    pub id: String,
    pub text: String,
    pub source: String,
    pub why: String,
    pub tokens: usize,
    pub score: Option<Score>,
}

/// One source's part of the context.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Fragment {
    pub part: Part,
    pub heading: String,
    pub source: String,
    pub version: Option<String>,
    pub why: String,
    /// The text for a drafter, with its heading.
    pub text: String,
    pub tokens: usize,
    pub hash: String,
    pub items: Vec<ContextLine>,
}

/// The head of a fragment: its source and reason.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FragmentHead {
    pub part: Part,
    pub source: String,
    pub version: Option<String>,
    pub why: &'static str,
}

impl FragmentHead {
    pub(super) fn of(part: Part, source: &str, why: &'static str) -> Self {
        Self { part, source: source.to_owned(), version: None, why }
    }

    pub(super) fn room(&self) -> usize {
        self.part.cap().saturating_sub(tokens::estimate(&self.text()) + 1)
    }

    fn text(&self) -> String {
        let version = self.version.as_ref().map(|version| format!(" {version}")).unwrap_or_default();
        format!("## {}\n(from {}{version}: {})\n", self.part.heading(), self.source, self.why)
    }
}

impl Fragment {
    /// A fragment of these lines; `None` without any.
    pub(super) fn of(about: &FragmentHead, items: Vec<(Item, Option<Score>)>) -> Option<Self> {
        if items.is_empty() {
            return None;
        }
        let mut text = about.text();
        for (item, _) in &items {
            text.push_str(&item.line());
        }
        let line = |(item, score)| {
            let Item { id, text, source, why, tokens, .. } = item;
            ContextLine { id, text, source, why, tokens, score }
        };
        let lines = items.into_iter().map(line).collect();
        let FragmentHead { part, source, version, why } = about.clone();
        Some(Self {
            part,
            heading: part.heading().to_owned(),
            source,
            version,
            why: why.to_owned(),
            tokens: tokens::estimate(&text),
            hash: blake3::hash(text.as_bytes()).to_hex().to_string(),
            text,
            items: lines,
        })
    }
}

#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Context {
    pub fragments: Vec<Fragment>,
}

impl Context {
    pub fn text(&self) -> String {
        self.fragments.iter().map(|fragment| fragment.text.as_str()).collect::<Vec<_>>().join("\n")
    }

    pub fn tokens(&self) -> usize {
        self.fragments.iter().map(|fragment| fragment.tokens).sum()
    }

    pub fn loaded(&self) -> [usize; 6] {
        Part::LOADED.map(|part| {
            self.fragments.iter().filter(|fragment| fragment.part == part).map(|fragment| fragment.tokens).sum()
        })
    }

    /// BLAKE3 over parts and texts, in hexadecimal. The same context has the same hash in every turn.
    pub fn hash(&self) -> String {
        let mut hasher = blake3::Hasher::new_derive_key("hefesto turn context v1");
        for fragment in &self.fragments {
            for piece in [fragment.part.word(), &fragment.text] {
                hasher.update(&(piece.len() as u64).to_le_bytes());
                hasher.update(piece.as_bytes());
            }
        }
        hasher.finalize().to_hex().to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::turn::buffer::ItemKind;

    #[test]
    fn the_typical_numbers_leave_a_buffer_and_a_small_total_goes_to_the_working_memory_first() {
        let caps = Part::LOADED.map(Part::cap);
        assert_eq!(caps, [200, 300, 500, 500, 300, 100]);
        let budget = Budget::allocate(TOTAL, caps).unwrap();
        assert_eq!((budget.loaded(), budget.working_memory, budget.tools, budget.buffer), (1900, 1500, 500, 100));
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

    fn fragment(part: Part, text: &str) -> Fragment {
        let about = FragmentHead::of(part, "memory", "because");
        Fragment::of(&about, vec![(Item::new("a", ItemKind::Fact, text), None)]).unwrap()
    }

    #[test]
    fn a_fragment_says_where_it_is_from_and_costs_what_its_text_costs() {
        let items = vec![(Item::new("a", ItemKind::Custom, "Keep the name short"), None)];
        let about = FragmentHead::of(Part::Identity, "CONSTITUTION.md", "every skill keeps it");
        let about = FragmentHead { version: Some("1.1.0".into()), ..about };
        let made = Fragment::of(&about, items).unwrap();
        let head = "## Identity and rules\n(from CONSTITUTION.md 1.1.0: every skill keeps it)\n";
        assert_eq!(made.text, format!("{head}- Keep the name short\n"));
        assert_eq!(made.tokens, tokens::estimate(&made.text));
        assert!(made.tokens <= Part::Identity.cap() - about.room() + made.items[0].tokens);
        assert_eq!(Fragment::of(&about, Vec::new()), None);
    }

    #[test]
    fn the_hash_is_of_parts_and_texts() {
        let one = Context { fragments: vec![fragment(Part::Episodic, "x"), fragment(Part::Semantic, "y")] };
        assert_eq!(one.hash(), one.clone().hash());
        let other = Context { fragments: vec![fragment(Part::Episodic, "x"), fragment(Part::Semantic, "z")] };
        assert_ne!(one.hash(), other.hash());
        assert_ne!(one.hash(), Context { fragments: vec![fragment(Part::Semantic, "x")] }.hash());
        assert_eq!(one.tokens(), one.loaded().iter().sum::<usize>());
    }
}
