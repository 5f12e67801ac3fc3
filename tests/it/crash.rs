//! Fails and kills a commit before and after every single step: the project is old or new, never between.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::Path;
use std::rc::Rc;
use std::time::Duration;

use hefesto::error::{Code, Error, Exit};
use hefesto::skill::{Blob, Tree};
use hefesto::transaction::backup::VerifiedBackup;
use hefesto::transaction::{self, Change, Faults, Intent, Lock, Outcome, Register, Was, Way};
use rustix::io::Errno;

use crate::support::commit::{self, ONE, TWO, archive, committed, directory, in_home, lay, lock};
use crate::support::{sweep, world};

fn tree(text: &str) -> Tree {
    let mut tree = Tree::new();
    tree.put("SKILL.md", format!("---\nname: demo\n---\n{text}\n"));
    tree.put("references/more.md", text);
    tree.put_blob("scripts/run.sh", Blob { bytes: b"#!/bin/sh\n".to_vec(), executable: true });
    tree
}

fn place(at: &str) -> Change {
    Change::Place { at: at.into(), tree: tree("new") }
}

fn replace(at: &str, backup: &Rc<VerifiedBackup>) -> Change {
    Change::Replace { at: at.into(), tree: tree("new"), was: tree("old").digest(), backup: Rc::clone(backup) }
}

fn intent() -> Intent {
    commit::intent("run-1", serde_json::json!("run-1"))
}

/// Everything in the project but `.hefesto`, with modes; directories too.
fn picture(root: &Path) -> BTreeMap<String, String> {
    world::picture(root, &[".hefesto"])
}

fn left_in_txn(root: &Path) -> Vec<String> {
    in_home(root, "txn")
}

struct Case {
    name: &'static str,
    setup: fn(&Path),
    changes: fn(&Path) -> Vec<Change>,
}

fn old_pair(root: &Path) {
    lay(root, ONE, &tree("old"));
    lay(root, TWO, &tree("old"));
    fs::write(root.join("MEMORY.md"), "rows\n").unwrap();
}

const CASES: &[Case] = &[
    Case {
        name: "place two and write two",
        setup: |root| fs::write(root.join("MEMORY.md"), "rows\n").unwrap(),
        changes: |_| {
            vec![
                place(ONE),
                place(TWO),
                Change::Write {
                    at: "MEMORY.md".into(),
                    bytes: b"rows\nmore\n".to_vec(),
                    was: Was::Bytes(transaction::bytes_digest(b"rows\n")),
                },
                Change::Write { at: ".context/standards/a.md".into(), bytes: b"a\n".to_vec(), was: Was::Absent },
                Change::MakeDir { at: ".codex/skills".into() },
            ]
        },
    },
    Case {
        name: "replace two",
        setup: old_pair,
        changes: |root| {
            let backup = archive(root, &[ONE, TWO]);
            [ONE, TWO].map(|at| replace(at, &backup)).into()
        },
    },
    Case {
        name: "remove one, replace the other",
        setup: old_pair,
        changes: |root| {
            let backup = archive(root, &[ONE, TWO]);
            let was = tree("old").digest();
            vec![Change::Remove { at: ONE.into(), was, backup: Rc::clone(&backup) }, replace(TWO, &backup)]
        },
    },
];

/// A project in the case's first state, and what it has to look like before and after.
fn prepared(case: &Case) -> (tempfile::TempDir, Vec<Change>, BTreeMap<String, String>) {
    let dir = directory();
    (case.setup)(dir.path());
    let old = picture(dir.path());
    let changes = (case.changes)(dir.path());
    (dir, changes, old)
}

fn after(case: &Case) -> (BTreeMap<String, String>, Faults) {
    let (dir, changes, _) = prepared(case);
    let faults = Faults::none();
    let receipt = committed(dir.path(), changes, &faults).unwrap();
    assert_eq!(receipt.pending, None);
    assert_eq!(left_in_txn(dir.path()), Vec::<String>::new());
    (picture(dir.path()), faults)
}

/// Recovers twice and says how often the registry was told since the beginning.
fn recovered(root: &Path, told: &Cell<usize>, context: &str) {
    let register: &Register<'_> = &|_, value| {
        assert_eq!(value, &serde_json::json!("run-1"));
        told.set(told.get() + 1);
        Ok(())
    };
    let lock = lock(root);
    for recovered in transaction::recover(&lock, register).unwrap() {
        assert!(matches!(recovered.outcome, Outcome::RolledBack | Outcome::RolledForward), "{context}: {recovered:?}");
        assert_eq!((recovered.run.as_str(), recovered.command.as_str()), ("run-1", "create"));
    }
    assert_eq!(transaction::recover(&lock, register).unwrap(), Vec::new(), "{context}");
    assert_eq!(left_in_txn(root), Vec::<String>::new(), "{context}");
}

fn sweep(way: Way, error: Errno, swaps: bool) {
    let steps = |healthy: &Faults| healthy.steps();
    let faults = |at| {
        let faults = Faults::at(at, way).error(error);
        if swaps { faults } else { faults.without_swaps() }
    };
    sweep_over(&format!("{way:?} {error:?}, swaps {swaps}"), &steps, way, &faults, 200);
}

/// Every point of every case; there are at least so many.
fn sweep_over(name: &str, count: &dyn Fn(&Faults) -> usize, way: Way, faults: &dyn Fn(usize) -> Faults, floor: usize) {
    let mut points = 0;
    let stride = sweep::stride(3);
    for (turn, case) in CASES.iter().enumerate() {
        let (new, healthy) = after(case);
        let steps = count(&healthy);
        assert!(steps > 40, "{}: {steps}", case.name);
        let (mut olds, mut news) = (0, 0);
        // A file system without swaps takes a few steps more.
        for at in (1 + turn % stride..=steps + 10).step_by(stride) {
            let context = format!("{}, {name} at {at}", case.name);
            let (dir, changes, old) = prepared(case);
            let told = Cell::new(0);
            let register: &Register<'_> = &|_, _| {
                told.set(told.get() + 1);
                Ok(())
            };
            let faults = faults(at);
            let result = transaction::commit_with(&lock(dir.path()), intent(), changes, register, &faults);
            if way == Way::Error && !matches!(&result, Ok(receipt) if receipt.pending.is_some()) {
                let now = picture(dir.path());
                assert_eq!(now, if result.is_ok() { new.clone() } else { old.clone() }, "{context} at once");
                let incomplete = matches!(&result, Err(error) if error.code() == Code::RollbackIncomplete);
                assert!(incomplete || left_in_txn(dir.path()).is_empty(), "{context}");
            }
            recovered(dir.path(), &told, &context);
            let now = picture(dir.path());
            if now == new {
                assert!(told.get() > 0, "{context}: new, and the registry does not know");
                news += 1;
            } else {
                assert_eq!(now, old, "{context}");
                assert_eq!(told.get(), 0, "{context}: old, and the registry was told");
                olds += 1;
            }
            if let Ok(receipt) = &result {
                assert_eq!(now, new, "{context}: {receipt:?}");
            } else if !matches!(way, Way::DeathBefore | Way::DeathAfter) {
                assert_eq!(now, old, "{context}");
            }
        }
        assert!(olds * stride > 10 && news * stride > 5, "{}, {name}: {olds} old, {news} new", case.name);
        points += olds + news;
    }
    println!("{name}: {points} points");
    assert!(points * stride >= floor, "{points} points");
}

#[test]
fn death_before_any_step_leaves_old_or_new() {
    sweep(Way::DeathBefore, Errno::IO, true);
}

#[test]
fn death_after_any_step_leaves_old_or_new() {
    sweep(Way::DeathAfter, Errno::IO, true);
}

#[test]
fn death_without_an_exchange_leaves_old_or_new() {
    sweep(Way::DeathBefore, Errno::IO, false);
    sweep(Way::DeathAfter, Errno::IO, false);
}

#[test]
fn one_error_at_any_step_leaves_old_or_new_at_once() {
    for error in [Errno::IO, Errno::NOSPC, Errno::ACCESS] {
        sweep(Way::Error, error, true);
    }
    sweep(Way::Error, Errno::IO, false);
}

#[test]
fn errors_from_any_step_on_leave_old_or_new_to_the_next_command() {
    sweep(Way::Errors, Errno::NOSPC, true);
    sweep(Way::Errors, Errno::ACCESS, true);
}

#[test]
fn a_failed_read_is_never_taken_for_an_answer() {
    for way in [Way::Error, Way::Errors] {
        for error in [Errno::IO, Errno::MFILE] {
            let faults = |at| Faults::at_read(at, way).error(error);
            sweep_over(&format!("reads, {way:?} {error:?}"), &|healthy| healthy.reads(), way, &faults, 400);
        }
    }
}

#[test]
fn an_overlay_that_moves_no_directory_leaves_old_or_new() {
    fn directories(at: &Path, all: &mut BTreeSet<u64>) {
        for entry in fs::read_dir(at).unwrap().map(Result::unwrap) {
            let meta = entry.metadata().unwrap();
            if meta.is_dir() && entry.file_name() != ".hefesto" {
                all.insert(meta.ino());
                directories(&entry.path(), all);
            }
        }
    }
    let mut points = 0;
    for case in CASES.iter().filter(|case| case.name != "place two and write two") {
        let (new, _) = after(case);
        for (first, way) in [(1, Way::Error), (1, Way::DeathBefore), (2, Way::DeathAfter)] {
            for at in (first..).step_by(sweep::stride(4)) {
                let context = format!("{}, {way:?} at {at}", case.name);
                let (dir, changes, old) = prepared(case);
                let mut lower = BTreeSet::new();
                directories(dir.path(), &mut lower);
                let faults = Faults::at(at, way).with_lower_layer(lower.clone());
                let _ = committed(dir.path(), changes, &faults);
                let healthy = Faults::none().with_lower_layer(lower);
                transaction::recover_with(&lock(dir.path()), &|_, _| Ok(()), &healthy).unwrap();
                let now = picture(dir.path());
                assert!(now == new || now == old, "{context}: {now:#?}");
                assert_eq!(left_in_txn(dir.path()), Vec::<String>::new(), "{context}");
                points += 1;
                if faults.steps() < at {
                    assert_eq!(now, new, "{context}");
                    break;
                }
            }
        }
    }
    println!("overlay: {points} points");
    assert!(points >= 100, "{points} points");
}

#[test]
fn a_system_call_cut_short_by_a_signal_is_repeated() {
    for case in CASES {
        let (new, healthy) = after(case);
        let steps = healthy.steps();
        for at in 1..=steps {
            let (dir, changes, _) = prepared(case);
            let faults = Faults::at(at, Way::Error).error(Errno::INTR);
            let receipt = committed(dir.path(), changes, &faults).unwrap();
            assert_eq!(receipt, transaction::Receipt::default());
            assert_eq!(picture(dir.path()), new, "{} at {at}", case.name);
        }
    }
}

#[test]
fn recovery_may_die_anywhere_too() {
    let mut points = 0;
    for case in CASES {
        let (new, healthy) = after(case);
        let steps = healthy.steps();
        for first in (1..=steps).step_by(7) {
            for second in 1..=30 {
                let context = format!("{}, death at {first}, then at {second}", case.name);
                let (dir, changes, old) = prepared(case);
                let told = Cell::new(0);
                let faults = Faults::at(first, Way::DeathAfter);
                let _ = committed(dir.path(), changes, &faults);
                let faults = Faults::at(second, Way::DeathBefore);
                let _ = transaction::recover_with(&lock(dir.path()), &|_, _| Ok(()), &faults);
                recovered(dir.path(), &told, &context);
                let now = picture(dir.path());
                assert!(now == new || now == old, "{context}: {now:#?}");
                points += 1;
                if faults.steps() < second {
                    break;
                }
            }
        }
    }
    println!("recovery: {points} points");
    assert!(points >= 200, "{points} points");
}

fn refused(root: &Path, changes: Vec<Change>) -> Error {
    let old = picture(root);
    let error = transaction::commit(&lock(root), intent(), changes, &|_, _| panic!("registered")).unwrap_err();
    assert_eq!(picture(root), old);
    assert_eq!(left_in_txn(root), Vec::<String>::new());
    error
}

#[test]
fn what_changed_since_the_gate_is_left_alone() {
    let dir = directory();
    old_pair(dir.path());
    let error = refused(dir.path(), vec![place(ONE)]);
    assert_eq!((error.code(), error.exit_with()), (Code::Changed, Exit::Busy));
    let backup = archive(dir.path(), &[ONE, TWO]);
    fs::write(dir.path().join(TWO).join("SKILL.md"), "mine").unwrap();
    assert_eq!(refused(dir.path(), vec![replace(ONE, &backup), replace(TWO, &backup)]).code(), Code::Changed);
    let write = Change::Write { at: "MEMORY.md".into(), bytes: b"x".to_vec(), was: Was::Absent };
    assert_eq!(refused(dir.path(), vec![write]).code(), Code::Changed);
}

#[test]
fn a_backup_of_something_else_does_not_permit_to_replace() {
    let dir = directory();
    old_pair(dir.path());
    let backup = archive(dir.path(), &[ONE]);
    let change = Change::Remove { at: TWO.into(), was: tree("old").digest(), backup };
    assert_eq!(refused(dir.path(), vec![change]).code(), Code::CreateBackup);
}

#[test]
fn what_appears_at_the_last_moment_wins_and_all_is_taken_back() {
    let dir = directory();
    fs::create_dir(dir.path().join(".claude")).unwrap();
    let old = picture(dir.path());
    let changes = || vec![place(ONE), place(TWO)];
    // Dies right after the point of no return, wherever that is; then somebody puts a file in the way.
    for at in 1..200 {
        let dir = directory();
        fs::create_dir(dir.path().join(".claude")).unwrap();
        let _ = committed(dir.path(), changes(), &Faults::at(at, Way::DeathAfter));
        let committed = dir.path().join(".hefesto/txn/run-1.commit").exists();
        if !committed || dir.path().join(TWO).exists() {
            continue;
        }
        lay(dir.path(), TWO, &tree("foreign"));
        let done = transaction::recover(&lock(dir.path()), &|_, _| panic!("registered")).unwrap();
        assert_eq!(done.first().map(|d| &d.outcome), Some(&Outcome::RolledBack));
        assert_eq!(transaction::scan(dir.path(), TWO).unwrap(), Some(tree("foreign")));
        fs::remove_dir_all(dir.path().join(".gemini")).unwrap();
        assert_eq!(picture(dir.path()), old);
        assert_eq!(left_in_txn(dir.path()), Vec::<String>::new());
        return;
    }
    panic!("never committed");
}

#[test]
fn a_registry_that_fails_is_told_again_by_the_next_command() {
    let dir = directory();
    let lock = lock(dir.path());
    let changes = vec![place(ONE)];
    let receipt = transaction::commit(&lock, intent(), changes, &|_, _| anyhow::bail!("disk full")).unwrap();
    assert_eq!(receipt.pending.as_deref(), Some("disk full"));
    assert_eq!(transaction::scan(dir.path(), ONE).unwrap(), Some(tree("new")));
    let mut second = intent();
    second.run = "run-2".into();
    let changes = vec![place(TWO)];
    let told = Cell::new(0);
    let register = |_: &Path, _: &serde_json::Value| {
        told.set(told.get() + 1);
        Ok(())
    };
    let receipt = transaction::commit(&lock, second, changes, &register).unwrap();
    assert_eq!((receipt.pending, receipt.recovered.len(), told.get()), (None, 1, 2));
    assert_eq!(left_in_txn(dir.path()), Vec::<String>::new());
}

#[test]
fn journals_nobody_here_wrote_are_put_aside_and_never_acted_upon() {
    let dir = directory();
    let root = dir.path();
    fs::create_dir_all(root.join(".hefesto/txn")).unwrap();
    old_pair(root);
    let old = picture(root);
    let foreign = serde_json::json!({
        "version": 1, "home": "born 1", "id": "evil", "run": "r", "command": "c", "now": "n", "registry": null,
        "made": [".claude"], "stages": [], "steps": []
    });
    for (name, text) in [
        ("empty.json", String::new()),
        ("cut.json", "{\"version\": 1, \"ho".to_owned()),
        ("newer.json", "{\"version\": 99}".to_owned()),
        ("evil.json", foreign.to_string()),
        ("evil.commit", "0".to_owned()),
        ("stranger", "?".to_owned()),
        ("orphan.commit", "0".to_owned()),
        ("half.json.tmp", "{".to_owned()),
    ] {
        fs::write(root.join(".hefesto/txn").join(name), text).unwrap();
    }
    let lock = lock(root);
    let done = transaction::recover(&lock, &|_, _| panic!("registered")).unwrap();
    assert_eq!(done.len(), 5, "{done:#?}");
    assert!(done.iter().all(|d| matches!(d.outcome, Outcome::Quarantined { .. })), "{done:#?}");
    assert!(left_in_txn(root).iter().all(|name| name.ends_with(".bad")), "{:?}", left_in_txn(root));
    assert_eq!(transaction::recover(&lock, &|_, _| Ok(())).unwrap(), Vec::new());
    assert_eq!(picture(root), old);
}

#[test]
fn a_journal_that_came_with_a_copy_of_the_project_is_foreign() {
    let dir = directory();
    let changes = vec![place(ONE)];
    let _ = committed(dir.path(), changes, &Faults::at(30, Way::DeathAfter));
    assert!(left_in_txn(dir.path()).contains(&"run-1.json".to_owned()));
    let copy = directory();
    fs::create_dir_all(copy.path().join(".hefesto/txn")).unwrap();
    let name = ".hefesto/txn/run-1.json";
    fs::copy(dir.path().join(name), copy.path().join(name)).unwrap();
    let done = transaction::recover(&lock(copy.path()), &|_, _| Ok(())).unwrap();
    assert!(matches!(&done[0].outcome, Outcome::Quarantined { why, .. } if why.contains("another copy")), "{done:?}");
}

#[test]
fn a_linked_skills_directory_is_written_where_it_leads_and_once() {
    let dir = directory();
    let root = dir.path();
    fs::create_dir_all(root.join("shared/skills")).unwrap();
    for cli in [".claude", ".gemini"] {
        fs::create_dir(root.join(cli)).unwrap();
        symlink("../shared/skills", root.join(cli).join("skills")).unwrap();
    }
    let changes = [ONE, TWO].map(place);
    transaction::commit(&lock(root), intent(), changes.into(), &|_, _| Ok(())).unwrap();
    assert_eq!(transaction::scan(root, "shared/skills/demo").unwrap(), Some(tree("new")));
    fs::remove_file(root.join(".claude/skills")).unwrap();
    symlink("/tmp", root.join(".claude/skills")).unwrap();
    let error = refused(root, vec![place(".claude/skills/other")]);
    assert_eq!((error.code(), error.exit_with()), (Code::CreateUnwritable, Exit::Refused));
}

#[test]
fn many_at_once_lose_nothing() {
    let dir = directory();
    let root = dir.path().to_path_buf();
    std::thread::scope(|scope| {
        for number in 0..8 {
            let root = &root;
            scope.spawn(move || {
                let lock = Lock::acquire(root, "test", Duration::from_secs(60), &mut |_| {}).unwrap();
                let at = format!(".claude/skills/demo-{number}");
                let mut intent = intent();
                intent.run = format!("run-{number}");
                let rows = |_: &Path, _: &serde_json::Value| {
                    let old = fs::read_to_string(root.join("MEMORY.md")).unwrap_or_default();
                    Ok(transaction::save(&lock, "MEMORY.md", format!("{old}{number}\n").as_bytes())?)
                };
                transaction::commit(&lock, intent, vec![Change::Place { at, tree: tree("new") }], &rows).unwrap();
            });
        }
    });
    let mut rows: Vec<String> = fs::read_to_string(root.join("MEMORY.md")).unwrap().lines().map(Into::into).collect();
    rows.sort();
    assert_eq!(rows.concat(), "01234567");
    assert_eq!(fs::read_dir(root.join(".claude/skills")).unwrap().count(), 8);
    assert_eq!(left_in_txn(&root), Vec::<String>::new());
}

#[test]
fn of_many_who_want_the_same_place_one_gets_it() {
    let dir = directory();
    let root = dir.path();
    let won: usize = std::thread::scope(|scope| {
        let all: Vec<_> = (0..8)
            .map(|number| {
                scope.spawn(move || {
                    let lock = Lock::acquire(root, "test", Duration::from_secs(60), &mut |_| {}).unwrap();
                    let changes = vec![Change::Place { at: ONE.into(), tree: tree(&number.to_string()) }];
                    match transaction::commit(&lock, intent(), changes, &|_, _| Ok(())) {
                        Ok(_) => 1,
                        Err(error) => {
                            assert_eq!(error.code(), Code::Changed);
                            0
                        }
                    }
                })
            })
            .collect();
        all.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert_eq!(won, 1);
}
