//! How alike two texts are: the cosine of their words, brought to their stems. The same texts always give the same number.

use crate::skill::sentence::{each_part, empty};

/// A skill of at least this similarity, in percent, is mentioned before another is made.
const WORTH_MENTIONING: u32 = 60;

/// The stems of a text's content words, each with its weight.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Terms {
    /// The stems, one behind the other, in order.
    stems: String,
    /// Where each stem ends, and its weight.
    weights: Vec<(usize, f64)>,
    norm: f64,
}

impl Terms {
    /// Takes a text apart. Grammar and filler words do not count; a word that comes often weighs more, but less each time.
    pub fn of(text: &str) -> Self {
        let (mut all, mut met) = (String::with_capacity(text.len()), Vec::new());
        each_part(text, |part| {
            if !empty(part) {
                let from = all.len();
                all.push_str(part);
                stem(&mut all, from);
                met.push(from..all.len());
            }
        });
        let mut met: Vec<&str> = met.into_iter().filter_map(|at| all.get(at)).collect();
        met.sort_unstable();
        let mut terms =
            Self { stems: String::with_capacity(all.len()), weights: Vec::with_capacity(met.len()), norm: 0.0 };
        for same in met.chunk_by(|one, other| one == other) {
            terms.stems.push_str(same.first().copied().unwrap_or_default());
            let count = u32::try_from(same.len()).unwrap_or(u32::MAX);
            terms.weights.push((terms.stems.len(), 1.0 + f64::from(count).ln()));
        }
        terms.norm = terms.weights.iter().map(|(_, weight)| weight * weight).sum::<f64>().sqrt();
        terms
    }

    /// The stems in order, each with its weight.
    fn iter(&self) -> impl Iterator<Item = (&str, f64)> {
        let mut from = 0;
        self.weights.iter().map(move |(end, weight)| {
            let stem = self.stems.get(from..*end).unwrap_or_default();
            from = *end;
            (stem, *weight)
        })
    }

    /// Whether the text has no content words.
    pub fn is_empty(&self) -> bool {
        self.weights.is_empty()
    }

    /// The cosine with another text: 0 nothing in common, 1 the same words.
    pub fn cosine(&self, other: &Self) -> f64 {
        if self.is_empty() || other.is_empty() {
            return 0.0;
        }
        let (mut left, mut right) = (self.iter().peekable(), other.iter().peekable());
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

/// Brings the lowercase ASCII word that stands behind `from` to its stem: plural, verb and noun endings are taken off
/// (`validates`, `validating` and `validation` are `validat`). Light on purpose: both sides of a comparison go through it.
fn stem(text: &mut String, from: usize) {
    let word = text.get(from..).unwrap_or_default();
    let long = |word: &str, end: &str| word.len() >= end.len() + 3 && word.ends_with(end);
    let length = word.len();
    if long(word, "ies") {
        text.truncate(from + length - 3);
        text.push('y');
    } else if ["sses", "shes", "ches", "xes"].iter().any(|end| long(word, end)) {
        text.truncate(from + length - 2);
    } else if long(word, "s") && !word.ends_with("ss") && !word.ends_with("us") && !word.ends_with("is") {
        text.pop();
    }
    let word = text.get(from..).unwrap_or_default();
    // The other endings are behind these letters only.
    if word.ends_with(['s', 'n', 'g', 'd', 'r']) {
        let endings =
            [("ations", 2), ("ation", 2), ("tion", 1), ("ing", 0), ("ed", 0), ("ator", 2), ("tor", 1), ("er", 0)];
        if let Some((end, keep)) = endings.into_iter().find(|(end, _)| long(word, end)) {
            text.truncate(from + word.len() - end.len() + keep);
        }
    }
    let word = text.get(from..).unwrap_or_default().as_bytes();
    if let [.., two, one] = word
        && one == two
        && word.len() > 3
        && !matches!(one, b'l' | b's' | b'z')
    {
        text.pop();
    }
    if text.len() > from + 3 && text.ends_with('e') {
        text.pop();
    }
}

/// A skill that is here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillSummary {
    pub name: String,
    pub description: String,
}

/// A skill and how alike a description is to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Similar {
    pub name: String,
    pub percent: u32,
}

/// The skills worth mentioning to somebody who is about to make this one: 60 % alike or more, the most alike first,
/// then by name. The description is compared with a skill's first sentence, with that and its name, and with all of its
/// description; the best of these counts.
pub fn similar(description: &str, skills: &[SkillSummary]) -> Vec<Similar> {
    let wanted = Terms::of(description);
    let mut found: Vec<Similar> = skills
        .iter()
        .map(|skill| {
            let first = skill.description.split_inclusive(['.', '!', '?']).next().unwrap_or_default();
            let named = format!("{} {first}", skill.name);
            let whole = (first.len() < skill.description.len()).then_some(skill.description.as_str());
            let ways = [first, &named].into_iter().chain(whole);
            let alike = ways.map(|way| wanted.cosine(&Terms::of(way))).fold(0.0, f64::max);
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

    fn stemmed(word: &str) -> String {
        let mut text = word.to_owned();
        stem(&mut text, 0);
        text
    }

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
            let stems: Vec<String> = forms.iter().map(|form| stemmed(form)).collect();
            assert!(stems.iter().all(|one| *one == stems[0]), "{forms:?}: {stems:?}");
        }
        assert_ne!(stemmed("test"), stemmed("text"));
        assert_eq!(stemmed("css"), "css");
        // What stands before the word is none of it.
        let mut text = "miss".to_owned();
        stem(&mut text, 3);
        assert_eq!(text, "miss");
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
        let skill = |name: &str, description: &str| SkillSummary { name: name.into(), description: description.into() };
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
