//! Reads a command line with no more of its description than the line needs.
//!
//! The whole description holds some hundred arguments; to build it takes longer than to check a skill. Almost every line
//! is right and names one command, so the description of that command alone is built first. What it reads, the whole one
//! reads the same way: it knows the same flags, and a word it takes for a command is one. A line that it cannot read is
//! read again with everything, and only that is asked for help, near misses and errors.

use std::ffi::OsString;

use clap::error::ErrorKind;
use clap::{Args, CommandFactory, FromArgMatches, Subcommand};

use super::memory::{self, stm::Stm};
use super::{
    Backups, Cli, Create, Delete, Detect, Facts, Fifo, Global, Grade, Init, List, Match, Memory, Ooda, Restore, Resume,
    Ring, Runs, Show, Templates, Turn, Undo, Validate,
};

/// A line that is no command: a wrong one, or one that asks for help or for the version.
#[derive(Debug)]
pub struct Refused {
    /// What the parser has to say.
    pub said: clap::Error,
    /// The command that was meant, as far as the words tell: the first one that is a command's name. Not looked for
    /// where the version is asked for.
    pub verb: Option<String>,
}

impl Cli {
    /// Reads the arguments, the program's name first.
    ///
    /// # Errors
    /// What the parser has to say about them.
    pub fn read(args: &[OsString]) -> Result<Self, Refused> {
        let mut part = part(args);
        match parsed(&mut part, args) {
            Ok(cli) => return Ok(cli),
            Err(said) if said.kind() == ErrorKind::DisplayVersion => return Err(Refused { said, verb: None }),
            Err(_) => {}
        }
        let mut whole = Self::described();
        parsed(&mut whole, args).map_err(|said| Refused { said, verb: verb(&whole, args) })
    }
}

impl Cli {
    /// The whole description. The help of a command shows its own options, and names the global ones in one line.
    #[must_use]
    pub fn described() -> clap::Command {
        let mut whole = Self::command();
        whole.build();
        whole.mut_subcommands(own_options)
    }
}

fn own_options(command: clap::Command) -> clap::Command {
    let global = command.get_arguments().filter(|arg| arg.is_global_set());
    let named: Vec<String> = global.filter_map(|arg| arg.get_long()).map(|long| format!("--{long}")).collect();
    let command = command.mut_args(|arg| if arg.is_global_set() { arg.hide(true) } else { arg });
    let command = match named.is_empty() {
        true => command,
        false => command.after_help(format!("Global options (see `hefesto help`): {}", named.join(" "))),
    };
    command.mut_subcommands(own_options)
}

fn parsed(description: &mut clap::Command, args: &[OsString]) -> Result<Cli, clap::Error> {
    let mut matches = description.try_get_matches_from_mut(args)?;
    Cli::from_arg_matches_mut(&mut matches).map_err(|error| error.format(description))
}

fn verb(whole: &clap::Command, args: &[OsString]) -> Option<String> {
    let words = args.iter().skip(1).take_while(|arg| *arg != "--").filter_map(|arg| arg.to_str());
    words.filter_map(|word| whole.find_subcommand(word)).map(|found| found.get_name().to_owned()).next()
}

/// A command, or a group of them, that can be described alone.
struct Row {
    name: &'static str,
    /// Enters its arguments, and the commands below it.
    fill: fn(clap::Command) -> clap::Command,
    /// The commands below it that can be described alone in their turn.
    below: &'static [Row],
}

const fn row(name: &'static str, fill: fn(clap::Command) -> clap::Command) -> Row {
    Row { name, fill, below: &[] }
}

/// The commands. One that is not here is read with the whole description.
const COMMANDS: &[Row] = &[
    row("create", Create::augment_args),
    row("init", Init::augment_args),
    row("detect", Detect::augment_args),
    row("validate", Validate::augment_args),
    row("grade", Grade::augment_args),
    row("facts", Facts::augment_args),
    row("match", Match::augment_args),
    row("list", List::augment_args),
    row("show", Show::augment_args),
    row("delete", Delete::augment_args),
    row("restore", Restore::augment_args),
    row("backups", Backups::augment_args),
    row("undo", Undo::augment_args),
    row("resume", Resume::augment_args),
    row("approve", Resume::augment_args),
    row("runs", Runs::augment_args),
    row("recover", nothing),
    row("repair", nothing),
    row("templates", group::<Templates>),
    Row { name: "memory", fill: group::<Memory>, below: MEMORY },
    row("config", nothing),
];

const MEMORY: &[Row] = &[
    row("inspect", memory::Inspect::augment_args),
    row("search", memory::Search::augment_args),
    row("timeline", memory::Timeline::augment_args),
    row("tail", memory::Tail::augment_args),
    row("doctor", nothing),
    row("prune", memory::Prune::augment_args),
    row("vacuum", nothing),
    row("export", memory::Export::augment_args),
    row("import", memory::Import::augment_args),
    row("delete", memory::Delete::augment_args),
    row("redact", memory::Redact::augment_args),
    row("repair", nothing),
    row("fifo", group::<Fifo>),
    row("ring", group::<Ring>),
    row("ooda", group::<Ooda>),
    row("stm", group::<Stm>),
    row("turn", group::<Turn>),
];

fn nothing(command: clap::Command) -> clap::Command {
    command
}

fn group<T: Subcommand>(command: clap::Command) -> clap::Command {
    asking(T::augment_subcommands(command))
}

/// One of the commands below has to be named.
fn asking(command: clap::Command) -> clap::Command {
    command.subcommand_required(true).arg_required_else_help(true)
}

/// What every line needs, and the one command it seems to name.
fn part(args: &[OsString]) -> clap::Command {
    let root = clap::Command::new("hefesto").version(env!("CARGO_PKG_VERSION")).propagate_version(true);
    let root = asking(Global::augment_args(root.disable_help_subcommand(true)));
    let mut words = args.iter().skip(1).filter_map(|arg| arg.to_str());
    match named(COMMANDS, &mut words) {
        Some(command) => root.subcommand(command),
        None => root,
    }
}

/// The first of these commands that the words name, with what is below it.
fn named<'a>(rows: &[Row], words: &mut impl Iterator<Item = &'a str>) -> Option<clap::Command> {
    let row = words.find_map(|word| rows.iter().find(|row| row.name == word))?;
    let command = clap::Command::new(row.name);
    Some(match named(row.below, words) {
        Some(below) => asking(command.subcommand(below)),
        None => (row.fill)(command),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What of a description decides how a line is read.
    fn shape(command: &clap::Command) -> String {
        let args: Vec<_> = command.get_arguments().collect();
        // A command whose only field is the command below it has a group of no arguments, which asks for nothing.
        let groups: Vec<_> = command.get_groups().filter(|group| group.get_args().next().is_some()).collect();
        let below: Vec<_> = command.get_subcommands().map(shape).collect();
        let asks = (command.is_subcommand_required_set(), command.is_arg_required_else_help_set());
        let name = command.get_name();
        format!("{name:?} {asks:?} {args:?} {groups:?} {below:?}")
    }

    fn rows_are_as_described(rows: &[Row], whole: &clap::Command) {
        for row in rows {
            let described = whole.find_subcommand(row.name).unwrap_or_else(|| panic!("{} is no command", row.name));
            assert_eq!(shape(&(row.fill)(clap::Command::new(row.name))), shape(described));
            rows_are_as_described(row.below, described);
            let alone = named(std::slice::from_ref(row), &mut [row.name].into_iter()).unwrap();
            assert_eq!(shape(&alone), shape(described));
        }
    }

    #[test]
    fn a_part_of_the_description_is_as_in_the_whole() {
        let whole = Cli::command();
        rows_are_as_described(COMMANDS, &whole);
        let root = part(&[]);
        let flags = |command: &clap::Command| format!("{:?}", command.get_arguments().collect::<Vec<_>>());
        assert_eq!(flags(&root), flags(&whole));
        let settings = |command: &clap::Command| {
            (
                command.get_name().to_owned(),
                command.get_version().map(str::to_owned),
                command.is_propagate_version_set(),
                command.is_disable_help_subcommand_set(),
                command.is_subcommand_required_set(),
                command.is_arg_required_else_help_set(),
                command.is_allow_external_subcommands_set(),
                command.is_args_conflicts_with_subcommands_set(),
                command.is_subcommand_precedence_over_arg_set(),
            )
        };
        assert_eq!(settings(&root), settings(&whole));
    }

    fn args(line: &str) -> Vec<OsString> {
        std::iter::once("hefesto").chain(line.split_whitespace()).map(OsString::from).collect()
    }

    #[test]
    fn a_command_is_read_with_its_own_part() {
        for line in
            ["validate x --strict", "-C list create a", "memory --json inspect ring", "memory ring show", "runs"]
        {
            let args = args(line);
            let part = part(&args);
            assert!(part.get_subcommands().count() == 1, "{line}");
        }
        let below = part(&args("memory inspect")).get_subcommands().next().unwrap().get_subcommands().count();
        assert_eq!(below, 1);
    }

    #[test]
    fn the_help_of_a_command_shows_its_own_options_and_names_the_global_ones() {
        let said = Cli::read(&args("create --help")).unwrap_err().said.to_string();
        let own = said.find("--template <NAME>").unwrap();
        let named = said.find("Global options (see `hefesto help`): --project --global --json").unwrap();
        assert!(own < named && !said.contains("Scripted answers, one per line"), "{said}");
        assert!(Cli::described().render_long_help().to_string().contains("Scripted answers, one per line"));
    }

    #[test]
    fn the_short_names_of_others_are_understood() {
        let verb = |line: &str| Cli::read(&args(line)).map(|cli| cli.command.name()).map_err(|error| error.said);
        assert_eq!((verb("rm x").unwrap(), verb("ls").unwrap(), verb("new x").unwrap()), ("delete", "list", "create"));
    }

    #[test]
    fn what_is_read_with_a_part_is_what_is_read_with_the_whole() {
        use proptest::prelude::*;
        let words = [
            "validate", "memory", "inspect", "ring", "show", "list", "create", "delete", "help", "explain", "x", "a-b",
            "--", "-", "-C", "--project", "--json", "-q", "-v", "--color", "never", "--version", "-V", "--help", "-h",
            "--strict", "--fix", "--dry-run", "--cli", "--cli=claude", "--backup", "--draft", "--draft=codex",
            "--bogus", "-y", "--run", "--keep", "3", "backups", "--prune", "templates", "check", "turn", "stm",
            "--color=never",
        ];
        let lines = prop::collection::vec(prop::sample::select(words.to_vec()), 0..6);
        let mut config = ProptestConfig::with_cases(200);
        config.failure_persistence = None;
        proptest!(config, |(line in lines)| {
            let args = args(&line.join(" "));
            let mut whole = Cli::described();
            let known = parsed(&mut whole, &args).map_err(|said| (said.kind(), said.render().ansi().to_string()));
            let read = Cli::read(&args).map_err(|refused| (refused.said.kind(), refused.said.render().ansi().to_string()));
            prop_assert_eq!(format!("{read:?}"), format!("{known:?}"));
        });
    }
}
