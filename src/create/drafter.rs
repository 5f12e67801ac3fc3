//! `--draft`: an installed AI CLI writes the sections. Where that fails, a person gets the assembled text and the reason.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::json;

use super::assignment::assignment;
use super::compose::compose;
use super::draft::Brief;
use super::{Decision, Draft, Run, validate};
use crate::client::drafting::{self, Answer, Output};
use crate::client::host::Host;
use crate::client::target::drafters;
use crate::client::target::headless::{Headless, Shape};
use crate::error::{Code, Error, Exit, Result, Warning};
use crate::rules::input::{self, Field};
use crate::rules::secrets;
use crate::skill::printable;
use crate::system::sandbox::Sandbox;
use crate::system::subprocess::{self, Ended, Task};

/// How often a message says that the CLI is still writing.
const PROGRESS_EVERY: Duration = Duration::from_secs(10);

/// The program that is asked.
struct Drafter {
    /// Its id, `command` for the configured one.
    id: String,
    title: String,
    program: PathBuf,
    args: Vec<String>,
    row: Option<&'static Headless>,
}

/// Why there is no draft.
enum Failure {
    Because(String),
    Signal(u8),
}

/// What all requests to the CLI took.
#[derive(Default)]
struct Usage {
    rounds: u32,
    cost: Option<f64>,
}

/// Puts a drafted skill in place of the first one. Without a draft that can be used it stays, and WARN-030 says why.
///
/// # Errors
/// E-DRAFT-001 without a draft and without a person; E-SIGNAL-001 on a signal; a template that does not render.
pub(super) fn draft(run: &mut Run<'_>, brief: &Brief, first: Draft, wanted: Option<&str>) -> Result<Draft> {
    if !validate::errors(&first, &run.workspace.settings.severities).is_empty() {
        return Ok(first); // no body could fix that: P3 reports it
    }
    let drafter = match choose(run, wanted) {
        Ok(drafter) => drafter,
        Err(why) => return fall_back(run, first, &why),
    };
    let (watch, mut usage) = (run.env.watch(), Usage::default());
    let drafted = request_draft(run, brief, &first, &drafter, &mut usage);
    let used = matches!(&drafted, Ok(Ok(_)));
    run.record.details.insert(
        "draft".into(),
        json!({ "by": drafter.id, "used": used, "rounds": usage.rounds, "ms": watch.ms(), "cost_usd": usage.cost }),
    );
    match drafted? {
        Ok(draft) => Ok(draft),
        Err(Failure::Because(why)) => fall_back(run, first, &format!("{}: {}", drafter.title, shown_reason(&why))),
        Err(Failure::Signal(signal)) => {
            run.record.decision = Decision::Interrupted;
            Err(Error::new(Code::Interrupted, "interrupted while the draft was written; no changes made")
                .exit(Exit::Signal(signal))
                .suggest("Resumed, the run uses the template's text."))
        }
    }
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
fn shown_reason(why: &str) -> String {
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

/// The program that is asked. Inside an AI CLI none is started unless it is named.
fn choose(run: &Run<'_>, wanted: Option<&str>) -> std::result::Result<Drafter, String> {
    match wanted {
        Some("command") => configured(run),
        Some(id) => {
            let row = crate::client::target::headless(id).ok_or_else(|| format!("{id} cannot be asked for a draft"))?;
            installed(run, row).ok_or_else(|| format!("`{}` is not on PATH", row.program))
        }
        None => {
            if let Host::Agent(id) = Host::of(|name| run.env.var(name)) {
                return Err(format!(
                    "this runs inside an AI CLI ({id}) and starts no other unless it is named (`--draft=CLI`); \
                     `--brief` prints what to write"
                ));
            }
            if !run.workspace.settings.draft_command.value.is_empty() {
                return configured(run);
            }
            drafters().find_map(|row| installed(run, row)).ok_or_else(|| {
                let names: Vec<&str> = drafters().map(|row| row.program).collect();
                format!("none of {} is on PATH", names.join(", "))
            })
        }
    }
}

fn installed(run: &Run<'_>, row: &'static Headless) -> Option<Drafter> {
    let program = run.env.search_path().find(row.program)?;
    let title =
        run.workspace.settings.targets.get(row.id).map_or_else(|| row.id.to_owned(), |target| target.title.clone());
    let args = row.args.iter().map(ToString::to_string).collect();
    Some(Drafter { id: row.id.into(), title, program, args, row: Some(row) })
}

/// The program that the user configured; a project's file cannot.
fn configured(run: &Run<'_>) -> std::result::Result<Drafter, String> {
    let Some((name, args)) = run.workspace.settings.draft_command.value.split_first() else {
        return Err("no `command` is configured in the `[draft]` section of your own config.toml".into());
    };
    let program = run
        .env
        .search_path()
        .find(name)
        .ok_or_else(|| format!("the configured {name:?} is neither on PATH nor an absolute path of a program"))?;
    Ok(Drafter { id: "command".into(), title: name.clone(), program, args: args.to_vec(), row: None })
}

/// Asks, checks the answer, and asks once more with what is wrong with it.
fn request_draft(
    run: &mut Run<'_>,
    brief: &Brief,
    first: &Draft,
    drafter: &Drafter,
    usage: &mut Usage,
) -> Result<std::result::Result<Draft, Failure>> {
    let limit = run.workspace.settings.draft_timeout.value;
    let until = Instant::now() + Duration::from_secs(limit.into());
    run.env.tell(&format!(
        "Asking {} for a draft (at most {limit} s); what you gave and what is known here are sent to it.",
        printable(&drafter.title)
    ));
    let question =
        assignment(run.env, &run.workspace.project, &run.workspace.settings, first, brief, &run.context.text).text();
    let mut prompt = question.clone();
    loop {
        usage.rounds += 1;
        let answer = match query(run, drafter, &prompt, until) {
            Ok(answer) => answer,
            Err(failure) => return Ok(Err(failure)),
        };
        if let Some(cost) = answer.cost {
            usage.cost = Some(usage.cost.unwrap_or(0.0) + cost);
        }
        let body = match drafting::body(&answer.text) {
            Ok(body) => body,
            Err(why) => return Ok(Err(Failure::Because(why.to_string()))),
        };
        if let Some(refusal) = input::refuse(&body, Field::Body) {
            return Ok(Err(Failure::Because(format!("its answer is refused under {}", refusal.kind))));
        }
        let by = (drafter.title.as_str(), body.as_str());
        let draft = compose(run.env, &run.workspace.project, &run.workspace.settings, brief, Some(by))?;
        let findings = validate::errors(&draft, &run.workspace.settings.severities);
        match findings.first() {
            None => return Ok(Ok(draft)),
            Some(finding) if usage.rounds > 1 => {
                let why = format!("its answer is not valid: {} [{}]", finding.message, finding.rule);
                return Ok(Err(Failure::Because(why)));
            }
            Some(_) => {
                let many = crate::terminal::ui::count(findings.len(), "rule");
                run.env.tell(&format!("The draft breaks {many}; asking once more."));
                prompt = drafting::again(&question, &body, &findings);
            }
        }
    }
}

fn query(run: &mut Run<'_>, drafter: &Drafter, prompt: &str, until: Instant) -> std::result::Result<Answer, Failure> {
    let failed = |what: &str, why: std::io::Error| Failure::Because(format!("{what}: {why}"));
    let sandbox =
        Sandbox::below(&run.env.temp()).map_err(|why| failed("no place can be made for it to work in", why))?;
    let side = sandbox.files().display().to_string();
    let filled = |text: &str| text.replace("{system}", drafting::SYSTEM).replace("{side}", &side);
    let mut vars = run.env.vars.clone();
    vars.insert("PATH".into(), run.env.search_path().value());
    vars.remove(OsStr::new("PWD"));
    let (args, system, shape) = match drafter.row {
        Some(row) => {
            for (name, text) in row.files {
                sandbox.put(name, &filled(text)).map_err(|why| failed("its files cannot be written", why))?;
            }
            vars.extend(row.vars.iter().map(|(name, value)| ((*name).into(), filled(value).into())));
            for (name, value) in row.defaults {
                vars.entry((*name).into()).or_insert_with(|| (*value).into());
            }
            (drafter.args.iter().map(|arg| filled(arg)).collect(), row.takes_system(), row.shape)
        }
        None => (drafter.args.clone(), false, Shape::Plain),
    };
    let input = if system { prompt.to_owned() } else { drafting::whole_prompt(prompt) };
    let task = Task { program: &drafter.program, args: &args, vars: &vars, input: &input, until };
    let mut next = PROGRESS_EVERY;
    let mut tick = |since: Duration| {
        if since >= next {
            next += PROGRESS_EVERY;
            run.env.tell(&format!("{} is writing ... {} s", printable(&drafter.title), since.as_secs()));
        }
    };
    let (success, stdout, stderr) = match subprocess::run(&sandbox, &task, &mut tick) {
        Ok(Ended::Exited { success, stdout, stderr }) => (success, stdout, stderr),
        Ok(Ended::Late { stderr }) => {
            let limit = run.workspace.settings.draft_timeout.value;
            let said = String::from_utf8_lossy(&stderr).trim().lines().last().unwrap_or_default().to_owned();
            let said = if said.is_empty() { said } else { format!("; its last line: {said}") };
            return Err(Failure::Because(format!("no answer within {limit} seconds{said}")));
        }
        Ok(Ended::TooMuch) => return Err(Failure::Because(format!("it printed more than {} bytes", subprocess::MOST))),
        Ok(Ended::Signal(signal)) => return Err(Failure::Signal(signal)),
        Err(why) => return Err(failed("it cannot be started", why)),
    };
    let Ok(stdout) = String::from_utf8(stdout) else {
        return Err(Failure::Because("its output is not UTF-8".into()));
    };
    let (stderr, last) = (String::from_utf8_lossy(&stderr), sandbox.take("last.md", subprocess::MOST));
    let last = last.ok().and_then(|bytes| String::from_utf8(bytes).ok());
    let output = Output { success, stdout: &stdout, stderr: &stderr, last: last.as_deref() };
    drafting::read(shape, &output).map_err(Failure::Because)
}
