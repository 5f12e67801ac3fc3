//! BM25 weights.

/// The parameters k1 (saturation of repeated words) and b (normalisation by length).
const SATURATION: f64 = 1.2;
const LENGTH: f64 = 0.75;

/// The inverse document frequency of a word.
pub(crate) fn rarity(holding: f64, all: usize) -> f64 {
    let all = all as f64;
    (1.0 + (all - holding + 0.5) / (holding + 0.5)).ln()
}

/// The weight of a word by its count in a text, whose length is relative to the average.
pub(crate) fn weight(rarity: f64, count: usize, length: f64) -> f64 {
    let count = count as f64;
    rarity * count * (SATURATION + 1.0) / (count + SATURATION * (1.0 - LENGTH + LENGTH * length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rare_the_frequent_and_the_short_weigh_more() {
        assert!(rarity(1.0, 10) > rarity(5.0, 10) && rarity(10.0, 10) > 0.0);
        assert!(weight(1.0, 2, 1.0) > weight(1.0, 1, 1.0));
        assert!(weight(1.0, 1, 0.5) > weight(1.0, 1, 2.0));
        assert!(weight(1.0, 1000, 1.0) < SATURATION + 1.0);
    }
}
