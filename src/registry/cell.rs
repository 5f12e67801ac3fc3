//! Escapes texts for the cells of a Markdown table, and back.

/// Escapes a text for a cell: markup is escaped, control characters are written as numbers.
pub(super) fn escape(text: &str) -> String {
    let mut cell = String::with_capacity(text.len());
    let last = text.char_indices().next_back().map_or(0, |(at, _)| at);
    for (at, c) in text.char_indices() {
        match c {
            '|' | '`' | '<' | '\\' | '&' => cell.extend(['\\', c]),
            c if c.is_control() || (c.is_whitespace() && (at == 0 || at == last)) => {
                cell.push_str(&format!("&#{};", u32::from(c)));
            }
            c => cell.push(c),
        }
    }
    cell
}

pub(super) fn unescape(cell: &str) -> String {
    let mut text = String::with_capacity(cell.len());
    let mut rest = cell;
    while let Some(c) = rest.chars().next() {
        let tail = rest.get(c.len_utf8()..).unwrap_or_default();
        let next = tail.chars().next();
        if let ('\\', Some(escaped)) = (c, next.filter(char::is_ascii_punctuation)) {
            text.push(escaped);
            rest = tail.get(1..).unwrap_or_default();
        } else if let Some((number, behind)) = rest.strip_prefix("&#").and_then(|number| number.split_once(';'))
            && let Some(named) = number.parse().ok().and_then(char::from_u32)
        {
            text.push(named);
            rest = behind;
        } else {
            text.push(c);
            rest = tail;
        }
    }
    text
}

/// Cuts a table row at its unescaped bars. `None` when it does not begin and end with one.
pub(super) fn cells(row: &str) -> Option<Vec<&str>> {
    let inner = row.trim_matches([' ', '\t', '\r', '\n']).strip_prefix('|')?;
    let mut cells = Vec::new();
    let (mut start, mut escaped) = (0, false);
    for (at, b) in inner.bytes().enumerate() {
        match b {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'|' => {
                cells.push(inner.get(start..at)?.trim_matches([' ', '\t']));
                start = at + 1;
            }
            _ => {}
        }
    }
    (start == inner.len()).then_some(cells)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn bars_backticks_and_markers_lose_their_meaning() {
        assert_eq!(escape("a|b`<!-- x\n"), "a\\|b\\`\\<!-- x&#10;");
        assert_eq!(cells("| a\\|b | c |"), Some(vec!["a\\|b", "c"]));
        assert_eq!(cells("| a | b"), None);
        assert_eq!(cells("| a \\|"), None);
    }

    proptest! {
        #[test]
        fn every_text_comes_back(text in any::<String>(), other in "[ |\\\\&#0-9;`<\n\t]{0,12}") {
            let row = format!("| {} | {} |\r\n", escape(&text), escape(&other));
            prop_assert_eq!(row.matches('\n').count(), 1);
            let cut: Vec<String> = cells(&row).unwrap().into_iter().map(unescape).collect();
            prop_assert_eq!(cut, [text, other]);
        }
    }
}
