//! A draft by an AI CLI: asked for, read, checked, and asked for once more where something is wrong with it. Where that
//! fails, a person gets the assembled text and the reason.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use serde_json::json;

use super::assignment::assignment;
use super::compose::{Drafted, compose, understand, with_files};
use super::draft::Brief;
use super::drafter::{self, Drafter, Failure};
use super::{Decision, Draft, Run, questions, validate};
use crate::client::drafting::{self, Assignment, Reply, Skill};
use crate::error::{Code, Error, Exit, Result, Warning};
use crate::rules::finding::{Finding, Severity};
use crate::rules::input::{self, Field};
use crate::rules::secrets;
use crate::skill::printable;

/// Rules whose warnings are worth another round: commands, links, filler, the description, broken Markdown.
const WEIGHTY: &[&str] = &[
    "T0-HEFESTO-11", "T0-HEFESTO-05", "S17", "QUALITY-04", "QUALITY-05", "QUALITY-08", "T1-HEFESTO-01",
    "T1-QUALITY-01", "PORT-SYNTAX",
];

/// What is to be drafted.
pub(super) struct Job<'j> {
    pub brief: Brief,
    /// The skill as it is assembled without a drafter.
    pub first: &'j Draft,
    /// The text that is to be changed, and what the author asks for.
    pub revision: Option<(&'j Draft, &'j str)>,
    /// Questions of the drafter that the author left open.
    pub left_open: Vec<String>,
}

/// What all requests to the CLI took.
#[derive(Default)]
pub(super) struct Usage {
    rounds: u32,
    cost: Option<f64>,
}

/// An answer that was looked at.
struct Checked {
    /// What it makes; none where it must not reach the gate.
    draft: Option<Draft>,
    problems: Vec<String>,
}

/// Puts a drafted skill in place of the first one. Without a draft that can be used it stays, and WARN-030 says why.
///
/// # Errors
/// E-DRAFT-001 without a draft and without a person; E-SIGNAL-001 on a signal; a template that does not render.
pub(super) fn draft(run: &mut Run<'_>, brief: Brief, first: Draft, wanted: Option<&str>) -> Result<Draft> {
    if !validate::errors(&first, &run.workspace.settings.severities).is_empty() {
        return Ok(first); // no body could fix that: P3 reports it
    }
    let drafter = match drafter::choose(run, wanted) {
        Ok(drafter) => drafter,
        Err(why) => return fall_back(run, first, &why),
    };
    let watch = run.env.watch();
    let mut usage = Usage::default();
    let job = Job { brief, first: &first, revision: None, left_open: Vec::new() };
    let drafted = request(run, job, &drafter, &mut usage);
    let used = matches!(&drafted, Ok(Ok(_)));
    run.record.details.insert(
        "draft".into(),
        json!({ "by": drafter.id, "used": used, "rounds": usage.rounds, "ms": watch.ms(), "cost_usd": usage.cost }),
    );
    match drafted? {
        Ok(draft) => Ok(draft),
        Err(Failure::Because(why)) => fall_back(run, first, &format!("{}: {}", drafter.title, shown_reason(&why))),
        Err(Failure::Asks(asked)) => Err(unanswered(&drafter, &asked)),
        Err(Failure::Signal(signal)) => Err(interrupted(run, signal)),
    }
}

pub(super) fn interrupted(run: &mut Run<'_>, signal: u8) -> Error {
    run.record.decision = Decision::Interrupted;
    Error::new(Code::Interrupted, "interrupted while the draft was written; no changes made")
        .exit(Exit::Signal(signal))
        .suggest("Resumed, the run takes the draft up again.")
}

/// E-DRAFT-001 for questions nobody is there to answer.
fn unanswered(drafter: &Drafter, asked: &[String]) -> Error {
    let first = asked.first().map(|question| shown_reason(question)).unwrap_or_default();
    let flags: Vec<String> =
        asked.iter().map(|question| format!("--answer {}=\"...\"", questions::key_of(question))).collect();
    let more = if asked.len() > 1 { format!(" (and {} more)", asked.len() - 1) } else { String::new() };
    Error::new(Code::DraftUnusable, format!("{} asks before it writes: {first}{more}", drafter.title))
        .suggest(format!("Answer with `{}`, or run it in a terminal.", flags.join(" ")))
}

/// The first draft, and a warning that says why there is no better one: a person sees both at the gate. Without a person
/// the run ends, unless `--draft-fallback` was given.
fn fall_back(run: &mut Run<'_>, first: Draft, why: &str) -> Result<Draft> {
    let draft = run.record.details.entry("draft").or_insert_with(|| json!({ "used": false }));
    draft["why"] = json!(why);
    if (run.request.yes || !run.person()) && !run.request.args.draft_fallback {
        return Err(Error::new(Code::DraftUnusable, format!("there is no draft that can be used: {why}"))
            .suggest("Run the AI CLI once by hand, or add `--draft-fallback` to take the assembled text instead."));
    }
    run.env.note(Warning::new(Code::DraftFailed, format!("{why}. The assembled text is used instead.")));
    Ok(Draft { undrafted: Some(why.to_owned()), ..first })
}

/// What another program says, as it may be shown: one short line, and never a credential.
pub(super) fn shown_reason(why: &str) -> String {
    const MOST: usize = 200;
    if !secrets::scan(why).is_empty() {
        return "what it says holds a credential and is not shown".into();
    }
    let line = printable(why.split_whitespace().collect::<Vec<_>>().join(" ").trim_end_matches('.'));
    match line.char_indices().nth(MOST) {
        Some((at, _)) => format!("{}...", line.get(..at).unwrap_or_default()),
        None => line,
    }
}

/// Asks, puts questions of the drafter to the person, checks the answer, and asks once more with what is wrong with it.
///
/// # Errors
/// Those of the prompts, and a template that does not render.
pub(super) fn request(
    run: &mut Run<'_>,
    mut job: Job<'_>,
    drafter: &Drafter,
    usage: &mut Usage,
) -> Result<std::result::Result<Draft, Failure>> {
    let limit = run.workspace.settings.draft_timeout.value;
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
        let (failure, masked) = match drafter::query(run, drafter, &prompt, deadline) {
            Ok(answer) => {
                usage.cost = answer.cost.map(|cost| usage.cost.unwrap_or(0.0) + cost).or(usage.cost);
                (None, secrets::redact(&answer.text).0.into_owned())
            }
            Err(failure) => (Some(failure), String::new()),
        };
        let reply =
            failure.map_or_else(|| drafting::reply(&masked).map_err(|why| Failure::Because(why.to_string())), Err);
        let failure = match reply {
            Ok(Reply::Skill(skill)) => {
                let checked = check(run, &job, drafter, &skill, &assignment, masked.contains("[REDACTED:"))?;
                match (checked.draft, checked.problems.first(), repaired) {
                    (Some(draft), None, _) | (Some(draft), Some(_), true) => {
                        return Ok(Ok(job.finish(draft, &assignment)));
                    }
                    (None, why, true) => Failure::Because(format!(
                        "its answer is not valid: {}",
                        why.map(String::as_str).unwrap_or_default()
                    )),
                    (draft, _, false) => {
                        let many = crate::terminal::ui::count(checked.problems.len(), "place");
                        run.env.tell(&format!("The draft has {many} to put right; asking once more."));
                        (kept, repaired) = (draft, true);
                        prompt = drafting::again(&job.prompt(&assignment), &masked, &checked.problems);
                        continue;
                    }
                }
            }
            Ok(Reply::Questions(questions)) if !asked => {
                let Some(answers) = questions::of_drafter(run, &drafter.title, &questions)? else {
                    return Ok(Err(Failure::Asks(questions)));
                };
                asked = true;
                job.left_open =
                    questions.into_iter().filter(|one| !answers.contains_key(&questions::key_of(one))).collect();
                job.brief.attachments.answers.extend(answers);
                assignment = job.assignment(run)?;
                (prompt, deadline) = (job.prompt(&assignment), until());
                continue;
            }
            Ok(Reply::Questions(questions)) => Failure::Because(format!("it asks again: {}", questions.join(" "))),
            Ok(Reply::Words(words)) => Failure::Because(in_its_words(&words)),
            Err(failure) => failure,
        };
        return Ok(match (kept, failure) {
            (_, Failure::Signal(signal)) => Err(Failure::Signal(signal)),
            (Some(draft), failure) => {
                if let Failure::Because(why) = &failure {
                    run.env
                        .tell(&format!("The second answer cannot be used ({}); the first stands.", shown_reason(why)));
                }
                Ok(job.finish(draft, &assignment))
            }
            (None, failure) => Err(failure),
        });
    }
}

/// What an answer that is no skill says.
fn in_its_words(words: &str) -> String {
    let said = shown_reason(words);
    match said.as_str() {
        "" => "it answered nothing".to_owned(),
        said if words.trim_end().ends_with('?') => format!("it wrote no skill and asks: {said}"),
        said => format!("it wrote no skill and says: {said}"),
    }
}

impl Job<'_> {
    fn assignment(&self, run: &mut Run<'_>) -> Result<Assignment> {
        let understood = understand(run.env, &run.workspace.project, &self.brief)?;
        let mut assignment = assignment(&understood, self.first, &self.brief, &run.skills());
        assignment.open.extend(self.left_open.iter().cloned());
        Ok(assignment)
    }

    fn prompt(&self, assignment: &Assignment) -> String {
        let text = assignment.text();
        let Some((present, note)) = self.revision else { return text };
        let files = present.resources.iter().filter(|file| !file.path.starts_with("evals/"));
        let files = files.filter(|file| file.blob.bytes.len() <= drafting::MOST_FILE);
        let files = files.filter_map(|file| Some((file.path.as_str(), std::str::from_utf8(&file.blob.bytes).ok()?)));
        drafting::revision(&text, &present.text, files, note)
    }

    /// The skill that an answer makes.
    fn compose(&self, run: &Run<'_>, drafter: &Drafter, skill: &Skill) -> Result<Draft> {
        let mut brief = self.brief.clone();
        if let Some((present, _)) = self.revision {
            brief.name = Some(present.name.clone());
            brief.resources =
                present.resources.iter().filter(|file| !file.path.starts_with("evals/")).cloned().collect();
            brief.targets.clone_from(&present.targets);
        }
        let drafted = Drafted { by: &drafter.title, skill };
        compose(run.env, &run.workspace.project, &run.workspace.settings, &brief, Some(&drafted))
    }

    /// The draft with every line of the author and the house, and with what only the drafter knew.
    fn finish(&self, draft: Draft, assignment: &Assignment) -> Draft {
        let missing = drafting::left_out(&draft.text, assignment).into_iter().map(|line| line.text.as_str());
        let text = crate::skill::body::with_lines(&draft.text, missing, assignment.language);
        let facts: String = self.brief.facts.all.iter().map(|fact| format!("{}\n", fact.text)).collect();
        let known = format!("{}\n{}\n{facts}", assignment.known(), self.first.text);
        let references = draft.resources.iter().filter(|file| file.path.starts_with("references/"));
        let references = references.filter_map(|file| std::str::from_utf8(&file.blob.bytes).ok());
        let written = [text.as_str()].into_iter().chain(references).collect::<Vec<_>>().join("\n");
        let mut added = drafting::unknown_commands(&written, &known);
        if let Some((present, note)) = self.revision {
            added.retain(|command| {
                let own = present.text.contains(command) && !present.added_commands.contains(command);
                !own && !note.contains(command)
            });
        }
        let answers: BTreeMap<String, String> = self.brief.attachments.answers.clone();
        Draft { text, added_commands: added, answers, ..draft }
    }
}

/// Looks at an answer: what must not reach the gate, and what is worth another round.
fn check(
    run: &Run<'_>,
    job: &Job<'_>,
    drafter: &Drafter,
    skill: &Skill,
    assignment: &Assignment,
    credential: bool,
) -> Result<Checked> {
    let mut problems = Vec::new();
    if credential {
        problems
            .push("It holds a credential, shown here as [REDACTED:...]: leave it out, also as an example.".to_owned());
    }
    let texts = std::iter::once(skill.body.as_str()).chain(skill.files.iter().map(|file| file.text.as_str()));
    let refusals = texts.filter_map(|text| input::refuse(text, Field::Body));
    problems.extend(refusals.map(|refusal| format!("{}. {}", refusal.message, refusal.suggestion)));
    let grave = !problems.is_empty();
    let mut skill = skill.clone();
    keep_fit_files(&mut skill, &mut problems);
    let draft = job.compose(run, drafter, &skill)?;
    let severities = &run.workspace.settings.severities;
    let before = validate::findings(job.first, severities);
    let found = validate::findings(&draft, severities);
    let said = |finding: &&Finding| format!("{} {}", finding.message, finding.fix);
    let errors: Vec<String> =
        found.iter().filter(|one| one.severity == Severity::Error).map(|one| said(&one)).collect();
    let weighty = found.iter().filter(|one| {
        one.severity != Severity::Error
            && WEIGHTY.iter().any(|rule| one.rule.starts_with(rule))
            && !before.iter().any(|other| other.rule == one.rule && other.message == one.message)
    });
    let weighty: Vec<String> = weighty.map(|one| said(&one)).collect();
    let grave = grave || !errors.is_empty();
    problems.extend(errors.into_iter().chain(weighty).chain(drafting::problems(&skill, assignment)));
    Ok(Checked { draft: (!grave).then_some(draft), problems })
}

/// Takes out files that cannot come along, and says why.
fn keep_fit_files(skill: &mut Skill, problems: &mut Vec<String>) {
    let files = std::mem::take(&mut skill.files);
    for file in files {
        let only = Skill { files: vec![file.clone()], ..Skill::default() };
        let why = if file.text.len() > drafting::MOST_FILE {
            Some(format!("has more than {} bytes", drafting::MOST_FILE))
        } else if skill.files.len() == drafting::MOST_FILES {
            Some(format!("is one too many: {} is the most", drafting::MOST_FILES))
        } else {
            with_files(Vec::new(), &only).err().map(|error| error.message())
        };
        match why {
            Some(why) => problems.push(format!("The file {} {why}.", printable(&file.path))),
            None => skill.files.push(file),
        }
    }
}
