//! How long ago something was, as people say it.

/// `just now`, `5 min ago`, `3 h ago`, `2 d ago`; `in 2 d` for what is to come. Milliseconds UTC.
#[must_use]
pub fn ago(now: i64, then: i64) -> String {
    const MINUTE: u64 = 60_000;
    const HOUR: u64 = 60 * MINUTE;
    const DAY: u64 = 24 * HOUR;
    let span = match now.abs_diff(then) {
        0..MINUTE => return "just now".into(),
        span @ MINUTE..HOUR => format!("{} min", span / MINUTE),
        span @ HOUR..DAY => format!("{} h", span / HOUR),
        span => format!("{} d", span / DAY),
    };
    if then > now { format!("in {span}") } else { format!("{span} ago") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_relative() {
        let said = [0, 59_999, 60_000, 3_600_000, 90_000_000].map(|span| ago(1_000_000_000, 1_000_000_000 - span));
        assert_eq!(said, ["just now", "just now", "1 min ago", "1 h ago", "1 d ago"]);
        assert_eq!(ago(0, 172_800_000), "in 2 d");
    }
}
