//! The entity cache: values with a time to live, evicted least recently used first.

use serde::Serialize;
use serde_json::Value;

/// A cached value (OODA-3).
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct CachedEntity {
    pub key: String,
    pub value: Value,
    /// Seconds it is valid; 0 or less means never, none means until the epoch ends.
    pub ttl_seconds: Option<i64>,
    #[serde(rename = "created_utc", serialize_with = "crate::memory::json::as_seconds")]
    pub created: i64,
    pub source_event_id: Option<String>,
}

impl CachedEntity {
    /// Whether it has expired. Valid up to and including its last millisecond.
    pub fn expired(&self, now: i64) -> bool {
        self.ttl_seconds.is_some_and(|ttl| ttl <= 0 || now.saturating_sub(self.created) > ttl.saturating_mul(1000))
    }
}

/// The entities of an epoch, the least recently used first.
#[derive(Debug, Clone, Default)]
pub struct EntityCache {
    entities: Vec<CachedEntity>,
}

impl EntityCache {
    pub fn restored(entities: Vec<CachedEntity>) -> Self {
        Self { entities }
    }

    /// Caches an entity, replacing one of the same key. Returns the evicted ones.
    pub fn put(&mut self, entity: CachedEntity, most: usize) -> Vec<CachedEntity> {
        self.entities.retain(|known| known.key != entity.key);
        self.entities.push(entity);
        let over = self.entities.len().saturating_sub(most);
        self.entities.drain(..over).collect()
    }

    /// A valid entity, which becomes the most recently used. An expired one is removed.
    pub fn get(&mut self, key: &str, now: i64) -> Option<&CachedEntity> {
        let at = self.entities.iter().position(|known| known.key == key)?;
        let entity = self.entities.remove(at);
        if entity.expired(now) {
            return None;
        }
        self.entities.push(entity);
        self.entities.last()
    }

    /// Most recently used first, expired ones too.
    pub fn recent(&self) -> impl Iterator<Item = &CachedEntity> {
        self.entities.iter().rev()
    }

    pub fn count(&self) -> usize {
        self.entities.len()
    }

    pub fn evict_expired(&mut self, now: i64) -> Vec<CachedEntity> {
        let (stale, kept) = std::mem::take(&mut self.entities).into_iter().partition(|entity| entity.expired(now));
        self.entities = kept;
        stale
    }
}
