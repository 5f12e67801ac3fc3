//! Matches a word against the choices of a question.

/// The match of a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Choice {
    /// This choice, by its index.
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

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
}
