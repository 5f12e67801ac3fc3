//! The arguments of `hefesto memory`. No behaviour.

/// The examples of a subcommand, each without its `hefesto memory`.
macro_rules! examples {
    ($($example:literal),+ $(,)?) => { concat!("Examples:\n", $("  hefesto memory ", $example, "\n"),+) };
}

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
    #[command(before_long_help = examples!["inspect", "inspect long", "inspect ring --run RUN --json"])]
    Inspect(Inspect),
    /// Search all stores for words
    #[command(before_long_help = examples!["search \"pull requests\"", "search E-CREATE-009 --store long --json"])]
    Search(Search),
    /// List the entries of all stores in order of time
    #[command(before_long_help = examples!["timeline", "timeline --since 2h --limit 20", "timeline --around RUN"])]
    Timeline(Timeline),
    /// Show the newest entries and, with -f, new ones as they come
    #[command(before_long_help = examples!["tail", "tail -f --store ooda"])]
    Tail(Tail),
    /// Count runs, errors and entries of a day, a week, a month or all time
    #[command(before_long_help = examples!["stats", "stats --period month --json"])]
    Stats {
        /// The period that is counted
        #[arg(long, value_enum, default_value = "week")]
        period: Period,
    },
    /// Check the database: pages, checksums, orphans, limits, consistency
    #[command(before_long_help = examples!["doctor", "doctor --json"])]
    Doctor,
    /// Delete old entries that are no longer needed; a dry run unless --yes
    #[command(before_long_help = examples!["prune", "prune --older-than 90d --store turn --yes"])]
    Prune(Prune),
    /// Free the space of deleted entries
    #[command(before_long_help = examples!["vacuum", "vacuum --json"])]
    Vacuum,
    /// Write the memory as JSON Lines
    #[command(before_long_help = examples!["export memory.jsonl", "export --store fifo | head -1"])]
    Export(Export),
    /// Import the rows of an export that are not present yet: all of them, or none
    #[command(before_long_help = examples!["import memory.jsonl", "import - < memory.jsonl"])]
    Import(Import),
    /// Delete an entry by its id, after showing it
    #[command(before_long_help = examples!["delete run_01kgpm68706w0tgnbqrhvn97xh", "delete s1 --store stm --yes"])]
    Delete(Delete),
    /// What was learned of runs: skills, answers, lines written by hand
    #[command(subcommand, before_long_help = examples![
        "facts list", "facts forget skill:review-sql --yes",
    ])]
    Facts(Facts),
    /// Redact what matches a pattern in every store and in the database file
    #[command(before_long_help = examples!["redact alice@example.com", "redact --regex '\\d{3}-\\d{2}-\\d{4}' --yes"])]
    Redact(Redact),
    /// The old spelling of `hefesto repair`
    #[command(hide = true)]
    Repair,
    /// The queue of conversations
    #[command(subcommand, before_long_help = examples![
        "fifo recent", "fifo search \"null pointer\"", "fifo find --type file --name main.py",
    ])]
    Fifo(Fifo),
    /// The states of the newest runs, phase by phase: a ring buffer of sixteen slots
    #[command(subcommand, before_long_help = examples!["ring show", "ring get P1", "ring verify"])]
    Ring(Ring),
    /// What a run observes and decides while it is at work (OODA loop): task graphs, events, cached values
    #[command(subcommand, before_long_help = examples![
        "ooda dag", "ooda events --limit 10", "ooda context disk --json",
    ])]
    Ooda(Ooda),
    /// Short-term memory: the entries of a session
    #[command(subcommand, before_long_help = examples![
        "stm store --session s1 \\\n    --category user_input --content '\"Sort it\"'", "stm recall --session s1",
        "stm tail --session s1 -f",
    ])]
    Stm(stm::Stm),
    /// The context a run begins with (turn): its sources, budget and trace, and notes for the next run
    #[command(subcommand, before_long_help = examples![
        "turn show", "turn context \"Extract tables\"",
        "turn goal \"Cover all tasks\" --priority high",
    ])]
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
