//! The archives of what an operation replaces: one, or several where one could not hold it all.

use std::rc::Rc;

use super::{Operation, Step};
use crate::error::Result;
use crate::project::Project;
use crate::skill::Tree;
use crate::system::env::Env;
use crate::transaction::Lock;
use crate::transaction::backup::{self, MAX_ENTRIES, MAX_TOTAL, VerifiedBackup};

/// How much goes into one archive, below its limits: empty directories, which are kept too, are not counted before.
const ENTRIES: usize = MAX_ENTRIES - MAX_ENTRIES / 10;
const BYTES: u64 = MAX_TOTAL - MAX_TOTAL / 8;

/// Archives, in the order of the steps they are for.
pub(super) struct Archives(Vec<Rc<VerifiedBackup>>);

impl Archives {
    /// Packs what the steps replace or remove. Where one archive fails, none is left.
    pub(super) fn take(env: &Env, project: &Project, lock: &Lock, operation: &Operation) -> Result<Self> {
        let copies = operation.steps.iter().filter_map(|step| Some((step.at.clone(), step.before.as_ref()?)));
        let stamp = env.now().strftime("%Y-%m-%dT%H-%M-%S").to_string();
        let mut archives = Self(Vec::new());
        for part in parts(copies.collect()) {
            match backup::take(project.roots(), &operation.name, &stamp, &part) {
                Ok(backup) => archives.0.push(Rc::new(backup)),
                Err(error) => {
                    let _ = archives.discard(lock);
                    return Err(error);
                }
            }
        }
        Ok(archives)
    }

    /// The archive that holds what a step replaces.
    pub(super) fn of(&self, step: &Step) -> Option<Rc<VerifiedBackup>> {
        let digest = step.before.as_ref()?.digest();
        self.0.iter().find(|backup| backup.holds(&step.at, &digest)).cloned()
    }

    pub(super) fn first(&self) -> Option<&str> {
        self.0.first().map(|backup| backup.path())
    }

    pub(super) fn discard(&self, lock: &Lock) -> Result<()> {
        self.0.iter().try_for_each(|backup| backup::discard(lock, backup))
    }
}

/// The copies in parts that an archive can hold each. A copy is never divided.
fn parts(copies: Vec<(String, &Tree)>) -> Vec<Vec<(String, &Tree)>> {
    let (mut parts, mut entries, mut bytes): (Vec<Vec<(String, &Tree)>>, usize, u64) = (Vec::new(), 0, 0);
    for (at, tree) in copies {
        let directories: std::collections::BTreeSet<&str> =
            tree.iter().flat_map(|(path, _)| path.match_indices('/').filter_map(|(end, _)| path.get(..end))).collect();
        let more = tree.len() + directories.len() + 1 + at.matches('/').count();
        (entries, bytes) = (entries + more, bytes + tree.size());
        match parts.last_mut() {
            Some(last) if entries <= ENTRIES && bytes <= BYTES => last.push((at, tree)),
            _ => {
                (entries, bytes) = (more, tree.size());
                parts.push(vec![(at, tree)]);
            }
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_are_divided_among_archives_only_where_one_cannot_hold_them() {
        let mut tree = Tree::new();
        (0..200).for_each(|number| tree.put(format!("references/{number}.md"), "x"));
        let copies = |count: usize| (0..count).map(|n| (format!(".claude/skills/s{n}"), &tree)).collect::<Vec<_>>();
        let sizes = |count| parts(copies(count)).iter().map(Vec::len).collect::<Vec<_>>();
        assert_eq!((sizes(0), sizes(4), sizes(9)), (vec![], vec![4], vec![4, 4, 1]));
    }
}
