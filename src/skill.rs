//! What a skill is: a name, a head, a body and resources. Text in, text out.

pub mod frontmatter;
pub mod name;
pub mod position;
pub mod printable;
pub mod tokens;
pub mod tree;

pub use name::Name;
pub use tree::{Blob, Tree};
