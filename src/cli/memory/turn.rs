//! What may be typed after `hefesto memory turn`. No behaviour.

use clap::{Args, Subcommand};

/// `hefesto memory turn`.
#[derive(Debug, Subcommand)]
pub enum Turn {
    /// List the turns, newest first
    #[command(
        before_long_help = "Examples:\n  hefesto memory turn list\n  hefesto memory turn list --limit 5 --json\n"
    )]
    List {
        #[arg(long, value_name = "N", default_value_t = 20)]
        limit: usize,
    },
    /// One turn: its sources, its working memory, what was not as it should be
    #[command(before_long_help = "Examples:\n  hefesto memory turn show\n  hefesto memory turn show pnspjbcy\n")]
    Show(OfTurn),
    /// How the tokens of a turn were shared
    #[command(before_long_help = "Examples:\n  hefesto memory turn budget\n  hefesto memory turn budget --json\n")]
    Budget(OfTurn),
    /// Every phase of a turn with its time, its target and what happened in it
    #[command(
        before_long_help = "Examples:\n  hefesto memory turn trace\n  hefesto memory turn trace pnspjbcy --json\n"
    )]
    Trace(OfTurn),
    /// Print what a drafter would be given for this description, and where each line is from; changes nothing
    #[command(
        before_long_help = "Examples:\n  hefesto memory turn context \"Extract tables from PDF files\"\n  hefesto memory turn context \"Review SQL\" --budget 1000 --json\n"
    )]
    Context {
        description: String,
        #[arg(long, value_name = "TOKENS", default_value_t = crate::memory::turn::TOTAL)]
        budget: usize,
    },
    /// Note something on the scratch page, mark it as dealt with, or list the page
    #[command(
        before_long_help = "Examples:\n  hefesto memory turn observe \"The staging key expires on Friday\" --type risk_alert\n  hefesto memory turn observe --content '{\"type\": \"reminder\", \"content\": \"ask Ana\"}'\n  hefesto memory turn observe --resolve 01jt8m\n  hefesto memory turn observe\n"
    )]
    Observe(Observe),
    /// Note a goal, a question or a story, mark it as done, or list them
    #[command(
        before_long_help = "Examples:\n  hefesto memory turn goal \"Cover every release task\" --priority high --due 2026-12-01\n  hefesto memory turn goal \"Which licence?\" --kind question\n  hefesto memory turn goal --done 01jt8m\n  hefesto memory turn goal\n"
    )]
    Goal(Goal),
}

#[derive(Debug, Clone, Args)]
pub struct OfTurn {
    /// The turn, by its id, its run's id or part of one [default: the newest]
    pub turn: Option<String>,
}

/// `hefesto memory turn observe`.
#[derive(Debug, Clone, Args)]
pub struct Observe {
    /// What was noticed; nothing lists the page
    pub text: Option<String>,
    /// pending_confirmation, contextual_insight, risk_alert, observation, action_suggestion, pattern_detected,
    /// dependency or reminder [default: observation]
    #[arg(long = "type", value_name = "TYPE", value_parser = kind)]
    pub kind: Option<crate::memory::turn::ObservationKind>,
    /// Who or what noticed it [default: user]
    #[arg(long, value_name = "WHO")]
    pub source: Option<String>,
    /// How sure it is, 0 to 1 [default: 0.5]
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub confidence: Option<f64>,
    /// A word to find it by; may be given again
    #[arg(long, value_name = "TAG")]
    pub tag: Vec<String>,
    /// Days until it goes [default: 7]
    #[arg(long, value_name = "DAYS", value_parser = clap::value_parser!(i64).range(1..=365))]
    pub days: Option<i64>,
    /// All of it as JSON: `content`, and `type`, `source`, `confidence`, `tags`, `days` (`-`: standard input)
    #[arg(long, value_name = "JSON", conflicts_with_all = ["text", "kind", "source", "confidence", "tag", "days"])]
    pub content: Option<String>,
    /// Mark this one as dealt with
    #[arg(long, value_name = "ID", conflicts_with_all = ["text", "kind", "source", "confidence", "tag", "days", "content"])]
    pub resolve: Option<String>,
    /// List those that are dealt with or set aside too
    #[arg(long, conflicts_with_all = ["text", "content", "resolve"])]
    pub all: bool,
}

/// `hefesto memory turn goal`.
#[derive(Debug, Clone, Args)]
pub struct Goal {
    /// What is wanted; nothing lists the goals
    pub text: Option<String>,
    /// goal, question or story [default: goal]
    #[arg(long, value_name = "KIND", value_parser = aim)]
    pub kind: Option<crate::memory::turn::Aim>,
    /// critical, high, medium or low [default: medium]
    #[arg(long, value_name = "PRIORITY", value_parser = priority)]
    pub priority: Option<crate::memory::turn::Priority>,
    /// The day it is due, YYYY-MM-DD
    #[arg(long, value_name = "DATE")]
    pub due: Option<jiff::civil::Date>,
    /// Other things wait for it
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

fn kind(word: &str) -> Result<crate::memory::turn::ObservationKind, String> {
    let all = crate::memory::turn::ObservationKind::ALL.map(crate::memory::turn::ObservationKind::word).join(", ");
    crate::memory::turn::ObservationKind::find(word).ok_or_else(|| format!("the types are {all}"))
}

fn aim(word: &str) -> Result<crate::memory::turn::Aim, String> {
    crate::memory::turn::Aim::find(word).ok_or_else(|| "the kinds are goal, question and story".into())
}

fn priority(word: &str) -> Result<crate::memory::turn::Priority, String> {
    crate::memory::turn::Priority::find(word).ok_or_else(|| "the priorities are critical, high, medium and low".into())
}

fn share(word: &str) -> Result<f64, String> {
    let share = word.parse::<f64>().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "a share is a number from 0 to 1".into())
}
