//! The files of a skill as files: where they lie, whether scripts can run, whether references lead anywhere.

use std::collections::BTreeSet;

use crate::finding::Severity;
use crate::skill::frontmatter::Document;
use crate::skill::position::{Lines, Position};

use super::Subject;
use super::report::{Report, shown};
use super::spec;
use super::table::Id;

const FILES: &[&str] = &["SKILL.md", "metadata.yaml"];
const FOLDERS: &[&str] = &["scripts", "references", "assets", "evals"];
/// How many links are followed.
const MAX_LINKS: usize = 500;
/// The first bytes of programs: ELF, Mach-O in its four spellings and as a universal file.
const PROGRAMS: &[&[u8]] = &[
    b"\x7fELF",
    b"\xfe\xed\xfa\xce",
    b"\xfe\xed\xfa\xcf",
    b"\xce\xfa\xed\xfe",
    b"\xcf\xfa\xed\xfe",
    b"\xca\xfe\xba\xbe",
];
const COMPILED: &[&str] = &[".exe", ".dll", ".so", ".dylib", ".pyc", ".msi", ".scr"];

/// Rules on the tree; true when there is a SKILL.md.
pub(super) fn check(subject: &Subject<'_>, report: &mut Report<'_>) -> bool {
    let mut strangers = BTreeSet::new();
    for (path, blob) in subject.tree.iter() {
        if escapes(path) {
            report.add(Id::T005, path, Position::START, "The path leads out of the skill's folder");
            continue;
        }
        let (top, inside) = path.split_once('/').map_or((path, false), |(top, _)| (top, true));
        let known = if inside { FOLDERS.contains(&top) } else { FILES.contains(&top) || is_licence(top) };
        if !known && strangers.insert(top) {
            let what = if inside { "folder" } else { "file" };
            let message = format!("The {what} `{}` is none that skills are made of", shown(top));
            report.weigh(Id::T005, Severity::Warning, path, Position::START, message);
        }
        if is_program(path, &blob.bytes) {
            report.add(Id::RemoteExec, path, Position::START, "A compiled program: nobody can read what it does");
        } else if path.starts_with("scripts/") && blob.bytes.starts_with(b"#!") && !blob.executable {
            report.add(Id::NotExecutable, path, Position::START, "The script is not executable");
        }
    }
    let found = subject.tree.get("SKILL.md").is_some();
    if !found {
        let other = subject.tree.iter().map(|(path, _)| path).find(|path| path.eq_ignore_ascii_case("SKILL.md"));
        let message = match other {
            Some(other) => format!("The file is called `{other}`; clients look for `SKILL.md`"),
            None => "There is no SKILL.md".to_owned(),
        };
        report.add(Id::S1, other.unwrap_or("SKILL.md"), Position::START, message);
    }
    found
}

/// Where the body's links to files lead.
pub(super) fn links(subject: &Subject<'_>, doc: &Document, report: &mut Report<'_>) {
    let references = spec::references(doc.body());
    if references.is_empty() {
        return;
    }
    let lines = Lines::new(&doc.text);
    for reference in references.into_iter().take(MAX_LINKS) {
        let at = lines.position(doc.body_start + reference.offset);
        let path = shown(reference.path);
        if escapes(reference.path) {
            report.add(Id::S17, "SKILL.md", at, format!("The reference `{path}` leads out of the skill's folder"));
        } else if subject.tree.get(reference.path).is_none() {
            report.add(Id::S17, "SKILL.md", at, format!("The reference `{path}` leads to no file of the skill"));
        } else if reference.path.matches('/').count() > 1 {
            let message = format!("The reference `{path}` is more than one level deep");
            report.weigh(Id::S17, Severity::Info, "SKILL.md", at, message);
        }
    }
}

fn escapes(path: &str) -> bool {
    path.is_empty()
        || path.starts_with('/')
        || path.contains(['\\', '\0'])
        || path.split('/').any(|part| matches!(part, "" | "." | ".."))
        || path.as_bytes().get(1) == Some(&b':')
}

fn is_licence(name: &str) -> bool {
    ["LICENSE", "LICENCE", "NOTICE"].iter().any(|stem| name.starts_with(stem))
}

fn is_program(path: &str, bytes: &[u8]) -> bool {
    let lower = path.to_ascii_lowercase();
    let dos = bytes.starts_with(b"MZ") && std::str::from_utf8(bytes).is_err();
    dos || PROGRAMS.iter().any(|magic| bytes.starts_with(magic))
        || COMPILED.iter().any(|ending| lower.ends_with(ending))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_leave_the_folder_are_seen() {
        for path in ["../a", "a/../b", "/a", "a//b", "c:/a", "a\\b", "./a", ""] {
            assert!(escapes(path), "{path}");
        }
        for path in ["a", "a/b.md", "..a/b", "a.."] {
            assert!(!escapes(path), "{path}");
        }
    }

    #[test]
    fn programs_are_told_by_bytes_or_name() {
        assert!(is_program("scripts/x", b"\x7fELF\x02"));
        assert!(is_program("assets/a.DLL", b""));
        assert!(!is_program("scripts/x.sh", b"#!/bin/sh\n"));
        assert!(!is_program("references/mz.md", b"MZ is a magic number"));
    }
}
