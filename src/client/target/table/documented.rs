//! Clients whose directories are as their documentation says in November 2026; not run.

use super::*;

/// Each keeps everything in a directory of one name, in the project and in the home directory.
macro_rules! documented {
    ($($record:ident: $id:literal, $title:literal, $binaries:expr, $dir:literal;)*) => {
        $(pub(super) const $record: Record = Record {
            id: $id,
            title: $title,
            binaries: &$binaries,
            home_dirs: &[$dir],
            project_marks: &[$dir],
            skills_dir: concat!($dir, "/skills"),
            reads: Reads {
                project: &[concat!($dir, "/skills")],
                user: &[home(concat!($dir, "/skills"))],
                ..Reads::TYPICAL
            },
            ..Record::TYPICAL
        };)*
    };
}

documented! {
    KIRO: "kiro", "Kiro", ["kiro-cli", "kiro"], ".kiro";
    JUNIE: "junie", "Junie", ["junie"], ".junie";
    GROK: "grok", "Grok CLI", ["grok"], ".grok";
    CONTINUE: "continue", "Continue", ["cn"], ".continue";
    QODER: "qoder", "Qoder CLI", ["qodercli"], ".qoder";
    TRAE: "trae", "Trae", ["trae"], ".trae";
    OPENHANDS: "openhands", "OpenHands", ["openhands"], ".openhands";
}
