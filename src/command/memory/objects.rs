//! Stored objects that nothing refers to any more: counted, and removed by `memory prune`.

use std::collections::HashSet;

use super::{UNREADABLE, looked_into};
use crate::config;
use crate::error::{Code, Coded, Result};
use crate::memory::PruneReport;
use crate::project::{Project, open};
use crate::system::env::Env;
use crate::transaction::objects;

/// Removes the objects beyond the limit; without `really` only counts them.
pub(super) fn prune(env: &mut Env, project: &Project, gone: &mut PruneReport, really: bool) -> Result<()> {
    if objects::list(project.roots()).is_empty() {
        return Ok(());
    }
    let versions = config::load(env, project)?.history_versions.value;
    // References are looked up under the lock: another command may be about to add some.
    let lock = if really { Some(open::lock(env, project, "memory prune")?) } else { None };
    let Some(memory) = looked_into(project)? else { return Ok(()) };
    let kept: HashSet<String> = memory.kept_digests(versions).coded(Code::Io, UNREADABLE)?.into_iter().collect();
    let surplus: Vec<_> =
        objects::list(project.roots()).into_iter().filter(|one| !kept.contains(&one.digest)).collect();
    if surplus.is_empty() {
        return Ok(());
    }
    gone.rows.insert(("history", "object"), surplus.len() as u64);
    gone.bytes += surplus.iter().map(|one| one.bytes).sum::<u64>();
    if let Some(lock) = lock {
        objects::remove(&lock, surplus.iter().map(|one| one.digest.as_str()));
    }
    Ok(())
}
