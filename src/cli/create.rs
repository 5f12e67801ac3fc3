//! The arguments of `create`, `resume` and `init`. No behaviour.

use clap::{Args, ValueEnum};

use crate::config::{GATE_RANGE, GATE_SECONDS};

#[derive(Debug, Clone, Default, Args)]
pub struct Create {
    /// What the skill should do, in one sentence; none starts the wizard
    pub description: Option<String>,
    /// The skill's name, instead of one made from the description
    #[arg(long)]
    pub name: Option<String>,
    /// Target ids, comma separated, or `all` detected ones
    #[arg(long, visible_alias = "cli", value_name = "LIST")]
    pub target: Option<crate::client::target::Selection>,
    /// Where the copies go [default: native; shared where no target is named and the project has .agents/skills]
    #[arg(long, value_enum, value_name = "LAYOUT")]
    pub layout: Option<Layout>,
    /// The template the skill is made from [default: base]
    #[arg(long, value_name = "NAME")]
    pub template: Option<String>,
    /// The body's main part, from a file (`-`: standard input)
    #[arg(long, value_name = "FILE")]
    pub body: Option<String>,
    /// A file whose facts go into the skill, attributed: notes, README, Makefile, package.json, OpenAPI, shell history
    #[arg(long, value_name = "FILE")]
    pub from: Vec<String>,
    /// An address to cite, exactly as given; never fetched
    #[arg(long, value_name = "URL")]
    pub source: Vec<String>,
    /// Write evals/ too: tasks with assertions, and prompts that should or should not choose the skill
    #[arg(long)]
    pub evals: bool,
    /// The answer to an open question, by its key
    #[arg(long, value_name = "KEY=TEXT")]
    pub answer: Vec<String>,
    /// A domain pack to use although the sentence does not choose it
    #[arg(long, value_name = "ID")]
    pub pack: Vec<String>,
    /// A domain pack not to use
    #[arg(long, value_name = "ID")]
    pub no_pack: Vec<String>,
    /// Take nothing from the files of the repository
    #[arg(long)]
    pub no_facts: bool,
    /// Join a session of short-term memory: what was asked for in it becomes part of the skill
    #[arg(long, value_name = "ID")]
    pub session: Option<crate::memory::stm::Word>,
    /// A file to bring along: `scripts:PATH`, `references:PATH` or `assets:PATH`
    #[arg(long, value_name = "KIND:PATH")]
    pub resource: Vec<String>,
    /// Licence of the skill, an SPDX id or a short text
    #[arg(long, value_name = "ID", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    pub license: Option<String>,
    #[command(flatten)]
    pub gate: Gate,
    /// Show what would be written, write nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Explain before the gate how the description was read, and why
    #[arg(long)]
    pub explain: bool,
    /// Approve exactly the content of this digest, as printed by `--dry-run`
    #[arg(long, value_name = "DIGEST", conflicts_with = "dry_run")]
    pub approve: Option<String>,
    /// Initialise the project on the way, where it is not
    #[arg(long)]
    pub init: bool,
    /// Have the skill drafted by an installed AI CLI (none named: the first one found) or by the configured `command`
    #[arg(long, value_name = "CLI", num_args = 0..=1, require_equals = true, value_parser = drafters())]
    pub draft: Option<Option<String>>,
    /// Use the assembled text if the AI CLI gives no usable draft
    #[arg(long, requires = "draft")]
    pub draft_fallback: bool,
    /// Print the brief for whoever writes the skill, and write nothing
    #[arg(long, conflicts_with_all = ["draft", "dry_run", "approve", "body", "resource"])]
    pub brief: bool,
}

// The questions before anything is written, answered beforehand.
#[derive(Debug, Clone, Default, Args)]
pub struct Gate {
    /// What to do where a skill of that name exists
    #[arg(long, value_enum, value_name = "HOW")]
    pub on_collision: Option<OnCollision>,
    /// The new name for `--on-collision rename`
    #[arg(long, value_name = "NAME")]
    pub rename_to: Option<String>,
    #[arg(
        long,
        value_name = "SECS",
        value_parser = clap::value_parser!(u32).range(i64::from(*GATE_RANGE.start())..=i64::from(*GATE_RANGE.end())),
        help = format!("Seconds the gate waits, {} to {} [default: {GATE_SECONDS}]", GATE_RANGE.start(), GATE_RANGE.end())
    )]
    pub gate_timeout: Option<u32>,
}

/// What `--draft` can name.
fn drafters() -> clap::builder::PossibleValuesParser {
    crate::client::target::drafters().map(|row| row.id).chain(["command"]).collect::<Vec<_>>().into()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Layout {
    Native,
    /// One copy in .agents/skills, and one for each CLI that does not read it
    Shared,
}

word_enum! {
    #[derive(ValueEnum)]
    OnCollision {
        Ask = "ask",
        /// Replace every copy, after a verified backup
        Overwrite = "overwrite",
        /// Keep what is there and add what is new, section by section, after a verified backup
        Merge = "merge",
        Rename = "rename",
        /// Leave existing copies, write the others
        Skip = "skip",
        Cancel = "cancel",
    }
}

#[derive(Debug, Clone, Args)]
pub struct Init {
    /// Target ids, comma separated, or `all` detected ones
    #[arg(long, visible_alias = "cli", value_name = "LIST")]
    pub target: Option<crate::client::target::Selection>,
    /// Detect again and merge; loses nothing
    #[arg(long)]
    pub force: bool,
    /// Install hefesto's own command or skill in each of these CLIs
    #[arg(long)]
    pub with_commands: bool,
}

#[derive(Debug, Clone, Args)]
pub struct Resume {
    /// The run, by id or part of it [default: the newest that waits]
    pub run: Option<String>,
    /// Begin another run with the results of this one, whether it waits, failed or is done
    #[arg(long)]
    pub fork: bool,
    /// The phase the other run begins with: P2, P3 or P4 [default: P2]
    #[arg(long, value_name = "PHASE", requires = "fork")]
    pub from: Option<crate::memory::ring::Phase>,
    #[command(flatten)]
    pub gate: Gate,
}
