//! What a skill is: a name, a head, a body and resources. Text in, text out.

/// A file of `templates/base/` in each language, read when it is first asked for.
macro_rules! base_files {
    ($file:literal) => {
        [base_files!("en", $file), base_files!("pt", $file), base_files!("es", $file)]
    };
    ($code:literal, $file:literal) => {
        std::sync::LazyLock::new(|| {
            let text = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/templates/base/", $code, "/", $file));
            #[allow(clippy::expect_used, reason = "the file is part of the program, and a test reads it")]
            toml::from_str(text).expect(concat!("templates/base/*/", $file, " has every phrase"))
        })
    };
}

pub mod body;
pub mod convert;
pub mod diff;
pub mod evals;
pub mod fact;
pub mod frontmatter;
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
