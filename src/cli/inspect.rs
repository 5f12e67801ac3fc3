//! The arguments of the commands that only read: `detect`, `validate`, `grade`, `facts`, `match`, `why`, `list`,
//! `show`. No behaviour.

use clap::{Args, ValueEnum};

#[derive(Debug, Clone, Args)]
pub struct Detect {
    /// Record versions and status of known CLIs too
    #[arg(long)]
    pub force: bool,
    /// List every client hefesto knows, installed or not
    #[arg(long)]
    pub all: bool,
}

#[derive(Debug, Clone, Args)]
pub struct Validate {
    /// Skills by name or path (a tree is searched, `-` reads a list); none checks every installed one
    pub skills: Vec<String>,
    /// Only the copies of this CLI
    #[arg(long, value_name = "ID")]
    pub cli: Option<String>,
    /// The profile to check with [default: the clients each skill is for]
    #[arg(long, value_name = "PROFILE", value_parser = clap::builder::PossibleValuesParser::new(crate::rules::profiles()))]
    pub profile: Option<String>,
    /// End with exit 1 on warnings, too
    #[arg(long)]
    pub strict: bool,
    /// Show too what each client will see of the skills
    #[arg(long)]
    pub fit: bool,
    /// How the findings are written [default: text]
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub format: Option<Format>,
    /// Fix what is certain: shown as a difference, then asked, then written with a backup
    #[arg(long)]
    pub fix: bool,
    /// With --fix: show the difference and write nothing
    #[arg(long, requires = "fix")]
    pub dry_run: bool,
}

#[derive(Debug, Clone, Args)]
pub struct Grade {
    /// The skill, by name or path
    #[arg(value_name = "NAME|PATH")]
    pub skill: String,
}

#[derive(Debug, Clone, Args)]
pub struct Facts {
    /// Only facts relevant to this sentence
    pub sentence: Option<String>,
}

#[derive(Debug, Clone, Args)]
pub struct Match {
    /// What somebody would ask an agent
    pub prompt: String,
    /// Only the skills this CLI lists
    #[arg(long, value_name = "ID")]
    pub cli: Option<String>,
}

#[derive(Debug, Clone, Args)]
pub struct Why {
    /// The skill; with --prompt the one that was expected
    #[arg(value_name = "NAME")]
    pub name: Option<String>,
    /// Only what this CLI makes of it [default: every CLI that is here or has a copy]
    #[arg(long, value_name = "ID")]
    pub cli: Option<String>,
    /// What somebody would ask an agent: which skill each CLI's model would take for it
    #[arg(long, value_name = "TEXT")]
    pub prompt: Option<String>,
}

/// How `validate` writes its findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people, with the lines they are about
    Text,
    Json,
    /// A SARIF 2.1.0 log
    Sarif,
    /// Annotations for a GitHub workflow
    Github,
}

#[derive(Debug, Clone, Args)]
pub struct List {
    /// Only the registered CLIs
    #[arg(long)]
    pub clis: bool,
    /// Only the registered skills
    #[arg(long)]
    pub skills: bool,
    /// Compare the registry with the files on disk
    #[arg(long)]
    pub check_sync: bool,
}

#[derive(Debug, Clone, Args)]
pub struct Show {
    /// The skill, or NAME@VERSION for a version that is kept
    pub name: String,
    /// Which copy, where copies differ
    #[arg(long, value_name = "ID")]
    pub cli: Option<String>,
    /// Only the frontmatter
    #[arg(long, conflicts_with = "body_only")]
    pub metadata_only: bool,
    /// Only the text after the frontmatter
    #[arg(long)]
    pub body_only: bool,
}
