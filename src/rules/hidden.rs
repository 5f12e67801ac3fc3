//! Finds text a person cannot see but an agent reads (T0-HEFESTO-11.hidden-text).

use super::phrases::look_alike;
use crate::skill::printable::{is_direction, is_invisible, is_tag};

word_enum! {
    /// A kind of character that hides text, and what it is, for messages.
    HiddenKind {
        /// Among them NUL and escape.
        Control = "a control character",
        Direction = "a bidirectional control character",
        Tag = "an invisible tag character",
        /// Without width, or a filler.
        Invisible = "an invisible character",
        /// They can carry bytes.
        Selector = "a run of variation selectors",
        LookAlike = "a Cyrillic letter inside a Latin word",
    }
}

pub(super) struct Hidden {
    pub(super) offset: usize,
    pub(super) character: char,
    pub(super) kind: HiddenKind,
}

/// Every hiding character of a text. Joiners within emoji and between letters of scripts that need them are allowed, as
/// are flags, emoji selectors, line ends and tabs.
pub(super) fn scan(text: &str) -> Vec<Hidden> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(step) = text.as_bytes().get(from..).and_then(|rest| rest.iter().position(|b| !is_plain(*b))) {
        let offset = from + step;
        let (before, rest) = text.split_at_checked(offset).unwrap_or_default();
        let mut rest = rest.chars();
        let Some(character) = rest.next() else { break };
        if let Some(kind) = kind(character, before, rest.as_str()) {
            found.push(Hidden { offset, character, kind });
        }
        from = offset + character.len_utf8();
    }
    found
}

/// Whether a byte is a visible ASCII character, a blank, a tab or a line end.
fn is_plain(byte: u8) -> bool {
    matches!(byte, 0x20..0x7f | b'\n' | b'\t' | b'\r')
}

fn kind(c: char, before: &str, after: &str) -> Option<HiddenKind> {
    use HiddenKind::{Control, Direction, Invisible, LookAlike, Selector, Tag};
    let (last, next) = (before.chars().next_back(), after.chars().next());
    let (kind, hides) = match c {
        '\n' | '\t' | '\r' => return None,
        // Form feeds separate pages in some old source files.
        '\u{c}' => (Control, last.is_some_and(|c| !matches!(c, '\n' | '\r'))),
        c if c.is_control() => (Control, true),
        c if c.is_ascii() => return None,
        c if is_direction(c) => (Direction, true),
        c if is_tag(c) => (Tag, !in_flag(c, before, after)),
        '\u{E0100}'..='\u{E01EF}' => (Selector, !last.is_some_and(is_ideograph)),
        '\u{FE00}'..='\u{FE0F}' => {
            let run = before.chars().rev().take_while(|c| matches!(c, '\u{FE00}'..='\u{FE0F}')).take(2);
            (Selector, run.count() == 2)
        }
        '\u{400}'..='\u{52f}' => (LookAlike, poses_as_latin(c, before, after)),
        c if !is_invisible(c) => return None,
        '\u{200D}' => {
            let emoji = last.is_some_and(is_emoji) && next.is_some_and(is_emoji);
            let joined = last.is_some_and(joins) && next.is_none_or(joins_or_ends);
            (Invisible, !emoji && !joined)
        }
        '\u{200C}' => (Invisible, !(last.is_some_and(joins) && next.is_some_and(joins))),
        '\u{200B}' => (Invisible, !(last.is_some_and(is_unspaced) && next.is_some_and(is_unspaced))),
        '\u{200E}' | '\u{200F}' | '\u{061C}' => {
            let mut around = before.chars().rev().take(3).chain(after.chars().take(3));
            (Invisible, !around.any(is_right_to_left))
        }
        '\u{180B}'..='\u{180F}' => (Invisible, !last.is_some_and(|c| matches!(c, '\u{1800}'..='\u{18AF}'))),
        _ => (Invisible, true),
    };
    hides.then_some(kind)
}

/// Whether a Cyrillic letter precedes a Latin one in a word whose Cyrillic letters all look Latin. A Cyrillic ending
/// after a Latin word is normal inflection.
fn poses_as_latin(c: char, before: &str, after: &str) -> bool {
    after.starts_with(|c: char| c.is_ascii_alphabetic())
        && look_alike(c).is_some()
        && all_pose(after.chars())
        && all_pose(before.chars().rev())
}

/// Whether the letters from here to the end of the word are Latin or look so.
fn all_pose(letters: impl Iterator<Item = char>) -> bool {
    /// The most letters of a word that are checked.
    const REACH: usize = 11;
    let poses = |c: &char| c.is_ascii_alphabetic() || look_alike(*c).is_some();
    !letters.take(REACH).find(|c| !poses(c)).is_some_and(char::is_alphabetic)
}

fn in_flag(c: char, before: &str, after: &str) -> bool {
    /// The maximum number of further characters in a flag.
    const LONGEST: usize = 8;
    let last = before.chars().rev().take(LONGEST).take_while(|c| is_tag(*c) || *c == '\u{1F3F4}').last();
    last == Some('\u{1F3F4}') && (c == '\u{E007F}' || after.chars().take(LONGEST).any(|c| c == '\u{E007F}'))
}

fn is_emoji(c: char) -> bool {
    matches!(c, '\u{1F000}'..='\u{1FAFF}' | '\u{2190}'..='\u{2BFF}' | '\u{FE0F}' | '\u{3030}' | '\u{303D}')
}

fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{323AF}')
}

/// Letters of scripts in which a joiner changes a word: Arabic, Syriac, Mongolian and the Indic ones.
fn joins(c: char) -> bool {
    matches!(c, '\u{0600}'..='\u{08FF}' | '\u{0900}'..='\u{0DFF}' | '\u{1000}'..='\u{109F}' | '\u{1780}'..='\u{18AF}' | '\u{FB50}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFC}')
}

fn joins_or_ends(c: char) -> bool {
    joins(c) || c.is_whitespace() || c.is_ascii_punctuation()
}

/// Scripts written without spaces, where a zero-width space marks a word's end: Thai, Lao, Tibetan, Myanmar, Khmer.
fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{0E00}'..='\u{0FFF}' | '\u{1000}'..='\u{109F}' | '\u{1780}'..='\u{17FF}')
}

fn is_right_to_left(c: char) -> bool {
    matches!(c, '\u{0590}'..='\u{061B}' | '\u{061D}'..='\u{08FF}' | '\u{FB1D}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFC}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<HiddenKind> {
        scan(text).into_iter().map(|hidden| hidden.kind).collect()
    }

    #[test]
    fn a_control_character_hides_and_a_form_feed_between_pages_passes() {
        assert_eq!(kinds("a\u{0}b\u{1b}[2J\u{9b}"), [HiddenKind::Control; 3]);
        assert_eq!(kinds("a\u{c}b\n\u{c}\u{c}"), [HiddenKind::Control; 2]);
        assert_eq!(kinds("import os\n\n\u{c}\ndef main():\n α-test, μm"), []);
    }
}
