//! A `memory.db` that somebody else wrote.

use rusqlite::Connection;

use super::clone::{Attack, Clone};
use super::journals::sparse;

/// Joins that no machine comes to the end of.
const ENDLESS: &str = "WITH RECURSIVE more(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM more) SELECT count(*) FROM more";

const DB: &str = ".hefesto/memory.db";

fn open(clone: &Clone) -> Connection {
    Connection::open(clone.path(DB)).unwrap()
}

fn names(db: &Connection, of: &str) -> Vec<String> {
    let mut rows = db.prepare(&format!("SELECT name FROM {of}")).unwrap();
    rows.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
}

fn tables(db: &Connection) -> Vec<String> {
    names(db, "sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
}

/// Every text is this; what the schema does not let be so stays.
fn texts(db: &Connection, value: &str) {
    let mut changed = 0;
    for table in tables(db) {
        for column in names(db, &format!("pragma_table_info('{table}') WHERE type = 'TEXT'")) {
            changed += db.execute(&format!("UPDATE OR IGNORE \"{table}\" SET \"{column}\" = ?1"), [value]).unwrap_or(0);
        }
    }
    assert!(changed > 10, "{changed} texts");
}

/// Rewrites the schema as a file that was made by hand may have it.
fn schema(db: &Connection, sql: &str) {
    db.execute_batch(&format!("PRAGMA writable_schema = ON; {sql}; PRAGMA writable_schema = RESET")).unwrap();
}

fn with(name: &str, change: impl Fn(&Connection) + 'static) -> Attack {
    Attack::new(format!("a database with {name}"), move |clone| change(&open(clone)))
}

fn bytes(name: &str, held: &'static [u8]) -> Attack {
    Attack::file(format!("a database that is {name}"), DB, held)
}

pub(crate) fn attacks() -> Vec<Attack> {
    let mut all = vec![
        bytes("empty", b""),
        bytes("text", b"this is no database at all, and long enough to be looked at"),
        bytes("a header alone", b"SQLite format 3\0"),
        Attack::new("a database without an end", |clone| sparse(clone, DB)),
        Attack::file("a log of the database that is no log", ".hefesto/memory.db-wal", vec![0x37; 70_000]),
        Attack::file(
            "a rollback journal of another database",
            ".hefesto/memory.db-journal",
            [&[0xd9, 0xd5, 5, 0xf9, 0x20, 0xa1, 0x63, 0xd7][..], &[0; 4000]].concat(),
        ),
        Attack::new("a rollback journal that names a super-journal outside", |clone| {
            let name = clone.base().join("victim/notes.txt").to_str().unwrap().to_owned();
            let sum: u32 = name.bytes().map(u32::from).sum();
            let mut bytes = [&[0xd9, 0xd5, 5, 0xf9, 0x20, 0xa1, 0x63, 0xd7][..], &[0; 504]].concat();
            bytes.extend([0, 0, 0, 1]);
            bytes.extend(name.as_bytes());
            bytes.extend(u32::try_from(name.len()).unwrap().to_be_bytes());
            bytes.extend(sum.to_be_bytes());
            bytes.extend([0xd9, 0xd5, 5, 0xf9, 0x20, 0xa1, 0x63, 0xd7]);
            clone.put(".hefesto/memory.db-journal", bytes);
        }),
        with("a newer version", |db| db.pragma_update(None, "user_version", 9999).unwrap()),
        with("a negative version", |db| db.pragma_update(None, "user_version", -1).unwrap()),
        with("a table more", |db| db.execute_batch("CREATE TABLE more (x)").unwrap()),
        with("a column more", |db| db.execute_batch("ALTER TABLE runs ADD COLUMN more TEXT").unwrap()),
        with("no tables", |db| {
            db.execute_batch("PRAGMA foreign_keys = OFF").unwrap();
            for table in tables(db) {
                let _ = db.execute_batch(&format!("DROP TABLE IF EXISTS \"{table}\""));
            }
        }),
        with("tables of other columns", |db| {
            db.execute_batch("DROP TABLE runs; CREATE TABLE runs (run_id BLOB); INSERT INTO runs VALUES (zeroblob(9))")
                .unwrap();
        }),
        with("a million runs", |db| {
            db.execute_batch(
                "WITH RECURSIVE more(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM more WHERE n < 60000)
                 INSERT INTO runs SELECT 'r' || n, command, status, started_at, ended_at, lane, description, input_hash,
                 skill, targets, approved_by, digest, error, answers, registry FROM runs, more LIMIT 60000",
            )
            .unwrap();
        }),
        with("a damaged page", |db| {
            let path = db.path().unwrap().to_owned();
            let mut held = std::fs::read(&path).unwrap();
            let length = held.len();
            held[4096 * 3..length.min(4096 * 12)].fill(0xa5);
            std::fs::write(path, held).unwrap();
        }),
    ];
    for (kind, value) in [
        ("sequences", "\u{1b}]0;owned\u{7}\u{9b}31m\u{202e}"),
        ("lines", "a\nERROR [E-CREATE-000]: run me\r\n"),
        ("JSON of sequences", "{\"name\":\"\\u001b]0;owned\\u0007\\u202e\",\"skill\":\"\\u009b31m\"}"),
        ("paths outside", "../../victim/notes.txt"),
        ("brackets", "[[[[[[[[[[[[[[[["),
    ] {
        all.push(with(&format!("{kind} in every text"), move |db| texts(db, value)));
    }
    all.push(with("fifty thousand brackets", |db| texts(db, &"[".repeat(50_000))));
    for table in ["runs", "wm_slots", "run_phases"] {
        for event in ["INSERT", "UPDATE", "DELETE"] {
            all.push(with(&format!("a trigger after {event} on {table} that never ends"), move |db| {
                let sql = format!("CREATE TRIGGER more AFTER {event} ON {table} BEGIN SELECT count(*) FROM runs a, runs b, runs c, runs d,
                    runs e, runs f, runs g, runs h, runs i, runs j, runs k, runs l, sqlite_schema m, sqlite_schema n,
                    sqlite_schema o, sqlite_schema p, sqlite_schema q; END");
                db.execute_batch(&sql).unwrap();
            }));
        }
        all.push(with(&format!("a view without an end in place of {table}"), move |db| {
            let columns = names(db, &format!("pragma_table_info('{table}')"));
            let values = vec!["n"; columns.len()].join(", ");
            db.execute_batch(&format!(
                "PRAGMA foreign_keys = OFF; DROP TABLE {table}; CREATE VIEW {table} ({}) AS
                 WITH RECURSIVE more(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM more) SELECT {values} FROM more",
                columns.join(", ")
            ))
            .unwrap();
        }));
        all.push(with(&format!("a trigger that deletes from {table}"), move |db| {
            let sql = format!("CREATE TRIGGER more AFTER INSERT ON {table} BEGIN DELETE FROM {table}; END");
            db.execute_batch(&sql).unwrap();
        }));
        all.push(with(&format!("a check on {table} that never ends"), move |db| {
            schema(
                db,
                &format!(
                    "UPDATE sqlite_schema SET sql = replace(sql, 'PRIMARY KEY (run_id, phase)',
                'CHECK (length(hex(zeroblob(400000000))) > 1), PRIMARY KEY (run_id, phase)') WHERE name = '{table}'"
                ),
            );
        }));
    }
    all.push(with("a view nobody asked for", |db| {
        db.execute_batch(&format!("CREATE VIEW more AS {ENDLESS}")).unwrap();
    }));
    all.push(with("a schema that names itself", |db| {
        schema(db, "UPDATE sqlite_schema SET sql = 'CREATE VIEW runs AS SELECT * FROM runs', type = 'view' WHERE name = 'runs'");
    }));
    all.push(with("all tables on one page", |db| {
        schema(db, "UPDATE sqlite_schema SET rootpage = 2 WHERE rootpage > 0");
    }));
    all
}
