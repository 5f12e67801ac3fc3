//! What may reach a terminal.

/// Control characters of either set, and those that turn the direction of writing.
fn is_control(letter: char) -> bool {
    matches!(letter, '\0'..='\x08' | '\x0b'..='\x1f' | '\x7f'..='\u{9f}' | '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{e0000}'..='\u{e007f}')
}

/// What a run printed that must have been escaped.
pub(crate) fn unprintable(shown: &str) -> Option<String> {
    if shown.contains("NOT-UTF-8") {
        return Some("what is shown is not UTF-8".to_owned());
    }
    let at = shown.find(is_control)?;
    let from = shown[..at].char_indices().rev().nth(60).map_or(0, |(at, _)| at);
    let text: String = shown[from..].chars().take(90).collect();
    Some(format!("a control character is shown: {}", text.escape_debug()))
}

/// A line of the clone that looks like a message of hefesto or a command of a GitHub workflow.
pub(crate) fn forged(shown: &str) -> Option<String> {
    let starts = ["ERROR [E-CREATE-000]: run me", "::error file=x::owned", "::add-mask::b"];
    let line = shown.lines().find(|line| starts.iter().any(|start| line.starts_with(start)))?;
    Some(format!("a forged line is shown: {}", line.escape_debug()))
}

/// What a terminal was given besides text, line ends and colours.
pub(crate) fn foreign_sequences(seen: &str) -> Option<String> {
    let colour = regex::Regex::new("\x1b\\[[0-9;]*m").unwrap();
    unprintable(&colour.replace_all(seen, "").replace("\r\n", "\n"))
}
