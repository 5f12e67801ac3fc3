//! The arguments of `hefesto memory turn`. No behaviour.

use clap::{Args, Subcommand};

use crate::memory::turn::{GoalKind, GoalPriority, ObservationKind};

#[derive(Debug, Subcommand)]
pub enum Turn {
    /// List the contexts of the runs (turns), newest first
    #[command(before_long_help = examples!["turn list", "turn list --limit 5 --json"])]
    List {
        /// At most so many, the newest
        #[arg(long, value_name = "N", default_value_t = 20)]
        limit: usize,
    },
    /// Show the context of a run: its sources, working memory and warnings
    #[command(before_long_help = examples!["turn show", "turn show pnspjbcy"])]
    Show(OfTurn),
    /// Show how many tokens each source got
    #[command(before_long_help = examples!["turn budget", "turn budget --json"])]
    Budget(OfTurn),
    /// Show the phases of a run with their times, targets and events
    #[command(before_long_help = examples!["turn trace", "turn trace pnspjbcy --json"])]
    Trace(OfTurn),
    /// Print the context a drafter would get for this description, with the source of each line
    #[command(before_long_help = examples![
        "turn context \"Extract tables\"", "turn context \"Review SQL\" --budget 1000",
    ])]
    Context {
        /// The description of a skill
        description: String,
        /// The tokens there are [default: the setting `turn.tokens`]
        #[arg(long, value_name = "TOKENS")]
        budget: Option<usize>,
    },
    /// Note something for the next runs (scratch page), mark a note as resolved, or list them
    #[command(before_long_help = examples![
        "turn observe \"Ask Ana\" --type reminder",
        "turn observe --content \\\n    '{\"type\": \"reminder\", \"content\": \"ask Ana\"}'", "turn observe --resolve 01jt8m",
        "turn observe",
    ])]
    Observe(Observe),
    /// Add a goal, a question or a story, mark one as done, or list them
    #[command(before_long_help = examples![
        "turn goal \"Cover all\" --due 2026-12-01",
        "turn goal \"Which licence?\" --kind question", "turn goal --done 01jt8m", "turn goal",
    ])]
    Goal(Goal),
}

#[derive(Debug, Clone, Args)]
pub struct OfTurn {
    /// The turn, by its id, its run's id or part of one [default: the newest]
    pub turn: Option<String>,
}

#[derive(Debug, Clone, Args)]
pub struct Observe {
    /// The note; without it the notes are listed
    pub text: Option<String>,
    /// pending_confirmation, contextual_insight, risk_alert, observation, action_suggestion, pattern_detected,
    /// dependency or reminder [default: observation]
    #[arg(long = "type", value_name = "TYPE")]
    pub kind: Option<ObservationKind>,
    /// Who or what noticed it [default: user]
    #[arg(long, value_name = "WHO")]
    pub source: Option<String>,
    /// Confidence, 0 to 1 [default: 0.5]
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub confidence: Option<f64>,
    /// A word to find it by; may be given again
    #[arg(long, value_name = "TAG")]
    pub tag: Vec<String>,
    /// Days until it expires [default: 7]
    #[arg(long, value_name = "DAYS", value_parser = clap::value_parser!(i64).range(1..=365))]
    pub days: Option<i64>,
    /// All of it as JSON: `content`, and `type`, `source`, `confidence`, `tags`, `days` (`-`: standard input)
    #[arg(long, value_name = "JSON", conflicts_with_all = ["text", "kind", "source", "confidence", "tag", "days"])]
    pub content: Option<String>,
    /// Mark this one as resolved
    #[arg(long, value_name = "ID", conflicts_with_all = ["text", "kind", "source", "confidence", "tag", "days", "content"])]
    pub resolve: Option<String>,
    /// List resolved and archived ones too
    #[arg(long, conflicts_with_all = ["text", "content", "resolve"])]
    pub all: bool,
}

#[derive(Debug, Clone, Args)]
pub struct Goal {
    /// The goal; without it the goals are listed
    pub text: Option<String>,
    /// goal, question or story [default: goal]
    #[arg(long, value_name = "KIND")]
    pub kind: Option<GoalKind>,
    /// critical, high, medium or low [default: medium]
    #[arg(long, value_name = "PRIORITY")]
    pub priority: Option<GoalPriority>,
    /// The day it is due, YYYY-MM-DD
    #[arg(long, value_name = "DATE")]
    pub due: Option<jiff::civil::Date>,
    /// It blocks other work
    #[arg(long)]
    pub blocking: bool,
    /// All of it as JSON: `text`, and `kind`, `priority`, `due`, `blocking` (`-`: standard input)
    #[arg(long, value_name = "JSON", conflicts_with_all = ["text", "kind", "priority", "due", "blocking"])]
    pub content: Option<String>,
    /// Mark this one as done
    #[arg(long, value_name = "ID", conflicts_with_all = ["text", "kind", "priority", "due", "blocking", "content"])]
    pub done: Option<String>,
    /// List those that are done too
    #[arg(long, conflicts_with_all = ["text", "content", "done"])]
    pub all: bool,
}

fn share(word: &str) -> Result<f64, String> {
    let share = word.parse::<f64>().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "a share is a number from 0 to 1".into())
}
