//! The queue in the database, case by case.

use serde_json::json;

use super::*;
use crate::memory::fifo::{CAPACITY, FifoError};
use crate::memory::{Ending, NewRun, Status};

/// Milliseconds of 5 February 2026, 10:00 UTC.
const NOW: i64 = 1_770_285_600_000;
const MINUTE: i64 = 60_000;

fn memory() -> Memory {
    Memory::in_memory().unwrap()
}

fn new(id: &str, title: &str, said: &[&str]) -> NewConversation {
    let roles = ["user", "assistant"].into_iter().cycle();
    let messages: Vec<_> =
        said.iter().zip(roles).map(|(text, role)| json!({ "role": role, "content": text })).collect();
    NewConversation::from_json(&json!({ "conversation_id": id, "title": title, "messages": messages }), "").unwrap()
}

fn add(memory: &mut Memory, id: &str, title: &str, said: &[&str], now: i64) -> Added {
    memory.add_conversation(&new(id, title, said), CAPACITY, now).unwrap()
}

/// `conv_000`, `conv_001` … one a minute.
fn filled(count: usize) -> Memory {
    let mut memory = memory();
    for n in 0..count {
        add(&mut memory, &format!("conv_{n:03}"), &format!("Conversation {n}"), &["hello"], NOW + n as i64 * MINUTE);
    }
    memory
}

fn ids(conversations: &[Conversation]) -> Vec<&str> {
    conversations.iter().map(|one| one.conversation_id.as_str()).collect()
}

fn held(memory: &Memory) -> usize {
    memory.fifo_statistics().unwrap().conversations
}

fn found(memory: &Memory, typed: &str) -> Vec<String> {
    let found = memory.search_conversations(&Query::of(typed).unwrap(), 50).unwrap();
    found.into_iter().map(|one| one.conversation.conversation_id).collect()
}

fn why(error: &anyhow::Error) -> Option<&FifoError> {
    error.downcast_ref()
}

fn names(db: &Connection, kind: &str) -> Vec<String> {
    let mut statement = db.prepare("SELECT name FROM sqlite_master WHERE type = ?1 ORDER BY name").unwrap();
    let rows = statement.query_map([kind], |row| row.get(0)).unwrap();
    rows.collect::<Result<_, _>>().unwrap()
}

#[test]
fn f01_opening_makes_the_file() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("memory.db");
    drop(Memory::open(&path, 0).unwrap());
    assert!(path.is_file() && Memory::look(&path).unwrap().recent_conversations(5).unwrap().is_empty());
}

#[test]
fn f02_every_table_is_there() {
    let tables = names(&memory().db, "table");
    for table in ["conversations", "entities", "conversation_entities", "messages", "eviction_log", "patterns"] {
        assert!(tables.iter().any(|one| one == table), "{table}");
    }
}

#[test]
fn f03_every_index_is_there() {
    let indexes = names(&memory().db, "index");
    for index in [
        "conversations_created", "conversations_active", "messages_conversation", "entities_accessed",
        "conversation_entities_entity",
    ] {
        assert!(indexes.iter().any(|one| one == index), "{index}");
    }
}

#[test]
fn f04_a_conversation_is_stored_with_its_messages() {
    let added = add(&mut memory(), "conv_1", "Implement Phase 1 STM", &["Start Phase 1", "Creating Tier 1..."], NOW);
    assert_eq!((added.conversation.message_count, added.evicted), (2, vec![]));
}

#[test]
fn f05_a_conversation_is_found_by_its_id() {
    let mut memory = memory();
    let added = add(&mut memory, "conv_1", "A title", &["x"], NOW).conversation;
    assert_eq!(memory.conversation("conv_1").unwrap(), Some(added.clone()));
    assert_eq!((added.title.as_str(), added.created_at, added.is_active), ("A title", NOW, false));
}

#[test]
fn f06_the_newest_come_first() {
    let memory = filled(5);
    assert_eq!(ids(&memory.recent_conversations(3).unwrap()), ["conv_004", "conv_003", "conv_002"]);
}

#[test]
fn conversations_of_one_instant_are_in_the_order_they_were_stored() {
    let mut memory = memory();
    for id in ["b", "a", "c"] {
        add(&mut memory, id, "t", &[], NOW);
    }
    assert_eq!(ids(&memory.recent_conversations(3).unwrap()), ["c", "a", "b"]);
}

#[test]
fn f07_one_conversation_is_the_active_one() {
    let mut memory = filled(2);
    assert_eq!(memory.fifo_statistics().unwrap().active, None);
    let (now, before) = memory.activate_conversation("conv_001", NOW).unwrap();
    assert_eq!((now.is_active, before), (true, None));
    assert_eq!(memory.fifo_statistics().unwrap().active.as_deref(), Some("conv_001"));
}

#[test]
fn f08_title_and_summary_change_and_the_rest_stays() {
    let mut memory = filled(1);
    let update = Update { title: Some(Text::of("New")), summary: Some(Text::of("It worked")), ..Update::default() };
    let changed = memory.update_conversation("conv_000", &update, NOW + MINUTE).unwrap();
    assert_eq!((changed.title.as_str(), changed.summary.as_deref()), ("New", Some("It worked")));
    assert_eq!((changed.created_at, changed.updated_at), (NOW, NOW + MINUTE));
    assert_eq!((found(&memory, "worked").len(), found(&memory, "Conversation").len()), (1, 0));
    let missing = memory.update_conversation("nope", &update, NOW).unwrap_err();
    assert_eq!(why(&missing), Some(&FifoError::NoSuchConversation("nope".into())));
}

#[test]
fn f09_twenty_fit() {
    let memory = filled(20);
    assert_eq!((held(&memory), memory.evictions(10).unwrap()), (20, vec![]));
}

#[test]
fn f10_the_twenty_first_evicts_the_oldest() {
    let memory = filled(21);
    assert_eq!(held(&memory), 20);
    assert_eq!(memory.conversation("conv_000").unwrap(), None);
    assert_eq!(memory.messages("conv_000").unwrap(), []);
    assert!(memory.conversation("conv_020").unwrap().is_some());
}

#[test]
fn f11_the_active_one_is_never_evicted() {
    let mut memory = filled(20);
    memory.activate_conversation("conv_000", NOW).unwrap();
    let added = add(&mut memory, "conv_020", "One more", &[], NOW + 20 * MINUTE);
    assert_eq!(added.evicted, ["conv_001"]);
    assert!(memory.conversation("conv_000").unwrap().is_some_and(|one| one.is_active));
}

#[test]
fn f12_evictions_are_logged() {
    let memory = filled(22);
    let log = memory.evictions(10).unwrap();
    assert_eq!(log.iter().map(|one| one.conversation_id.as_str()).collect::<Vec<_>>(), ["conv_001", "conv_000"]);
    assert!(log.iter().all(|one| one.event_type == "conversation_evicted" && one.details.contains("capacity")));
    assert_eq!(log[1].timestamp, NOW + 20 * MINUTE);
}

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
fn f17_a_search_finds_what_was_said() {
    let mut memory = memory();
    add(&mut memory, "search_1", "TDD enforcement", &["Enforce TDD in every commit"], NOW);
    add(&mut memory, "search_2", "Other", &["Nothing of it"], NOW);
    assert_eq!(found(&memory, "TDD"), ["search_1"]);
    assert_eq!(found(&memory, "commit enforcement"), ["search_1"], "every term, wherever it stands");
    assert_eq!(found(&memory, "commit nothing"), Vec::<String>::new());
    let shown = &memory.search_conversations(&Query::of("commit").unwrap(), 5).unwrap()[0];
    assert_eq!((shown.matched, shown.excerpt.as_deref()), (Matched::Word, Some("Enforce TDD in every commit")));
}

#[test]
fn whole_words_come_before_parts_and_titles_before_messages() {
    let mut memory = memory();
    add(&mut memory, "part", "Reparsing", &["x"], NOW + MINUTE);
    add(&mut memory, "said", "Other things", &["parsing is what this says, among many other words"], NOW);
    add(&mut memory, "head", "Parsing", &["x"], NOW);
    assert_eq!(found(&memory, "parsing"), ["head", "said", "part"]);
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

#[test]
fn f19_a_range_holds_both_of_its_ends() {
    let memory = filled(5);
    let between = |from, to| memory.conversations_between(from, to).unwrap();
    assert_eq!(ids(&between(NOW + MINUTE, NOW + 3 * MINUTE)), ["conv_003", "conv_002", "conv_001"]);
    assert_eq!(ids(&between(NOW, NOW)), ["conv_000"]);
}

#[test]
fn f20_an_entity_knows_how_many_conversations_name_it() {
    let mut memory = memory();
    for n in 0..3 {
        add(
            &mut memory,
            &format!("c{n}"),
            "t",
            &["see `common_file.py`", "and `only.py`"][..1 + usize::from(n == 0)],
            NOW,
        );
    }
    let known = memory.entity_statistics(Some(EntityType::File), 10).unwrap();
    let known: Vec<_> =
        known.iter().map(|one| (one.entity_name.as_str(), one.conversation_count, one.access_count)).collect();
    assert_eq!(known, [("common_file.py", 3, 3), ("only.py", 1, 1)]);
    assert_eq!(memory.entity_statistics(Some(EntityType::Class), 10).unwrap(), []);
}

#[test]
fn f21_messages_keep_their_order_and_roles() {
    let mut memory = memory();
    let roles = ["system", "user", "assistant", "tool"];
    let messages: Vec<_> =
        roles.iter().map(|role| json!({ "role": role, "content": format!("from {role}") })).collect();
    let content = json!({ "conversation_id": "c", "title": "t", "messages": messages });
    memory.add_conversation(&NewConversation::from_json(&content, "").unwrap(), CAPACITY, NOW).unwrap();
    let said: Vec<_> = memory.messages("c").unwrap().into_iter().map(|one| (one.role.word(), one.content)).collect();
    assert_eq!(said, roles.map(|role| (role, format!("from {role}"))));
}

#[test]
fn f22_messages_are_appended() {
    let mut memory = filled(1);
    let more = [(Role::User, Text::of("second")), (Role::Assistant, Text::of("third"))];
    let grown = memory.append_messages("conv_000", &more, NOW + MINUTE).unwrap();
    assert_eq!((grown.message_count, grown.updated_at), (3, NOW + MINUTE));
    assert_eq!(memory.messages("conv_000").unwrap().len(), 3);
    let missing = memory.append_messages("nope", &more, NOW).unwrap_err();
    assert_eq!(why(&missing), Some(&FifoError::NoSuchConversation("nope".into())));
}

#[test]
fn f23_below_the_limit_nothing_leaves() {
    let memory = filled(19);
    assert_eq!((held(&memory), memory.evictions(10).unwrap().len()), (19, 0));
}

#[test]
fn f25_nothing_was_evicted_yet() {
    assert_eq!(memory().evictions(10).unwrap(), []);
}

#[test]
fn f28_an_unknown_conversation_has_no_entities() {
    let mut memory = memory();
    assert_eq!(memory.entities_of("nope").unwrap(), []);
    assert_eq!(memory.extract_entities("nope", NOW).unwrap(), []);
}

#[test]
fn f29_an_empty_database_knows_no_entities() {
    assert_eq!(memory().entity_statistics(None, 10).unwrap(), []);
}

#[test]
fn f30_case_and_accents_do_not_matter() {
    let mut memory = memory();
    add(&mut memory, "c", "Ação rápida", &["Café com PAGINATION"], NOW);
    for typed in ["pagination", "PAGINATION", "acao", "AÇÃO", "cafe", "paginat"] {
        assert_eq!(found(&memory, typed), ["c"], "{typed}");
    }
    assert_eq!(found(&memory, "unrelated"), Vec::<String>::new());
}

#[test]
fn f31_outside_of_a_range_there_is_nothing() {
    assert_eq!(filled(2).conversations_between(NOW + 2 * MINUTE, NOW + 9 * MINUTE).unwrap(), []);
}

#[test]
fn f32_a_title_is_enough() {
    let mut memory = memory();
    let only = NewConversation::from_json(&json!({ "title": "t" }), "fresh").unwrap();
    let stored = memory.add_conversation(&only, CAPACITY, NOW).unwrap().conversation;
    assert_eq!((stored.tags, stored.summary, stored.message_count), (vec![], None, 0));
}

#[test]
fn f33_nothing_is_updated_before_it_was_created() {
    let mut memory = filled(1);
    memory.append_messages("conv_000", &[(Role::User, Text::of("x"))], NOW - MINUTE).unwrap();
    let one = memory.conversation("conv_000").unwrap().unwrap();
    assert!(one.created_at <= one.updated_at);
}

#[test]
fn f34_an_unknown_id_is_nothing() {
    assert_eq!(memory().conversation("nope").unwrap(), None);
}

#[test]
fn f35_an_empty_queue_has_nothing_recent() {
    assert_eq!(memory().recent_conversations(20).unwrap(), []);
}

#[test]
fn f36_activating_one_deactivates_the_other() {
    let mut memory = filled(3);
    memory.activate_conversation("conv_000", NOW).unwrap();
    let (_, before) = memory.activate_conversation("conv_002", NOW).unwrap();
    assert_eq!(before.as_deref(), Some("conv_000"));
    let active: Vec<_> = memory.recent_conversations(9).unwrap().into_iter().filter(|one| one.is_active).collect();
    assert_eq!(ids(&active), ["conv_002"]);
}

#[test]
fn f37_activating_an_unknown_one_changes_nothing() {
    let mut memory = filled(1);
    memory.activate_conversation("conv_000", NOW).unwrap();
    let error = memory.activate_conversation("nope", NOW).unwrap_err();
    assert_eq!(why(&error), Some(&FifoError::NoSuchConversation("nope".into())));
    assert_eq!(memory.fifo_statistics().unwrap().active.as_deref(), Some("conv_000"));
}

#[test]
fn f38_tags_are_replaced_and_the_count_stays_right() {
    let mut memory = filled(1);
    let tags =
        |tags: &[&str]| Update { tags: Some(tags.iter().map(|tag| Text::of(tag)).collect()), ..Update::default() };
    memory.update_conversation("conv_000", &tags(&["old"]), NOW).unwrap();
    let changed = memory.update_conversation("conv_000", &tags(&["new", "two"]), NOW).unwrap();
    assert_eq!((changed.tags, changed.message_count), (vec!["new".into(), "two".into()], 1));
    assert_eq!((found(&memory, "old").len(), found(&memory, "two").len()), (0, 1));
}

#[test]
fn f39_what_is_deleted_is_gone_and_deleting_nothing_is_nothing() {
    let mut memory = memory();
    add(&mut memory, "c", "t", &["see `mine.py` and `shared.py`"], NOW);
    add(&mut memory, "d", "t", &["see `shared.py`"], NOW);
    assert!(memory.delete_conversation("c").unwrap());
    assert!(!memory.delete_conversation("c").unwrap());
    assert_eq!((memory.messages("c").unwrap(), found(&memory, "mine")), (vec![], vec![]));
    let left: Vec<String> = memory.entity_statistics(None, 9).unwrap().into_iter().map(|one| one.entity_name).collect();
    assert_eq!(left, ["shared.py"], "an entity that only it named goes with it");
}

#[test]
fn f40_messages_belong_to_one_conversation() {
    let mut memory = memory();
    add(&mut memory, "a", "t", &["of a", "too"], NOW);
    add(&mut memory, "b", "t", &["of b"], NOW);
    add(&mut memory, "c", "t", &[], NOW);
    let said = |id| memory.messages(id).unwrap().into_iter().map(|one| one.content).collect::<Vec<_>>();
    assert_eq!((said("a"), said("b"), said("c")), (vec!["of a".into(), "too".into()], vec!["of b".into()], vec![]));
}

#[test]
fn f41_a_duplicate_id_is_an_error_and_evicts_nothing() {
    let mut memory = filled(20);
    let error = memory.add_conversation(&new("conv_005", "Again", &["x"]), CAPACITY, NOW).unwrap_err();
    assert_eq!(why(&error), Some(&FifoError::DuplicateId("conv_005".into())));
    assert_eq!((held(&memory), memory.evictions(9).unwrap().len()), (20, 0));
    assert_eq!(memory.conversation("conv_005").unwrap().unwrap().title, "Conversation 5");
}

fn run(memory: &mut Memory, id: &str) {
    memory
        .begin(NewRun {
            id,
            command: "create",
            at: "2026-02-05T10:00:00Z".parse().unwrap(),
            lane: 0,
            asked: None,
            who: None,
        })
        .unwrap();
}

fn opened(memory: &mut Memory, run: &str, capacity: usize) -> anyhow::Result<(String, Vec<String>)> {
    memory.write(|tx| open_conversation(tx, run, "Review code", capacity, NOW))
}

#[test]
fn f42_where_everybody_is_needed_nobody_is_added() {
    let mut memory = memory();
    for id in ["r1", "r2"] {
        run(&mut memory, id);
        opened(&mut memory, id, 2).unwrap();
    }
    let error = opened(&mut memory, "r3", 2).unwrap_err();
    assert_eq!(why(&error), Some(&FifoError::Full { count: 2, capacity: 2 }));
    let error = memory.add_conversation(&new("c", "t", &[]), 2, NOW).unwrap_err();
    assert!(error.to_string().contains("FifoFull"), "{error}");
    assert_eq!(held(&memory), 2);
    let at = "2026-02-05T10:00:00Z".parse().unwrap();
    memory
        .end(
            "r1",
            &Ending {
                status: Status::Done,
                at,
                phase: None,
                error: None,
                phases: &[],
                episode: None,
                facts: &[],
                answers: &[],
            },
        )
        .unwrap();
    let added = memory.add_conversation(&new("c", "t", &[]), 2, NOW).unwrap();
    assert_eq!(added.evicted, ["run_r1"], "a run that has ended needs it no more; the other is active and waits");
}

#[test]
fn f43_nothing_typed_is_a_wildcard() {
    let mut memory = memory();
    add(&mut memory, "percent", "Sales", &["up 50% in Q1"], NOW);
    add(&mut memory, "score", "Names", &["the user_id column"], NOW);
    add(&mut memory, "quote", "Quotes", &["say \"cheese\" now * twice"], NOW);
    add(&mut memory, "plain", "Plain", &["userXid 500 cheese e-mail"], NOW);
    for (typed, ids) in [
        ("%", vec!["percent"]),
        ("50%", vec!["percent"]),
        ("in%", vec![]),
        ("_", vec!["score"]),
        ("r_i", vec!["score"]),
        ("\"", vec!["quote"]),
        ("*", vec!["quote"]),
        ("che*", vec![]),
        ("e-mail", vec!["plain"]),
        ("Xi", vec!["plain"]),
        ("Q1", vec!["percent"]),
        ("NEAR(a b)", vec![]),
        ("a AND", vec![]),
        ("text:cheese", vec![]),
        ("-cheese", vec![]),
        ("\"cheese\" \"now *\"", vec!["quote"]),
        ("'; DROP TABLE messages; --", vec![]),
    ] {
        assert_eq!(found(&memory, typed), ids, "{typed}");
    }
}

#[test]
fn f44_patterns_are_kept_before_a_conversation_is_deleted() {
    let mut memory = memory();
    let content = json!({
        "conversation_id": "c", "title": "Fix the parser", "tags": ["Bug"],
        "messages": [{ "role": "user", "content": "`src/parse.rs` breaks `read_head()`" }],
    });
    memory.add_conversation(&NewConversation::from_json(&content, "").unwrap(), 1, NOW).unwrap();
    memory.add_conversation(&new("d", "Fix another", &["in `src/parse.rs`"]), 1, NOW + 1).unwrap();
    memory.add_conversation(&new("e", "Third", &[]), 1, NOW + 2).unwrap();
    let kept: Vec<(String, String, i64)> =
        memory.patterns().unwrap().into_iter().map(|one| (one.kind, one.key, one.count)).collect();
    let wanted = [
        ("entity", "file:src/parse.rs", 2),
        ("verb", "fix", 2),
        ("entity", "method:read_head", 1),
        ("pair", "file:src/parse.rs + method:read_head", 1),
        ("tag", "bug", 1),
    ];
    assert_eq!(kept, wanted.map(|(kind, key, count)| (kind.to_owned(), key.to_owned(), count)));
    let known = memory.entity_statistics(Some(EntityType::File), 9).unwrap();
    assert_eq!((known[0].conversation_count, known[0].access_count, known[0].pattern_count), (0, 2, 2));
}

#[test]
fn a_smaller_queue_evicts_as_many_as_it_must() {
    let mut memory = filled(5);
    let added = memory.add_conversation(&new("x", "t", &[]), 2, NOW + 9 * MINUTE).unwrap();
    assert_eq!((added.evicted.len(), held(&memory)), (4, 2));
}

#[test]
fn a_run_speaks_in_its_conversation_until_it_is_closed() {
    let mut memory = filled(2);
    run(&mut memory, "r");
    let (id, _) = opened(&mut memory, "r", CAPACITY).unwrap();
    let token = ["gh", "p_", "Zk3uR8vQ1xW7pL2mT9bN4cY6dF0gH5jSaErV"].concat();
    memory.write(|tx| say(tx, &id, &[(Role::User, Text::of(&format!("use {token} in `a.py`")), NOW)])).unwrap();
    assert_eq!(memory.conversation(&id).unwrap().unwrap().pinned_by_run.as_deref(), Some("r"));
    assert_eq!(opened(&mut memory, "r", CAPACITY).unwrap().0, id, "taken up again, not made twice");
    memory.write(|tx| close_conversation(tx, &id, "Made review-code", CAPACITY, NOW + 1)).unwrap();
    let closed = memory.conversation(&id).unwrap().unwrap();
    assert_eq!((closed.is_active, closed.pinned_by_run, closed.message_count), (false, None, 1));
    assert_eq!(memory.entities_of(&id).unwrap().len(), 1);
    assert_eq!(memory.messages(&id).unwrap()[0].content, "use [REDACTED:github-token] in `a.py`");
    assert!(!memory.write(|tx| say(tx, "gone", &[(Role::User, Text::of("x"), NOW)])).unwrap());
}

#[test]
fn what_was_deleted_is_gone_from_the_file() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("memory.db");
    let mut memory = Memory::open(&path, 0).unwrap();
    add(&mut memory, "c", "Xylophone title", &["zygomorphic `quokka_handler.py`"], NOW);
    add(&mut memory, "d", "Other", &["stays"], NOW);
    memory.delete_conversation("c").unwrap();
    memory.db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
    drop(memory);
    let bytes = std::fs::read(&path).unwrap();
    let holds = |word: &str| bytes.windows(word.len()).any(|window| window == word.as_bytes());
    for word in ["zygomorphic", "ylophon", "quokka", "zyg", "okk"] {
        assert!(!holds(word), "{word}");
    }
    assert!(holds("stays"));
}

#[test]
fn what_is_kept_forever_is_bounded() {
    let mut memory = memory();
    for n in 0..1150 {
        let title = format!("Conversation {n}");
        let mut one = new(&format!("c{n}"), &title, &[]);
        one.messages = vec![(Role::User, Text::of(&format!("`f_{n}.py` and `g_{n}.py`")))];
        memory.add_conversation(&one, 1, NOW + n).unwrap();
    }
    let there = memory.fifo_statistics().unwrap();
    assert_eq!((there.conversations, there.evictions), (1, 1149));
    assert!(there.patterns <= 1100 && memory.evictions(9999).unwrap().len() <= 220, "{there:?}");
    assert!(there.entities.iter().map(|(_, count)| count).sum::<usize>() <= 1100);
    let entities = memory.entity_statistics(None, 9999).unwrap();
    assert!(entities.iter().any(|one| one.entity_name == "f_1149.py"), "the newest stay");
    assert!(!entities.iter().any(|one| one.entity_name == "f_0.py"), "the oldest go");
}

#[test]
fn the_indexes_agree_with_the_texts_after_everything() {
    let mut memory = filled(30);
    let update = Update { title: Some(Text::of("Änderung")), ..Update::default() };
    memory.update_conversation("conv_025", &update, NOW).unwrap();
    memory.append_messages("conv_026", &[(Role::Tool, Text::of("more"))], NOW).unwrap();
    memory.delete_conversation("conv_027").unwrap();
    for index in ["fifo_words", "fifo_parts"] {
        memory.db.execute(&format!("INSERT INTO {index}({index}, rank) VALUES ('integrity-check', 1)"), []).unwrap();
    }
    assert_eq!(number(&memory.db, "SELECT count(*) FROM pragma_foreign_key_check").unwrap(), 0);
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(40))]

    #[test]
    fn no_search_fails(typed in "\\PC{0,20}", odd in "[\"%_*(){}^:+ a-cANDORTE-]{0,16}") {
        let memory = filled(2);
        for typed in [typed, odd] {
            if let Some(query) = Query::of(&typed) {
                memory.search_conversations(&query, 5).unwrap();
            }
        }
    }

    #[test]
    fn a_queue_never_holds_more_than_it_may(steps in proptest::collection::vec(0u8..12, 1..40)) {
        let mut memory = memory();
        for (at, step) in steps.iter().enumerate() {
            let id = format!("c{}", step % 9);
            let _refused = match step {
                0..=8 => memory.add_conversation(&new(&id, "t", &["a.py"]), 4, NOW + at as i64).map(|_| ()),
                9 => memory.activate_conversation(&id, NOW).map(|_| ()),
                10 => memory.delete_conversation(&id).map(|_| ()),
                _ => memory.append_messages(&id, &[(Role::User, Text::of("b.py"))], NOW).map(|_| ()),
            };
            proptest::prop_assert!(held(&memory) <= 4);
            let counted = number(&memory.db, "SELECT coalesce(sum(message_count), 0) FROM conversations").unwrap();
            proptest::prop_assert_eq!(counted, number(&memory.db, "SELECT count(*) FROM messages").unwrap());
        }
    }
}
