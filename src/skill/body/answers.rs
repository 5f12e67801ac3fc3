//! The author's answers as lines: an answer that is unclear by itself follows its question.

use std::collections::BTreeMap;

use super::phrases::Phrases;
use super::{Line, Material, Origin, Shape};
use crate::skill::Language;
use crate::skill::pack::Chosen;
use crate::skill::ranking::stems;
use crate::skill::sentence::begun;

/// The question with this key: a pack's, a drafter's, or a general one; the words of the key if the question is
/// unknown.
pub fn question(key: &str, packs: &[Chosen], asked: &BTreeMap<String, String>, language: Language) -> String {
    let known = particular(key, packs, asked, language).or_else(|| Phrases::of(language).question(key));
    known.map_or_else(|| words(key), str::to_owned)
}

/// A question specific to this work.
fn particular<'q>(
    key: &str,
    packs: &'q [Chosen],
    asked: &'q BTreeMap<String, String>,
    language: Language,
) -> Option<&'q str> {
    let of_packs = packs.iter().flat_map(|chosen| &chosen.pack.questions).filter(|question| question.key == key);
    of_packs.filter_map(|question| question.ask(language)).next().or_else(|| asked.get(key).map(String::as_str))
}

fn words(key: &str) -> String {
    key.replace(['-', '_'], " ")
}

/// An answer after its question, or alone if it contains half of the question's words.
pub fn with_question(question: &str, answer: &str) -> String {
    let (asked, said) = (stems(question), stems(answer));
    let again = asked.iter().filter(|stem| said.contains(stem)).count();
    if again * 2 >= asked.len() {
        return answer.to_owned();
    }
    let begun = begun(question);
    let mark = if begun.ends_with(['?', ':', '.']) { "" } else { ":" };
    format!("{begun}{mark} {answer}")
}

/// The line of an answer. A general question is long and says little: its label is used instead.
pub(super) fn line(material: &Material<'_>, key: &str, answer: &str, shape: Shape) -> Line {
    let language = material.sentence.language;
    let asked = particular(key, material.packs, material.asked, language);
    let asked = asked.or_else(|| Phrases::of(language).label(key)).map_or_else(|| words(key), str::to_owned);
    let origin = Origin::Answer { key: key.to_owned(), said: answer.to_owned() };
    Line::new(shape, with_question(&asked, answer), origin)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_stands_behind_its_question_unless_it_says_it_itself() {
        for (question, answer, wanted) in [
            ("How long is the old key kept?", "7 days", "How long is the old key kept? 7 days"),
            ("How long is the old key kept?", "the old key is kept 7 days", "the old key is kept 7 days"),
            ("region", "eu-west-1", "Region: eu-west-1"),
            ("refused", "Addresses of example.org are refused", "Addresses of example.org are refused"),
        ] {
            assert_eq!(with_question(question, answer), wanted);
        }
    }
}
