//! The forge for Agent Skills: one sentence in, one validated skill for every AI CLI on the machine out.
//!
//! The public API is [`rules`]: checking the text of a skill in memory. All other modules belong to the program and may
//! change at any time.
//!
//! `docs/architecture.md` describes the modules and their layers.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

#[doc(hidden)]
#[macro_use]
pub mod report;

#[doc(hidden)]
pub mod cli;
#[doc(hidden)]
pub mod client;
#[doc(hidden)]
pub mod command;
#[doc(hidden)]
pub mod config;
#[doc(hidden)]
pub mod create;
#[doc(hidden)]
pub mod error;
#[doc(hidden)]
pub mod memory;
#[doc(hidden)]
pub mod project;
#[doc(hidden)]
pub mod registry;
pub mod rules;
#[doc(hidden)]
pub mod schema;
#[doc(hidden)]
pub mod skill;
#[doc(hidden)]
pub mod system;
#[doc(hidden)]
pub mod terminal;
#[doc(hidden)]
pub mod transaction;

use std::ffi::OsString;
use std::panic;

use crate::report::Slashed;
use crate::system::env::Env;
use crate::system::os::terminal::Source;
use crate::system::os::terminal::is_unicode;
use cli::{Cli, Color, Command};
use error::{Code, Coded, Error, Exit, Result};
use report::{Form, Report};

/// The program as the operating system starts it.
#[expect(clippy::exit, reason = "a panic ends the program with an exit code of its own")]
pub fn start(args: impl IntoIterator<Item = OsString>) -> Exit {
    let args: Vec<OsString> = args.into_iter().collect();
    system::os::process::outlive_file_limit();
    let json = asks_for_json(&args);
    panic::set_hook(Box::new(move |panic| {
        terminal::prompt::release();
        let mut env = Env::system();
        env.json = json;
        std::process::exit(bug(&mut env, &panic.to_string()).number().into());
    }));
    let mut env = Env::system();
    #[cfg(debug_assertions)]
    env.var("HEFESTO_FAILPOINT").map(transaction::failpoint::arm);
    match env.var(command::COMPLETION_VARIABLE).map(str::to_owned) {
        Some(shell) => command::complete(&mut env, &shell, &args),
        None => run(args, &mut env),
    }
}

/// Reports a panic as a bug, with its code, its place and exit 70. The next command recovers an interrupted write, as
/// after any crash.
fn bug(env: &mut Env, panic: &str) -> Exit {
    let message = format!("something impossible happened: {}", panic.replace('\n', " "));
    show(env, "hefesto", Err(Error::new(Code::Bug, message)))
}

/// The whole program: arguments in, exit out. Everything it prints goes through `env`.
pub fn run(args: impl IntoIterator<Item = OsString>, env: &mut Env) -> Exit {
    let args: Vec<OsString> = args.into_iter().collect();
    env.json = asks_for_json(&args);
    let (command, outcome) = match Cli::read(&args) {
        Ok(cli) => {
            let name = cli.verb.clone();
            let outcome = prepare(env, &cli).and_then(|()| command::run(env, cli));
            (name, outcome.map(|report| outlived(env, report)))
        }
        Err(refused) => {
            set_style(env, Color::Auto);
            match command::usage(&refused) {
                Ok(report) => ("help".to_owned(), Ok(report)),
                Err(error) => (refused.path.into_iter().next().unwrap_or_else(|| "hefesto".to_owned()), Err(error)),
            }
        }
    };
    show(env, &command, outcome)
}

/// If a signal arrived too late to stop anything, says so before the program ends by the signal.
fn outlived(env: &mut Env, report: Report) -> Report {
    let Some(signal) = env.late.as_ref().and_then(terminal::signal::Watch::received) else { return report };
    let message = "A signal arrived when the changes were committed already; all of them were completed.";
    env.note(error::Warning::new(Code::SignalLate, message));
    report.exit(Exit::Signal(signal))
}

/// Applies the global flags: clock, colour, volume, source of answers.
#[expect(clippy::disallowed_methods, reason = "access to a file of answers")]
fn prepare(env: &mut Env, cli: &Cli) -> Result<()> {
    let global = &cli.global;
    env.global = global.user;
    env.volume = i8::from(global.verbose) - i8::from(global.quiet);
    set_style(env, global.color);
    env.pages = env.out_is_terminal && cli.command.is_listing() && !global.no_pager && env.var("TERM") != Some("dumb");
    env.set_clock()?;
    let body_from_input = matches!(&cli.command, Command::Create(args) if args.body.as_deref() == Some("-"));
    let answers = match global.answers.as_deref() {
        Some("-") if body_from_input => {
            return Err(Error::new(Code::Usage, "`--answers -` and `--body -` both read standard input")
                .suggest("Put one of them into a file."));
        }
        Some("-") => Some(Source::own_stdin().coded(Code::Io, "standard input cannot be read")?),
        Some(file) => {
            let path = env.cwd.join(file);
            Some(std::fs::File::open(&path).coded(Code::Io, format!("{} cannot be read", path.slashed()))?.into())
        }
        None => None,
    };
    env.set_prompter(answers, global.no_input || body_from_input);
    Ok(())
}

fn asks_for_json(args: &[OsString]) -> bool {
    args.iter().skip(1).take_while(|arg| *arg != "--").any(|arg| arg == "--json")
}

/// Decides colours, marks and widths, for each stream by itself.
fn set_style(env: &mut Env, color: Color) {
    let capable = env.var("TERM") != Some("dumb");
    let forced = env.var("CLICOLOR_FORCE").is_some_and(|value| value != "0");
    let wanted = |terminal: bool| match color {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => forced || terminal && capable,
    };
    let never = env.var("NO_COLOR").is_some() || env.json;
    let (out, err) = (!never && wanted(env.out_is_terminal), !never && wanted(env.err_is_terminal));
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(|name| env.var(name)).unwrap_or_default();
    env.style.unicode = is_unicode(locale);
    env.set_look(out, err);
}

/// Prints the answer of a command, once. An answer that cannot be written is an error, unless the reader closed the
/// stream.
fn show(env: &mut Env, command: &str, outcome: Result<Report>) -> Exit {
    let exit = print(env, command, outcome);
    let Some(why) = env.unwritten.take() else { return exit };
    let error = Error::new(Code::Io, "the answer cannot be written to standard output").because(why);
    let text = env.err_style().error(&error);
    env.say(text.trim_end());
    if exit == Exit::Done { error.exit_with() } else { exit }
}

fn print(env: &mut Env, command: &str, outcome: Result<Report>) -> Exit {
    let outcome = outcome.map_err(|error| {
        let suggestion = env.spelled(error.suggestion().to_owned());
        if suggestion == error.suggestion() { error } else { error.suggest(suggestion) }
    });
    let exit = match &outcome {
        Ok(report) => report.exit,
        Err(error) => error.exit_with(),
    };
    if env.json {
        let text = terminal::ui::json(command, outcome, env.notes(), env.other_root());
        env.emit(&text, Form::Json);
        return exit;
    }
    match outcome {
        Ok(report) => {
            let text = if report.form == Form::Json { report.text } else { env.style.fold(&report.text, 2) };
            let long = env.pages && env.rows().is_some_and(|rows| text.lines().count() >= rows);
            let pager = env.var("HEFESTO_PAGER").or_else(|| env.var("PAGER"));
            if !(long && terminal::pager::page(&env.style.seal.visible(&text), pager, &env.search_path())) {
                env.emit(&text, report.form);
            }
            if let Some(hint) = report.hint {
                env.tell(&hint);
            }
        }
        Err(error) => {
            let text = env.err_style().error(&error);
            env.say(text.trim_end());
        }
    }
    exit
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_a_bug() {
        let mut env = Env::made("/".into(), &[], jiff::Timestamp::UNIX_EPOCH);
        assert_eq!(bug(&mut env, "panicked at src/lib.rs:1:\nby hand"), Exit::Bug);
    }
}
