//! Formatting: marks, colours, errors, tables and diffs. Values in, text out.

mod diff;
mod fold;
mod global;
mod json;
mod numbers;
mod screen;
mod snippet;
mod table;

pub use diff::{diff, side_by_side};
pub use global::with_global;
pub use json::{inert, json};
pub use numbers::{ago, bar, count, lasting, size, used};
pub use screen::{Screen, Seal};
pub use snippet::snippet;
pub use table::table;

use screen::Act;

use crate::error::{Error, Kind, Warning};
use crate::rules::Severity;
use crate::skill::printable;

/// Colour and marks, decided once at the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    pub colour: bool,
    /// Whether marks beyond ASCII are used.
    pub unicode: bool,
    /// Columns of the terminal, 80 when there is none.
    pub width: usize,
    /// Whether a terminal shows it: long lines are then broken between words.
    pub folds: bool,
    /// The seal that marks the program's own styling.
    pub seal: Seal,
}

/// Methods that give a text a look.
macro_rules! looks {
    ($($(#[$doc:meta])* $name:ident: $act:ident,)*) => {
        impl Style {
            $($(#[$doc])* pub fn $name(self, text: &str) -> String {
                self.paint(Act::$act, text)
            })*
        }
    };
}

looks! {
    good: Good,
    bad: Bad,
    odd: Odd,
    /// A path or a command.
    path: Path,
    head: Head,
    dim: Dim,
    strong: Strong,
}

impl Style {
    /// No colour, ASCII, 80 columns.
    pub fn plain() -> Self {
        Self { colour: false, unicode: false, width: 80, folds: false, seal: Seal::default() }
    }

    fn paint(self, act: Act, text: &str) -> String {
        if self.colour { format!("{}{text}{}", self.seal.mark(act), self.seal.mark(Act::End)) } else { text.to_owned() }
    }

    /// The beginning of the line, to write over it.
    pub fn back(self) -> String {
        self.seal.mark(Act::Return)
    }

    /// The sequence that clears the line.
    pub fn cleared(self) -> String {
        self.seal.mark(Act::Clear)
    }

    pub fn tick(self) -> String {
        self.good(if self.unicode { "✓" } else { "[OK]" })
    }

    pub fn cross(self) -> String {
        self.bad(if self.unicode { "✗" } else { "[X]" })
    }

    pub fn mark(self) -> String {
        self.odd(if self.unicode { "!" } else { "[!]" })
    }

    /// Breaks long lines between words if a person reads them; continuation lines are indented by `hang` columns.
    pub fn fold(self, text: &str, hang: usize) -> String {
        if self.folds { fold::fold(text, self.width, hang) } else { text.to_owned() }
    }

    /// A rule across the screen with a title in it, never wider than the screen.
    pub fn rule(self, title: &str) -> String {
        let line = if self.unicode { "─" } else { "-" };
        let width = self.width.clamp(20, 80);
        let used = 4 + title.chars().count();
        self.head(format!("{0}{0} {title} {1}", line, line.repeat(width.saturating_sub(used))).trim_end())
    }

    pub fn note(self, note: &Warning) -> String {
        let word = match note.code.kind() {
            Kind::Info => self.dim(&format!("note [{}]:", note.code)),
            Kind::Warning | Kind::Error => self.odd(&format!("warning [{}]:", note.code)),
        };
        self.fold(&format!("{word} {}", message(&note.message)), 2)
    }

    /// An error for standard error: what, findings, what to do, usage.
    pub fn error(self, error: &Error) -> String {
        let word = match error.is_choice() {
            true => self.dim(&format!("note [{}]:", error.code())),
            false => self.bad(&format!("ERROR [{}]:", error.code())),
        };
        let mut text = format!("{word} {}\n", message(&error.message()));
        for finding in error.all_findings() {
            text.push_str(&format!("  {}\n", self.finding(finding)));
        }
        text.push_str(&format!("Suggestion: {}\n", message(error.suggestion())));
        if let Some(usage) = error.usage_line() {
            text.push_str(&format!("Usage: {usage}\n"));
        }
        self.fold(&text, 2)
    }

    /// A finding on one line, with its fix on the next.
    pub fn finding(self, finding: &crate::rules::finding::Finding) -> String {
        let word = match finding.severity {
            Severity::Error => self.bad("error"),
            Severity::Warning => self.odd("warning"),
            Severity::Info => self.dim("info"),
        };
        let place = format!("{}:{}:{}", finding.file, finding.line, finding.column);
        format!(
            "{} {word} [{}] {}\n    fix: {}",
            self.path(&printable(&place)),
            finding.rule,
            printable(&finding.message),
            printable(&finding.fix)
        )
    }
}

/// A message escaped for a terminal. Its further lines are indented, so that none can imitate another message.
fn message(text: &str) -> String {
    printable(text).replace('\n', "\n  ")
}
