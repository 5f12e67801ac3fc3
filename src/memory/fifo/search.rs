//! Searching conversations: by words, by parts of words, and by likeness to a description.

use std::collections::{HashMap, HashSet};

use rusqlite::Connection;
use serde::Serialize;

use super::read;
use crate::fifo::{Conversation, Query, Term, excerpt};

/// How much more a hit in title, summary or tags weighs than one in a message.
const HEAD: f64 = 2.0;

/// How the terms of a search were found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Matched {
    /// Each as whole words.
    Word,
    /// At least one only as part of a word.
    Part,
}

/// A conversation that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// It.
    pub conversation: Conversation,
    /// How.
    pub matched: Matched,
    /// One line around the first hit in a message; none where only the title, summary or tags hold it.
    pub excerpt: Option<String>,
}

/// The conversations in which every term stands somewhere: in title, summary, tags or a message. Whole words come before
/// parts of words, then by BM25, then the newest.
///
/// # Errors
/// When the database cannot be read.
pub fn search(db: &Connection, query: &Query, limit: usize) -> anyhow::Result<Vec<Found>> {
    let mut all: Option<HashMap<i64, (usize, f64)>> = None;
    for term in query.terms() {
        let parts = parts(db, term)?;
        let mut words = words(db, term)?;
        if !term.is_plain() {
            // The index of words knows no punctuation: `50%` would be found as `50`.
            words.retain(|id, _| parts.contains(id));
        }
        let mut here: HashMap<i64, (usize, f64)> = words.into_iter().map(|(id, score)| (id, (1, score))).collect();
        for id in parts {
            here.entry(id).or_insert((0, 0.0));
        }
        all = Some(match all {
            None => here,
            Some(before) => before
                .into_iter()
                .filter_map(|(id, (count, score))| here.get(&id).map(|one| (id, (count + one.0, score + one.1))))
                .collect(),
        });
    }
    let shown = best(all.unwrap_or_default(), limit).into_iter().map(|(row, whole)| {
        let conversation = read::numbered(db, row)?;
        let said = read::messages(db, &conversation.conversation_id)?;
        let excerpt = said.iter().find_map(|message| excerpt(&message.content, query));
        let matched = if whole == query.terms().len() { Matched::Word } else { Matched::Part };
        Ok(Found { conversation, matched, excerpt })
    });
    shown.collect()
}

/// The conversations most like a description, each with the percentage of its words (those of `words`) it holds as whole
/// words; the most first, then by BM25, then the newest. Conversations that hold none are left out.
///
/// # Errors
/// When the database cannot be read.
pub fn similar(db: &Connection, wanted: &Query, limit: usize) -> anyhow::Result<Vec<(Conversation, u8)>> {
    let mut all: HashMap<i64, (usize, f64)> = HashMap::new();
    for term in wanted.terms() {
        for (id, score) in words(db, term)? {
            let one = all.entry(id).or_insert((0, 0.0));
            *one = (one.0 + 1, one.1 + score);
        }
    }
    let of = wanted.terms().len().max(1);
    let found = best(all, limit).into_iter();
    found.map(|(row, count)| Ok((read::numbered(db, row)?, u8::try_from(count * 100 / of).unwrap_or(100)))).collect()
}

/// The best of these, each with how many terms it holds as whole words: by that, then by score, then the newest.
fn best(all: HashMap<i64, (usize, f64)>, limit: usize) -> Vec<(i64, usize)> {
    let mut all: Vec<(i64, (usize, f64))> = all.into_iter().collect();
    all.sort_by(|(one, a), (other, b)| b.0.cmp(&a.0).then(a.1.total_cmp(&b.1)).then(other.cmp(one)));
    all.into_iter().take(limit).map(|(row, (whole, _))| (row, whole)).collect()
}

/// The conversations that hold a term as whole words, each with its best score: BM25, lower is better.
fn words(db: &Connection, term: &Term) -> anyhow::Result<HashMap<i64, f64>> {
    let mut statement = db.prepare_cached(
        "WITH hit AS MATERIALIZED (SELECT rowid AS id, rank AS score FROM fifo_words WHERE fifo_words MATCH ?1)
         SELECT -id, ?2 * score FROM hit WHERE id < 0
         UNION ALL SELECT c.id, score FROM hit JOIN messages m ON m.id = hit.id
           JOIN conversations c ON c.conversation_id = m.conversation_id WHERE hit.id > 0",
    )?;
    let rows = statement.query_map((term.phrase(), HEAD), |row| Ok((row.get::<_, i64>(0)?, row.get::<_, f64>(1)?)))?;
    let mut best: HashMap<i64, f64> = HashMap::new();
    for row in rows {
        let (id, score) = row?;
        let known = best.entry(id).or_insert(score);
        *known = known.min(score);
    }
    Ok(best)
}

/// The conversations that hold a term as any part of a text. One or two characters are looked for in every text.
fn parts(db: &Connection, term: &Term) -> anyhow::Result<HashSet<i64>> {
    let (sql, asked) = if term.is_long() {
        (
            "WITH hit AS MATERIALIZED (SELECT rowid AS id FROM fifo_parts WHERE fifo_parts MATCH ?1)
             SELECT -id FROM hit WHERE id < 0
             UNION SELECT c.id FROM hit JOIN messages m ON m.id = hit.id
               JOIN conversations c ON c.conversation_id = m.conversation_id WHERE hit.id > 0",
            term.phrase(),
        )
    } else {
        (
            "SELECT id FROM conversations
             WHERE title LIKE ?1 ESCAPE '\\' OR summary LIKE ?1 ESCAPE '\\'
                OR EXISTS (SELECT 1 FROM json_each(tags) WHERE value LIKE ?1 ESCAPE '\\')
             UNION SELECT c.id FROM messages m JOIN conversations c ON c.conversation_id = m.conversation_id
             WHERE m.content LIKE ?1 ESCAPE '\\'",
            term.like(),
        )
    };
    let mut statement = db.prepare_cached(sql)?;
    let rows = statement.query_map([asked], |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}
