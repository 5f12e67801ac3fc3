//! Lines of the author: answers to questions, files they named, and what they noted before.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::phrases::Phrases;
use super::{Line, Material, Origin, Shape};
use crate::skill::Language;
use crate::skill::fact::{Fact, Kind};
use crate::skill::pack::Chosen;
use crate::skill::ranking::stems;
use crate::skill::sentence::begun;

/// What the lines of a file that the author named are for.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Part {
    Steps,
    /// The rules and notes.
    Rules,
    /// Everything else: commands, endpoints, settings. What destroys or deploys asks first.
    Commands,
}

/// The lines of one kind of the files that the author named: all of them, in their order, each with its place.
pub(super) fn given(material: &Material<'_>, part: Part) -> Vec<Line> {
    let phrases = material.phrases();
    let part_of = |fact: &Fact| match fact.kind {
        Kind::Step => Part::Steps,
        Kind::Rule | Kind::Note | Kind::Statement => Part::Rules,
        _ => Part::Commands,
    };
    let shape = if part == Part::Steps { Shape::Step } else { Shape::Point };
    let line = |fact: &Fact| {
        let ask = if fact.risk.is_some() { format!("**{}** ", phrases.ask_first) } else { String::new() };
        let origin = Origin::Given { file: fact.file.clone(), line: fact.line };
        Line::new(shape, format!("{ask}{} ({})", fact.text, fact.place()), origin)
    };
    let facts = material.given.iter().flat_map(|file| &file.facts);
    facts.filter(|fact| part_of(fact) == part).map(line).collect()
}

/// Whether a file that the author named says the same.
pub(super) fn gives(material: &Material<'_>, fact: &Fact) -> bool {
    let name = fact.file.rsplit('/').next().unwrap_or_default();
    let mut all = material.given.iter().flat_map(|file| &file.facts);
    all.any(|known| known.file == name && (known.line, &known.text) == (fact.line, &fact.text))
}

/// The question with this key: a pack's, a drafter's, or a general one; the words of the key if the question is
/// unknown.
pub fn question(key: &str, packs: &[Chosen], asked: &BTreeMap<String, String>, language: Language) -> String {
    let known =
        particular(key, packs, asked, language).or_else(|| Phrases::of(language).general(key).map(|(ask, _)| ask));
    known.map_or_else(|| words(key), str::to_owned)
}

/// A question specific to this work.
fn particular<'q>(
    key: &str,
    packs: &'q [Chosen],
    asked: &'q BTreeMap<String, String>,
    language: Language,
) -> Option<&'q str> {
    let mut of_packs = packs.iter().flat_map(|chosen| &chosen.pack.questions).filter(|question| question.key == key);
    of_packs.find_map(|question| question.ask(language)).or_else(|| asked.get(key).map(String::as_str))
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
pub(super) fn answer(material: &Material<'_>, key: &str, answer: &str, shape: Shape) -> Line {
    let language = material.sentence.language;
    let asked = particular(key, material.packs, material.asked, language);
    let asked = asked.or_else(|| Phrases::of(language).general(key).map(|(_, label)| label));
    let asked = asked.map_or_else(|| words(key), str::to_owned);
    let origin = Origin::Answer { key: key.to_owned(), said: answer.to_owned() };
    Line::new(shape, with_question(&asked, answer), origin)
}

/// A remembered line relevant to the request.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Remembered {
    /// Its id in the memory, such as `goal:01jt8m`.
    pub id: String,
    pub text: String,
    /// Who said it; empty for the person who runs hefesto.
    pub who: String,
    /// When, milliseconds since 1970 UTC.
    pub at: i64,
    /// Why it is relevant, as the end of a sentence after "because".
    pub because: String,
    /// The key of the question it answers; none for a line of its own.
    pub key: Option<String>,
    /// Whether it applies only if that question is asked: it was answered for another request.
    pub if_asked: bool,
}

/// The remembered lines that answer no question, in order, each with author and date.
pub(super) fn remembered(material: &Material<'_>) -> Vec<Line> {
    let phrases = material.phrases();
    let line = |one: &Remembered| {
        let text = one.text.split_whitespace().collect::<Vec<_>>().join(" ");
        let who = if one.who.is_empty() { &phrases.you } else { &one.who };
        let day = jiff::Timestamp::from_millisecond(one.at).map(|at| at.strftime(&phrases.date).to_string());
        let text = format!("{} ({who}, {})", text.trim_end_matches('.'), day.unwrap_or_default());
        Line::new(Shape::Point, text, Origin::Memory { id: one.id.clone(), because: one.because.clone() })
    };
    material.remembered.iter().filter(|one| one.key.is_none()).map(line).collect()
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
