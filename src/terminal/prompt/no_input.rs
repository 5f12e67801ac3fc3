//! The prompter when nobody is there.

use std::io::{self, Write};

use super::{Answer, Prompter, Question};

/// Answers "nobody there": `--no-input`, or standard input is not a terminal. Shows nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoInput;

impl Prompter for NoInput {
    fn ask(&mut self, _question: &Question<'_>, _screen: &mut dyn Write) -> io::Result<Answer> {
        Ok(Answer::NobodyThere)
    }

    fn present(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_is_shown_nothing_and_never_takes_the_default() {
        let mut screen = Vec::new();
        let question = Question { text: "Name", default: Some("review-code"), ..Question::default() };
        assert_eq!(NoInput.ask(&question, &mut screen).unwrap(), Answer::NobodyThere);
        assert!(screen.is_empty());
        assert!(!NoInput.present());
    }
}
