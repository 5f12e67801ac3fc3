//! Lines from files the author named: all of them are used, each with its place.

use super::phrases::Phrases;
use super::{Line, Material, Origin, Shape};
use crate::skill::fact::{Fact, Kind};

/// The steps of the files, in their order.
pub(super) fn steps(material: &Material<'_>) -> Vec<Line> {
    lines(material, Shape::Step, |fact| fact.kind == Kind::Step)
}

/// Everything but steps, rules and notes: commands, endpoints, settings. What destroys or deploys asks first.
pub(super) fn commands(material: &Material<'_>) -> Vec<Line> {
    lines(material, Shape::Point, |fact| !matches!(fact.kind, Kind::Step | Kind::Rule | Kind::Note | Kind::Statement))
}

/// The rules and notes of the files.
pub(super) fn rules(material: &Material<'_>) -> Vec<Line> {
    lines(material, Shape::Point, |fact| matches!(fact.kind, Kind::Rule | Kind::Note | Kind::Statement))
}

/// Whether a file that the author named says the same.
pub(super) fn says(material: &Material<'_>, fact: &Fact) -> bool {
    let name = fact.file.rsplit('/').next().unwrap_or_default();
    let mut all = material.given.iter().flat_map(|file| &file.facts);
    all.any(|known| known.file == name && (known.line, &known.text) == (fact.line, &fact.text))
}

fn lines(material: &Material<'_>, shape: Shape, wanted: impl Fn(&Fact) -> bool) -> Vec<Line> {
    let phrases = Phrases::of(material.sentence.language);
    let line = |fact: &Fact| {
        let ask = if fact.risk.is_some() { format!("**{}** ", phrases.ask_first) } else { String::new() };
        let origin = Origin::Given { file: fact.file.clone(), line: fact.line };
        Line::new(shape, format!("{ask}{} ({})", fact.text, fact.place()), origin)
    };
    material.given.iter().flat_map(|file| &file.facts).filter(|fact| wanted(fact)).map(line).collect()
}
