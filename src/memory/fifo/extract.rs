//! Extracts entities: code between backticks has confidence 1.0, prose and code blocks 0.6.
//!
//! What counts, by type: **files** have a known extension or name; **classes** are in PascalCase, in prose only beside
//! a word such as `class` or with an ending such as `Manager`; **methods** are followed by parentheses; **variables**
//! are in snake_case or UPPER_CASE, begin with `$`, or are assigned to; **concepts** are known technical terms,
//! hashtags and phrases of two words that occur at least three times. URLs are ignored. The same texts give the same
//! entities in the same order.

mod concept;
mod shape;

use super::{EntityType, Mention};
use shape::{Neighbour, Shape};

const SURE: f64 = 1.0;
const BARE: f64 = 0.6;
/// Maximum number of entities per conversation; the first ones are kept.
const MOST: usize = 200;
const MAX_CODE: usize = 200;
const MAX_NAME: usize = 120;

/// The entities of a conversation's texts, each once with its highest score, in the order of their first mention;
/// recurring phrases are last.
pub fn extract(texts: &[&str]) -> Vec<Mention> {
    let mut found = Extraction::default();
    for text in texts {
        let mut fenced = false;
        for line in text.lines() {
            let opening = line.trim_start();
            if opening.starts_with("```") || opening.starts_with("~~~") {
                fenced = !fenced;
            } else if fenced {
                found.code(line, BARE);
            } else {
                found.line(&pieces(line));
            }
        }
    }
    for phrase in concept::returning(texts) {
        found.add(EntityType::Concept, &phrase, BARE);
    }
    found.mentions
}

/// A token of a line: an inline code span, or a word with its punctuation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Piece<'a> {
    Code(&'a str),
    Word(&'a str),
}

impl<'a> Piece<'a> {
    fn text(self) -> &'a str {
        match self {
            Self::Code(text) => text,
            Self::Word(text) => shape::bare(text),
        }
    }
}

/// Splits a line into tokens. Unclosed backticks are punctuation.
fn pieces(line: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = line;
    while let Some(at) = rest.find('`') {
        let (before, opened) = rest.split_at(at);
        words(before, &mut pieces);
        let run = opened.len() - opened.trim_start_matches('`').len();
        let (ticks, inside) = opened.split_at(run);
        match closing(inside, ticks) {
            Some(end) => {
                let (code, after) = inside.split_at(end);
                pieces.push(Piece::Code(code.trim()));
                rest = after.get(run..).unwrap_or_default();
            }
            None => rest = inside,
        }
    }
    words(rest, &mut pieces);
    pieces
}

/// The position of the closing run of exactly this many backticks.
fn closing(text: &str, ticks: &str) -> Option<usize> {
    let mut from = 0;
    while let Some(at) = text.get(from..)?.find('`').map(|at| from + at) {
        let tail = text.get(at..)?;
        let run = tail.len() - tail.trim_start_matches('`').len();
        if run == ticks.len() {
            return Some(at);
        }
        from = at + run;
    }
    None
}

fn words<'a>(text: &'a str, pieces: &mut Vec<Piece<'a>>) {
    let parts = text.split_whitespace().flat_map(|word| word.split("]("));
    pieces.extend(parts.filter(|part| !part.is_empty()).map(Piece::Word));
}

#[derive(Default)]
struct Extraction {
    mentions: Vec<Mention>,
    at: std::collections::HashMap<(EntityType, String), usize>,
}

impl Extraction {
    fn add(&mut self, kind: impl Into<Option<EntityType>>, name: &str, score: f64) {
        let Some(kind) = kind.into().filter(|_| (1..=MAX_NAME).contains(&name.len())) else { return };
        let key = (kind, name.to_owned());
        let known = self.at.get(&key).copied();
        if let Some(mention) = known.and_then(|at| self.mentions.get_mut(at)) {
            mention.relevance_score = mention.relevance_score.max(score);
        } else if self.mentions.len() < MOST {
            self.at.insert(key, self.mentions.len());
            self.mentions.push(Mention { kind, name: name.to_owned(), relevance_score: score });
        }
    }

    fn line(&mut self, pieces: &[Piece<'_>]) {
        for (at, piece) in pieces.iter().enumerate() {
            let beside = |at: Option<usize>| at.and_then(|at| pieces.get(at)).map(|piece| piece.text());
            let neighbour = Neighbour::of(beside(at.checked_sub(1)), beside(Some(at + 1)));
            match piece {
                Piece::Code(code) if code.len() <= MAX_CODE => self.span(code, neighbour),
                Piece::Code(_) => {}
                Piece::Word(word) => self.word(word, neighbour),
            }
        }
        let prose = pieces.iter().map(|piece| if let Piece::Word(_) = piece { piece.text() } else { "" });
        for term in concept::known(&prose.collect::<Vec<_>>()) {
            self.add(EntityType::Concept, term, BARE);
        }
    }

    /// A call of a method or a constructor, and the class it belongs to.
    fn call(&mut self, owner: Option<&str>, name: &str, score: f64) {
        if let Some(owner) = owner {
            self.add(EntityType::Class, owner, score);
        }
        self.add(if shape::pascal(name) { EntityType::Class } else { EntityType::Method }, name, score);
    }

    /// An inline code span: one entity if it has a known shape, otherwise code.
    fn span(&mut self, code: &str, neighbour: Neighbour) {
        if let Some(term) = concept::term(code) {
            return self.add(EntityType::Concept, term, SURE);
        }
        if let Some(name) = shape::file(code) {
            return self.add(EntityType::File, name, SURE);
        }
        if let Some((owner, name)) = shape::call(code) {
            return self.call(owner.filter(|owner| shape::pascal(owner)), name, SURE);
        }
        if let Some(name) = shape::dollar(code) {
            return self.add(EntityType::Variable, name, SURE);
        }
        let (owner, name) = shape::owned(code);
        if !shape::identifier(name) {
            return self.code(code, SURE);
        }
        if let Some(owner) = owner.filter(|owner| shape::pascal(owner)) {
            self.add(EntityType::Class, owner, SURE);
        }
        let kind = match (Shape::of(name), neighbour) {
            (Shape::Pascal, _) => Some(EntityType::Class),
            (Shape::Snake | Shape::Camel | Shape::Lower, Neighbour::Function) => Some(EntityType::Method),
            (Shape::Snake | Shape::Camel | Shape::Upper, _) => Some(EntityType::Variable),
            (Shape::Lower, Neighbour::Variable | Neighbour::Assignment) => Some(EntityType::Variable),
            (Shape::Lower | Shape::Other, _) => None,
        };
        self.add(kind, name, SURE);
    }

    fn word(&mut self, written: &str, neighbour: Neighbour) {
        if shape::address(written) {
            return;
        }
        if let Some(tag) = concept::hashtag(written) {
            return self.add(EntityType::Concept, &tag, BARE);
        }
        let word = shape::bare(written);
        if let Some(name) = shape::file(word) {
            return self.add(EntityType::File, name, BARE);
        }
        if let Some((owner, name)) = shape::prose_call(word) {
            return self.call(owner.filter(|owner| shape::several_humps(owner)), name, BARE);
        }
        if let Some(name) = shape::dollar(word) {
            return self.add(EntityType::Variable, name, BARE);
        }
        if let (Some(_), name) = shape::owned(word)
            && shape::identifier(name)
            && Shape::of(name) == Shape::Snake
        {
            return self.add(EntityType::Variable, name, BARE);
        }
        let (name, assigned) = match word.split_once('=') {
            Some((name, value)) if !value.is_empty() => (name, true),
            _ => (word, neighbour == Neighbour::Assignment),
        };
        if !shape::identifier(name) {
            return;
        }
        let kind = match (Shape::of(name), neighbour) {
            (Shape::Snake | Shape::Camel, Neighbour::Function) => Some(EntityType::Method),
            (Shape::Snake | Shape::Upper, _) => Some(EntityType::Variable),
            (Shape::Camel, Neighbour::Variable) => Some(EntityType::Variable),
            (Shape::Camel | Shape::Lower, _) if assigned && name.len() > 1 => Some(EntityType::Variable),
            (Shape::Pascal, _) if shape::several_humps(name) => {
                (neighbour == Neighbour::Type || shape::type_ending(name)).then_some(EntityType::Class)
            }
            _ => None,
        };
        self.add(kind, name, BARE);
    }

    /// A line of code: calls, names, assignments and declarations.
    fn code(&mut self, line: &str, score: f64) {
        let chunks = line.split(|c: char| c.is_whitespace() || "\"'`,;(){}[]<>".contains(c));
        for chunk in chunks.filter(|chunk| !shape::address(chunk)) {
            if let Some(name) = shape::file(chunk.trim_end_matches([':', '.'])) {
                self.add(EntityType::File, name, score);
            }
        }
        let mut before = "";
        for (at, name) in shape::identifiers(line) {
            let word_before = std::mem::replace(&mut before, name);
            let ahead = line.get(at + name.len()..).unwrap_or_default();
            let preceded = line.get(..at).unwrap_or_default().chars().next_back();
            // Parts of paths, addresses and flag values are not identifiers.
            if matches!(preceded, Some('/' | '\\' | '-' | '@' | '#' | '.')) && !ahead.starts_with('(') {
                continue;
            }
            if ahead.starts_with(['/', '\\', '-', '@']) || ahead.starts_with("://") || shape::extended(ahead) {
                continue;
            }
            let shape = Shape::of(name);
            let kind = if ahead.starts_with('(') {
                match shape {
                    Shape::Pascal => Some(EntityType::Class),
                    Shape::Snake | Shape::Camel | Shape::Lower => {
                        (!shape::keyword(name) && name.len() > 1).then_some(EntityType::Method)
                    }
                    Shape::Upper | Shape::Other => None,
                }
            } else if shape == Shape::Pascal {
                (Neighbour::declares(word_before) || shape::several_humps(name)).then_some(EntityType::Class)
            } else if preceded == Some('$') || matches!(shape, Shape::Snake | Shape::Upper) {
                Some(EntityType::Variable)
            } else {
                let assigned = shape::assigns(ahead) && name.len() > 1 && !shape::keyword(name);
                assigned.then_some(EntityType::Variable)
            };
            self.add(kind, name, score);
        }
    }
}

#[cfg(test)]
mod tests;
