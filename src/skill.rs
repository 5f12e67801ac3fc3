//! What a skill is: a name, a head, a body and resources. Text in, text out.

pub mod diff;
pub mod keyed;
pub mod name;
pub mod sections;
pub mod tree;

pub use name::Name;
pub use tree::{Blob, Tree};
