//! A description taken apart: what is to be done, clause by clause, by which rules, and what it is called.

use serde::Serialize;

use super::Name;
pub use super::understand::{Archetype, Category, Language, Reason};
use super::understand::{empty, english, one_line, sentences, understand, words};

/// What a description says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Sentence {
    pub language: Language,
    /// The whole description on one line, as given.
    pub text: String,
    /// The first sentence as a heading: its first letter large, without a full stop.
    pub title: String,
    /// What stands before a colon, where the clauses are its parts ("Triage issues: label, close duplicates").
    pub head: Option<Clause>,
    /// What is to be done, in order; empty only where there are no words.
    pub clauses: Vec<Clause>,
    /// What has to hold, in the author's words, each one a sentence: "Without breaking production."
    pub rules: Vec<String>,
    /// Whether the author asks for care: "safely", "without", "zero", "never".
    pub caution: bool,
    /// The sentence that says when to use the skill, where the description has one.
    pub occasion: Option<String>,
    /// A name of at most four words; `None` when no word has an ASCII spelling (E-CREATE-002).
    pub name: Option<Name>,
    pub category: Category,
    /// Three to eight tags, lowercase, each once.
    pub tags: Vec<String>,
    /// The kind of work; it decides the order of a body and the questions that are asked.
    pub archetype: Archetype,
    /// Why all this was concluded.
    pub because: Vec<Reason>,
}

/// One thing that is to be done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Clause {
    /// The clause in its own words, its first letter large: "Close duplicates".
    pub text: String,
    /// The verb as its canonical English base ("rodar" is `run`); `None` when no verb is known.
    pub verb: Option<String>,
    /// The verb in its base form and own language; may be empty.
    pub written: String,
    /// What it acts on, as written, without article; "them" stands for the object before it.
    pub object: String,
    /// The content words of the clause but its verb, lowercase, in order.
    pub words: Vec<String>,
}

/// Reads a description. Never fails; what the words do not say stays empty or general.
#[must_use]
pub fn read(description: &str) -> Sentence {
    let understood = understand(description);
    let text = one_line(description);
    let first = sentences(&text).into_iter().next().unwrap_or_default();
    let title = begun(first.trim_end_matches(['.', ' ', '!']));
    let found = words(&title);
    let verb = found.first().and_then(|word| english(word.key())).map(|verb| verb.base.to_owned());
    let clause = Clause {
        text: title.clone(),
        written: verb.clone().unwrap_or_default(),
        object: understood.object.clone(),
        words: found
            .iter()
            .skip(usize::from(verb.is_some()))
            .filter(|word| !empty(word.key()))
            .map(|word| word.text.to_lowercase())
            .collect(),
        verb,
    };
    Sentence {
        language: understood.language,
        head: None,
        clauses: if found.is_empty() { Vec::new() } else { vec![clause] },
        rules: Vec::new(),
        caution: false,
        occasion: None,
        name: understood.name,
        category: understood.category,
        tags: understood.tags,
        archetype: understood.archetype,
        because: understood.because,
        text,
        title,
    }
}

/// The frontmatter's description: what is done in the third person, then when to use the skill; `words` are what people
/// say who mean this work.
#[must_use]
pub fn describe(sentence: &Sentence, words: &[String]) -> String {
    let said = super::describe(&sentence.text, &understand(&sentence.text));
    match words {
        [] => said,
        words => format!("{} Also when they say {}.", said, words.join(", ")),
    }
}

/// The text with its first letter as a capital.
fn begun(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_description_is_read() {
        let found = read("Rotate AWS access keys");
        assert_eq!(found.title, "Rotate AWS access keys");
        assert_eq!(found.clauses.first().and_then(|clause| clause.verb.as_deref()), Some("rotate"));
        assert!(describe(&found, &["AKIA".to_owned()]).contains("AKIA"));
    }
}
