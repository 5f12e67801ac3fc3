//! Three to eight tags, taken from the words and from what was understood (T2-HEFESTO-02).

use super::clause::Clause;
use super::stopwords::empty;
use super::verbs;
use super::words::Word;
use super::{Archetype, Category};
use crate::skill::name::fold;

/// The most tags a skill gets.
const MOST: usize = 8;
const FEWEST: usize = 3;
/// How many words of the description become tags.
const FROM_WORDS: usize = 5;

/// Words that are no subject by themselves.
const VAGUE: &[&str] = &[
    "least", "user", "usuario", "date", "tone", "tom", "tono", "zero", "zeros", "incoming", "first", "last", "partir",
    "desde", "weekly", "monthly", "daily", "mensais", "semanais", "minimo", "maximo", "pelo", "menos", "menor",
    "maior", "never", "nunca", "team", "missing", "failed", "semanal", "mensuales", "semanales", "diario", "diarios",
    "them", "their", "back", "out", "up", "one", "two", "whole", "own", "procurando", "buscando", "encontrar", "high",
    "low", "long", "short", "given", "antes", "depois", "despues", "quando", "cuando",
];

/// The tags, most telling first.
pub(super) fn tagging(
    words: &[Word],
    clause: &Clause,
    archetype: Archetype,
    category: Category,
    named: bool,
    domain: Option<&str>,
) -> Vec<String> {
    let mut tags: Vec<String> = Vec::new();
    let rest = words.get(clause.skipped..).unwrap_or_default();
    let pair = match clause.object_keys.as_slice() {
        [first, second] if !empty(first) && !empty(second) => Some((first, second)),
        _ => None,
    };
    if let Some((first, second)) = pair {
        add(&mut tags, format!("{first}-{second}"));
    }
    let said = |key: &str| pair.is_some_and(|(first, second)| key == first || key == second);
    for (i, word) in rest.iter().enumerate() {
        let key = word.key();
        let verb = verbs::romance(key).is_some()
            || (i == 0 && verbs::command(key).is_some())
            || verbs::english(key).is_some_and(|verb| !verb.noun || i == 0);
        let telling = key.len() > 1 && key.len() <= 30 && !key.bytes().any(|b| b.is_ascii_digit());
        let owner = word.text.ends_with("'s") || word.text.ends_with("\u{2019}s");
        let about = !verb && !owner && !empty(key) && !VAGUE.contains(&key);
        if telling && about && !said(key) && tags.len() < FROM_WORDS {
            add(&mut tags, key.to_owned());
        }
    }
    if let Some(tag) = archetype.tag() {
        add(&mut tags, tag.to_owned());
    }
    if named {
        add(&mut tags, category.word().to_owned());
    }
    if let Some(domain) = domain.filter(|_| tags.len() < MOST) {
        add(&mut tags, domain.to_owned());
    }
    if let Some(verb) = clause.verb.as_ref().filter(|_| tags.len() < FEWEST) {
        add(&mut tags, fold(verb.base));
    }
    for near in std::iter::once(category.word()).chain(neighbours(category)) {
        if tags.len() < FEWEST {
            add(&mut tags, near.to_owned());
        }
    }
    tags.truncate(MOST);
    tags
}

fn add(tags: &mut Vec<String>, tag: String) {
    if !tags.contains(&tag) {
        tags.push(tag);
    }
}

/// Words close to a category, for descriptions too short to give three tags of their own.
fn neighbours(category: Category) -> [&'static str; 3] {
    match category {
        Category::Development => ["automation", "routine", "engineering"],
        Category::Testing => ["quality", "verification", "tests"],
        Category::Documentation => ["docs", "writing", "reference"],
        Category::Devops => ["operations", "delivery", "infrastructure"],
        Category::Review => ["code-quality", "standards", "reviewing"],
        Category::Security => ["protection", "hardening", "risk"],
    }
}
