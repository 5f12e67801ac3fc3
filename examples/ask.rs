//! Asks a question and ends with what came of it: `ask SECONDS [linger|menu|several|line]`.
//!
//! Without a second argument it is the gate's: 0 approved, 3 rejected or nobody there, 4 timed out, 128 + n for signal
//! n. With `linger` it stays for a while after the answer, when no question is open any more. The others are asked with
//! arrow keys, and the answer is shown.

use std::io::{self, Write};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use hefesto::error::Exit;
use hefesto::terminal::prompt::{Answer, Choice, Prompter, Question, Terminal, choose};
use hefesto::terminal::ui::{Screen, Seal, Style};

const CHOICES: &[&str] = &["approve", "expand", "edit", "view", "reject"];

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let seconds = arguments.next().and_then(|seconds| seconds.parse().ok()).unwrap_or(120);
    let (kind, limit) = (arguments.next().unwrap_or_default(), Duration::from_secs(seconds));
    let (exit, outcome) = match kind.as_str() {
        "menu" | "several" | "line" => with_keys(&kind, limit),
        _ => gate(limit),
    };
    let _ = writeln!(io::stderr(), "outcome: {outcome}");
    if kind == "linger" {
        std::thread::sleep(Duration::from_secs(60));
    }
    ExitCode::from(exit.number())
}

fn with_keys(kind: &str, limit: Duration) -> (Exit, String) {
    let labels = ["Claude Code", "Gemini CLI", "OpenAI Codex CLI"].map(str::to_owned);
    let shared = Question { limit: Some(limit), ..Question::default() };
    let question = match kind {
        "menu" => Question {
            text: "Continue?",
            choices: &["continue", "edit", "back"],
            default: Some("continue"),
            escape: Some("back"),
            ..shared
        },
        "several" => Question {
            text: "Targets",
            choices: &["claude", "gemini", "codex"],
            labels: &labels,
            several: true,
            default: Some("claude"),
            ..shared
        },
        _ => Question { text: "Name", default: Some("review-code"), ..shared },
    };
    let style = Style { seal: Seal::new(1), ..Style::plain() };
    let mut screen = Screen::new(Box::new(io::stderr()), style.seal);
    match Terminal::new(style, true).ask(&question, &mut screen) {
        Ok(Answer::Given(answer)) => (Exit::Done, answer),
        Ok(Answer::TimedOut) => (Exit::TimedOut, "timed out".into()),
        Ok(Answer::NobodyThere | Answer::NotUnderstood) => (Exit::Declined, "nobody there".into()),
        Ok(Answer::Signal(number)) => (Exit::Signal(number), format!("signal {number}")),
        Err(error) => (Exit::Bug, error.to_string()),
    }
}

/// Asks until there is an answer or the time is over; what is typed does not give more time.
fn gate(limit: Duration) -> (Exit, String) {
    let deadline = Instant::now() + limit;
    let colour = std::env::var_os("NO_COLOR").is_none();
    let style = Style { colour, seal: Seal::new(1), ..Style::plain() };
    let mut person = Terminal::new(style, true);
    let mut screen = Screen::new(Box::new(io::stderr()), style.seal);
    loop {
        let question = Question {
            text: "Approve?",
            choices: CHOICES,
            limit: Some(deadline.saturating_duration_since(Instant::now())),
            typed: true,
            flag: "--yes",
            ..Question::default()
        };
        match person.ask(&question, &mut screen) {
            Ok(Answer::Given(word)) => match choose(&word, CHOICES) {
                Choice::Picked(0) => return (Exit::Done, "approved".into()),
                Choice::Picked(4) => return (Exit::Declined, "rejected".into()),
                other => drop(writeln!(screen, "not an answer here: {other:?}")),
            },
            Ok(Answer::TimedOut) => return (Exit::TimedOut, "timed out".into()),
            Ok(Answer::NobodyThere | Answer::NotUnderstood) => return (Exit::Declined, "nobody there".into()),
            Ok(Answer::Signal(number)) => return (Exit::Signal(number), format!("signal {number}")),
            Err(error) => return (Exit::Bug, error.to_string()),
        }
    }
}
