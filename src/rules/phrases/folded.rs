//! Text written with letters that only look like ASCII: full-width, mathematical, circled, Cyrillic, Greek.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization;

/// Letters of other alphabets that look like these.
const LOOK_ALIKES: &[(char, &str)] = &[
    ('a', "\u{430}\u{3b1}"),
    ('c', "\u{441}"),
    ('d', "\u{501}"),
    ('e', "\u{435}\u{3b5}"),
    ('h', "\u{4bb}"),
    ('i', "\u{456}\u{3b9}\u{131}"),
    ('j', "\u{458}"),
    ('k', "\u{3ba}\u{43a}"),
    ('l', "\u{4cf}"),
    ('n', "\u{3b7}\u{578}"),
    ('o', "\u{43e}\u{3bf}"),
    ('p', "\u{440}\u{3c1}"),
    ('s', "\u{455}"),
    ('t', "\u{442}\u{3c4}"),
    ('u', "\u{3c5}\u{57d}"),
    ('v', "\u{3bd}\u{475}"),
    ('w', "\u{51d}"),
    ('x', "\u{445}\u{3c7}"),
    ('y', "\u{443}\u{3b3}"),
    ('A', "\u{410}\u{391}"),
    ('B', "\u{412}\u{392}"),
    ('C', "\u{421}"),
    ('E', "\u{415}\u{395}"),
    ('H', "\u{41d}\u{397}"),
    ('I', "\u{406}\u{399}"),
    ('K', "\u{41a}\u{39a}"),
    ('M', "\u{41c}\u{39c}"),
    ('N', "\u{39d}"),
    ('O', "\u{41e}\u{39f}"),
    ('P', "\u{420}\u{3a1}"),
    ('S', "\u{405}"),
    ('T', "\u{422}\u{3a4}"),
    ('X', "\u{425}\u{3a7}"),
    ('Y', "\u{423}\u{3a5}"),
];

/// A text in ASCII letters, with the way back to the places it came from.
pub(super) struct Folded {
    /// The text; what has no ASCII form is a blank.
    pub(super) text: String,
    /// For every byte of it, where the character it came from begins; then the end.
    from: Vec<usize>,
}

impl Folded {
    /// The folded text, when it holds a letter that only looks like ASCII.
    pub(super) fn of(text: &str) -> Option<Self> {
        (!text.is_ascii() && text.chars().any(|c| !c.is_ascii() && looks_like(c).is_some())).then(|| {
            let mut folded = Self { text: String::with_capacity(text.len()), from: Vec::with_capacity(text.len() + 1) };
            for (at, c) in text.char_indices() {
                folded.text.push(if c.is_ascii() { c } else { looks_like(c).unwrap_or(' ') });
                folded.from.push(at);
            }
            folded.from.push(text.len());
            folded
        })
    }

    /// Where a span of the folded text stands in the text it came from.
    pub(super) fn span(&self, span: &Range<usize>) -> Range<usize> {
        let place = |at: usize| self.from.get(at).or(self.from.last()).copied().unwrap_or(0);
        place(span.start)..place(span.end)
    }
}

fn looks_like(c: char) -> Option<char> {
    match c {
        '\u{370}'..='\u{58f}' | '\u{131}' => {
            LOOK_ALIKES.iter().find(|(_, others)| others.contains(c)).map(|(ascii, _)| *ascii)
        }
        '\u{2100}'..='\u{214f}' | '\u{2460}'..='\u{24ff}' | '\u{ff01}'..='\u{ff5e}' | '\u{1d400}'..='\u{1d7ff}' => {
            std::iter::once(c).nfkd().find(char::is_ascii_alphanumeric)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn look_alikes_become_letters_and_lead_back() {
        let text = "\u{e9} \u{ff49}gn\u{43e}re \u{1d41a}ll";
        let folded = Folded::of(text).unwrap();
        assert_eq!(folded.text, "  ignore all");
        assert_eq!(text.get(folded.span(&(2..8))), Some("\u{ff49}gn\u{43e}re"));
        assert!(Folded::of("caf\u{e9}, \u{65e5}\u{672c}").is_none());
    }
}
