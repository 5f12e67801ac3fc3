//! What may be typed after `hefesto memory`. No behaviour.

mod fifo;
mod ooda;
pub mod stm;
mod turn;

use clap::{Args, Subcommand, ValueEnum};

pub use fifo::Fifo;
pub use ooda::{OfEpoch, Ooda};
pub use turn::{Goal, Observe, OfTurn, Turn};

/// `hefesto memory`.
#[derive(Debug, Subcommand)]
pub enum Memory {
    /// One screen on the memory, or one store of it
    Inspect {
        /// The store; none shows all
        #[arg(value_enum)]
        store: Option<Store>,
        /// The run, by id or part of it [default: the newest]
        #[arg(long, value_name = "RUN")]
        run: Option<String>,
    },
    /// Rebuild MEMORY.md from the skills on disk, after a backup
    Repair,
    /// The queue of conversations
    #[command(
        before_long_help = "Examples:\n  hefesto memory fifo recent\n  hefesto memory fifo search \"null pointer\"\n  hefesto memory fifo find --type file --name main.py\n"
    )]
    Fifo {
        /// What to do
        #[command(subcommand)]
        command: Fifo,
    },
    /// The ring of sixteen slots
    Ring {
        /// What to do
        #[command(subcommand)]
        command: Ring,
    },
    /// The live memory of a loop: graphs, events, entities
    Ooda {
        /// What to do
        #[command(subcommand)]
        command: Ooda,
    },
    /// Short-term memory: what a session holds while it lasts
    #[command(
        before_long_help = "Examples:\n  hefesto memory stm store --session s1 --category user_input --content '\"Add loading states\"'\n  hefesto memory stm recall --session s1\n  hefesto memory stm tail --session s1 -f\n"
    )]
    Stm {
        /// What to do
        #[command(subcommand)]
        command: stm::Stm,
    },
    /// What runs are told when they begin: context, budget, trace, notes
    Turn {
        /// What to do
        #[command(subcommand)]
        command: Turn,
    },
}

/// The stores `memory inspect` shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Store {
    /// The ring
    Ring,
    /// The three sliding windows
    Windows,
    /// The live memory of the newest epoch
    Ooda,
    /// Short-term memory: sessions, limits, health
    Stm,
    /// The queue of conversations
    Fifo,
    /// The newest turns, the scratch page, what is wanted
    Turn,
    /// Long-term memory: episodes, facts, patterns
    Long,
}

/// `hefesto memory ring`.
#[derive(Debug, Subcommand)]
pub enum Ring {
    /// Slots, markers and write head
    Show(OfRun),
    /// The state of one phase
    Get {
        /// P0-P6 or the phase's name
        phase: String,
        /// Of which run
        #[command(flatten)]
        of: OfRun,
    },
    /// Check every slot against its checksum
    Verify,
    /// The difference between the states of two phases
    Diff {
        /// P0-P6 or the phase's name
        from: String,
        /// P0-P6 or the phase's name
        to: String,
        /// Of which run
        #[command(flatten)]
        of: OfRun,
    },
    /// Restore a phase's checkpoint and clear the later ones
    Rollback {
        /// P0-P6 or the phase's name
        phase: String,
        /// The run, by id or part of it
        #[arg(long, value_name = "RUN")]
        run: String,
    },
}

/// Which run.
#[derive(Debug, Clone, Args)]
pub struct OfRun {
    /// The run, by id or part of it [default: the newest]
    #[arg(long, value_name = "RUN")]
    pub run: Option<String>,
}
