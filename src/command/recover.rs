//! `recover`: completes or undoes interrupted transactions, and says what was done.

use serde_json::{Value, json};

use crate::error::{Code, Exit, Result, chain};
use crate::memory::{Lane, Memory};
use crate::project::{DATABASE, LANES, Project, open};
use crate::report::{Report, Slashed};
use crate::skill::printable_line;
use crate::system::env::Env;
use crate::system::rooted::HOME;
use crate::transaction::{self, Outcome, Recovered};

/// Runs `hefesto recover`. Errors: E-TXN-001 while another hefesto writes for more than ten seconds.
pub(super) fn recover(env: &mut Env, project: &Project) -> Result<Report> {
    if !project.exists(HOME) {
        return Ok(answer(&[], &[]));
    }
    let root = project.root();
    let lock = match open::lock(env, project, "recover") {
        // The project cannot be written to, and nothing has to be.
        Err(error) if error.code() == Code::CreateUnwritable && transaction::left_behind(root) == (false, false) => {
            return Ok(answer(&[], &transaction::put_aside(root)));
        }
        lock => lock?,
    };
    let recovered = transaction::recover(&lock, &|_, value| open::register(&lock, value))?;
    if project.exists(DATABASE) {
        // Runs of dead processes are closed in the memory, or wait.
        let closed = Memory::record(&project.database(), env.now().as_millisecond()).and_then(|mut memory| {
            let lane = Lane::acquire(&project.rooted(LANES)?)?;
            memory.bury(lane.number(), env.now())
        });
        if let Err(error) = closed {
            let (path, why) = (project.database().slashed(), chain(&error));
            let cure = "Skills are not affected. Move the file away to start with an empty one.";
            env.warn(Code::MemoryDegraded, format!("{path} cannot be used ({why}). {cure}"));
        }
    }
    Ok(answer(&recovered, &transaction::put_aside(root)))
}

fn answer(recovered: &[Recovered], aside: &[String]) -> Report {
    let mut text: String = recovered.iter().map(|one| format!("{}\n", open::recovery_warning(one).message)).collect();
    if recovered.is_empty() {
        text.push_str("Nothing to recover.\n");
    }
    if !aside.is_empty() {
        text.push_str("Put aside, and never acted upon; delete them when you have looked:\n");
        text.extend(aside.iter().map(|file| format!("  {}\n", printable_line(file))));
    }
    let data = json!({ "recovered": recovered.iter().map(described).collect::<Vec<_>>(), "put_aside": aside });
    let unfinished = recovered.iter().any(|one| matches!(one.outcome, Outcome::Unfinished(_)));
    Report::done(data, text).exit(if unfinished { Exit::Incomplete } else { Exit::Done })
}

fn described(one: &Recovered) -> Value {
    let (outcome, detail) = match &one.outcome {
        Outcome::RolledBack => ("rolled_back", Value::Null),
        Outcome::RolledForward => ("rolled_forward", Value::Null),
        Outcome::Quarantined { file, why } => ("quarantined", json!({ "file": file, "why": why })),
        Outcome::Unfinished(why) => ("unfinished", json!({ "why": why })),
        Outcome::Kept { file } => ("kept", json!({ "file": file })),
        Outcome::Left { file, why } => ("left", json!({ "file": file, "why": why })),
    };
    json!({ "run": one.run, "command": one.command, "outcome": outcome, "detail": detail, "paths": one.paths })
}
