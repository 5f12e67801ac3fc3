//! The number of tokens of a text: estimated from its shape, without a tokenizer or a vocabulary, or
//! counted in builds that have one.

/// Weights of the estimate, in thousandths of a token.
const PER_WORD_PIECE: u64 = 804;
const PER_DIGIT_GROUP: u64 = 1240;
const PER_PUNCTUATION_RUN: u64 = 1071;
const PER_NEWLINE_RUN: u64 = 938;
const PER_OTHER_CHARACTER: u64 = 424;

/// The length of one piece of a word, in letters.
const WORD_PIECE: u64 = 7;
/// The length of one group of digits.
const DIGIT_GROUP: u64 = 3;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Word,
    Digit,
    Punctuation,
    Newline,
    Space,
    Other,
}

/// Estimated tokens of a text, rounded up. An estimate: within about a tenth for English prose and Markdown.
///
/// Words are counted in pieces of seven letters, digits in groups of three, runs of punctuation and of line ends as
/// one, and every other character separately.
pub fn estimate(text: &str) -> usize {
    let mut thousandths = 0_u64;
    let mut run = (Kind::Space, 0_u64);
    for byte in text.bytes() {
        match KINDS[usize::from(byte)] {
            None => {}
            Some(kind) if kind == run.0 => run.1 += 1,
            Some(kind) => {
                thousandths += cost(run);
                run = (kind, 1);
            }
        }
    }
    thousandths += cost(run);
    usize::try_from(thousandths.div_ceil(1000)).unwrap_or(usize::MAX)
}

/// Tokens of a text: counted with the vocabulary `o200k_base` in builds with the feature `exact-tokens`, else
/// [`estimate`]. Models have different vocabularies; no count is right for all of them.
pub fn count(text: &str) -> usize {
    #[cfg(feature = "exact-tokens")]
    if let Some(vocabulary) = tiktoken::get_encoding("o200k_base") {
        return vocabulary.count(text);
    }
    estimate(text)
}

/// The tokens of all texts together, if above the limit. Most are far below, which is decided without counting.
pub fn above(limit: usize, texts: &[&str]) -> Option<usize> {
    let bytes: usize = texts.iter().map(|text| text.len()).sum();
    // The most expensive text alternates digits and punctuation.
    let most = |bytes: usize| bytes * (PER_DIGIT_GROUP + PER_PUNCTUATION_RUN) as usize / 2000 + texts.len();
    let estimated = |texts: &[&str]| texts.iter().map(|text| estimate(text)).sum::<usize>();
    if most(bytes) <= limit || estimated(texts) <= limit / 2 {
        return None;
    }
    Some(texts.iter().map(|text| count(text)).sum()).filter(|cost| *cost > limit)
}

/// A count for people, marked if estimated.
pub fn describe(count: usize) -> String {
    if cfg!(feature = "exact-tokens") { format!("{count} tokens") } else { format!("~{count} tokens") }
}

/// The kind of a character by its first byte; none for the bytes behind it.
const KINDS: [Option<Kind>; 256] = {
    let mut kinds = [Some(Kind::Other); 256];
    let mut byte = 0;
    while byte < 256 {
        let kind = match byte as u8 {
            b'a'..=b'z' | b'A'..=b'Z' => Kind::Word,
            b'0'..=b'9' => Kind::Digit,
            b'\n' | b'\r' => Kind::Newline,
            b' ' | b'\t' => Kind::Space,
            byte if byte.is_ascii_punctuation() => Kind::Punctuation,
            _ => Kind::Other,
        };
        kinds[byte] = if byte >= 0x80 && byte < 0xC0 { None } else { Some(kind) };
        byte += 1;
    }
    kinds
};

fn cost((kind, length): (Kind, u64)) -> u64 {
    match kind {
        Kind::Word => PER_WORD_PIECE * length.div_ceil(WORD_PIECE),
        Kind::Digit => PER_DIGIT_GROUP * length.div_ceil(DIGIT_GROUP),
        Kind::Punctuation => PER_PUNCTUATION_RUN,
        Kind::Newline => PER_NEWLINE_RUN,
        Kind::Other => PER_OTHER_CHARACTER * length,
        Kind::Space => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_run_costs_its_own() {
        assert_eq!(estimate(""), 0);
        assert_eq!(estimate("review pull requests"), 4, "three words, one of two pieces: 3.2 rounded up");
        assert_eq!(estimate("1234567"), 4, "three groups: 3.72 rounded up");
        assert_eq!(estimate("-----"), 2);
        assert_eq!(estimate("日本語é"), 2, "four characters: 1.7 rounded up");
    }

    #[test]
    fn what_costs_less_is_told_without_a_count() {
        let dense = "1,".repeat(60);
        assert_eq!(above(100, &[&dense]), Some(count(&dense)), "{}", estimate(&dense));
        assert_eq!(above(200, &[&dense]), None);
        assert_eq!(above(1, &["review", "pull requests"]), Some(count("review") + count("pull requests")));
        assert_eq!(above(0, &[]), None);
    }

    proptest::proptest! {
        #[test]
        fn no_text_costs_more_than_is_taken_for_the_most(text in "([0-9]|[a-z]|[-,\\n ]|\u{e9}|\u{65e5}){0,40}", limit in 0_usize..40) {
            let cost = estimate(&text);
            if !cfg!(feature = "exact-tokens") {
                proptest::prop_assert_eq!(above(limit, &[&text]), Some(cost).filter(|cost| *cost > limit));
            }
        }
    }
}
