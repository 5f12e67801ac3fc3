//! Tables of the packages that tell what a repository is made with.

use super::Kind;

/// Kinds of facts, each with the names of its packages: `NAME=ID` where the id of the fact is another word.
pub(super) type Packages = [(Kind, &'static str)];

/// The id and the kind of the first package whose name fits.
pub(super) fn known(all: &Packages, fits: impl Fn(&str) -> bool) -> Option<(&'static str, Kind)> {
    let mut named = all.iter().flat_map(|(kind, names)| pairs(names).map(move |pair| (pair, *kind)));
    named.find(|((name, _), _)| fits(name)).map(|((_, id), kind)| (id, kind))
}

/// The words of a list, each with what stands behind its `=`, or itself.
pub(super) fn pairs(list: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    list.split_whitespace().map(|word| word.split_once('=').unwrap_or((word, word)))
}
