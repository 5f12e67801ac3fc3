//! Notices of a run: at its start from the memory (waiting runs, the same description, similar skills, a failed
//! attempt); at its end the hint for an AI CLI that runs hefesto, when a person would have been asked.

use super::{Run, observations};
use crate::client::host::Host;
use crate::error::{Code, Error, Result};
use crate::memory::context::{self, InstalledSkill};
use crate::memory::{Status, turn};
use crate::report::Report;
use crate::skill::{Name, read};
use crate::system::env::Env;
use crate::terminal::ui::count;

const NAMED: usize = 3;

/// Tells which runs wait. A person is told once: not again where a run after the newest waiting one has told it.
pub(super) fn waiting(run: &mut Run<'_>) {
    let Some(Ok(runs)) = run.memory().map(|memory| memory.runs(usize::MAX)) else { return };
    let others: Vec<_> = runs.into_iter().filter(|one| one.command == "create" && one.run_id != run.id).collect();
    let ours: Vec<_> = others.iter().filter(|one| one.status == Status::Paused.word()).collect();
    let Some(newest) = ours.first() else { return };
    if !run.env.json && others.first().is_some_and(|last| last.run_id != newest.run_id) {
        return;
    }
    let about = newest.skill.as_ref().map(|skill| format!(" for `{skill}`")).unwrap_or_default();
    let message = match ours.len() {
        1 => format!(
            "a run{about} has been waiting since {}: `hefesto resume` continues it, `hefesto runs --discard --all` drops it.",
            newest.started_at
        ),
        count => format!(
            "{count} runs wait: `hefesto resume` continues the newest{about}, `hefesto runs` lists all, \
             `hefesto runs --discard --all` drops them."
        ),
    };
    run.env.warn(Code::RunsWait, message);
}

/// Tells that the run has no conversation because all in the queue are still needed.
pub(super) fn full(run: &mut Run<'_>) {
    if let Some(Ok(false)) = run.memory().map(|memory| memory.has_conversation(&run.id)) {
        let capacity = run.settings.fifo_capacity.value;
        let note = format!(
            "the queue holds {capacity} conversations that waiting runs still need, so this run has none; `hefesto runs --discard --all` frees them."
        );
        run.env.warn(Code::QueueFull, note);
    }
}

/// Tells that the same description was given before, and returns the skill it made.
pub(super) fn same_input(run: &mut Run<'_>, hash: &str) -> Option<String> {
    let Ok(Some(before)) = run.memory()?.same_input(hash, &run.id) else { return None };
    let made = before.skill.clone();
    let skill = before.skill.unwrap_or_else(|| "a skill".into());
    run.env.warn(
        Code::SameInput,
        format!("the same description made `{skill}` on {} (run {}).", before.started_at, before.run_id),
    );
    made
}

/// Tells what is known about the same task: similar skills, a name in use, the last failure.
pub(super) fn known(run: &mut Run<'_>, description: &str, name: Option<&str>, said: Option<&str>) {
    let installed = run.skills();
    let known: Vec<turn::SkillSummary> = installed.iter().map(InstalledSkill::known).collect();
    let mut named: Vec<String> = said.map(str::to_owned).into_iter().collect();
    for similar in turn::similar(description, &known).into_iter().take(NAMED) {
        if named.contains(&similar.name) {
            continue;
        }
        let Some(skill) = installed.iter().find(|skill| skill.name == similar.name) else { continue };
        let note = format!("{}, {} % similar ({}).", made(run, skill), similar.percent, skill.clis.join(", "));
        run.env.warn(Code::SimilarSkill, note);
        named.push(similar.name);
    }
    let name = name.map(str::to_owned).or_else(|| read(description).name.as_ref().map(Name::to_string));
    if let Some(skill) = name.and_then(|name| installed.iter().find(|skill| skill.name == name))
        && !named.contains(&skill.name)
    {
        let note = format!("the name `{}` is in use: {}.", skill.name, skill.place);
        run.env.warn(Code::NameInUse, note);
    }
    failed(run, description);
}

/// Tells that the last attempt at the same thing failed, and which command says why.
pub(super) fn failed(run: &mut Run<'_>, description: &str) {
    if let Some(Ok(Some(failure))) = run.memory().map(|memory| context::failed_before(memory, description)) {
        let found = run.memory().map(|memory| observations::found_in_run(memory, &failure.run_id)).unwrap_or_default();
        let on = day(run, failure.at);
        let mut rules: Vec<&str> = found.iter().filter_map(|one| one.split(' ').next()).collect();
        rules.dedup();
        let note = match rules.as_slice() {
            [] => {
                let text = failure.text.split_once(": ").map_or(failure.text.as_str(), |(what, _)| what);
                format!("the same thing on {on}: {text}; `hefesto memory inspect long` says why.")
            }
            [rule, more @ ..] => {
                let more =
                    if more.is_empty() { String::new() } else { format!(" and {} more", count(more.len(), "rule")) };
                format!(
                    "the last try, on {on}, failed on {rule}{more}; `hefesto memory inspect ooda --run {}` says why.",
                    failure.run_id
                )
            }
        };
        run.env.warn(Code::FailedBefore, note);
    }
}

/// Who made a skill and when: the beginning of a sentence.
fn made(run: &Run<'_>, skill: &InstalledSkill) -> String {
    match (&skill.created, skill.ours) {
        (Some(created), true) => format!("you made `{}` on {}", skill.name, day(run, context::millis(created))),
        _ => format!("there is `{}`, which hefesto did not make", skill.name),
    }
}

/// A day (UTC), with its year if that is not the current one.
fn day(run: &Run<'_>, at: i64) -> String {
    let Ok(time) = jiff::Timestamp::from_millisecond(at) else { return "an unknown day".into() };
    let year = |time: jiff::Timestamp| time.strftime("%Y").to_string();
    let form = if year(time) == year(run.env.now()) { "%-d %B" } else { "%-d %B %Y" };
    time.strftime(form).to_string()
}

/// Adds a hint for the agent to the outcome of a `create`.
pub(super) fn hint_agent(env: &mut Env, args: &crate::cli::Create, outcome: Result<Report>) -> Result<Report> {
    let Host::Agent(id) = Host::of(|name| env.var(name)) else { return outcome };
    let sentence = args.description.as_deref().map(str::trim).filter(|text| !text.is_empty());
    let command =
        format!("hefesto create --brief {}", shell_words::quote(sentence.unwrap_or("what the skill should do")));
    let hint = format!(
        "Inside an AI CLI ({id}): `{command}` prints what to write; pipe the body back with `--body -`, and a person \
         approves it with `hefesto approve RUN`."
    );
    let own_text = args.body.is_some() || args.draft.is_some();
    match outcome {
        Ok(report) => {
            if !own_text && report.data["grade"]["gaps"].as_u64().is_some_and(|gaps| gaps > 0) {
                env.tell(&hint);
            }
            Ok(report)
        }
        Err(error) if !own_text && unanswered(&error) => {
            let suggestion = format!("{} {hint}", error.suggestion());
            Err(error.suggest(suggestion))
        }
        Err(error) => Err(error),
    }
}

/// Whether it ended because nobody was there.
fn unanswered(error: &Error) -> bool {
    matches!(error.code(), Code::CreateNotReady | Code::CreateEmpty | Code::NobodyToAsk | Code::CreateRejected)
}
