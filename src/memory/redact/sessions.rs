//! Redaction in a store outside the project's database: a match in the key of an entry or session deletes it, a match
//! in its content is masked.

use serde_json::Value;

use super::{Mask, json};
use crate::memory::stm::{Entry, Filter, Result, Stm};

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
        for session in self.backend().sessions()? {
            let key = &session.key;
            let named = [Some(&key.id), Some(&key.embodiment), Some(&session.actor), session.run_id.as_ref()];
            let named: u64 = named.into_iter().flatten().map(|text| count(text)).sum();
            if named > 0 {
                done.matches += named;
                done.removed += 1 + session.entries;
                if really {
                    self.backend().drop_session(key)?;
                }
                continue;
            }
            let everything = Filter { include_expired: true, limit: usize::MAX, ..Filter::default() };
            let now = self.now();
            for entry in self.backend().select(key, &everything, now)?.entries {
                let head = &entry.head;
                let named: u64 = [&head.id, &head.actor].into_iter().chain(&head.tags).map(|text| count(text)).sum();
                if named > 0 {
                    done.matches += named;
                    done.removed += 1;
                    if really {
                        self.backend().remove(key, std::slice::from_ref(&head.id))?;
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
        if !self.backend().replace(old, &new)? {
            self.backend().remove(&old.key, std::slice::from_ref(&old.head.id))?;
        }
        Ok(())
    }
}
