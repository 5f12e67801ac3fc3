//! Asks until one of the choices is given.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use super::paste::unmarked;
use super::question_line::printable;
use super::{Answer, Choice, Prompter, Question, choose};
use crate::terminal::ui::Style;

/// The longest wrong answer that is repeated whole, in characters.
const SHOWN: usize = 40;

/// Words of agreement that are no choice, in the languages of skills.
const AGREEING: &[&str] = &["y", "yes", "ok", "okay", "s", "si", "sí", "sim", "j", "ja"];

/// Asks until an answer matches one of the question's choices, and returns its index; or returns the answer if it is
/// none. A wrong answer is named, followed by `help`, and does not extend the limit.
pub fn pick(
    prompter: &mut dyn Prompter,
    question: &Question<'_>,
    help: &str,
    style: Style,
    screen: &mut dyn Write,
) -> io::Result<Result<usize, Answer>> {
    let picked = pick_noted(prompter, question, "", help, style, screen)?;
    Ok(picked.map(|(place, _)| place))
}

/// [`pick`] with a choice `noted` that may be followed by a note after a colon or a space: `revise: shorter`.
pub fn pick_noted(
    prompter: &mut dyn Prompter,
    question: &Question<'_>,
    noted: &str,
    help: &str,
    style: Style,
    screen: &mut dyn Write,
) -> io::Result<Result<(usize, String), Answer>> {
    let deadline = question.limit.and_then(|limit| Instant::now().checked_add(limit));
    for _ in 0..prompter.attempts() {
        let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let limit = left.map(|left| left.max(Duration::from_millis(1)));
        let given = match prompter.ask(&Question { limit, ..question.clone() }, screen)? {
            Answer::Given(given) => given,
            none => return Ok(Err(none)),
        };
        if let Choice::Picked(place) = choose(&given, question.choices) {
            return Ok(Ok((place, String::new())));
        }
        if let Some(picked) = with_words(&given, noted, question.choices) {
            return Ok(Ok(picked));
        }
        let _ = writeln!(screen, "{}", style.fold(&format!("{}\n{help}", wrong(&given, question.choices)), 2));
    }
    Ok(Err(Answer::NotUnderstood))
}

/// The choice `noted` and the note after it.
fn with_words(given: &str, noted: &str, choices: &[&str]) -> Option<(usize, String)> {
    let (word, words) = given.trim().split_once([':', ' '])?;
    match choose(word, choices) {
        Choice::Picked(place) if choices.get(place) == Some(&noted) => {
            Some((place, unmarked(words).trim_start_matches(':').trim().to_owned()))
        }
        _ => None,
    }
}

/// Why an answer is none of the choices, in a sentence.
pub fn wrong(given: &str, choices: &[&str]) -> String {
    let word = given.trim();
    if word.is_empty() {
        return "Enter alone is no answer.".to_owned();
    }
    let mut shown: String = printable(word).chars().take(SHOWN).collect();
    if word.chars().count() > SHOWN {
        shown.push_str("...");
    }
    if let Choice::Ambiguous(places) = choose(word, choices) {
        let fitting: Vec<&str> = places.iter().filter_map(|place| choices.get(*place).copied()).collect();
        return format!("`{shown}` begins several answers: {}.", fitting.join(", "));
    }
    if choices.contains(&"approve") && AGREEING.contains(&word.to_lowercase().as_str()) {
        return format!("`{shown}` does not approve: type `approve`.");
    }
    format!("`{shown}` is not an answer here.")
}

#[cfg(test)]
mod tests {
    use super::super::Scripted;
    use super::*;

    fn gate() -> Question<'static> {
        let choices = &["approve", "expand", "edit", "reject"];
        Question { text: "Write this?", choices, typed: true, flag: "--yes", ..Question::default() }
    }

    fn picked(answers: &[&str]) -> (Result<usize, Answer>, String) {
        let mut screen = Vec::new();
        let mut person = Scripted::saying(answers.join("\n") + "\n");
        let picked = pick(&mut person, &gate(), "HELP", Style::plain(), &mut screen).unwrap();
        (picked, String::from_utf8(screen).unwrap())
    }

    #[test]
    fn a_wrong_answer_is_named_and_asked_again() {
        for (wrong, message) in [
            ("aprove it", "`aprove it` is not an answer here."),
            ("e", "`e` begins several answers: expand, edit."),
            ("", "Enter alone is no answer."),
            ("y", "`y` does not approve: type `approve`."),
            ("YES", "`YES` does not approve: type `approve`."),
            ("\u{1b}[200~approve", "`\u{fffd}[200~approve` is not an answer here."),
        ] {
            let (picked, screen) = picked(&[wrong, "approve"]);
            assert_eq!(picked, Ok(0));
            assert!(screen.contains(&format!("{message}\nHELP\n")), "{screen}");
        }
    }

    #[test]
    fn one_choice_may_be_followed_by_words() {
        let noted = |given: &str| {
            let mut person = Scripted::saying(given);
            pick_noted(&mut person, &gate(), "edit", "HELP", Style::plain(), &mut io::sink()).unwrap().ok()
        };
        for given in ["edit: make it shorter", "ed make it shorter", "EDIT :  make it shorter "] {
            assert_eq!(noted(given), Some((2, "make it shorter".to_owned())), "{given}");
        }
        assert_eq!(noted("edit"), Some((2, String::new())));
        for given in ["approve it", "reject: now", "\u{1b}[200~edit: x\u{1b}[201~"] {
            assert_eq!(noted(given), None, "{given}");
        }
    }

    #[test]
    fn a_long_wrong_answer_is_shortened() {
        let (_, screen) = picked(&[&"x".repeat(500), "approve"]);
        assert!(screen.contains(&format!("`{}...` is not", "x".repeat(SHOWN))), "{screen}");
    }

    #[test]
    fn a_script_that_is_wrong_three_times_is_read_no_further() {
        assert_eq!(picked(&["y", "y", "y", "approve"]).0, Err(Answer::NotUnderstood));
        assert_eq!(picked(&["y", "y", "approve"]).0, Ok(0));
    }

    #[test]
    fn the_end_of_the_answers_is_nobody() {
        assert_eq!(picked(&["y"]).0, Err(Answer::NobodyThere));
    }
}
