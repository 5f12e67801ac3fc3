//! The arguments of `hefesto memory ring`. No behaviour.

use clap::Subcommand;

use super::OfRun;

#[derive(Debug, Subcommand)]
pub enum Ring {
    /// Show the sixteen slots, where the next state goes, and the slot of each phase of a run (its markers)
    #[command(before_long_help = examples!["ring show", "ring show --run RUN --json"])]
    Show(OfRun),
    /// Print the state a run had at the end of a phase
    #[command(before_long_help = examples!["ring get P1", "ring get generate --run RUN"])]
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
    #[command(before_long_help = examples!["ring verify", "ring verify --json"])]
    Verify,
    /// Show the difference between the states of two phases
    #[command(before_long_help = examples!["ring diff P1 P2"])]
    Diff {
        /// P0-P6 or the phase's name
        from: String,
        /// P0-P6 or the phase's name
        to: String,
        #[command(flatten)]
        of: OfRun,
    },
    /// Go back to the state of a phase and drop the later ones
    #[command(before_long_help = examples!["ring rollback P2 --run RUN"])]
    Rollback {
        /// P0-P6 or the phase's name
        phase: String,
        /// The run, by id or part of it
        #[arg(long, value_name = "RUN")]
        run: String,
    },
}
