//! Finds text that makes an agent or a shell do harm (T0-HEFESTO-11.injection, .remote-exec).
//!
//! These are known patterns, not proof of harmlessness: a person must judge abuse in plain language at the gate.

mod command;
mod concealed;
mod credential;
mod dns;
mod exfiltration;
mod lines;
mod reverse_shell;
mod sabotage;
mod shell_line;
mod signs;
mod trust;
mod variable;

use memchr::memmem;

use crate::rules::{Cause, Severity, Signal, ahead};

use super::phrases::Phrase;
use lines::LineScanner;

/// One suspicious place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Suspicion {
    /// Byte offset in the text.
    pub(super) offset: usize,
    /// The kind of rule it falls under.
    pub(super) kind: Threat,
    /// Its severity in a body; names and descriptions are judged separately.
    pub(super) severity: Severity,
    pub(super) message: &'static str,
}

impl Suspicion {
    fn new(offset: usize, kind: Threat, severity: Severity, message: &'static str) -> Self {
        Self { offset, kind, severity, message }
    }
}

/// Which rule a suspicion falls under.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Threat {
    /// Text aimed at the agent.
    Injection,
    /// Code fetched, decoded or started unseen.
    RemoteExec,
    /// A safeguard is disabled, or something is installed that runs automatically.
    Privilege,
}

/// Reads the table below: what a line is checked for, and the words it begins with.
macro_rules! shapes {
    ($($(#[$about:meta])* $shape:ident $words:expr;)*) => {
        /// What a line is checked for.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) enum Shape { $($(#[$about])* $shape),* }

        /// The words each shape begins with.
        pub(super) const TRIGGERS: &[(Shape, &[&str])] = &[$((Shape::$shape, $words)),*];
    };
}

shapes! {
    /// A download that is run.
    Fetch command::FETCHERS;
    /// Encoded text that is decoded and run.
    Decode command::DECODERS;
    /// A shell opened to another machine.
    Connect reverse_shell::CONNECTORS;
    /// A shell bound to a connection made elsewhere in the file.
    Bind &["os.dup2(", "pty.spawn("];
    /// An archive that only a password opens, or a program to be fetched and started.
    Archive &[".zip", ".rar", ".7z", ".exe", ".dmg", ".msi", ".scr", ".pkg"];
    /// A host that collects whatever is sent to it.
    DropHost signs::DROP_HOSTS;
    /// A link that hides its target.
    Shortener signs::SHORTENERS;
    /// A safeguard that is disabled.
    Guard signs::GUARDS;
    /// A file that contains credentials.
    Credential signs::CREDENTIALS;
    /// All variables of the environment, one by one.
    Environment signs::ENVIRONMENTS;
    /// A command that sends data out.
    Send signs::SENDERS;
    /// A file whose content runs automatically later.
    Persist signs::PERSISTENT;
    /// A comment that readers do not see.
    Comment &["<!--", "[//]: #", "[comment]: #"];
    /// A tag that imitates a system message.
    FakeSystemTag concealed::SYSTEM_TAGS;
    /// A DNS query.
    Resolve &["dig ", "nslookup ", "drill ", "host $(", "host \"$(", "resolve-dnsname "];
    /// Logs and histories.
    Wipe sabotage::WIPERS;
    /// A program that mines coins.
    Mine sabotage::MINERS;
    /// A way out of a container.
    Escape sabotage::ESCAPES;
}

impl Shape {
    fn bit(self) -> u32 {
        1 << (self as u32)
    }
}

/// The kind of file of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextKind {
    /// Text for a reader, or a template of it.
    Prose,
    /// Something a client or a shell runs as it is.
    Script,
}

impl TextKind {
    /// The kind of a file by its path.
    pub(super) fn of(path: &str) -> Self {
        const RUN: &[&str] = &[
            "sh", "bash", "zsh", "fish", "ps1", "psm1", "bat", "cmd", "py", "js", "mjs", "cjs", "ts", "rb", "pl",
            "php", "json",
        ];
        let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
        if RUN.iter().any(|one| ending.eq_ignore_ascii_case(one)) { Self::Script } else { Self::Prose }
    }
}

/// The longest command, in bytes.
const LONGEST_COMMAND: usize = 4096;
/// How much of a line before a word is included, in bytes.
const LEAD: usize = 1024;

/// Every suspicious place, by line, then across lines, up to `most` errors; `phrases` are those of the text.
pub(super) fn scan(text: &str, kind: TextKind, signals: &[Signal], phrases: &[Phrase], most: usize) -> Vec<Suspicion> {
    let mut scanner = LineScanner::new(text, kind);
    let mut held: Option<(std::ops::Range<usize>, u32)> = None;
    for signal in signals {
        let Cause::Line(shape) = signal.cause else { continue };
        match &mut held {
            Some((line, shapes)) if signal.at < line.end => *shapes |= shape.bit(),
            _ => {
                let from = held.take().map_or(0, |(line, shapes)| {
                    scanner.check(&line, shapes);
                    line.end
                });
                if scanner.errors >= most {
                    return scanner.found;
                }
                held = Some((line_around(text, signal.at, from), shape.bit()));
            }
        }
    }
    if let Some((line, shapes)) = held {
        scanner.check(&line, shapes);
    }
    scanner.run_by_name();
    let mut found = scanner.found;
    signs::across_lines(text, kind, signals, &mut found);
    concealed::scan(text, signals, phrases, most, &mut found);
    found
}

fn errors(found: &[Suspicion]) -> usize {
    found.iter().filter(|one| one.severity == Severity::Error).count()
}

/// The line at an offset, with its continuation lines; it begins at `from` or later and has a limited length.
fn line_around(text: &str, at: usize, from: usize) -> std::ops::Range<usize> {
    let lead = super::window::behind(text, at, LEAD.min(at - from.min(at)));
    let mut start = at - lead.len();
    let mut end_of_lead = lead.len();
    while let Some(newline) = lead.get(..end_of_lead).and_then(|lead| lead.rfind(['\n', '\r'])) {
        // Empty lines after a backslash do not end the continuation.
        let before = lead.as_bytes().get(..newline).unwrap_or_default();
        let written = before.iter().rposition(|b| !matches!(b, b'\n' | b'\r'));
        let Some(last) = written.filter(|last| before.get(*last) == Some(&b'\\')) else {
            start = at - lead.len() + newline + 1;
            break;
        };
        end_of_lead = last + 1;
    }
    let body = ahead(text, at, LONGEST_COMMAND);
    let mut length = body.len();
    let mut searched = 0;
    while let Some(newline) = body.get(searched..).and_then(|rest| rest.find(['\n', '\r'])).map(|step| searched + step)
    {
        if !body.get(..newline).is_some_and(|line| line.ends_with(['\\', '|', '\r'])) {
            length = newline;
            break;
        }
        searched = newline + 1;
    }
    start..at + length
}

/// `` !`command` `` and ```` ```! ````: Claude Code runs these while it loads a SKILL.md, in code blocks too.
pub(super) fn preprocessed(text: &str) -> Vec<usize> {
    let spans = memmem::find_iter(text.as_bytes(), "!`").filter_map(|at| {
        let opens = text.get(..at)?.chars().next_back().is_none_or(char::is_whitespace);
        opens.then_some(())?;
        let stop = ahead(text, at + 2, LONGEST_COMMAND).find(['`', '\n'])?;
        let closes = stop > 0 && text.as_bytes().get(at + 2 + stop) == Some(&b'`');
        closes.then_some(at)
    });
    let blocks = memmem::find_iter(text.as_bytes(), "```!").filter(|at| {
        let before = super::window::behind(text, *at, LEAD).trim_end_matches([' ', '\t']);
        before.is_empty() || before.ends_with(['\n', '\r'])
    });
    let mut all: Vec<usize> = spans.chain(blocks).collect();
    all.sort_unstable();
    all
}

#[cfg(test)]
mod tests;
