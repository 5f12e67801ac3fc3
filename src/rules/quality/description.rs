//! QUALITY-04: whether a description says what the skill does in words of its own.

use std::collections::BTreeSet;

use crate::rules::{Document, FindingCollector, Id, shown, text_of};

/// First words about the writer or reader instead of the skill.
const PERSONS: &[&str] =
    &["i", "i'm", "i'll", "i've", "we", "we'll", "you", "you'll", "your", "my", "our", "nós", "você", "yo", "tú"];
/// First words that no action begins with.
const NO_ACTION: &[&str] = &[
    "a", "an", "the", "this", "that", "these", "it", "skill", "skills", "tool", "tools", "helper", "utility",
    "utilities", "collection", "comprehensive", "complete", "ultimate", "expert", "advanced", "powerful", "um", "uma",
    "esta", "este", "un", "una",
];
/// Words without a meaning of their own.
const EMPTY: &[&str] =
    &["a", "an", "the", "for", "of", "and", "to", "with", "skill", "skills", "tool", "helper", "use", "this"];

pub(super) fn check(doc: &Document, report: &mut FindingCollector<'_>) {
    let Some((field, text)) = text_of(doc, "description") else { return };
    let first =
        text.split_whitespace().next().unwrap_or("").trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let at = field.value_at;
    if PERSONS.contains(&first.as_str()) {
        report.add(Id::Person.at(at, format!("The description begins with `{}`", shown(&first))));
    } else if NO_ACTION.contains(&first.as_str()) {
        report.add(Id::Verb.at(at, format!("The description begins with `{}`, not with a verb", shown(&first))));
    }
    if only_repeats(text, text_of(doc, "name").map_or("", |(_, name)| name)) {
        report.add(Id::Repeats.at(at, "The description only repeats the name"));
    }
}

/// Whether a description has content words, but none beyond those of the name.
fn only_repeats(description: &str, name: &str) -> bool {
    let named: BTreeSet<String> = words(name).collect();
    let mut words = words(description).peekable();
    words.peek().is_some() && words.all(|word| named.contains(&word))
}

/// The content words, in lower case and stemmed.
fn words(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase);
    words.filter(|word| !word.is_empty() && !EMPTY.contains(&word.as_str())).map(|word| {
        let stem = ["ing", "es", "s"].iter().find_map(|ending| word.strip_suffix(ending).filter(|stem| stem.len() > 2));
        stem.unwrap_or(&word).trim_end_matches('e').to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_and_empty_words_do_not_make_a_description() {
        assert!(only_repeats("A skill for reviewing code", "review-code"));
        assert!(!only_repeats("Review code for defects", "review-code"));
        assert!(!only_repeats("A skill for this", "review-code"), "it does not even repeat the name");
    }
}
