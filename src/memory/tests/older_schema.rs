//! A database of every older schema.

use super::*;

/// The tables of the first schema, and their columns, as the run that is copied into them fills them.
const FIRST: [(&str, &str); 5] = [
    ("runs", "run_id, command, status, started_at, ended_at, lane, description, skill, targets"),
    ("wm_lanes", "lane, write_head, next_seq"),
    ("wm_slots", "lane, slot, run_id, phase, seq, at, data, checksum"),
    ("wm_markers", "run_id, phase, slot, seq"),
    ("changes", "run_id, at, target, action"),
];

#[test]
fn a_file_of_every_older_schema_is_brought_up_to_date() {
    let dir = tempfile::tempdir().unwrap();
    let newest = dir.path().join("newest.db");
    let mut memory = Memory::open(&newest, 0).unwrap();
    full_run(&mut memory, "1");
    memory
        .db
        .execute("INSERT INTO changes(run_id, at, target, action) VALUES ('1', 'x', 'claude', 'remove')", [])
        .unwrap();
    drop(memory);
    for version in 1..schema::STEPS.len() {
        let path = dir.path().join(format!("{version}.db"));
        let db = Connection::open(&path).unwrap();
        schema::STEPS[..version].iter().for_each(|step| db.execute_batch(step).unwrap());
        db.execute("ATTACH ?1 AS newest", [newest.to_str().unwrap()]).unwrap();
        for (table, columns) in FIRST {
            db.execute_batch(&format!("INSERT INTO {table}({columns}) SELECT {columns} FROM newest.{table}")).unwrap();
        }
        db.pragma_update(None, "user_version", i64::try_from(version).unwrap()).unwrap();
        drop(db);
        assert!(Memory::look(&path).is_err(), "looking changes nothing");
        let mut memory = Memory::open(&path, 0).unwrap();
        assert_eq!(memory.last_change().unwrap().as_deref(), Some("1"), "{version}");
        assert_eq!(memory.registry_before("1").unwrap(), None, "{version}");
        assert_eq!(memory.get_state(0, "1", Phase::Finish).unwrap().slot, 6, "{version}");
        full_run(&mut memory, "2");
        assert_eq!(memory.epoch(Some("2")).unwrap().unwrap().run_id.as_deref(), Some("2"), "{version}");
        memory.end("2", &Ending::of(Status::Done, AT)).unwrap();
    }
}
