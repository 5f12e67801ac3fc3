//! `restore-constitution`: restores CONSTITUTION.md, after a backup of the existing file.

use serde_json::json;

use crate::error::{Code, Coded, Error, Exit, Result};
use crate::project::{Project, open};
use crate::registry::constitution;
use crate::report::{Report, Slashed};
use crate::system::{env::Env, rooted};
use crate::terminal::prompt::{Answer, Question};
use crate::transaction::{self, Change, Was};

/// Runs `hefesto restore-constitution`.
/// Errors: E-USAGE-002 if the file exists, nobody is there to ask and `--force` was not given; E-CREATE-010 on no.
pub(super) fn restore(env: &mut Env, project: &Project, force: bool) -> Result<Report> {
    open::recover(env, project)?;
    let cannot = || format!("{} cannot be read", project.constitution().slashed());
    let read = project.rooted("CONSTITUTION.md").and_then(|file| file.read(1 << 24));
    let before = rooted::found(read).coded(Code::Io, cannot())?;
    if before.as_deref() == Some(constitution::EMBEDDED.as_bytes()) {
        return Ok(Report::done(
            json!({ "restored": false, "backup": null }),
            "CONSTITUTION.md is the embedded one already.\n",
        ));
    }
    if before.is_some() && !force {
        ask(env)?;
    }
    let mut changes = Vec::new();
    let mut backup = None;
    if let Some(bytes) = &before {
        let (at, copy) = open::copied(env, project, "CONSTITUTION.md", bytes);
        changes.extend(copy);
        backup = Some(at);
    }
    changes.push(Change::Write {
        at: "CONSTITUTION.md".into(),
        bytes: constitution::EMBEDDED.into(),
        was: before.as_deref().map_or(Was::Absent, |bytes| Was::Bytes(transaction::bytes_digest(bytes))),
    });
    open::commit(env, project, "restore-constitution", changes)?;
    let version = constitution::check(constitution::EMBEDDED).version.unwrap_or_default();
    let kept = backup.as_deref().map(|at| format!(" The old one is {at}.")).unwrap_or_default();
    let text = format!(
        "CONSTITUTION.md version {version} is in place, with {} T0 rules.{kept}\n",
        constitution::rules_count()
    );
    Ok(Report::done(json!({ "restored": true, "backup": backup, "version": version }), text))
}

fn ask(env: &mut Env) -> Result<()> {
    let question = Question {
        text: "CONSTITUTION.md exists. Replace it (a backup is kept)?",
        choices: &["yes", "no"],
        flag: "--force",
        typed: true,
        ..Question::default()
    };
    let picked = env.pick(&question, "Answer yes or no.");
    match picked.coded(Code::Io, "the answer cannot be read")? {
        Ok(0) => Ok(()),
        Ok(_) => Err(Error::new(Code::CreateCancelled, "left as it is; no changes made").exit(Exit::Declined)),
        Err(Answer::Signal(signal)) => Err(transaction::interrupted(signal)),
        Err(_) => Err(Error::new(
            Code::NobodyToAsk,
            "CONSTITUTION.md exists and nobody was there to say whether to replace it",
        )
        .suggest("Add `--force`; a backup is kept.")),
    }
}
