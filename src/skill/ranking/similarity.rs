//! The similarity of two texts: the cosine of their stemmed words. Deterministic.

use super::words::{languages, stems};
use crate::skill::Language;

/// The stems of a text's content words in order, each with its weight.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Terms {
    weights: Vec<(String, f64)>,
    norm: f64,
}

impl Terms {
    /// Tokenises a text. Grammar, filler words and asides in parentheses do not count; repeated words weigh more, with
    /// diminishing returns.
    pub fn of(text: &str) -> Self {
        let mut met = stems(&without_asides(text));
        met.sort();
        let weight = |same: &[String]| 1.0 + (same.len() as f64).ln();
        let chunks = met.chunk_by(|one, other| one == other);
        let weights: Vec<_> = chunks.filter_map(|same| Some((same.first()?.clone(), weight(same)))).collect();
        let norm = weights.iter().map(|(_, weight)| weight * weight).sum::<f64>().sqrt();
        Self { weights, norm }
    }

    /// The language a text is read in.
    pub(crate) fn language(text: &str) -> Language {
        languages(&without_asides(text)).first().copied().unwrap_or(Language::En)
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
        let of = |(stem, weight): &(String, f64)| {
            let at = other.weights.binary_search_by(|(known, _)| known.cmp(stem)).ok()?;
            other.weights.get(at).map(|(_, theirs)| weight * theirs)
        };
        let product: f64 = self.weights.iter().filter_map(of).sum();
        (product / (self.norm * other.norm)).clamp(0.0, 1.0)
    }
}

fn without_asides(text: &str) -> String {
    let mut depth = 0_usize;
    let outside = |c: &char| {
        let closes = matches!(c, ')' | ']') && depth > 0;
        depth = depth + usize::from(matches!(c, '(' | '[')) - usize::from(closes);
        depth == 0 && !closes
    };
    text.chars().filter(outside).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_words_are_alike_whatever_their_form() {
        let one = Terms::of("Extract tables from PDF files");
        assert!((one.cosine(&Terms::of("Extracting a table from a PDF file")) - 1.0).abs() < 1e-9);
        assert_eq!(one.cosine(&Terms::of("Review pull requests")), 0.0);
        assert_eq!(one.cosine(&Terms::of("")), 0.0);
        assert!((one.cosine(&one) - 1.0).abs() < 1e-9);
        assert_eq!(Terms::of("PDF (see [the manual]) files"), Terms::of("PDF files"));
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
