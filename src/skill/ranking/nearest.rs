//! The skill most similar to another one, and the words that distinguish the two in a prompt.

use super::words::{Term, languages, weighted};
use super::{BEHIND, Index};
use crate::skill::name::fold;
use crate::skill::sentence::{Language, empty};

/// The share of the shorter task that must be in the other one, and its least weight.
const SHARE: f64 = 0.35;
const LEAST: f64 = 1.0;
/// The least weight of a distinguishing word.
const DECIDES: f64 = 0.5;
/// How many words of each are listed.
const NAMED: usize = 4;

/// The most similar skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Nearest {
    /// Which of the given skills.
    pub index: usize,
    pub shared: Vec<String>,
    /// Words that only the new skill has, and words that only the other has.
    pub here: Vec<String>,
    pub there: Vec<String>,
}

/// The most similar of some skills, given as name and description; none if all are about something else.
pub fn nearest(own: (&str, &str), others: &[(&str, &str)]) -> Option<Nearest> {
    if others.is_empty() {
        return None;
    }
    let mine = telling(own.1);
    let near = |at: usize| {
        let theirs = telling(others.get(at)?.1);
        let (shared, all) = (weight(task(&mine).filter(|one| holds(&theirs, one, true))), task(&mine));
        let share = shared / weight(all).min(weight(task(&theirs))).max(f64::EPSILON);
        (shared >= LEAST && share >= SHARE).then_some((share, at))
    };
    let candidates = Index::of(others).rank(&format!("{} {}", own.0, own.1));
    let best = candidates.into_iter().filter_map(|one| near(one.index)).reduce(|a, b| if b.0 > a.0 { b } else { a });
    let (_, index) = best?;
    let theirs = telling(others.get(index)?.1);
    Some(Nearest {
        index,
        shared: named(task(&mine).filter(|one| holds(&theirs, one, true))),
        here: named(mine.iter().filter(|one| !holds(&theirs, one, false))),
        there: named(theirs.iter().filter(|one| !holds(&mine, one, false))),
    })
}

struct Word<'t> {
    term: Term<'t>,
    /// Whether it is in the first sentence, which says what is done.
    task: bool,
}

/// The significant words of a description, without duplicates.
fn telling(description: &str) -> Vec<Word<'_>> {
    let read_in = languages(description);
    let (first, behind) = description.split_once(". ").unwrap_or((description, ""));
    let mut all: Vec<Word<'_>> = Vec::new();
    for (text, task) in [(first, true), (behind, false)] {
        for mut term in weighted(text, read_in) {
            term.weight *= if task { 1.0 } else { BEHIND };
            if term.weight > 0.0 && !all.iter().any(|known| known.term.keys == term.keys) {
                all.push(Word { term, task });
            }
        }
    }
    all
}

fn task<'w, 't>(words: &'w [Word<'t>]) -> impl Iterator<Item = &'w Word<'t>> + Clone {
    words.iter().filter(|word| word.task)
}

fn weight<'w, 't: 'w>(words: impl Iterator<Item = &'w Word<'t>>) -> f64 {
    words.map(|word| word.term.weight).sum()
}

fn holds(words: &[Word<'_>], one: &Word<'_>, in_task: bool) -> bool {
    words.iter().any(|known| (known.task || !in_task) && known.term.keys.iter().any(|key| one.term.keys.contains(key)))
}

/// The most significant words, as one would type them.
fn named<'w, 't: 'w>(words: impl Iterator<Item = &'w Word<'t>>) -> Vec<String> {
    let mut words: Vec<&Word<'_>> = words.filter(|word| word.term.weight >= DECIDES * BEHIND).collect();
    words.sort_by(|one, other| other.task.cmp(&one.task).then(other.term.weight.total_cmp(&one.term.weight)));
    let mut found: Vec<String> = Vec::new();
    for word in words {
        let written = typed(word.term.written);
        if !found.contains(&written) && found.len() < NAMED && !empty(&fold(&written)) {
            found.push(written);
        }
    }
    found
}

/// `Reviews` as typed in a prompt: `review`.
fn typed(written: &str) -> String {
    let lower = fold(written).to_lowercase();
    let verbs = Language::ALL.iter().filter_map(|language| language.lexicon().verb(&lower));
    let base = verbs.map(|(verb, _)| verb.base.clone()).next();
    // An acronym.
    if written.chars().filter(|c| c.is_uppercase()).count() > 1 {
        return written.to_owned();
    }
    base.unwrap_or_else(|| written.to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_skill_is_named_with_the_words_that_decide() {
        let own = ("check-csv", "Repairs CSV files. Use when the user asks to repair CSV files.");
        let others = [
            ("write-letters", "Writes letters to customers. Use when a letter is due."),
            ("tables", "Cleans CSV files and removes duplicates. Use when a table arrives and nobody trusts it."),
        ];
        let found = nearest(own, &others).unwrap();
        assert_eq!((found.index, found.shared), (1, vec!["CSV".to_owned(), "file".to_owned()]));
        assert_eq!(found.here, ["repair"]);
        assert!(found.there.contains(&"clean".to_owned()) && found.there.contains(&"duplicate".to_owned()));
    }

    #[test]
    fn nothing_is_near_that_shares_only_a_verb_or_a_common_word() {
        let own = ("review-contracts", "Reviews contracts. Use when a contract is to be signed.");
        for other in
            ["Reviews pull requests. Use when a pull request is open.", "Names files.", "Writes new weekly plans."]
        {
            assert_eq!(nearest(own, &[("other", other)]), None, "{other}");
        }
        assert_eq!(nearest(own, &[]), None);
    }
}
