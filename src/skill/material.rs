//! What a person's own files say that a skill can use: commands, steps, endpoints, warnings, notes and links.
//!
//! Nothing is invented: every fact is a piece of the file, shortened at most, and stays attributed to it.

mod history;
mod markdown;
mod openapi;
mod place;
mod recipes;

use serde::{Deserialize, Serialize};

pub use place::cited;

/// How many facts of one kind are taken from a file.
pub const MOST: usize = 12;

/// The longest fact, in Unicode scalar values; a longer command is left out, other text is cut at a word.
pub const LONGEST: usize = 240;

/// What a fact is, which decides where it is placed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// One step of the work, in the order of the file.
    Step,
    Command,
    /// A method and path of an HTTP interface.
    Endpoint,
    /// What must not be done or goes wrong.
    Warning,
    /// Anything else that is stated as a point of a list.
    Note,
    /// An address on the web.
    Link,
}

/// One piece of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Piece {
    pub kind: Kind,
    pub text: String,
    /// What the file says of it: a command's purpose, an endpoint's summary; may be empty.
    pub about: String,
}

/// What was taken from one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Material {
    /// The file's name, without its directory.
    pub from: String,
    /// What the file is about, in its own words; may be empty.
    pub summary: String,
    /// The facts, in the order of the file.
    pub pieces: Vec<Piece>,
    /// How many more the file holds.
    pub left_out: usize,
}

/// Reads a file by its name and content: a Makefile or justfile, package.json, an OpenAPI description, a shell
/// history; everything else as Markdown or plain notes.
#[must_use]
pub fn read(name: &str, text: &str) -> Material {
    let mut found = Found::default();
    let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n").replace('\r', "\n");
    let lower = name.to_ascii_lowercase();
    let ending = lower.rsplit_once('.').map_or("", |(_, ending)| ending);
    let known = match ending {
        _ if lower == "package.json" => recipes::package(&text, &mut found),
        _ if matches!(lower.as_str(), "makefile" | "gnumakefile") || ending == "mk" => recipes::make(&text, &mut found),
        _ if matches!(lower.as_str(), "justfile" | ".justfile") => recipes::just(&text, &mut found),
        "json" | "yaml" | "yml" => openapi::read(&text, &mut found),
        _ if lower.ends_with("history") || history::looks_like_one(&text) => history::read(&text, &mut found),
        _ => false,
    };
    if !known {
        markdown::read(&text, &mut found);
    }
    Material { from: name.to_owned(), summary: found.summary, pieces: found.pieces, left_out: found.left_out }
}

/// What is being collected of a file.
#[derive(Default)]
struct Found {
    summary: String,
    pieces: Vec<Piece>,
    left_out: usize,
}

impl Found {
    /// Takes a fact, once, as long as there is room for its kind.
    fn take(&mut self, kind: Kind, text: &str, about: &str) {
        let whole = one_line(text);
        let long = whole.chars().count() > LONGEST;
        let exact = matches!(kind, Kind::Command | Kind::Link | Kind::Endpoint);
        let known = |piece: &Piece| piece.kind == kind && piece.text == whole;
        if whole.is_empty() || self.pieces.iter().any(known) {
            return;
        }
        if (long && exact)
            || (kind == Kind::Command && whole.contains("```"))
            || self.pieces.iter().filter(|piece| piece.kind == kind).count() >= MOST
        {
            self.left_out += 1;
            return;
        }
        self.pieces.push(Piece { kind, text: cut(&whole), about: cut(&one_line(about)) });
    }

    /// What the file is about; the first word on it counts.
    fn about(&mut self, text: &str) {
        if self.summary.is_empty() {
            self.summary = cut(&one_line(text));
        }
    }
}

/// The text on one line, control characters gone, and nothing in it that a client would run while it loads the skill.
fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split(|c: char| c.is_whitespace() || c.is_control()).collect();
    words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ").replace("!`", "! `")
}

/// The text, at most [`LONGEST`] long: cut after a word, and the cut shown.
fn cut(text: &str) -> String {
    if text.chars().count() <= LONGEST {
        return text.to_owned();
    }
    let head: String = text.chars().take(LONGEST - 2).collect();
    let whole = head.rsplit_once(' ').map_or(head.as_str(), |(whole, _)| whole);
    format!("{whole} ...")
}

#[cfg(test)]
mod tests;
