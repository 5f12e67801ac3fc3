//! The arguments of the commands about the copies of a skill. No behaviour.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};

use crate::client::target::Selection;
use crate::skill::{package::Form, version::Bump};

#[derive(Debug, Clone, Args)]
pub struct Status {
    /// The skills; none looks at all of them
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,
    /// End with 1 unless every copy is as it was installed
    #[arg(long)]
    pub check: bool,
}

#[derive(Debug, Clone, Args)]
pub struct Sync {
    /// The skills; none brings all of them together
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,
    /// The CLI whose copy all others become; edits of the others stay in the backup only
    #[arg(long, value_name = "CLIENT")]
    pub from: Option<String>,
    /// What to do where two copies were changed differently: `ask`, `ours=CLIENT` or `cancel`
    #[arg(long, value_name = "HOW", default_value = "ask", conflicts_with = "from")]
    pub on_conflict: OnConflict,
    #[command(flatten)]
    pub revision: Revision,
}

#[derive(Debug, Clone, Args)]
pub struct Edit {
    /// The skill
    pub name: String,
    /// Begin with this text, such as one kept in `.hefesto/unsaved`
    #[arg(long, value_name = "FILE")]
    pub from: Option<PathBuf>,
    #[command(flatten)]
    pub revision: Revision,
}

// What happens to the version of a skill whose text changes.
#[derive(Debug, Clone, Copy, Args)]
pub struct Revision {
    /// Which part of `metadata.version` is raised, unless you set it yourself
    #[arg(long, value_name = "PART", default_value = "patch", value_parser = bump())]
    pub bump: Bump,
}

fn bump() -> impl TypedValueParser<Value = Bump> {
    PossibleValuesParser::new(["patch", "minor", "major", "none"]).map(|word| match word.as_str() {
        "patch" => Bump::Patch,
        "minor" => Bump::Minor,
        "major" => Bump::Major,
        _ => Bump::None,
    })
}

#[derive(Debug, Clone, Args)]
pub struct Adopt {
    /// A skill in a CLI's directory, by name; or a path: a skill's folder, its SKILL.md, a folder or checkout with
    /// several
    #[arg(value_name = "PATH|NAME", required_unless_present = "all", conflicts_with = "all")]
    pub what: Option<String>,
    /// Every skill in a CLI's directory that was not installed by hefesto
    #[arg(long)]
    pub all: bool,
    #[command(flatten)]
    pub incoming: Incoming,
}

#[derive(Debug, Clone, Args)]
pub struct Convert {
    /// Commands, rules, prompts and instructions of AI CLIs (.md, .mdc, .toml); of a directory, those in it
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<String>,
    #[command(flatten)]
    pub incoming: Incoming,
}

// How skills come in that others made.
#[derive(Debug, Clone, Args)]
pub struct Incoming {
    /// Target ids, comma separated, or `all`: where copies go [default: as `create`], or whose copies are adopted in
    /// place
    #[arg(long, visible_alias = "cli", value_name = "LIST")]
    pub target: Option<Selection>,
    /// What to do where another skill of that name stands
    #[arg(long, value_enum, value_name = "HOW", default_value = "ask")]
    pub on_collision: OnPlace,
    /// Show what would be done, write nothing
    #[arg(long)]
    pub dry_run: bool,
}

/// What happens where another skill exists in the place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OnPlace {
    Ask,
    /// Replace it, after a verified backup
    Overwrite,
    /// Leave it, and the skill that comes in out
    Skip,
    Cancel,
}

#[derive(Debug, Clone, Args)]
pub struct Outdated {
    /// The skills; none looks at all of them
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,
}

#[derive(Debug, Clone, Args)]
pub struct Update {
    /// The skill
    #[arg(value_name = "NAME", conflicts_with = "all")]
    pub name: Option<String>,
    /// Every skill whose template or pack is newer
    #[arg(long)]
    pub all: bool,
    /// Which text holds where you and the newer one changed the same lines, now or at an earlier update
    #[arg(long, value_enum, value_name = "WHOSE", default_value = "mine")]
    pub on_conflict: Whose,
    /// Show what would be done, write nothing
    #[arg(long)]
    pub dry_run: bool,
    #[command(flatten)]
    pub revision: Revision,
}

/// The side whose text holds where both changed the same lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Whose {
    Mine,
    Newer,
}

#[derive(Debug, Clone, Args)]
pub struct Add {
    /// The skill
    pub name: String,
    /// Target ids, comma separated, or `all` detected ones
    #[arg(long, visible_alias = "cli", value_name = "LIST")]
    pub target: Selection,
}

#[derive(Debug, Clone, Args)]
pub struct Rename {
    /// The name it has
    #[arg(value_name = "OLD")]
    pub old: String,
    /// The name it gets
    #[arg(value_name = "NEW")]
    pub new: String,
}

/// What happens where two copies were changed differently in one place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OnConflict {
    Ask,
    /// This client's text holds.
    Ours(String),
    Cancel,
}

impl std::str::FromStr for OnConflict {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.split_once('=') {
            None if text == "ask" => Ok(Self::Ask),
            None if text == "cancel" => Ok(Self::Cancel),
            Some(("ours", client)) if !client.is_empty() => Ok(Self::Ours(client.to_ascii_lowercase())),
            _ => Err("it is `ask`, `cancel` or `ours=CLIENT`".to_owned()),
        }
    }
}

#[derive(Debug, Clone, Args)]
pub struct Log {
    /// The skill
    pub name: String,
}

#[derive(Debug, Clone, Args)]
pub struct Diff {
    /// The skill
    pub name: String,
    /// A client's copy, a version, or `installed` [default: what was installed]
    pub a: Option<String>,
    /// The same, for the other side [default: the copies that are there]
    pub b: Option<String>,
    /// Old and new in two columns [default: on a terminal of at least 120 columns]
    #[arg(long)]
    pub side_by_side: bool,
    /// Old and new one above the other [default: elsewhere]
    #[arg(long, conflicts_with = "side_by_side")]
    pub unified: bool,
}

#[derive(Debug, Clone, Args)]
pub struct Pack {
    /// The skills
    #[arg(value_name = "NAME", required = true)]
    pub names: Vec<String>,
    /// What to make of them
    #[arg(long = "as", value_enum, default_value = "skill", value_name = "FORM")]
    pub form: PackForm,
    /// Where it goes: a directory, or a file ending in `.skill` [default: NAME.skill, else NAME-FORM/]
    #[arg(long, value_name = "PATH")]
    pub out: Option<PathBuf>,
    /// The name of the plugin or extension [default: that of the only skill, else of the project]
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Write nothing; end with 1 unless what is there is what would be made
    #[arg(long)]
    pub check: bool,
}

word_enum! {
    #[derive(ValueEnum)]
    PackForm {
        /// A `.skill` archive for each skill
        Skill = "skill",
        /// A plugin of Agent Plugins 1.0
        Plugin = "plugin",
        /// A plugin of Claude Code, with a marketplace
        Claude = "claude",
        /// A plugin of Codex
        Codex = "codex",
        /// An extension of Gemini CLI
        Gemini = "gemini",
    }
}

impl PackForm {
    /// The plugin or extension it is; none is an archive.
    pub fn plugin(self) -> Option<Form> {
        match self {
            Self::Skill => None,
            Self::Plugin => Some(Form::Plugin),
            Self::Claude => Some(Form::Claude),
            Self::Codex => Some(Form::Codex),
            Self::Gemini => Some(Form::Gemini),
        }
    }

    /// The client it is for; none is any.
    pub fn client(self) -> Option<&'static str> {
        match self {
            Self::Skill | Self::Plugin => None,
            Self::Claude | Self::Codex | Self::Gemini => Some(self.word()),
        }
    }
}
