//! A fact in the language of the skill, with the patterns of the language's data file instead of the English ones. What
//! the repository's authors wrote is unchanged.

use super::{Fact, Kind};
use crate::skill::sentence::Language;

impl Fact {
    /// The text in this language.
    pub fn said(&self, language: Language) -> String {
        if matches!(self.kind, Kind::Rule | Kind::Note | Kind::Statement) {
            self.text.clone()
        } else {
            localized(&self.text, language)
        }
    }
}

fn localized(text: &str, language: Language) -> String {
    let patterns = language.lexicon().section("facts");
    let found = patterns.into_iter().find_map(|(from, to)| Some((holes(text, from)?, to)));
    let Some((held, to)) = found else { return text.to_owned() };
    held.iter().fold(to.to_owned(), |said, hole| said.replacen("{}", &localized(hole, language), 1))
}

/// The values of a pattern's placeholders; `None` if the text does not match.
fn holes<'t>(text: &'t str, pattern: &str) -> Option<Vec<&'t str>> {
    let mut pieces = pattern.split("{}");
    let mut rest = text.strip_prefix(pieces.next()?)?;
    let mut held = Vec::new();
    let mut pieces = pieces.peekable();
    while let Some(piece) = pieces.next() {
        let at = match (piece, pieces.peek()) {
            ("", None) => rest.len(),
            (piece, None) => rest.strip_suffix(piece)?.len(),
            (piece, Some(_)) => rest.find(piece)?,
        };
        held.push(rest.get(..at).filter(|hole| !hole.is_empty())?);
        rest = rest.get(at + piece.len()..)?;
    }
    Some(held)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fact_is_said_in_the_language_of_the_skill_and_a_rule_as_it_was_written() {
        let tests = "in `web`: tests lie in `tests/`, files `test_*.py` (pytest), with `conftest.py`";
        for (kind, text, language, wanted) in [
            (Kind::TestDirectory, tests, Language::En, tests),
            (
                Kind::TestDirectory,
                tests,
                Language::Pt,
                "em `web`: testes em `tests/`, arquivos `test_*.py` (pytest), com `conftest.py`",
            ),
            (
                Kind::CiJob,
                "CI job `test` runs `make test`",
                Language::Es,
                "el trabajo de CI `test` ejecuta `make test`",
            ),
            (
                Kind::CiJob,
                "workflow `ci.yml` runs on pull_request, push of the tags `v*`",
                Language::Pt,
                "o workflow `ci.yml` é disparado por pull_request, push das tags `v*`",
            ),
            (
                Kind::Service,
                "service `w` runs `x:1`, port `80`, started with `celery worker`",
                Language::Es,
                "el servicio `w` usa `x:1`, puerto `80`, iniciado con `celery worker`",
            ),
            (Kind::Rule, "service runs `x`", Language::Es, "service runs `x`"),
        ] {
            assert_eq!(Fact::new(kind, text).said(language), wanted, "{text}");
        }
    }
}
