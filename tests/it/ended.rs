//! What a transaction leaves to the commands after it: never a change taken back or replayed, and nobody's work lost.

use std::cell::RefCell;
use std::fs;
use std::path::Path;
use std::rc::Rc;
use std::sync::OnceLock;

use hefesto::error::Code;
use hefesto::project::open;
use hefesto::skill::Tree;
use hefesto::transaction::{self, Change, Faults, Intent, Outcome, Way};
use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;

use crate::support::commit::{self, ONE, TWO, archive, committed, directory, in_home, lay, lock};

fn tree(text: &str) -> Tree {
    let mut tree = Tree::new();
    tree.put("SKILL.md", format!("---\nname: demo\n---\n{text}\n"));
    tree.put("scripts/__pycache__/run.pyc", text);
    tree
}

/// A project with the old skill in two places.
fn project() -> tempfile::TempDir {
    let dir = directory();
    lay(dir.path(), ONE, &tree("old"));
    lay(dir.path(), TWO, &tree("old"));
    dir
}

fn intent(run: &str) -> Intent {
    commit::intent(run, serde_json::json!(run))
}

fn overwrite(root: &Path) -> Vec<Change> {
    let backup = archive(root, &[ONE, TWO]);
    let change = |at: &str| Change::Replace {
        at: at.into(),
        tree: tree("new"),
        was: tree("old").digest(),
        backup: Rc::clone(&backup),
    };
    vec![change(ONE), change(TWO)]
}

fn now(root: &Path, at: &str) -> Option<Tree> {
    transaction::scan(root, at).unwrap()
}

/// Recovers; what became of each command, and which were registered.
fn recovered(root: &Path, faults: &Faults) -> (Vec<Outcome>, Vec<String>) {
    let entered = RefCell::new(Vec::new());
    let register = |_: &Path, value: &serde_json::Value| {
        entered.borrow_mut().push(value.as_str().unwrap().to_owned());
        Ok(())
    };
    let done = transaction::recover_with(&lock(root), &register, faults).unwrap();
    (done.into_iter().map(|one| one.outcome).collect(), entered.into_inner())
}

#[test]
fn what_cannot_be_removed_goes_to_the_trash_and_is_said_once() {
    let dir = project();
    let root = dir.path();
    let foreign = || Faults::none().with_foreign("__pycache__");
    let receipt = committed(root, overwrite(root), &foreign()).unwrap();
    assert_eq!(receipt.pending, None);
    let [left] = receipt.recovered.as_slice() else { panic!("{:?}", receipt.recovered) };
    let Outcome::Left { file, why } = &left.outcome else { panic!("{left:?}") };
    assert_eq!(file, ".hefesto/trash/run-1");
    assert!(why.contains("__pycache__") && why.contains("Permission denied"), "{why}");
    assert_eq!(in_home(root, "txn"), Vec::<String>::new());
    // The user edits a copy and removes the other: both stay as they are, and nothing is registered again.
    fs::write(root.join(ONE).join("SKILL.md"), "mine").unwrap();
    fs::remove_dir_all(root.join(TWO)).unwrap();
    for _ in 0..2 {
        assert_eq!(transaction::left_behind(root), (false, true));
        assert_eq!(recovered(root, &foreign()), (vec![], vec![]));
    }
    assert_eq!(fs::read_to_string(root.join(ONE).join("SKILL.md")).unwrap(), "mine");
    assert_eq!(now(root, TWO), None);
    assert_eq!(recovered(root, &Faults::none()), (vec![], vec![]));
    assert!(transaction::left_behind(root) == (false, false) && !root.join(".hefesto/trash").exists());
}

#[test]
fn what_cannot_even_be_moved_into_the_trash_blocks_nothing() {
    let dir = project();
    let root = dir.path();
    fs::create_dir(root.join(".hefesto")).unwrap();
    fs::write(root.join(".hefesto/trash"), "in the way").unwrap();
    let foreign = || Faults::none().with_foreign("__pycache__");
    let receipt = committed(root, overwrite(root), &foreign()).unwrap();
    assert_eq!(receipt.pending, None);
    assert!(matches!(&receipt.recovered[0].outcome, Outcome::Left { file, .. } if file.contains("stage-run-1")));
    assert_eq!(in_home(root, "txn"), ["run-1.applied", "run-1.left"]);
    assert_eq!(recovered(root, &foreign()), (vec![], vec![]));
    assert_eq!(recovered(root, &Faults::none()), (vec![], vec![]));
    assert_eq!(in_home(root, "txn"), Vec::<String>::new());
    assert_eq!(now(root, ONE), Some(tree("new")));
}

#[test]
fn what_is_applied_and_not_registered_is_never_taken_back() {
    let dir = project();
    let root = dir.path();
    let receipt =
        transaction::commit(&lock(root), intent("run-1"), overwrite(root), &|_, _| anyhow::bail!("disk full")).unwrap();
    assert_eq!(receipt.pending.as_deref(), Some("disk full"));
    fs::write(root.join(ONE).join("SKILL.md"), "mine").unwrap();
    fs::remove_dir_all(root.join(TWO)).unwrap();
    assert_eq!(recovered(root, &Faults::none()), (vec![Outcome::RolledForward], vec!["run-1".to_owned()]));
    assert_eq!(fs::read_to_string(root.join(ONE).join("SKILL.md")).unwrap(), "mine");
    assert_eq!(now(root, TWO), None);
}

#[test]
fn nothing_is_registered_after_what_came_later() {
    let dir = project();
    let root = dir.path();
    let lock_held = lock(root);
    transaction::commit(&lock_held, intent("run-1"), overwrite(root), &|_, _| anyhow::bail!("disk full")).unwrap();
    let backup = archive(root, &[ONE]);
    let delete = vec![Change::Remove { at: ONE.into(), was: tree("new").digest(), backup }];
    let register = |_: &Path, value: &serde_json::Value| {
        anyhow::ensure!(value != "run-1", "disk full");
        Ok(())
    };
    let receipt = transaction::commit(&lock_held, intent("run-2"), delete, &register).unwrap();
    assert!(receipt.pending.unwrap().contains("registered first"));
    drop(lock_held);
    let (outcomes, entered) = recovered(root, &Faults::none());
    assert_eq!(outcomes, [Outcome::RolledForward, Outcome::RolledForward]);
    assert_eq!(entered, ["run-1", "run-2"]);
    assert_eq!(now(root, ONE), None);
}

#[test]
fn a_registered_change_is_not_registered_again_however_the_command_ended() {
    let mut seen = 0;
    for at in 1..200 {
        let dir = project();
        let root = dir.path();
        let faults = Faults::at(at, Way::DeathAfter);
        let _ = committed(root, overwrite(root), &faults);
        let names = in_home(root, "txn");
        if !names.iter().any(|name| name.ends_with(".done") || name.ends_with(".left")) {
            continue;
        }
        seen += 1;
        fs::write(root.join(ONE).join("SKILL.md"), "mine").unwrap();
        let (_, entered) = recovered(root, &Faults::none());
        assert_eq!(entered, Vec::<String>::new(), "{at}");
        assert_eq!(fs::read_to_string(root.join(ONE).join("SKILL.md")).unwrap(), "mine", "{at}");
        assert_eq!((now(root, TWO), in_home(root, "txn")), (Some(tree("new")), vec![]), "{at}");
    }
    assert!(seen >= 10, "{seen} points");
}

/// Dies right after each step past the point of no return; then what it prepared is damaged.
#[test]
fn a_damaged_stage_is_never_completed() {
    let mut seen = 0;
    for at in 1..200 {
        for damage in ["cut", "gone"] {
            let dir = project();
            let root = dir.path();
            let faults = Faults::at(at, Way::DeathAfter);
            let _ = committed(root, overwrite(root), &faults);
            let slot = root.join(".hefesto/.hefesto-stage-run-1/1");
            let staged = fs::read_to_string(slot.join("SKILL.md")).is_ok_and(|text| text.contains("new"));
            if !root.join(".hefesto/txn/run-1.commit").exists() || !staged {
                continue;
            }
            seen += 1;
            match damage {
                "cut" => fs::write(slot.join("SKILL.md"), "---\nna").unwrap(),
                _ => fs::remove_dir_all(&slot).unwrap(),
            }
            let (outcomes, entered) = recovered(root, &Faults::none());
            assert_eq!((outcomes, entered), (vec![Outcome::RolledBack], vec![]), "{at} {damage}");
            assert_eq!((now(root, ONE), now(root, TWO)), (Some(tree("old")), Some(tree("old"))), "{at} {damage}");
            assert_eq!(in_home(root, "txn"), Vec::<String>::new());
        }
    }
    assert!(seen >= 4, "{seen} points");
}

/// Dies before the second exchange; an editor saves, and the exchange happens all the same.
fn exchanged_after_an_edit(root: &Path) {
    for at in 1..200 {
        let faults = Faults::at(at, Way::DeathAfter);
        let _ = committed(root, overwrite(root), &faults);
        let slot = root.join(".hefesto/.hefesto-stage-run-1/1");
        let first_is_new = now(root, ONE) == Some(tree("new"));
        if root.join(".hefesto/txn/run-1.commit").exists() && first_is_new && now(root, TWO) == Some(tree("old")) {
            fs::write(root.join(TWO).join("SKILL.md"), "saved at the last moment").unwrap();
            renameat_with(CWD, &slot, CWD, root.join(TWO), RenameFlags::EXCHANGE).unwrap();
            return;
        }
        recovered(root, &Faults::none());
        for at in [ONE, TWO] {
            let _ = fs::remove_dir_all(root.join(at));
            lay(root, at, &tree("old"));
        }
    }
    panic!("never between the two exchanges");
}

#[test]
fn an_edit_of_the_last_moment_wins_over_the_exchange_or_is_kept_beside_the_backups() {
    // An edit of the last moment wins over the exchange.
    let dir = project();
    let root = dir.path();
    exchanged_after_an_edit(root);
    let (outcomes, entered) = recovered(root, &Faults::none());
    assert_eq!((outcomes, entered), (vec![Outcome::RolledBack], vec![]));
    assert_eq!(now(root, ONE), Some(tree("old")));
    assert_eq!(fs::read_to_string(root.join(TWO).join("SKILL.md")).unwrap(), "saved at the last moment");
    // An edit whose place is taken is kept beside the backups.
    let dir = project();
    let root = dir.path();
    exchanged_after_an_edit(root);
    fs::write(root.join(TWO).join("SKILL.md"), "and saved once more").unwrap();
    let (outcomes, _) = recovered(root, &Faults::none());
    let file = ".hefesto/backups/demo-2026-02-05T10-01-00-edited".to_owned();
    assert_eq!(outcomes, [Outcome::RolledBack, Outcome::Kept { file: file.clone() }]);
    assert_eq!(fs::read_to_string(root.join(file).join("SKILL.md")).unwrap(), "saved at the last moment");
    assert_eq!(fs::read_to_string(root.join(TWO).join("SKILL.md")).unwrap(), "and saved once more");
}

#[test]
fn what_an_open_editor_saves_into_the_old_copy_is_kept() {
    let dir = project();
    let root = dir.path();
    let register = |root: &Path, _: &serde_json::Value| {
        Ok(fs::write(root.join(".hefesto/.hefesto-stage-run-1/1/SKILL.md"), "saved late")?)
    };
    let receipt = transaction::commit(&lock(root), intent("run-1"), overwrite(root), &register).unwrap();
    let [kept] = receipt.recovered.as_slice() else { panic!("{:?}", receipt.recovered) };
    let Outcome::Kept { file } = &kept.outcome else { panic!("{kept:?}") };
    assert_eq!((kept.paths.as_slice(), receipt.pending), ([TWO.to_owned()].as_slice(), None));
    assert_eq!(fs::read_to_string(root.join(file).join("SKILL.md")).unwrap(), "saved late");
    assert_eq!(now(root, TWO), Some(tree("new")));
}

/// Killed right after the point of no return.
fn killed_when_committed() -> tempfile::TempDir {
    static STEP: OnceLock<usize> = OnceLock::new();
    let killed = |at| {
        let dir = project();
        let faults = Faults::at(at, Way::DeathAfter);
        let _ = committed(dir.path(), overwrite(dir.path()), &faults);
        dir
    };
    let committed = |at: &usize| killed(*at).path().join(".hefesto/txn/run-1.commit").exists();
    killed(*STEP.get_or_init(|| (1..200).find(committed).expect("never committed")))
}

#[test]
fn what_cannot_be_read_now_is_ended_by_a_later_command() {
    let mut points = 0;
    for at in 1.. {
        let dir = killed_when_committed();
        let root = dir.path();
        let faults = Faults::at_read(at, Way::Errors).error(Errno::MFILE);
        match transaction::recover_with(&lock(root), &|_, _| Ok(()), &faults) {
            Err(error) => assert_eq!(error.code(), Code::Io, "{at}"),
            Ok(done) => {
                let odd = done.iter().find(|one| matches!(one.outcome, Outcome::Quarantined { .. }));
                assert!(odd.is_none(), "{at}: {odd:?}");
            }
        }
        let reached = faults.reads() >= at;
        recovered(root, &Faults::none());
        assert_eq!((now(root, ONE), now(root, TWO)), (Some(tree("new")), Some(tree("new"))), "{at}");
        assert_eq!(in_home(root, "txn"), Vec::<String>::new(), "{at}");
        if !reached {
            break;
        }
        points += 1;
    }
    assert!(points >= 40, "{points} points");
}

#[test]
fn a_journal_of_the_first_version_is_understood() {
    let dir = killed_when_committed();
    let root = dir.path();
    let born = fs::metadata(root.join(".hefesto/txn")).unwrap().created();
    let Ok(born) = born else { return };
    let born = born.duration_since(std::time::UNIX_EPOCH).unwrap().as_nanos();
    let path = root.join(".hefesto/txn/run-1.json");
    let mut journal: serde_json::Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    journal["version"] = 1.into();
    journal["home"] = format!("born {born}").into();
    let bytes = serde_json::to_vec_pretty(&journal).unwrap();
    fs::write(&path, &bytes).unwrap();
    fs::write(path.with_extension("commit"), format!("{}\n", transaction::bytes_digest(&bytes))).unwrap();
    fs::remove_file(root.join(".hefesto/id")).unwrap();
    assert_eq!(recovered(root, &Faults::none()), (vec![Outcome::RolledForward], vec!["run-1".to_owned()]));
    assert_eq!(now(root, TWO), Some(tree("new")));
}

#[test]
fn a_registry_that_cannot_be_read_is_not_taken_for_none() {
    let dir = tempfile::tempdir().unwrap();
    let before = || open::before(&lock(dir.path()), &["demo".to_owned()], &[]);
    assert!(before().is_ok(), "there is none");
    fs::create_dir(dir.path().join("MEMORY.md")).unwrap();
    let error = before().unwrap_err();
    assert!(error.message().contains("MEMORY.md cannot be read"), "{error}");
}

#[test]
fn a_directory_that_becomes_a_link_while_a_change_is_made_leads_nowhere() {
    let (dir, outside) = (project(), tempfile::tempdir().unwrap());
    let victim = outside.path().join(".hefesto-stage-run-1");
    fs::create_dir_all(&victim).unwrap();
    fs::create_dir(outside.path().join("txn")).unwrap();
    for file in [victim.join("0"), outside.path().join("txn/run-1.json"), outside.path().join("txn/run-1.applied")] {
        fs::write(file, "kept").unwrap();
    }
    let (home, moved) = (dir.path().join(".hefesto"), dir.path().join("moved"));
    let swap = |_: &Path, _: &serde_json::Value| {
        fs::rename(&home, &moved)?;
        Ok(std::os::unix::fs::symlink(outside.path(), &home)?)
    };
    let receipt = transaction::commit(&lock(dir.path()), intent("run-1"), overwrite(dir.path()), &swap).unwrap();
    assert_eq!(receipt.pending, None, "it is completed in the directory that was opened");
    for file in ["0", "../txn/run-1.json", "../txn/run-1.applied"] {
        assert_eq!(fs::read_to_string(victim.join(file)).unwrap(), "kept", "{file}");
    }
    fs::remove_file(&home).unwrap();
    fs::rename(&moved, &home).unwrap();
    assert!(recovered(dir.path(), &Faults::none()).0.is_empty());
    assert_eq!(fs::read_dir(home.join("txn")).unwrap().count(), 0, "nothing is left over");
    assert_eq!((now(dir.path(), ONE), now(dir.path(), TWO)), (Some(tree("new")), Some(tree("new"))));
}
