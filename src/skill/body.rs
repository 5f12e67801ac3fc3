//! The body of a skill: the sentence, facts of the repository, lines of domain packs and the author's answers, each
//! line with its origin. It contains nothing else; what is unknown becomes a question.

mod alternatives;
mod assemble;
mod author;
mod commands;
mod contradiction;
mod house;
mod limits;
mod near;
mod phrases;
mod portugal;
mod relevant;
mod required;
mod steps;

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

pub use assemble::{Material, assemble};
pub use author::{Remembered, question, with_question};
pub(in crate::skill) use phrases::Phrases;
pub(crate) use phrases::template_lines;
pub use required::{below_title, said, with_file, with_lines};

use super::pack::Chosen;
use super::sentence::{Sentence, lowered};

/// The maximum number of content lines; those with the least weight are removed first.
pub const MOST_LINES: usize = 30;
/// With fewer specific lines a skill tells a model nothing new.
const ENOUGH_SPECIFIC: usize = 6;
/// The maximum number of open questions in a body.
pub const MOST_OPEN: usize = 3;

/// Where a line comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "from")]
pub enum Origin {
    /// The sentence, in the author's words.
    Sentence,
    /// The author's answer in their words; the line may include its question.
    Answer {
        key: String,
        #[serde(default)]
        said: String,
    },
    /// A rule in a file of the repository.
    House { file: String, line: usize },
    /// A line of a file the author named.
    Given { file: String, line: usize },
    /// A fact of the repository.
    Repository { file: String, line: usize },
    /// A line of a domain pack.
    Pack { id: String },
    /// A remembered line, and why it is relevant.
    Memory { id: String, because: String },
    /// A question nobody has answered.
    Open { key: String },
}

/// What kind of line it is: decides its prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shape {
    /// A line without a prefix, with a blank line before it.
    Plain,
    /// A numbered step.
    Step,
    /// A point under the step before it.
    Under,
    /// A point of a list.
    Point,
    /// A row of the table of cases: three cells.
    Row,
    /// A block of code under the step before it.
    Code,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    pub shape: Shape,
    /// Markdown without the prefix of its shape; cells of a row are joined by ` | `.
    pub text: String,
    pub origin: Origin,
    /// 3 to 1; the lowest are removed first when there are too many lines.
    pub weight: u8,
}

/// Lines under one heading.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Section {
    /// With its `#` signs; empty for none.
    pub heading: String,
    pub lines: Vec<Line>,
}

/// A question only the author can answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenQuestion {
    pub key: String,
    pub ask: String,
}

/// A pack with lines in the body, and the reason it was chosen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UsedPack {
    pub id: String,
    pub because: String,
    pub lines: usize,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Body {
    pub sections: Vec<Section>,
    pub packs: Vec<UsedPack>,
    /// All open questions in the order they are asked; the first [`MOST_OPEN`] are in the body.
    pub open: Vec<OpenQuestion>,
    /// Names of tools in the sentence that no pack knows.
    #[serde(default)]
    pub unknown: Vec<String>,
    /// The heads of the table of cases.
    columns: [String; 3],
    /// The label of a rule of the house under a step.
    here: String,
}

impl Line {
    /// A line that is among the last to be removed.
    fn new(shape: Shape, text: impl Into<String>, origin: Origin) -> Self {
        Self { shape, text: text.into(), origin, weight: 3 }
    }

    /// Whether it comes from the author, the repository or a pack.
    pub fn specific(&self) -> bool {
        !matches!(self.origin, Origin::Open { .. } | Origin::Sentence)
    }
}

impl Origin {
    fn pack(chosen: &Chosen) -> Self {
        Self::Pack { id: chosen.pack.head.id.clone() }
    }
}

impl Section {
    fn new(heading: impl Into<String>, lines: Vec<Line>) -> Self {
        Self { heading: heading.into(), lines }
    }
}

fn lines_of(sections: &[Section]) -> impl Iterator<Item = &Line> {
    sections.iter().flat_map(|section| &section.lines)
}

impl Body {
    /// Every line with its origin.
    pub fn lines(&self) -> impl Iterator<Item = &Line> {
        lines_of(&self.sections)
    }

    /// Removes the remembered line with this id.
    pub fn forget(&mut self, remembered: &str) {
        let is_it = |line: &Line| matches!(&line.origin, Origin::Memory { id, .. } if id == remembered);
        self.sections.iter_mut().for_each(|section| section.lines.retain(|line| !is_it(line)));
    }

    /// The line that names the request.
    pub fn input(&self) -> &str {
        self.lines().next().map_or("", |line| &line.text)
    }

    /// Number of content lines: all but headings, code and open questions.
    pub fn content(&self) -> usize {
        self.lines().filter(|line| line.shape != Shape::Code && !matches!(line.origin, Origin::Open { .. })).count()
    }

    pub fn specific(&self) -> usize {
        self.lines().filter(|line| line.shape != Shape::Code && line.specific()).count()
    }

    /// Whether it says too little that a model does not know already.
    pub fn is_generic(&self) -> bool {
        self.specific() < ENOUGH_SPECIFIC
    }

    /// The body below the line that names the request.
    pub fn instructions(&self) -> String {
        let text = self.markdown();
        text.split_once('\n').map_or(String::new(), |(_, rest)| rest.trim_start_matches('\n').to_owned())
    }

    /// The body below its title.
    pub fn markdown(&self) -> String {
        let mut out = String::new();
        let mut number = 0;
        for section in self.sections.iter().filter(|section| !section.lines.is_empty() || section.heading.len() > 2) {
            if !section.heading.is_empty() {
                let _ = write!(out, "\n{}\n", section.heading);
            }
            let mut before = None;
            for line in &section.lines {
                if before != Some(line.shape) && (line.shape == Shape::Row || !listed(before))
                    || line.shape == Shape::Plain
                {
                    out.push('\n');
                }
                let text = &line.text;
                let _ = match line.shape {
                    Shape::Plain => writeln!(out, "{text}"),
                    Shape::Step => {
                        number += 1;
                        writeln!(out, "{number}. {text}")
                    }
                    Shape::Under if matches!(line.origin, Origin::House { .. }) => {
                        writeln!(out, "   - {}: {text}", self.here)
                    }
                    Shape::Under => writeln!(out, "   - {text}"),
                    Shape::Point => writeln!(out, "- {text}"),
                    Shape::Code => writeln!(out, "   ```text\n   {}\n   ```", text.replace('\n', "\n   ")),
                    Shape::Row => {
                        if before != Some(Shape::Row) {
                            let _ = write!(out, "| {} |\n|---|---|---|\n", self.columns.join(" | "));
                        }
                        writeln!(out, "| {text} |")
                    }
                };
                before = Some(line.shape);
            }
        }
        out.trim_matches('\n').to_owned()
    }
}

/// Whether the line before is part of a list that may continue.
fn listed(before: Option<Shape>) -> bool {
    before.is_some_and(|shape| matches!(shape, Shape::Step | Shape::Under | Shape::Point | Shape::Code))
}

/// The longest heading, in Unicode scalar values.
const LONGEST_HEADING: usize = 200;

/// The sentence as a heading. A long one is cut before a part; the full sentence is then the first line of the body.
pub fn heading(sentence: &Sentence) -> String {
    let title = plain(&sentence.title);
    if title.chars().count() <= LONGEST_HEADING {
        return title.to_owned();
    }
    let head: String = title.chars().take(LONGEST_HEADING).collect();
    let cut = head.rfind([':', ';', ',']).or_else(|| head.rfind(' ')).unwrap_or(head.len());
    // Half of a rule says something else than all of it.
    let begins = sentence.rules.iter().filter_map(|rule| {
        let rule = lowered(rule.trim_end_matches('.'));
        let at = title.find(&rule)?;
        (at > 0 && at < cut && cut < at + rule.len()).then_some(at)
    });
    let cut = begins.min().unwrap_or(cut);
    head.get(..cut).unwrap_or(&head).trim_end_matches([' ', ',', ';', ':']).to_owned()
}

/// The text without leading characters that would make it a heading, a list or a quotation.
fn plain(text: &str) -> &str {
    text.trim_start_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '`' | '"' | '¿' | '¡'))
}
