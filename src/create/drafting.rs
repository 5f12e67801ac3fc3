//! Gets a draft from an AI CLI: asks, reads, checks, and asks once more if something is wrong. If that fails, a person
//! gets the assembled text and the reason.

use std::time::{Duration, Instant};

use serde_json::json;

use super::drafter::{self, Drafter, Failure};
use super::generate::{Drafted, compose, understand, with_files};
use super::{Decision, Draft, Run, ask, assignment::assignment, draft::SkillRequest, intake, validate};
use crate::client::drafting::{self, Assignment, Line, Origin, Problem, Reply, Skill};
use crate::error::{Code, Error, Exit, Result};
use crate::rules::finding::{Finding, Severity};
use crate::rules::input::{self, Field};
use crate::rules::secrets;
use crate::skill::body;
use crate::skill::printable::{beginning, printable};
use crate::terminal::ui::count;

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
    let flags: Vec<String> = ask::keyed(asked).iter().map(|open| format!("--answer {}=\"...\"", open.key)).collect();
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
    let Some(answered) = ask::of_drafter(run, &drafter.title, questions)? else { return Ok(false) };
    job.left_open = answered.left_open;
    let attachments = &mut job.request.attachments;
    attachments.answers.extend(answered.answers);
    attachments.asked.extend(answered.asked);
    if job.revision.is_none() {
        intake::keep_answers(run, &job.request)?;
        run.enter(crate::memory::ring::Phase::Generate);
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

pub(in crate::create) struct Job<'j> {
    pub(in crate::create) request: SkillRequest,
    /// The skill as it is assembled without a drafter.
    pub(in crate::create) first: Draft,
    /// For a revision: the text to change, and the author's note.
    revision: Option<(&'j Draft, &'j str)>,
    /// The drafter's questions that the author left open.
    left_open: Vec<String>,
}

impl<'j> Job<'j> {
    fn new(request: SkillRequest, first: Draft) -> Self {
        Self { request, first, revision: None, left_open: Vec::new() }
    }

    pub(in crate::create) fn revising(request: SkillRequest, first: Draft, present: &'j Draft, note: &'j str) -> Self {
        Self { revision: Some((present, note)), ..Self::new(request, first) }
    }

    fn assignment(&self, run: &mut Run<'_>) -> Result<Assignment> {
        let understood = understand(run.env, &run.project, &self.request)?;
        let mut assignment = assignment(&understood, &self.first, &self.request, &run.skills());
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

    /// The skill without a drafter, with all answers so far.
    fn assembled(&self, run: &Run<'_>) -> Result<Draft> {
        compose(run.env, &run.project, &run.settings, &self.request, None)
    }

    fn compose(&self, run: &Run<'_>, drafter: &Drafter, skill: &Skill) -> Result<Draft> {
        let mut request = self.request.clone();
        if let Some((present, _)) = self.revision {
            request.name = Some(present.name.clone());
            request.resources =
                present.resources.iter().filter(|file| !file.path.starts_with("evals/")).cloned().collect();
            request.targets.clone_from(&present.targets);
        }
        let drafted = Drafted { by: &drafter.title, skill };
        compose(run.env, &run.project, &run.settings, &request, Some(&drafted))
    }

    /// Completes the draft: adds missing lines of the author and the house rules, and marks commands only the drafter
    /// supplied.
    fn finish(&self, mut draft: Draft, assignment: &Assignment) -> Draft {
        let missing: Vec<String> = drafting::left_out(&draft.text, assignment).into_iter().map(whole).collect();
        draft.text = body::with_lines(&draft.text, missing.iter().map(String::as_str), assignment.language);
        draft.amended.extend(missing.into_iter().map(|line| format!("left out, and added to the limits: {line}")));
        let facts: String = self.request.facts.all.iter().map(|fact| format!("{}\n", fact.text)).collect();
        let known = format!("{}\n{}\n{facts}", assignment.known(), self.first.text);
        let references = draft.resources.iter().filter(|file| file.path.starts_with("references/"));
        let references = references.filter_map(|file| std::str::from_utf8(&file.blob.bytes).ok());
        let written = [draft.text.as_str()].into_iter().chain(references).collect::<Vec<_>>().join("\n");
        draft.added_commands = drafting::unknown_commands(&written, &known);
        if let Some((present, note)) = self.revision {
            draft.added_commands.retain(|command| {
                let own = present.text.contains(command) && !present.added_commands.contains(command);
                !own && !note.contains(command)
            });
        }
        draft.answers = self.request.attachments.answers.clone();
        draft
    }

    /// The text to change with the answers given meanwhile; none if there were none.
    pub(in crate::create) fn with_answers(&self, present: &Draft) -> Option<Draft> {
        let attachments = &self.request.attachments;
        let language = crate::skill::read(&self.request.description).language;
        let new = attachments.answers.iter().filter(|(key, _)| !present.answers.contains_key(*key));
        let line = |(key, answer): (&String, &String)| {
            body::with_question(&body::question(key, &[], &attachments.asked, language), answer)
        };
        let lines: Vec<String> = new.map(line).collect();
        (!lines.is_empty()).then(|| Draft {
            text: body::with_lines(&present.text, lines.iter().map(String::as_str), language),
            answers: attachments.answers.clone(),
            ..present.clone()
        })
    }
}

/// A line of the author or the house rules as written in a body; an answer with its question.
fn whole(line: &Line) -> String {
    let answers = line.origin == Origin::Author && !line.place.is_empty();
    if answers { body::with_question(&line.place, &line.text) } else { line.text.clone() }
}

/// Rules whose warnings are worth another round: commands, links, filler, the description, broken Markdown.
const WEIGHTY: &[&str] = &[
    "T0-HEFESTO-11", "T0-HEFESTO-05", "S17", "QUALITY-04", "QUALITY-05", "QUALITY-08", "T1-HEFESTO-01",
    "T1-QUALITY-01", "PORT-SYNTAX",
];

/// A checked answer.
struct Checked {
    /// The draft; none if it must not reach the gate.
    draft: Option<Draft>,
    problems: Vec<Problem>,
}

/// Checks the skill in an answer, in which credentials are masked. Errors: A template that does not render.
fn check(
    run: &Run<'_>,
    job: &Job<'_>,
    drafter: &Drafter,
    skill: &Skill,
    assignment: &Assignment,
    masked: &str,
) -> Result<Checked> {
    let mut problems = Vec::new();
    if masked.contains("[REDACTED:") {
        problems.push(Problem::new(
            "It holds a credential, shown here as [REDACTED:...]: leave it out, also as an example.",
            "it holds a credential, which is masked",
        ));
    }
    let texts = std::iter::once(skill.body.as_str()).chain(skill.files.iter().map(|file| file.text.as_str()));
    let refusals = texts.filter_map(|text| input::refuse(text, Field::Body));
    problems.extend(
        refusals.map(|refusal| Problem::new(format!("{}. {}", refusal.message, refusal.suggestion), refusal.message)),
    );
    let grave = !problems.is_empty();
    let mut skill = skill.clone();
    keep_fit_files(&mut skill, &mut problems);
    let draft = job.compose(run, drafter, &skill)?;
    let severities = &run.settings.severities;
    let before = validate::findings(&job.first, severities);
    let found = validate::findings(&draft, severities);
    let problem = |one: &Finding| Problem::new(format!("{} {}", one.message, one.fix), one.message.clone());
    let errors: Vec<Problem> = found.iter().filter(|one| one.severity == Severity::Error).map(problem).collect();
    let weighty = found.iter().filter(|one| {
        one.severity != Severity::Error
            && WEIGHTY.iter().any(|rule| one.rule.starts_with(rule))
            && !before.iter().any(|other| other.rule == one.rule && other.message == one.message)
    });
    let weighty: Vec<Problem> = weighty.map(problem).collect();
    let grave = grave || !errors.is_empty();
    problems.extend(errors.into_iter().chain(weighty).chain(drafting::problems(&skill, assignment)));
    Ok(Checked { draft: (!grave).then_some(draft), problems })
}

/// Removes files that are not allowed, and says why.
fn keep_fit_files(skill: &mut Skill, problems: &mut Vec<Problem>) {
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
            Some(why) => {
                let path = crate::skill::printable_line(&file.path);
                problems.push(Problem::new(format!("The file {path} {why}."), format!("the file {path} {why}")));
            }
            None => skill.files.push(file),
        }
    }
}
