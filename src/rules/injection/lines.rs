//! Checks a text line by line.

use std::ops::Range;

use crate::rules::Severity;
use crate::rules::words::words;

use super::{Shape, Suspicion, TextKind, Threat, errors};
use super::{command, dns, exfiltration, reverse_shell, sabotage, shell_line, signs, trust, variable};

const UNREAD: &str = "runs a download that nobody has read";

/// A check of one line in lower case, which returns the offset of what it finds.
type Check = fn(&str) -> Option<usize>;

/// Reads the table below: shape, rule, severity, message, check.
macro_rules! checks {
    ($($shape:ident $kind:ident $severity:ident $message:literal $check:expr;)*) => {
        /// The checks that need nothing but the line.
        const CHECKS: &[(Shape, Check, Threat, Severity, &str)] =
            &[$((Shape::$shape, $check, Threat::$kind, Severity::$severity, $message)),*];
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
    Guard Privilege Warning "disables a safeguard" |line| words!(signs::GUARDS).first(line);
    Wipe Privilege Error "erases logs or history" sabotage::wiped;
    Mine RemoteExec Error "mines cryptocurrency on the machine it runs on" sabotage::mined;
    Escape Privilege Error "escapes from its container to the host" sabotage::escaped;
    Persist Privilege Info "writes to a file that is run automatically later" signs::persisted;
}

/// Checks a text line by line.
pub(super) struct LineScanner<'t> {
    text: &'t str,
    kind: TextKind,
    /// What was found, in order.
    pub(super) found: Vec<Suspicion>,
    pub(super) errors: usize,
    /// The names given to downloads, and where the first of their lines ends.
    fetched: Vec<(usize, String)>,
}

impl<'t> LineScanner<'t> {
    pub(super) fn new(text: &'t str, kind: TextKind) -> Self {
        Self { text, kind, found: Vec::new(), errors: 0, fetched: Vec::new() }
    }

    /// Checks one line for the shapes that its words signal.
    pub(super) fn check(&mut self, line: &Range<usize>, shapes: u32) {
        let Some(written) = self.text.get(line.clone()) else { return };
        let lower = written.to_ascii_lowercase().replace(['\n', '\r'], " ").replace("\\ ", "  ");
        let has = |shape: Shape| shapes & shape.bit() != 0;
        let before = self.found.len();
        let mut add = |at: usize, kind, severity, message| {
            self.found.push(Suspicion::new(line.start + at, kind, severity, message));
        };
        let fetch = has(Shape::Fetch).then(|| command::fetch(&lower)).flatten();
        if let Some((at, message)) = commands(&lower, shapes) {
            add(at, Threat::RemoteExec, Severity::Error, message);
        } else if let Some(at) = fetch.and_then(|at| command::fetched_at(&lower, at)) {
            // A program started at every login runs unasked.
            let severe = self.kind == TextKind::Script && !trust::is_mentioned(&lower, at)
                || trust::is_unsafe(&lower, at, has(Shape::DropHost))
                || has(Shape::Persist) && signs::persisted(&lower).is_some();
            let severity = if severe { Severity::Error } else { Severity::Warning };
            add(at, Threat::RemoteExec, severity, UNREAD);
        }
        if let Some((at, message)) = leaks(&lower, shapes) {
            add(at, Threat::Injection, Severity::Error, message);
        }
        for (_, check, kind, severity, message) in CHECKS.iter().filter(|(shape, ..)| has(*shape)) {
            if let Some(at) = check(&lower) {
                add(at, *kind, *severity, message);
            }
        }
        let name = fetch.and_then(|at| variable::name(&lower, at));
        self.fetched.extend(name.map(|name| (line.end, name.to_owned())));
        if errors(self.found.get(before..).unwrap_or_default()) == 0 {
            // A command whose word is split by quotes, which a shell joins.
            let joined = shell_line::joined(&lower).and_then(|whole| {
                let command = commands(&whole, u32::MAX).map(|(_, message)| (Threat::RemoteExec, message));
                command.or_else(|| leaks(&whole, u32::MAX).map(|(_, message)| (Threat::Injection, message)))
            });
            let found = joined.map(|(kind, message)| Suspicion::new(line.start, kind, Severity::Error, message));
            self.found.extend(found);
        }
        self.errors += errors(self.found.get(before..).unwrap_or_default());
    }

    /// Downloads saved under a name that is run later.
    pub(super) fn run_by_name(&mut self) {
        let Some(first) = self.fetched.first().map(|(end, _)| *end) else { return };
        let names: Vec<String> = self.fetched.drain(..).map(|(_, name)| name).collect();
        if let Some(at) = self.text.get(first..).and_then(|rest| variable::run(rest, &names)) {
            let severity = if self.kind == TextKind::Script { Severity::Error } else { Severity::Warning };
            self.found.push(Suspicion::new(first + at, Threat::RemoteExec, severity, UNREAD));
        }
    }
}

/// Decoded and executed text, or a shell opened to another machine.
fn commands(lower: &str, shapes: u32) -> Option<(usize, &'static str)> {
    let has = |shape: Shape| shapes & shape.bit() != 0;
    let decoded = has(Shape::Decode).then(|| command::decoded(lower)).flatten();
    let connected = || has(Shape::Connect).then(|| reverse_shell::connected(lower)).flatten();
    decoded
        .map(|at| (at, "decodes text and runs it"))
        .or_else(|| connected().map(|at| (at, "opens a shell to another machine")))
}

/// The data that a line exfiltrates.
fn leaks(lower: &str, shapes: u32) -> Option<(usize, &'static str)> {
    let has = |shape: Shape| shapes & shape.bit() != 0;
    let sent =
        (has(Shape::Fetch) || has(Shape::Connect) || has(Shape::Send)).then(|| exfiltration::sent(lower)).flatten();
    let asked = || has(Shape::Resolve).then(|| dns::queried(lower)).flatten();
    sent.or_else(|| asked().map(|at| (at, "exfiltrates data in a DNS query")))
}
