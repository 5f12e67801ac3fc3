//! A SKILL.md as frontmatter and sections, and a merge of two that drops nothing without a decision.

mod chain;
mod merge;
mod split;

pub use merge::{Difference, Keep, Merged, merge, only_title};
pub(crate) use split::fences;
pub use split::{Document, Section, split};
