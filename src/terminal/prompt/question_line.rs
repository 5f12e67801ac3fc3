//! Formats a question: one line of text with its choices, its default, the time left and a mark.

use std::time::Duration;

use super::Question;
use super::line_menu::numbered;
use crate::terminal::ui::Style;

/// The line shown, without a line end: `Approve? [approve/reject] (120 s) > `, after the entries of a menu.
///
/// `left` is the time left to answer.
pub(super) fn shown(question: &Question<'_>, left: Option<Duration>, style: Style) -> String {
    let mut line = numbered(question.labels);
    line.push_str(&style.strong(question.text));
    if question.several {
        line.push_str(&format!(" {}", style.dim("[numbers or names, or all]")));
    } else if !question.choices.is_empty() {
        line.push_str(&format!(" {}", style.dim(&format!("[{}]", question.choices.join("/")))));
    }
    if let Some(default) = question.default {
        line.push_str(&format!(" {}", style.head(&format!("(Enter: {default})"))));
    }
    if let Some(left) = left {
        let space = if line.is_empty() { "" } else { " " };
        line.push_str(&format!("{space}{}", style.dim(&format!("({} s)", seconds(left)))));
    }
    line.push_str(if line.is_empty() { "> " } else { " > " });
    line
}

/// A question line broken between words: what stands above its last line, and that line.
pub(super) fn broken(line: &str, style: Style) -> (String, String) {
    // The time left stays in one piece.
    let folded = style.fold(&line.trim_end().replace(" s)", "\u{a0}s)"), 2).replace("\u{a0}s)", " s)");
    match folded.rsplit_once('\n') {
        Some((above, last)) => (format!("{above}\n"), format!("{last} ")),
        None => (String::new(), format!("{folded} ")),
    }
}

/// Whole seconds, rounded up: never 0 before the limit.
pub(super) fn seconds(left: Duration) -> u64 {
    left.as_secs().saturating_add(u64::from(left.subsec_nanos() > 0))
}

/// An answer escaped for display: control characters in it must not reach the terminal.
pub(super) fn printable(line: &str) -> String {
    line.chars().map(|char| if char.is_control() { char::REPLACEMENT_CHARACTER } else { char }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terminal::ui::Seal;

    fn gate<'a>() -> Question<'a> {
        Question { text: "Approve?", choices: &["approve", "reject"], ..Question::default() }
    }

    #[test]
    fn the_time_left_is_shown_and_rounded_up() {
        let line = |millis| shown(&gate(), Some(Duration::from_millis(millis)), Style::plain());
        assert_eq!(line(120_000), "Approve? [approve/reject] (120 s) > ");
        assert_eq!(line(61_001), "Approve? [approve/reject] (62 s) > ");
        assert_eq!(line(1), "Approve? [approve/reject] (1 s) > ");
    }

    #[test]
    fn what_enter_means_is_shown() {
        let question = Question { text: "Name", default: Some("review-code"), ..Question::default() };
        assert_eq!(shown(&question, None, Style::plain()), "Name (Enter: review-code) > ");
    }

    #[test]
    fn colour_is_all_that_style_adds() {
        let style = Style { colour: true, seal: Seal::new(7), ..Style::plain() };
        let styled = style.seal.visible(&shown(&gate(), Some(Duration::from_secs(3)), style));
        assert!(styled.contains("\u{1b}["));
        assert_eq!(console::strip_ansi_codes(&styled), shown(&gate(), Some(Duration::from_secs(3)), Style::plain()));
    }

    #[test]
    fn a_line_wider_than_the_terminal_is_broken_between_words() {
        let style = Style { folds: true, width: 30, ..Style::plain() };
        let line = shown(&gate(), Some(Duration::from_secs(120)), style);
        assert_eq!(broken(&line, style), ("Approve? [approve/reject]\n".to_owned(), "  (120 s) > ".to_owned()));
        let wide = Style { width: 80, ..style };
        assert_eq!(broken(&line, wide), (String::new(), line));
        let content = Question { multiline: true, ..Question::default() };
        assert_eq!(shown(&content, Some(Duration::from_secs(9)), style), "(9 s) > ");
    }

    #[test]
    fn an_endless_limit_does_not_overflow() {
        assert!(shown(&gate(), Some(Duration::MAX), Style::plain()).contains("(18446744073709551615 s)"));
    }
}
