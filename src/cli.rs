//! The definition of the command line. No behaviour.

mod copies;
mod create;
mod inspect;
pub mod memory;
mod read;
mod undo;

use clap::{Args, Parser, Subcommand, ValueEnum};

pub use copies::{
    Add, Adopt, Convert, Diff, Edit, Incoming, Log, OnConflict, OnPlace, Outdated, Pack, PackForm, Rename, Revision,
    Status, Sync, Update, Whose,
};
pub use create::{Create, Init, Layout, OnCollision, Resume};
pub use inspect::{Detect, Facts, Format, Grade, List, Match, Show, Validate, Why};
pub use memory::{Fifo, Goal, Memory, Observe, OfEpoch, OfRun, OfTurn, Ooda, Ring, Store, Turn};
pub use read::Refused;
pub use undo::Templates;
pub use undo::{Backups, Delete, Restore, Runs, Undo};

/// The end of the long help: exit codes and environment variables.
const AFTER: &str = "\
Exit codes:
    0  done, or nothing to do
    1  not acceptable, or a check found something; nothing was written
    2  the command line is wrong
    3  a person declined, or nobody was there to ask
    4  nobody answered in time
    5  busy, or changed meanwhile; try again
    6  writing failed; everything was rolled back
    7  writing failed and the rollback is incomplete: `hefesto recover`
    8  saved; the next command completes the finishing
   70  a bug in hefesto
  130, 143, 129  ended by Ctrl-C, by a kill, by a closed terminal

Environment:
  HEFESTO_HOME          user-level settings, templates, and what governs your own skills (--global)
  HEFESTO_PAGER, PAGER  shows what is longer than the screen [default: less -FRX]
  HEFESTO_STM_URL       the Redis server of short-term memory, where stm.backend is redis
  HEFESTO_GATE_TIMEOUT  seconds the gate waits, 1 to 600
  HEFESTO_NOW, SOURCE_DATE_EPOCH  fix the clock
  NO_COLOR, CLICOLOR_FORCE, TERM=dumb  colour
  VISUAL, EDITOR        the editor that `edit` opens";

/// The forge for Agent Skills.
///
/// One sentence in, one validated skill for every AI CLI on the machine out. Local, offline, no telemetry.
#[derive(Debug, Parser)]
#[command(
    name = "hefesto",
    version,
    disable_help_subcommand = true,
    propagate_version = true,
    before_long_help = "Examples:\n  hefesto create \"Validate email addresses\"\n  hefesto create \"Review SQL\" --target claude,gemini --yes\n  hefesto list\n",
    after_long_help = AFTER
)]
pub struct Cli {
    /// Flags that every command takes.
    #[command(flatten)]
    pub global: Global,
    #[command(subcommand)]
    pub command: Command,
    /// The command's own name.
    #[arg(skip)]
    pub verb: String,
}

/// Flags accepted before and after the command.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Global options")]
pub struct Global {
    /// Project root; default: the nearest ancestor hefesto knows, else the one holding .git, else here
    #[arg(short = 'C', long, value_name = "DIR", global = true)]
    pub project: Option<std::path::PathBuf>,
    /// Your own skills, which every project sees, instead of a project's; their registry is in HEFESTO_HOME
    #[arg(long = "global", global = true)]
    pub user: bool,
    /// One JSON document on standard output
    #[arg(long, global = true)]
    pub json: bool,
    /// Approve the gate and take defaults; never overwrites an existing skill by itself
    #[arg(short, long, global = true)]
    pub yes: bool,
    /// Never ask; what would be asked is an error naming the flag that answers it
    #[arg(long, global = true)]
    pub no_input: bool,
    /// Scripted answers, one per line, in the order of the prompts (`-`: standard input)
    #[arg(long, value_name = "FILE", global = true)]
    pub answers: Option<String>,
    /// Say less on standard error
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Say more on standard error
    #[arg(short, long, global = true)]
    pub verbose: bool,
    #[arg(long, value_enum, default_value = "auto", value_name = "WHEN", global = true)]
    pub color: Color,
    /// Never pipe long output through a pager
    #[arg(long, global = true)]
    pub no_pager: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless NO_COLOR or TERM=dumb say otherwise
    Auto,
    Always,
    Never,
}

#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum Command {
    /// Make a skill from one sentence and install it
    #[command(
        alias = "new",
        before_long_help = "Examples:\n  hefesto create \"Validate email addresses\"\n  hefesto create \"Run Jest tests\" --target claude --yes\n  hefesto create \"Review SQL\" --body notes.md\n  hefesto create \"Review SQL\" --resource references:list.md\n  hefesto create \"Deploy to staging\" --dry-run\n  hefesto create \"Write commit messages\" --global\n"
    )]
    Create(Box<Create>),
    /// Set up a project: governance files, registry, skill directories
    #[command(before_long_help = "Examples:\n  hefesto init\n  hefesto init --target claude,gemini\n")]
    Init(Init),
    /// Show which AI CLIs are here, how they were found, and where skills go
    #[command(before_long_help = "Examples:\n  hefesto detect\n  hefesto detect --force --json\n")]
    Detect(Detect),
    /// Check skills against the specification and the constitution
    #[command(
        before_long_help = "Examples:\n  hefesto validate\n  hefesto validate .claude/skills/review-code --strict\n  hefesto validate . --profile portable --fit\n  hefesto validate --fix --dry-run\n  hefesto validate skills/ --format sarif > hefesto.sarif\n"
    )]
    Validate(Validate),
    /// Grade one skill by the thirteen-point checklist
    #[command(
        before_long_help = "Examples:\n  hefesto grade review-code\n  hefesto grade .claude/skills/review-code --json\n"
    )]
    Grade(Grade),
    /// Show what the repository says that a skill can use: commands, settings, rules, with file and line
    #[command(before_long_help = "Examples:\n  hefesto facts\n  hefesto facts \"find flaky tests\" --json\n")]
    Facts(Facts),
    /// Show which installed skill a prompt would select, and by which words
    #[command(
        before_long_help = "Examples:\n  hefesto match \"is this CSV file clean?\"\n  hefesto match \"review my SQL\" --cli codex --json\n"
    )]
    Match(Match),
    /// Why a client does or does not show a skill, or choose it for a prompt
    #[command(
        before_long_help = "Examples:\n  hefesto why review-code\n  hefesto why review-code --cli codex --json\n  hefesto why --prompt \"is this migration safe?\"\n  hefesto why review-sql --prompt \"is this migration safe?\"\n"
    )]
    Why(Why),
    /// List the registered CLIs and skills
    #[command(alias = "ls", before_long_help = "Examples:\n  hefesto list\n  hefesto list --check-sync\n")]
    List(List),
    /// Show an installed skill, or a version of it
    #[command(
        before_long_help = "Examples:\n  hefesto show review-code\n  hefesto show review-code --cli gemini --body-only\n  hefesto show review-code@1.0.0\n"
    )]
    Show(Show),
    /// Show the state of each copy since it was installed, and what to do about it
    #[command(
        before_long_help = "Examples:\n  hefesto status\n  hefesto status review-code --check\n  hefesto status --json\n"
    )]
    Status(Status),
    /// The skills whose template or domain pack is newer than their text
    #[command(before_long_help = "Examples:\n  hefesto outdated\n  hefesto outdated review-code --json\n")]
    Outdated(Outdated),
    /// Merge a newer template or pack into your text; your changes are kept
    #[command(before_long_help = "Examples:\n  hefesto update review-code\n  hefesto update --all --yes\n")]
    Update(Update),
    /// Edit a skill in your editor and write the result to every copy
    #[command(before_long_help = "Examples:\n  hefesto edit review-code\n  hefesto edit review-code --bump minor\n")]
    Edit(Edit),
    /// Bring the copies of a skill together: one edit goes to all, several are merged
    #[command(
        before_long_help = "Examples:\n  hefesto sync\n  hefesto sync review-code --from claude\n  hefesto sync review-code --on-conflict ours=gemini --yes\n"
    )]
    Sync(Sync),
    /// Install a skill's present text for more AI CLIs
    #[command(
        visible_alias = "adapt",
        before_long_help = "Examples:\n  hefesto add review-code --target qwen\n  hefesto add review-code --target codex,cursor --yes\n"
    )]
    Add(Add),
    /// Register skills that others made, as they are: in place, or copied from a path
    #[command(
        before_long_help = "Examples:\n  hefesto adopt --all\n  hefesto adopt review-code\n  hefesto adopt ../collection --target claude,codex\n  hefesto adopt ~/checkouts/skills/pdf/SKILL.md --dry-run\n"
    )]
    Adopt(Adopt),
    /// Convert commands, rules, prompts and instructions written for an AI CLI into skills
    #[command(
        before_long_help = "Examples:\n  hefesto convert .claude/commands\n  hefesto convert .cursor/rules/react.mdc --target claude\n  hefesto convert .github/copilot-instructions.md --dry-run\n"
    )]
    Convert(Convert),
    /// Give a skill another name, in every copy and in what links to it
    #[command(before_long_help = "Examples:\n  hefesto rename review-code review-changes\n")]
    Rename(Rename),
    /// The versions of a skill, newest first, with what each did and why
    #[command(before_long_help = "Examples:\n  hefesto log review-code\n  hefesto log review-code --json\n")]
    Log(Log),
    /// What differs between copies and versions of a skill
    #[command(
        before_long_help = "Examples:\n  hefesto diff review-code\n  hefesto diff review-code claude gemini\n  hefesto diff review-code 1.0.0 1.0.2\n"
    )]
    Diff(Diff),
    /// Package installed skills for others: as an archive, a plugin or an extension
    #[command(
        before_long_help = "Examples:\n  hefesto pack review-code\n  hefesto pack review-code --as claude --out plugin\n  hefesto pack review-code --as plugin --check\n"
    )]
    Pack(Pack),
    /// Remove an installed skill, after a backup
    #[command(
        alias = "rm",
        before_long_help = "Examples:\n  hefesto delete review-code\n  hefesto delete review-code --cli gemini --yes\n"
    )]
    Delete(Delete),
    /// Restore skills from a backup
    #[command(
        before_long_help = "Examples:\n  hefesto restore review-code\n  hefesto restore review-code@1.0.0\n  hefesto restore review-code-2026-02-05T10-01-00.tar.gz\n"
    )]
    Restore(Restore),
    /// List the backups, or remove old ones
    #[command(before_long_help = "Examples:\n  hefesto backups\n  hefesto backups --prune --keep 3\n")]
    Backups(Backups),
    /// Reverse the last run that changed a skill, or the one named
    #[command(before_long_help = "Examples:\n  hefesto undo\n  hefesto undo pnspjbcy --yes\n")]
    Undo(Undo),
    /// Go on with a run that timed out or was interrupted
    #[command(before_long_help = "Examples:\n  hefesto resume\n  hefesto resume pnspjbcy\n")]
    Resume(Resume),
    /// Approve a run that waits at the gate: shows it again and asks
    #[command(before_long_help = "Examples:\n  hefesto approve pnspjbcy\n  hefesto approve pnspjbcy --yes\n")]
    Approve(Resume),
    /// List the runs, newest first, or discard those that wait
    #[command(
        before_long_help = "Examples:\n  hefesto runs\n  hefesto runs --discard pnspjbcy\n  hefesto runs --discard --all\n"
    )]
    Runs(Runs),
    /// Complete or roll back what an interrupted command left, and say what was done
    #[command(before_long_help = "Examples:\n  hefesto recover\n  hefesto recover --json\n")]
    Recover,
    /// Rebuild MEMORY.md and lost archives from the skills on disk, after a backup
    #[command(before_long_help = "Examples:\n  hefesto repair\n  hefesto repair --yes\n")]
    Repair,
    /// Templates: list and show them, begin one, check them
    #[command(
        before_long_help = "Examples:\n  hefesto templates list\n  hefesto templates show --variables\n  hefesto templates new house-style\n  hefesto templates check house-style\n"
    )]
    Templates {
        #[command(subcommand)]
        command: Templates,
    },
    /// Look into the working memory
    #[command(
        before_long_help = "Examples:\n  hefesto memory inspect\n  hefesto memory ring show\n  hefesto memory ring verify\n"
    )]
    Memory {
        #[command(subcommand)]
        command: Memory,
    },
    /// Explain an error code or a rule
    #[command(before_long_help = "Examples:\n  hefesto explain E-CREATE-003\n  hefesto explain T0-HEFESTO-11\n")]
    Explain {
        /// A code or rule id; none lists them all
        code: Option<String>,
    },
    /// Show every setting in force and where it comes from
    #[command(before_long_help = "Examples:\n  hefesto config\n  hefesto config --json\n")]
    Config,
    /// Bring back CONSTITUTION.md; the only command allowed while it is invalid
    #[command(before_long_help = "Examples:\n  hefesto restore-constitution\n  hefesto restore-constitution --force\n")]
    RestoreConstitution {
        /// Replace the file even where it is valid (a backup is made either way)
        #[arg(long)]
        force: bool,
    },
    /// Print the JSON Schema of a command's `--json` answer
    #[command(before_long_help = "Examples:\n  hefesto schema create\n  hefesto schema memory ring show\n")]
    Schema {
        /// The command, such as `create` or `memory ring show`; none prints all
        command: Vec<String>,
    },
    /// Print the completion script of a shell
    #[command(
        before_long_help = "Examples:\n  source <(hefesto completions bash)\n  hefesto completions fish > hefesto.fish\n"
    )]
    Completions {
        /// The shell the script is for
        shell: clap_complete::Shell,
    },
    /// Print the manual page of hefesto or of a command
    #[command(
        before_long_help = "Examples:\n  hefesto man | man -l -\n  hefesto man create | man -l -\n  hefesto man > hefesto.1\n"
    )]
    Man(Man),
    /// Print help for a command
    Help {
        /// The command, such as `create` or `memory ring`
        command: Vec<String>,
    },
}

#[derive(Debug, Clone, Args)]
pub struct Man {
    /// The command, such as `create` or `memory ring`; none prints the page of hefesto
    pub command: Vec<String>,
}

impl Command {
    /// Whether the command only lists something, so that a pager is used.
    pub fn is_listing(&self) -> bool {
        matches!(
            self,
            Self::Show(_)
                | Self::List(_)
                | Self::Status(_)
                | Self::Outdated(_)
                | Self::Log(_)
                | Self::Diff(_)
                | Self::Validate(Validate { format: None | Some(Format::Text), fix: false, .. })
                | Self::Grade(_)
                | Self::Facts(_)
                | Self::Match(_)
                | Self::Why(_)
                | Self::Explain { .. }
                | Self::Memory { .. }
                | Self::Templates { command: Templates::List | Templates::Show { .. } | Templates::Check { .. } }
                | Self::Runs(_)
                | Self::Backups(_)
                | Self::Help { .. }
        )
    }

    /// Whether the command supports `--global`.
    /// Errors: why not, as a sentence without its subject.
    pub fn takes_global(&self) -> Result<(), &'static str> {
        match self {
            Self::Facts(_) => Err("shows what a project's files say"),
            Self::Match(_) => Err("looks at the project's skills and at your own anyway"),
            Self::Templates { .. } => {
                Err("shows the project's templates and your own, which are files in HEFESTO_HOME/templates")
            }
            Self::Explain { .. }
            | Self::Schema { .. }
            | Self::Completions { .. }
            | Self::Man(_)
            | Self::Help { .. } => Err("is about hefesto and no skill"),
            Self::Init(Init { with_commands: true, .. }) => {
                Err("installs hefesto's commands in a project; with `--with-commands` it takes no `--global`")
            }
            _ => Ok(()),
        }
    }
}
