//! Numbers for people: sizes, counts, times, and how full something is.

use super::Style;

/// A size for people: `345 bytes`, `1.2 KB`, `1.2 MB`.
pub fn size(bytes: u64) -> String {
    const KB: u64 = 1024;
    const MB: u64 = 1024 * 1024;
    match bytes {
        1 => "1 byte".into(),
        0..KB => format!("{bytes} bytes"),
        KB..MB => format!("{:.1} KB", bytes as f64 / KB as f64),
        _ => format!("{:.1} MB", bytes as f64 / MB as f64),
    }
}

/// A count with its noun: `1 file`, `2 files`, `2 copies`, `2 matches`.
pub fn count(n: usize, word: &str) -> String {
    match (n, word.strip_suffix('y')) {
        (1, _) => format!("1 {word}"),
        (_, Some(stem)) => format!("{n} {stem}ies"),
        _ if word.ends_with("ch") => format!("{n} {word}es"),
        _ => format!("{n} {word}s"),
    }
}

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

/// `[#####-----]` with this width between the brackets; with block characters if supported.
pub fn bar(style: Style, part: usize, whole: usize, width: usize) -> String {
    let full = (part.min(whole) * width).checked_div(whole).unwrap_or(0);
    let (done, left) = if style.unicode { ("█", "░") } else { ("#", "-") };
    format!("[{}{}]", done.repeat(full), left.repeat(width - full))
}

/// `[####                ] 20 %`: the usage of a limit, in colour. A bar is never full before the limit is reached, and
/// never empty if something is used.
pub fn used(style: Style, used: u64, limit: u64) -> String {
    const WIDTH: u64 = 20;
    let (full, empty) = if style.unicode { ("█", "░") } else { ("#", " ") };
    let share = |of: u64| used.saturating_mul(of).checked_div(limit).unwrap_or(0);
    let filled = if used == 0 { 0 } else { share(WIDTH).clamp(1, WIDTH) };
    let times = |number: u64| usize::try_from(number).unwrap_or(0);
    let blocks = full.repeat(times(filled)) + &empty.repeat(times(WIDTH - filled));
    let blocks = match share(100) {
        0..75 => style.good(&blocks),
        75..100 => style.odd(&blocks),
        _ => style.bad(&blocks),
    };
    format!("[{blocks}] {} %", share(100))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_unit_is_enough() {
        assert_eq!([345, 1234, 1_234_567, 1, 0].map(size), ["345 bytes", "1.2 KB", "1.2 MB", "1 byte", "0 bytes"]);
        let texts = [999, 1000, 59_999, 60_000, 3_599_999, 3_600_000, 172_800_000].map(lasting);
        assert_eq!(texts, ["999 ms", "1 s", "59 s", "1 min", "59 min", "1 h", "2 d"]);
        assert_eq!([ago(5000, 0), ago(0, 300_000), ago(9, 0)], ["5 s ago", "in 5 min", "just now"]);
    }

    #[test]
    fn a_bar_is_as_full_as_it_says() {
        let bars = [(0, 4), (1, 4), (9, 4), (0, 0)].map(|(part, whole)| bar(Style::plain(), part, whole, 4));
        assert_eq!(bars, ["[----]", "[#---]", "[####]", "[----]"]);
        for (part, limit, marks, percent) in [
            (0, 1000, 0, 0),
            (1, 1000, 1, 0),
            (999, 1000, 19, 99),
            (1000, 1000, 20, 100),
            (3000, 1000, 20, 300),
            (5, 0, 1, 0),
        ] {
            let expected = format!("[{:<20}] {percent} %", "#".repeat(marks));
            assert_eq!(used(Style::plain(), part, limit), expected);
        }
    }
}
