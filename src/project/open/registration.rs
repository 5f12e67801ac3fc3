//! Records a committed transaction in MEMORY.md and the memory database.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::{Code, Coded, Result};
use crate::memory::{CommittedRun, Memory};
use crate::registry::{self, BeforeRun, Op, Parsed, Registry};
use crate::system::rooted;
use crate::transaction::{self, Lock};

#[derive(Serialize, Deserialize)]
struct Registration {
    ops: Vec<Op>,
    now: String,
    #[serde(default)]
    committed: Option<CommittedRun>,
}

pub fn registration(ops: &[Op], now: &str, committed: Option<CommittedRun>) -> serde_json::Result<Value> {
    serde_json::to_value(Registration { ops: ops.to_vec(), now: now.into(), committed })
}

/// Records committed changes in MEMORY.md, which is read again and changed in our rows only, and in the memory
/// database, whose failure is ignored: the run is complete without it. Idempotent.
/// Errors: when MEMORY.md cannot be read, understood or written.
pub fn register(lock: &Lock, value: &Value) -> anyhow::Result<()> {
    register_with(lock, value, &mut |committed, now| {
        let database = crate::project::Project::at(lock.root()).database();
        let at = now.parse().map_or(0, jiff::Timestamp::as_millisecond);
        let _degraded = Memory::record(&database, at).and_then(|mut memory| memory.recovered(committed, now));
    })
}

/// [`register`] with an open memory database.
pub fn register_with(lock: &Lock, value: &Value, remember: &mut dyn FnMut(&CommittedRun, &str)) -> anyhow::Result<()> {
    let Registration { ops, now, committed } = serde_json::from_value(value.clone())?;
    let there = rooted::found(lock.roots().at("MEMORY.md").and_then(|file| file.read(registry::MAX_BYTES)))?;
    let missing = there.is_none();
    let before = there.unwrap_or_else(|| Registry::fresh(registry::OURS, &now).render().into());
    let after = registry::apply(&before, &ops, &now)
        .map_err(|_| anyhow::anyhow!("MEMORY.md is damaged and cannot take the entry"))?;
    if missing || after.as_bytes() != before {
        transaction::save(lock, "MEMORY.md", after.as_bytes())?;
    }
    if let Some(committed) = committed {
        remember(&committed, &now);
    }
    Ok(())
}

/// The state of these skills before a run changes them: their rows, and the missing directories of the copies (target,
/// path). Must be called under the lock.
/// Errors: when MEMORY.md exists and cannot be read: an undo would lose the rows in it.
pub fn before(lock: &Lock, names: &[String], copies: &[(String, String)]) -> Result<BeforeRun> {
    let read = lock.roots().at("MEMORY.md").and_then(|file| file.read(registry::MAX_BYTES));
    let bytes = rooted::found(read).coded(Code::Io, "MEMORY.md cannot be read; nothing was written")?;
    let registry = match bytes.map(|bytes| Registry::parse(&bytes)) {
        Some(Parsed::Good(registry)) => Some(registry),
        _ => None,
    };
    let of = |name: &str, copies: &[&(String, String)]| {
        let ids: Vec<String> = copies.iter().map(|(id, _)| id.clone()).collect();
        let mut before = registry.as_ref().map(|registry| registry.before(name, &ids)).unwrap_or_default();
        for (_, at) in copies {
            let above = at.match_indices('/').filter_map(|(end, _)| at.get(..end));
            for dir in above.filter(|dir| !lock.roots().at(dir).is_ok_and(|dir| dir.exists())) {
                if !before.missing.iter().any(|known| known == dir) {
                    before.missing.push(dir.to_owned());
                }
            }
        }
        before
    };
    Ok(match names {
        [name] => BeforeRun::One(of(name, &copies.iter().collect::<Vec<_>>())),
        names => {
            let mut by_name: HashMap<&str, Vec<&(String, String)>> = HashMap::new();
            for copy in copies {
                by_name.entry(copy.1.rsplit('/').next().unwrap_or_default()).or_default().push(copy);
            }
            let of = |name: &String| (name.clone(), of(name, by_name.get(name.as_str()).map_or(&[], Vec::as_slice)));
            BeforeRun::Several(names.iter().map(of).collect())
        }
    })
}
