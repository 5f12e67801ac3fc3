//! The rows of cached entities, one statement each.

use rusqlite::{Connection, Row, Transaction, params};

use crate::memory::ooda::{CachedEntity, EntityCache};
use crate::memory::sql;

/// The entities of an epoch, least recently used first.
pub(super) fn cache(db: &Connection, epoch: &str) -> anyhow::Result<EntityCache> {
    cached(db, "value", epoch)
}

pub(super) fn keys(db: &Connection, epoch: &str) -> anyhow::Result<EntityCache> {
    cached(db, "'null'", epoch)
}

fn cached(db: &Connection, value: &str, epoch: &str) -> anyhow::Result<EntityCache> {
    let entity = format!("key, {value}, ttl, created, source_event_id");
    let sql = format!("SELECT {entity} FROM ooda_entities WHERE epoch_id = ?1 ORDER BY used");
    Ok(EntityCache::restored(sql::all(db, &sql, [epoch], read_entity)?))
}

pub(super) fn entity(db: &Connection, epoch: &str, key: &str) -> anyhow::Result<Option<CachedEntity>> {
    let sql = "SELECT key, value, ttl, created, source_event_id FROM ooda_entities WHERE epoch_id = ?1 AND key = ?2";
    sql::one(db, sql, [epoch, key], read_entity)
}

fn read_entity(row: &Row<'_>) -> rusqlite::Result<CachedEntity> {
    columns!(row => CachedEntity { key, value: sql::json, ttl_seconds, created, source_event_id })
}

pub(super) fn use_entity(tx: &Transaction<'_>, epoch: &str, key: &str) -> anyhow::Result<()> {
    let sql = "UPDATE ooda_entities SET used = (SELECT max(used) + 1 FROM ooda_entities WHERE epoch_id = ?1)
               WHERE epoch_id = ?1 AND key = ?2";
    sql::run(tx, sql, [epoch, key])
}

pub(super) fn put_entity(tx: &Transaction<'_>, epoch: &str, entity: &CachedEntity) -> anyhow::Result<()> {
    let sql = "INSERT OR REPLACE INTO ooda_entities(epoch_id, key, value, ttl, created, source_event_id, used)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, (
                 SELECT coalesce(max(used), 0) + 1 FROM ooda_entities WHERE epoch_id = ?1))";
    let CachedEntity { key, value, ttl_seconds, created, source_event_id } = entity;
    sql::run(tx, sql, params![epoch, key, serde_json::to_string(value)?, ttl_seconds, created, source_event_id])
}

pub(super) fn drop_entity(tx: &Transaction<'_>, epoch: &str, key: &str) -> anyhow::Result<()> {
    sql::run(tx, "DELETE FROM ooda_entities WHERE epoch_id = ?1 AND key = ?2", [epoch, key])
}
