//! The arguments of `delete`, `restore`, `backups`, `undo` and `runs`. No behaviour.

use clap::Args;

#[derive(Debug, Clone, Args)]
pub struct Delete {
    /// The skill
    pub name: String,
    /// Only the copies of these CLIs
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub cli: Vec<String>,
    /// Whether a backup is kept [default: true]
    #[arg(long, value_name = "BOOL", num_args = 0..=1, default_missing_value = "true")]
    pub backup: Option<bool>,
}

#[derive(Debug, Clone, Args)]
pub struct Restore {
    /// A skill's name (its newest backup), NAME@VERSION (a version that is kept), or a backup's file
    #[arg(value_name = "NAME|FILE")]
    pub what: String,
}

#[derive(Debug, Clone, Args)]
pub struct Backups {
    /// Remove all but the newest of each skill; shows the plan and asks first
    #[arg(long)]
    pub prune: bool,
    /// How many of each skill stay [default: 5]
    #[arg(long, value_name = "N", default_value_t = 5, hide_default_value = true, requires = "prune")]
    pub keep: usize,
}

#[derive(Debug, Clone, Args)]
pub struct Undo {
    /// The run, by id or part of it [default: the last that changed a skill]
    pub run: Option<String>,
}

#[derive(Debug, Clone, Args)]
pub struct Runs {
    /// End a run that waits, by id or part of it; what it had done so far is deleted
    #[arg(long, value_name = "RUN", num_args = 0..=1)]
    pub discard: Option<Option<String>>,
    /// With --discard: every run that waits
    #[arg(long, requires = "discard")]
    pub all: bool,
}
