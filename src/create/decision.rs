//! How a run was decided, in the words of the operation log.

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Decision {
    /// The run ended before anything was decided.
    #[default]
    None,
    Approve,
    Reject,
    Cancel,
    CollisionCancel,
    /// `--yes` without `--on-collision`, and the skill exists.
    CollisionUnanswered,
    DigestMismatch,
    DryRun,
    EditAbort,
    Interrupted,
    Nobody,
    Timeout,
    ValidationFailed,
}

impl Decision {
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Approve => "approve",
            Self::Reject => "reject",
            Self::Cancel => "cancel",
            Self::CollisionCancel => "collision_cancel",
            Self::CollisionUnanswered => "collision_unanswered",
            Self::DigestMismatch => "digest_mismatch",
            Self::DryRun => "dry_run",
            Self::EditAbort => "edit_abort",
            Self::Interrupted => "interrupted",
            Self::Nobody => "nobody",
            Self::Timeout => "timeout",
            Self::ValidationFailed => "validation_failed",
        }
    }

    /// Whether a person said no.
    #[must_use]
    pub fn declines(self) -> bool {
        matches!(self, Self::Reject | Self::Cancel | Self::CollisionCancel | Self::EditAbort)
    }
}
