//! A text as it is judged, one line after the other.

use std::ops::Range;

use crate::finding::Severity;

use super::line::{Line, Pairs};
use super::parts::Parts;
use super::{Kind, Place, Shape, Suspicion, errors};
use super::{asked, command, connect, kept, leak, sabotage, shell, trace, vouched};

/// A text that is judged line by line.
pub(super) struct Reading<'t> {
    text: &'t str,
    place: Place,
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
    /// Nothing is read of the text yet.
    pub(super) fn new(text: &'t str, place: Place) -> Self {
        Self { text, place, lower: String::new(), found: Vec::new(), errors: 0, fetched: Vec::new(), last: None }
    }

    /// Looks at one line for the shapes its words give reason for. What repeats the line before it is judged as that was.
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
        let pairs = Pairs::of(&self.lower);
        let lower = Line::new(&self.lower, pairs.as_ref());
        let before = self.found.len();
        let found = &mut self.found;
        let mut add = |at: usize, kind, severity, message| {
            found.push(Suspicion { offset: line.start + at, kind, severity, message });
        };
        let fetch = has(Shape::Fetch).then(|| command::fetch(lower)).flatten();
        if let Some((at, message)) = commands(lower, shapes) {
            add(at, Kind::RemoteExec, Severity::Error, message);
        } else if let Some(at) = fetch.and_then(|at| command::fetched_at(lower, at)) {
            let severity = match self.place {
                Place::Script if !vouched::is_said(lower.text(), at) => Severity::Error,
                _ if vouched::is_unsafe(lower, at, has(Shape::DropHost)) => Severity::Error,
                // And again at every start, without anybody asking for it.
                _ if has(Shape::Persist) && trace::persisted(lower).is_some() => Severity::Error,
                _ => Severity::Warning,
            };
            add(at, Kind::RemoteExec, severity, "runs a download without anybody reading it");
        }
        if let Some((at, message)) = leaks(lower, shapes) {
            add(at, Kind::Injection, Severity::Error, message);
        }
        if has(Shape::Archive) {
            if let Some(at) = command::locked(lower) {
                add(at, Kind::RemoteExec, Severity::Error, "unpacks a download that a password hides from scanners");
            } else if let Some(at) = command::required(lower) {
                add(at, Kind::RemoteExec, Severity::Warning, "makes a program from the network a condition");
            }
        }
        static DROP_HOSTS: Parts<'_> = Parts::of(trace::DROP_HOSTS);
        static SHORTENERS: Parts<'_> = Parts::of(trace::SHORTENERS);
        static GUARDS: Parts<'_> = Parts::of(trace::GUARDS);
        for (shape, words, kind, message) in [
            (Shape::DropHost, &DROP_HOSTS, Kind::Injection, "names a host that collects whatever is sent to it"),
            (Shape::Shortener, &SHORTENERS, Kind::Injection, "links through a shortener that hides where it leads"),
            (Shape::Guard, &GUARDS, Kind::Privilege, "takes a safeguard off"),
        ] {
            if let Some(at) = has(shape).then(|| words.first(lower)).flatten() {
                add(at, kind, Severity::Warning, message);
            }
        }
        for (shape, look, kind, message) in [
            (
                Shape::Wipe,
                sabotage::wiped as fn(Line<'_>) -> Option<usize>,
                Kind::Privilege,
                "wipes the traces of what was done",
            ),
            (Shape::Mine, sabotage::mined, Kind::RemoteExec, "mines coins on the machine it runs on"),
            (Shape::Escape, sabotage::escaped, Kind::Privilege, "leaves its container for the machine around it"),
        ] {
            if let Some(at) = has(shape).then(|| look(lower)).flatten() {
                add(at, kind, Severity::Error, message);
            }
        }
        if let Some(at) = has(Shape::Persist).then(|| trace::persisted(lower)).flatten() {
            add(at, Kind::Privilege, Severity::Info, "writes to a file whose content runs by itself later");
        }
        let name = fetch.and_then(|at| kept::name(&lower, at));
        self.fetched.extend(name.map(|name| (line.end, name.to_owned())));
        // A command word that is split for the reader of the line, and whole for a shell.
        let split = || {
            shell::joined(lower.text()).and_then(|whole| {
                let every = u32::MAX;
                let pairs = Pairs::of(&whole);
                let whole = Line::new(&whole, pairs.as_ref());
                commands(whole, every)
                    .map(|(_, message)| (Kind::RemoteExec, message))
                    .or_else(|| leaks(whole, every).map(|(_, message)| (Kind::Injection, message)))
            })
        };
        if !self.found.iter().skip(before).any(|one| one.severity == Severity::Error)
            && let Some((kind, message)) = split()
        {
            self.found.push(Suspicion { offset: line.start, kind, severity: Severity::Error, message });
        }
    }

    /// Downloads kept under a name that is run further down.
    pub(super) fn run_by_name(&mut self) {
        let Some(first) = self.fetched.first().map(|(end, _)| *end) else { return };
        let names: Vec<String> = self.fetched.drain(..).map(|(_, name)| name).collect();
        if let Some(at) = self.text.get(first..).and_then(|rest| kept::run(rest, &names)) {
            let severity = if self.place == Place::Script { Severity::Error } else { Severity::Warning };
            let message = "runs a download without anybody reading it";
            self.found.push(Suspicion { offset: first + at, kind: Kind::RemoteExec, severity, message });
        }
    }
}

/// What a line runs that nobody can read, or opens to another machine.
fn commands(lower: Line<'_>, shapes: u32) -> Option<(usize, &'static str)> {
    let has = |shape: Shape| shapes & shape.bit() != 0;
    let decoded = has(Shape::Decode).then(|| command::decoded(lower)).flatten();
    let connected = || has(Shape::Connect).then(|| connect::connected(lower)).flatten();
    decoded
        .map(|at| (at, "decodes text and runs it"))
        .or_else(|| connected().map(|at| (at, "opens a shell to another machine")))
}

/// What a line sends away.
fn leaks(lower: Line<'_>, shapes: u32) -> Option<(usize, &'static str)> {
    let has = |shape: Shape| shapes & shape.bit() != 0;
    let sent = (has(Shape::Fetch) || has(Shape::Connect) || has(Shape::Send)).then(|| leak::sent(lower)).flatten();
    let asked = || has(Shape::Resolve).then(|| asked::asked(lower)).flatten();
    sent.or_else(|| asked().map(|at| (at, "sends data away in a question to a name server")))
}
