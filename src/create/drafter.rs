//! The drafter: which AI CLI writes a draft, one query to it, and the question at a terminal whether it shall.

use std::time::{Duration, Instant};

use super::{Draft, Run, ask::PromptKind, assignment::assignment, draft::SkillRequest, generate::understand, validate};
use crate::client::drafting::{self, Answer, Line, Origin, Output};
use crate::client::target::{Headless, Shape};
use crate::client::{host::Host, target::drafters};
use crate::config::{self, DraftMode, Origin as SetBy};
use crate::error::Result;
use crate::report::slashed::Slashed;
use crate::skill::printable;
use crate::system::subprocess::{self, Ended, Task};
use crate::terminal::prompt::{self, Question};

/// How often a message says that the CLI is still writing.
const PROGRESS_EVERY: Duration = Duration::from_secs(10);

pub(super) struct Drafter {
    /// Its id; `command` for a configured program.
    pub id: String,
    pub title: String,
    program: std::path::PathBuf,
    args: Vec<String>,
    row: Option<&'static Headless>,
}

pub(super) enum Failure {
    /// The program failed or did not answer.
    Fails(String),
    /// The answer is no usable skill.
    Unusable(String),
    /// It asked questions and nobody is there to answer them.
    Asks(Vec<String>),
    Signal(u8),
}

/// Chooses the drafter. Inside an AI CLI none is started unless it is named.
pub(super) fn choose(run: &Run<'_>, wanted: Option<&str>) -> Result<Drafter, String> {
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
            if !run.settings.draft_command.value.is_empty() {
                return configured(run);
            }
            drafters().find_map(|row| installed(run, row)).ok_or_else(|| {
                let names: Vec<&str> = drafters().map(|row| row.program).collect();
                format!("none of {} is on PATH", names.join(", "))
            })
        }
    }
}

/// Whether an AI CLI that can draft is installed, and the settings do not forbid it.
pub(super) fn can_draft(run: &Run<'_>) -> bool {
    run.settings.draft_mode.value != DraftMode::Never && choose(run, None).is_ok()
}

fn installed(run: &Run<'_>, row: &'static Headless) -> Option<Drafter> {
    let program = run.env.search_path().find_listed(row.program)?;
    let title = run.settings.targets.get(row.id).map_or_else(|| row.id.to_owned(), |target| target.title.clone());
    let args = row.args.iter().map(ToString::to_string).collect();
    Some(Drafter { id: row.id.into(), title, program, args, row: Some(row) })
}

/// The program in the user's own settings; a project's settings cannot name one.
fn configured(run: &Run<'_>) -> Result<Drafter, String> {
    let Some((name, args)) = run.settings.draft_command.value.split_first() else {
        return Err("no `command` is configured in the `[draft]` section of your own config.toml".into());
    };
    let program = run
        .env
        .search_path()
        .find(name)
        .ok_or_else(|| format!("the configured {name:?} is neither on PATH nor an absolute path of a program"))?;
    Ok(Drafter { id: "command".into(), title: name.clone(), program, args: args.to_vec(), row: None })
}

/// The drafter that wrote this draft, if it is still installed.
pub(super) fn who_wrote(run: &Run<'_>, draft: &Draft) -> Option<Drafter> {
    let by = draft.drafted_by.as_deref()?;
    let known = drafters().filter_map(|row| installed(run, row)).chain(configured(run).ok());
    known.into_iter().find(|drafter| drafter.title == by)
}

/// Sends one prompt and reads the answer.
pub(super) fn query(run: &mut Run<'_>, drafter: &Drafter, prompt: &str, until: Instant) -> Result<Answer, Failure> {
    let failed = |what: &str, why: std::io::Error| Failure::Fails(format!("{what}: {why}"));
    let directory = crate::system::private_dir::PrivateDir::below(&run.env.temp())
        .map_err(|why| failed("its working directory cannot be created", why))?;
    let side = directory.files().slashed();
    let filled = |text: &str| text.replace("{system}", drafting::SYSTEM).replace("{side}", &side);
    let mut vars = run.env.vars.clone();
    vars.insert("PATH".into(), run.env.search_path().value());
    vars.remove(std::ffi::OsStr::new("PWD"));
    let (args, system, shape) = match drafter.row {
        Some(row) => {
            for (name, text) in row.files {
                directory.put(name, &filled(text)).map_err(|why| failed("its files cannot be written", why))?;
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
    let (success, stdout, stderr) = match subprocess::run(&directory, &task, &mut tick) {
        Ok(Ended::Exited { success, stdout, stderr }) => (success, stdout, stderr),
        Ok(Ended::Late { stderr }) => {
            let limit = run.settings.draft_timeout.value;
            let said = drafting::said_of_failure(&String::from_utf8_lossy(&stderr));
            let said = said.map(|said| format!("; it says: {said}")).unwrap_or_default();
            return Err(Failure::Fails(format!("no answer within {limit} seconds{said}")));
        }
        Ok(Ended::TooMuch) => return Err(Failure::Fails(format!("it printed more than {} bytes", subprocess::MOST))),
        Ok(Ended::Signal(signal)) => return Err(Failure::Signal(signal)),
        Err(why) => return Err(failed("it cannot be started", why)),
    };
    let Ok(stdout) = String::from_utf8(stdout) else {
        return Err(Failure::Fails("its output is not UTF-8".into()));
    };
    let (stderr, last) = (String::from_utf8_lossy(&stderr), directory.take("last.md", subprocess::MOST));
    let last = last.ok().and_then(|bytes| String::from_utf8(bytes).ok());
    let output = Output { success, stdout: &stdout, stderr: &stderr, last: last.as_deref() };
    drafting::read(shape, &output).map_err(Failure::Fails)
}

/// How many known lines are shown above the question.
const SHOWN: usize = 8;

const ANSWERS: [&str; 4] = ["yes", "no", "always", "never"];

/// Which CLI shall draft: the flag's, or the first one installed if the person agrees. `None`: none.
/// Errors: As every prompt of the wizard: a timeout is not a yes.
pub(super) fn wanted(run: &mut Run<'_>, request: &SkillRequest, first: &Draft) -> Result<Option<Option<String>>> {
    if let Some(flag) = &run.args.draft {
        return Ok(Some(flag.clone()));
    }
    let settled = request.body.is_some() || run.args.template.is_some();
    if settled || !is_asked(run) || !validate::errors(first, &run.settings.severities).is_empty() {
        return Ok(None);
    }
    let Ok(drafter) = choose(run, None) else { return Ok(None) };
    let yes = run.settings.draft_mode.value == DraftMode::Always || ask(run, request, first, &drafter)?;
    Ok(yes.then_some(None))
}

/// Whether the question is asked at all. A file of answers is asked only if the settings say `ask` explicitly:
/// otherwise a newly installed CLI would shift its lines.
fn is_asked(run: &Run<'_>) -> bool {
    let mode = &run.settings.draft_mode;
    match mode.value {
        DraftMode::Never => false,
        DraftMode::Always => run.attended(),
        DraftMode::Ask => run.attended() || (mode.origin != SetBy::Default && run.scripted()),
    }
}

fn ask(run: &mut Run<'_>, request: &SkillRequest, first: &Draft, drafter: &Drafter) -> Result<bool> {
    let understood = understand(run.env, &run.project, request)?;
    let known = assignment(&understood, first, request, &run.skills()).lines;
    show(run, &known);
    let title = printable(&drafter.title);
    let here = if drafter.id == "command" { "configured" } else { "installed" };
    let said = format!(
        "{title} is {here}. Let it draft the skill? It gets the sentence and the facts above through your own account."
    );
    run.env.say(&run.env.err_style().fold(&said, 0));
    // One line of its own, typed: what is sent leaves this machine.
    let question = Question::typed("[Y/n, always, never]", run.wizard_limit(), "--draft");
    for _ in 0..run.env.prompter.attempts() {
        let line = run.ask(PromptKind::Wizard, &question)?;
        let picked = match line.to_lowercase().as_str() {
            "" => 0,
            "n" => 1,
            word => match prompt::choose(word, &ANSWERS) {
                prompt::Choice::Picked(picked) => picked,
                _ => {
                    let wrong = prompt::wrong(&line, &ANSWERS);
                    run.env.say(&format!("{wrong} Answer yes, no, always or never."));
                    continue;
                }
            },
        };
        match picked {
            2 => keep(run, DraftMode::Always),
            3 => keep(run, DraftMode::Never),
            _ => {}
        }
        return Ok(matches!(picked, 0 | 2));
    }
    Err(run.not_understood(PromptKind::Wizard, &question))
}

/// Shows the known lines besides the sentence: those of the author, the house rules and the repository; of packs the
/// number.
fn show(run: &mut Run<'_>, known: &[Line]) {
    let mut own: Vec<&Line> = known.iter().filter(|line| line.origin != Origin::Pack).collect();
    own.sort_by_key(|line| line.origin);
    let packs = known.len() - own.len();
    let style = run.env.err_style();
    let mut text = format!("{}\n", style.rule("Known"));
    for line in own.iter().take(SHOWN) {
        let place = if line.place.is_empty() { String::new() } else { format!(" ({})", line.place) };
        text.push_str(&style.fold(&format!("  {}{place}\n", printable(&line.text)), 4));
    }
    if own.len() > SHOWN {
        text.push_str(&format!("  ... and {} more\n", own.len() - SHOWN));
    }
    let of_packs = format!("  {} of domain packs\n", crate::terminal::ui::count(packs, "checked line"));
    text.push_str(match (own.len(), packs) {
        (0, 0) => "  nothing but the sentence\n",
        (_, 0) => "",
        _ => &of_packs,
    });
    run.env.say(text.trim_end());
}

/// Stores the answer in the user's own settings; if that fails, it applies to this run only, with a warning.
fn keep(run: &mut Run<'_>, mode: DraftMode) {
    let word = mode.word();
    run.settings.draft_mode.value = mode;
    let said = match config::keep(run.env, mode) {
        Ok(path) => format!("Kept: draft.mode = \"{word}\" in {}.", path.slashed()),
        Err(why) => format!("This once only: draft.mode = \"{word}\" could not be kept: {why}."),
    };
    run.env.say(&said);
}
