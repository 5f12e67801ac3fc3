//! Projects in which transactions are made without a command.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::rc::Rc;
use std::time::Duration;

use hefesto::skill::Tree;
use hefesto::transaction::backup::{self, VerifiedBackup};
use hefesto::transaction::{self, Change, Faults, Intent, Lock, Receipt};

pub(crate) const ONE: &str = ".claude/skills/demo";
pub(crate) const TWO: &str = ".gemini/skills/demo";

/// A directory in memory where there is one: syncing thousands of times is not what is tested.
pub(crate) fn directory() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap()
}

pub(crate) fn lay(root: &Path, at: &str, tree: &Tree) {
    for (path, blob) in tree.iter() {
        let path = root.join(at).join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, &blob.bytes).unwrap();
        let mode = if blob.executable { 0o755 } else { 0o644 };
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    }
}

pub(crate) fn lock(root: &Path) -> Lock {
    Lock::acquire(root, "test", Duration::from_secs(5), &mut |_| {}).unwrap()
}

pub(crate) fn intent(run: &str, registry: serde_json::Value) -> Intent {
    let now = "2026-02-05T10:01:00Z".into();
    Intent { run: run.into(), command: "create".into(), now, registry: Some(registry) }
}

/// Commits as `run-1`, with nothing to register, under these failures.
pub(crate) fn committed(root: &Path, changes: Vec<Change>, faults: &Faults) -> hefesto::error::Result<Receipt> {
    let intent = intent("run-1", serde_json::json!("run-1"));
    transaction::commit_with(&lock(root), intent, changes, &|_, _| Ok(()), faults)
}

/// One archive of what is in these places.
pub(crate) fn archive(root: &Path, ats: &[&str]) -> Rc<VerifiedBackup> {
    let trees: Vec<_> = ats.iter().map(|at| (*at, transaction::scan(root, at).unwrap().unwrap())).collect();
    let copies: Vec<(String, &Tree)> = trees.iter().map(|(at, tree)| ((*at).to_owned(), tree)).collect();
    Rc::new(backup::take(root, "demo", "2026-02-05T10-01-00", &copies).unwrap())
}

/// What is in a directory of `.hefesto`, sorted.
pub(crate) fn in_home(root: &Path, at: &str) -> Vec<String> {
    let entries = fs::read_dir(root.join(".hefesto").join(at)).into_iter().flatten();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}
