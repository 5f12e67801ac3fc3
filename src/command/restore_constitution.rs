//! `restore-constitution`: brings back CONSTITUTION.md, after a backup of the existing file.

use serde_json::json;

use super::repair::replaced;
use crate::error::{Code, Coded, Error, Exit, Result};
use crate::project::{Project, open};
use crate::registry::constitution;
use crate::report::{Report, Slashed};
use crate::system::env::Env;
use crate::system::rooted;
use crate::terminal::prompt::{Answer, Question};
use crate::transaction;

/// Errors: E-USAGE-002 if the file exists, nobody is there to ask and `--force` was not given; E-CREATE-010 on no.
pub(super) fn restore_constitution(env: &mut Env, project: &Project, force: bool) -> Result<Report> {
    open::recover(env, project)?;
    let cannot = || format!("{} cannot be read", project.constitution().slashed());
    let read = project.rooted("CONSTITUTION.md").and_then(|file| file.read(1 << 24));
    let before = rooted::found(read).coded(Code::Io, cannot())?;
    if before.as_deref() == Some(constitution::EMBEDDED.as_bytes()) {
        let data = json!({ "restored": false, "backup": null });
        return Ok(Report::done(data, "CONSTITUTION.md is the embedded one already.\n"));
    }
    if before.is_some() && !force {
        ask_to_replace(env)?;
    }
    let bytes = (before.as_deref(), constitution::EMBEDDED.into());
    let (backup, kept) = replaced(env, project, "restore-constitution", "CONSTITUTION.md", bytes)?;
    let version = constitution::check(constitution::EMBEDDED).version.unwrap_or_default();
    let count = constitution::T0.len();
    let text = format!("CONSTITUTION.md version {version} is in place, with {count} T0 rules.{kept}\n");
    Ok(Report::done(json!({ "restored": true, "backup": backup, "version": version }), text))
}

fn ask_to_replace(env: &mut Env) -> Result<()> {
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
        Err(_) => {
            let message = "CONSTITUTION.md exists and nobody was there to say whether to replace it";
            Err(Error::new(Code::NobodyToAsk, message).suggest("Add `--force`; a backup is kept."))
        }
    }
}
