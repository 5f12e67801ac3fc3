//! Sections and keys of INI files, with continued lines, as tox, pytest and setuptools read them.

/// One key of a section.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Entry<'t> {
    pub(super) section: &'t str,
    pub(super) key: &'t str,
    /// Its value; further lines follow after `\n`, without indentation and comments.
    pub(super) value: String,
    pub(super) line: usize,
}

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
}
