//! What was found out and need not be looked up again: entities with a time to live, the least recently used go first.

use serde::Serialize;
use serde_json::Value;

/// One thing that was found out (seed 4 `cache_entity`).
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CachedEntity {
    /// What it is called.
    pub key: String,
    /// What it is.
    pub value: Value,
    /// Seconds it is good for; 0 or less: never readable; none: as long as the epoch lives.
    pub ttl_seconds: Option<i64>,
    /// When it was cached, milliseconds since 1970 UTC.
    pub created: i64,
    /// The event it was learnt from.
    pub source_event_id: Option<String>,
}

impl CachedEntity {
    /// Whether its time is over. At the very last millisecond of it it is still good.
    #[must_use]
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
    /// A cache as it was kept: least recently used first.
    #[must_use]
    pub fn restored(entities: Vec<CachedEntity>) -> Self {
        Self { entities }
    }

    /// Caches an entity; one of the same key is replaced and begins anew. Returns those that had to go.
    pub fn put(&mut self, entity: CachedEntity, most: usize) -> Vec<CachedEntity> {
        self.entities.retain(|known| known.key != entity.key);
        self.entities.push(entity);
        let over = self.entities.len().saturating_sub(most);
        self.entities.drain(..over).collect()
    }

    /// An entity that is still good; it becomes the most recently used. One whose time is over is removed.
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

    /// How many there are, expired ones too.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entities.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entities.is_empty()
    }

    /// Removes what has expired, and returns it.
    pub fn evict_expired(&mut self, now: i64) -> Vec<CachedEntity> {
        let (stale, kept) = std::mem::take(&mut self.entities).into_iter().partition(|entity| entity.expired(now));
        self.entities = kept;
        stale
    }
}
