//! Times and durations as they are typed: `2026-02-05T10:00:00Z`, `15m`.

use jiff::Timestamp;

use super::{not_a_duration, not_a_time};
use crate::error::Result;

/// A duration in milliseconds: a whole number and s, m, h or d.
pub(in crate::command::memory) fn duration(text: &str) -> Result<i64> {
    let unit = |unit: char| match unit {
        's' => Some(1000),
        'm' => Some(60 * 1000),
        'h' => Some(60 * 60 * 1000),
        'd' => Some(24 * 60 * 60 * 1000),
        _ => None,
    };
    let mut number = text.chars();
    let unit = number.next_back().and_then(unit);
    let number: Option<i64> = number.as_str().parse::<u32>().ok().map(i64::from);
    number.zip(unit).map(|(number, unit)| number * unit).ok_or_else(|| not_a_duration(text))
}

/// A moment: a time, or how long ago.
pub(in crate::command::memory) fn since(text: &str, now: Timestamp) -> Result<Timestamp> {
    if let Ok(time) = text.parse() {
        return Ok(time);
    }
    let then = now.as_millisecond().saturating_sub(duration(text).map_err(|_| not_a_time(text))?);
    Timestamp::from_millisecond(then).map_err(|_| not_a_time(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_or_how_long_ago() {
        let now: Timestamp = "2026-02-05T10:00:00Z".parse().unwrap();
        for (text, is) in [
            ("30s", "2026-02-05T09:59:30Z"),
            ("15m", "2026-02-05T09:45:00Z"),
            ("2h", "2026-02-05T08:00:00Z"),
            ("1d", "2026-02-04T10:00:00Z"),
            ("2026-02-05T11:00:00+02:00", "2026-02-05T09:00:00Z"),
        ] {
            assert_eq!(since(text, now).unwrap(), is.parse::<Timestamp>().unwrap(), "{text}");
        }
        for text in ["", "soon", "-1h", "5", "1w", "é", "4294967295d"] {
            assert!(since(text, now).is_err(), "{text}");
        }
    }
}
