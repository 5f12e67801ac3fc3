//! Finds text that makes an agent or a shell do harm (T0-HEFESTO-11.injection, .remote-exec).
//!
//! These are known patterns, not proof of harmlessness: a person must judge abuse in plain language at the gate.

mod command;
mod concealed;
mod credential;
mod exfiltration;
mod sabotage;
mod shell_line;
mod signs;

use std::ops::Range;

use memchr::memmem;

use super::phrases::Phrase;
use crate::rules::words::words;
use crate::rules::{Cause, Id, Severity, Signal, ahead, behind};

pub(super) struct Suspicion {
    pub(super) offset: usize,
    pub(super) rule: Id,
    /// Its severity in a body; names and descriptions are judged separately.
    pub(super) severity: Severity,
    pub(super) message: &'static str,
}

impl Suspicion {
    pub(super) fn new(offset: usize, rule: Id, severity: Severity, message: &'static str) -> Self {
        Self { offset, rule, severity, message }
    }
}

/// Reads the table below: what a line is checked for, and the words it begins with.
macro_rules! shapes {
    ($($(#[$about:meta])* $shape:ident $words:expr;)*) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) enum Shape { $($(#[$about])* $shape),* }

        pub(super) const TRIGGERS: &[(Shape, &[&str])] = &[$((Shape::$shape, $words)),*];
    };
}

shapes! {
    /// A download that is run.
    Fetch command::FETCHERS;
    Decode command::DECODERS;
    /// A shell opened to another machine.
    Connect command::CONNECTORS;
    /// A shell bound to a connection made elsewhere in the file.
    Bind &["os.dup2(", "pty.spawn("];
    /// An archive that only a password opens, or a program to be fetched and started.
    Archive &[".zip", ".rar", ".7z", ".exe", ".dmg", ".msi", ".scr", ".pkg"];
    DropHost signs::DROP_HOSTS;
    Shortener signs::SHORTENERS;
    Guard signs::GUARDS;
    Credential signs::CREDENTIALS;
    /// All variables of the environment, one by one.
    Environment signs::ENVIRONMENTS;
    Send signs::SENDERS;
    Persist signs::PERSISTENT;
    Comment &["<!--", "[//]: #", "[comment]: #"];
    FakeSystemTag concealed::SYSTEM_TAGS;
    Resolve &["dig ", "nslookup ", "drill ", "host $(", "host \"$(", "resolve-dnsname "];
    Wipe sabotage::WIPERS;
    Mine sabotage::MINERS;
    Escape sabotage::ESCAPES;
}

impl Shape {
    fn bit(self) -> u32 {
        1 << (self as u32)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextKind {
    /// Text for a reader, or a template of it.
    Prose,
    /// Something a client or a shell runs as it is.
    Script,
}

impl TextKind {
    pub(super) fn of(path: &str) -> Self {
        const RUN: &[&str] = &[
            "sh", "bash", "zsh", "fish", "ps1", "psm1", "bat", "cmd", "py", "js", "mjs", "cjs", "ts", "rb", "pl",
            "php", "json",
        ];
        let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
        if RUN.iter().any(|one| ending.eq_ignore_ascii_case(one)) { Self::Script } else { Self::Prose }
    }
}

const LONGEST_COMMAND: usize = 4096;
/// How much of a line before a word is included, in bytes.
const LEAD: usize = 1024;

/// Every suspicious place, by line, then across lines, up to `most` errors; `phrases` are those of the text.
pub(super) fn scan(text: &str, kind: TextKind, signals: &[Signal], phrases: &[Phrase], most: usize) -> Vec<Suspicion> {
    let mut scanner = LineScanner { text, kind, found: Vec::new(), errors: 0, fetched: Vec::new() };
    let mut held: Option<(Range<usize>, u32)> = None;
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
fn line_around(text: &str, at: usize, from: usize) -> Range<usize> {
    let lead = behind(text, at, LEAD.min(at - from.min(at)));
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
        let before = behind(text, *at, LEAD).trim_end_matches([' ', '\t']);
        before.is_empty() || before.ends_with(['\n', '\r'])
    });
    let mut all: Vec<usize> = spans.chain(blocks).collect();
    all.sort_unstable();
    all
}

const UNREAD: &str = "runs a download that nobody has read";

/// A check of one line in lower case, which returns the offset of what it finds.
type Check = fn(&str) -> Option<usize>;

/// Reads the table below: shape, rule, severity, message, check.
macro_rules! checks {
    ($($shape:ident $kind:ident $severity:ident $message:literal $check:expr;)*) => {
        const CHECKS: &[(Shape, Check, Id, Severity, &str)] =
            &[$((Shape::$shape, $check, Id::$kind, Severity::$severity, $message)),*];
    };
}

checks! {
    Archive RemoteExec Error "unpacks a password-protected download, which scanners cannot read" command::password_archive;
    Archive RemoteExec Warning "requires a program downloaded from the network"
        |line| command::required_program(line).filter(|_| command::password_archive(line).is_none());
    DropHost Injection Warning "names a host that collects whatever is sent to it"
        |line| words!(signs::DROP_HOSTS).first(line);
    Shortener Injection Warning "links through a URL shortener, which hides the target"
        |line| words!(signs::SHORTENERS).first(line);
    Guard T011 Warning "disables a safeguard" |line| words!(signs::GUARDS).first(line);
    Wipe T011 Error "erases logs or history" sabotage::wiped;
    Mine RemoteExec Error "mines cryptocurrency on the machine it runs on" sabotage::mined;
    Escape T011 Error "escapes from its container to the host" sabotage::escaped;
    Persist T011 Info "writes to a file that is run automatically later" signs::persisted;
}

struct LineScanner<'t> {
    text: &'t str,
    kind: TextKind,
    found: Vec<Suspicion>,
    errors: usize,
    /// The names given to downloads, and where the first of their lines ends.
    fetched: Vec<(usize, String)>,
}

impl LineScanner<'_> {
    /// Checks one line for the shapes that its words signal.
    fn check(&mut self, line: &Range<usize>, shapes: u32) {
        let Some(written) = self.text.get(line.clone()) else { return };
        let lower = written.to_ascii_lowercase().replace(['\n', '\r'], " ").replace("\\ ", "  ");
        let has = |shape: Shape| shapes & shape.bit() != 0;
        let before = self.found.len();
        let mut add = |at: usize, kind, severity, message| {
            self.found.push(Suspicion::new(line.start + at, kind, severity, message));
        };
        let fetch = has(Shape::Fetch).then(|| command::fetch(&lower)).flatten();
        if let Some((at, message)) = commands(&lower, shapes) {
            add(at, Id::RemoteExec, Severity::Error, message);
        } else if let Some(at) = fetch.and_then(|at| command::fetched(&lower, at)) {
            // A program started at every login runs unasked.
            let severe = self.kind == TextKind::Script && !command::is_mentioned(&lower, at)
                || command::is_unsafe(&lower, at, has(Shape::DropHost))
                || has(Shape::Persist) && signs::persisted(&lower).is_some();
            let severity = if severe { Severity::Error } else { Severity::Warning };
            add(at, Id::RemoteExec, severity, UNREAD);
        }
        if let Some((at, message)) = leaks(&lower, shapes) {
            add(at, Id::Injection, Severity::Error, message);
        }
        for (_, check, kind, severity, message) in CHECKS.iter().filter(|(shape, ..)| has(*shape)) {
            if let Some(at) = check(&lower) {
                add(at, *kind, *severity, message);
            }
        }
        let name = fetch.and_then(|at| command::variable_name(&lower, at));
        self.fetched.extend(name.map(|name| (line.end, name.to_owned())));
        if errors(self.found.get(before..).unwrap_or_default()) == 0 {
            // A command whose word is split by quotes, which a shell joins.
            let joined = shell_line::joined(&lower).and_then(|whole| {
                let command = commands(&whole, u32::MAX).map(|(_, message)| (Id::RemoteExec, message));
                command.or_else(|| leaks(&whole, u32::MAX).map(|(_, message)| (Id::Injection, message)))
            });
            let found = joined.map(|(kind, message)| Suspicion::new(line.start, kind, Severity::Error, message));
            self.found.extend(found);
        }
        self.errors += errors(self.found.get(before..).unwrap_or_default());
    }

    /// Downloads saved under a name that is run later.
    fn run_by_name(&mut self) {
        let Some(first) = self.fetched.first().map(|(end, _)| *end) else { return };
        let names: Vec<String> = self.fetched.drain(..).map(|(_, name)| name).collect();
        if let Some(at) = self.text.get(first..).and_then(|rest| command::variable_run(rest, &names)) {
            let severity = if self.kind == TextKind::Script { Severity::Error } else { Severity::Warning };
            self.found.push(Suspicion::new(first + at, Id::RemoteExec, severity, UNREAD));
        }
    }
}

/// Decoded and executed text, or a shell opened to another machine.
fn commands(lower: &str, shapes: u32) -> Option<(usize, &'static str)> {
    let has = |shape: Shape| shapes & shape.bit() != 0;
    let decoded = has(Shape::Decode).then(|| command::decoded(lower)).flatten();
    let connected = || has(Shape::Connect).then(|| command::connected(lower)).flatten();
    decoded
        .map(|at| (at, "decodes text and runs it"))
        .or_else(|| connected().map(|at| (at, "opens a shell to another machine")))
}

fn leaks(lower: &str, shapes: u32) -> Option<(usize, &'static str)> {
    let has = |shape: Shape| shapes & shape.bit() != 0;
    let sent =
        (has(Shape::Fetch) || has(Shape::Connect) || has(Shape::Send)).then(|| exfiltration::sent(lower)).flatten();
    let asked = || has(Shape::Resolve).then(|| exfiltration::queried(lower)).flatten();
    sent.or_else(|| asked().map(|at| (at, "exfiltrates data in a DNS query")))
}

#[cfg(test)]
mod tests;
