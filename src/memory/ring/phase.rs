//! The seven phases of a run, by number and by name.

use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};

/// P0–P6 (RUN-1). The enum labels checkpoints, errors and output; it drives nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Phase {
    /// P0: find the project, the clients and interrupted work.
    Preflight,
    /// P1: arguments or wizard become a request.
    Intake,
    /// P2: the request becomes a draft.
    Generate,
    /// P3: the rules check the draft.
    Validate,
    /// P4: a person decides.
    Approve,
    /// P5: all files are written, or none.
    Persist,
    /// P6: report and learn.
    Finish,
}

impl Phase {
    pub const COUNT: usize = 7;

    pub const ALL: [Self; Self::COUNT] =
        [Self::Preflight, Self::Intake, Self::Generate, Self::Validate, Self::Approve, Self::Persist, Self::Finish];

    pub fn index(self) -> usize {
        self as usize
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Preflight => "preflight",
            Self::Intake => "intake",
            Self::Generate => "generate",
            Self::Validate => "validate",
            Self::Approve => "approve",
            Self::Persist => "persist",
            Self::Finish => "finish",
        }
    }

    /// The number: `P0` … `P6`.
    pub fn label(self) -> &'static str {
        ["P0", "P1", "P2", "P3", "P4", "P5", "P6"][self.index()]
    }

    pub fn before(self) -> Option<Self> {
        self.index().checked_sub(1).map(|index| Self::ALL[index])
    }
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.label())
    }
}

impl FromStr for Phase {
    type Err = String;

    /// Takes `P2`, `p2`, `2`, `PHASE-2` or `generate`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let word = text.trim();
        let after = |prefix: &str| {
            let (head, rest) = word.split_at_checked(prefix.len())?;
            head.eq_ignore_ascii_case(prefix).then_some(rest)
        };
        let digits = after("phase-").or_else(|| after("p")).unwrap_or(word);
        Self::ALL
            .into_iter()
            .find(|phase| phase.label().strip_prefix('P') == Some(digits) || phase.name().eq_ignore_ascii_case(word))
            .ok_or_else(|| format!("no phase is called {text:?}; phases are P0 to P6, preflight to finish"))
    }
}

impl Serialize for Phase {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.label())
    }
}
