//! The section of sources at the end of a skill.

use super::{Kind, Material};
use crate::skill::Language;

/// The text with its sources: those that were given, exactly as they were, then those the files link to. A section of
/// sources that ends the text goes on.
#[must_use]
pub fn cited(text: &str, given: &[String], materials: &[Material], language: Language) -> String {
    let (heading, linked) = match language {
        Language::En => ("## Sources", "linked in"),
        Language::Pt => ("## Fontes", "citado em"),
        Language::Es => ("## Fuentes", "citado en"),
    };
    let mut known: Vec<&str> = Vec::new();
    let mut lines = String::new();
    let links = materials.iter().flat_map(|material| {
        let links = material.pieces.iter().filter(|piece| piece.kind == Kind::Link);
        links.map(move |piece| (piece.text.as_str(), Some(&material.from)))
    });
    for (url, from) in given.iter().map(|url| (url.as_str(), None)).chain(links) {
        if !known.contains(&url) && !text.contains(&format!("- {url}\n")) {
            known.push(url);
            let from = from.map(|from| format!(" ({linked} {from})")).unwrap_or_default();
            lines.push_str(&format!("- {url}{from}\n"));
        }
    }
    if lines.is_empty() {
        return text.to_owned();
    }
    let text = text.trim_end();
    let last = text.rfind("\n## ").and_then(|at| text.get(at + 1..)?.lines().next());
    let begin = if last == Some(heading) { "\n".to_owned() } else { format!("\n\n{heading}\n\n") };
    format!("{text}{begin}{lines}")
}
