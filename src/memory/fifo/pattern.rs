//! Patterns extracted from a conversation when it is evicted (FIFO-3).
//!
//! A pattern is a kind, a key and a count: the number of evicted conversations that had it. Kinds: `entity`
//! (`file:src/main.rs`), `pair` (two of the surest entities named together, in alphabetic order), `tag`, and `verb`
//! (the verb the title begins with, in its base form).

use super::Mention;
use crate::skill::sentence::english;

/// How many entities of one conversation are paired: the surest, then alphabetically.
const PAIRED: usize = 6;

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pattern {
    /// `entity`, `pair`, `tag` or `verb`.
    pub kind: &'static str,
    pub key: String,
}

impl Pattern {
    pub fn key_of(entity: &Mention) -> String {
        format!("{}:{}", entity.kind.word(), entity.name)
    }
}

pub fn patterns(title: &str, tags: &[String], entities: &[Mention]) -> Vec<Pattern> {
    let mut entities: Vec<&Mention> = entities.iter().collect();
    entities.sort_by(|a, b| {
        b.relevance_score.total_cmp(&a.relevance_score).then_with(|| (a.kind, &a.name).cmp(&(b.kind, &b.name)))
    });
    let mut keys: Vec<String> = entities.iter().map(|entity| Pattern::key_of(entity)).collect();
    let mut found: Vec<Pattern> = keys.iter().map(|key| Pattern { kind: "entity", key: key.clone() }).collect();
    keys.truncate(PAIRED);
    keys.sort();
    for (at, one) in keys.iter().enumerate() {
        let pairs = keys.iter().skip(at + 1).map(|other| Pattern { kind: "pair", key: format!("{one} + {other}") });
        found.extend(pairs);
    }
    found.extend(tags.iter().map(|tag| Pattern { kind: "tag", key: tag.to_lowercase() }));
    let first = title.split_whitespace().next().unwrap_or_default().to_lowercase();
    found.extend(english(&first).map(|verb| Pattern { kind: "verb", key: verb.base.to_owned() }));
    found.sort();
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::super::EntityType;
    use super::*;

    #[test]
    fn a_conversation_leaves_its_entities_pairs_tags_and_verb() {
        let entity = |kind, name: &str, relevance_score| Mention { kind, name: name.into(), relevance_score };
        let entities = [entity(EntityType::Method, "parse", 0.6), entity(EntityType::File, "a.rs", 1.0)];
        let found = patterns("Fixes the parser", &["Rust".into(), "rust".into()], &entities);
        let found: Vec<(&str, &str)> = found.iter().map(|one| (one.kind, one.key.as_str())).collect();
        let (file, method, pair) = ("file:a.rs", "method:parse", "file:a.rs + method:parse");
        let expected = [("entity", file), ("entity", method), ("pair", pair), ("tag", "rust"), ("verb", "fix")];
        assert_eq!(found, expected);
        assert_eq!(patterns("Parser", &[], &[]), []);
    }

    #[test]
    fn only_the_surest_entities_are_paired() {
        let many: Vec<Mention> = (0..40)
            .map(|n| Mention { kind: EntityType::Variable, name: format!("v_{n:02}"), relevance_score: 0.6 })
            .collect();
        let found = patterns("x", &[], &many);
        assert_eq!(found.iter().filter(|one| one.kind == "pair").count(), PAIRED * (PAIRED - 1) / 2);
        assert_eq!(found.iter().filter(|one| one.kind == "entity").count(), 40);
    }
}
