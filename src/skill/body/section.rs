//! The sections of a repository's documents.

use crate::skill::fact::Fact;

/// The file and the heading of a rule.
pub(super) type Key<'f> = (&'f str, &'f str);

pub(super) fn key(fact: &Fact) -> Key<'_> {
    (&fact.file, &fact.section)
}
