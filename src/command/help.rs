//! `help` and `man`: help and manual pages, rendered from the command-line definition.

use clap::error::{ContextKind, ErrorKind};
use serde_json::{Value, json};

use crate::cli::{Cli, Refused};
use crate::error::{Code, Error, Result};
use crate::report::{Form, Report};

/// The commit the program was built from, set by `dist/build` only.
const COMMIT: Option<&str> = option_env!("HEFESTO_COMMIT");
/// The target triple, set by `dist/build`.
const TARGET: Option<&str> = option_env!("HEFESTO_TARGET");

const FEATURES: &[&str] = &[
    #[cfg(feature = "redis")]
    "redis",
    #[cfg(feature = "exact-tokens")]
    "exact-tokens",
];

/// Which build this is: the lines below the version, and the same for a machine.
fn build() -> (String, Value) {
    let here = || format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS);
    let target = TARGET.map_or_else(here, str::to_owned);
    let features = if FEATURES.is_empty() { "none".to_owned() } else { FEATURES.join(", ") };
    let text = format!("commit: {}\ntarget: {target}\nfeatures: {features}\n", COMMIT.unwrap_or("unknown"));
    let version = env!("CARGO_PKG_VERSION");
    (text, json!({ "version": version, "commit": COMMIT, "target": target, "features": FEATURES }))
}

/// Turns the parser's refusal of a command line into an answer (help, version) or a usage error.
/// Errors: E-USAGE-001 with the usage line.
pub fn usage(refused: &Refused) -> Result<Report> {
    let text = refused.said.render().to_string();
    let verb = refused.path.first().map(String::as_str);
    match refused.said.kind() {
        ErrorKind::DisplayVersion if refused.verbose => {
            let (lines, build) = build();
            let text = text + &lines;
            Ok(Report::done(json!({ "text": text, "build": build }), text))
        }
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => Ok(Report::done(json!({ "text": text }), text)),
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => match verb {
            Some(verb) => Err(without_command(verb, &text)),
            None => Err(Error::new(Code::Usage, "a command is missing").suggest(SHORT)),
        },
        ErrorKind::InvalidSubcommand => Err(unknown_command(refused, &text)),
        _ => Err(refusal(refused, &text)),
    }
}

fn refusal(refused: &Refused, text: &str) -> Error {
    let kind = refused.said.kind();
    let parts: Vec<&str> = text.split("\n\n").map(str::trim).filter(|part| !part.is_empty()).collect();
    let message = parts.first().and_then(|first| first.strip_prefix("error: ")).unwrap_or("not understood");
    // The parser's own usage names the option that it takes for the one meant.
    let shown = text.contains("Usage: ") && kind != ErrorKind::UnknownArgument;
    let usage = if shown { usage_line(text) } else { usage_of(&refused.path) };
    // On one line: a list after a colon is joined to it.
    let message = message.split_whitespace().collect::<Vec<_>>().join(" ").replace("..=", " to ");
    let message = message.replace("invalid digit found in string", "it is no whole number");
    let error = Error::new(Code::Usage, message).usage(usage.as_str());
    let path = refused.path.join(" ");
    if kind == ErrorKind::UnknownArgument {
        let word = refused.said.get(ContextKind::InvalidArg).map(ToString::to_string).unwrap_or_default();
        return match unknown_argument(refused, &path, &word) {
            Some(cure) => error.suggest(cure),
            None if path.is_empty() => error,
            None => error.suggest(format!("See `hefesto help {path}`.")),
        };
    }
    let tips: Vec<String> = parts.iter().filter_map(|part| part.strip_prefix("tip: ")).map(question).collect();
    match (tips.is_empty(), path.is_empty()) {
        (false, _) => error.suggest(tips.join(" ")),
        (true, false) if kind == ErrorKind::MissingRequiredArgument => error.suggest(to_type(&path, &usage)),
        (true, false) => error.suggest(format!("See `hefesto help {path}`.")),
        (true, true) => error,
    }
}

/// Options that other commands or programs have, and ours.
const OPTIONS: &[(&str, &str)] = &[
    ("--target", "--cli"),
    ("--client", "--cli"),
    ("--targets", "--target"),
    ("--preview", "--dry-run"),
    ("--output", "--out"),
    ("--force", "--yes"),
];

/// Commands that take one text in words, what it is, and one that would do.
const TEXTS: &[(&str, &str, &str)] = &[
    ("create", "description", "what the skill should do"),
    ("match", "prompt", "is this CSV file clean?"),
    ("facts", "sentence", "find flaky tests"),
    ("memory search", "words", "pull requests"),
    ("memory fifo search", "words", "pull requests"),
];

/// What to do about an argument that the command does not know.
fn unknown_argument(refused: &Refused, path: &str, word: &str) -> Option<String> {
    let text = TEXTS.iter().find(|(command, ..)| *command == path);
    if !word.starts_with('-') {
        return text.map(|(_, what, text)| format!("Put the {what} into quotes: `hefesto {path} \"{text}\"`."));
    }
    let root = Cli::described();
    let command = refused.path.iter().try_fold(&root, |at, word| at.find_subcommand(word)).unwrap_or(&root);
    let has = |option: &str| command.get_arguments().any(|arg| arg.get_long() == option.strip_prefix("--"));
    let ours = OPTIONS.iter().find(|(other, ours)| *other == word && has(ours)).map(|(_, ours)| (*ours).to_owned());
    let near = || {
        let longs: Vec<String> = command.get_arguments().filter_map(|arg| arg.get_long()).map(str::to_owned).collect();
        let long = word.strip_prefix("--")?;
        nearest(long, &longs).map(|near| format!("--{near}"))
    };
    match ours.or_else(near) {
        Some(option) => Some(format!("Did you mean `{option}`?")),
        None => {
            text.map(|_| format!("A text that begins with `-` comes after `--`: `hefesto {path} -- \"{word} ...\"`."))
        }
    }
}

/// What to type where an argument is missing, and where its values are listed.
fn to_type(path: &str, usage: &str) -> String {
    let listed = match path {
        "add" | "delete" | "diff" | "edit" | "grade" | "log" | "pack" | "rename" | "show" => {
            "`hefesto list` names the skills".to_owned()
        }
        "adopt" => "`hefesto list --check-sync` names the skills that are not registered".to_owned(),
        "restore" => "`hefesto backups` lists what can be brought back".to_owned(),
        "templates show" => "`hefesto templates list` names the templates".to_owned(),
        _ => format!("see `hefesto help {path}`"),
    };
    format!("Type `{}`; {listed}.", usage.replace(['<', '>'], ""))
}

/// The parser's tip on a near match as a question; any other tip unchanged.
fn question(tip: &str) -> String {
    let near = tip.strip_prefix("a similar ").and_then(|rest| rest.split_once(" exists: '"));
    near.and_then(|(_, near)| near.strip_suffix('\''))
        .map_or_else(|| tip.to_owned(), |near| format!("Did you mean `{near}`?"))
}

/// The text of `hefesto` without arguments.
const SHORT: &str = "\
Begin with `hefesto create \"what the skill should do\"`.
  hefesto list            the skills here; `hefesto show NAME` shows one
  hefesto validate        check them
  hefesto undo            take back the last change
  hefesto detect          which AI CLIs are here
  hefesto help [COMMAND]  every command, every option, examples";

fn without_command(verb: &str, text: &str) -> Error {
    let usage = usage_line(text);
    let (words, names) = group(&usage);
    let (path, names) = if words.is_empty() { (verb.to_owned(), Vec::new()) } else { (words.join(" "), names) };
    Error::new(Code::Usage, format!("`hefesto {path}` needs a command"))
        .suggest(format!("Commands: {}. `hefesto help {path}` describes them.", names.join(", ")))
        .usage(usage)
}

/// The groups that a usage names, as `hefesto memory fifo [OPTIONS] <COMMAND>` does, and the commands in the last.
fn group(usage: &str) -> (Vec<&str>, Vec<String>) {
    let words: Vec<&str> = usage.split(' ').skip(1).take_while(|word| !word.starts_with(['[', '<'])).collect();
    let whole = Cli::described();
    let group = words.iter().try_fold(&whole, |group, word| group.find_subcommand(word)).unwrap_or(&whole);
    (words, names(group))
}

fn names(command: &clap::Command) -> Vec<String> {
    command.get_subcommands().map(|command| command.get_name().to_owned()).collect()
}

/// Names of commands in other programs, and ours.
const ELSEWHERE: &[(&str, &str)] = &[
    ("remove", "delete"),
    ("uninstall", "delete"),
    ("del", "delete"),
    ("add", "create"),
    ("make", "create"),
    ("generate", "create"),
    ("install", "create"),
    ("check", "validate"),
    ("lint", "validate"),
    ("revert", "undo"),
];

fn unknown_command(refused: &Refused, text: &str) -> Error {
    let word = refused.said.get(ContextKind::InvalidSubcommand).map(ToString::to_string).unwrap_or_default();
    let usage = usage_line(text);
    let (words, names) = group(&usage);
    let elsewhere = ELSEWHERE.iter().find(|(known, _)| *known == word).map(|(_, here)| *here);
    let near = elsewhere.filter(|here| names.iter().any(|name| name == here)).or_else(|| nearest(&word, &names));
    let path = words.iter().map(|word| format!("{word} ")).collect::<String>();
    let near = near.map(|near| format!("Did you mean `hefesto {path}{near}`? ")).unwrap_or_default();
    let help = format!("hefesto help {path}");
    Error::new(Code::Usage, format!("there is no command {word:?}"))
        .suggest(format!("{near}`{}` lists the commands.", help.trim_end()))
        .usage(usage)
}

/// The usage of a command, for errors without one.
fn usage_of(path: &[String]) -> String {
    let mut root = Cli::built();
    let found = path.iter().try_fold(&mut root, |at, word| at.find_subcommand_mut(word));
    usage_line(&found.map(|command| command.render_usage().to_string()).unwrap_or_default())
}

fn usage_line(text: &str) -> String {
    let line =
        text.lines().find_map(|line| line.trim().strip_prefix("Usage: ")).unwrap_or("hefesto [OPTIONS] <COMMAND>");
    line.to_owned()
}

/// `hefesto help [COMMAND]…`. Errors: E-USAGE-001 for an unknown command.
pub(super) fn help(path: &[String]) -> Result<Report> {
    let mut root = Cli::described();
    let text = found(&mut root, path, "hefesto help [COMMAND]")?.render_long_help().to_string();
    Ok(Report::done(json!({ "text": text }), text))
}

fn found<'c>(root: &'c mut clap::Command, path: &[String], usage: &str) -> Result<&'c mut clap::Command> {
    let mut command = root;
    for word in path {
        let names = names(command);
        command = command.find_subcommand_mut(word).ok_or_else(|| {
            let near = nearest(word, &names).map(|name| format!("Did you mean `{name}`? ")).unwrap_or_default();
            Error::new(Code::Usage, format!("there is no command {word:?}"))
                .suggest(format!("{near}Commands: {}.", names.join(", ")))
                .usage(usage)
        })?;
    }
    Ok(command)
}

/// A command by its own names where it is given by others, such as `add` for `adapt`.
pub(super) fn called(path: &[String]) -> String {
    let whole = Cli::described();
    let mut at = Some(&whole);
    let own = path.iter().map(|word| {
        at = at.and_then(|command| command.find_subcommand(word));
        at.map_or(word.as_str(), clap::Command::get_name).to_owned()
    });
    own.collect::<Vec<_>>().join(" ")
}

/// The most similar name, if one is similar enough.
pub(super) fn nearest<'n>(word: &str, names: &'n [String]) -> Option<&'n str> {
    let near = names.iter().map(|name| (strsim::jaro_winkler(word, name), name));
    let best = near.filter(|(score, _)| *score > 0.75).max_by(|a, b| a.0.total_cmp(&b.0));
    best.map(|(_, name)| name.as_str())
}

/// `hefesto man [COMMAND]…`.
/// Errors: E-USAGE-001 for an unknown command; E-BUG-001 when the page cannot be rendered into memory.
pub(super) fn man(path: &[String]) -> Result<Report> {
    let mut page = Vec::new();
    let mut root = Cli::described();
    let command = found(&mut root, path, "hefesto man [COMMAND]")?.clone();
    clap_mangen::Man::new(command)
        .render(&mut page)
        .map_err(|error| Error::new(Code::Bug, "the manual page cannot be rendered").because(error))?;
    let text = String::from_utf8_lossy(&page).into_owned();
    Ok(Report::done(json!({ "page": text }), text).form(Form::Exact))
}
