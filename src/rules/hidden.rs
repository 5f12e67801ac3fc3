//! Finds text a person cannot see but an agent reads (T0-HEFESTO-11.hidden-text).

use super::phrases::look_alike;
use crate::skill::printable::{is_direction, is_invisible, is_tag};

/// A kind of character that hides text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum HiddenKind {
    /// A control character, among them NUL and escape.
    Control,
    /// A mark that changes the direction of text.
    Direction,
    /// An invisible copy of an ASCII character.
    Tag,
    /// A character without width, or a filler.
    Invisible,
    /// Variation selectors that can carry bytes.
    Selector,
    /// A letter of another alphabet in the place of the one it looks like.
    LookAlike,
}

impl HiddenKind {
    /// What it is, for messages.
    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Control => "a control character",
            Self::Direction => "a bidirectional control character",
            Self::Tag => "an invisible tag character",
            Self::Invisible => "an invisible character",
            Self::Selector => "a run of variation selectors",
            Self::LookAlike => "a Cyrillic letter inside a Latin word",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Hidden {
    pub(super) offset: usize,
    pub(super) character: char,
    pub(super) kind: HiddenKind,
}

#[derive(Clone, Copy)]
struct Context<'t> {
    before: &'t str,
    after: &'t str,
}

impl<'t> Context<'t> {
    /// The characters before it, the nearest first.
    fn before(self) -> impl Iterator<Item = char> + 't {
        self.before.chars().rev()
    }

    /// The characters after it, the nearest first.
    fn after(self) -> impl Iterator<Item = char> + 't {
        self.after.chars()
    }
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
        if let Some(kind) = kind(character, Context { before, after: rest.as_str() }) {
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

fn kind(c: char, context: Context<'_>) -> Option<HiddenKind> {
    if c.is_control() {
        // Form feeds separate pages in some old source files.
        let parts = c == '\u{c}' && context.before().next().is_none_or(|before| matches!(before, '\n' | '\r'));
        return (!parts && !matches!(c, '\n' | '\t' | '\r')).then_some(HiddenKind::Control);
    }
    if c.is_ascii() {
        return None;
    }
    if is_direction(c) {
        return Some(HiddenKind::Direction);
    }
    if is_tag(c) {
        return (!in_flag(c, context)).then_some(HiddenKind::Tag);
    }
    if matches!(c, '\u{E0100}'..='\u{E01EF}') {
        return (!context.before().next().is_some_and(is_ideograph)).then_some(HiddenKind::Selector);
    }
    if matches!(c, '\u{FE00}'..='\u{FE0F}') {
        let run = context.before().take(2).filter(|c| matches!(c, '\u{FE00}'..='\u{FE0F}')).count() == 2;
        return run.then_some(HiddenKind::Selector);
    }
    if matches!(c, '\u{400}'..='\u{52f}') {
        return poses_as_latin(c, context).then_some(HiddenKind::LookAlike);
    }
    if !is_invisible(c) {
        return None;
    }
    let (before, after) = (context.before().next(), context.after().next());
    let passes = match c {
        '\u{200D}' => {
            (before.is_some_and(is_emoji) && after.is_some_and(is_emoji))
                || (before.is_some_and(joins) && after.is_none_or(joins_or_ends))
        }
        '\u{200C}' => before.is_some_and(joins) && after.is_some_and(joins),
        '\u{200B}' => before.is_some_and(is_unspaced) && after.is_some_and(is_unspaced),
        '\u{200E}' | '\u{200F}' | '\u{061C}' => {
            context.before().take(3).chain(context.after().take(3)).any(is_right_to_left)
        }
        '\u{180B}'..='\u{180F}' => before.is_some_and(|c| matches!(c, '\u{1800}'..='\u{18AF}')),
        _ => false,
    };
    (!passes).then_some(HiddenKind::Invisible)
}

/// Whether a Cyrillic letter precedes a Latin one in a word whose Cyrillic letters all look Latin. A Cyrillic ending
/// after a Latin word is normal inflection.
fn poses_as_latin(c: char, context: Context<'_>) -> bool {
    context.after().next().is_some_and(|c| c.is_ascii_alphabetic())
        && look_alike(c).is_some()
        && all_pose(context.after())
        && all_pose(context.before())
}

/// Whether the letters from here to the end of the word are Latin or look so.
fn all_pose(letters: impl Iterator<Item = char>) -> bool {
    /// The most letters of a word that are checked.
    const REACH: usize = 11;
    let poses = |c: &char| c.is_ascii_alphabetic() || look_alike(*c).is_some();
    !letters.take(REACH).find(|c| !poses(c)).is_some_and(char::is_alphabetic)
}

fn in_flag(c: char, context: Context<'_>) -> bool {
    /// The maximum number of further characters in a flag.
    const LONGEST: usize = 8;
    let last = context.before().take(LONGEST).take_while(|c| is_tag(*c) || *c == '\u{1F3F4}').last();
    last == Some('\u{1F3F4}') && (c == '\u{E007F}' || context.after().take(LONGEST).any(|c| c == '\u{E007F}'))
}

fn is_emoji(c: char) -> bool {
    matches!(c, '\u{1F000}'..='\u{1FAFF}' | '\u{2190}'..='\u{2BFF}' | '\u{FE0F}' | '\u{3030}' | '\u{303D}')
}

fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{323AF}')
}

/// Letters of the scripts in which a joiner changes how a word is written: Arabic, Syriac, Mongolian and the Indic
/// ones.
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
    fn what_hides_is_found() {
        assert_eq!(kinds("a\u{0}b\u{1b}[2J\u{9b}"), [HiddenKind::Control; 3]);
        assert_eq!(kinds("a\u{c}b\n\u{c}\u{c}"), [HiddenKind::Control; 2]);
        assert_eq!(kinds("a\u{202e}b\u{2066}"), [HiddenKind::Direction; 2]);
        assert_eq!(kinds("x\u{e0068}\u{e0069}"), [HiddenKind::Tag; 2]);
        assert_eq!(kinds("pass\u{200b}word\u{200d}\u{feff}\u{2062}\u{3164}"), [HiddenKind::Invisible; 5]);
        assert_eq!(kinds("\u{441}url and b\u{430}sh"), [HiddenKind::LookAlike; 2]);
        assert_eq!(kinds("a\u{fe00}\u{fe01}\u{fe02}\u{e0101}"), [HiddenKind::Selector; 2]);
    }

    #[test]
    fn languages_emoji_and_flags_pass() {
        for text in [
            "👨\u{200d}👩\u{200d}👧 ❤\u{fe0f}\u{200d}🔥 1\u{fe0f}\u{20e3}",
            "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f} England",
            "می\u{200c}خواهم क्\u{200d}ष",
            "ภาษา\u{200b}ไทย שלום\u{200f} (x)",
            "café, naïve, 日本語\r\n\tok",
            "import os\n\n\u{c}\ndef main():\n",
            "веб-API, URLа, HTMLки, неJSON, 5 мс, α-test, μm",
        ] {
            assert_eq!(kinds(text), Vec::<HiddenKind>::new(), "{text:?}");
        }
    }
}
