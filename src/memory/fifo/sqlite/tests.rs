//! The queue in the database, case by case: storing, entities, eviction, search.

use super::*;
use serde_json::json;

use crate::memory::fifo::{CAPACITY, Conversation, EntityType, FifoError, NewConversation, Query, Role, Text};
use crate::memory::run::RunTx;
use crate::memory::{Bounds, Ending, Memory, NewRun, Status};

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

#[test]
fn conversations_of_one_instant_are_in_the_order_they_were_stored() {
    let mut memory = memory();
    for id in ["b", "a", "c"] {
        add(&mut memory, id, "t", &[], NOW);
    }
    assert_eq!(ids(&memory.recent_conversations(2).unwrap()), ["c", "a"]);
}

#[test]
fn f08_f38_what_changes_is_found_and_the_rest_stays() {
    let mut memory = filled(1);
    let text = |text: &str| Some(Text::of(text));
    let update = Update { title: text("New"), summary: text("It worked"), tags: Some(vec![Text::of("old")]) };
    let changed = memory.update_conversation("conv_000", &update, NOW + MINUTE).unwrap();
    assert_eq!((changed.title.as_str(), changed.summary.as_deref()), ("New", Some("It worked")));
    assert_eq!((changed.created_at, changed.updated_at), (NOW, NOW + MINUTE));
    let tags = Update { tags: Some(["new", "two"].map(Text::of).to_vec()), ..Update::default() };
    let changed = memory.update_conversation("conv_000", &tags, NOW).unwrap();
    assert_eq!((changed.tags, changed.message_count), (vec!["new".into(), "two".into()], 1));
    let hits = ["worked", "Conversation", "old", "two"].map(|word| found(&memory, word).len());
    assert_eq!(hits, [1, 0, 0, 1]);
}

#[test]
fn f33_f36_nothing_is_updated_before_it_was_created_and_one_is_active() {
    let mut memory = filled(1);
    memory.append_messages("conv_000", &[(Role::User, Text::of("x"))], NOW - MINUTE).unwrap();
    let one = memory.conversation("conv_000").unwrap().unwrap();
    assert!(one.created_at <= one.updated_at);
    let mut memory = filled(3);
    memory.activate_conversation("conv_000", NOW).unwrap();
    let (_, before) = memory.activate_conversation("conv_002", NOW).unwrap();
    assert_eq!(before.as_deref(), Some("conv_000"));
    let active: Vec<_> = memory.recent_conversations(9).unwrap().into_iter().filter(|one| one.is_active).collect();
    assert_eq!(ids(&active), ["conv_002"]);
}

#[test]
fn f39_f40_messages_belong_to_one_conversation_and_what_is_deleted_is_gone() {
    let mut memory = memory();
    add(&mut memory, "c", "t", &["see `mine.py` and `shared.py`"], NOW);
    add(&mut memory, "d", "t", &["see `shared.py`"], NOW);
    assert!(memory.delete_conversation("c").unwrap());
    assert!(!memory.delete_conversation("c").unwrap());
    assert_eq!((memory.messages("c").unwrap(), found(&memory, "mine")), (vec![], vec![]));
    let left: Vec<String> = memory.entity_statistics(None, 9).unwrap().into_iter().map(|one| one.entity_name).collect();
    assert_eq!(left, ["shared.py"], "an entity that only it named goes with it");
    let mut memory = filled(0);
    add(&mut memory, "a", "t", &["of a", "too"], NOW);
    add(&mut memory, "b", "t", &["of b"], NOW);
    add(&mut memory, "c", "t", &[], NOW);
    let said = |id| memory.messages(id).unwrap().into_iter().map(|one| one.content).collect::<Vec<_>>();
    assert_eq!((said("a"), said("b"), said("c")), (vec!["of a".into(), "too".into()], vec!["of b".into()], vec![]));
}

fn run(memory: &mut Memory, id: &str) {
    let at = "2026-02-05T10:00:00Z".parse().unwrap();
    memory.begin(NewRun { id, command: "create", at, lane: 0, asked: None, who: None }).unwrap();
}

fn opened(memory: &mut Memory, run: &str, conversations: usize) -> anyhow::Result<()> {
    let bounds = Bounds { conversations, ..Bounds::default() };
    memory.write(|tx| open_conversation(RunTx { tx, run, bounds, now: NOW }, "Review code"))
}

#[test]
fn a_run_speaks_in_its_conversation_until_it_is_closed() {
    let mut memory = filled(2);
    run(&mut memory, "r");
    opened(&mut memory, "r", CAPACITY).unwrap();
    let id = id_of("r");
    let token = ["gh", "p_", "Zk3uR8vQ1xW7pL2mT9bN4cY6dF0gH5jSaErV"].concat();
    memory.write(|tx| say(tx, &id, &[(Role::User, Text::of(&format!("use {token} in `a.py`")), NOW)])).unwrap();
    assert_eq!(memory.conversation(&id).unwrap().unwrap().pinned_by_run.as_deref(), Some("r"));
    opened(&mut memory, "r", CAPACITY).unwrap();
    assert_eq!(held(&memory), 3, "taken up again, not made twice");
    let bounds = Bounds::default();
    let close =
        |tx: &Transaction<'_>| close_conversation(RunTx { tx, run: "r", bounds, now: NOW + 1 }, "Made review-code");
    memory.write(close).unwrap();
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

#[test]
fn f16_f18_entities_are_linked_to_their_conversation_and_find_it() {
    let mut memory = memory();
    add(&mut memory, "c", "t", &["see `a.py` and `Thing`", "or b.md"], NOW);
    let links: Vec<(String, f64)> =
        memory.entities_of("c").unwrap().into_iter().map(|one| (one.name, one.relevance_score)).collect();
    assert_eq!(links, [("Thing".into(), 1.0), ("a.py".into(), 1.0), ("b.md".into(), 0.6)]);
    let mut memory = filled(0);
    add(&mut memory, "c", "t", &["edit `governance.yaml` and `src/deep/main.py`"], NOW);
    add(&mut memory, "d", "t", &["nothing"], NOW);
    let with = |kind, name| memory.conversations_with(kind, name).unwrap();
    assert_eq!(ids(&with(EntityType::File, "governance.yaml")), ["c"]);
    assert_eq!(ids(&with(EntityType::File, "main.py")), ["c"], "the last part of a path is enough");
    assert_eq!(ids(&with(EntityType::Class, "governance.yaml")), Vec::<&str>::new());
    assert_eq!(ids(&with(EntityType::File, "yaml")), Vec::<&str>::new());
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
    memory.end("r1", &Ending::of(Status::Done, "2026-02-05T10:00:00Z".parse().unwrap())).unwrap();
    let added = memory.add_conversation(&new("c", "t", &[]), 2, NOW).unwrap();
    assert_eq!(added.evicted, ["run_r1"], "a run that has ended needs it no more; the other is active and waits");
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
fn whole_words_come_before_parts_and_titles_before_messages() {
    let mut memory = memory();
    add(&mut memory, "part", "Reparsing", &["x"], NOW + MINUTE);
    add(&mut memory, "said", "Other things", &["parsing is what this says, among many other words"], NOW);
    add(&mut memory, "head", "Parsing", &["x"], NOW);
    assert_eq!(found(&memory, "parsing"), ["head", "said", "part"]);
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
        ("quotes cheese", vec!["quote"]), // f17: every term, wherever it stands
        ("sales cheese", vec![]),
        ("'; DROP TABLE messages; --", vec![]),
    ] {
        assert_eq!(found(&memory, typed), ids, "{typed}");
    }
}
