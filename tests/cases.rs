//! The scenarios, each a directory below `fixtures/`, through the program as it is installed.
//!
//! A case holds `cmd` and what is expected: `exit`, `stdout`, `stderr` (whole) or `stdout.contains`, `stderr.contains`
//! (each line occurs; `! ` before it: does not), `json` (`/pointer = VALUE`), `tree` (what changed in the project) or
//! `out/` (the whole project), `files` (`PATH: text`). What is not there is expected to be silent: exit 0, no output,
//! nothing changed. `in/` and `home/` are what is there before, `stubs` the AI CLIs on PATH, `answers` and `stdin` what
//! the person says. `HEFESTO_UPDATE=1 cargo test --test cases` rewrites the expectations; read them before you keep them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that cannot go on fails")]

#[path = "support/case.rs"]
mod case;
#[path = "support/stage.rs"]
mod stage;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use case::Case;

fn cases() -> Vec<Case> {
    case::all(&Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures"))
}

#[test]
fn every_case_is_as_promised() {
    let update = std::env::var_os("HEFESTO_UPDATE").is_some();
    let only = std::env::var("HEFESTO_CASE").unwrap_or_default();
    let cases: Vec<Case> = cases().into_iter().filter(|case| case.name.contains(&only)).collect();
    let (next, failed) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let checked = std::panic::catch_unwind(|| case.check(update));
                    let checked = checked.unwrap_or_else(|_| Err("the case itself cannot be run".into()));
                    if let Err(why) = checked {
                        failed.lock().unwrap().insert(case.name.clone(), why);
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().unwrap();
    let told: String = failed.iter().map(|(name, why)| format!("\n=== {name}\n{why}")).collect();
    assert!(failed.is_empty(), "{} of {} cases fail:\n{told}", failed.len(), cases.len());
}
