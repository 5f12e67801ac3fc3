//! The arguments of `hefesto memory fifo`. No behaviour.

use clap::Subcommand;

use crate::memory::fifo::EntityType;

#[derive(Debug, Subcommand)]
pub enum Fifo {
    /// Store a conversation; where the queue is full, the oldest is removed (evicted)
    #[command(before_long_help = examples![
        "fifo add --content \\\n    '{\"conversation_id\": \"login\", \"title\": \"Fix it\",\n     \"messages\": [{\"role\": \"user\", \"content\": \"Look\"}]}'",
        "fifo add < conversation.json",
    ])]
    Add {
        /// {conversation_id, title, messages: [{role, content}], tags, summary, is_active}; only the title must be
        /// there [default: standard input]
        #[arg(long, value_name = "JSON")]
        content: Option<String>,
    },
    /// Add messages to a conversation
    #[command(before_long_help = examples![
        "fifo append login --content \\\n    '{\"role\": \"assistant\", \"content\": \"Done\"}'",
    ])]
    Append {
        /// The conversation, which is opened where necessary
        id: String,
        /// {role, content}, or a list of them [default: standard input]
        #[arg(long, value_name = "JSON")]
        content: Option<String>,
    },
    /// List the conversations, the newest first
    #[command(before_long_help = examples!["fifo recent", "fifo recent --limit 5 --json"])]
    Recent {
        /// At most so many, the newest
        #[arg(long, value_name = "N", default_value_t = 20)]
        limit: usize,
    },
    /// Show a conversation with its messages and entities
    #[command(before_long_help = examples!["fifo show login"])]
    Show {
        /// The conversation
        id: String,
    },
    /// Change title, summary or tags
    #[command(before_long_help = examples![
        "fifo update login --summary \"Done\" --tag x",
    ])]
    #[command(group(clap::ArgGroup::new("what").required(true).multiple(true).args(["title", "summary", "tag"])))]
    Update {
        /// The conversation
        id: String,
        /// The new title
        #[arg(long)]
        title: Option<String>,
        /// The new summary
        #[arg(long)]
        summary: Option<String>,
        /// A tag; together they replace all there were
        #[arg(long, value_name = "TAG")]
        tag: Vec<String>,
    },
    /// Make a conversation the active one; it is never removed to make room
    #[command(before_long_help = examples!["fifo activate login"])]
    Activate {
        /// The conversation
        id: String,
    },
    /// Extract the files, classes, methods, variables and concepts of a conversation, or of a text
    #[command(before_long_help = examples![
        "fifo extract login", "fifo extract --text 'See src/main.py'",
    ])]
    Extract {
        /// The conversation
        #[arg(required_unless_present = "text")]
        id: Option<String>,
        /// Extract from this text, and store nothing (`-`: standard input)
        #[arg(long, conflicts_with = "id")]
        text: Option<String>,
    },
    /// Find conversations that contain all of these words, whole or in part
    #[command(before_long_help = examples!["fifo search \"TDD enforcement\"", "fifo search '\"null pointer\" login'"])]
    Search {
        /// Words; double quotes make a phrase. There are no wildcards
        #[arg(allow_hyphen_values = true)]
        query: String,
        /// At most so many, the best first
        #[arg(long, value_name = "N", default_value_t = 20)]
        limit: usize,
    },
    /// List entities and how often they are named
    #[command(before_long_help = examples!["fifo entities", "fifo entities --type file"])]
    Entities {
        /// file, class, method, variable or concept
        #[arg(long = "type", value_name = "TYPE")]
        kind: Option<EntityType>,
        /// At most so many, the most frequent
        #[arg(long, value_name = "N", default_value_t = 50)]
        limit: usize,
    },
    /// List the conversations that name an entity
    #[command(before_long_help = examples!["fifo find --type file --name main.py"])]
    Find {
        /// file, class, method, variable or concept
        #[arg(long = "type", value_name = "TYPE")]
        kind: EntityType,
        /// Its name; of a file the last part of the path is enough
        #[arg(long)]
        name: String,
    },
    /// List the conversations stored between two times, both included
    #[command(before_long_help = examples![
        "fifo range --from 2026-02-01", "fifo range --from 2026-02-05T10:00:00Z",
    ])]
    Range {
        /// A date or an RFC 3339 time (UTC) [default: the beginning]
        #[arg(long, value_name = "WHEN", required_unless_present = "to")]
        from: Option<String>,
        /// A date or an RFC 3339 time (UTC) [default: now]
        #[arg(long, value_name = "WHEN")]
        to: Option<String>,
    },
    /// Count conversations, messages, entities and patterns
    #[command(before_long_help = examples!["fifo stats"])]
    Stats,
    /// List the conversations removed to make room, newest first
    #[command(before_long_help = examples!["fifo evictions"])]
    Evictions {
        /// At most so many, the newest
        #[arg(long, value_name = "N", default_value_t = 20)]
        limit: usize,
    },
    /// Delete a conversation and the entities that only it names
    #[command(before_long_help = examples!["fifo delete login"])]
    Delete {
        /// The conversation
        id: String,
    },
}
