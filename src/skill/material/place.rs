//! Puts what was taken from files into the sections of a skill where a reader looks for it, and says from which file.

use std::ops::Range;

use super::{Kind, Material, Piece};
use crate::skill::parts::{Part, section};
use crate::skill::understand::Language;

/// The sections that facts go into.
const FACTS: [Part; 4] = [Part::Work, Part::Inputs, Part::Verify, Part::DoNot];

/// Where a fact belongs; links are cited instead.
fn part_of(piece: &Piece) -> Option<Part> {
    const CHECKS: &[&str] = &["test", "tests", "check", "lint", "verify", "validate"];
    match piece.kind {
        Kind::Step | Kind::Note => Some(Part::Work),
        Kind::Command => {
            let words = piece.text.split(|c: char| !c.is_alphanumeric());
            let checks = words.take(4).any(|word| CHECKS.contains(&word));
            Some(if checks { Part::Verify } else { Part::Work })
        }
        Kind::Endpoint => Some(Part::Inputs),
        Kind::Warning => Some(Part::DoNot),
        Kind::Link => None,
    }
}

/// The text of SKILL.md with the facts of the files in it; a section it does not have is made at the end.
#[must_use]
pub fn placed(text: &str, materials: &[Material], language: Language) -> String {
    let mut text = text.to_owned();
    for part in FACTS {
        for material in materials {
            let pieces: Vec<&Piece> = material.pieces.iter().filter(|piece| part_of(piece) == Some(part)).collect();
            if !pieces.is_empty() {
                let part = if section(&text, part, language).is_some() { part } else { Part::Taken };
                let from = match language {
                    Language::En => "From",
                    Language::Pt | Language::Es => "De",
                };
                append(&mut text, part, language, &format!("{from} {}:\n\n{}", material.from, block(&pieces)));
            }
        }
    }
    text
}

/// The text with a section of sources: those that were given, exactly as they were, then those the files link to.
#[must_use]
pub fn cited(text: &str, given: &[String], materials: &[Material], language: Language) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut known: Vec<&str> = Vec::new();
    for url in given {
        if !known.contains(&url.as_str()) {
            known.push(url);
            lines.push(format!("- {url}"));
        }
    }
    let linked = match language {
        Language::En => "linked in",
        Language::Pt => "citado em",
        Language::Es => "citado en",
    };
    for material in materials {
        for piece in material.pieces.iter().filter(|piece| piece.kind == Kind::Link) {
            if !known.contains(&piece.text.as_str()) {
                known.push(&piece.text);
                lines.push(format!("- {} ({linked} {})", piece.text, material.from));
            }
        }
    }
    let mut text = text.to_owned();
    if !lines.is_empty() {
        append(&mut text, Part::Sources, language, &lines.join("\n"));
    }
    text
}

/// The facts of one section: steps as a numbered list, commands as one block, the rest as points.
fn block(pieces: &[&Piece]) -> String {
    let of = |kind: Kind| pieces.iter().filter(move |piece| piece.kind == kind);
    let mut parts: Vec<String> = Vec::new();
    let steps: Vec<String> =
        of(Kind::Step).enumerate().map(|(index, step)| format!("{}. {}", index + 1, step.text)).collect();
    let commands: Vec<String> = of(Kind::Command)
        .map(|one| if one.about.is_empty() { one.text.clone() } else { format!("{}  # {}", one.text, one.about) })
        .collect();
    let points: Vec<String> = pieces
        .iter()
        .filter_map(|piece| match piece.kind {
            Kind::Endpoint if piece.about.is_empty() => Some(format!("- `{}`", piece.text)),
            Kind::Endpoint => Some(format!("- `{}`: {}", piece.text, piece.about)),
            Kind::Warning | Kind::Note => Some(format!("- {}", piece.text)),
            Kind::Step | Kind::Command | Kind::Link => None,
        })
        .collect();
    for list in [steps.join("\n"), fenced(&commands), points.join("\n")] {
        if !list.is_empty() {
            parts.push(list);
        }
    }
    parts.join("\n\n")
}

fn fenced(commands: &[String]) -> String {
    if commands.is_empty() { String::new() } else { format!("```sh\n{}\n```", commands.join("\n")) }
}

/// Adds a paragraph to the end of a section, which is made at the end of the text where it is missing.
fn append(text: &mut String, part: Part, language: Language, more: &str) {
    match section(text, part, language) {
        Some(Range { end, .. }) => {
            // A list of sources that is there already goes on.
            let goes_on = part == Part::Sources
                && text
                    .get(..end)
                    .is_some_and(|before| before.trim_end().lines().last().is_some_and(|line| line.starts_with("- ")));
            text.insert_str(end, &format!("{}{more}\n", if goes_on { "" } else { "\n" }));
        }
        None => {
            text.truncate(text.trim_end().len());
            text.push_str(&format!("\n\n## {}\n\n{more}\n", part.heading(language)));
        }
    }
}
