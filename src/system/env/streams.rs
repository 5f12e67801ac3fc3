//! What is said on the streams, and what the person is asked there.

use std::io::{self, Write};

use super::Env;
use crate::error::{Code, Error, Kind, Warning};
use crate::report::Form;
use crate::terminal::prompt::{self, Answer, Question};
use crate::terminal::ui;

impl Env {
    /// Says something that does not stop the command: on standard error, or in the JSON answer's `warnings`.
    pub fn note(&mut self, note: Warning) {
        let note = Warning { message: self.spelled(note.message), ..note };
        let loud = match note.code.kind() {
            Kind::Info => self.volume >= 0,
            Kind::Warning | Kind::Error => true,
        };
        if !self.json && loud {
            let line = self.err_style().note(&note);
            self.say(&line);
        }
        self.notes.push(note);
    }

    /// The same, once: what was said already is not said again.
    pub fn note_once(&mut self, note: Warning) {
        if !self.notes.iter().any(|said| said.code == note.code && said.message == note.message) {
            self.note(note);
        }
    }

    /// [`Env::note`] of a warning.
    pub fn warn(&mut self, code: Code, message: impl Into<String>) {
        self.note(Warning::new(code, message));
    }

    /// The notes so far; the JSON answer's `warnings`.
    pub fn notes(&self) -> &[Warning] {
        &self.notes
    }

    /// A hint with its commands as they have to be typed here.
    pub fn spelled(&self, hint: String) -> String {
        if self.global { ui::with_global(&hint) } else { hint }
    }

    /// A line on standard error; silent with `--json` and `-q`.
    pub fn tell(&mut self, line: &str) {
        if !self.json && self.volume >= 0 {
            let line = self.spelled(line.to_owned());
            self.say(&line);
        }
    }

    /// An error that a person at a prompt can correct there. Nobody types a command line, so its usage is left out.
    pub fn complain(&mut self, error: &Error) {
        let text = self.spelled(self.err_style().error(error));
        let text = text.split("\nUsage: ").next().unwrap_or_default();
        self.say(text.trim_end());
    }

    /// A line on standard error. A closed screen is not an error of ours.
    pub fn say(&mut self, line: &str) {
        let line = self.err_style().fold(line, 2);
        let _closed = self.err.write_all(format!("{line}\n").as_bytes());
    }

    /// How far something is, on one line of standard error that the next one replaces; without a text it is cleared.
    pub fn progress(&mut self, text: Option<&str>) {
        let text = text.map_or_else(|| self.style.cleared(), |text| format!("{}{text}", self.style.back()));
        let _closed = write!(self.err, "{text}").and_then(|()| self.err.flush());
    }

    pub fn ask(&mut self, question: &Question<'_>) -> io::Result<Answer> {
        self.prompter.ask(question, &mut self.err)
    }

    /// Asks the person until an answer names one of the choices.
    pub fn pick(&mut self, question: &Question<'_>, help: &str) -> io::Result<Result<usize, Answer>> {
        Ok(self.pick_noted(question, "", help)?.map(|(place, _)| place))
    }

    /// As [`Env::pick`]; the choice `noted` may be followed by words of its own. See [`prompt::pick`].
    pub fn pick_noted(
        &mut self,
        question: &Question<'_>,
        noted: &str,
        help: &str,
    ) -> io::Result<Result<(usize, String), Answer>> {
        let style = self.err_style();
        prompt::pick(&mut *self.prompter, question, noted, help, style, &mut self.err)
    }

    /// Data on standard output; `false` when nobody reads any more, which is not an error of ours. JSON holds no raw
    /// control character anywhere; exact bytes are made harmless for a terminal only.
    pub fn emit(&mut self, data: &str, form: Form) -> bool {
        let written = match (form, self.out_is_terminal) {
            (Form::Text, _) | (Form::Exact, true) => write!(self.out, "{data}"),
            (Form::Json, _) => self.out.write_exact(ui::inert(data).as_bytes()),
            (Form::Exact, false) => self.out.write_exact(data.as_bytes()),
        };
        let Err(error) = written.and_then(|()| self.out.flush()) else { return true };
        // Why it could not be written is remembered, unless the reader has left.
        if error.kind() != io::ErrorKind::BrokenPipe {
            self.unwritten.get_or_insert(error);
        }
        false
    }
}
