//! What stands in files the author named: all of it enters, each line with its file.

use super::{Line, Material, Origin, Shape};
use crate::skill::material::{Kind, Piece};

/// The steps of the files, in their order.
pub(super) fn steps(material: &Material<'_>) -> Vec<Line> {
    lines(material, &[Kind::Step], Shape::Step)
}

/// The commands and endpoints of the files.
pub(super) fn commands(material: &Material<'_>) -> Vec<Line> {
    lines(material, &[Kind::Command, Kind::Endpoint], Shape::Point)
}

/// The warnings and notes of the files.
pub(super) fn rules(material: &Material<'_>) -> Vec<Line> {
    lines(material, &[Kind::Warning, Kind::Note], Shape::Point)
}

fn lines(material: &Material<'_>, kinds: &[Kind], shape: Shape) -> Vec<Line> {
    let all = material.given.iter().flat_map(|file| file.pieces.iter().map(move |piece| (&file.from, piece)));
    let of_kind = all.filter(|(_, piece)| kinds.contains(&piece.kind));
    let line = |(from, piece): (&String, &Piece)| Line {
        shape,
        text: format!("{} ({from})", text(piece)),
        origin: Origin::House { file: from.clone(), line: 0 },
        weight: 3,
    };
    of_kind.map(line).collect()
}

fn text(piece: &Piece) -> String {
    match (piece.kind, piece.about.as_str()) {
        (Kind::Command | Kind::Endpoint, "") => format!("`{}`", piece.text),
        (Kind::Command | Kind::Endpoint, about) => format!("`{}` {about}", piece.text),
        _ => piece.text.clone(),
    }
}
