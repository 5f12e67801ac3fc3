//! The arguments of `hefesto memory ring`. No behaviour.

use clap::Subcommand;

use super::OfRun;

#[derive(Debug, Subcommand)]
pub enum Ring {
    /// Slots, markers and write head
    Show(OfRun),
    /// The state of one phase
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
    Verify,
    /// The difference between the states of two phases
    Diff {
        /// P0-P6 or the phase's name
        from: String,
        /// P0-P6 or the phase's name
        to: String,
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
