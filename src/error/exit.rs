//! The exit codes of the program.

/// How the process ends. The contract for scripts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// 0: done, or nothing to do.
    Done,
    /// 1: the request or the skill is not acceptable, or a check found something; nothing was written.
    Refused,
    /// 2: the command line is wrong.
    Usage,
    /// 3: a person declined, or nobody was there to ask.
    Declined,
    /// 4: the gate or a wizard prompt timed out.
    TimedOut,
    /// 5: busy, or changed meanwhile; try again.
    Busy,
    /// 6: writing failed; everything was rolled back.
    RolledBack,
    /// 7: writing failed and rollback is incomplete.
    Incomplete,
    /// 8: saved and committed; the last step was interrupted and the next command completes it.
    FinishPending,
    /// 70: a bug in hefesto.
    Bug,
    /// 128 + n: ended by signal n.
    Signal(u8),
}

impl Exit {
    /// The number given to the operating system.
    pub fn number(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Refused => 1,
            Self::Usage => 2,
            Self::Declined => 3,
            Self::TimedOut => 4,
            Self::Busy => 5,
            Self::RolledBack => 6,
            Self::Incomplete => 7,
            Self::FinishPending => 8,
            Self::Bug => 70,
            Self::Signal(n) => 128 + (n & 0x7f),
        }
    }
}
