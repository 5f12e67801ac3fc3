//! Relative times and durations for people.

/// A relative time, from milliseconds: `just now`, `5 min ago`, `in 2 h`.
pub fn ago(now: i64, then: i64) -> String {
    match now.saturating_sub(then) {
        gone @ 1000.. => format!("{} ago", lasting(gone.unsigned_abs())),
        coming @ ..=-1000 => format!("in {}", lasting(coming.unsigned_abs())),
        _ => "just now".to_owned(),
    }
}

/// A duration in its largest unit: `850 ms`, `12 s`, `5 min`, `2 h`, `3 d`.
pub fn lasting(ms: u64) -> String {
    let seconds = ms / 1000;
    match seconds {
        0 => format!("{ms} ms"),
        1..60 => format!("{seconds} s"),
        60..3600 => format!("{} min", seconds / 60),
        3600..86_400 => format!("{} h", seconds / 3600),
        _ => format!("{} d", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_unit_is_enough() {
        let texts = [999, 1000, 59_999, 60_000, 3_599_999, 3_600_000, 172_800_000].map(lasting);
        assert_eq!(texts, ["999 ms", "1 s", "59 s", "1 min", "59 min", "1 h", "2 d"]);
        assert_eq!([ago(5000, 0), ago(0, 300_000), ago(9, 0)], ["5 s ago", "in 5 min", "just now"]);
    }
}
