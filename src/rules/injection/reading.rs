//! Judges a text line by line.

use std::ops::Range;

use crate::rules::finding::Severity;

use super::parts::Parts;
use super::{Shape, Suspicion, TextKind, Threat, errors};
use super::{asked, command, connect, kept, leak, sabotage, shell, trace, vouched};

/// Judges a text line by line.
pub(super) struct Reading<'t> {
    text: &'t str,
    place: TextKind,
    /// The line at hand in lower case, with what it is continued on.
    lower: String,
    /// What was found, in order.
    pub(super) found: Vec<Suspicion>,
    /// How many of them are errors.
    pub(super) errors: usize,
    /// The names given to downloads, and where the first of their lines ends.
    fetched: Vec<(usize, String)>,
    /// The line judged last, the shapes it was looked at for, and which of what was found is its own.
    last: Option<(Range<usize>, u32, Range<usize>)>,
}

impl<'t> Reading<'t> {
    /// Starts at the beginning of a text.
    pub(super) fn new(text: &'t str, place: TextKind) -> Self {
        Self { text, place, lower: String::new(), found: Vec::new(), errors: 0, fetched: Vec::new(), last: None }
    }

    /// Checks one line for the shapes that its words signal. A repeated line gets the same findings.
    pub(super) fn judge(&mut self, line: &Range<usize>, shapes: u32) {
        let from = self.found.len();
        self.judge_line(line, shapes);
        self.errors += errors(self.found.get(from..).unwrap_or_default());
    }

    fn judge_line(&mut self, line: &Range<usize>, shapes: u32) {
        let Some(written) = self.text.get(line.clone()) else { return };
        if let Some((before, looked, own)) = self.last.clone()
            && looked == shapes
            && self.text.get(before.clone()) == Some(written)
        {
            for at in own {
                let Some(mut again) = self.found.get(at).cloned() else { continue };
                again.offset = again.offset - before.start + line.start;
                self.found.push(again);
            }
            return;
        }
        let from = self.found.len();
        self.look(written, line, shapes);
        self.last = Some((line.clone(), shapes, from..self.found.len()));
    }

    fn look(&mut self, written: &str, line: &Range<usize>, shapes: u32) {
        self.lower.clear();
        self.lower.push_str(written);
        self.lower.make_ascii_lowercase();
        if memchr::memchr2(b'\n', b'\r', self.lower.as_bytes()).is_some() {
            self.lower = self.lower.replace(['\n', '\r'], " ");
        }
        if self.lower.contains("\\ ") {
            self.lower = self.lower.replace("\\ ", "  ");
        }
        let has = |shape: Shape| shapes & shape.bit() != 0;
        let lower = self.lower.as_str();
        let before = self.found.len();
        let found = &mut self.found;
        let mut add = |at: usize, kind, severity, message| {
            found.push(Suspicion { offset: line.start + at, kind, severity, message });
        };
        let fetch = has(Shape::Fetch).then(|| command::fetch(lower)).flatten();
        if let Some((at, message)) = commands(lower, shapes) {
            add(at, Threat::RemoteExec, Severity::Error, message);
        } else if let Some(at) = fetch.and_then(|at| command::fetched_at(lower, at)) {
            let severity = match self.place {
                TextKind::Script if !vouched::is_said(lower, at) => Severity::Error,
                _ if vouched::is_unsafe(lower, at, has(Shape::DropHost)) => Severity::Error,
                // It also runs at every start, unasked.
                _ if has(Shape::Persist) && trace::persisted(lower).is_some() => Severity::Error,
                _ => Severity::Warning,
            };
            add(at, Threat::RemoteExec, severity, "runs a download that nobody has read");
        }
        if let Some((at, message)) = leaks(lower, shapes) {
            add(at, Threat::Injection, Severity::Error, message);
        }
        if has(Shape::Archive) {
            if let Some(at) = command::locked(lower) {
                add(
                    at,
                    Threat::RemoteExec,
                    Severity::Error,
                    "unpacks a password-protected download, which scanners cannot read",
                );
            } else if let Some(at) = command::required(lower) {
                add(at, Threat::RemoteExec, Severity::Warning, "requires a program downloaded from the network");
            }
        }
        static DROP_HOSTS: Parts = Parts::of(trace::DROP_HOSTS);
        static SHORTENERS: Parts = Parts::of(trace::SHORTENERS);
        static GUARDS: Parts = Parts::of(trace::GUARDS);
        for (shape, words, kind, message) in [
            (Shape::DropHost, &DROP_HOSTS, Threat::Injection, "names a host that collects whatever is sent to it"),
            (Shape::Shortener, &SHORTENERS, Threat::Injection, "links through a URL shortener, which hides the target"),
            (Shape::Guard, &GUARDS, Threat::Privilege, "disables a safeguard"),
        ] {
            if let Some(at) = has(shape).then(|| words.first(lower)).flatten() {
                add(at, kind, Severity::Warning, message);
            }
        }
        for (shape, look, kind, message) in [
            (Shape::Wipe, sabotage::wiped as fn(&str) -> Option<usize>, Threat::Privilege, "erases logs or history"),
            (Shape::Mine, sabotage::mined, Threat::RemoteExec, "mines cryptocurrency on the machine it runs on"),
            (Shape::Escape, sabotage::escaped, Threat::Privilege, "escapes from its container to the host"),
        ] {
            if let Some(at) = has(shape).then(|| look(lower)).flatten() {
                add(at, kind, Severity::Error, message);
            }
        }
        if let Some(at) = has(Shape::Persist).then(|| trace::persisted(lower)).flatten() {
            add(at, Threat::Privilege, Severity::Info, "writes to a file that is run automatically later");
        }
        let name = fetch.and_then(|at| kept::name(lower, at));
        self.fetched.extend(name.map(|name| (line.end, name.to_owned())));
        // A command that quoting splits for the reader and that a shell joins.
        let split = || {
            shell::joined(lower).and_then(|whole| {
                let every = u32::MAX;
                commands(&whole, every)
                    .map(|(_, message)| (Threat::RemoteExec, message))
                    .or_else(|| leaks(&whole, every).map(|(_, message)| (Threat::Injection, message)))
            })
        };
        if !self.found.iter().skip(before).any(|one| one.severity == Severity::Error)
            && let Some((kind, message)) = split()
        {
            self.found.push(Suspicion { offset: line.start, kind, severity: Severity::Error, message });
        }
    }

    /// Downloads saved under a name that is run later.
    pub(super) fn run_by_name(&mut self) {
        let Some(first) = self.fetched.first().map(|(end, _)| *end) else { return };
        let names: Vec<String> = self.fetched.drain(..).map(|(_, name)| name).collect();
        if let Some(at) = self.text.get(first..).and_then(|rest| kept::run(rest, &names)) {
            let severity = if self.place == TextKind::Script { Severity::Error } else { Severity::Warning };
            let message = "runs a download that nobody has read";
            self.found.push(Suspicion { offset: first + at, kind: Threat::RemoteExec, severity, message });
        }
    }
}

/// What a line decodes and runs, or a shell it opens to another machine.
fn commands(lower: &str, shapes: u32) -> Option<(usize, &'static str)> {
    let has = |shape: Shape| shapes & shape.bit() != 0;
    let decoded = has(Shape::Decode).then(|| command::decoded(lower)).flatten();
    let connected = || has(Shape::Connect).then(|| connect::connected(lower)).flatten();
    decoded
        .map(|at| (at, "decodes text and runs it"))
        .or_else(|| connected().map(|at| (at, "opens a shell to another machine")))
}

/// The data that a line exfiltrates.
fn leaks(lower: &str, shapes: u32) -> Option<(usize, &'static str)> {
    let has = |shape: Shape| shapes & shape.bit() != 0;
    let sent = (has(Shape::Fetch) || has(Shape::Connect) || has(Shape::Send)).then(|| leak::sent(lower)).flatten();
    let asked = || has(Shape::Resolve).then(|| asked::asked(lower)).flatten();
    sent.or_else(|| asked().map(|at| (at, "exfiltrates data in a DNS query")))
}
