//! The arguments of `hefesto memory ooda`. No behaviour.

use clap::{Args, Subcommand};

use crate::memory::ooda::{NodeStatus, Source};

#[derive(Debug, Subcommand)]
pub enum Ooda {
    /// Show the task graphs: status of each node, completion, next step
    #[command(before_long_help = examples!["ooda dag", "ooda dag --epoch 01JT --json"])]
    Dag(OfEpoch),
    /// Register a graph with all its nodes pending
    #[command(before_long_help = examples!["ooda register b --node get --node build"])]
    Register {
        /// The id of the graph
        dag: String,
        /// A node of the graph; may be repeated
        #[arg(long, value_name = "NODE")]
        node: Vec<String>,
        #[command(flatten)]
        of: OfEpoch,
    },
    /// Set a node's status; an unknown graph or node is added
    #[command(before_long_help = examples!["ooda update --dag b \\\n    --node get --status completed"])]
    Update {
        /// The id of the graph
        #[arg(long, value_name = "DAG")]
        dag: String,
        /// The node
        #[arg(long, value_name = "NODE")]
        node: String,
        /// pending, running, completed, failed, or parked (waiting)
        #[arg(long, value_name = "STATUS")]
        status: NodeStatus,
        #[command(flatten)]
        of: OfEpoch,
    },
    /// Add an event: JSON with `description`, and `event_id`, `source`, `payload`, `priority` where they matter
    #[command(before_long_help = examples!["ooda push \\\n    --content '{\"description\": \"full\"}'"])]
    Push {
        /// The event as JSON [default: standard input]
        #[arg(long, value_name = "JSON")]
        content: Option<String>,
        #[command(flatten)]
        of: OfEpoch,
    },
    /// List the events, newest first
    #[command(before_long_help = examples!["ooda events --limit 10", "ooda events --evicted"])]
    Events {
        /// At most so many, the newest
        #[arg(long, value_name = "N", default_value_t = 50)]
        limit: usize,
        /// Only of this source: user, mcp_tool, rag, artifact_bus, system or webhook
        #[arg(long, value_name = "SOURCE")]
        source: Option<Source>,
        /// Only of at least this priority
        #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
        priority: u32,
        /// Show events removed to make room, of all loops
        #[arg(long, conflicts_with_all = ["source", "priority"])]
        evicted: bool,
        #[command(flatten)]
        of: OfEpoch,
    },
    /// Cache a value for a time
    #[command(before_long_help = examples!["ooda cache api_id --content '\"a1\"'"])]
    Cache(Cache),
    /// Read a cached value; it becomes the most recently used
    #[command(before_long_help = examples!["ooda get api_id"])]
    Get {
        /// The key of the value
        key: String,
        #[command(flatten)]
        of: OfEpoch,
    },
    /// Show graphs, recent events and cached values, filtered by words
    #[command(before_long_help = examples!["ooda context", "ooda context disk --json"])]
    Context {
        /// Words that an event or a value must contain
        query: Option<String>,
        #[command(flatten)]
        of: OfEpoch,
    },
    /// Summarise a loop and clear it
    #[command(before_long_help = examples!["ooda flush"])]
    Flush(OfEpoch),
    /// Remove expired values and old events from every open loop
    #[command(before_long_help = examples!["ooda evict --max-age 600"])]
    Evict {
        /// Seconds after which an event is old [default: the setting `ooda.event_seconds`]
        #[arg(long, value_name = "SECS")]
        max_age: Option<u32>,
    },
    /// List the loops (epochs), the one written to last first
    #[command(before_long_help = examples!["ooda epochs"])]
    Epochs {
        /// At most so many, the newest
        #[arg(long, value_name = "N", default_value_t = 20)]
        limit: usize,
    },
}

#[derive(Debug, Clone, Args)]
pub struct Cache {
    /// The key of the value
    pub key: String,
    /// Its value as JSON [default: standard input]
    #[arg(long, value_name = "JSON")]
    pub content: Option<String>,
    /// Seconds until it expires; 0 or less expires at once [default: the setting `ooda.entity_seconds`]
    #[arg(long, value_name = "SECS", allow_negative_numbers = true)]
    pub ttl: Option<i64>,
    /// The event it comes from
    #[arg(long, value_name = "EVENT")]
    pub event: Option<String>,
    #[command(flatten)]
    pub of: OfEpoch,
}

#[derive(Debug, Clone, Default, Args)]
pub struct OfEpoch {
    /// The loop (epoch), by its id or its run's [default: to read, the one written to last; to write, an open one of no run]
    #[arg(long, visible_alias = "run", value_name = "ID")]
    pub epoch: Option<String>,
}
