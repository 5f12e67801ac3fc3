//! Cached prepared statements, reading their rows, and enums whose variants are stored as words.

use std::str::FromStr;

use rusqlite::types::FromSql;
use rusqlite::{Connection, Params, Row};
use serde::de::DeserializeOwned;

/// A value made of the columns of a row, in the order of the query. `field: read` reads a column with [`count`],
/// [`json`] or another function of the row and the column's number.
macro_rules! columns {
    ($row:ident => $record:ident { $($field:ident $(: $read:path)?),+ $(,)? }) => {{
        let mut columns = 0_usize..;
        let mut next = || columns.next().unwrap_or_default();
        Ok($record { $($field: columns!(@read $row, next() $(, $read)?)),+ })
    }};
    (@read $row:ident, $column:expr) => { $row.get($column)? };
    (@read $row:ident, $column:expr, $read:path) => { $read($row, $column)? };
}

/// Writes one row: `column` is this field of the record, `column: value` another value.
macro_rules! insert {
    ($db:expr, $into:literal, $record:ident => $first:tt $(: $value:expr)? $(, $column:tt $(: $other:expr)?)* $(,)?) => {
        $crate::memory::sql::run(
            $db,
            concat!(
                $into, "(", stringify!($first) $(, ", ", stringify!($column))*, ") VALUES (?"
                $(, insert!(@place $column))*, ")"
            ),
            rusqlite::params![
                insert!(@value $record $first $(, $value)?) $(, insert!(@value $record $column $(, $other)?))*
            ],
        )
    };
    (@place $column:tt) => { ", ?" };
    (@value $record:ident $column:tt) => { $record.$column };
    (@value $record:ident $column:tt, $value:expr) => { $value };
}

/// A number that is never negative.
pub(super) fn count(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    Ok(u64::try_from(row.get::<_, i64>(column)?).unwrap_or(0))
}

/// A JSON column; the default if it is invalid.
pub(super) fn json<T: DeserializeOwned + Default>(row: &Row<'_>, column: usize) -> rusqlite::Result<T> {
    Ok(serde_json::from_str(row.get_ref(column)?.as_str()?).unwrap_or_default())
}

/// A word, or the default for an unknown one.
pub(super) fn word<T: FromStr + Default>(row: &Row<'_>, column: usize) -> rusqlite::Result<T> {
    Ok(row.get_ref(column)?.as_str()?.parse().unwrap_or_default())
}

/// A number of rows as SQLite takes it.
pub(super) fn limit(most: usize) -> i64 {
    i64::try_from(most).unwrap_or(i64::MAX)
}

pub(super) fn all<T>(
    db: &Connection,
    sql: &str,
    values: impl Params,
    mut read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
) -> anyhow::Result<Vec<T>> {
    let mut statement = db.prepare_cached(sql)?;
    let (mut rows, mut found) = (statement.query(values)?, Vec::new());
    while let Some(row) = rows.next()? {
        found.push(read(row)?);
    }
    Ok(found)
}

/// The first column of every row.
pub(super) fn column<T: FromSql>(db: &Connection, sql: &str, values: impl Params) -> anyhow::Result<Vec<T>> {
    all(db, sql, values, |row| row.get(0))
}

/// The first column of the first row, if there is one.
pub(super) fn value<T: FromSql>(db: &Connection, sql: &str, values: impl Params) -> anyhow::Result<Option<T>> {
    one(db, sql, values, |row| row.get(0))
}

/// The first row of a query, if it has one.
pub(super) fn one<T>(
    db: &Connection,
    sql: &str,
    values: impl Params,
    read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
) -> anyhow::Result<Option<T>> {
    Ok(db.prepare_cached(sql)?.query(values)?.next()?.map(read).transpose()?)
}

pub(super) fn run(db: &Connection, sql: &str, values: impl Params) -> anyhow::Result<()> {
    execute(db, sql, values).map(drop)
}

/// Executes a statement and returns how many rows it changed.
pub(super) fn execute(db: &Connection, sql: &str, values: impl Params) -> anyhow::Result<usize> {
    Ok(db.prepare_cached(sql)?.execute(values)?)
}

/// A [`word_enum`] with its conversions to and from SQL.
macro_rules! words {
    ($(#[$about:meta])* $name:ident { $($body:tt)+ }) => {
        word_enum! { $(#[$about])* $name { $($body)+ } }

        impl rusqlite::ToSql for $name {
            fn to_sql(&self) -> rusqlite::Result<rusqlite::types::ToSqlOutput<'_>> {
                Ok(self.word().into())
            }
        }

        impl rusqlite::types::FromSql for $name {
            fn column_result(value: rusqlite::types::ValueRef<'_>) -> rusqlite::types::FromSqlResult<Self> {
                value.as_str()?.parse().map_err(|error: String| rusqlite::types::FromSqlError::Other(error.into()))
            }
        }
    };
}
