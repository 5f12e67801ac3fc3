//! Security events: input that was refused, with time, rule, place and a keyed digest. Never the input itself.

use super::{Memory, sql};

const EVENTS_KEPT: i64 = 1000;

impl Memory {
    /// Stores a security event, with a keyed digest of `value` only. The newest thousand are kept.
    pub fn refused(&mut self, ts: i64, kind: &str, rule: &str, place: &str, value: &str) -> anyhow::Result<()> {
        self.write(|tx| {
            tx.execute("INSERT OR IGNORE INTO security_key(one, key) VALUES (1, randomblob(32))", [])?;
            let key: Vec<u8> = tx.query_row("SELECT key FROM security_key", [], |row| row.get(0))?;
            let mut digest = blake3::Hasher::new_derive_key("hefesto security event v1");
            digest.update(&key).update(value.as_bytes());
            let hash8: String = digest.finalize().to_hex().chars().take(8).collect();
            let event = "INSERT INTO security_events(ts, kind, rule, place, hash8) VALUES (?1, ?2, ?3, ?4, ?5)";
            sql::run(tx, event, rusqlite::params![ts, kind, rule, place, hash8])?;
            let beyond = "DELETE FROM security_events WHERE seq <= (SELECT max(seq) FROM security_events) - ?1";
            sql::run(tx, beyond, [EVENTS_KEPT])
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// When each event was, and the digest of what was refused, newest first.
    fn events(memory: &Memory) -> Vec<(i64, String)> {
        let query = "SELECT ts, hash8 FROM security_events ORDER BY seq DESC";
        sql::all(&memory.db, query, [], |row| Ok((row.get(0)?, row.get(1)?))).unwrap()
    }

    #[test]
    fn the_same_thing_has_the_same_digest_in_one_database_only() {
        let digests = || {
            let mut memory = Memory::in_memory().unwrap();
            for value in ["one", "one", "two"] {
                memory.refused(1, "secret_rejected", "github-token", "/data", value).unwrap();
            }
            events(&memory).into_iter().map(|(_, digest)| digest).collect::<Vec<_>>()
        };
        let (here, there) = (digests(), digests());
        assert!(here[1] == here[2] && here[0] != here[1], "{here:?}");
        assert_ne!(here, there);
        assert_eq!(here[0].len(), 8);
    }

    #[test]
    fn a_thousand_are_kept() {
        let mut memory = Memory::in_memory().unwrap();
        for ts in 0..EVENTS_KEPT + 3 {
            memory.refused(ts, "session_forbidden", "403", "", "").unwrap();
        }
        let events = events(&memory);
        assert_eq!((events.len() as i64, events.last().unwrap().0), (EVENTS_KEPT, 3));
    }
}
