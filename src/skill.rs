//! What a skill is: a name, a head, a body and resources. Text in, text out.

pub mod describe;
pub mod metadata;
pub mod name;
pub mod template;
pub mod tree;
pub mod understand;
pub mod yaml;

pub use name::Name;
pub use tree::{Blob, Tree};
