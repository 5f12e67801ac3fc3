//! Entities and their conversations.

use super::*;

#[test]
fn f16_entities_are_linked_to_their_conversation() {
    let mut memory = memory();
    add(&mut memory, "c", "t", &["see `a.py` and `Thing`", "or b.md"], NOW);
    let links: Vec<(String, f64)> =
        memory.entities_of("c").unwrap().into_iter().map(|one| (one.name, one.relevance_score)).collect();
    assert_eq!(links, [("Thing".into(), 1.0), ("a.py".into(), 1.0), ("b.md".into(), 0.6)]);
}

#[test]
fn extracting_again_counts_nothing_twice() {
    let mut memory = memory();
    add(&mut memory, "c", "t", &["see a.py"], NOW);
    let once = memory.entity_statistics(None, 10).unwrap();
    let again = memory.extract_entities("c", NOW + MINUTE).unwrap();
    assert_eq!(again.iter().map(|(_, is_new)| *is_new).collect::<Vec<_>>(), [false]);
    assert_eq!(memory.entity_statistics(None, 10).unwrap(), once);
    assert_eq!((once[0].access_count, once[0].conversation_count), (1, 1));
    memory.append_messages("c", &[(Role::User, Text::of("`a.py` with `b.py`"))], NOW + MINUTE).unwrap();
    let grown = memory.entities_of("c").unwrap();
    assert_eq!(grown.iter().map(|one| one.relevance_score).collect::<Vec<_>>(), [1.0, 1.0]);
    assert_eq!(memory.entity_statistics(None, 10).unwrap()[0].access_count, 1);
}

#[test]
fn f18_conversations_are_found_by_entity() {
    let mut memory = memory();
    add(&mut memory, "c", "t", &["edit `governance.yaml` and `src/deep/main.py`"], NOW);
    add(&mut memory, "d", "t", &["nothing"], NOW);
    let with = |kind, name| memory.conversations_with(kind, name).unwrap();
    assert_eq!(ids(&with(EntityType::File, "governance.yaml")), ["c"]);
    assert_eq!(ids(&with(EntityType::File, "main.py")), ["c"], "the last part of a path is enough");
    assert_eq!(ids(&with(EntityType::Class, "governance.yaml")), Vec::<&str>::new());
    assert_eq!(ids(&with(EntityType::File, "yaml")), Vec::<&str>::new());
}
