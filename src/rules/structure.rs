//! The files of a skill: their places and kinds, and whether scripts are executable.

use std::collections::BTreeSet;

use crate::rules::{FindingCollector, Id, Position, SKILL, Severity, Subject, shown};
use crate::skill::Blob;

const FILES: &[&str] = &[SKILL, "metadata.yaml"];
const FOLDERS: &[&str] = &["scripts", "references", "assets", "evals"];
/// The first bytes of programs: ELF, Mach-O in its four spellings and as a universal file.
const PROGRAMS: &[&[u8]] = &[
    b"\x7fELF", b"\xfe\xed\xfa\xce", b"\xfe\xed\xfa\xcf", b"\xce\xfa\xed\xfe", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe",
];
const COMPILED: &[&str] = &[".exe", ".dll", ".so", ".dylib", ".pyc", ".pyo", ".msi", ".scr"];
/// The first bytes of archives: gzip, 7-Zip, RAR, xz, bzip2.
const ARCHIVES: &[&[u8]] = &[b"\x1f\x8b", b"7z\xbc\xaf\x27\x1c", b"Rar!\x1a\x07", b"\xfd7zXZ\x00", b"BZh"];
const PACKED: &[&str] =
    &[".zip", ".tar", ".gz", ".tgz", ".bz2", ".xz", ".7z", ".rar", ".jar", ".whl", ".skill", ".egg", ".deb", ".rpm"];
const SCRIPTS: &[&str] = &[".sh", ".bash", ".zsh", ".py", ".rb", ".pl", ".js", ".mjs", ".php"];

/// Rules on the tree; true when there is a SKILL.md.
pub(super) fn check(subject: &Subject<'_>, report: &mut FindingCollector<'_>) -> bool {
    let found = subject.tree.get(SKILL).is_some();
    let meant = if found { Vec::new() } else { missing(subject, report) };
    let mut strangers = BTreeSet::new();
    for (path, blob) in subject.tree.iter() {
        if escapes(path) {
            report.add(Id::T005.at(Position::START, "The path points outside the skill's folder").in_file(path));
            continue;
        }
        let (top, inside) = path.split_once('/').map_or((path, false), |(top, _)| (top, true));
        let known = if inside { FOLDERS.contains(&top) } else { FILES.contains(&top) || is_licence(top) };
        // S1 already says how to fix it.
        if !known && !meant.contains(&top) && strangers.insert(top) {
            let (what, inside) = if inside { ("folder", "the files in it") } else { ("file", "it") };
            let message = format!("The {what} `{}` is not part of a skill's layout", shown(top));
            let fix = format!("Move {inside} into scripts/, references/ or assets/, or out of the skill.");
            report.add(Id::T005.at(Position::START, message).weighed(Severity::Warning).in_file(path).with_fix(fix));
        }
        if is_program(path, &blob.bytes) {
            let message = "A compiled program: nobody can review what it does";
            let fix = "Remove it; ship its source, or say in SKILL.md which published version to install.";
            report.add(Id::RemoteExec.at(Position::START, message).in_file(path).with_fix(fix));
        } else if is_archive(path, &blob.bytes) {
            let message = "An archive: nobody can review it before it is unpacked";
            let fix = "Unpack it and ship the files themselves.";
            let archive = Id::RemoteExec.at(Position::START, message).weighed(Severity::Warning);
            report.add(archive.in_file(path).with_fix(fix));
        } else if path.starts_with("scripts/") {
            script(path, blob, report);
        }
    }
    found
}

/// Reports that there is no SKILL.md; returns the names of files in its place.
fn missing<'t>(subject: &Subject<'t>, report: &mut FindingCollector<'_>) -> Vec<&'t str> {
    let paths = || subject.tree.iter().map(|(path, _)| path);
    let say = |path: &str, message: String, fix: String, report: &mut FindingCollector<'_>| {
        report.add(Id::S1.at(Position::START, message).in_file(path).with_fix(fix));
    };
    if let Some(other) = paths().find(|path| path.eq_ignore_ascii_case(SKILL)) {
        let message = format!("The file is called `{other}`; clients look for `{SKILL}`");
        say(other, message, format!("Rename it to {SKILL}, in capitals."), report);
        return vec![other];
    }
    if paths().any(|path| path.split_once('/').is_some_and(|(top, _)| top == SKILL)) {
        let fix = format!("Make {SKILL} a file, and move what is in the folder into references/.");
        say(SKILL, format!("{SKILL} is a folder, not a file"), fix, report);
        return vec![SKILL];
    }
    let below = paths().filter_map(|path| path.strip_suffix(SKILL)?.strip_suffix('/'));
    let mut groups: Vec<&str> = below.map(|folder| folder.split_once('/').map_or(folder, |(top, _)| top)).collect();
    groups.dedup();
    if let Some(first) = groups.first() {
        let more = if groups.len() > 1 { format!(" and {} more", groups.len() - 1) } else { String::new() };
        let message = format!("There is no {SKILL} here; skills are deeper, in `{}`{more}", shown(first));
        let fix = "Move each of these folders up to this level: most clients do not look deeper.";
        say(SKILL, message, fix.to_owned(), report);
        return groups;
    }
    report.add(Id::S1.at(Position::START, format!("There is no {SKILL}")));
    Vec::new()
}

/// Checks that a script is executable exactly if it has a `#!` line.
fn script(path: &str, blob: &Blob, report: &mut FindingCollector<'_>) {
    let announced = blob.bytes.starts_with(b"#!");
    let name = path.rsplit_once('/').map_or(path, |(_, name)| name).to_ascii_lowercase();
    let meant = !name.contains('.') || SCRIPTS.iter().any(|ending| name.ends_with(ending));
    if announced && !blob.executable {
        let fix = format!("Run `chmod +x {}` in the skill's folder.", shown(path));
        let fix = if plain(path) { fix } else { Id::NotExecutable.rule().fix.to_owned() };
        let message = format!("`{}` is not executable", shown(path));
        report.add(Id::NotExecutable.at(Position::START, message).in_file(path).with_fix(fix));
    } else if blob.executable && !announced && meant && !blob.bytes.is_empty() {
        let message = format!("`{}` is executable but has no `#!` line to say what runs it", shown(path));
        let fix = "Begin it with a line such as `#!/usr/bin/env python3`, or remove the executable bit.";
        report.add(Id::NotExecutable.at(Position::START, message).in_file(path).with_fix(fix));
    }
}

fn plain(path: &str) -> bool {
    path.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'/' | b'.' | b'_' | b'-'))
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

fn is_archive(path: &str, bytes: &[u8]) -> bool {
    let lower = path.to_ascii_lowercase();
    PACKED.iter().any(|ending| lower.ends_with(ending))
        || ARCHIVES.iter().any(|magic| bytes.starts_with(magic) && std::str::from_utf8(bytes).is_err())
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
    fn programs_are_recognised_by_bytes_or_name() {
        assert!(is_program("scripts/x", b"\x7fELF\x02"));
        assert!(is_program("assets/a.DLL", b""));
        assert!(!is_program("scripts/x.sh", b"#!/bin/sh\n"));
        assert!(!is_program("references/mz.md", b"MZ is a magic number"));
    }
}
