//! A menu answered with one line: numbers or names, separated by commas.

use super::{Choice, choose};

/// The selection of a line.
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
    use super::*;

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
    }

    #[test]
    fn the_menu_is_numbered_from_one() {
        assert_eq!(numbered(&["agents".into(), "claude".into()]), "  1  agents\n  2  claude\n");
    }
}
