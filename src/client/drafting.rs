//! Drafting by an AI CLI: what it is asked, how its answer is read, and what a body must be. Text in, text out.

mod answer;
mod brief;
mod contract;

pub use answer::{Answer, Output, read};
pub use brief::{Assignment, SYSTEM, again, whole_prompt};
pub use contract::{MARK, MOST, NotABody, body, whole};
