//! Words in angle brackets: outside of code a name becomes capitals (`<module>`, MODULE), a type becomes code, so that no
//! text looks as if it had tags.

/// The longest content of a pair of brackets, in bytes.
const LONGEST: usize = 60;

/// The text without angle brackets outside of code spans, as far as they hold names or types.
pub(super) fn spelled(text: &str) -> String {
    let (mut out, mut at, mut code) = (String::with_capacity(text.len()), 0, false);
    while let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) {
        code ^= c == '`';
        let held = if c == '<' && !code { inside(text, at) } else { None };
        let Some(held) = held else {
            out.push(c);
            at += c.len_utf8();
            continue;
        };
        at += held.len() + 2;
        let owner = out.rfind(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '_' | ':')).map_or(0, |end| end + 1);
        let typed = out.get(owner..).is_some_and(|name| name.starts_with(|c: char| c.is_ascii_uppercase()));
        if typed && out.is_char_boundary(owner) {
            out.insert(owner, '`');
            out.push_str(&format!("<{held}>`"));
        } else {
            out.push_str(&held.to_uppercase().replace(['-', ' '], "_"));
        }
    }
    out
}

/// What the bracket at this place holds: a name, or a type with its own brackets.
fn inside(text: &str, at: usize) -> Option<&str> {
    let rest = text.get(at + 1..)?;
    let mut depth = 1_usize;
    for (end, c) in rest.char_indices().take_while(|(end, _)| *end <= LONGEST) {
        match c {
            '<' => depth += 1,
            '>' if depth == 1 => {
                return rest.get(..end).filter(|held| held.starts_with(char::is_alphabetic) && !held.contains("//"));
            }
            '>' => depth -= 1,
            c if c.is_alphanumeric() || matches!(c, '_' | '-' | ' ' | ':' | ',' | '&' | '\'' | '.' | '/') => {}
            _ => return None,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::spelled;

    #[test]
    fn a_name_becomes_capitals_and_a_type_code() {
        for (text, wanted) in [
            ("tests/test_<module>.py", "tests/test_MODULE.py"),
            ("Name models stg_<source>__<table-name>.", "Name models stg_SOURCE__TABLE_NAME."),
            ("return Result<T, LedgerError>.", "return `Result<T, LedgerError>`."),
            ("From<io::Error> and Vec<Option<u8>>", "`From<io::Error>` and `Vec<Option<u8>>`"),
            ("`<title>` and a < b, 1<2>0, <https://x.example>", "`<title>` and a < b, 1<2>0, <https://x.example>"),
        ] {
            assert_eq!(spelled(text), wanted);
        }
    }
}
