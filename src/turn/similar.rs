//! How alike two texts are: the cosine of their words, brought to their stems. The same texts always give the same number.

use std::collections::BTreeMap;

use crate::skill::understand::{empty, words};

/// From this percentage on, a skill is worth mentioning to somebody who is about to make another.
const WORTH_MENTIONING: u32 = 60;

/// The words of a text that say something, by their stems, each with its weight.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Terms {
    weights: Vec<(String, f64)>,
    norm: f64,
}

impl Terms {
    /// Takes a text apart. Grammar and filler words do not count; a word that comes often weighs more, but less each time.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let mut counts: BTreeMap<String, u32> = BTreeMap::new();
        for part in words(text).into_iter().flat_map(|word| word.parts) {
            if !empty(&part) {
                *counts.entry(stem(&part)).or_default() += 1;
            }
        }
        let weights: Vec<(String, f64)> =
            counts.into_iter().map(|(stem, count)| (stem, 1.0 + f64::from(count).ln())).collect();
        let norm = weights.iter().map(|(_, weight)| weight * weight).sum::<f64>().sqrt();
        Self { weights, norm }
    }

    /// Whether no word of the text says anything.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.weights.is_empty()
    }

    /// The cosine with another text: 0 nothing in common, 1 the same words.
    #[must_use]
    pub fn cosine(&self, other: &Self) -> f64 {
        if self.is_empty() || other.is_empty() {
            return 0.0;
        }
        let (mut left, mut right) = (self.weights.iter().peekable(), other.weights.iter().peekable());
        let mut product = 0.0;
        while let (Some((one, a)), Some((two, b))) = (left.peek(), right.peek()) {
            match one.cmp(two) {
                std::cmp::Ordering::Less => _ = left.next(),
                std::cmp::Ordering::Greater => _ = right.next(),
                std::cmp::Ordering::Equal => {
                    product += a * b;
                    (_, _) = (left.next(), right.next());
                }
            }
        }
        (product / (self.norm * other.norm)).clamp(0.0, 1.0)
    }
}

/// The stem of a lowercase ASCII word: plural, verb and noun endings are taken off (`validates`, `validating` and
/// `validation` are `validat`). Light on purpose: both sides of a comparison go through it.
fn stem(word: &str) -> String {
    let mut stem = word.to_owned();
    let long = |stem: &str, end: &str| stem.len() >= end.len() + 3 && stem.ends_with(end);
    if long(&stem, "ies") {
        stem.truncate(stem.len() - 3);
        stem.push('y');
    } else if long(&stem, "sses") || long(&stem, "shes") || long(&stem, "ches") || long(&stem, "xes") {
        stem.truncate(stem.len() - 2);
    } else if long(&stem, "s") && !stem.ends_with("ss") && !stem.ends_with("us") && !stem.ends_with("is") {
        stem.pop();
    }
    for (end, keep) in
        [("ations", 2), ("ation", 2), ("tion", 1), ("ing", 0), ("ed", 0), ("ator", 2), ("tor", 1), ("er", 0)]
    {
        if long(&stem, end) {
            stem.truncate(stem.len() - end.len() + keep);
            break;
        }
    }
    let mut last = stem.chars().rev();
    if let (Some(one), Some(two)) = (last.next(), last.next())
        && one == two
        && stem.len() > 3
        && !matches!(one, 'l' | 's' | 'z')
    {
        stem.pop();
    }
    if stem.len() > 3 && stem.ends_with('e') {
        stem.pop();
    }
    stem
}

/// A skill that is here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known {
    /// Its name.
    pub name: String,
    /// Its description.
    pub description: String,
}

/// A skill and how alike a description is to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Similar {
    /// Its name.
    pub name: String,
    /// How alike, in percent.
    pub percent: u32,
}

/// The skills worth mentioning to somebody who is about to make this one: 60 % alike or more, the most alike first,
/// then by name. The description is compared with a skill's first sentence, with that and its name, and with all of its
/// description; the best of these counts.
#[must_use]
pub fn similar(description: &str, skills: &[Known]) -> Vec<Similar> {
    let wanted = Terms::of(description);
    let mut found: Vec<Similar> = skills
        .iter()
        .map(|skill| {
            let first = skill.description.split_inclusive(['.', '!', '?']).next().unwrap_or_default();
            let named = format!("{} {first}", skill.name);
            let ways = [first, &named, &skill.description];
            let alike = ways.into_iter().map(|way| wanted.cosine(&Terms::of(way))).fold(0.0, f64::max);
            Similar { name: skill.name.clone(), percent: percent(alike) }
        })
        .filter(|one| one.percent >= WORTH_MENTIONING)
        .collect();
    found.sort_by(|a, b| b.percent.cmp(&a.percent).then_with(|| a.name.cmp(&b.name)));
    found
}

/// A share of one in whole percent.
fn percent(share: f64) -> u32 {
    (share.clamp(0.0, 1.0) * 100.0).round() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_forms_of_a_word_have_one_stem() {
        for forms in [
            &["validate", "validates", "validating", "validated", "validation", "validations", "validator"][..],
            &["extract", "extracts", "extracting", "extraction", "extractor"],
            &["format", "formats", "formatting", "formatted", "formatter"],
            &["address", "addresses"],
            &["query", "queries"],
            &["parse", "parser", "parsing", "parses"],
            &["table", "tables"],
        ] {
            let stems: Vec<String> = forms.iter().map(|form| stem(form)).collect();
            assert!(stems.iter().all(|one| *one == stems[0]), "{forms:?}: {stems:?}");
        }
        assert_ne!(stem("test"), stem("text"));
        assert_eq!(stem("css"), "css");
    }

    #[test]
    fn the_same_words_are_alike_whatever_their_form() {
        let one = Terms::of("Extract tables from PDF files");
        assert!((one.cosine(&Terms::of("Extracting a table from a PDF file")) - 1.0).abs() < 1e-9);
        assert_eq!(one.cosine(&Terms::of("Review pull requests")), 0.0);
        assert_eq!(one.cosine(&Terms::of("")), 0.0);
        assert!((one.cosine(&one) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn skills_worth_mentioning_come_the_most_alike_first() {
        let skill = |name: &str, description: &str| Known { name: name.into(), description: description.into() };
        let skills = [
            skill("review-code", "Reviews code. Use when reviewing code."),
            skill("extract-pdf-tables", "Extracts tables from PDF files. Use when the user wants tables out of a PDF."),
            skill("extract-pdf-text", "Extracts text from PDF files."),
        ];
        let found = similar("Extract the tables of PDF documents", &skills);
        assert_eq!(found[0].name, "extract-pdf-tables");
        assert!(found.iter().all(|one| one.name != "review-code" && one.percent >= 60), "{found:?}");
        assert_eq!(similar("Extract tables from PDF files", &skills)[0].percent, 100);
    }

    proptest::proptest! {
        #[test]
        fn a_cosine_is_a_share_and_the_same_both_ways(one in "\\PC{0,60}", two in "[a-z ]{0,60}") {
            let (one, two) = (Terms::of(&one), Terms::of(&two));
            let cosine = one.cosine(&two);
            proptest::prop_assert!((0.0..=1.0).contains(&cosine));
            proptest::prop_assert!((cosine - two.cosine(&one)).abs() < 1e-9);
        }
    }
}
