//! A `memory.db` that somebody else wrote, as a clone may bring one: nothing in it runs, no command hangs, `create`
//! goes on without it, and the file is left as it is.

use std::fs;
use std::process::{Output, Stdio};
use std::time::{Duration, Instant};

use rusqlite::Connection;
use rustix::process::Signal;

use crate::support::held::{Held, command};
use crate::support::world::{CLAUDE, EMAIL, NAME, World};

const ENDLESS: &str = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";

/// Far longer than any command takes.
const HANGS: Duration = Duration::from_secs(15);

/// `hefesto ARGS` in a process of its own; whoever hangs is killed.
#[track_caller]
fn asked(world: &World, args: &[&str]) -> (i32, String) {
    let mut child = command(&world.root(), &world.outside(), args);
    let child = child.env("HEFESTO_NOW", world.now()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = child.spawn().unwrap();
    let begun = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if begun.elapsed() > HANGS {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("{args:?} hangs");
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    let Output { status, stdout, stderr } = child.wait_with_output().unwrap();
    let text = String::from_utf8([stdout, stderr].concat()).unwrap();
    (status.code().unwrap_or_else(|| panic!("{args:?} was killed: {status}")), text)
}

fn tables(db: &Connection) -> Vec<String> {
    let all = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '%fifo\\_%' ESCAPE '\\' AND \
               name NOT LIKE 'sqlite%'";
    let mut statement = db.prepare(all).unwrap();
    let names: Vec<String> = statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    assert!(names.len() > 10);
    names
}

/// Checks a project with a skill and an attacked memory, once for each attack: its name, and what is said of it. The
/// file is left as it is.
fn under_attack(check: impl Fn(&str, &World, &str)) {
    let columns = "run_id, command, status, started_at, ended_at, lane, description, input_hash, skill, targets, \
                   approved_by, digest, error, answers, registry";
    let nothing = columns.split(',').map(|_| "i").collect::<Vec<_>>().join(",");
    let endless = ENDLESS.replace("count(*)", &nothing);
    let table = format!("DROP TABLE runs; CREATE VIEW runs({columns}) AS {endless} WHERE i < 0");
    let endless = ENDLESS.replace("count(*)", "count(*) AS n");
    let ours = format!("DROP VIEW fifo_texts; CREATE VIEW fifo_texts(id, text) AS SELECT n, n FROM ({endless})");
    let view = format!("CREATE VIEW evil AS {ENDLESS}");
    // A recursive query needs a select around it in a trigger.
    let triggers: String = ["INSERT", "DELETE"]
        .map(|event| {
            format!("CREATE TRIGGER evil_EACH_{event} BEFORE {event} ON EACH BEGIN SELECT * FROM ({ENDLESS}); END;")
        })
        .concat();
    // The text of the schema itself, as no statement of SQLite's would change it.
    let [check_of_lane, type_of_skill] = [
        ("lane        INTEGER NOT NULL", "lane INTEGER CHECK (length(randomblob(999999999)))"),
        ("skill       TEXT", "skill BLOB"),
    ]
    .map(|(from, to)| {
        format!(
            "PRAGMA writable_schema = 1;
             UPDATE sqlite_schema SET sql = replace(sql, '{from}', '{to}') WHERE name = 'runs';
             PRAGMA writable_schema = RESET"
        )
    });
    let many: String = (0..3000).map(|at| format!("CREATE VIEW evil{at} AS SELECT 1;")).collect();
    let many = format!("BEGIN; {many} COMMIT");
    let virtual_table = "CREATE VIRTUAL TABLE evil USING fts5(x)";
    let generated = "ALTER TABLE runs ADD COLUMN evil TEXT AS (upper(run_id))";
    let attacks: [(&str, &str, &str); 16] = [
        ("triggers without end", &triggers, "trigger \"evil_"),
        ("a view without end in the place of a table", &table, "view \"runs\""),
        ("a view without end in the place of ours", &ours, "view \"fifo_texts\" differs"),
        ("a view that is never asked", &view, "view \"evil\" does not belong to it"),
        ("a virtual table", virtual_table, "table \"evil\" does not belong to it"),
        ("a generated column", generated, "table \"runs\" differs"),
        ("a constraint that calls functions", &check_of_lane, "table \"runs\" differs"),
        ("a column of another type", &type_of_skill, "table \"runs\" differs"),
        ("an index that is not there", "DROP INDEX runs_by_input", "is missing"),
        ("statistics of the planner", "ANALYZE", "sqlite_stat"),
        ("a version that is lower", "PRAGMA user_version = 3", "not that of version 3"),
        ("no version", "PRAGMA user_version = 0", "not that of version 0"),
        ("a negative version", "PRAGMA user_version = -1", "version is -1"),
        ("a newer version", "PRAGMA user_version = 99", "newer hefesto"),
        ("another program", "PRAGMA application_id = 7", "another program"),
        ("thousands of objects", &many, ""),
    ];
    for (name, sql, said) in attacks {
        let world = World::holding_the_skill();
        let db = world.database();
        let each = if sql.contains("EACH") { tables(&db) } else { vec![String::new()] };
        each.iter().for_each(|table| db.execute_batch(&sql.replace("EACH", table)).unwrap());
        drop(db);
        let bytes = fs::read(world.path(".hefesto/memory.db")).unwrap();
        check(name, &world, said);
        assert!(fs::read(world.path(".hefesto/memory.db")).unwrap() == bytes, "{name}: the file was changed");
    }
}

#[test]
fn a_database_of_somebody_else_stops_no_create_and_is_left_as_it_is() {
    under_attack(|name, world, said| {
        let (exit, text) = asked(world, &["create", "Review pull requests", "--yes"]);
        assert_eq!(exit, 0, "{name}: {text}");
        assert_eq!(text.matches("WARN-007").count(), 1, "{name}: {text}");
        let cure = "Move the file away to start with an empty one";
        assert!(text.contains("memory.db") && text.contains(said) && text.contains(cure), "{name}: {text}");
        assert!(world.exists(".claude/skills/review-pull-requests/SKILL.md"), "{name}");
        let (exit, text) = asked(world, &["delete", NAME, "--yes"]);
        assert!(exit == 0 && text.matches("WARN-007").count() == 1, "{name}: {text}");
        assert!(!world.exists(CLAUDE), "{name}");
        assert_eq!(asked(world, &["list"]).0, 0, "{name}");
        let (exit, text) = asked(world, &["recover"]);
        assert!(exit == 0 && text.contains("WARN-007") && text.contains(said), "{name}: {text}");
        assert!(!world.exists(".hefesto/memory.db-journal"), "{name}");
    });
}

#[test]
fn commands_about_the_memory_say_what_is_wrong_with_it_and_what_to_do() {
    under_attack(|name, world, said| {
        for args in [
            &["memory", "doctor"][..],
            &["memory", "inspect"],
            &["memory", "search", "email"],
            &["memory", "tail"],
            &["memory", "vacuum"],
            &["memory", "stm", "sessions"],
            &["memory", "fifo", "add", "--content", "{\"title\":\"t\",\"messages\":[]}"],
            &["runs"],
            &["undo", "--yes"],
        ] {
            let (exit, text) = asked(world, args);
            assert_eq!(exit, 1, "{name}, {args:?}: {text}");
            assert!(text.contains("ERROR [E-") && text.contains("memory.db"), "{name}, {args:?}: {text}");
            assert!(text.contains(said) && text.contains("Suggestion: "), "{name}, {args:?}: {text}");
        }
    });
}

#[test]
fn a_log_of_somebody_else_is_neither_believed_nor_written_back() {
    let world = World::holding_the_skill();
    let db = world.database();
    db.execute_batch(&format!("CREATE TRIGGER evil BEFORE INSERT ON runs BEGIN SELECT * FROM ({ENDLESS}); END"))
        .unwrap();
    let read = |name: &str| fs::read(world.path(&format!(".hefesto/{name}"))).unwrap();
    let (file, log) = (read("memory.db"), read("memory.db-wal"));
    drop(db);
    assert!(!log.is_empty());
    fs::write(world.path(".hefesto/memory.db"), &file).unwrap();
    fs::write(world.path(".hefesto/memory.db-wal"), &log).unwrap();
    let (exit, text) = asked(&world, &["create", "Review pull requests", "--yes"]);
    assert!(exit == 0 && text.contains("trigger \"evil\""), "{text}");
    assert_eq!(asked(&world, &["memory", "doctor"]).0, 1);
    assert!(read("memory.db") == file && read("memory.db-wal") == log, "the trigger was written into the file");
}

#[test]
fn damaged_pages_and_texts_without_measure_hang_and_crash_nothing() {
    let world = World::holding_the_skill();
    world.write_log_back();
    let good = fs::read(world.path(".hefesto/memory.db")).unwrap();
    let pages = good.len() / 4096;
    // Each page in turn as noise, as zeros, and as the page before it.
    for page in (0..pages).step_by(13) {
        for kind in 0..3 {
            let mut bytes = good.clone();
            let (before, from) = bytes.split_at_mut(page * 4096);
            let place = from.get_mut(if page == 0 { 100..4096 } else { 0..4096 }).unwrap();
            match kind {
                0 => place.iter_mut().enumerate().for_each(|(at, byte)| *byte = (at * 167 % 251) as u8),
                1 => place.fill(0),
                _ if page > 0 => place.copy_from_slice(before.rchunks(4096).next().unwrap()),
                _ => continue,
            }
            // A log that a command left would hide the damage.
            for end in ["-wal", "-shm"] {
                let _ = fs::remove_file(world.path(&format!(".hefesto/memory.db{end}")));
            }
            fs::write(world.path(".hefesto/memory.db"), &bytes).unwrap();
            for args in [&["memory", "doctor"][..], &["memory", "inspect"], &["create", "Sort the mail", "--dry-run"]] {
                let (exit, text) = asked(&world, args);
                assert!(exit < 2, "page {page}, {kind}, {args:?}: {exit} {text}");
            }
        }
    }
    for end in ["-wal", "-shm"] {
        let _ = fs::remove_file(world.path(&format!(".hefesto/memory.db{end}")));
    }
    fs::write(world.path(".hefesto/memory.db"), &good).unwrap();
    let long = "INSERT INTO blobs(hash, data) VALUES ('x', printf('%.*c', 100000000, 'x'))";
    world.database().execute_batch(long).unwrap();
    let (exit, text) = asked(&world, &["memory", "doctor"]);
    assert!(exit == 1, "{text}");
    let (exit, text) = asked(&world, &["create", "Sort the mail", "--yes"]);
    assert!(exit == 0, "{text}");
}

#[test]
fn a_signal_ends_what_writes_to_the_memory_within_a_moment() {
    let world = World::holding_the_skill();
    let undo = Held::at(&world, "AFTER INSERT ON runs", &["undo", "--yes"]);
    undo.signalled(Signal::TERM);
    assert!(!world.exists(CLAUDE), "it was committed before");
    let create = Held::pushing(&world, hefesto::memory::ring::Phase::Intake, &["create", EMAIL, "--yes"]);
    let status = create.signalled(Signal::INT);
    assert!(!status.success(), "{status}");
    world.run(&["memory", "doctor"]).is(0);
    world.run(&["list"]).is(0);
}
