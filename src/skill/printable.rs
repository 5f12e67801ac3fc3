//! Escapes untrusted text for a terminal: control and invisible characters are shown as `\u{..}`.

/// Escapes control characters, direction marks and invisible characters as `\u{..}`; keeps newline and tab.
///
/// The result contains no character that controls a terminal or is invisible.
pub fn printable(text: &str) -> String {
    if is_plain(text) {
        return text.to_owned();
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match needs_escape(c) {
            true => shown.extend(c.escape_unicode()),
            false => shown.push(c),
        }
    }
    shown
}

/// The same on one line, for file names: newlines are escaped, too.
pub fn printable_line(text: &str) -> String {
    printable(text).replace('\n', "\\n")
}

/// The first characters of a text, with three dots for the rest.
pub fn beginning(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}...", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// Whether a text has only visible ASCII characters and blanks, as most have; checked for many bytes at once.
pub fn is_plain(text: &str) -> bool {
    text.bytes().fold(true, |all, b| all & (b.wrapping_sub(b' ') <= b'~' - b' '))
}

/// Whether a character is escaped: a control other than newline and tab, a direction mark, an invisible one.
pub fn needs_escape(c: char) -> bool {
    !matches!(c, '\n' | '\t') && (c.is_control() || is_direction(c) || is_invisible(c) || is_tag(c))
}

/// Characters that change the direction of the text around them: embeddings, overrides, isolates.
pub fn is_direction(c: char) -> bool {
    matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// Tag characters (U+E0000–E007F), invisible copies of ASCII.
pub fn is_tag(c: char) -> bool {
    matches!(c, '\u{E0000}'..='\u{E007F}')
}

/// Invisible characters: zero-width, fillers, marks, supplementary variation selectors.
///
/// The emoji variation selector U+FE0F and its siblings are not among them.
pub fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{00AD}' | '\u{034F}' | '\u{061C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}' | '\u{180B}'
            ..='\u{180F}' | '\u{200B}'
            ..='\u{200F}' | '\u{2028}' | '\u{2029}' | '\u{2060}'
            ..='\u{2065}' | '\u{206A}'
            ..='\u{206F}' | '\u{3164}' | '\u{FEFF}' | '\u{FFA0}' | '\u{FFF9}'
            ..='\u{FFFB}' | '\u{1D173}'
            ..='\u{1D17A}' | '\u{E0080}'
            ..='\u{E0FFF}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_steers_a_terminal_is_spelled_out_and_ordinary_text_stays() {
        for (text, shown) in [
            ("red \u{1b}[31m\rbell\u{7}", "red \\u{1b}[31m\\u{d}bell\\u{7}"),
            ("a\u{202e}b\u{200b}c\u{e0041}d\u{9b}", "a\\u{202e}b\\u{200b}c\\u{e0041}d\\u{9b}"),
            ("olá, mundo\n\tdois", "olá, mundo\n\tdois"),
            ("日本語 👍️", "日本語 👍️"),
            ("", ""),
        ] {
            assert_eq!(printable(text), shown);
        }
    }
}
