//! Text written with letters that only look like ASCII: full-width, mathematical, circled, Cyrillic, Greek.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization;

/// A text in ASCII letters, with a mapping back to the original.
pub(super) struct Folded {
    /// The text; what has no ASCII form is a blank.
    pub(super) text: String,
    /// The ends of non-ASCII characters, in the folded text and in the original.
    ends: Vec<(usize, usize)>,
}

impl Folded {
    /// The folded text, if the text contains a letter that only looks like ASCII.
    pub(super) fn of(text: &str) -> Option<Self> {
        if text.is_ascii() {
            return None;
        }
        foreign(text).any(|(_, c)| looks_like(c).is_some()).then(|| {
            let mut folded = Self { text: String::with_capacity(text.len()), ends: Vec::new() };
            let mut from = 0;
            for (at, c) in foreign(text) {
                folded.text.push_str(text.get(from..at).unwrap_or(""));
                folded.text.push(looks_like(c).unwrap_or(' '));
                from = at + c.len_utf8();
                folded.ends.push((folded.text.len(), from));
            }
            folded.text.push_str(text.get(from..).unwrap_or(""));
            folded
        })
    }

    /// The span of the original text for a span of the folded text.
    pub(super) fn span(&self, span: &Range<usize>) -> Range<usize> {
        let place = |at: usize| {
            let passed = self.ends.partition_point(|(end, _)| *end <= at);
            let (folded, own) = passed.checked_sub(1).and_then(|last| self.ends.get(last)).copied().unwrap_or_default();
            own + (at - folded)
        };
        place(span.start)..place(span.end)
    }
}

fn foreign(text: &str) -> impl Iterator<Item = (usize, char)> + '_ {
    text.char_indices().filter(|(_, c)| !c.is_ascii())
}

fn looks_like(c: char) -> Option<char> {
    match c {
        '\u{370}'..='\u{58f}' | '\u{131}' => look_alike(c),
        '\u{ff01}'..='\u{ff5e}' => {
            // The visible characters of ASCII, in their order.
            let narrow = u32::from(c) - u32::from('\u{ff01}') + u32::from('!');
            char::from_u32(narrow).filter(char::is_ascii_alphanumeric)
        }
        '\u{2100}'..='\u{214f}' | '\u{2460}'..='\u{24ff}' | '\u{1d400}'..='\u{1d7ff}' => {
            std::iter::once(c).nfkd().find(char::is_ascii_alphanumeric)
        }
        _ => None,
    }
}

/// ASCII letters, each followed by the letters of other alphabets that look like it.
const LOOK_ALIKES: &str = "\
    a\u{430}\u{3b1} c\u{441} d\u{501} e\u{435}\u{3b5} h\u{4bb} i\u{456}\u{3b9}\u{131} j\u{458} k\u{3ba}\u{43a} \
    l\u{4cf} n\u{3b7}\u{578} o\u{43e}\u{3bf} p\u{440}\u{3c1} s\u{455} t\u{442}\u{3c4} u\u{3c5}\u{57d} \
    v\u{3bd}\u{475} w\u{51d} x\u{445}\u{3c7} y\u{443}\u{3b3} A\u{410}\u{391} B\u{412}\u{392} C\u{421} \
    E\u{415}\u{395} H\u{41d}\u{397} I\u{406}\u{399} K\u{41a}\u{39a} M\u{41c}\u{39c} N\u{39d} O\u{41e}\u{39f} \
    P\u{420}\u{3a1} S\u{405} T\u{422}\u{3a4} X\u{425}\u{3a7} Y\u{423}\u{3a5}";

/// The ASCII letter that a letter of another alphabet looks like.
pub(in crate::rules) fn look_alike(c: char) -> Option<char> {
    let at = LOOK_ALIKES.find(c).filter(|_| !c.is_ascii())?;
    LOOK_ALIKES.get(..at)?.chars().rfind(char::is_ascii)
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
        assert_eq!((folded.span(&(0..12)), folded.span(&(9..10))), (0..text.len(), 13..17));
        for wide in '\u{ff01}'..='\u{ff5e}' {
            assert_eq!(looks_like(wide), std::iter::once(wide).nfkd().find(char::is_ascii_alphanumeric), "{wide}");
        }
        assert!(Folded::of("caf\u{e9}, \u{65e5}\u{672c}").is_none());
    }
}
