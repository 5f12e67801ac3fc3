//! Line numbers in a file, and continuation lines of shells and configuration files.

/// The 1-based line with the last of these texts, each searched from the line of the one before it; 0 if one is
/// missing.
pub(super) fn line_of(text: &str, wanted: &[&str]) -> usize {
    let mut lines = text.lines().enumerate().peekable();
    let mut found = 0;
    for (nth, one) in wanted.iter().enumerate() {
        loop {
            let Some((number, line)) = lines.peek() else { return 0 };
            if line.contains(one) {
                found = number + 1;
                break;
            }
            lines.next();
        }
        // The next one may be on this line, unless it is the same text.
        if wanted.get(nth + 1) == Some(one) {
            lines.next();
        }
    }
    found
}

/// The line of a key in a section of TOML or INI; 0 if it is not written as `key = …` or `key: …`.
pub(super) fn line_of_key(text: &str, section: &str, key: &str) -> usize {
    let mut inside = section.is_empty();
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.starts_with('[') && line.ends_with(']') && !line.contains('=') {
            inside = line.trim_matches(['[', ']']).trim() == section;
        } else if inside
            && line
                .trim_start_matches('"')
                .strip_prefix(key)
                .is_some_and(|rest| rest.trim_start_matches(['"', ' ', '\t']).starts_with(['=', ':']))
        {
            return number + 1;
        }
    }
    0
}

/// The directory of a path; empty at the root.
pub(super) fn directory(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(directory, _)| directory)
}

/// The last part of a path.
pub(super) fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// A command to be typed at the root of the repository; `None` if the directory's name would need quotes.
pub(super) fn at_root(path: &str, command: &str) -> Option<String> {
    let directory = directory(path);
    if directory.is_empty() || directory.starts_with('.') {
        return Some(command.to_owned());
    }
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '-' | '_' | '.' | '@');
    directory.chars().all(plain).then(|| format!("(cd {directory} && {command})"))
}

/// Whether a name is literal: no pattern, no variable, no path.
pub(super) fn plain(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with(['.', '-'])
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | ':' | '/'))
}

/// A value as a code span; one with a back quote is left plain.
pub(super) fn code(text: &str) -> String {
    let text = text.trim();
    if text.contains('`') { text.to_owned() } else { format!("`{text}`") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_from_one() {
        let text = "{\n \"a\": {\n  \"b\": 1,\n  \"c\": {\"b\": 2}\n }\n}\n";
        assert_eq!(line_of(text, &["\"a\"", "\"c\"", "\"b\""]), 4);
        assert_eq!(line_of(text, &["\"b\""]), 3);
        assert_eq!(line_of(text, &["\"z\""]), 0);
        let ini = "[a]\nkey = 1\n[b]\nkey=2\nkeys = 3\n";
        assert_eq!(
            (line_of_key(ini, "b", "key"), line_of_key(ini, "b", "keys"), line_of_key(ini, "c", "key")),
            (4, 5, 0)
        );
    }

    #[test]
    fn a_command_of_a_directory_is_typed_at_the_root() {
        assert_eq!(at_root("Makefile", "make test").as_deref(), Some("make test"));
        assert_eq!(at_root("packages/api/package.json", "npm test").as_deref(), Some("(cd packages/api && npm test)"));
        assert_eq!(at_root("my api/package.json", "npm test"), None);
    }
}
