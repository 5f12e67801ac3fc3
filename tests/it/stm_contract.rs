//! What short-term memory promises (STM), held against every store: SQLite and, with the feature `redis`, a real
//! `redis-server` on a socket of the test's own.

#![cfg_attr(feature = "redis", allow(clippy::print_stderr, reason = "what is skipped is said"))]

use hefesto::memory::Memory;
use hefesto::memory::stm::{
    Category, Filter, GRACE, HOUR, LIFETIME, MAX_CONTENT, MAX_ENTRIES, MAX_SESSION, NewEntry, Priority, Prune, Recall,
    Refusal, Result, SessionKey, Stats, Stm, StmError, WAITS,
};
use serde_json::{Value, json};

#[cfg(feature = "redis")]
use crate::support::redis;

/// A store and the time it is. It begins now: a Redis server deletes by its own clock.
struct Held {
    store: Store,
    start: i64,
    ids: u64,
}

enum Store {
    Sqlite(Memory),
    #[cfg(feature = "redis")]
    Redis(
        hefesto::memory::stm::redis::RedisStm,
        #[allow(dead_code, reason = "it stops when it is dropped")] redis::Server,
    ),
}

/// Every store there is here.
fn stores() -> Vec<Held> {
    let start = i64::try_from(std::time::UNIX_EPOCH.elapsed().unwrap().as_millis()).unwrap();
    let stores = vec![Store::Sqlite(Memory::in_memory().unwrap())];
    #[cfg(feature = "redis")]
    let stores = with_redis(stores);
    stores.into_iter().map(|store| Held { store, start, ids: 0 }).collect()
}

#[cfg(feature = "redis")]
fn with_redis(mut stores: Vec<Store>) -> Vec<Store> {
    match redis::Server::start() {
        Some(server) => {
            let redis = hefesto::memory::stm::redis::RedisStm::connect(&server.url(), "contract").unwrap();
            stores.push(Store::Redis(redis, server));
        }
        None => eprintln!("SKIPPED: there is no redis-server on PATH, Redis is not tested"),
    }
    stores
}

impl Held {
    /// Does something so many milliseconds after the start.
    fn at<T>(&mut self, after: i64, work: impl FnOnce(&mut Stm<'_>) -> Result<T>) -> Result<T> {
        let (now, took) = (self.start + after, || 7);
        match &mut self.store {
            Store::Sqlite(memory) => memory.stm(now, &took, work),
            #[cfg(feature = "redis")]
            Store::Redis(redis, _) => work(&mut Stm::new(redis, now, &took)),
        }
    }

    /// Stores in a session, and gives the id.
    fn keep(&mut self, after: i64, session: &str, priority: Priority, content: Value) -> Result<String> {
        self.ids += 1;
        let new = entry(&format!("e{}", self.ids), priority, content);
        self.at(after, |stm| stm.store(&key(session), new)).map(|stored| stored.entry.head.id)
    }

    #[track_caller]
    fn kept(&mut self, after: i64, session: &str, priority: Priority, content: Value) -> String {
        self.keep(after, session, priority, content).unwrap()
    }

    #[track_caller]
    fn recall(&mut self, after: i64, session: &str, filter: &Filter) -> Recall {
        self.at(after, |stm| stm.recall(&key(session), filter)).unwrap()
    }

    /// The contents that are recalled, newest first.
    #[track_caller]
    fn contents(&mut self, after: i64, session: &str) -> Vec<Value> {
        self.recall(after, session, &all()).entries.into_iter().map(|entry| entry.content).collect()
    }

    /// How many entries are there, seen or not.
    #[track_caller]
    fn there(&mut self, after: i64, session: &str) -> u64 {
        let found = self.at(after, |stm| stm.sessions()).unwrap();
        found.iter().find(|one| one.key == key(session)).map_or(0, |one| one.entries)
    }
}

fn key(session: &str) -> SessionKey {
    SessionKey::new("cli", session)
}

fn all() -> Filter {
    Filter { limit: usize::MAX, ..Filter::default() }
}

fn entry(id: &str, priority: Priority, content: Value) -> NewEntry {
    NewEntry {
        id: id.to_owned(),
        category: Category::UserInput,
        priority,
        actor: "user".to_owned(),
        tags: Vec::new(),
        content,
        lives: None,
    }
}

#[track_caller]
fn refusal<T: std::fmt::Debug>(result: Result<T>) -> Refusal {
    match result {
        Err(StmError::Refused(refusal)) => refusal,
        other => panic!("{other:?} is no refusal"),
    }
}

use Priority::{High, Low, Medium};

/// A test of every store.
macro_rules! promise {
    ($name:ident, |$held:ident| $body:block) => {
        #[test]
        fn $name() {
            for mut $held in stores() $body
        }
    };
}

promise!(s1_a_stored_entry_is_whole, |held| {
    let id = held.kept(0, "a", High, json!({ "type": "message", "data": "é \u{1f600}" }));
    let found = held.recall(0, "a", &all()).entries.remove(0);
    assert_eq!((&*found.head.id, &*found.key.id, &*found.key.embodiment), (&*id, "a", "cli"));
    assert_eq!((found.head.category, found.head.priority), (Category::UserInput, High));
    assert_eq!((found.head.created_at, found.head.expires_at), (held.start, held.start + LIFETIME));
    assert_eq!(found.content, json!({ "type": "message", "data": "é \u{1f600}" }));
});

promise!(s2_it_expires_within_24_hours_whatever_is_asked_for, |held| {
    for (lives, is) in [(None, LIFETIME), (Some(i64::MAX), LIFETIME), (Some(5000), 5000)] {
        let new = NewEntry { lives, ..entry(&format!("{lives:?}"), Low, json!(1)) };
        let stored = held.at(0, |stm| stm.store(&key("a"), new)).unwrap().entry;
        assert_eq!(stored.head.expires_at - stored.head.created_at, is);
        assert!(is > 0 && is < 24 * HOUR);
    }
});

promise!(s3_s4_two_stores_are_two_entries_and_both_are_recalled, |held| {
    held.kept(0, "a", Low, json!(1));
    held.kept(1, "a", Low, json!(2));
    assert_eq!(held.there(1, "a"), 2);
    assert_eq!(held.contents(1, "a"), [json!(2), json!(1)]);
    assert_eq!(held.recall(1, "a", &all()).total, 2);
});

promise!(s5_filters_choose, |held| {
    for (id, category, actor, tags, after) in [
        ("one", Category::UserInput, "user", &["ui", "a_b%"][..], 0),
        ("two", Category::ActiveTask, "hefesto", &["ui"], 10),
        ("three", Category::ActiveTask, "user", &[], 20),
    ] {
        let tags = tags.iter().map(|tag| (*tag).to_owned()).collect();
        let new = NewEntry { category, actor: actor.into(), tags, ..entry(id, Medium, json!(id)) };
        held.at(after, |stm| stm.store(&key("a"), new)).unwrap();
    }
    let start = held.start;
    for (filter, ids) in [
        (Filter { categories: vec![Category::ActiveTask], ..all() }, &["three", "two"][..]),
        (Filter { categories: vec![Category::ActiveTask, Category::UserInput], ..all() }, &["three", "two", "one"]),
        (Filter { actor: Some("user".into()), ..all() }, &["three", "one"]),
        (Filter { tags: vec!["ui".into()], ..all() }, &["two", "one"]),
        (Filter { tags: vec!["ui".into(), "a_b%".into()], ..all() }, &["one"]),
        (Filter { since: Some(start + 10), ..all() }, &["three", "two"]),
        (Filter { id: Some("two".into()), ..all() }, &["two"]),
        (Filter { categories: vec![Category::SystemState], ..all() }, &[]),
    ] {
        let found = held.recall(20, "a", &filter);
        let is: Vec<&str> = found.entries.iter().map(|entry| entry.head.id.as_str()).collect();
        assert_eq!((is.as_slice(), found.total), (ids, ids.len() as u64), "{filter:?}");
    }
});

promise!(s6_s19_the_newest_is_first_also_within_one_millisecond, |held| {
    for n in 0..20 {
        held.kept(n / 5, "a", [Low, High][n as usize % 2], json!(n));
    }
    let newest_first: Vec<Value> = (0..20).rev().map(|n| json!(n)).collect();
    assert_eq!(held.contents(5, "a"), newest_first);
});

promise!(s7_a_limit_gives_the_newest_and_the_number_of_all, |held| {
    for n in 0..10 {
        held.kept(n, "a", Low, json!(n));
    }
    let found = held.recall(10, "a", &Filter { limit: 5, ..all() });
    assert_eq!((found.entries.len(), found.total), (5, 10));
    assert_eq!(found.entries[4].content, json!(5));
    assert_eq!(Filter::default().limit, 50);
});

promise!(s8_s9_a_session_never_sees_another, |held| {
    held.kept(0, "a", Low, json!("the same"));
    held.kept(0, "b", Low, json!("the same"));
    held.kept(0, "b", Low, json!("only b"));
    assert_eq!(held.contents(0, "a"), [json!("the same")]);
    assert_eq!(held.contents(0, "b").len(), 2);
    assert_eq!(held.contents(0, "c"), [] as [Value; 0]);
});

promise!(s10_s11_what_expired_is_not_seen_and_pruning_takes_it, |held| {
    let short = NewEntry { lives: Some(1000), ..entry("short", High, json!("short")) };
    held.at(0, |stm| stm.store(&key("a"), short)).unwrap();
    held.kept(0, "a", Low, json!("long"));
    assert_eq!(held.contents(999, "a").len(), 2);
    assert_eq!(held.contents(1000, "a"), [json!("long")]);
    assert_eq!(held.recall(1000, "a", &all()).total, 1);
    let shown = held.recall(1000, "a", &Filter { include_expired: true, ..all() });
    assert_eq!((shown.entries.len(), shown.total), (2, 2));
    let pruned = held.at(1000, |stm| stm.prune(&key("a"), Prune::Keep(10))).unwrap();
    assert_eq!((pruned.expired, pruned.pruned, pruned.left), (1, 0, 1));
    assert_eq!(held.there(1000, "a"), 1);
});

promise!(s12_pruning_to_a_limit_keeps_the_high_and_the_newest, |held| {
    for n in 0..15 {
        held.kept(n, "a", if n < 5 { High } else { Low }, json!(n));
    }
    let pruned = held.at(20, |stm| stm.prune(&key("a"), Prune::Keep(10))).unwrap();
    assert_eq!((pruned.pruned, pruned.left), (5, 10));
    let left: Vec<Value> = [14, 13, 12, 11, 10, 4, 3, 2, 1, 0].map(|n| json!(n)).into();
    assert_eq!(held.contents(20, "a"), left);
    let none = held.at(20, |stm| stm.prune(&key("a"), Prune::Keep(10))).unwrap();
    assert_eq!(none.pruned, 0);
    let high = held.at(20, |stm| stm.prune(&key("a"), Prune::Keep(1))).unwrap();
    assert_eq!((high.pruned, high.left), (5, 5), "high priority stays");
});

promise!(pruning_by_strategy_takes_a_part, |held| {
    for n in 0..12 {
        held.kept(n, "a", [Low, Medium, High][n as usize % 3], json!(n));
    }
    let pruned = held.at(20, |stm| stm.prune(&key("a"), Prune::LowestPriority)).unwrap();
    assert_eq!(pruned.pruned, 2, "of four low ones two, of four medium ones none");
    assert_eq!(held.contents(20, "a").last(), Some(&json!(1)));
    let pruned = held.at(20, |stm| stm.prune(&key("a"), Prune::Oldest)).unwrap();
    assert_eq!(pruned.pruned, 1, "of the two oldest one is high");
    assert_eq!(held.at(20, |stm| stm.prune(&key("nobody"), Prune::Oldest)).unwrap().pruned, 0);
});

promise!(s13_s14_purging_empties_one_session_only, |held| {
    let first = held.kept(0, "a", High, json!(1));
    held.kept(0, "a", High, json!(2));
    held.kept(0, "b", Low, json!(3));
    assert_eq!(held.at(0, |stm| stm.purge(&key("a"), Some(&first))).unwrap(), 1);
    assert_eq!(held.contents(0, "a"), [json!(2)]);
    assert_eq!(held.at(0, |stm| stm.purge(&key("a"), None)).unwrap(), 1);
    assert_eq!((held.there(0, "a"), held.contents(0, "b").len()), (0, 1));
    assert_eq!(held.at(0, |stm| stm.purge(&key("a"), None)).unwrap(), 0);
});

promise!(s15_no_entry_outlives_24_hours_in_a_session_that_stays_open, |held| {
    held.kept(0, "a", High, json!("early"));
    held.kept(HOUR, "a", Low, json!("late"));
    assert_eq!(held.contents(LIFETIME - 1, "a").len(), 2);
    assert_eq!(held.contents(LIFETIME, "a"), [json!("late")]);
    assert_eq!(held.there(LIFETIME, "a"), 2, "for five minutes it can still be asked for");
    held.at(LIFETIME + GRACE, |stm| stm.sweep()).unwrap();
    assert_eq!(held.there(LIFETIME + GRACE, "a"), 1);
    let swept = held.at(25 * HOUR + GRACE + 1, |stm| stm.sweep()).unwrap();
    assert_eq!((swept.sessions, swept.entries), (1, 1), "a session nothing is left of goes too");
});

promise!(s16_s17_s18_an_ended_session_is_not_seen_and_goes_five_minutes_later, |held| {
    held.kept(0, "a", High, json!(1));
    held.at(10, |stm| stm.end(&key("a"))).unwrap();
    assert_eq!(held.contents(10, "a"), [] as [Value; 0]);
    let expired = Filter { include_expired: true, ..all() };
    assert_eq!(held.recall(10, "a", &expired).total, 1);
    let ended = refusal(held.keep(20, "a", Low, json!(2)));
    assert_eq!(ended, Refusal::SessionEnded { session: "a".into() });
    assert_eq!(held.at(10 + GRACE - 1, |stm| stm.sweep()).unwrap().entries, 0);
    assert_eq!(held.recall(10 + GRACE - 1, "a", &expired).total, 1);
    assert_eq!(held.recall(10 + GRACE, "a", &expired).total, 0, "who asks sweeps");
    // Any write sweeps.
    held.kept(10 + GRACE, "b", Low, json!(3));
    assert!(held.at(10 + GRACE, |stm| Ok(stm.sessions()?.len() == 1)).unwrap());
    assert_eq!(refusal(held.at(0, |stm| stm.end(&key("c")))), Refusal::NoSuchSession { session: "c".into() });
});

promise!(an_id_is_free_again_after_its_session_ended_and_nothing_of_it_is_left, |held| {
    held.kept(0, "a", High, json!("before"));
    held.at(1, |stm| stm.end(&key("a"))).unwrap();
    let opened = held.at(2, |stm| stm.open(key("a"), "user", None, "x")).unwrap();
    assert!(opened.is_new && opened.collided.is_none());
    assert_eq!(held.recall(2, "a", &Filter { include_expired: true, ..all() }).total, 0);
});

promise!(a_session_of_a_run_stays_open_while_the_run_waits, |held| {
    let run = held.at(0, |stm| stm.open_run("01run", "cli", "user")).unwrap().session.key;
    held.at(0, |stm| stm.task(&run, "P3", "done")).unwrap();
    held.at(1, |stm| stm.task(&run, "P4", "waiting")).unwrap();
    let day = 26 * HOUR;
    held.at(day, |stm| stm.sweep()).unwrap();
    let again = held.at(day, |stm| stm.open_run("01run", "cli", "user")).unwrap();
    assert!(!again.is_new, "it is the one it had");
    held.at(day, |stm| stm.task(&run, "P5", "running")).unwrap();
    let found = held.recall(day, "01run", &all());
    assert_eq!(found.entries[0].content["data"], json!({ "task_id": "01run", "phase": "P5", "status": "running" }));
    assert_eq!(found.total, 1);
    held.at(day, |stm| stm.end_run(&run)).unwrap();
    held.at(day, |stm| stm.end_run(&run)).unwrap();
    assert_eq!(held.contents(day, "01run"), [] as [Value; 0]);
    assert!(WAITS > day);
});

promise!(s20_the_1001st_entry_prunes_the_oldest_low_then_medium_high_never, |held| {
    held.kept(0, "a", High, json!("high"));
    held.kept(1, "a", Medium, json!("medium"));
    held.kept(2, "a", Low, json!("low 1"));
    held.kept(3, "a", Low, json!("low 2"));
    for n in 4..MAX_ENTRIES {
        held.kept(4, "a", High, json!(n));
    }
    let kept = |held: &mut Held, what: &str| held.contents(9, "a").contains(&json!(what));
    assert_eq!(held.there(9, "a"), MAX_ENTRIES);
    for (gone, stays) in [("low 1", "low 2"), ("low 2", "medium"), ("medium", "high")] {
        held.kept(9, "a", High, json!("one more"));
        assert!(!kept(&mut held, gone) && kept(&mut held, stays), "{gone} went");
        assert_eq!(held.there(9, "a"), MAX_ENTRIES);
    }
    // S21
    assert_eq!(
        refusal(held.keep(9, "a", High, json!("too many"))),
        Refusal::SessionFull { entries: MAX_ENTRIES, bytes: MAX_SESSION }
    );
    assert_eq!(
        refusal(held.keep(9, "a", Low, json!("too many"))),
        Refusal::SessionFull { entries: MAX_ENTRIES, bytes: MAX_SESSION }
    );
    assert!(kept(&mut held, "high") && held.there(9, "a") == MAX_ENTRIES);
    let session = held.at(9, |stm| stm.sessions()).unwrap().remove(0);
    assert_eq!(session.pruned, 3);
});

promise!(s22_an_entry_takes_one_mebibyte_and_not_a_byte_more, |held| {
    let of = |bytes: u64| json!("x".repeat(bytes as usize - 2));
    held.kept(0, "a", High, of(MAX_CONTENT));
    let over = refusal(held.keep(0, "a", High, of(MAX_CONTENT + 1)));
    assert_eq!(over, Refusal::ContentTooLarge { bytes: MAX_CONTENT + 1, most: MAX_CONTENT });
    assert_eq!(held.there(0, "a"), 1);
});

promise!(a_session_takes_ten_mebibytes_the_lowest_go_first, |held| {
    let of = |n: i64| json!(format!("{n}{}", "x".repeat(MAX_CONTENT as usize - 8)));
    for n in 0..9 {
        held.kept(n, "a", High, of(n));
    }
    for n in 0..200 {
        held.kept(10 + n, "a", Low, json!("x".repeat(4000)));
    }
    held.kept(300, "a", Medium, json!("x".repeat(500_000)));
    let session = held.at(300, |stm| stm.sessions()).unwrap().remove(0);
    assert!(session.bytes <= MAX_SESSION && session.pruned > 1 && session.pruned < 200, "{session:?}");
    let sum: u64 = held.recall(300, "a", &all()).entries.iter().map(|entry| entry.head.bytes).sum();
    assert_eq!(session.bytes, sum);
    let grown = held.at(301, |stm| stm.update(&key("a"), None, None, &of(10)).map(|entry| entry.head.id));
    assert_eq!(refusal(grown), Refusal::SessionFull { entries: MAX_ENTRIES, bytes: MAX_SESSION });
});

promise!(s23_the_entry_of_another_session_is_forbidden, |held| {
    let id = held.kept(0, "a", Low, json!(1));
    held.kept(0, "b", Low, json!(2));
    let forbidden = Refusal::Forbidden { entry: id.clone() };
    let by_id = Filter { id: Some(id.clone()), ..all() };
    assert_eq!(refusal(held.at(0, |stm| stm.recall(&key("b"), &by_id))), forbidden);
    assert_eq!(refusal(held.at(0, |stm| stm.update(&key("b"), Some(&id), None, &json!(9)))), forbidden);
    assert_eq!(refusal(held.at(0, |stm| stm.purge(&key("b"), Some(&id)))), forbidden);
    let elsewhere = SessionKey::new("ci", "a");
    assert_eq!(refusal(held.at(0, |stm| stm.recall(&elsewhere, &by_id))), forbidden);
    assert!(forbidden.to_string().contains("403"));
    assert_eq!(held.contents(0, "a"), [json!(1)]);
    let none = refusal(held.at(0, |stm| stm.purge(&key("b"), Some("nope"))));
    assert_eq!(none, Refusal::NoSuchEntry { entry: "nope".into() });
});

promise!(s24_every_embodiment_has_its_own, |held| {
    for (id, embodiment) in [("one", "foreman_app"), ("two", "local_builder")] {
        let new = entry(id, Low, json!(embodiment));
        held.at(0, |stm| stm.store(&SessionKey::new(embodiment, "a"), new)).unwrap();
    }
    for embodiment in ["foreman_app", "local_builder"] {
        let found = held.at(0, |stm| stm.recall(&SessionKey::new(embodiment, "a"), &all())).unwrap();
        assert_eq!(found.entries.len(), 1);
        assert_eq!(found.entries[0].content, json!(embodiment));
    }
    held.at(0, |stm| stm.end(&SessionKey::new("foreman_app", "a"))).unwrap();
    let other = SessionKey::new("local_builder", "a");
    assert_eq!(held.at(0, |stm| stm.recall(&other, &all())).unwrap().total, 1);
});

promise!(a_session_id_that_is_taken_gets_another, |held| {
    let open = |held: &mut Held, embodiment: &str, actor: &str| {
        held.at(0, |stm| stm.open(SessionKey::new(embodiment, "a"), actor, None, "7f3a")).unwrap()
    };
    assert!(open(&mut held, "cli", "user").is_new);
    assert!(!open(&mut held, "cli", "user").is_new);
    for (embodiment, actor) in [("cli", "agent"), ("ci", "user")] {
        let opened = open(&mut held, embodiment, actor);
        assert_eq!((opened.session.key.id.as_str(), opened.collided.as_deref()), ("a-7f3a", Some("a")));
    }
});

promise!(s26_an_update_merges_and_does_not_move_the_end, |held| {
    let old = json!({ "type": "task", "data": { "status": "open", "step": 1, "tags": [1, 2] } });
    let id = held.kept(0, "a", Low, old);
    let patch = json!({ "data": { "status": "completed", "step": null, "tags": [3] }, "extra": true });
    let new = held.at(5000, |stm| stm.update(&key("a"), Some(&id), None, &patch)).unwrap();
    let merged = json!({ "type": "task", "data": { "status": "completed", "tags": [3] }, "extra": true });
    assert_eq!(new.content, merged);
    let found = held.recall(5000, "a", &all()).entries.remove(0);
    assert_eq!((found.content, found.head.created_at), (merged.clone(), held.start));
    assert_eq!(found.head.expires_at, held.start + LIFETIME);
    assert_eq!(found.head.bytes, merged.to_string().len() as u64);
    assert_eq!(held.contents(LIFETIME, "a"), [] as [Value; 0]);
    // Without an id it is the newest, of a category where one is named.
    held.kept(6000, "a", Low, json!("newer"));
    let newest = held.at(6000, |stm| stm.update(&key("a"), None, Some(Category::UserInput), &json!(4))).unwrap();
    assert_eq!((newest.head.id.as_str(), newest.content), ("e2", json!(4)));
    let none = held.at(6000, |stm| stm.update(&key("a"), None, Some(Category::SystemState), &json!(4)));
    assert!(matches!(refusal(none), Refusal::NoSuchEntry { .. }));
});

#[test]
fn a_secret_is_refused_before_it_is_stored_and_before_it_is_merged() {
    let token = ["gh", "p_", "Zk3uR8vQ1xW7pL2mT9bN4cY6dF0gH5jSaErV"].concat();
    for mut held in stores() {
        let id = held.kept(0, "a", Low, json!({ "note": "clean" }));
        for refused in [
            held.keep(0, "a", Low, json!({ "data": { "header": token } })).map(|_| ()),
            held.at(0, |stm| stm.update(&key("a"), Some(&id), None, &json!({ "note": token }))).map(|_| ()),
            held.at(0, |stm| stm.store(&SessionKey::new("cli", &*token), entry("x", Low, json!(1)))).map(|_| ()),
            held.at(0, |stm| stm.open(SessionKey::new("cli", &*token), "user", None, "x")).map(|_| ()),
        ] {
            let Refusal::Secret { rule, .. } = refusal(refused) else { panic!("it was refused for something else") };
            assert_eq!(rule, "github-token");
        }
        assert_eq!(held.contents(0, "a"), [json!({ "note": "clean" })]);
    }
}

promise!(a_refused_entry_leaves_everything_as_it_is, |held| {
    held.kept(0, "a", Low, json!("stays"));
    let twice = held.at(0, |stm| stm.store(&key("a"), entry("big", Low, json!("x".repeat(MAX_CONTENT as usize)))));
    refusal(twice);
    assert_eq!(held.there(0, "a"), 1);
    assert_eq!(held.contents(0, "a"), [json!("stays")]);
});

promise!(what_happened_is_counted_by_the_hour_without_content, |held| {
    for n in 0..3 {
        held.kept(n, "a", Low, json!(n));
    }
    held.recall(5, "a", &all());
    held.at(5, |stm| stm.prune(&key("a"), Prune::Keep(2))).unwrap();
    held.at(10_000, |stm| stm.end(&key("a"))).unwrap();
    let since = held.start - HOUR;
    let tallies = held.at(10_000, |stm| stm.tallies(since)).unwrap();
    let sessions = held.at(10_000, |stm| stm.sessions()).unwrap();
    let stats = Stats::of(&sessions, &tallies);
    assert_eq!((stats.stored, stats.recalls, stats.pruned, stats.expired, stats.sessions), (3, 1, 1, 2, 1));
    assert_eq!((stats.open, stats.ended, stats.entries), (0, 1, 2));
    assert_eq!(stats.average_session, Some(10_000));
    assert_eq!(stats.categories, [(Category::UserInput, 3)]);
    assert_eq!(stats.health[0].1, 7, "what took() said");
    assert_eq!(sessions[0].recalls, 1);
    assert_eq!(held.at(10_000, |stm| stm.tallies(i64::MAX)).unwrap(), []);
});

promise!(new_entries_can_be_asked_for_one_after_the_other, |held| {
    held.kept(0, "a", Low, json!(1));
    let first = held.recall(0, "a", &all()).entries.remove(0).head.seq;
    held.kept(0, "a", Low, json!(2));
    held.kept(0, "b", Low, json!(3));
    let newer = held.recall(0, "a", &Filter { after: Some(first), ..all() });
    assert_eq!(newer.entries.len(), 1);
    assert_eq!(newer.entries[0].content, json!(2));
});

#[cfg(feature = "redis")]
#[test]
fn on_redis_no_save_moves_the_end_of_an_entry_and_the_server_deletes_by_itself() {
    let Some(server) = redis::Server::start() else {
        eprintln!("SKIPPED: there is no redis-server on PATH, Redis is not tested");
        return;
    };
    for mut held in stores() {
        let Store::Redis(..) = &held.store else { continue };
        held.store = Store::Redis(
            hefesto::memory::stm::redis::RedisStm::connect(&server.url(), "ttl").unwrap(),
            redis::Server::none(),
        );
        let id = held.kept(0, "a", Low, json!({ "n": 1 }));
        let end = |server: &redis::Server| server.ask(&["PEXPIRETIME", &format!("hefesto:{{ttl}}:e:{id}")]);
        let first = end(&server);
        assert_eq!(first, (held.start + LIFETIME + GRACE).to_string());
        held.at(60_000, |stm| stm.update(&key("a"), Some(&id), None, &json!({ "n": 2 }))).unwrap();
        held.kept(60_000, "a", Low, json!(2));
        assert_eq!(end(&server), first);
        held.at(60_000, |stm| stm.end(&key("a"))).unwrap();
        let gone = (held.start + 60_000 + GRACE).to_string();
        assert_eq!(end(&server), gone);
        for key in ["s:cli\u{1f}a", "h:cli\u{1f}a", "x:cli\u{1f}a"] {
            assert_eq!(server.ask(&["PEXPIRETIME", &format!("hefesto:{{ttl}}:{key}")]), gone);
        }
        return;
    }
}

#[cfg(feature = "redis")]
promise!(on_redis_reading_goes_on_over_a_new_connection, |held| {
    held.kept(0, "a", Low, json!(1));
    let Store::Redis(_, server) = &held.store else { continue };
    server.ask(&["CLIENT", "KILL", "TYPE", "normal"]);
    assert_eq!(held.at(1, |stm| stm.sessions()).unwrap().len(), 1);
});
