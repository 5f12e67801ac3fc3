//! Export and import as JSON Lines. The first line is a header; an import takes all rows or none, and repeating it
//! changes nothing.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::types::{Value as Sql, ValueRef};
use rusqlite::{Transaction, params_from_iter};
use serde_json::{Map, Value, json};

use super::catalog::{TABLES, Table, tables};
use super::ring::sqlite as slots;
use super::schema::STEPS;
use super::{Memory, sql};

const MARK: &str = "hefesto_memory";
const FORMAT: u64 = 1;

/// Redacts credentials in a text; `None` if it contains none.
pub(super) type Clean<'c> = &'c dyn Fn(&str) -> Option<String>;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Imported {
    pub added: BTreeMap<&'static str, u64>,
    /// Rows that exist already, or whose key is taken.
    pub kept: u64,
    /// Rows with a credential: it was redacted, or the row was left out if it is sealed.
    pub redacted: u64,
}

/// Why an import was refused. Nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ImportError {
    /// The file is from a newer hefesto: its schema or format version, and ours.
    #[error("it was written by a newer hefesto (version {0}, this one knows {1})")]
    Newer(u64, u64),
    #[error("line {0}: {1}")]
    Malformed(usize, String),
}

impl Memory {
    /// The rows of one store, or of all, as JSON Lines after the header. Credentials are redacted; a sealed row with one
    /// is left out. With it comes the number of rows redacted or left out.
    pub fn export(&self, store: Option<&str>, at: &str, clean: Clean<'_>) -> anyhow::Result<(Vec<String>, u64)> {
        self.allowance.extend();
        // One snapshot of the database for all tables.
        let tx = self.db.unchecked_transaction()?;
        let (mut lines, mut counts, mut redacted) = (Vec::new(), Map::new(), 0);
        for table in tables(store) {
            let mut count = 0_u64;
            let mut statement = tx.prepare(&format!("SELECT * FROM {} t WHERE {}", table.name, table.shown))?;
            let columns: Vec<String> = statement.column_names().map(str::to_owned).collect();
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                let mut fields = Map::new();
                for (at, column) in columns.iter().enumerate() {
                    fields.insert(column.clone(), value_of(row.get_ref(at)?)?);
                }
                let (held, fit) = cleaned(table, &mut fields, clean);
                redacted += u64::from(held);
                if !fit {
                    continue;
                }
                lines.push(json!({ "table": table.name, "row": fields }).to_string());
                count += 1;
            }
            counts.insert(table.name.into(), json!(count));
        }
        let head = json!({ MARK: FORMAT, "schema": STEPS.len(), "exported_at": at, "store": store, "counts": counts });
        lines.insert(0, head.to_string());
        Ok((lines, redacted))
    }

    /// Imports the rows of an export that do not exist yet: all of them, or none.
    pub fn import(&mut self, text: &str, clean: Clean<'_>) -> anyhow::Result<Imported> {
        self.write(|tx| {
            let mut taking = Importer::default();
            let counts = taking.all(tx, text, clean)?;
            for (table, count) in counts {
                let there = taking.seen.get(table.as_str()).copied().unwrap_or(0);
                if count.as_u64() != Some(there) {
                    let why = format!("its header announces {count} rows of {table}, and it has {there}");
                    return Err(ImportError::Malformed(1, why).into());
                }
            }
            super::prune::tidy(tx)?;
            for lane in slots::lanes(tx)? {
                let memory = slots::load(tx, lane, "")?;
                if let Some(damage) = slots::damage(&memory).first()
                    && taking.fresh.contains(&("wm_lanes", json!(lane).to_string()))
                {
                    let why = format!("{} of run {} does not match its checksum", damage.phase, damage.run_id);
                    return Err(ImportError::Malformed(0, why).into());
                }
            }
            Ok(taking.done)
        })
    }
}

#[derive(Default)]
struct Importer {
    done: Imported,
    seen: BTreeMap<&'static str, u64>,
    /// Surrogate keys in the export to those in this database, by table.
    numbers: BTreeMap<(&'static str, String), i64>,
    fresh: BTreeSet<(&'static str, String)>,
}

impl Importer {
    fn all(&mut self, tx: &Transaction<'_>, text: &str, clean: Clean<'_>) -> anyhow::Result<Map<String, Value>> {
        let wrong = |line: usize, why: &str| ImportError::Malformed(line, why.to_owned());
        let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let first = lines.next().and_then(|(_, line)| serde_json::from_str::<Value>(line).ok());
        let Some(Value::Object(mut head)) = first else {
            return Err(wrong(1, "it is not an export of hefesto").into());
        };
        let (format, schema) = (head.get(MARK).and_then(Value::as_u64), head.get("schema").and_then(Value::as_u64));
        let (Some(format), Some(schema)) = (format, schema) else {
            return Err(wrong(1, "it is not an export of hefesto").into());
        };
        if format > FORMAT {
            return Err(ImportError::Newer(format, FORMAT).into());
        }
        if schema > STEPS.len() as u64 {
            return Err(ImportError::Newer(schema, STEPS.len() as u64).into());
        }
        let Some(Value::Object(counts)) = head.remove("counts") else {
            return Err(wrong(1, "it does not say how many rows follow").into());
        };
        for (at, line) in lines {
            let at = at + 1;
            let parsed: Value = serde_json::from_str(line).map_err(|_| wrong(at, "it is not JSON"))?;
            let table = parsed.get("table").and_then(Value::as_str);
            let table = TABLES.iter().find(|known| Some(known.name) == table);
            let row = parsed.get("row").and_then(Value::as_object).cloned();
            let (Some(table), Some(mut row)) = (table, row) else {
                return Err(wrong(at, "it is no row of a table").into());
            };
            *self.seen.entry(table.name).or_default() += 1;
            let (held, fit) = cleaned(table, &mut row, clean);
            self.done.redacted += u64::from(held);
            if !fit {
                continue;
            }
            self.row(tx, table, row).map_err(|error| match error.downcast::<ImportError>() {
                Ok(refused) => refused,
                Err(error) => ImportError::Malformed(at, error.to_string()),
            })?;
        }
        Ok(counts)
    }

    fn row(&mut self, tx: &Transaction<'_>, table: &'static Table, mut row: Map<String, Value>) -> anyhow::Result<()> {
        let name = table.name;
        let there = table.surrogate.and_then(|column| row.remove(column)).map(|value| value.to_string());
        for (column, parent) in table.refers {
            let old = row.get(*column).map(ToString::to_string).unwrap_or_default();
            let new = self.numbers.get(&(*parent, old)).copied();
            let new = new.ok_or_else(|| anyhow::anyhow!("its {column} names no row of {parent}"))?;
            row.insert((*column).to_owned(), json!(new));
        }
        if let Some((column, parent)) = table.follows {
            let known = row.get(column).map(ToString::to_string).unwrap_or_default();
            if !self.fresh.contains(&(parent, known)) {
                self.done.kept += 1;
                return Ok(());
            }
        }
        if name == "conversations" {
            // At most one conversation is active, and this database has one already or will have.
            row.insert("is_active".into(), json!(0));
        }
        let sql = format!("SELECT name FROM pragma_table_info('{name}')");
        let columns: Vec<String> = sql::column(tx, &sql, [])?;
        if let Some(unknown) = row.keys().find(|column| !columns.contains(column)) {
            anyhow::bail!("{name} has no column {unknown:?}");
        }
        let known: Vec<&str> = match (table.natural, table.follows) {
            ([], None) => row.keys().map(String::as_str).collect(),
            (natural, _) => natural.to_vec(),
        };
        let values = |names: &[&str]| -> anyhow::Result<Vec<Sql>> {
            names.iter().map(|name| sql_of(row.get(*name).unwrap_or(&Value::Null))).collect()
        };
        if !known.is_empty() {
            let fits: Vec<String> =
                known.iter().enumerate().map(|(at, column)| format!("\"{column}\" IS ?{}", at + 1)).collect();
            let what = table.surrogate.unwrap_or("1");
            let sql = format!("SELECT {what} FROM {name} WHERE {}", fits.join(" AND "));
            let here: Option<i64> = sql::value(tx, &sql, params_from_iter(values(&known)?))?;
            if let Some(here) = here {
                self.done.kept += 1;
                if let Some(there) = there {
                    self.numbers.insert((name, there), here);
                }
                return Ok(());
            }
        }
        let names: Vec<&str> = row.keys().map(String::as_str).collect();
        let quoted: Vec<String> = names.iter().map(|column| format!("\"{column}\"")).collect();
        let places: Vec<String> = (1..=names.len()).map(|at| format!("?{at}")).collect();
        let sql = format!("INSERT INTO {name}({}) VALUES ({})", quoted.join(", "), places.join(", "));
        sql::execute(tx, &sql, params_from_iter(values(&names)?))?;
        if let Some(there) = there {
            self.numbers.insert((name, there), tx.last_insert_rowid());
        }
        if let Some(column) = table.natural.first() {
            let known = row.get(*column).map(ToString::to_string).unwrap_or_default();
            self.fresh.insert((name, known));
        }
        *self.done.added.entry(name).or_default() += 1;
        Ok(())
    }
}

/// Redacts credentials in columns with text from outside. Returns whether there was one, and whether the row may be
/// written: a sealed row with a credential may not.
fn cleaned(table: &Table, row: &mut Map<String, Value>, clean: Clean<'_>) -> (bool, bool) {
    if matches!(table.name, "wm_slots" | "wm_aside" | "blobs") {
        let held = row.get("data").and_then(Value::as_str).and_then(clean).is_some();
        return (held, !held);
    }
    let mut changed = false;
    for column in [table.words, table.json, table.keys].concat() {
        let Some(text) = row.get(column).and_then(Value::as_str) else { continue };
        let Some(redacted) = clean(text) else { continue };
        let still = !table.json.contains(&column) || serde_json::from_str::<Value>(&redacted).is_ok();
        let kept = if still { redacted } else { json!(redacted).to_string() };
        row.insert(column.to_owned(), Value::String(kept));
        changed = true;
    }
    (changed, true)
}

fn value_of(value: ValueRef<'_>) -> anyhow::Result<Value> {
    Ok(match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => json!(number),
        ValueRef::Real(number) => json!(number),
        ValueRef::Text(text) => json!(std::str::from_utf8(text)?),
        ValueRef::Blob(_) => anyhow::bail!("a table that is exported holds bytes"),
    })
}

fn sql_of(value: &Value) -> anyhow::Result<Sql> {
    Ok(match value {
        Value::Null => Sql::Null,
        Value::Bool(flag) => Sql::Integer(i64::from(*flag)),
        Value::Number(number) => match number.as_i64() {
            Some(whole) => Sql::Integer(whole),
            None => Sql::Real(number.as_f64().unwrap_or(0.0)),
        },
        Value::String(text) => Sql::Text(text.clone()),
        Value::Array(_) | Value::Object(_) => anyhow::bail!("a column is no list and no object"),
    })
}
