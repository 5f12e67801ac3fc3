//! Tables of the packages that tell what a repository is made with.

use super::{Fact, Facts, Kind};
use crate::skill::Language;

/// Kinds of facts, each with the names of its packages: `NAME=ID` where the id of the fact is another word.
pub(super) type Packages = [(Kind, &'static str)];

/// The fact about a package: that of the first one in the table whose name `fits`, about these words, in which `{}` is its id;
/// else one for sentences that say its name, as far as it is no ordinary word.
pub(super) fn fact(
    all: &Packages,
    fits: &dyn Fn(&str) -> bool,
    text: &str,
    about: &str,
    name: Option<&str>,
) -> Option<Fact> {
    for (kind, names) in all {
        if let Some((_, id)) = pairs(names).find(|(name, _)| fits(name)) {
            return Some(Fact::new(*kind, text.trim()).id(id).about(&about.replace("{}", id)));
        }
    }
    other(name?, text)
}

/// Whether a file names a package for the first time: several of a table have one id.
pub(super) fn is_new(fact: &Fact, facts: &Facts) -> bool {
    fact.kind == Kind::Dependency || !fact.id.as_deref().is_some_and(|id| facts.has(id))
}

/// The words of a list, each with what stands behind its `=`, or itself.
pub(super) fn pairs(list: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    list.split_whitespace().map(|word| word.split_once('=').unwrap_or((word, word)))
}

/// A package that is in no table: a fact for sentences that say its name. None where the name is an ordinary word.
pub(super) fn other(name: &str, text: &str) -> Option<Fact> {
    let name = name.to_lowercase();
    let parts: Vec<&str> = name.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty()).collect();
    let scope = name.strip_prefix('@').and_then(|_| parts.first()).filter(|scope| **scope != "types");
    let names = [parts.join(" ")].into_iter().chain(scope.map(|scope| (*scope).to_owned()));
    let words: Vec<String> = names.filter(|name| name.chars().count() > 2 && !is_ordinary(name)).collect();
    let fact = Fact { words, ..Fact::new(Kind::Dependency, text.trim()).id(name.as_str()) };
    Some(fact).filter(|fact| !fact.words.is_empty())
}

/// Whether a word says something else in most sentences: "debug", "open".
fn is_ordinary(word: &str) -> bool {
    let lexicon = Language::En.lexicon();
    lexicon.verb(word).is_some() || ["everyday", "program_parts"].iter().any(|set| lexicon.set(set).contains(word))
}
