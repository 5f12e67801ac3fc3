//! Reads MEMORY.md and determines its state: good, damaged, foreign, newer or refused.

use serde_json::Value;

use super::split::{Parts, close_paragraph, split_body};
use super::{Deleted, Kept, Parsed, Problem, Registry, Shell, row, table};
use crate::skill::Name;
use crate::skill::keyed::{Keyed, only_comments};
use crate::skill::version::semver;

/// The largest MEMORY.md that is read, in bytes.
pub const MAX_BYTES: usize = 1024 * 1024;

impl Registry {
    /// Reads the bytes of a MEMORY.md.
    pub fn parse(bytes: &[u8]) -> Parsed {
        let text = match readable(bytes) {
            Ok(text) => text,
            Err(refused) => return refused,
        };
        let plain = text.strip_prefix('\u{feff}');
        let crlf = text.find('\n').is_some_and(|at| text[..at].ends_with('\r'));
        let shell = Shell::new(plain.is_some(), crlf);
        let text = plain.unwrap_or(text);
        if text.chars().all(|c| c.is_whitespace() || c == '\0') {
            let why = vec![Problem { line: 1, what: "the file is empty".into() }];
            return Parsed::Damaged { why, kept: Box::new(Kept { shell, ..Kept::default() }) };
        }
        let cut = cut(text);
        let parts = split_body(cut.body, cut.body_line, shell.nl());
        let named = cut.yaml.is_some_and(|yaml| yaml.lines().any(|line| line.starts_with(VERSION)));
        let begun = format!("---\n{}:", VERSION);
        if !(named || parts.marked || begun.starts_with(&text.replace('\r', ""))) {
            return Parsed::Foreign(Box::new(foreign(text, cut, shell)));
        }
        let head = cut.yaml.map(read).unwrap_or_default();
        match head.version.as_deref().filter(|version| is_newer(version)) {
            Some(version) => Parsed::Newer { version: version.to_owned() },
            None => ours(&cut, head, parts, &shell),
        }
    }
}

/// A file of ours: good, or damaged with what can be kept of it.
fn ours(cut: &Cut<'_>, head: Head, parts: Parts<'_>, shell: &Shell) -> Parsed {
    let missing = cut.yaml.is_none().then_some("the frontmatter is missing");
    let open = missing.or((!cut.closed).then_some("the frontmatter is not closed"));
    let mut why: Vec<Problem> = open.map(|what| Problem { line: 1, what: what.into() }).into_iter().collect();
    why.extend(head.problems);
    let unmarked = parts.block.is_empty() && !parts.marked;
    let tables = table::read(&parts.block, parts.block.first().map_or(cut.body_line, |line| line.no));
    why.extend(parts.problems);
    if !unmarked {
        why.extend(tables.problems);
    }
    let shell = Shell { before: parts.before, after: parts.after, ..*shell };
    let (initialized, deleted) = (head.initialized.clone(), head.deleted);
    let kept = Kept { shell, head: head.entries, initialized, clis: tables.clis, skills: tables.skills, deleted };
    match (head.version, head.initialized, head.updated) {
        (Some(version), Some(initialized), Some(updated)) if why.is_empty() => {
            let mut registry = Registry::of(kept, version, initialized, updated);
            registry.sort();
            Parsed::Good(Box::new(registry))
        }
        _ => Parsed::Damaged { why, kept: Box::new(kept) },
    }
}

/// The text of a file that may be read and changed; else why it is refused.
fn readable(bytes: &[u8]) -> Result<&str, Parsed> {
    let refused = |why: String, line: usize| Err(Parsed::Refused { why, line });
    let line_at = |at: usize| bytes.iter().take(at).filter(|b| **b == b'\n').count() + 1;
    if bytes.len() > MAX_BYTES {
        return refused(format!("it is larger than {MAX_BYTES} bytes"), line_at(MAX_BYTES));
    }
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(bad) => return refused("it is not UTF-8".into(), line_at(bad.valid_up_to())),
    };
    match text.lines().position(is_conflict) {
        Some(at) => refused("it contains the markers of a merge conflict".into(), at + 1),
        None => Ok(text),
    }
}

/// Somebody else's file: its text goes before our block, its frontmatter is shared.
fn foreign(text: &str, cut: Cut<'_>, mut shell: Shell) -> Kept {
    let shared = cut.yaml.filter(|_| cut.closed).and_then(|yaml| Keyed::read(yaml).ok());
    let (head, before) = shared.map_or_else(|| (Keyed::default(), text), |(entries, _)| (entries, cut.body));
    before.clone_into(&mut shell.before);
    let nl = shell.nl();
    close_paragraph(&mut shell.before, nl);
    nl.clone_into(&mut shell.after);
    Kept { shell, head, ..Kept::default() }
}

fn is_conflict(line: &str) -> bool {
    ["<<<<<<<", ">>>>>>>", "|||||||"]
        .iter()
        .any(|mark| line.strip_prefix(mark).is_some_and(|rest| rest.is_empty() || rest.starts_with(' ')))
}

/// Whether this version is too new for this hefesto.
fn is_newer(version: &str) -> bool {
    match (semver(version), semver(super::OURS)) {
        (Some([theirs, ..]), Some([ours, ..])) => theirs > ours,
        _ => false,
    }
}

pub(super) const VERSION: &str = "hefesto_version";
pub(super) const INITIALIZED: &str = "initialized";
pub(super) const UPDATED: &str = "last_updated";
pub(super) const DELETED: &str = "skills_deleted";

/// The file, cut at its frontmatter.
#[derive(Debug, Clone, Copy)]
struct Cut<'a> {
    /// The lines between the two `---`; none when the file does not open with one.
    yaml: Option<&'a str>,
    /// Whether there is a second `---`.
    closed: bool,
    body: &'a str,
    /// 1-based number of the body's first line.
    body_line: usize,
}

/// Cuts a text (without byte order mark) at its frontmatter.
fn cut(text: &str) -> Cut<'_> {
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
struct Head {
    /// Every usable entry, ours and others', in order.
    entries: Keyed,
    version: Option<String>,
    initialized: Option<String>,
    updated: Option<String>,
    deleted: Vec<Deleted>,
    /// Problems, with line numbers of the file.
    problems: Vec<Problem>,
}

/// Reads the frontmatter's lines, which begin on line 2 of the file.
fn read(yaml: &str) -> Head {
    let mut head = Head::default();
    let (entries, values) = Keyed::read(yaml).unwrap_or_else(|bad| {
        let what = format!("the frontmatter cannot be read: {}", bad.what);
        head.problems.push(Problem { line: bad.line + 1, what });
        salvage(yaml)
    });
    head.entries = entries;
    let text = |key: &str, problems: &mut Vec<Problem>, good: fn(&str) -> bool| {
        let found = values.get(key).and_then(Value::as_str).filter(|text| good(text)).map(str::to_owned);
        if found.is_none() {
            let what = if values.contains_key(key) { "has no usable value" } else { "is missing" };
            problems.push(Problem { line: line_of(yaml, key), what: format!("`{key}` in the frontmatter {what}") });
        }
        found
    };
    head.version = text(VERSION, &mut head.problems, |text| semver(text).is_some());
    head.initialized = text(INITIALIZED, &mut head.problems, |text| row::instant(text).is_some());
    head.updated = text(UPDATED, &mut head.problems, |text| row::instant(text).is_some());
    if let (Some(first), Some(last)) = (&head.initialized, &head.updated)
        && row::after(first, last)
    {
        let what = format!("`{UPDATED}` is before `{INITIALIZED}`");
        head.problems.push(Problem { line: line_of(yaml, UPDATED), what });
    }
    if let Some(list) = values.get(DELETED).filter(|list| !list.is_null()) {
        let good = |note: &Deleted| Name::parse(&note.name).is_ok() && row::instant(&note.at).is_some();
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
    use super::super::tests::{NOW, good, sample};
    use super::*;
    use crate::registry::Found;

    fn damage(text: &str) -> (Vec<Problem>, Kept) {
        match Registry::parse(text.as_bytes()) {
            Parsed::Damaged { why, kept } => (why, *kept),
            other => panic!("{other:?}"),
        }
    }

    fn repaired(text: &str) -> Registry {
        let (_, kept) = damage(text);
        good(&Registry::rebuild(kept, &Found::default(), "0.1.0", NOW).render())
    }

    #[test]
    fn what_must_not_be_changed_is_refused_and_names_the_line() {
        let refused_line = |bytes: &[u8]| match Registry::parse(bytes) {
            Parsed::Refused { line, .. } => line,
            other => panic!("{other:?}"),
        };
        let text = sample().render();
        assert_eq!(refused_line(format!("{text}\n<<<<<<< HEAD\n").as_bytes()), text.lines().count() + 2);
        assert_eq!(refused_line(&[text.as_bytes(), b"\n\xff"].concat()), text.lines().count() + 2);
        assert!(refused_line("x\n".repeat(MAX_BYTES).as_bytes()) > 1000);
        good(&(text.clone() + "\nTitle\n=======\n"));
        let newer = text.replace("hefesto_version: 0.1.0", "hefesto_version: 99.0.0");
        assert!(matches!(Registry::parse(newer.as_bytes()), Parsed::Newer { version } if version == "99.0.0"));
    }

    #[test]
    fn empty_files_and_truncated_ones_are_repaired() {
        assert_eq!(damage("").0[0].what, "the file is empty");
        damage("\0\0\0\0");
        let text = sample().render();
        for end in 0..text.len() {
            match Registry::parse(&text.as_bytes()[..end]) {
                Parsed::Damaged { .. } => drop(repaired(&text[..end])),
                Parsed::Good(_) => assert!(end >= text.trim_end().len(), "good at {end}"),
                other => panic!("at {end}: {other:?}"),
            }
        }
    }

    #[test]
    fn a_bad_frontmatter_costs_no_row_and_no_text_and_missing_tables_keep_the_day_of_initialisation() {
        let text = sample().render();
        let back = repaired(&text.replace("initialized:", "initialized: [").replace("# Project state", "# My words"));
        assert_eq!((back.skills(), back.initialized.as_str()), (sample().skills(), NOW));
        assert!(back.render().contains("# My words\n"));
        let (head, _) = text.split_once("<!-- hefesto:begin").unwrap();
        assert_eq!(repaired(head).initialized, sample().initialized);
        let holed = text.replace("| Skill Name | CLIs | Created | Last Modified |\n", "");
        assert_eq!(repaired(&holed).clis(), sample().clis());
    }

    #[test]
    fn somebody_elses_file_is_not_ours_until_adopted() {
        for theirs in ["# Memory\n\n- likes tea", "---\nowner: me\n---\n# M\n", "---\n# a rule, not a frontmatter\n"] {
            let Parsed::Foreign(kept) = Registry::parse(theirs.as_bytes()) else { panic!("{theirs}") };
            let text = Registry::rebuild(*kept, &Found::default(), "0.1.0", NOW).render();
            assert!(matches!(Registry::parse(text.as_bytes()), Parsed::Good(_)), "{text}");
            for line in theirs.lines() {
                assert!(text.contains(line), "{line}\n{text}");
            }
        }
    }

    #[test]
    fn a_broken_line_of_the_frontmatter_costs_only_itself_and_an_unclosed_one_ends_with_our_keys() {
        let head =
            read("hefesto_version: 0.1.0\nowner: me\ninitialized: 2026-02-04T10:00:00Z\nbad: [x\nlast_updated: no\n");
        assert_eq!(head.version.as_deref(), Some("0.1.0"));
        assert_eq!(head.initialized.as_deref(), Some("2026-02-04T10:00:00Z"));
        assert_eq!(head.updated, None);
        assert!(head.entries.get("owner").is_some() && head.entries.get("bad").is_none());
        assert_eq!(head.problems.last().map(|problem| problem.line), Some(6));
        let cut = cut("---\nhefesto_version: 0.1.0\ninitialized: x\n\n# Title\n");
        assert_eq!((cut.closed, cut.body, cut.body_line), (false, "\n# Title\n", 4));
    }
}
