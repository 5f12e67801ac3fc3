//! `log NAME`: the versions of a skill, newest first, with what each did and why.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::cli;
use crate::error::Result;
use crate::project::copies::{self, Version};
use crate::project::{Project, open};
use crate::report::Report;
use crate::skill::printable;
use crate::system::env::Env;

/// Runs `hefesto log`. Errors: E-PROJECT-001 when the project is not initialised, E-SKILL-001 for an unknown skill.
pub(super) fn log(env: &mut Env, project: &Project, args: &cli::Log) -> Result<Report> {
    open::enter_initialised(env, project)?;
    let versions = copies::history(project, &args.name)?;
    let data = json!({
        "name": args.name, "versions": versions.iter().map(|one| answer(project, one)).collect::<Vec<_>>(),
    });
    let style = env.style;
    let mut text = String::new();
    for one in &versions {
        let version = one.version.as_deref().unwrap_or("-");
        let gone = one.copies.iter().all(|copy| copy.digest.is_none());
        let version = if gone { style.bad("gone") } else { style.head(version) };
        let called = if one.name == args.name { String::new() } else { format!(" (as {})", one.name) };
        let kept = if gone || one.is_kept(project) { "" } else { " (not kept any more)" };
        let why = one.why.as_deref().map(|why| format!(": {}", printable(why))).unwrap_or_default();
        text.push_str(&style.fold(&format!("{version}  {}  {}{why}{called}{kept}\n", one.stamp, one.command), 7));
        text.push_str(&format!("  {}; run {}\n", clients(one).join(", "), one.run));
    }
    for (what, verb) in [("\nTo show one:  ", "show"), ("To restore it:", "restore")] {
        text.push_str(&format!("{what} hefesto {verb} {}@VERSION\n", args.name));
    }
    if is_ambiguous(&versions) {
        text.push_str("Where a version has no number, or several have the same: @RUN in place of @VERSION.\n");
    }
    Ok(Report::done(data, env.spelled(text)))
}

/// Whether a version is not found by its number.
fn is_ambiguous(versions: &[Version]) -> bool {
    let digests = |one: &Version| one.copies.iter().filter_map(|copy| copy.digest.clone()).collect::<BTreeSet<_>>();
    let there: Vec<&Version> = versions.iter().filter(|one| !digests(one).is_empty()).collect();
    there.iter().enumerate().any(|(at, one)| {
        let mut newer = there.iter().take(at);
        one.version.is_none()
            || newer.any(|other| other.version == one.version && digests(other).is_disjoint(&digests(one)))
    })
}

fn clients(one: &Version) -> Vec<&str> {
    one.copies.iter().map(|copy| copy.target.as_str()).filter(|id| !id.is_empty()).collect()
}

fn answer(project: &Project, one: &Version) -> Value {
    json!({
        "version": one.version, "name": one.name, "at": one.stamp, "command": one.command, "why": one.why,
        "clients": clients(one), "run_id": one.run, "kept": one.is_kept(project),
    })
}
