//! Reads YAML and INI by key, untrusted and bounded, and names places: lines, directories, commands in code spans.

use serde_json::{Map, Value};

/// The YAML document, if it is small and flat enough.
pub(super) fn document(text: &str) -> Option<Value> {
    crate::skill::yaml::bounded(text).ok()?;
    serde_yaml::from_str(text).ok()
}

/// The YAML document, if it is a map as well.
pub(super) fn parsed(text: &str) -> Option<Value> {
    document(text).filter(Value::is_object)
}

/// The pairs of the map at a key; none if it is no map.
pub(super) fn map<'v>(value: &'v Value, key: &str) -> impl Iterator<Item = (&'v String, &'v Value)> {
    value.get(key).and_then(Value::as_object).into_iter().flat_map(Map::iter)
}

/// The items of the list at a key, or its single value.
pub(super) fn list<'v>(value: &'v Value, key: &str) -> impl Iterator<Item = &'v Value> {
    let found = value.get(key);
    let one = found.filter(|found| !found.is_array() && !found.is_null());
    found.and_then(Value::as_array).into_iter().flatten().chain(one)
}

/// The scalars of the list at a key, or its single one.
pub(super) fn scalars(value: &Value, key: &str) -> Vec<String> {
    list(value, key).filter_map(scalar).collect()
}

/// A scalar as text.
pub(super) fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        _ => None,
    }
}

/// The text at a key.
pub(super) fn word<'v>(value: &'v Value, key: &str) -> Option<&'v str> {
    value.get(key)?.as_str()
}

/// One key of a section of an INI file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Entry<'t> {
    pub(super) section: &'t str,
    pub(super) key: &'t str,
    /// Its value; further lines follow after `\n`, without indentation and comments.
    pub(super) value: String,
    pub(super) line: usize,
}

/// The keys of an INI file, with continued lines, as tox, pytest and setuptools read them.
pub(super) fn entries(text: &str) -> Vec<Entry<'_>> {
    let (mut all, mut section) = (Vec::<Entry<'_>>::new(), "");
    for (number, line) in text.lines().enumerate() {
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with(['#', ';']) {
            continue;
        }
        if let (true, Some(last)) = (line.starts_with([' ', '\t']), all.last_mut()) {
            if !last.value.is_empty() {
                last.value.push('\n');
            }
            last.value.push_str(trimmed);
        } else if let Some(name) = trimmed.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            section = name.trim();
        } else if let Some((key, value)) = trimmed.split_once(['=', ':']) {
            all.push(Entry { section, key: key.trim(), value: value.trim().to_owned(), line: number + 1 });
        }
    }
    all
}

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
    let sets = |line: &str| {
        let rest = line.trim_start_matches('"').strip_prefix(key);
        rest.is_some_and(|rest| rest.trim_start_matches(['"', ' ', '\t']).starts_with(['=', ':']))
    };
    let mut inside = section.is_empty();
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.starts_with('[') && line.ends_with(']') && !line.contains('=') {
            inside = line.trim_matches(['[', ']']).trim() == section;
        } else if inside && sets(line) {
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

/// The values as code spans with commas between them.
pub(super) fn codes<T: AsRef<str>>(all: &[T]) -> String {
    let mut said = String::new();
    for one in all {
        said.push_str(if said.is_empty() { "" } else { ", " });
        said.push_str(&code(one.as_ref()));
    }
    said
}

/// The text with this before it; nothing if it is empty.
pub(super) fn behind(before: &str, text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("{before}{text}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_go_on_over_indented_lines() {
        let all =
            entries("[tox]\nenvlist = py312\n[testenv]\n# note\ncommands =\n    pytest {posargs}\n    ruff check\n");
        assert_eq!(all[0], Entry { section: "tox", key: "envlist", value: "py312".into(), line: 2 });
        assert_eq!((all[1].value.as_str(), all[1].line), ("pytest {posargs}\nruff check", 5));
    }

    #[test]
    fn lines_are_counted_from_one() {
        let text = "{\n \"a\": {\n  \"b\": 1,\n  \"c\": {\"b\": 2}\n }\n}\n";
        let lines = [&["\"a\"", "\"c\"", "\"b\""][..], &["\"b\""], &["\"z\""]].map(|wanted| line_of(text, wanted));
        assert_eq!(lines, [4, 3, 0]);
        let of = |section, key| line_of_key("[a]\nkey = 1\n[b]\nkey=2\nkeys = 3\n", section, key);
        assert_eq!((of("b", "key"), of("b", "keys"), of("c", "key")), (4, 5, 0));
    }

    #[test]
    fn a_command_of_a_directory_is_typed_at_the_root() {
        assert_eq!(at_root("Makefile", "make test").as_deref(), Some("make test"));
        assert_eq!(at_root("packages/api/package.json", "npm test").as_deref(), Some("(cd packages/api && npm test)"));
        assert_eq!(at_root("my api/package.json", "npm test"), None);
    }
}
