//! The arguments of the `hefesto memory` subcommands about all stores. No behaviour.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

word_enum! {
    /// A store of the database.
    #[derive(ValueEnum)]
    Stored {
        /// Runs and what they changed
        Runs = "runs",
        Ring = "ring",
        /// Short-term memory, where it is in the project's database
        Stm = "stm",
        Fifo = "fifo",
        Ooda = "ooda",
        Turn = "turn",
        Long = "long",
        /// Refused secrets and foreign entries
        Security = "security",
    }
}

word_enum! {
    /// A period that ends now.
    #[derive(ValueEnum)]
    Period {
        /// The last 24 hours
        Day = "day",
        /// The last 7 days
        Week = "week",
        /// The last 30 days
        Month = "month",
        All = "all",
    }
}

impl Period {
    /// Its days; `None` for all.
    pub fn days(self) -> Option<i64> {
        match self {
            Self::Day => Some(1),
            Self::Week => Some(7),
            Self::Month => Some(30),
            Self::All => None,
        }
    }
}

#[derive(Debug, Args)]
pub struct Search {
    /// Words that must all be there, in any case
    pub query: String,
    /// Only this store
    #[arg(long, value_enum)]
    pub store: Option<Stored>,
    /// At most so many, the best first
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub limit: usize,
}

#[derive(Debug, Args)]
pub struct Timeline {
    /// Show the entries before and after this id
    #[arg(long, value_name = "ID")]
    pub around: Option<String>,
    /// Since a time, or how long ago: 30s, 15m, 2h, 7d
    #[arg(long, value_name = "WHEN")]
    pub since: Option<String>,
    /// Only this store
    #[arg(long, value_enum)]
    pub store: Option<Stored>,
    /// At most so many, the newest
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub limit: usize,
}

#[derive(Debug, Args)]
pub struct Tail {
    /// Wait for new entries and show them
    #[arg(short, long)]
    pub follow: bool,
    /// Only this store
    #[arg(long, value_enum)]
    pub store: Option<Stored>,
    /// At most so many, the newest
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub limit: usize,
}

#[derive(Debug, Args)]
pub struct Prune {
    /// Delete entries older than this: 12h, 30d
    #[arg(long, value_name = "AGE", default_value = "30d")]
    pub older_than: String,
    /// Only this store
    #[arg(long, value_enum)]
    pub store: Option<Stored>,
}

#[derive(Debug, Args)]
pub struct Export {
    /// Only this store
    #[arg(long, value_enum)]
    pub store: Option<Stored>,
    /// The file, which must not exist yet; `-` is standard output
    #[arg(default_value = "-")]
    pub file: PathBuf,
}

#[derive(Debug, Args)]
pub struct Import {
    /// The file; `-` is standard input
    pub file: PathBuf,
}

#[derive(Debug, Args)]
pub struct Delete {
    /// The id, as `search` and `timeline` show it
    pub id: String,
    /// The store, where several hold the id
    #[arg(long, value_enum)]
    pub store: Option<Stored>,
}

#[derive(Debug, Subcommand)]
pub enum Facts {
    /// List what was learned, the newest answers first
    #[command(before_long_help = examples!["facts list", "facts list --json"])]
    List,
    /// Forget one fact or answer, after showing it
    #[command(before_long_help = examples![
        "facts forget skill:review-sql --yes",
    ])]
    Forget {
        /// Its id, as `facts list` shows it
        id: String,
    },
}

#[derive(Debug, Args)]
pub struct Redact {
    /// The text to redact
    pub pattern: String,
    /// The pattern is a regular expression
    #[arg(long)]
    pub regex: bool,
}
