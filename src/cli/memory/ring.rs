//! The arguments of `hefesto memory ring`. No behaviour.

use clap::Subcommand;

use super::OfRun;

#[derive(Debug, Subcommand)]
pub enum Ring {
    /// Show the sixteen slots, where the next state goes, and the slot of each phase of a run (its markers)
    #[command(
        before_long_help = "Examples:\n  hefesto memory ring show\n  hefesto memory ring show --run RUN --json\n"
    )]
    Show(OfRun),
    /// Print the state a run had at the end of a phase
    #[command(
        before_long_help = "Examples:\n  hefesto memory ring get P1\n  hefesto memory ring get generate --run RUN\n"
    )]
    Get {
        /// P0-P6 or the phase's name
        phase: String,
        /// Also a state that a rollback dropped, until its slot is written over
        #[arg(long)]
        dropped: bool,
        #[command(flatten)]
        of: OfRun,
    },
    /// Check every slot against its checksum
    #[command(before_long_help = "Examples:\n  hefesto memory ring verify\n  hefesto memory ring verify --json\n")]
    Verify,
    /// Show the difference between the states of two phases
    #[command(before_long_help = "Examples:\n  hefesto memory ring diff P1 P2\n")]
    Diff {
        /// P0-P6 or the phase's name
        from: String,
        /// P0-P6 or the phase's name
        to: String,
        #[command(flatten)]
        of: OfRun,
    },
    /// Go back to the state of a phase and drop the later ones
    #[command(before_long_help = "Examples:\n  hefesto memory ring rollback P2 --run RUN\n")]
    Rollback {
        /// P0-P6 or the phase's name
        phase: String,
        /// The run, by id or part of it
        #[arg(long, value_name = "RUN")]
        run: String,
    },
}
