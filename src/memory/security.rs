//! What was refused for safety: when, by which rule, where, and a keyed digest of it. Never the thing itself.

use rusqlite::{Connection, params};
use serde::Serialize;

use super::Memory;
use crate::memory::sql;

const EVENTS_KEPT: i64 = 1000;

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SecurityEvent {
    /// When, in milliseconds since 1970 UTC.
    pub ts: i64,
    /// `secret_rejected` or `session_forbidden`.
    pub kind: String,
    /// The rule, such as `github-token` or `403`.
    pub rule: String,
    pub place: String,
    /// Eight hexadecimal digits that are the same for the same thing in this database, and tell nothing in another.
    pub hash8: String,
}

impl Memory {
    /// Keeps a security event; of `value` only a keyed digest. The newest thousand stay.
    pub fn refused(&mut self, ts: i64, kind: &str, rule: &str, place: &str, value: &str) -> anyhow::Result<()> {
        self.write(|tx| {
            tx.execute("INSERT OR IGNORE INTO security_key(one, key) VALUES (1, randomblob(32))", [])?;
            let key: Vec<u8> = tx.query_row("SELECT key FROM security_key", [], |row| row.get(0))?;
            let mut digest = blake3::Hasher::new_derive_key("hefesto security event v1");
            digest.update(&key).update(value.as_bytes());
            let hash8: String = digest.finalize().to_hex().chars().take(8).collect();
            tx.execute(
                "INSERT INTO security_events(ts, kind, rule, place, hash8) VALUES (?1, ?2, ?3, ?4, ?5)",
                params![ts, kind, rule, place, hash8],
            )?;
            tx.execute(
                "DELETE FROM security_events WHERE seq <= (SELECT max(seq) FROM security_events) - ?1",
                [EVENTS_KEPT],
            )?;
            Ok(())
        })
    }

    /// The newest security events, newest first.
    pub fn security_events(&self, most: usize) -> anyhow::Result<Vec<SecurityEvent>> {
        events(&self.db, most)
    }
}

fn events(db: &Connection, most: usize) -> anyhow::Result<Vec<SecurityEvent>> {
    sql::all(
        db,
        "SELECT ts, kind, rule, place, hash8 FROM security_events ORDER BY seq DESC LIMIT ?1",
        [i64::try_from(most).unwrap_or(i64::MAX)],
        |row| {
            Ok(SecurityEvent {
                ts: row.get(0)?,
                kind: row.get(1)?,
                rule: row.get(2)?,
                place: row.get(3)?,
                hash8: row.get(4)?,
            })
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_thing_has_the_same_digest_in_one_database_only() {
        let digests = || {
            let mut memory = Memory::in_memory().unwrap();
            for value in ["one", "one", "two"] {
                memory.refused(1, "secret_rejected", "github-token", "/data", value).unwrap();
            }
            let events = memory.security_events(9).unwrap();
            events.into_iter().map(|event| event.hash8).collect::<Vec<_>>()
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
        let events = memory.security_events(5000).unwrap();
        assert_eq!((events.len() as i64, events.last().unwrap().ts), (EVENTS_KEPT, 3));
    }
}
