//! Help, completions and the manual page, all from the one description of the command line.

use clap::CommandFactory;
use clap::error::ErrorKind;
use serde_json::json;

use crate::cli::{Cli, Refused};
use crate::error::{Code, Error, Result};
use crate::report::Report;

/// What the parser had to say about a command line: help and version are answers, the rest is a usage error.
///
/// # Errors
/// E-USAGE-001 with the usage line.
pub fn usage(refused: &Refused) -> Result<Report> {
    let text = refused.said.render().to_string();
    match refused.said.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => Ok(Report::done(json!({ "text": text }), text)),
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => Err(Error::new(Code::Usage, "a command is missing")
            .suggest("Begin with `hefesto create \"what the skill should do\"`; `hefesto help` lists every command.")
            .usage(usage_line(&text))),
        _ => {
            let parts: Vec<&str> = text.split("\n\n").map(str::trim).filter(|part| !part.is_empty()).collect();
            let message = parts.first().and_then(|first| first.strip_prefix("error: ")).unwrap_or("not understood");
            let tips: Vec<&str> = parts.iter().filter_map(|part| part.strip_prefix("tip: ")).collect();
            let usage = if text.contains("Usage: ") { usage_line(&text) } else { usage_of(refused.verb.as_deref()) };
            // One line: the list that follows a colon on lines of its own follows it there.
            let message = message.split_whitespace().collect::<Vec<_>>().join(" ");
            let error = Error::new(Code::Usage, message).usage(usage);
            Err(match (tips.is_empty(), known(refused.verb.as_deref())) {
                (false, _) => error.suggest(tips.join(" ")),
                (true, Some(verb)) => error.suggest(format!("See `hefesto help {verb}`.")),
                (true, None) => error,
            })
        }
    }
}

/// The word a command was called by, if there is such a command.
fn known(verb: Option<&str>) -> Option<&str> {
    verb.filter(|verb| Cli::command().find_subcommand(verb).is_some())
}

/// The usage of a command whose error names none.
fn usage_of(verb: Option<&str>) -> String {
    let mut root = Cli::command();
    root.build();
    let found = verb.and_then(|verb| root.find_subcommand_mut(verb)).map(|command| command.render_usage().to_string());
    usage_line(&found.unwrap_or_default())
}

fn usage_line(text: &str) -> String {
    let line =
        text.lines().find_map(|line| line.trim().strip_prefix("Usage: ")).unwrap_or("hefesto [OPTIONS] <COMMAND>");
    line.to_owned()
}

/// `hefesto help [COMMAND]…`.
///
/// # Errors
/// E-USAGE-001 for a command there is not.
pub(super) fn help(path: &[String]) -> Result<Report> {
    let mut root = Cli::command();
    root.build();
    let mut command = &mut root;
    for word in path {
        let names: Vec<String> = command.get_subcommands().map(|sub| sub.get_name().to_owned()).collect();
        let Some(found) = command.find_subcommand_mut(word) else {
            let near = nearest(word, &names).map(|name| format!("Did you mean `{name}`? ")).unwrap_or_default();
            return Err(Error::new(Code::Usage, format!("there is no command {word:?}"))
                .suggest(format!("{near}Commands: {}.", names.join(", ")))
                .usage("hefesto help [COMMAND]"));
        };
        command = found;
    }
    let text = command.render_long_help().to_string();
    Ok(Report::done(json!({ "text": text }), text))
}

/// The name nearest to a word, if one is near.
pub(super) fn nearest<'n>(word: &str, names: &'n [String]) -> Option<&'n str> {
    let near = names.iter().map(|name| (strsim::jaro_winkler(word, name), name));
    let best = near.filter(|(score, _)| *score > 0.75).max_by(|a, b| a.0.total_cmp(&b.0));
    best.map(|(_, name)| name.as_str())
}

/// `hefesto completions SHELL`.
///
/// # Errors
/// None.
pub(super) fn completions(shell: clap_complete::Shell) -> Result<Report> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "hefesto", &mut script);
    let text = String::from_utf8_lossy(&script).into_owned();
    Ok(Report::done(json!({ "shell": shell.to_string(), "script": text }), text))
}

/// `hefesto man`.
///
/// # Errors
/// E-BUG-001 when the page cannot be rendered into memory.
pub(super) fn man() -> Result<Report> {
    let mut page = Vec::new();
    clap_mangen::Man::new(Cli::command())
        .render(&mut page)
        .map_err(|error| Error::new(Code::Bug, "the manual page cannot be rendered").because(error))?;
    let text = String::from_utf8_lossy(&page).into_owned();
    Ok(Report::done(json!({ "page": text }), text))
}
