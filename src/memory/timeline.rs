//! The timeline and the search over all stores.

use std::collections::BTreeMap;

use rusqlite::{Row, ToSql};

use super::catalog::{Table, listed};
use super::fifo::excerpt;
use super::{Memory, sql};
use crate::skill::ranking::bm25;

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
pub struct TimelineEntry {
    #[serde(serialize_with = "crate::memory::json::as_millis")]
    pub at: i64,
    pub store: &'static str,
    pub kind: &'static str,
    /// The id it can be deleted by.
    pub id: String,
    pub what: String,
}

#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct SearchHit {
    #[serde(flatten)]
    pub entry: TimelineEntry,
    /// The rank of the match; only the order matters.
    #[serde(serialize_with = "crate::memory::json::as_share")]
    pub score: f64,
    pub snippet: String,
}

const LINE: usize = 200;

impl Memory {
    /// The entries since an instant, oldest first. Rows of one instant are in the order of the stores.
    pub fn timeline(&self, store: Option<&str>, since: i64) -> anyhow::Result<Vec<TimelineEntry>> {
        let mut entries = self.entries(store, &since, &|table| {
            // At the same instant the ring is in the order of its pushes, not of its slots.
            let order = if table.name == "wm_slots" { "ORDER BY t.lane, t.seq" } else { "" };
            format!("{} >= ?1 AND {} {order}", table.at, table.shown)
        })?;
        entries.sort_by_key(|one| one.at);
        Ok(entries)
    }

    /// The rows with this id, by store and kind.
    pub fn rows_of(&self, id: &str, store: Option<&str>) -> anyhow::Result<Vec<TimelineEntry>> {
        self.entries(store, &id, &|table| format!("{} = ?1", table.id))
    }

    /// The rows that fit a condition on `?1`, table by table.
    fn entries(
        &self,
        store: Option<&str>,
        value: &dyn ToSql,
        fits: &dyn Fn(&Table) -> String,
    ) -> anyhow::Result<Vec<TimelineEntry>> {
        let mut entries = Vec::new();
        for table in listed(store) {
            let sql = format!("SELECT {} FROM {} t WHERE {}", entry(table), table.name, fits(table));
            let found: Vec<TimelineEntry> = sql::all(&self.db, &sql, [value], |row| read(table, row))?;
            entries.extend(found);
        }
        Ok(entries)
    }

    /// The rows that contain every word of a query, in any case, best first, then newest.
    pub fn search(&self, query: &str, store: Option<&str>, most: usize) -> anyhow::Result<Vec<SearchHit>> {
        let words: Vec<String> = query.split_whitespace().map(str::to_lowercase).collect();
        if words.is_empty() {
            return Ok(Vec::new());
        }
        let (mut found, mut rows_seen, mut length) = (Vec::new(), 0_usize, 0_usize);
        let mut holders = vec![0_usize; words.len()];
        for table in listed(store) {
            let (entry, text) = (entry(table), text_of(table));
            let sql = format!("SELECT {entry}, {text} FROM {} t WHERE {}", table.name, table.shown);
            let mut statement = self.db.prepare_cached(&sql)?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                let text: String = row.get(3)?;
                let folded = text.to_lowercase();
                let counts: Vec<usize> = words.iter().map(|word| folded.matches(word.as_str()).count()).collect();
                rows_seen += 1;
                length += folded.len();
                for (held, count) in holders.iter_mut().zip(&counts) {
                    *held += usize::from(*count > 0);
                }
                if counts.iter().all(|count| *count > 0) {
                    found.push((read(table, row)?, counts, text));
                }
            }
        }
        let average = length as f64 / rows_seen.max(1) as f64;
        let rarity: Vec<f64> = holders.iter().map(|held| bm25::rarity(*held as f64, rows_seen)).collect();
        let shown: Vec<&str> = words.iter().map(String::as_str).collect();
        let mut hits: Vec<SearchHit> = found
            .into_iter()
            .map(|(entry, counts, text)| {
                let length = text.len() as f64 / average.max(1.0);
                let score = counts.iter().zip(&rarity).map(|(count, rare)| bm25::weight(*rare, *count, length)).sum();
                SearchHit { entry, score, snippet: excerpt(&text, &shown, "...").unwrap_or_default() }
            })
            .collect();
        hits.sort_by(|a, b| {
            b.score.total_cmp(&a.score).then(b.entry.at.cmp(&a.entry.at)).then(a.entry.id.cmp(&b.entry.id))
        });
        hits.truncate(most);
        Ok(hits)
    }

    /// Number of rows of each kind since an instant: store, kind, count. Kinds without rows are left out.
    pub fn counted(&self, since: i64) -> anyhow::Result<Vec<(&'static str, &'static str, u64)>> {
        let mut counted = Vec::new();
        for table in listed(None) {
            let sql = format!("SELECT count(*) FROM {} t WHERE {} >= ?1", table.name, table.at);
            let count: i64 = self.db.query_row(&sql, [since], |row| row.get(0))?;
            if count > 0 {
                counted.push((table.store, table.kind, count.unsigned_abs()));
            }
        }
        Ok(counted)
    }

    /// How the runs since an instant ended, and which codes they failed with.
    pub fn outcomes(&self, since: i64) -> anyhow::Result<(BTreeMap<String, u64>, BTreeMap<String, u64>)> {
        let by = |column: &str| -> anyhow::Result<BTreeMap<String, u64>> {
            let sql = format!(
                "SELECT {column}, count(*) FROM runs WHERE unixepoch(started_at) * 1000 >= ?1 AND {column} IS NOT NULL
                 GROUP BY 1"
            );
            let rows = sql::all(&self.db, &sql, [since], |row| Ok((row.get(0)?, sql::count(row, 1)?)))?;
            Ok(rows.into_iter().collect())
        };
        Ok((by("status")?, by("error")?))
    }

    /// Durations of each phase in the runs since an instant: name, number of runs, mean and maximum in milliseconds.
    pub fn durations(&self, since: i64) -> anyhow::Result<Vec<(String, u64, u64, u64)>> {
        let sql = "SELECT p.phase, count(*), cast(avg(p.ms) AS INTEGER), max(p.ms)
                   FROM run_phases p JOIN runs r USING (run_id) WHERE unixepoch(r.started_at) * 1000 >= ?1 GROUP BY 1";
        sql::all(&self.db, sql, [since], |row| {
            let n = |at: usize| row.get::<_, i64>(at).map(i64::unsigned_abs);
            Ok((row.get(0)?, n(1)?, n(2)?, n(3)?))
        })
    }

    /// A number that changes whenever another process commits something.
    pub fn data_version(&self) -> anyhow::Result<i64> {
        Ok(self.db.query_row("PRAGMA data_version", [], |row| row.get(0))?)
    }
}

/// SQL: the searchable text of a row.
fn text_of(table: &Table) -> String {
    let columns = [table.words, table.json, table.keys].concat();
    let mut parts: Vec<String> = columns.iter().map(|column| format!("coalesce(t.{column}, '')")).collect();
    if table.name == "wm_slots" {
        parts.push(
            "coalesce((SELECT b.data FROM blobs b WHERE t.data = '{\"blob\":\"' || b.hash || '\"}'), t.data)".into(),
        );
    }
    if parts.is_empty() { "''".into() } else { parts.join(" || char(10) || ") }
}

/// SQL: the columns [`read`] reads.
fn entry(table: &Table) -> String {
    format!("{}, {}, substr({}, 1, {LINE})", table.id, table.at, table.what)
}

fn read(table: &Table, row: &Row<'_>) -> rusqlite::Result<TimelineEntry> {
    let what = row.get_ref(2)?.as_str()?.split_whitespace().collect::<Vec<_>>().join(" ");
    let at: Option<i64> = row.get(1)?;
    Ok(TimelineEntry { at: at.unwrap_or(0), store: table.store, kind: table.kind, id: row.get(0)?, what })
}
