//! How many tokens a text is worth to a model, estimated from its shape: no tokenizer, no vocabulary.

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
/// Words cost by pieces of seven letters, digits by groups of three, runs of punctuation and of line ends by the run,
/// and every other character by itself.
#[must_use]
pub fn estimate(text: &str) -> usize {
    let mut thousandths = 0_u64;
    let mut run = (Kind::Space, 0_u64);
    for c in text.chars() {
        let kind = kind(c);
        if kind == run.0 {
            run.1 += 1;
        } else {
            thousandths += cost(run);
            run = (kind, 1);
        }
    }
    thousandths += cost(run);
    usize::try_from(thousandths.div_ceil(1000)).unwrap_or(usize::MAX)
}

/// Tokens by the rule of thumb of four characters each, rounded up; the measure T0-HEFESTO-03 is stated in.
#[must_use]
pub fn by_length(text: &str) -> usize {
    text.chars().count().div_ceil(4)
}

/// The kind of each ASCII character, by its number.
const KINDS: [Kind; 128] = {
    let (mut kinds, mut at) = ([Kind::Other; 128], 0_u8);
    while at < 128 {
        kinds[at as usize] = match at {
            b'a'..=b'z' | b'A'..=b'Z' => Kind::Word,
            b'0'..=b'9' => Kind::Digit,
            b'\n' | b'\r' => Kind::Newline,
            b' ' | b'\t' => Kind::Space,
            _ if at.is_ascii_punctuation() => Kind::Punctuation,
            _ => Kind::Other,
        };
        at += 1;
    }
    kinds
};

fn kind(c: char) -> Kind {
    KINDS.get(c as usize).copied().unwrap_or(Kind::Other)
}

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
    }

    #[test]
    fn the_rule_of_thumb_is_characters_by_four() {
        assert_eq!(by_length(&"x".repeat(20_000)), 5000);
        assert_eq!(by_length("ççççç"), 2);
    }
}
