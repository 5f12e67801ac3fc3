//! Searching conversations: by words, by parts of words, and by likeness to a description.

use std::collections::HashMap;

use rusqlite::Connection;
use serde::Serialize;

use super::parts::parts;
use super::read;
use crate::memory::Memory;
use crate::memory::fifo::{Conversation, Query, Term, excerpt};

/// How much more a hit in title, summary or tags weighs than one in a message.
const HEAD: f64 = 2.0;

/// How many terms a conversation contains as whole words, and the sum of their BM25 scores; lower is better.
type TermMatch = (usize, f64);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Matched {
    Word,
    /// At least one only as part of a word.
    Part,
}

#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct ConversationHit {
    #[serde(flatten)]
    pub conversation: Conversation,
    pub matched: Matched,
    /// One line around the first hit in a message; none if only the title, summary or tags match.
    pub excerpt: Option<String>,
}

impl Memory {
    /// The conversations that contain every term, in title, summary, tags or a message. Whole words come
    /// before parts of words, then by BM25, then the newest.
    pub fn search_conversations(&self, query: &Query, limit: usize) -> anyhow::Result<Vec<ConversationHit>> {
        let terms = query.terms();
        let mut held = terms.iter().map(|term| words(&self.db, term)).collect::<anyhow::Result<Vec<_>>>()?;
        let mut all = in_all(&held);
        // Matches of whole words come before matches of parts of words. But the index of words ignores punctuation:
        // `50%` would be found as `50`.
        if all.len() < limit || !terms.iter().all(Term::is_plain) {
            for (term, held) in terms.iter().zip(&mut held) {
                let parts = parts(&self.db, term)?;
                if !term.is_plain() {
                    held.retain(|id, _| parts.contains(id));
                }
                for id in parts {
                    held.entry(id).or_insert((0, 0.0));
                }
            }
            all = in_all(&held);
        }
        let shown = best(all, limit).into_iter().map(|(row, whole)| {
            let conversation = read::numbered(&self.db, row)?;
            let said = read::messages(&self.db, &conversation.conversation_id)?;
            let excerpt = said.iter().find_map(|message| excerpt(&message.content, query));
            let matched = if whole == terms.len() { Matched::Word } else { Matched::Part };
            Ok(ConversationHit { conversation, matched, excerpt })
        });
        shown.collect()
    }
}

/// The best of these: by the number of terms found as whole words, then by score, then the newest.
fn best(all: HashMap<i64, TermMatch>, limit: usize) -> Vec<(i64, usize)> {
    let mut all: Vec<(i64, TermMatch)> = all.into_iter().collect();
    all.sort_by(|(one, a), (other, b)| b.0.cmp(&a.0).then(a.1.total_cmp(&b.1)).then(other.cmp(one)));
    all.into_iter().take(limit).map(|(row, (whole, _))| (row, whole)).collect()
}

/// The conversations in all of these, with their matches added up.
fn in_all(held: &[HashMap<i64, TermMatch>]) -> HashMap<i64, TermMatch> {
    let Some((first, others)) = held.split_first() else { return HashMap::new() };
    let add = |whole: TermMatch, id: &i64, other: &HashMap<i64, TermMatch>| {
        other.get(id).map(|one| (whole.0 + one.0, whole.1 + one.1))
    };
    let sum = |(id, one): (&i64, &TermMatch)| {
        others.iter().try_fold(*one, |whole, other| add(whole, id, other)).map(|whole| (*id, whole))
    };
    first.iter().filter_map(sum).collect()
}

/// The conversations that contain a term as whole words, each with its best score.
fn words(db: &Connection, term: &Term) -> anyhow::Result<HashMap<i64, TermMatch>> {
    // As in `parts`: the index is queried first.
    let mut statement = db.prepare_cached(
        "WITH hit AS MATERIALIZED (SELECT rowid AS id, rank AS score FROM fifo_words WHERE fifo_words MATCH ?1)
         SELECT -id, ?2 * score FROM hit WHERE id < 0
         UNION ALL SELECT c.id, score FROM hit CROSS JOIN messages m ON m.id = hit.id
           CROSS JOIN conversations c ON c.conversation_id = m.conversation_id WHERE hit.id > 0",
    )?;
    let rows = statement.query_map((term.phrase(), HEAD), |row| Ok((row.get::<_, i64>(0)?, row.get::<_, f64>(1)?)))?;
    let mut best: HashMap<i64, TermMatch> = HashMap::new();
    for row in rows {
        let (id, score) = row?;
        let known = best.entry(id).or_insert((1, score));
        known.1 = known.1.min(score);
    }
    Ok(best)
}
