//! Parses a command line. The definitions of the commands are built lazily: only that of the named command. An invalid
//! line, or one that asks for help, is parsed again with the full definition.

use std::ffi::OsString;

use clap::{CommandFactory, FromArgMatches, error::ErrorKind};

use super::Cli;

/// A line that runs no command: an invalid one, or one that asks for help or for the version.
#[derive(Debug)]
pub struct Refused {
    /// The parser's error, help or version.
    pub said: clap::Error,
    /// The intended command, as far as the words tell (`memory`, `stm`, `store`). Not determined for `--version`.
    pub path: Vec<String>,
    /// Whether `--verbose` was given. The parser itself stops at the flag for help or version.
    pub verbose: bool,
}

impl Cli {
    /// Reads the arguments, the program's name first.
    /// Errors: the parser's refusal.
    pub fn read(args: &[OsString]) -> Result<Self, Refused> {
        match parsed(&mut Self::command(), args) {
            Ok(cli) => return Ok(cli),
            Err(said) if said.kind() == ErrorKind::DisplayVersion => {
                return Err(Refused { said, path: Vec::new(), verbose: verbose(args) });
            }
            Err(_) => {}
        }
        let mut whole = Self::described();
        parsed(&mut whole, args).map_err(|said| Refused { said, path: path(&whole, args), verbose: verbose(args) })
    }

    /// The definition with everything lazy built.
    pub fn built() -> clap::Command {
        let mut whole = Self::command();
        whole.build();
        whole
    }

    /// The full definition. The help of a command shows its own options, and names the global ones in one line.
    pub fn described() -> clap::Command {
        Self::built().mut_subcommands(own_options)
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
    let verb = matches.subcommand_name().unwrap_or_default().to_owned();
    let cli = Cli::from_arg_matches_mut(&mut matches).map_err(|error| error.format(description))?;
    Ok(Cli { verb, ..cli })
}

/// Whether `--verbose`, `-v` or a cluster such as `-Vv` is among the options.
fn verbose(args: &[OsString]) -> bool {
    let words = args.iter().skip(1).take_while(|arg| *arg != "--").filter_map(|arg| arg.to_str());
    let cluster = |word: &str| word.bytes().take_while(|letter| *letter != b'C').any(|letter| letter == b'v');
    let mut words = words.filter(|word| word.starts_with('-'));
    words.any(|word| word == "--verbose" || (!word.starts_with("--") && cluster(word)))
}

fn path(whole: &clap::Command, args: &[OsString]) -> Vec<String> {
    let words = args.iter().skip(1).take_while(|arg| *arg != "--").filter_map(|arg| arg.to_str());
    let mut path = Vec::new();
    let mut at = whole;
    for word in words {
        if let Some(found) = at.find_subcommand(word) {
            path.push(found.get_name().to_owned());
            at = found;
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use clap::Command;

    use super::*;

    fn args(line: &str) -> Vec<OsString> {
        std::iter::once("hefesto").chain(line.split_whitespace()).map(OsString::from).collect()
    }

    #[test]
    fn the_help_of_a_command_shows_its_own_options_and_names_the_global_ones() {
        let said = Cli::read(&args("create --help")).unwrap_err().said.to_string();
        let own = said.find("--template <NAME>").unwrap();
        let named = said.find("Global options (see `hefesto help`): --project --global --json").unwrap();
        assert!(own < named && !said.contains("Scripted answers, one per line"), "{said}");
        assert!(Cli::described().render_long_help().to_string().contains("Scripted answers, one per line"));
    }

    fn examples(command: &Command, wide: &mut Vec<String>) {
        let help = command.get_before_long_help().map(ToString::to_string).unwrap_or_default();
        wide.extend(help.lines().filter(|line| line.chars().count() > 60).map(str::to_owned));
        command.get_subcommands().for_each(|verb| examples(verb, wide));
    }

    #[test]
    fn every_example_fits_a_terminal_of_60_columns() {
        let mut wide = Vec::new();
        examples(&Cli::described(), &mut wide);
        assert_eq!(wide, [""; 0]);
    }

    #[test]
    fn the_short_names_of_others_are_understood() {
        let verb = |line: &str| Cli::read(&args(line)).map(|cli| cli.verb).map_err(|error| error.said);
        assert_eq!(["rm x", "ls", "new x"].map(|line| verb(line).unwrap()), ["delete", "list", "create"]);
    }

    #[test]
    fn what_is_read_deferred_is_what_is_read_with_the_whole() {
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

    fn undescribed(command: &Command, path: &str, found: &mut Vec<String>) {
        let hidden = |arg: &&clap::Arg| !arg.is_hide_set() && !arg.is_global_set();
        let args = command.get_arguments().filter(hidden).filter(|arg| arg.get_help().is_none());
        found.extend(args.map(|arg| format!("{path} {}", arg.get_id())));
        let mut said = BTreeSet::new();
        for verb in command.get_subcommands().filter(|verb| !verb.is_hide_set()) {
            let path = format!("{path} {}", verb.get_name());
            let about = verb.get_about().map(ToString::to_string).unwrap_or_default();
            if about.is_empty() || about.starts_with('`') || !said.insert(about) {
                found.push(path.clone());
            }
            undescribed(verb, &path, found);
        }
    }

    #[test]
    fn every_verb_and_every_argument_has_a_description_of_its_own() {
        let mut found = Vec::new();
        undescribed(&Cli::described(), "hefesto", &mut found);
        assert!(found.is_empty(), "{found:#?}");
    }
}
