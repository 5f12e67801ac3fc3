//! Gets a draft from an AI CLI: asks, reads, checks, and asks once more if something is wrong. If that
//! fails, a person gets the assembled text and the reason.

mod check;
mod job;

use std::time::{Duration, Instant};

use serde_json::json;

use super::drafter::{self, Drafter, Failure};
use super::{Decision, Draft, Run, draft::SkillRequest, intake, questions, validate};
use crate::client::drafting::{self, Problem, Reply};
use crate::error::{Code, Error, Exit, Result};
use crate::memory::ring::Phase;
use crate::rules::secrets;
use crate::skill::printable::{beginning, printable};
use crate::terminal::ui::count;
use check::{Checked, check};
pub(super) use job::Job;

/// How many problems of an answer are shown to a person.
const NAMED: usize = 3;

#[derive(Default)]
pub(super) struct Usage {
    rounds: u32,
    cost: Option<f64>,
}

/// Replaces the first draft with one by an AI CLI. Without a usable one the first stays, and WARN-030 says why.
/// Errors: E-DRAFT-001 without a draft and without a person; E-SIGNAL-001 on a signal; a template that does not render.
pub(super) fn draft(run: &mut Run<'_>, request: SkillRequest, first: Draft, wanted: Option<&str>) -> Result<Draft> {
    if !validate::errors(&first, &run.settings.severities).is_empty() {
        return Ok(first); // no body can fix that: P3 reports it
    }
    let drafter = match drafter::choose(run, wanted) {
        Ok(drafter) => drafter,
        Err(why) => return fall_back(run, first, &why, "Install an AI CLI or name another with `--draft=CLI`"),
    };
    let watch = run.env.watch();
    let mut usage = Usage::default();
    let mut job = Job::new(request, first);
    let drafted = ask_for_draft(run, &mut job, &drafter, &mut usage);
    let used = matches!(&drafted, Ok(Ok(_)));
    run.record.details.insert(
        "draft".into(),
        json!({ "by": drafter.id, "used": used, "rounds": usage.rounds, "ms": watch.ms(), "cost_usd": usage.cost }),
    );
    let because = |why: &str| format!("{}: {}", drafter.title, shown_reason(why));
    match drafted? {
        Ok(draft) => Ok(draft),
        Err(Failure::Fails(why)) => {
            let what_to_do = format!("Run {} once by hand and see whether it answers", printable(&drafter.title));
            fall_back(run, job.first, &because(&why), &what_to_do)
        }
        Err(Failure::Unusable(why)) => {
            let what_to_do = "Ask for it in other words, answer more questions with `--answer KEY=TEXT`";
            fall_back(run, job.first, &because(&why), what_to_do)
        }
        Err(Failure::Asks(asked)) => Err(unanswered(&drafter, &asked)),
        Err(Failure::Signal(signal)) => Err(interrupted(run, signal)),
    }
}

pub(super) fn interrupted(run: &mut Run<'_>, signal: u8) -> Error {
    run.record.decision = Decision::Interrupted;
    Error::new(Code::Interrupted, "interrupted while an AI CLI wrote; no skill was written or changed")
        .exit(Exit::Signal(signal))
        .suggest("Run the command again.")
}

/// E-DRAFT-001 for questions nobody is there to answer.
fn unanswered(drafter: &Drafter, asked: &[String]) -> Error {
    let first = asked.first().map(|question| shown_reason(question)).unwrap_or_default();
    let flags: Vec<String> =
        questions::keyed(asked).iter().map(|open| format!("--answer {}=\"...\"", open.key)).collect();
    let more = if asked.len() > 1 { format!(" (and {} more)", asked.len() - 1) } else { String::new() };
    Error::new(Code::DraftUnusable, format!("{} asks before it writes: {first}{more}", drafter.title))
        .suggest(format!("Answer with `{}`, or run it in a terminal.", flags.join(" ")))
}

/// Falls back to the first draft with a warning that says why: a person sees both at the gate. Without a person the run
/// ends, unless `--draft-fallback` was given.
fn fall_back(run: &mut Run<'_>, first: Draft, why: &str, what_to_do: &str) -> Result<Draft> {
    let draft = run.record.details.entry("draft").or_insert_with(|| json!({ "used": false }));
    draft["why"] = json!(why);
    if (run.yes || !run.person()) && !run.args.draft_fallback {
        return Err(Error::new(Code::DraftUnusable, format!("there is no usable draft: {why}"))
            .suggest(format!("{what_to_do}, or take the assembled text with `--draft-fallback`.")));
    }
    run.env.warn(Code::DraftFailed, format!("{} The assembled text is used instead.", stopped(why)));
    Ok(Draft { undrafted: Some(why.to_owned()), ..first })
}

/// Another program's message, safe to show: one short line without credentials.
pub(super) fn shown_reason(why: &str) -> String {
    const MOST: usize = 200;
    if !secrets::scan(why).is_empty() {
        return "what it says holds a credential and is not shown".into();
    }
    let line = printable(why.split_whitespace().collect::<Vec<_>>().join(" ").trim_end_matches('.'));
    beginning(&line, MOST)
}

/// Adds a full stop if there is no punctuation at the end.
pub(super) fn stopped(text: &str) -> String {
    if text.ends_with(['.', '?', '!']) { text.to_owned() } else { format!("{text}.") }
}

/// Asks, puts questions of the drafter to the person, checks the answer, and asks once more with what is wrong with it.
/// Errors: those of the prompts, and a template that does not render.
pub(super) fn ask_for_draft(
    run: &mut Run<'_>,
    job: &mut Job<'_>,
    drafter: &Drafter,
    usage: &mut Usage,
) -> Result<std::result::Result<Draft, Failure>> {
    let limit = run.settings.draft_timeout.value;
    let until = || Instant::now() + Duration::from_secs(limit.into());
    let (what, sent) = match job.revision {
        None => ("a draft", "the brief that `--brief` prints is sent to it"),
        Some(_) => ("a change", "the brief, the text and your note are sent to it"),
    };
    run.env.tell(&format!("Asking {} for {what} (at most {limit} s); {sent}.", printable(&drafter.title)));
    let (mut assignment, mut deadline) = (job.assignment(run)?, until());
    let mut prompt = job.prompt(&assignment);
    let (mut asked, mut repaired, mut kept) = (false, false, None);
    loop {
        usage.rounds += 1;
        let failure = match read(run, drafter, &prompt, deadline, usage) {
            Ok((Reply::Skill(skill), masked)) => {
                let Checked { draft, problems } = check(run, job, drafter, &skill, &assignment, &masked)?;
                match (draft, problems.as_slice(), repaired) {
                    (Some(draft), [], _) | (Some(draft), _, true) => {
                        return Ok(Ok(job.finish(draft, &assignment)));
                    }
                    (None, problems, true) => {
                        let why = problems.first().map(|problem| problem.said.as_str()).unwrap_or_default();
                        Failure::Unusable(format!("its answer cannot be used: {why}"))
                    }
                    (draft, problems, false) => {
                        tell(run, problems);
                        prompt = drafting::again(&job.prompt(&assignment), &masked, problems);
                        (kept, repaired) = (draft, true);
                        continue;
                    }
                }
            }
            Ok((Reply::Questions(questions), _)) if !asked => {
                if !put(run, job, drafter, &questions)? {
                    return Ok(Err(Failure::Asks(questions)));
                }
                asked = true;
                assignment = job.assignment(run)?;
                (prompt, deadline) = (job.prompt(&assignment), until());
                continue;
            }
            Ok((Reply::Questions(questions), _)) => {
                Failure::Unusable(format!("it asks again: {}", questions.join(" ")))
            }
            Ok((Reply::Words(words), _)) => Failure::Unusable(in_its_words(&words)),
            Err(failure) => failure,
        };
        return Ok(match (kept, failure) {
            (Some(draft), Failure::Fails(why) | Failure::Unusable(why)) => {
                let why = shown_reason(&why);
                run.env.tell(&format!("The second answer cannot be used ({why}); the first is kept."));
                Ok(job.finish(draft, &assignment))
            }
            (_, failure) => Err(failure),
        });
    }
}

/// Reads one answer, and its text as far as it may be shown and sent again.
fn read(
    run: &mut Run<'_>,
    drafter: &Drafter,
    prompt: &str,
    deadline: Instant,
    usage: &mut Usage,
) -> std::result::Result<(Reply, String), Failure> {
    let answer = drafter::query(run, drafter, prompt, deadline)?;
    usage.cost = answer.cost.map(|cost| usage.cost.unwrap_or(0.0) + cost).or(usage.cost);
    let masked = secrets::redact_beside(&answer.text).into_owned();
    let reply = drafting::reply(&masked).map_err(|why| Failure::Unusable(why.to_string()))?;
    Ok((reply, masked))
}

/// Says what is wrong with the first answer.
fn tell(run: &mut Run<'_>, problems: &[Problem]) {
    let mut said = format!("The draft has {} to put right; asking once more:\n", count(problems.len(), "place"));
    for problem in problems.iter().take(NAMED) {
        said.push_str(&format!("  {}\n", shown_reason(&problem.said)));
    }
    if problems.len() > NAMED {
        said.push_str(&format!("  ... and {} more\n", problems.len() - NAMED));
    }
    let said = run.env.err_style().fold(said.trim_end(), 2);
    run.env.tell(&said);
}

/// Asks the person the drafter's questions. The answers are stored with the run even if the draft fails. Returns
/// whether anybody answered.
fn put(run: &mut Run<'_>, job: &mut Job<'_>, drafter: &Drafter, questions: &[String]) -> Result<bool> {
    let Some(answered) = questions::of_drafter(run, &drafter.title, questions)? else { return Ok(false) };
    job.left_open = answered.left_open;
    let attachments = &mut job.request.attachments;
    attachments.answers.extend(answered.answers);
    attachments.asked.extend(answered.asked);
    if job.revision.is_none() {
        intake::keep_answers(run, &job.request)?;
        run.enter(Phase::Generate);
    }
    job.first = job.assembled(run)?;
    Ok(true)
}

/// The message for an answer that is no skill.
fn in_its_words(words: &str) -> String {
    let said = shown_reason(words);
    match said.as_str() {
        "" => "it answered nothing".to_owned(),
        said if words.trim_end().ends_with('?') => format!("it wrote no skill and asks: {said}"),
        said => format!("it wrote no skill and says: {said}"),
    }
}
