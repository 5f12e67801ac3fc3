//! Size and lifetime limits of a session (STM-4, STM-8), configurable per project.

use super::{HOUR, LIFETIME, MAX_CONTENT, MAX_ENTRIES, MAX_SESSION};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    pub entries: u64,
    /// Bytes of one entry's content, as JSON.
    pub entry_bytes: u64,
    pub session_bytes: u64,
    /// Hours an entry lives, 1–24: never more than [`LIFETIME`].
    pub hours: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { entries: MAX_ENTRIES, entry_bytes: MAX_CONTENT, session_bytes: MAX_SESSION, hours: 24 }
    }
}

impl Limits {
    /// The maximum lifetime of an entry in milliseconds, exclusive.
    pub fn lifetime(&self) -> i64 {
        i64::try_from(self.hours).unwrap_or(i64::MAX).saturating_mul(HOUR).saturating_sub(1).min(LIFETIME)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_entry_lives_longer_than_a_day() {
        assert_eq!(Limits::default().lifetime(), LIFETIME);
        assert_eq!(Limits { hours: 1, ..Limits::default() }.lifetime(), HOUR - 1);
        assert_eq!(Limits { hours: u64::MAX, ..Limits::default() }.lifetime(), LIFETIME);
    }
}
