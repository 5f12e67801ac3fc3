//! How long ago something was, as people say it.

/// From two instants in milliseconds: `now`, `5 minutes ago`, `in 2 hours`. Whole units, the largest that fits.
#[must_use]
pub fn ago(now: i64, then: i64) -> String {
    const UNITS: [(i64, &str); 6] = [
        (365 * 86_400, "year"),
        (30 * 86_400, "month"),
        (7 * 86_400, "week"),
        (86_400, "day"),
        (3_600, "hour"),
        (60, "minute"),
    ];
    let seconds = now.saturating_sub(then) / 1000;
    let away = seconds.saturating_abs();
    let Some((length, unit)) = UNITS.into_iter().find(|(length, _)| away >= *length) else {
        return "now".into();
    };
    let count = super::count(usize::try_from(away / length).unwrap_or(usize::MAX), unit);
    if seconds > 0 { format!("{count} ago") } else { format!("in {count}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_unit_that_fits_is_said() {
        let minute = 60_000;
        let said = [0, 59_999, minute, 59 * minute, 60 * minute, 49 * 60 * minute, 21 * 24 * 60 * minute];
        let wanted = ["now", "now", "1 minute ago", "59 minutes ago", "1 hour ago", "2 days ago", "3 weeks ago"];
        assert_eq!(said.map(|then| ago(0, -then)), wanted);
        assert_eq!(ago(0, 3 * minute), "in 3 minutes");
        assert_eq!(ago(400 * 86_400_000, 0), "1 year ago");
    }
}
