//! The arguments of `delete`, `restore`, `backups`, `undo`, `runs` and `templates`. No behaviour.

use clap::{Args, Subcommand};

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

#[derive(Debug, Subcommand)]
pub enum Templates {
    /// Every template: where it comes from, its version, what it takes the place of
    List,
    /// One template's text, and the variables it may use
    Show {
        /// The template; may be left out with --variables
        #[arg(required_unless_present = "variables")]
        name: Option<String>,
        /// The variables of templates, and which of them this one uses
        #[arg(long)]
        variables: bool,
    },
    /// Begin a template of the project's own: a copy of the built-in one in `.hefesto/templates/`
    New {
        /// Its name: lowercase letters, digits and single hyphens
        name: String,
    },
    /// Render templates with sample values and check what comes out for every client
    Check {
        /// The template; none checks all
        name: Option<String>,
    },
}
