//! Splits the input of a terminal in raw mode into keys and pastes.

use std::collections::VecDeque;

/// The markers a terminal puts around a paste (bracketed paste).
pub(super) const PASTE_BEGINS: &str = "\u{1b}[200~";
pub(super) const PASTE_ENDS: &str = "\u{1b}[201~";

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Key {
    Char(char),
    Enter,
    Backspace,
    /// An arrow, by its letter in the sequence `ESC [ A`.
    Arrow(char),
    Escape,
    /// Home, Ctrl-A.
    LineStart,
    /// End, Ctrl-E.
    LineEnd,
    /// Delete the line: Ctrl-U.
    Clear,
    /// Ctrl-C.
    Interrupt,
    /// Ctrl-D.
    End,
    Paste(String),
}

/// Turns bytes into keys. An incomplete paste or character waits for its rest.
#[derive(Debug, Default)]
pub(super) struct Keys {
    text: String,
    /// An incomplete character.
    bytes: Vec<u8>,
    keys: VecDeque<Key>,
}

impl Keys {
    pub(super) fn reader(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        for chunk in std::mem::take(&mut self.bytes).utf8_chunks() {
            self.text.push_str(chunk.valid());
            // What begins a character at the end waits for its rest; other stray bytes are dropped.
            let begun = std::str::from_utf8(chunk.invalid()).is_err_and(|error| error.error_len().is_none());
            self.bytes = if begun { chunk.invalid().to_vec() } else { Vec::new() };
        }
    }

    /// Whether an escape sequence is incomplete.
    pub(super) fn is_partial(&self) -> bool {
        self.text.ends_with('\u{1b}') || self.text.ends_with("\u{1b}[")
    }

    /// The next key. Several lines that arrive at once are a paste, marked or not.
    pub(super) fn next(&mut self) -> Option<Key> {
        if self.keys.is_empty() {
            self.decode();
        }
        self.keys.pop_front()
    }

    fn decode(&mut self) {
        if let Some(begin) = self.text.find(PASTE_BEGINS) {
            let Some(length) = self.text[begin..].find(PASTE_ENDS) else {
                self.decode_typed(begin);
                return;
            };
            self.decode_typed(begin);
            let pasted: String = self.text.drain(..length + PASTE_ENDS.len()).collect();
            self.keys.push_back(Key::Paste(pasted.replace(PASTE_BEGINS, "").replace(PASTE_ENDS, "")));
            return;
        }
        let line = self.text.trim_end_matches(['\r', '\n']);
        if line.contains(['\r', '\n']) && !line.contains('\u{1b}') {
            self.keys.push_back(Key::Paste(line.to_owned()));
            self.text.clear();
            return;
        }
        self.decode_typed(self.text.len());
    }

    fn decode_typed(&mut self, end: usize) {
        let typed: String = self.text.drain(..end).collect();
        let mut chars = typed.chars().peekable();
        while let Some(c) = chars.next() {
            let key = match c {
                '\r' | '\n' => Key::Enter,
                '\u{3}' => Key::Interrupt,
                '\u{4}' => Key::End,
                '\u{8}' | '\u{7f}' => Key::Backspace,
                '\u{1}' => Key::LineStart,
                '\u{5}' => Key::LineEnd,
                '\u{15}' => Key::Clear,
                '\u{1b}' => match chars.next_if(|c| matches!(c, '[' | 'O')) {
                    Some(_) => match chars.find(|c| ('@'..='~').contains(c)) {
                        Some(arrow @ 'A'..='D') => Key::Arrow(arrow),
                        Some('H') => Key::LineStart,
                        Some('F') => Key::LineEnd,
                        _ => continue,
                    },
                    None => Key::Escape,
                },
                c if c.is_control() => continue,
                c => Key::Char(c),
            };
            self.keys.push_back(key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(typed: &[&[u8]]) -> Vec<Key> {
        let mut keys = Keys::default();
        typed.iter().for_each(|bytes| keys.reader(bytes));
        std::iter::from_fn(|| keys.next()).collect()
    }

    #[test]
    fn keys_are_told_apart() {
        let typed = keys(&[b"a\x1b[B\x1bOA\x1b[3~\x7f \x04\x03\x1b"]);
        let arrows = [Key::Arrow('B'), Key::Arrow('A')];
        let rest = [Key::Backspace, Key::Char(' '), Key::End, Key::Interrupt, Key::Escape];
        assert_eq!(typed, [&[Key::Char('a')][..], &arrows, &rest].concat());
        assert_eq!(
            keys(&[b"\x01\x05\x15\x1b[H\x1bOF"]),
            [Key::LineStart, Key::LineEnd, Key::Clear, Key::LineStart, Key::LineEnd]
        );
        assert_eq!(keys(&[b"ok\r"]), [Key::Char('o'), Key::Char('k'), Key::Enter]);
    }

    #[test]
    fn a_paste_is_one_key_even_where_the_terminal_does_not_mark_it() {
        let pasted = |text: &str| vec![Key::Paste(text.into())];
        assert_eq!(keys(&[b"\x1b[200~one\ntwo\n\x1b[201~"]), pasted("one\ntwo\n"));
        assert_eq!(keys(&[b"\x1b[200~one", b"\ntwo\x1b[201~"]), pasted("one\ntwo"));
        assert_eq!(keys(&[b"one\ntwo\nthree\n"]), pasted("one\ntwo\nthree"));
        assert_eq!(keys(&[b"\x1b[200~one\n"]), []);
    }

    #[test]
    fn a_character_may_come_in_pieces_and_stray_bytes_are_dropped() {
        assert_eq!(keys(&[b"\xc3", b"\xa9"]), [Key::Char('é')]);
        assert_eq!(keys(&[b"\xff\xfea\xc3("]), [Key::Char('a'), Key::Char('(')]);
    }
}
