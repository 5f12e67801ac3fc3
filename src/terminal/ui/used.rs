//! A bar: how much of a limit is used.

use super::Style;

/// How many characters a full bar has.
const WIDTH: u64 = 20;

/// `[####                ] 20 %`: the usage of a limit. A bar is never full before the limit is reached, and never
/// empty if something is used.
pub fn used(style: Style, used: u64, limit: u64) -> String {
    let (full, empty) = if style.unicode { ("█", "░") } else { ("#", " ") };
    let share = |of: u64| used.saturating_mul(of).checked_div(limit).unwrap_or(0);
    let filled = if used == 0 { 0 } else { share(WIDTH).clamp(1, WIDTH) };
    let blocks = format!(
        "{}{}",
        full.repeat(usize::try_from(filled).unwrap_or(0)),
        empty.repeat(usize::try_from(WIDTH - filled).unwrap_or(0))
    );
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
    fn a_bar_is_as_long_as_what_is_used() {
        let plain = |part: u64, limit: u64| used(Style::plain(), part, limit);
        assert_eq!(plain(0, 1000), format!("[{}] 0 %", " ".repeat(20)));
        assert_eq!(plain(1, 1000), format!("[#{}] 0 %", " ".repeat(19)));
        assert_eq!(plain(999, 1000), format!("[{} ] 99 %", "#".repeat(19)));
        assert_eq!(plain(1000, 1000), format!("[{}] 100 %", "#".repeat(20)));
        assert_eq!(plain(3000, 1000), format!("[{}] 300 %", "#".repeat(20)));
        assert_eq!(plain(5, 0), format!("[#{}] 0 %", " ".repeat(19)));
    }
}
