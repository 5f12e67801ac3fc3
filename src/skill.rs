//! What a skill is: a name, a head, a body and resources. Text in, text out.

pub mod body;
pub mod convert;
pub mod diff;
pub mod evals;
pub mod fact;
pub mod frontmatter;
pub mod head;
pub mod keyed;
mod line_index;
pub mod metadata;
pub mod name;
pub mod pack;
pub mod package;
pub mod position;
pub mod printable;
pub(crate) mod prose;
pub mod ranking;
pub mod rename;
pub mod sections;
pub mod semver;
pub mod sentence;
pub mod sources;
pub mod subject;
pub mod template;
pub mod three_way;
pub mod tokens;
pub mod tree;
pub mod version;
pub mod yaml;

pub use name::Name;
pub use printable::{printable, printable_line};
pub use sentence::{Archetype, Language, Sentence, describe, read};
pub use tree::{Blob, Tree};
