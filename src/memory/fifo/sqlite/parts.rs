//! Finding a term inside words.

use std::collections::HashSet;

use rusqlite::Connection;

use crate::memory::fifo::Term;
use crate::memory::sql;

/// The conversations that contain a term as any part of a text. One or two characters are searched in every text.
pub(super) fn parts(db: &Connection, term: &Term) -> anyhow::Result<HashSet<i64>> {
    if !term.is_long() {
        return scanned(db, term);
    }
    // `CROSS JOIN` makes SQLite query the index first, instead of testing every message.
    let sql = "WITH hit AS MATERIALIZED (SELECT rowid AS id FROM fifo_parts WHERE fifo_parts MATCH ?1)
               SELECT -id FROM hit WHERE id < 0
               UNION SELECT c.id FROM hit CROSS JOIN messages m ON m.id = hit.id
                 CROSS JOIN conversations c ON c.conversation_id = m.conversation_id WHERE hit.id > 0";
    sql::column(db, sql, [term.phrase()])
}

fn scanned(db: &Connection, term: &Term) -> anyhow::Result<HashSet<i64>> {
    let sql = "SELECT id FROM conversations
               WHERE title LIKE ?1 ESCAPE '\\' OR summary LIKE ?1 ESCAPE '\\'
                  OR EXISTS (SELECT 1 FROM json_each(tags) WHERE value LIKE ?1 ESCAPE '\\')
               UNION SELECT c.id FROM messages m JOIN conversations c ON c.conversation_id = m.conversation_id
               WHERE m.content LIKE ?1 ESCAPE '\\'";
    sql::column(db, sql, [term.like()])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::memory::Memory;
    use crate::memory::fifo::{NewConversation, Query};

    fn with_messages(texts: &[String]) -> Memory {
        let mut memory = Memory::in_memory().unwrap();
        for (at, text) in texts.iter().enumerate() {
            let messages = json!([{ "role": "user", "content": text }]);
            let new = json!({ "conversation_id": format!("c{at}"), "title": "...", "messages": messages });
            memory.add_conversation(&NewConversation::from_json(&new, "").unwrap(), 999, 1).unwrap();
        }
        memory
    }

    fn term(typed: &str) -> Option<Term> {
        Some(Query::of(&format!("\"{typed}\""))?.terms().first()?.clone())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        #[test]
        fn what_is_found_is_what_a_look_into_every_text_finds(
            texts in proptest::collection::vec("[abcAB%_1 .]{3,10}", 1..90),
            typed in "[abcAB%_1.]{3,5}",
        ) {
            let (memory, term) = (with_messages(&texts), term(&typed).unwrap());
            prop_assert_eq!(parts(&memory.db, &term).unwrap(), scanned(&memory.db, &term).unwrap());
        }
    }
}
