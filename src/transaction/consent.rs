//! Consent to change what is installed: the gate of every command but `create`, which has its own.

use std::time::{Duration, Instant};

use crate::error::{Code, Coded, Error, Result};
use crate::system::env::Env;
use crate::terminal::prompt::{Answer, Question};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    Person,
    Flag,
    /// A line of a file of answers, which a flag names.
    Answers,
}

impl By {
    pub fn prompted(env: &Env) -> Self {
        if env.scripted { Self::Answers } else { Self::Person }
    }

    /// The word in the operation log, which tells a file of answers from another flag.
    pub fn log_word(self) -> &'static str {
        if self == Self::Answers { "answers" } else { self.word() }
    }

    /// The word in JSON and in the database.
    pub fn word(self) -> &'static str {
        match self {
            Self::Person => "person",
            Self::Flag | Self::Answers => "flag",
        }
    }
}

/// The permission to do what was previewed. Only this file makes one.
#[derive(Debug)]
pub struct Consent {
    by: By,
}

impl Consent {
    pub fn by(&self) -> By {
        self.by
    }
}

/// Shows a preview and waits for `approve`. Silence, the end of input and unknown words are no consent.
/// Errors: E-CREATE-011 on `reject` or when nobody is there, E-CREATE-012 on silence, E-SIGNAL-001 on a signal.
pub fn ask(env: &mut Env, preview: &str, yes: bool, limit: Duration) -> Result<Consent> {
    if yes {
        env.tell(preview.trim_end());
        env.tell("Approved by flag (--yes).");
        return Ok(Consent { by: By::Flag });
    }
    env.say(preview.trim_end());
    let question = Question { text: "Do this?", choices: &["approve", "reject"], ..gate(limit) };
    first_of(env, &question, "Answer approve or reject.", limit)
}

/// The consent that lies in a flag which names exactly this. Only for what puts nothing away that was there.
pub fn by_flag(env: &mut Env, preview: &str, flag: &str) -> Consent {
    env.tell(preview.trim_end());
    env.tell(&format!("Approved by flag ({flag})."));
    Consent { by: By::Flag }
}

/// The two-step consent of a deletion: the exact name, then `yes`.
/// Errors: E-DELETE-004 when the name is another; otherwise as [`ask`].
pub fn ask_by_name(env: &mut Env, preview: &str, name: &str, yes: bool, limit: Duration) -> Result<Consent> {
    if yes {
        return ask(env, preview, true, limit);
    }
    env.say(preview.trim_end());
    let start = Instant::now();
    let question = Question { text: "Type the skill's name to delete it", ..gate(limit) };
    let typed = match env.ask(&question).coded(Code::Io, "the answer cannot be read")? {
        Answer::Given(line) => line,
        none => return Err(unanswered(&none, limit)),
    };
    if typed != name {
        return Err(Error::new(Code::DeleteMismatch, format!("{typed:?} is not `{name}`; nothing was deleted")));
    }
    let left = limit.saturating_sub(start.elapsed()).max(Duration::from_millis(1));
    let question = Question { text: "Delete it?", choices: &["yes", "no"], ..gate(left) };
    first_of(env, &question, "Answer yes or no.", limit)
}

/// The consent that is the first of a question's choices; the other one rejects.
fn first_of(env: &mut Env, question: &Question<'_>, help: &str, limit: Duration) -> Result<Consent> {
    match pick(env, question, help, limit)? {
        0 => Ok(Consent { by: By::prompted(env) }),
        _ => Err(Error::new(Code::CreateRejected, "rejected; no changes made")
            .suggest("Nothing was written.")
            .by_choice()),
    }
}

fn gate(limit: Duration) -> Question<'static> {
    Question { limit: Some(limit), typed: true, flag: "--yes", ..Question::default() }
}

/// Which of its choices a question is answered with.
/// Errors: as [`ask`], where it is not answered.
pub fn pick(env: &mut Env, question: &Question<'_>, help: &str, limit: Duration) -> Result<usize> {
    let picked = env.pick(question, help);
    picked.coded(Code::Io, "the answer cannot be read")?.map_err(|none| unanswered(&none, limit))
}

fn unanswered(answer: &Answer, limit: Duration) -> Error {
    let why = match answer {
        Answer::TimedOut => {
            let seconds = limit.as_secs();
            return Error::new(Code::CreateTimedOut, format!("no answer within {seconds} seconds; no changes made"));
        }
        Answer::Signal(signal) => return crate::transaction::interrupted(*signal),
        Answer::NotUnderstood => "the last three answers were not understood",
        Answer::NobodyThere | Answer::Given(_) => "nobody was there to approve",
    };
    Error::new(Code::CreateRejected, format!("{why}; no changes made"))
        .suggest("Run it in a terminal, or add `--yes` to approve with the command.")
}
