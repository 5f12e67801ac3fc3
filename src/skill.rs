//! What a skill is: a name, a head, a body and resources. Text in, text out.

pub mod name;

pub use name::Name;
