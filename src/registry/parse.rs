//! Reads MEMORY.md and determines its state: good, damaged, foreign, newer or refused.

use super::split::{Parts, close_paragraph, split_body};
use super::{Kept, Parsed, Problem, Registry, Shell, frontmatter, table};
use crate::skill::semver::semver;

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
        let cut = frontmatter::cut(text);
        let parts = split_body(cut.body, cut.body_line, shell.nl());
        let named = cut.yaml.is_some_and(|yaml| yaml.lines().any(|line| line.starts_with(frontmatter::VERSION)));
        let begun = format!("---\n{}:", frontmatter::VERSION);
        if !(named || parts.marked || begun.starts_with(&text.replace('\r', ""))) {
            return Parsed::Foreign(Box::new(foreign(text, cut, shell)));
        }
        let head = cut.yaml.map(frontmatter::read).unwrap_or_default();
        match head.version.as_deref().filter(|version| is_newer(version)) {
            Some(version) => Parsed::Newer { version: version.to_owned() },
            None => ours(&cut, head, parts, &shell),
        }
    }
}

/// A file of ours: good, or damaged with what can be kept of it.
fn ours(cut: &frontmatter::Cut<'_>, head: frontmatter::Head, parts: Parts<'_>, shell: &Shell) -> Parsed {
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
    let kept = Kept {
        shell,
        head: head.entries,
        initialized: head.initialized,
        clis: tables.clis,
        skills: tables.skills,
        deleted: head.deleted,
    };
    match (head.version, kept, head.updated) {
        (Some(version), Kept { shell, head, initialized: Some(initialized), clis, skills, deleted }, Some(updated))
            if why.is_empty() =>
        {
            let mut registry = Registry { shell, head, version, initialized, updated, clis, skills, deleted };
            registry.sort();
            Parsed::Good(Box::new(registry))
        }
        (_, kept, _) => Parsed::Damaged { why, kept: Box::new(kept) },
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
fn foreign(text: &str, cut: frontmatter::Cut<'_>, mut shell: Shell) -> Kept {
    let mut kept = Kept::default();
    let shared = cut.yaml.filter(|_| cut.closed).and_then(|yaml| crate::skill::keyed::Keyed::read(yaml).ok());
    shell.before = match shared {
        Some((entries, _)) => {
            kept.head = entries;
            cut.body.to_owned()
        }
        None => text.to_owned(),
    };
    let nl = shell.nl();
    close_paragraph(&mut shell.before, nl);
    nl.clone_into(&mut shell.after);
    kept.shell = shell;
    kept
}

/// Whether the line is a conflict marker of git.
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

    fn refused_line(bytes: &[u8]) -> usize {
        match Registry::parse(bytes) {
            Parsed::Refused { line, .. } => line,
            other => panic!("{other:?}"),
        }
    }

    fn mended(text: &str) -> Registry {
        let (_, kept) = damage(text);
        good(&Registry::rebuild(kept, &Found::default(), "0.1.0", NOW).render())
    }

    #[test]
    fn refused_files_name_the_line() {
        let text = sample().render();
        assert_eq!(refused_line(format!("{text}\n<<<<<<< HEAD\n").as_bytes()), text.lines().count() + 2);
        assert_eq!(refused_line(&[text.as_bytes(), b"\n\xff"].concat()), text.lines().count() + 2);
        assert!(refused_line("x\n".repeat(MAX_BYTES).as_bytes()) > 1000);
    }

    #[test]
    fn a_setext_underline_is_no_conflict() {
        good(&(sample().render() + "\nTitle\n=======\n"));
    }

    #[test]
    fn a_newer_major_is_not_touched() {
        let text = sample().render().replace("hefesto_version: 0.1.0", "hefesto_version: 99.0.0");
        assert!(matches!(Registry::parse(text.as_bytes()), Parsed::Newer { version } if version == "99.0.0"));
    }

    #[test]
    fn empty_files_and_truncated_ones_are_ours_to_mend() {
        assert_eq!(damage("").0[0].what, "the file is empty");
        damage("\0\0\0\0");
        let text = sample().render();
        for end in 0..text.len() {
            match Registry::parse(&text.as_bytes()[..end]) {
                Parsed::Damaged { .. } => drop(mended(&text[..end])),
                Parsed::Good(_) => assert!(end >= text.trim_end().len(), "good at {end}"),
                other => panic!("at {end}: {other:?}"),
            }
        }
    }

    #[test]
    fn a_bad_frontmatter_costs_no_row_and_no_text() {
        let text = sample().render().replace("initialized:", "initialized: [").replace("# Project state", "# My words");
        let back = mended(&text);
        assert_eq!(back.skills(), sample().skills());
        assert_eq!(back.initialized(), NOW);
        assert!(back.render().contains("# My words\n"));
    }

    #[test]
    fn missing_tables_keep_the_day_of_initialisation() {
        let text = sample().render();
        let (head, _) = text.split_once("<!-- hefesto:begin").unwrap();
        assert_eq!(mended(head).initialized(), sample().initialized());
        let holed = text.replace("| Skill Name | CLIs | Created | Last Modified |\n", "");
        assert_eq!(mended(&holed).clis(), sample().clis());
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
}
