//! Signals during a commit: before the point of no return nothing is changed, after it everything is finished.

use std::io;
use std::time::Duration;

use hefesto::error::{Code, Exit};
use hefesto::skill::Tree;
use hefesto::system::env::Env;
use hefesto::terminal::signal::Watch;
use hefesto::transaction::{self, Change, Intent, Lock, Signals};
use signal_hook::consts::SIGTERM;
use signal_hook::low_level::raise;

use crate::support::world::Caught;

fn intent() -> Intent {
    let registry = Some(serde_json::json!(1));
    Intent { run: "r".into(), command: "create".into(), now: "2026-02-05T10:01:00Z".into(), registry }
}

// One test only: signals belong to the whole process.
#[test]
fn a_signal_is_acted_upon_where_it_is_safe() {
    let dir = tempfile::tempdir().unwrap();
    let lock = Lock::acquire(dir.path(), "test", Duration::ZERO, &mut |_| {}).unwrap();
    let mut tree = Tree::new();
    tree.put("SKILL.md", "x");
    let changes = || vec![Change::Place { at: ".claude/skills/demo".into(), tree: tree.clone() }];

    let guard = Signals::hold().unwrap();
    raise(SIGTERM).unwrap();
    let error = transaction::commit(&lock, intent(), changes(), &|_, _| Ok(())).unwrap_err();
    assert_eq!((error.code(), error.exit_with()), (Code::Interrupted, Exit::Signal(15)));
    assert!(!dir.path().join(".claude").exists());
    drop(guard);

    let receipt = transaction::commit(&lock, intent(), changes(), &|_, _| Ok(raise(SIGTERM)?)).unwrap();
    assert_eq!((receipt.signal, receipt.pending), (Some(15), None));
    assert!(dir.path().join(".claude/skills/demo/SKILL.md").exists());
    assert_eq!(std::fs::read_dir(dir.path().join(".hefesto/txn")).unwrap().count(), 0);

    // Whoever is told so late that nothing can be stopped hears that everything is complete.
    let (said, clock) = (Caught::default(), "2026-02-05T10:01:00Z".parse().unwrap());
    let mut env = Env::made(dir.path().to_owned(), &[], clock);
    env.set_streams(Box::new(io::sink()), Box::new(said.clone()));
    env.late = Some(Watch::open().unwrap());
    raise(SIGTERM).unwrap();
    let exit = hefesto::run(["hefesto", "-q", "schema"].map(Into::into), &mut env);
    let said = said.text();
    assert_eq!(exit, Exit::Signal(15));
    assert!(said.contains("WARN-018") && said.contains("completed"), "{said}");
}
