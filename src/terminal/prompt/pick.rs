//! Matches an answer against the choices of a question, and asks until one of them is given.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use super::{Answer, Prompter, Question, printable};
use crate::terminal::ui::Style;

/// The longest wrong answer that is repeated whole, in characters.
const SHOWN: usize = 40;

/// Words of agreement that are no choice, in the languages of skills.
const AGREEING: &[&str] = &["y", "yes", "ok", "okay", "s", "si", "sí", "sim", "j", "ja"];

/// Asks until an answer matches one of the question's choices, and returns its index; or returns the answer if it is
/// none. A wrong answer is named, followed by `help`, and does not extend the limit. The choice `noted` may be followed
/// by a note after a colon or a space, which is returned too: `revise: shorter`.
pub fn pick(
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
            Some((place, super::line_reader::unmarked(words).trim_start_matches(':').trim().to_owned()))
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

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Choice {
    Picked(usize),
    /// The word is a prefix of all of these (their indices in order).
    Ambiguous(Vec<usize>),
    Unknown,
    /// Nothing but white space was given.
    Empty,
}

/// Finds the choice for `word`: the full text or a unique prefix, in any case, with white
/// space around it ignored. A full match wins over a longer choice with this prefix.
pub fn choose(word: &str, choices: &[&str]) -> Choice {
    let word = word.trim().to_lowercase();
    if word.is_empty() {
        return Choice::Empty;
    }
    let mut fitting = Vec::new();
    for (place, choice) in choices.iter().enumerate() {
        let choice = choice.to_lowercase();
        if choice == word {
            return Choice::Picked(place);
        }
        if choice.starts_with(&word) {
            fitting.push(place);
        }
    }
    match fitting.as_slice() {
        [] => Choice::Unknown,
        [only] => Choice::Picked(*only),
        _ => Choice::Ambiguous(fitting),
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Choices {
    /// These entries, by their indices, in the order named, without duplicates. Never empty.
    Picked(Vec<usize>),
    /// This part of the line is a prefix of several entries (their indices in order).
    Ambiguous(String, Vec<usize>),
    /// This part of the line is neither an entry nor a valid number.
    Unknown(String),
    Empty,
}

/// The entries of a menu, one per line and numbered from 1.
pub(super) fn numbered(entries: &[String]) -> String {
    let width = entries.len().to_string().len();
    (1..).zip(entries).map(|(number, entry)| format!("  {number:>width$}  {entry}\n")).collect()
}

/// Reads the answer to a menu: numbers counted from 1, whole names or unique prefixes, separated by commas, or
/// `all`. An entry's own name wins over the number and over `all`.
pub fn choose_many(line: &str, entries: &[&str]) -> Choices {
    let mut picked = Vec::new();
    for part in line.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        let places = match (choose(part, entries), part.parse::<usize>()) {
            (Choice::Picked(place), _) => vec![place],
            (_, Ok(number)) if (1..=entries.len()).contains(&number) => vec![number - 1],
            _ if part.eq_ignore_ascii_case("all") => (0..entries.len()).collect(),
            (Choice::Ambiguous(places), _) => return Choices::Ambiguous(part.to_owned(), places),
            _ => return Choices::Unknown(part.to_owned()),
        };
        for place in places {
            if !picked.contains(&place) {
                picked.push(place);
            }
        }
    }
    if picked.is_empty() { Choices::Empty } else { Choices::Picked(picked) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::Scripted;
    use super::*;

    fn gate() -> Question<'static> {
        let choices = &["approve", "expand", "edit", "reject"];
        Question { text: "Write this?", choices, typed: true, flag: "--yes", ..Question::default() }
    }

    fn picked(answers: &[&str]) -> (Result<usize, Answer>, String) {
        let mut screen = Vec::new();
        let mut person = Scripted::saying(answers.join("\n") + "\n");
        let picked = pick(&mut person, &gate(), "", "HELP", Style::plain(), &mut screen).unwrap();
        (picked.map(|(place, _)| place), String::from_utf8(screen).unwrap())
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
            pick(&mut person, &gate(), "edit", "HELP", Style::plain(), &mut io::sink()).unwrap().ok()
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
    fn a_long_wrong_answer_is_shortened_and_a_script_is_read_no_further_than_three() {
        let (_, screen) = picked(&[&"x".repeat(500), "approve"]);
        assert!(screen.contains(&format!("`{}...` is not", "x".repeat(SHOWN))), "{screen}");
        assert_eq!(picked(&["y", "y", "y", "approve"]).0, Err(Answer::NotUnderstood));
        assert_eq!(picked(&["y", "y", "approve"]).0, Ok(0));
        assert_eq!(picked(&["y"]).0, Err(Answer::NobodyThere));
    }

    const GATE: &[&str] = &["approve", "expand", "edit", "view", "reject"];

    #[test]
    fn a_whole_word_or_a_unique_prefix_picks_in_any_case() {
        for (word, place) in [("approve", 0), ("  A\t", 0), ("ED", 2), ("rej", 4)] {
            assert_eq!(choose(word, GATE), Choice::Picked(place));
        }
        assert_eq!(choose("e", GATE), Choice::Ambiguous(vec![1, 2]));
        assert_eq!(choose("re", &["rename", "re", "reject"]), Choice::Picked(1), "a whole word wins over a longer one");
    }

    #[test]
    fn anything_else_is_unknown_and_white_space_no_answer() {
        for word in ["y", "yes", "approved", "approve it", "\u{1b}[200~approve", "\0approve", "pprove", "-"] {
            assert_eq!(choose(word, GATE), Choice::Unknown, "{word:?}");
        }
        assert_eq!(choose("approve", &[]), Choice::Unknown);
        for word in ["", " ", "\t \r\n", "\u{a0}\u{3000}"] {
            assert_eq!(choose(word, GATE), Choice::Empty, "{word:?}");
        }
    }

    proptest! {
        #[test]
        fn only_a_beginning_of_a_choice_ever_picks_it(word in any::<String>()) {
            if let Choice::Picked(place) = choose(&word, GATE) {
                prop_assert!(GATE[place].starts_with(&word.trim().to_lowercase()));
            }
        }
    }

    const TARGETS: &[&str] = &["agents", "claude", "codex", "gemini"];

    #[test]
    fn numbers_names_and_all_pick_and_one_wrong_part_refuses_the_line_and_is_named() {
        for (line, choices) in [
            ("2, gemini,AG", Choices::Picked(vec![1, 3, 0])),
            ("claude,2,cl,", Choices::Picked(vec![1])),
            ("all", Choices::Picked(vec![0, 1, 2, 3])),
            ("claude, 5", Choices::Unknown("5".into())),
            ("0", Choices::Unknown("0".into())),
            ("claude gemini", Choices::Unknown("claude gemini".into())),
            ("c", Choices::Ambiguous("c".into(), vec![1, 2])),
            (" , ,", Choices::Empty),
        ] {
            assert_eq!(choose_many(line, TARGETS), choices, "{line}");
        }
        assert_eq!(choose_many("all", &["some", "all"]), Choices::Picked(vec![1]), "an entry that is called so");
        assert_eq!(choose_many("all", &[]), Choices::Empty);
        assert_eq!(numbered(&["agents".into(), "claude".into()]), "  1  agents\n  2  claude\n");
    }
}
