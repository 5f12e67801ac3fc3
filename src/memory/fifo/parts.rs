//! Finding a term inside words: the index of any three characters, asked for as little of the term as will do.

use std::collections::HashSet;

use rusqlite::{Connection, OptionalExtension};

use crate::fifo::{Needle, Term, quoted};

/// In how many texts three characters of a term may stand for these texts to be read. Reading one takes about as long as
/// the index takes for fifty of a frequent three, and the index reads all of every three.
const FEW: usize = 48;

/// The conversations that hold a term as any part of a text. One or two characters are looked for in every text.
///
/// # Errors
/// When the database cannot be read.
pub(super) fn parts(db: &Connection, term: &Term) -> anyhow::Result<HashSet<i64>> {
    if !term.is_long() {
        return scanned(db, term);
    }
    match read(db, term)? {
        Some(found) => Ok(found),
        None => indexed(db, term),
    }
}

/// Found by reading the few texts in which three characters of the term stand. `None` where all the threes that are
/// tried stand in many texts, or reading cannot decide it as the index would.
fn read(db: &Connection, term: &Term) -> anyhow::Result<Option<HashSet<i64>>> {
    let Some(needle) = Needle::of(term) else { return Ok(None) };
    // What tells one word from others like it is mostly its end.
    for three in needle.threes() {
        let candidates = holding(db, three)?;
        if candidates.len() <= FEW {
            let mut found = HashSet::new();
            for id in candidates {
                let Some((conversation, text)) = text(db, id)? else { continue };
                match needle.is_in(&text) {
                    Some(true) => drop(found.insert(conversation)),
                    Some(false) => {}
                    None => return Ok(None),
                }
            }
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// The texts three characters stand in, by their ids in the index: [`FEW`], and one more where there are more.
fn holding(db: &Connection, three: &str) -> anyhow::Result<Vec<i64>> {
    let mut statement = db.prepare_cached("SELECT rowid FROM fifo_parts WHERE fifo_parts MATCH ?1 LIMIT ?2")?;
    let rows = statement.query_map((quoted(three), super::small(FEW + 1)), |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// A text by its id in the index, and the number of the conversation it is of.
fn text(db: &Connection, id: i64) -> anyhow::Result<Option<(i64, String)>> {
    let (sql, id) = if id < 0 {
        (
            "SELECT id, title || char(10) || coalesce(summary, '') || char(10) || tags FROM conversations WHERE id = ?1",
            -id,
        )
    } else {
        (
            "SELECT c.id, m.content FROM messages m JOIN conversations c ON c.conversation_id = m.conversation_id
             WHERE m.id = ?1",
            id,
        )
    };
    Ok(db.prepare_cached(sql)?.query_row([id], |row| Ok((row.get(0)?, row.get(1)?))).optional()?)
}

/// Found by the index alone.
fn indexed(db: &Connection, term: &Term) -> anyhow::Result<HashSet<i64>> {
    let mut statement = db.prepare_cached(
        "WITH hit AS MATERIALIZED (SELECT rowid AS id FROM fifo_parts WHERE fifo_parts MATCH ?1)
         SELECT -id FROM hit WHERE id < 0
         UNION SELECT c.id FROM hit JOIN messages m ON m.id = hit.id
           JOIN conversations c ON c.conversation_id = m.conversation_id WHERE hit.id > 0",
    )?;
    let rows = statement.query_map([term.phrase()], |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Found by looking into every text.
fn scanned(db: &Connection, term: &Term) -> anyhow::Result<HashSet<i64>> {
    let mut statement = db.prepare_cached(
        "SELECT id FROM conversations
         WHERE title LIKE ?1 ESCAPE '\\' OR summary LIKE ?1 ESCAPE '\\'
            OR EXISTS (SELECT 1 FROM json_each(tags) WHERE value LIKE ?1 ESCAPE '\\')
         UNION SELECT c.id FROM messages m JOIN conversations c ON c.conversation_id = m.conversation_id
         WHERE m.content LIKE ?1 ESCAPE '\\'",
    )?;
    let rows = statement.query_map([term.like()], |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::fifo::{NewConversation, Query};
    use crate::memory::Memory;

    fn told(texts: &[String]) -> Memory {
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
        fn few_texts_are_judged_as_the_index_judges_them(
            texts in proptest::collection::vec("[abAB1éÉçK\u{301}ſ漢\" _]{3,14}", 1..12),
            typed in "[abAB1eck_]{3,6}",
        ) {
            let (memory, term) = (told(&texts), term(&typed).unwrap());
            let by_index = indexed(&memory.db, &term).unwrap();
            if let Some(by_reading) = read(&memory.db, &term).unwrap() {
                prop_assert_eq!(&by_reading, &by_index);
            }
            prop_assert_eq!(parts(&memory.db, &term).unwrap(), by_index);
        }

        #[test]
        fn what_is_found_is_what_a_look_into_every_text_finds(
            texts in proptest::collection::vec("[abcAB%_1 .]{3,10}", 1..90),
            typed in "[abcAB%_1.]{3,5}",
        ) {
            let (memory, term) = (told(&texts), term(&typed).unwrap());
            prop_assert_eq!(parts(&memory.db, &term).unwrap(), scanned(&memory.db, &term).unwrap());
        }
    }

    #[test]
    fn the_texts_are_read_only_where_they_are_few() {
        let texts: Vec<String> = (0..=FEW).map(|n| format!("word{n} and quokka")).collect();
        let memory = told(&texts);
        let reads = |typed: &str| read(&memory.db, &term(typed).unwrap()).unwrap().map(|found| found.len());
        assert_eq!(reads("word17"), Some(1));
        assert_eq!(reads("rd4"), None, "three characters are what the index answers at once");
        assert_eq!(reads("quokka"), None);
        assert_eq!(reads("zebra"), Some(0));
        assert_eq!(parts(&memory.db, &term("quokka").unwrap()).unwrap().len(), FEW + 1);
    }
}
