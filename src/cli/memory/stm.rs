//! The arguments of `hefesto memory stm`. No behaviour.

use clap::{Args, Subcommand, ValueEnum};

use crate::memory::stm::{Category, Priority, Word};

#[derive(Debug, Subcommand)]
pub enum Stm {
    /// List the sessions, newest first
    #[command(before_long_help = examples!["stm sessions", "stm sessions --limit 5 --json"])]
    Sessions {
        /// At most so many, the newest
        #[arg(long, value_name = "N", default_value_t = 50)]
        limit: usize,
    },
    /// Open a session
    #[command(before_long_help = examples!["stm open", "stm open --session wave_5 --actor foreman"])]
    Open {
        /// Its id [default: a new one]
        #[arg(long, value_name = "ID")]
        session: Option<Word>,
        #[command(flatten)]
        who: Who,
    },
    /// Store an entry; opens its session where necessary
    #[command(
        before_long_help = "Examples:\n  hefesto memory stm store --session s1 \\\n    --category user_input --content '{\"input\": \"Sort it\"}'\n  git diff --stat | jq -Rs . |\n    hefesto memory stm store --session s1 \\\n      --category system_state --priority low\n"
    )]
    Store(Store),
    /// Show a session's entries, newest first
    #[command(before_long_help = examples![
        "stm recall --session s1", "stm recall --session s1 --since 15m --json",
    ])]
    Recall(Recall),
    /// Merge JSON into an entry's content; its expiry does not change
    #[command(before_long_help = examples![
        "stm update --session s1 \\\n    --category active_task \\\n    --content '{\"data\": {\"status\": \"completed\"}}'",
        "stm update --session s1 --id ENTRY \\\n    --content '{\"data\": {\"step\": 3}}'",
    ])]
    Update(Update),
    /// Delete expired and low-priority entries; high priority stays
    #[command(before_long_help = examples!["stm prune --session s1", "stm prune --session s1 --limit 100"])]
    Prune {
        #[command(flatten)]
        of: Of,
        /// Keep this many: the highest priority, then the newest
        #[arg(long, value_name = "N", conflicts_with = "strategy")]
        limit: Option<usize>,
        /// What to delete, without --limit
        #[arg(long, value_enum, value_name = "WHAT", default_value = "lowest-priority")]
        strategy: Strategy,
    },
    /// Delete a session, or one entry of it, at once
    #[command(before_long_help = examples!["stm purge --session s1", "stm purge --session s1 --id ENTRY"])]
    Purge {
        #[command(flatten)]
        of: Of,
        /// Only this entry
        #[arg(long, value_name = "ENTRY")]
        id: Option<String>,
    },
    /// Delete what ended or expired at least five minutes ago
    #[command(before_long_help = examples!["stm sweep", "stm sweep --json"])]
    Sweep,
    /// Count sessions, entries and errors of a period
    #[command(before_long_help = examples!["stm stats", "stm stats --period 7d --json"])]
    Stats {
        /// The period: a number and s, m, h or d; hourly counts are kept for 90 days
        #[arg(long, value_name = "TIME", default_value = "24h")]
        period: String,
    },
    /// End a session; it is hidden at once and deleted five minutes later
    #[command(before_long_help = examples!["stm end --session s1"])]
    End(Of),
    /// Show a session's last entries, and with -f the new ones as they come
    #[command(before_long_help = examples![
        "stm tail --session s1 -f", "stm tail --session s1 -f --json",
    ])]
    Tail(Tail),
}

#[derive(Debug, Clone, Args)]
pub struct Of {
    /// The session
    #[arg(long, value_name = "ID")]
    pub session: Word,
    /// Where it was opened (embodiment) [default: who runs hefesto]
    #[arg(long, value_name = "NAME")]
    pub embodiment: Option<Word>,
}

#[derive(Debug, Clone, Args)]
pub struct Who {
    /// Who it is by [default: who runs hefesto: user, ci or agent]
    #[arg(long, value_name = "NAME")]
    pub actor: Option<Word>,
    /// Where the session was opened (embodiment) [default: who runs hefesto: cli, ci or the AI CLI]
    #[arg(long, value_name = "NAME")]
    pub embodiment: Option<Word>,
}

#[derive(Debug, Clone, Args)]
pub struct Store {
    /// The session
    #[arg(long, value_name = "ID")]
    pub session: Word,
    /// conversation, active_task, reasoning_state, user_input or system_state
    #[arg(long)]
    pub category: Category,
    /// low, medium or high; low goes first when the session is full, high never
    #[arg(long, default_value = "medium")]
    pub priority: Priority,
    #[command(flatten)]
    pub who: Who,
    /// A word to find it by
    #[arg(long = "tag", value_name = "TAG")]
    pub tags: Vec<Word>,
    /// Seconds it lives, 24 hours at most [default: 24 hours]
    #[arg(long, value_name = "SECS", value_parser = clap::value_parser!(u32).range(1..=86400))]
    pub ttl: Option<u32>,
    /// The content, JSON [default: standard input]
    #[arg(long, value_name = "JSON")]
    pub content: Option<String>,
}

#[derive(Debug, Clone, Args)]
pub struct Recall {
    #[command(flatten)]
    pub of: Of,
    /// Only these categories, comma separated
    #[arg(long, value_delimiter = ',')]
    pub category: Vec<Category>,
    /// Only by this one
    #[arg(long, value_name = "NAME")]
    pub actor: Option<Word>,
    /// Only with this tag; several: with all of them
    #[arg(long = "tag", value_name = "TAG")]
    pub tags: Vec<Word>,
    /// Only what was stored then or later: a time (RFC 3339) or how long ago (30s, 15m, 2h, 1d)
    #[arg(long, value_name = "TIME")]
    pub since: Option<String>,
    /// Only this entry
    #[arg(long, value_name = "ENTRY")]
    pub id: Option<String>,
    /// At most so many, the newest
    #[arg(long, value_name = "N", default_value_t = crate::memory::stm::RECALLED)]
    pub limit: usize,
    /// Also what has expired, as long as it is not deleted
    #[arg(long)]
    pub include_expired: bool,
}

#[derive(Debug, Clone, Args)]
pub struct Update {
    #[command(flatten)]
    pub of: Of,
    /// The entry [default: the newest, of --category where that is given]
    #[arg(long, value_name = "ENTRY")]
    pub id: Option<String>,
    /// The newest of this category
    #[arg(long, conflicts_with = "id")]
    pub category: Option<Category>,
    /// What changes, JSON; null removes a field [default: standard input]
    #[arg(long, value_name = "JSON")]
    pub content: Option<String>,
}

/// What is pruned where no number is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Strategy {
    /// The oldest fifth of the medium and the oldest half of the low entries
    LowestPriority,
    Oldest,
}

#[derive(Debug, Clone, Args)]
pub struct Tail {
    #[command(flatten)]
    pub of: Of,
    /// Only these categories, comma separated
    #[arg(long, value_delimiter = ',')]
    pub category: Vec<Category>,
    /// How many to begin with
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub limit: usize,
    /// Go on with new ones until Ctrl-C
    #[arg(short, long)]
    pub follow: bool,
}
