//! The frontmatter of MEMORY.md: hefesto's keys, and other keys, which are preserved.

use serde_json::Value;

use super::{Deleted, Problem, timestamp};
use crate::skill::Name;
use crate::skill::keyed::{Keyed, only_comments};
use crate::skill::semver::semver;

pub(super) const VERSION: &str = "hefesto_version";
pub(super) const INITIALIZED: &str = "initialized";
pub(super) const UPDATED: &str = "last_updated";
pub(super) const DELETED: &str = "skills_deleted";

/// The file, cut at its frontmatter.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cut<'a> {
    /// The lines between the two `---`; none when the file does not open with one.
    pub(super) yaml: Option<&'a str>,
    /// Whether there is a second `---`.
    pub(super) closed: bool,
    pub(super) body: &'a str,
    /// 1-based number of the body's first line.
    pub(super) body_line: usize,
}

/// Cuts a text (without byte order mark) at its frontmatter.
pub(super) fn cut(text: &str) -> Cut<'_> {
    let none = Cut { yaml: None, closed: false, body: text, body_line: 1 };
    let Some(inner) = text.strip_prefix("---\n").or_else(|| text.strip_prefix("---\r\n")) else { return none };
    let mut at = 0;
    for (count, line) in inner.split_inclusive('\n').enumerate() {
        if line.trim_end_matches(['\n', '\r']) == "---" {
            let (yaml, body) = (&inner[..at], &inner[at + line.len()..]);
            return Cut { yaml: Some(yaml), closed: true, body, body_line: count + 3 };
        }
        at += line.len();
    }
    // Unclosed: lines that look like our entries belong to it, the rest is text.
    let (mut at, mut count) = (0, 2);
    for line in inner.split_inclusive('\n') {
        let ours = [VERSION, INITIALIZED, UPDATED, DELETED].iter().any(|key| line.starts_with(&format!("{key}:")));
        if !(ours || (at > 0 && line.starts_with("  "))) {
            break;
        }
        at += line.len();
        count += 1;
    }
    Cut { yaml: Some(&inner[..at]), closed: false, body: &inner[at..], body_line: count }
}

/// The usable content of the frontmatter.
#[derive(Debug, Clone, Default)]
pub(super) struct Head {
    /// Every usable entry, ours and others', in order.
    pub(super) entries: Keyed,
    pub(super) version: Option<String>,
    pub(super) initialized: Option<String>,
    pub(super) updated: Option<String>,
    pub(super) deleted: Vec<Deleted>,
    /// Problems, with line numbers of the file.
    pub(super) problems: Vec<Problem>,
}

/// Reads the frontmatter's lines, which begin on line 2 of the file.
pub(super) fn read(yaml: &str) -> Head {
    let mut head = Head::default();
    let values = match Keyed::read(yaml) {
        Ok((entries, values)) => {
            head.entries = entries;
            values
        }
        Err(bad) => {
            head.problems
                .push(Problem { line: bad.line + 1, what: format!("the frontmatter cannot be read: {}", bad.what) });
            let (entries, values) = salvage(yaml);
            head.entries = entries;
            values
        }
    };
    let text = |key: &str, problems: &mut Vec<Problem>, good: fn(&str) -> bool| {
        let found = values.get(key).and_then(Value::as_str).filter(|text| good(text)).map(str::to_owned);
        if found.is_none() {
            let what = if values.contains_key(key) { "has no usable value" } else { "is missing" };
            problems.push(Problem { line: line_of(yaml, key), what: format!("`{key}` in the frontmatter {what}") });
        }
        found
    };
    head.version = text(VERSION, &mut head.problems, |text| semver(text).is_some());
    head.initialized = text(INITIALIZED, &mut head.problems, |text| timestamp::instant(text).is_some());
    head.updated = text(UPDATED, &mut head.problems, |text| timestamp::instant(text).is_some());
    if let (Some(first), Some(last)) = (&head.initialized, &head.updated)
        && timestamp::after(first, last)
    {
        let what = format!("`{UPDATED}` is before `{INITIALIZED}`");
        head.problems.push(Problem { line: line_of(yaml, UPDATED), what });
    }
    if let Some(list) = values.get(DELETED).filter(|list| !list.is_null()) {
        let good = |note: &Deleted| Name::parse(&note.name).is_ok() && timestamp::instant(&note.at).is_some();
        match serde_json::from_value::<Vec<Deleted>>(list.clone()) {
            Ok(notes) if notes.iter().all(good) => head.deleted = notes,
            _ => {
                let what = format!("`{DELETED}` in the frontmatter is not a list of deleted skills");
                head.problems.push(Problem { line: line_of(yaml, DELETED), what });
            }
        }
    }
    head
}

/// The entries that are valid YAML by themselves, without duplicate keys.
fn salvage(yaml: &str) -> (Keyed, serde_json::Map<String, Value>) {
    let mut kept = Keyed::default();
    let mut values = serde_json::Map::new();
    for mut entry in Keyed::split(yaml).entries {
        let Ok((_, value)) = Keyed::read(&entry.raw) else { continue };
        if values.contains_key(&entry.key) {
            continue;
        }
        if !only_comments(&entry.lead) {
            entry.lead.clear();
        }
        values.extend(value);
        kept.entries.push(entry);
    }
    // Entries may be valid separately but not together.
    if Keyed::read(&kept.text()).is_ok() { (kept, values) } else { (Keyed::default(), values) }
}

fn line_of(yaml: &str, key: &str) -> usize {
    yaml.lines().position(|line| line.starts_with(key)).map_or(1, |at| at + 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broken_line_costs_only_itself() {
        let head =
            read("hefesto_version: 0.1.0\nowner: me\ninitialized: 2026-02-04T10:00:00Z\nbad: [x\nlast_updated: no\n");
        assert_eq!(head.version.as_deref(), Some("0.1.0"));
        assert_eq!(head.initialized.as_deref(), Some("2026-02-04T10:00:00Z"));
        assert_eq!(head.updated, None);
        assert!(head.entries.get("owner").is_some() && head.entries.get("bad").is_none());
        assert_eq!(head.problems.last().map(|problem| problem.line), Some(6));
    }

    #[test]
    fn an_unclosed_frontmatter_ends_with_our_keys() {
        let cut = cut("---\nhefesto_version: 0.1.0\ninitialized: x\n\n# Title\n");
        assert_eq!((cut.closed, cut.body, cut.body_line), (false, "\n# Title\n", 4));
    }
}
