//! Redaction: matches of a pattern are removed from every store and from every page of the file.

mod sessions;

use std::collections::BTreeMap;

use rusqlite::types::Value as Sql;
use rusqlite::{Transaction, params};
use serde_json::Value;

use super::Memory;
use super::catalog::{TABLES, Table};
use super::prune::tidy;
use super::ring::sqlite::{self as slots, INLINE};
use crate::memory::ring::{Checkpoint, Phase};
use crate::memory::sql;

/// Replaces the matches in a text and counts them; `None` without matches.
pub(super) type Mask<'m> = &'m dyn Fn(&str) -> Option<(String, u64)>;

/// What was, or would be, redacted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Redacted {
    pub matches: BTreeMap<&'static str, u64>,
    /// Deleted rows, whose keys matched.
    pub rows_removed: u64,
    /// Checkpoints that were re-sealed, because their content changed.
    pub resealed: u64,
}

impl Memory {
    /// Redacts matches in every store. A row whose key matches is deleted; a checkpoint whose content changes is
    /// re-sealed. Without `really` it is only counted. [`Memory::vacuum`] then empties the file's pages and the log.
    pub fn redact(&mut self, mask: Mask<'_>, really: bool) -> anyhow::Result<Redacted> {
        self.tentative(really, |tx| {
            let mut done = Redacted::default();
            checkpoints(tx, mask, &mut done)?;
            for table in TABLES {
                rows(tx, table, mask, &mut done)?;
            }
            tidy(tx)?;
            if really && done != Redacted::default() {
                for index in ["fifo_words", "fifo_parts"] {
                    tx.execute(&format!("INSERT INTO {index}({index}) VALUES ('rebuild')"), [])?;
                }
            }
            Ok(done)
        })
    }
}

/// Redacts the rows of one table, identified by rowid or by primary key.
fn rows(tx: &Transaction<'_>, table: &Table, mask: Mask<'_>, done: &mut Redacted) -> anyhow::Result<()> {
    let changing = [table.words, table.json].concat();
    let columns = [&changing[..], table.keys].concat();
    if columns.is_empty() {
        return Ok(());
    }
    let name = table.name;
    let mut identity: Vec<String> = {
        let sql = format!("SELECT name FROM pragma_table_info('{name}') WHERE pk > 0 ORDER BY pk");
        tx.prepare(&sql)?.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?
    };
    if identity.is_empty() {
        identity.push("rowid".into());
    }
    let sql = format!("SELECT {}, {} FROM {name}", identity.join(", "), columns.join(", "));
    let found: Vec<(Vec<Sql>, Vec<Option<String>>)> = {
        let mut statement = tx.prepare(&sql)?;
        let read = |row: &rusqlite::Row<'_>| {
            let known = (0..identity.len()).map(|at| row.get(at)).collect::<Result<_, _>>()?;
            let texts = (0..columns.len()).map(|at| row.get(identity.len() + at)).collect::<Result<_, _>>()?;
            Ok((known, texts))
        };
        statement.query_map([], read)?.collect::<Result<_, _>>()?
    };
    let fits = identity.iter().enumerate().map(|(at, column)| format!("{column} IS ?{}", at + 1)).collect::<Vec<_>>();
    let fits = fits.join(" AND ");
    for (known, texts) in found {
        let count = |text: &Option<String>| text.as_deref().and_then(mask).map_or(0, |(_, count)| count);
        let named: u64 = texts.iter().skip(changing.len()).map(count).sum();
        if named > 0 {
            *done.matches.entry(table.store).or_default() += named;
            let sql = format!("DELETE FROM {name} WHERE {fits}");
            done.rows_removed += tx.execute(&sql, rusqlite::params_from_iter(&known))? as u64;
            continue;
        }
        for (at, (column, text)) in changing.iter().zip(&texts).enumerate() {
            let Some(text) = text else { continue };
            let masked = if at < table.words.len() { mask(text) } else { json(text, mask) };
            if let Some((masked, count)) = masked {
                *done.matches.entry(table.store).or_default() += count;
                let mut values = known.clone();
                values.push(Sql::Text(masked));
                let sql = format!("UPDATE {name} SET {column} = ?{} WHERE {fits}", values.len());
                tx.execute(&sql, rusqlite::params_from_iter(&values))?;
            }
        }
    }
    Ok(())
}

/// Redacts the states in the ring and those set aside, which are sealed JSON.
fn checkpoints(tx: &Transaction<'_>, mask: Mask<'_>, done: &mut Redacted) -> anyhow::Result<()> {
    let lanes: Vec<u32> =
        tx.prepare("SELECT DISTINCT lane FROM wm_slots")?.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    for lane in lanes {
        for (slot, one) in slots::load(tx, lane, "")?.ring().used() {
            if let Some((data, count)) = json(&one.data, mask) {
                *done.matches.entry("ring").or_default() += count;
                done.resealed += 1;
                let sealed = Checkpoint { slot, data, ..one.clone() }.sealed(lane);
                slots::store(tx, lane, &sealed)?;
            }
        }
    }
    for (lane, mut one) in aside(tx)? {
        slots::resolve(tx, &mut one)?;
        let Some((data, count)) = json(&one.data, mask) else { continue };
        *done.matches.entry("ring").or_default() += count;
        done.resealed += 1;
        let sealed = Checkpoint { data, ..one }.sealed(lane);
        let data = if sealed.data.len() > INLINE {
            let hash = blake3::hash(sealed.data.as_bytes()).to_hex().to_string();
            tx.execute("INSERT OR IGNORE INTO blobs(hash, data) VALUES (?1, ?2)", params![hash, sealed.data])?;
            format!("{{\"blob\":\"{hash}\"}}")
        } else {
            sealed.data
        };
        tx.execute(
            "UPDATE wm_aside SET data = ?3, checksum = ?4 WHERE run_id = ?1 AND phase = ?2",
            params![sealed.run, sealed.phase.label(), data, sealed.checksum],
        )?;
    }
    Ok(())
}

/// All checkpoints set aside, with their lanes.
pub(super) fn aside(tx: &rusqlite::Connection) -> anyhow::Result<Vec<(u32, Checkpoint)>> {
    sql::all(tx, "SELECT lane, slot, run_id, phase, seq, at, data, checksum FROM wm_aside", [], |row| {
        let phase: String = row.get(3)?;
        let one = Checkpoint {
            slot: usize::try_from(row.get::<_, i64>(1)?).unwrap_or(usize::MAX),
            run: row.get(2)?,
            phase: phase.parse().unwrap_or(Phase::Preflight),
            seq: row.get::<_, i64>(4)?.unsigned_abs(),
            at: row.get(5)?,
            data: row.get(6)?,
            checksum: row.get(7)?,
        };
        Ok((row.get(0)?, one))
    })
}

/// Masks the values and the names inside a JSON text, never its structure.
fn json(text: &str, mask: Mask<'_>) -> Option<(String, u64)> {
    let Ok(mut value) = serde_json::from_str::<Value>(text) else { return mask(text) };
    let count = within(&mut value, mask);
    (count > 0).then(|| (value.to_string(), count))
}

fn within(value: &mut Value, mask: Mask<'_>) -> u64 {
    match value {
        Value::String(text) => match mask(text) {
            Some((masked, count)) => {
                *text = masked;
                count
            }
            None => 0,
        },
        Value::Number(number) => match mask(&number.to_string()) {
            Some((masked, count)) => {
                *value = Value::String(masked);
                count
            }
            None => 0,
        },
        Value::Array(items) => items.iter_mut().map(|item| within(item, mask)).sum(),
        Value::Object(fields) => {
            let mut count = 0;
            let old = std::mem::take(fields);
            for (name, mut field) in old {
                count += within(&mut field, mask);
                match mask(&name) {
                    Some((masked, names)) => {
                        count += names;
                        fields.insert(masked, field);
                    }
                    None => {
                        fields.insert(name, field);
                    }
                }
            }
            count
        }
        Value::Null | Value::Bool(_) => 0,
    }
}
