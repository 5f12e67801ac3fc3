//! Statements that are prepared once, and the rows they give.

use rusqlite::{Connection, OptionalExtension, Params, Row};

/// Every row of a query.
pub(super) fn all<T, A: FromIterator<T>>(
    db: &Connection,
    sql: &str,
    values: impl Params,
    read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
) -> anyhow::Result<A> {
    Ok(db.prepare_cached(sql)?.query_map(values, read)?.collect::<Result<_, _>>()?)
}

/// The first row of a query, if it has one.
pub(super) fn one<T>(
    db: &Connection,
    sql: &str,
    values: impl Params,
    read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
) -> anyhow::Result<Option<T>> {
    Ok(db.prepare_cached(sql)?.query_row(values, read).optional()?)
}

/// Executes a statement and returns how many rows it changed.
pub(super) fn execute(db: &Connection, sql: &str, values: impl Params) -> anyhow::Result<usize> {
    Ok(db.prepare_cached(sql)?.execute(values)?)
}
