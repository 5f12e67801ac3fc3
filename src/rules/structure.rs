//! The files of a skill as files: where they lie, what kind they are, whether scripts can run.

use std::collections::BTreeSet;

use crate::finding::Severity;
use crate::skill::Blob;
use crate::skill::position::Position;

use super::Subject;
use super::report::{Report, shown};
use super::table::Id;

const FILES: &[&str] = &["SKILL.md", "metadata.yaml"];
const FOLDERS: &[&str] = &["scripts", "references", "assets", "evals"];
/// The first bytes of programs: ELF, Mach-O in its four spellings and as a universal file.
const PROGRAMS: &[&[u8]] = &[
    b"\x7fELF",
    b"\xfe\xed\xfa\xce",
    b"\xfe\xed\xfa\xcf",
    b"\xce\xfa\xed\xfe",
    b"\xcf\xfa\xed\xfe",
    b"\xca\xfe\xba\xbe",
];
const COMPILED: &[&str] = &[".exe", ".dll", ".so", ".dylib", ".pyc", ".pyo", ".msi", ".scr"];
/// The first bytes of archives: gzip, 7-Zip, RAR, xz, bzip2.
const ARCHIVES: &[&[u8]] = &[b"\x1f\x8b", b"7z\xbc\xaf\x27\x1c", b"Rar!\x1a\x07", b"\xfd7zXZ\x00", b"BZh"];
const PACKED: &[&str] =
    &[".zip", ".tar", ".gz", ".tgz", ".bz2", ".xz", ".7z", ".rar", ".jar", ".whl", ".skill", ".egg", ".deb", ".rpm"];
/// What a program in `scripts/` is called, where it has an ending.
const SCRIPTS: &[&str] = &[".sh", ".bash", ".zsh", ".py", ".rb", ".pl", ".js", ".mjs", ".php"];

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
        } else if is_archive(path, &blob.bytes) {
            let message = "An archive: nobody sees what is in it before it is unpacked";
            report.weigh(Id::RemoteExec, Severity::Warning, path, Position::START, message);
        } else if path.starts_with("scripts/") {
            script(path, blob, report);
        }
    }
    let found = subject.tree.get("SKILL.md").is_some();
    if !found {
        let other = subject.tree.iter().map(|(path, _)| path).find(|path| path.eq_ignore_ascii_case("SKILL.md"));
        let message = match other {
            None if subject.tree.iter().any(|(path, _)| path.starts_with("SKILL.md/")) => {
                "SKILL.md is a folder, not a file".to_owned()
            }
            Some(other) => format!("The file is called `{other}`; clients look for `SKILL.md`"),
            None => "There is no SKILL.md".to_owned(),
        };
        report.add(Id::S1, other.unwrap_or("SKILL.md"), Position::START, message);
    }
    found
}

/// A script that says how it is run can be run, and the other way round.
fn script(path: &str, blob: &Blob, report: &mut Report<'_>) {
    let announced = blob.bytes.starts_with(b"#!");
    let name = path.rsplit_once('/').map_or(path, |(_, name)| name).to_ascii_lowercase();
    let meant = !name.contains('.') || SCRIPTS.iter().any(|ending| name.ends_with(ending));
    if announced && !blob.executable {
        report.add(Id::NotExecutable, path, Position::START, "The script is not executable");
    } else if blob.executable && !announced && meant && !blob.bytes.is_empty() {
        let message = "The script is executable but has no `#!` line to say what runs it";
        let fix = "Begin it with a line such as `#!/usr/bin/env python3`, or take the executable bit away.";
        report.advise(Id::NotExecutable, Severity::Warning, path, Position::START, message, fix);
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
    fn programs_are_told_by_bytes_or_name() {
        assert!(is_program("scripts/x", b"\x7fELF\x02"));
        assert!(is_program("assets/a.DLL", b""));
        assert!(!is_program("scripts/x.sh", b"#!/bin/sh\n"));
        assert!(!is_program("references/mz.md", b"MZ is a magic number"));
    }
}
