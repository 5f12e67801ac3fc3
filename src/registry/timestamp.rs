//! Points in time as MEMORY.md writes them: RFC 3339 text, compared as instants.

use jiff::Timestamp;

/// The instant the text names; none when it is not RFC 3339.
pub(super) fn instant(text: &str) -> Option<Timestamp> {
    text.parse().ok().filter(|_| text.len() <= 40 && text.starts_with(|c: char| c.is_ascii_digit()))
}

/// The later of two; the first when they are the same instant or cannot be compared.
pub(super) fn later<'a>(first: &'a str, second: &'a str) -> &'a str {
    match (instant(first), instant(second)) {
        (Some(a), Some(b)) if b > a => second,
        (None, Some(_)) => second,
        _ => first,
    }
}

/// The earlier of two; the first when they are the same instant or cannot be compared.
pub(super) fn earlier<'a>(first: &'a str, second: &'a str) -> &'a str {
    match (instant(first), instant(second)) {
        (Some(a), Some(b)) if b < a => second,
        (None, Some(_)) => second,
        _ => first,
    }
}

/// Whether the first is a later instant than the second.
pub(super) fn after(first: &str, second: &str) -> bool {
    matches!((instant(first), instant(second)), (Some(a), Some(b)) if a > b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_are_compared_not_texts() {
        assert_eq!(later("2026-02-04T10:00:00Z", "2026-02-04T09:30:00-01:00"), "2026-02-04T09:30:00-01:00");
        assert_eq!(earlier("2026-02-04T10:00:00Z", "2026-02-03T10:00:00Z"), "2026-02-03T10:00:00Z");
        assert!(instant("yesterday").is_none() && instant("2026-02-30T00:00:00Z").is_none());
        assert!(instant("2026-02-04").is_none());
    }
}
