//! The arguments of `hefesto memory`. No behaviour.

mod fifo;
mod maintenance;
mod ooda;
mod ring;
pub mod stm;
mod turn;

use clap::{Args, Subcommand, ValueEnum};

pub use fifo::Fifo;
pub use maintenance::{Delete, Export, Facts, Import, Period, Prune, Redact, Search, Stored, Tail, Timeline};
pub use ooda::{Cache, OfEpoch, Ooda};
pub use ring::Ring;
pub use turn::{Goal, Observe, OfTurn, Turn};

#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum Memory {
    /// Show all stores on one screen, or one store
    #[command(
        before_long_help = "Examples:\n  hefesto memory inspect\n  hefesto memory inspect long\n  hefesto memory inspect ring --run RUN --json\n"
    )]
    Inspect(Inspect),
    /// Search all stores for words
    #[command(
        before_long_help = "Examples:\n  hefesto memory search \"pull requests\"\n  hefesto memory search E-CREATE-009 --store long --json\n"
    )]
    Search(Search),
    /// List the entries of all stores in order of time
    #[command(
        before_long_help = "Examples:\n  hefesto memory timeline\n  hefesto memory timeline --since 2h --limit 20\n  hefesto memory timeline --around RUN\n"
    )]
    Timeline(Timeline),
    /// Show the newest entries and, with -f, new ones as they come
    #[command(before_long_help = "Examples:\n  hefesto memory tail\n  hefesto memory tail -f --store ooda\n")]
    Tail(Tail),
    /// Count runs, errors and entries of a day, a week, a month or all time
    #[command(before_long_help = "Examples:\n  hefesto memory stats\n  hefesto memory stats --period month --json\n")]
    Stats {
        /// The period that is counted
        #[arg(long, value_enum, default_value = "week")]
        period: Period,
    },
    /// Check the database: pages, checksums, orphans, limits, consistency
    #[command(before_long_help = "Examples:\n  hefesto memory doctor\n  hefesto memory doctor --json\n")]
    Doctor,
    /// Delete old entries that are no longer needed; a dry run unless --yes
    #[command(
        before_long_help = "Examples:\n  hefesto memory prune\n  hefesto memory prune --older-than 90d --store turn --yes\n"
    )]
    Prune(Prune),
    /// Free the space of deleted entries
    #[command(before_long_help = "Examples:\n  hefesto memory vacuum\n  hefesto memory vacuum --json\n")]
    Vacuum,
    /// Write the memory as JSON Lines
    #[command(
        before_long_help = "Examples:\n  hefesto memory export memory.jsonl\n  hefesto memory export --store fifo | head -1\n"
    )]
    Export(Export),
    /// Import the rows of an export that are not present yet: all of them, or none
    #[command(
        before_long_help = "Examples:\n  hefesto memory import memory.jsonl\n  hefesto memory import - < memory.jsonl\n"
    )]
    Import(Import),
    /// Delete an entry by its id, after showing it
    #[command(
        before_long_help = "Examples:\n  hefesto memory delete run_01kgpm68706w0tgnbqrhvn97xh\n  hefesto memory delete s1 --store stm --yes\n"
    )]
    Delete(Delete),
    /// What was learned of runs: skills, answers, lines written by hand
    #[command(
        subcommand,
        before_long_help = "Examples:\n  hefesto memory facts list\n  hefesto memory facts forget answer:01kgpm687000000000000000js --yes\n"
    )]
    Facts(Facts),
    /// Redact what matches a pattern in every store and in the database file
    #[command(
        before_long_help = "Examples:\n  hefesto memory redact alice@example.com\n  hefesto memory redact --regex '\\d{3}-\\d{2}-\\d{4}' --yes\n"
    )]
    Redact(Redact),
    /// The old spelling of `hefesto repair`
    #[command(hide = true)]
    Repair,
    /// The queue of conversations
    #[command(
        subcommand,
        before_long_help = "Examples:\n  hefesto memory fifo recent\n  hefesto memory fifo search \"null pointer\"\n  hefesto memory fifo find --type file --name main.py\n"
    )]
    Fifo(Fifo),
    /// The states of the newest runs, phase by phase: a ring buffer of sixteen slots
    #[command(
        subcommand,
        before_long_help = "Examples:\n  hefesto memory ring show\n  hefesto memory ring get P1\n  hefesto memory ring verify\n"
    )]
    Ring(Ring),
    /// What a run observes and decides while it is at work (OODA loop): task graphs, events, cached values
    #[command(
        subcommand,
        before_long_help = "Examples:\n  hefesto memory ooda dag\n  hefesto memory ooda events --limit 10\n  hefesto memory ooda context disk --json\n"
    )]
    Ooda(Ooda),
    /// Short-term memory: the entries of a session
    #[command(
        subcommand,
        before_long_help = "Examples:\n  hefesto memory stm store --session s1 --category user_input --content '\"Add loading states\"'\n  hefesto memory stm recall --session s1\n  hefesto memory stm tail --session s1 -f\n"
    )]
    Stm(stm::Stm),
    /// The context a run begins with (turn): its sources, budget and trace, and notes for the next run
    #[command(
        subcommand,
        before_long_help = "Examples:\n  hefesto memory turn show\n  hefesto memory turn context \"Extract tables from PDF files\"\n  hefesto memory turn goal \"Cover every release task\" --priority high\n"
    )]
    Turn(Turn),
}

#[derive(Debug, Clone, Args)]
pub struct Inspect {
    /// The store; none shows all
    #[arg(value_enum)]
    pub store: Option<Store>,
    /// The run, by id or part of it [default: the newest]
    #[arg(long, value_name = "RUN")]
    pub run: Option<String>,
}

/// The stores `memory inspect` shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Store {
    /// The states of the newest runs, phase by phase
    Ring,
    /// What a run was asked, made and checked
    Windows,
    /// What the newest run observed and decided
    Ooda,
    /// Short-term memory: sessions, limits, health
    Stm,
    /// The queue of conversations
    Fifo,
    /// The contexts of the newest runs, notes, goals
    Turn,
    /// Long-term memory: episodes, facts, patterns
    Long,
}

#[derive(Debug, Clone, Args)]
pub struct OfRun {
    /// The run, by id or part of it [default: the newest]
    #[arg(long, value_name = "RUN")]
    pub run: Option<String>,
}
