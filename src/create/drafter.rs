//! P2's scribe: has an installed AI CLI write the sections, and falls back to the template's whenever that fails.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::json;

use super::draft::Brief;
use super::{Draft, Run, brief, generate, validate};
use crate::client::drafting::{self, Answer, Output};
use crate::client::host::Host;
use crate::client::target::headless::{HEADLESS, Headless, Shape};
use crate::error::{Code, Error, Exit, Result, Warning};
use crate::rules::input::{self, Field};
use crate::rules::secrets;
use crate::skill::printable;
use crate::system::subprocess::{self, Desk, Ended, Task};

/// How often it is said that the CLI is still writing.
const TELL: Duration = Duration::from_secs(10);

/// The program that is asked.
struct Scribe {
    /// Its id, `command` for the configured one.
    id: String,
    title: String,
    program: PathBuf,
    args: Vec<String>,
    row: Option<&'static Headless>,
}

/// Why a question brought nothing.
enum Failure {
    /// A reason for the person.
    Told(String),
    Signal(u8),
}

/// What all questions together came to.
#[derive(Default)]
struct Bill {
    rounds: u32,
    cost: Option<f64>,
}

/// Puts a drafted skill in place of the first one. Without a draft that can be used it stays, and WARN-030 says why.
///
/// # Errors
/// E-SIGNAL-001 on a signal; a template that does not render.
pub(super) fn improve(run: &mut Run<'_>, brief: &Brief, first: Draft, wanted: Option<&str>) -> Result<Draft> {
    if !validate::errors(&first, &run.settings.severities).is_empty() {
        return Ok(first); // no body could mend that: P3 says what it is
    }
    let scribe = match chosen(run, wanted) {
        Ok(scribe) => scribe,
        Err(why) => return Ok(without(run, first, &why)),
    };
    let (watch, mut bill) = (run.env.watch(), Bill::default());
    let drafted = write(run, brief, &first, &scribe, &mut bill);
    let used = matches!(&drafted, Ok(Ok(_)));
    run.details.insert(
        "draft".into(),
        json!({ "by": scribe.id, "used": used, "rounds": bill.rounds, "ms": watch.ms(), "cost_usd": bill.cost }),
    );
    match drafted? {
        Ok(draft) => Ok(draft),
        Err(Failure::Told(why)) => Ok(without(run, first, &format!("{}: {}", scribe.title, told(&why)))),
        Err(Failure::Signal(signal)) => {
            run.decision = "interrupted";
            Err(Error::new(Code::Interrupted, "interrupted while the draft was written; no changes made")
                .exit(Exit::Signal(signal))
                .suggest("Nothing was changed; taken up again, the run goes on with the template's text."))
        }
    }
}

/// Says why there is no draft.
fn without(run: &mut Run<'_>, first: Draft, why: &str) -> Draft {
    run.env.note(Warning::new(Code::DraftFailed, format!("{why}. The template's text is used instead.")));
    let draft = run.details.entry("draft").or_insert_with(|| json!({ "used": false }));
    draft["why"] = json!(why);
    Draft { undrafted: Some(why.to_owned()), ..first }
}

/// What a foreign program says, as it can be shown: one short line, and never a credential.
fn told(why: &str) -> String {
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

/// Who is asked. Nothing is started where this runs inside an AI CLI, unless it is named.
fn chosen(run: &Run<'_>, wanted: Option<&str>) -> std::result::Result<Scribe, String> {
    match wanted {
        Some("command") => command(run),
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
            if !run.settings.draft_command.value.is_empty() {
                return command(run);
            }
            HEADLESS.iter().find_map(|row| installed(run, row)).ok_or_else(|| {
                let names: Vec<&str> = HEADLESS.iter().map(|row| row.program).collect();
                format!("none of {} is on PATH", names.join(", "))
            })
        }
    }
}

fn installed(run: &Run<'_>, row: &'static Headless) -> Option<Scribe> {
    let program = run.env.search_path().find(row.program)?;
    let title = run.settings.targets.get(row.id).map_or_else(|| row.id.to_owned(), |target| target.title.clone());
    let args = row.args.iter().map(ToString::to_string).collect();
    Some(Scribe { id: row.id.into(), title, program, args, row: Some(row) })
}

/// The program that the user configured; a project's file cannot.
fn command(run: &Run<'_>) -> std::result::Result<Scribe, String> {
    let Some((name, args)) = run.settings.draft_command.value.split_first() else {
        return Err("no `command` is configured in the `[draft]` section of your own config.toml".into());
    };
    let program = run
        .env
        .search_path()
        .find(name)
        .ok_or_else(|| format!("the configured {name:?} is neither on PATH nor an absolute path of a program"))?;
    Ok(Scribe { id: "command".into(), title: name.clone(), program, args: args.to_vec(), row: None })
}

/// Asks, checks the answer, and asks once more with what is wrong with it.
fn write(
    run: &mut Run<'_>,
    brief: &Brief,
    first: &Draft,
    scribe: &Scribe,
    bill: &mut Bill,
) -> Result<std::result::Result<Draft, Failure>> {
    let limit = run.settings.draft_timeout.value;
    let until = Instant::now() + Duration::from_secs(limit.into());
    run.env.tell(&format!(
        "Asking {} for a draft (at most {limit} s); what you gave and what is known here are sent to it.",
        printable(&scribe.title)
    ));
    let question = brief::assignment(run.env, &run.project, &run.settings, first, brief, &run.told).text();
    let mut prompt = question.clone();
    loop {
        bill.rounds += 1;
        let answer = match ask(run, scribe, &prompt, until) {
            Ok(answer) => answer,
            Err(failure) => return Ok(Err(failure)),
        };
        if let Some(cost) = answer.cost {
            bill.cost = Some(bill.cost.unwrap_or(0.0) + cost);
        }
        let body = match drafting::body(&answer.text) {
            Ok(body) => body,
            Err(why) => return Ok(Err(Failure::Told(why.to_string()))),
        };
        if let Some(refusal) = input::refuse(&body, Field::Body) {
            return Ok(Err(Failure::Told(format!("its answer is refused under {}", refusal.kind))));
        }
        let by = (scribe.title.as_str(), body.as_str());
        let draft = generate::compose(run.env, &run.project, &run.settings, brief, Some(by))?;
        let findings = validate::errors(&draft, &run.settings.severities);
        match findings.first() {
            None => return Ok(Ok(draft)),
            Some(finding) if bill.rounds > 1 => {
                let why = format!("its answer is not valid: {} [{}]", finding.message, finding.rule);
                return Ok(Err(Failure::Told(why)));
            }
            Some(_) => {
                let many = crate::terminal::ui::count(findings.len(), "rule");
                run.env.tell(&format!("The draft breaks {many}; asking once more."));
                prompt = drafting::again(&question, &body, &findings);
            }
        }
    }
}

fn ask(run: &mut Run<'_>, scribe: &Scribe, prompt: &str, until: Instant) -> std::result::Result<Answer, Failure> {
    let failed = |what: &str, why: std::io::Error| Failure::Told(format!("{what}: {why}"));
    let desk = Desk::below(&run.env.temp()).map_err(|why| failed("no place can be made for it to work in", why))?;
    let side = desk.side().display().to_string();
    let filled = |text: &str| text.replace("{system}", drafting::SYSTEM).replace("{side}", &side);
    let mut vars = run.env.vars.clone();
    vars.insert("PATH".into(), run.env.search_path().value());
    vars.remove(OsStr::new("PWD"));
    let (args, system, shape) = match scribe.row {
        Some(row) => {
            for (name, text) in row.files {
                desk.put(name, &filled(text)).map_err(|why| failed("its files cannot be written", why))?;
            }
            vars.extend(row.vars.iter().map(|(name, value)| ((*name).into(), filled(value).into())));
            (scribe.args.iter().map(|arg| filled(arg)).collect(), row.takes_system(), row.shape)
        }
        None => (scribe.args.clone(), false, Shape::Plain),
    };
    let input = if system { prompt.to_owned() } else { drafting::whole_prompt(prompt) };
    let task = Task { program: &scribe.program, args: &args, vars: &vars, input: &input, until };
    let mut next = TELL;
    let mut tick = |since: Duration| {
        if since >= next {
            next += TELL;
            run.env.tell(&format!("{} is writing ... {} s", printable(&scribe.title), since.as_secs()));
        }
    };
    let (success, stdout, stderr) = match subprocess::run(&desk, &task, &mut tick) {
        Ok(Ended::Exited { success, stdout, stderr }) => (success, stdout, stderr),
        Ok(Ended::Late) => {
            let limit = run.settings.draft_timeout.value;
            return Err(Failure::Told(format!("no answer within {limit} seconds")));
        }
        Ok(Ended::TooMuch) => return Err(Failure::Told(format!("it printed more than {} bytes", subprocess::MOST))),
        Ok(Ended::Signal(signal)) => return Err(Failure::Signal(signal)),
        Err(why) => return Err(failed("it cannot be started", why)),
    };
    let Ok(stdout) = String::from_utf8(stdout) else {
        return Err(Failure::Told("its output is not UTF-8".into()));
    };
    let (stderr, last) = (String::from_utf8_lossy(&stderr), desk.take("last.md"));
    let output = Output { success, stdout: &stdout, stderr: &stderr, last: last.as_deref() };
    drafting::read(shape, &output).map_err(Failure::Told)
}
