//! A SKILL.md as frontmatter and sections, and the merge of two of them that loses nothing by itself.

mod chain;
mod merge;
mod split;

pub use merge::{Difference, Keep, Merged, merge, only_title};
pub use split::{Document, Section, split};
