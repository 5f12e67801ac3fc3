//! Redaction: matches of a pattern are removed from every store and from every page of the file.

use rusqlite::types::Value as Sql;
use rusqlite::{Transaction, params};
use serde_json::Value;

use super::catalog::{TABLES, Table};
use super::ring::{Checkpoint, sqlite as slots};
use super::stm::{Entry, Filter, Result, Stm};
use super::{Memory, sql};

/// Replaces the matches in a text and counts them; `None` without matches.
pub(super) type Mask<'m> = &'m dyn Fn(&str) -> Option<(String, u64)>;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Redacted {
    pub matches: std::collections::BTreeMap<&'static str, u64>,
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
            super::prune::tidy(tx)?;
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
    let sql = format!("SELECT name FROM pragma_table_info('{name}') WHERE pk > 0 ORDER BY pk");
    let mut identity: Vec<String> = sql::column(tx, &sql, [])?;
    if identity.is_empty() {
        identity.push("rowid".into());
    }
    let sql = format!("SELECT {}, {} FROM {name}", identity.join(", "), columns.join(", "));
    let found: Vec<(Vec<Sql>, Vec<Option<String>>)> = sql::all(tx, &sql, [], |row| {
        let known = (0..identity.len()).map(|at| row.get(at)).collect::<Result<_, _>>()?;
        let texts = (0..columns.len()).map(|at| row.get(identity.len() + at)).collect::<Result<_, _>>()?;
        Ok((known, texts))
    })?;
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
    let mut masked = |lane: u32, one: &Checkpoint| {
        let (data, count) = json(&one.data, mask)?;
        *done.matches.entry("ring").or_default() += count;
        done.resealed += 1;
        Some(Checkpoint { data, ..one.clone() }.sealed(lane))
    };
    for lane in slots::lanes(tx)? {
        for (_, one) in slots::load(tx, lane, "")?.used() {
            masked(lane, one).map(|sealed| slots::store(tx, lane, &sealed)).transpose()?;
        }
    }
    let aside = "UPDATE wm_aside SET data = ?3, checksum = ?4 WHERE run_id = ?1 AND phase = ?2";
    for (lane, one) in slots::aside(tx, None)? {
        let Some(sealed) = masked(lane, &one) else { continue };
        let data = slots::put_long(tx, &sealed.data)?;
        sql::run(tx, aside, params![sealed.run, sealed.phase.label(), data, sealed.checksum])?;
    }
    Ok(())
}

/// Masks the values and the names inside a JSON text, never its structure.
fn json(text: &str, mask: Mask<'_>) -> Option<(String, u64)> {
    let Ok(mut value) = serde_json::from_str::<Value>(text) else { return mask(text) };
    let count = within(&mut value, mask);
    (count > 0).then(|| (value.to_string(), count))
}

fn within(value: &mut Value, mask: Mask<'_>) -> u64 {
    match value {
        Value::String(_) | Value::Number(_) => {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            let Some((masked, count)) = mask(&text) else { return 0 };
            *value = Value::String(masked);
            count
        }
        Value::Array(items) => items.iter_mut().map(|item| within(item, mask)).sum(),
        Value::Object(fields) => {
            let mut count = 0;
            for (name, mut field) in std::mem::take(fields) {
                let (name, named) = mask(&name).unwrap_or((name, 0));
                count += named + within(&mut field, mask);
                fields.insert(name, field);
            }
            count
        }
        Value::Null | Value::Bool(_) => 0,
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Erased {
    pub matches: u64,
    pub removed: u64,
}

impl Stm<'_> {
    /// Redacts matches in every session, including ended ones. Without `really` it is only counted.
    pub fn redact(&mut self, mask: Mask<'_>, really: bool) -> Result<Erased> {
        let mut done = Erased::default();
        let count = |text: &str| mask(text).map_or(0, |(_, count)| count);
        for session in self.backend.sessions()? {
            let key = &session.key;
            let named = [Some(&key.id), Some(&key.embodiment), Some(&session.actor), session.run_id.as_ref()];
            let named: u64 = named.into_iter().flatten().map(|text| count(text)).sum();
            if named > 0 {
                done.matches += named;
                done.removed += 1 + session.entries;
                if really {
                    self.backend.drop_session(key)?;
                }
                continue;
            }
            let everything = Filter { include_expired: true, limit: usize::MAX, ..Filter::default() };
            for entry in self.backend.select(key, &everything, self.now)?.entries {
                let head = &entry.head;
                let named: u64 = [&head.id, &head.actor].into_iter().chain(&head.tags).map(|text| count(text)).sum();
                if named > 0 {
                    done.matches += named;
                    done.removed += 1;
                    if really {
                        self.backend.remove(key, std::slice::from_ref(&head.id))?;
                    }
                } else if let Some((content, matches)) = json(&entry.content.to_string(), mask) {
                    done.matches += matches;
                    if really {
                        self.put(&entry, &content)?;
                    }
                }
            }
        }
        Ok(done)
    }

    /// Replaces the old content by the masked one. An entry that was changed meanwhile is deleted.
    fn put(&mut self, old: &Entry, content: &str) -> Result<()> {
        let mut new = old.clone();
        new.content = serde_json::from_str(content).unwrap_or(Value::Null);
        new.head.bytes = content.len() as u64;
        if !self.backend.replace(old, &new)? {
            self.backend.remove(&old.key, std::slice::from_ref(&old.head.id))?;
        }
        Ok(())
    }
}
