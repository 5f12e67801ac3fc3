//! The drafter: which AI CLI writes a draft, and one query to it.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::{Draft, Run};
use crate::client::drafting::{self, Answer, Output};
use crate::client::target::{Headless, Shape};
use crate::client::{host::Host, target::drafters};
use crate::config::DraftMode;
use crate::report::slashed::Slashed;
use crate::skill::printable;
use crate::system::private_dir::PrivateDir;
use crate::system::subprocess::{self, Ended, Task};

/// How often a message says that the CLI is still writing.
const PROGRESS_EVERY: Duration = Duration::from_secs(10);

pub(super) struct Drafter {
    /// Its id; `command` for a configured program.
    pub id: String,
    pub title: String,
    program: PathBuf,
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
    let directory =
        PrivateDir::below(&run.env.temp()).map_err(|why| failed("its working directory cannot be created", why))?;
    let side = directory.files().slashed();
    let filled = |text: &str| text.replace("{system}", drafting::SYSTEM).replace("{side}", &side);
    let mut vars = run.env.vars.clone();
    vars.insert("PATH".into(), run.env.search_path().value());
    vars.remove(OsStr::new("PWD"));
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
