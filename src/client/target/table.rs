//! The target table, facts only: one file per client that was run; those that were not are here. `agents` is the directory
//! many clients share.

mod agents;
mod claude;
mod codex;
mod copilot;
mod cursor;
mod gemini;
mod opencode;
mod qwen;

use super::client::{Beyond, Budget, Client, Effect, Limit, NameForm, ReservedNames};
use super::reads::{Plugins, Reads, SHARED, SystemPath, Twice, home, moved, system};
use super::switches::{Asked, Said, SettingsFile, Switch, Switches};
use super::{Arguments, Form, Headless, Shape, Target};
pub use agents::{READERS, Reader};

/// The clients in order of priority, the shared directory last.
pub const TABLE: &[&Record] = &[
    &claude::RECORD,
    &gemini::RECORD,
    &codex::RECORD,
    &copilot::RECORD,
    &opencode::RECORD,
    &cursor::RECORD,
    &qwen::RECORD,
    &KIRO,
    &JUNIE,
    &GROK,
    &CONTINUE,
    &QODER,
    &TRAE,
    &OPENHANDS,
    &agents::RECORD,
];

#[derive(Debug)]
pub struct Record {
    pub id: &'static str,
    pub title: &'static str,
    pub binaries: &'static [&'static str],
    pub home_dirs: &'static [&'static str],
    pub project_marks: &'static [&'static str],
    pub skills_dir: &'static str,
    pub also_reads: &'static [&'static str],
    pub arguments: Arguments,
    pub invoke: &'static str,
    pub command: Form,
    pub reads: Reads,
    /// What it accepts in a skill; `None` if untested, and for the shared directory, which is no client.
    pub client: Option<Client>,
    pub switches: Option<Switches>,
    pub headless: Option<Headless>,
}

impl Record {
    /// The properties of most clients; a record names the differences of its client.
    const TYPICAL: Self = Self {
        id: "",
        title: "",
        binaries: &[],
        home_dirs: &[],
        project_marks: &[],
        skills_dir: "",
        also_reads: &[],
        arguments: Arguments::Dollar,
        invoke: "by description",
        command: Form::Skill,
        reads: Reads::TYPICAL,
        client: None,
        switches: None,
        headless: None,
    };

    pub fn target(&self) -> Target {
        let owned = |list: &[&str]| list.iter().map(ToString::to_string).collect();
        Target {
            id: self.id.into(),
            title: self.title.into(),
            binaries: owned(self.binaries),
            home_dirs: owned(self.home_dirs),
            project_marks: owned(self.project_marks),
            skills_dir: self.skills_dir.into(),
            also_reads: owned(self.also_reads),
            arguments: self.arguments,
            invoke: self.invoke.into(),
        }
    }
}

pub fn record(id: &str) -> Option<&'static Record> {
    TABLE.iter().find(|record| record.id == id).copied()
}

/// The AI CLIs as readers of skills, in the order of the table.
pub fn clients() -> impl Iterator<Item = &'static Client> {
    TABLE.iter().filter_map(|record| record.client.as_ref())
}

/// The AI CLIs that can be asked for a draft, in the order of the table.
pub fn drafters() -> impl Iterator<Item = &'static Headless> {
    TABLE.iter().filter_map(|record| record.headless.as_ref())
}

/// Each keeps everything in a directory of one name, in the project and in the home directory.
macro_rules! documented {
    ($($record:ident: $id:literal, $title:literal, $binaries:expr, $dir:literal;)*) => {
        $(const $record: Record = Record {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_a_record_agree() {
        for record in TABLE {
            for dir in record.also_reads.iter().chain([&record.skills_dir]) {
                assert!(record.reads.project.contains(dir), "{}: {dir}", record.id);
            }
            if let Some(client) = &record.client {
                assert_eq!((client.id, client.title), (record.id, record.title));
            }
            if let Some(headless) = &record.headless {
                assert_eq!(headless.id, record.id);
                assert!(record.binaries.contains(&headless.program), "{}", record.id);
            }
        }
    }
}
