//! Finds text that makes an agent or a shell do what nobody asked for (T0-HEFESTO-11.injection, .remote-exec).
//!
//! These are known shapes, no proof of harmlessness: abuse in plain language is for the human gate to see.

mod command;
mod concealed;
mod kept;
mod leak;
mod sabotage;
mod shell;
mod trace;

use memchr::memmem;

use crate::finding::Severity;

use super::signals::{Cause, Signal};
use super::window::ahead;

/// One suspicious place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Suspicion {
    /// Byte offset in the text.
    pub(super) offset: usize,
    /// What kind of rule it falls under.
    pub(super) kind: Kind,
    /// How grave it is in a body; names and descriptions are judged apart.
    pub(super) severity: Severity,
    /// What it is.
    pub(super) message: &'static str,
}

/// Which rule a suspicion falls under.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Text aimed at the agent.
    Injection,
    /// Code fetched, decoded or started unseen.
    RemoteExec,
    /// A safeguard taken off, or something left behind that runs by itself.
    Privilege,
}

/// What a line is looked at for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// A download that is run.
    Fetch,
    /// Encoded text that is decoded and run.
    Decode,
    /// A shell opened to another machine.
    Connect,
    /// A shell bound to a connection made elsewhere in the file.
    Bind,
    /// An archive that only a password opens, or a program to be fetched and started.
    Archive,
    /// A host that collects what is sent to it.
    DropHost,
    /// A link that hides where it leads.
    Shortener,
    /// A safeguard taken off.
    Guard,
    /// A file that holds credentials.
    Credential,
    /// All variables of the environment, one by one.
    Environment,
    /// Something that sends data away.
    Send,
    /// A place whose content runs by itself later.
    Persist,
    /// A comment that readers do not see.
    Comment,
    /// A tag that poses as the system's word.
    Pose,
    /// A question to a name server.
    Resolve,
    /// Logs and histories.
    Wipe,
    /// A program that mines coins.
    Mine,
    /// A way out of a container.
    Escape,
}

/// What kind of file a text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// Something to be read, or a template of what a person will look at.
    Prose,
    /// Something a client or a shell runs as it is.
    Script,
}

impl Place {
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

impl Shape {
    fn bit(self) -> u32 {
        1 << (self as u32)
    }
}

/// The words each shape begins with.
pub(super) const TRIGGERS: &[(Shape, &[&str])] = &[
    (Shape::Fetch, command::FETCHERS),
    (Shape::Decode, command::DECODERS),
    (Shape::Connect, command::CONNECTORS),
    (Shape::Bind, &["os.dup2(", "pty.spawn("]),
    (Shape::Archive, &[".zip", ".rar", ".7z", ".exe", ".dmg", ".msi", ".scr", ".pkg"]),
    (Shape::DropHost, trace::DROP_HOSTS),
    (Shape::Shortener, trace::SHORTENERS),
    (Shape::Guard, trace::GUARDS),
    (Shape::Credential, trace::CREDENTIALS),
    (Shape::Environment, trace::ENVIRONMENTS),
    (Shape::Send, trace::SENDERS),
    (Shape::Persist, trace::PERSISTENT),
    (Shape::Comment, &["<!--"]),
    (Shape::Pose, concealed::POSES),
    (Shape::Resolve, &["dig ", "nslookup ", "drill ", "host $(", "host \"$(", "resolve-dnsname "]),
    (Shape::Wipe, sabotage::WIPERS),
    (Shape::Mine, sabotage::MINERS),
    (Shape::Escape, sabotage::ESCAPES),
];

/// How much of a command is looked at for its end, in bytes.
const LONGEST_COMMAND: usize = 4096;
/// How much of a line in front of a word is looked at with it, in bytes.
const LEAD: usize = 1024;

/// Every suspicious place of a text, line by line, then across lines.
pub(super) fn scan(text: &str, place: Place, signals: &[Signal]) -> Vec<Suspicion> {
    let mut reading = Reading { text, place, lower: String::new(), found: Vec::new(), fetched: Vec::new() };
    let mut held: Option<(std::ops::Range<usize>, u32)> = None;
    for signal in signals {
        let Cause::Line(shape) = signal.cause else { continue };
        match &mut held {
            Some((line, shapes)) if signal.at < line.end => *shapes |= shape.bit(),
            _ => {
                let from = held.take().map_or(0, |(line, shapes)| {
                    reading.judge(&line, shapes);
                    line.end
                });
                held = Some((line_around(text, signal.at, from), shape.bit()));
            }
        }
    }
    if let Some((line, shapes)) = held {
        reading.judge(&line, shapes);
    }
    reading.run_by_name();
    let mut found = reading.found;
    trace::across_lines(text, place, signals, &mut found);
    concealed::scan(text, signals, &mut found);
    found
}

/// The line an offset stands in, with the lines it is continued on by a backslash: not before `from`, and bounded.
fn line_around(text: &str, at: usize, from: usize) -> std::ops::Range<usize> {
    let lead = super::window::behind(text, at, LEAD.min(at - from.min(at)));
    let continued = |before: &str| before.trim_end_matches(['\r', '\n']).ends_with('\\');
    let mut start = at - lead.len();
    let mut end_of_lead = lead.len();
    while let Some(newline) = lead.get(..end_of_lead).and_then(|lead| lead.rfind(['\n', '\r'])) {
        if !lead.get(..=newline).is_some_and(continued) {
            start = at - lead.len() + newline + 1;
            break;
        }
        end_of_lead = newline;
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

/// A text that is judged line by line.
struct Reading<'t> {
    text: &'t str,
    place: Place,
    /// The line at hand in lower case, with what it is continued on.
    lower: String,
    found: Vec<Suspicion>,
    /// The names given to downloads, and where the first of their lines ends.
    fetched: Vec<(usize, String)>,
}

impl Reading<'_> {
    fn judge(&mut self, line: &std::ops::Range<usize>, shapes: u32) {
        let Some(written) = self.text.get(line.clone()) else { return };
        self.lower.clear();
        self.lower.extend(written.chars().map(|c| if matches!(c, '\n' | '\r') { ' ' } else { c.to_ascii_lowercase() }));
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
        if let Some((at, message)) = commands(lower, shapes) {
            add(at, Kind::RemoteExec, Severity::Error, message);
        } else if let Some(at) = has(Shape::Fetch).then(|| command::fetched(lower)).flatten() {
            let severity = match self.place {
                Place::Script if !command::is_said(lower, at) => Severity::Error,
                _ if command::is_unsafe(lower, at) => Severity::Error,
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
        for (shape, words, kind, message) in [
            (Shape::DropHost, trace::DROP_HOSTS, Kind::Injection, "names a host that collects whatever is sent to it"),
            (
                Shape::Shortener,
                trace::SHORTENERS,
                Kind::Injection,
                "links through a shortener that hides where it leads",
            ),
            (Shape::Guard, trace::GUARDS, Kind::Privilege, "takes a safeguard off"),
        ] {
            if let Some(at) = has(shape).then(|| command::first_of(lower, words)).flatten() {
                add(at, kind, Severity::Warning, message);
            }
        }
        for (shape, look, kind, message) in [
            (
                Shape::Wipe,
                sabotage::wiped as fn(&str) -> Option<usize>,
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
        if has(Shape::Fetch) {
            self.fetched.extend(kept::name(lower).map(|name| (line.end, name.to_owned())));
        }
        // A command word that is split for the reader of the line, and whole for a shell.
        let split = || {
            shell::joined(lower).and_then(|whole| {
                let every = u32::MAX;
                commands(&whole, every)
                    .map(|(_, message)| (Kind::RemoteExec, message))
                    .or_else(|| leaks(&whole, every).map(|(_, message)| (Kind::Injection, message)))
            })
        };
        if !self.found.iter().skip(before).any(|one| one.severity == Severity::Error)
            && let Some((kind, message)) = split()
        {
            self.found.push(Suspicion { offset: line.start, kind, severity: Severity::Error, message });
        }
    }

    /// Downloads kept under a name that is run further down.
    fn run_by_name(&mut self) {
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
fn commands(lower: &str, shapes: u32) -> Option<(usize, &'static str)> {
    let has = |shape: Shape| shapes & shape.bit() != 0;
    let decoded = has(Shape::Decode).then(|| command::decoded(lower)).flatten();
    let connected = || has(Shape::Connect).then(|| command::connected(lower)).flatten();
    decoded
        .map(|at| (at, "decodes text and runs it"))
        .or_else(|| connected().map(|at| (at, "opens a shell to another machine")))
}

/// What a line sends away.
fn leaks(lower: &str, shapes: u32) -> Option<(usize, &'static str)> {
    let has = |shape: Shape| shapes & shape.bit() != 0;
    let sent = (has(Shape::Fetch) || has(Shape::Connect) || has(Shape::Send)).then(|| leak::sent(lower)).flatten();
    let asked = || has(Shape::Resolve).then(|| leak::asked(lower)).flatten();
    sent.or_else(|| asked().map(|at| (at, "sends data away in a question to a name server")))
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
