//! How a run was decided, in the words of the operation log.

word_enum! {
    #[derive(Default)]
    Decision {
        /// The run ended before anything was decided.
        #[default]
        None = "none",
        Approve = "approve",
        Reject = "reject",
        Cancel = "cancel",
        CollisionCancel = "collision_cancel",
        /// `--yes` without `--on-collision`, and the skill exists.
        CollisionUnanswered = "collision_unanswered",
        DigestMismatch = "digest_mismatch",
        DryRun = "dry_run",
        EditAbort = "edit_abort",
        Interrupted = "interrupted",
        Nobody = "nobody",
        Timeout = "timeout",
        ValidationFailed = "validation_failed",
    }
}

impl Decision {
    /// Whether a person said no.
    pub fn declines(self) -> bool {
        matches!(self, Self::Reject | Self::Cancel | Self::CollisionCancel | Self::EditAbort)
    }
}
