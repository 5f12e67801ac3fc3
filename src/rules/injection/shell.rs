//! A line as a shell would read it, roughly: commands, what is piped into what, words.
//!
//! Quotes are not followed: prose is full of apostrophes, and a cut too many hides no command.

/// A piece of a line and where in it the piece begins, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Piece<'l> {
    pub(super) at: usize,
    pub(super) text: &'l str,
}

/// What stands before a command and is none.
const LEADS: &[&str] =
    &["sudo", "then", "do", "run", "execute", "exec", "nohup", "command", "time", "{", "(", "$", ">", "-", "*"];

/// The pipelines of a line, each as its commands: cut at `;`, `&&`, `||` and `)`, then at `|`. A row of a table has none.
pub(super) fn pipelines(line: &str) -> Vec<Vec<Piece<'_>>> {
    let mut all = Vec::new();
    let mut one = Vec::new();
    let mut from = 0;
    if line.trim_start().starts_with('|') {
        return all;
    }
    let bytes = line.as_bytes();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let doubled = bytes.get(at + 1) == Some(byte);
        // `\;` ends what find runs, not the command.
        let kept = *byte == b';' && at.checked_sub(1).and_then(|before| bytes.get(before)) == Some(&b'\\');
        let ends = !kept && matches!(byte, b';' | b')') || matches!(byte, b'&' | b'|') && doubled;
        if ends || *byte == b'|' {
            one.extend(line.get(from..at).map(|text| Piece { at: from, text }));
            at += usize::from(ends && doubled);
            from = at + 1;
        }
        if ends {
            all.push(std::mem::take(&mut one));
        }
        at += 1;
    }
    one.extend(line.get(from..).map(|text| Piece { at: from, text }));
    all.push(one);
    all
}

/// The words of a command, without quotes, brackets and the signs that join a flag or a field to its value.
pub(super) fn words(text: &str) -> impl Iterator<Item = Piece<'_>> {
    let parts = |c: char| {
        c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '(' | ')' | '@' | '=' | '<' | '>' | ',' | ';' | '|')
    };
    let start = text.as_ptr().addr();
    text.split(parts)
        .filter(|word| !word.is_empty())
        .map(move |word| Piece { at: word.as_ptr().addr() - start, text: word })
}

/// The word a command begins with, behind list marks, prompts and `sudo`.
pub(super) fn command(text: &str) -> Option<&str> {
    words(text)
        .map(|word| word.text)
        .find(|word| {
            let mark = word.ends_with([':', '.']) || word.bytes().all(|b| !b.is_ascii_alphanumeric());
            !mark && !LEADS.contains(word)
        })
        .map(|word| word.rsplit('/').next().unwrap_or(word))
}

/// A line without the quotes and backslashes that split a word for a reader and not for a shell: `cu'r'l`.
pub(super) fn joined(line: &str) -> Option<String> {
    let bytes = line.as_bytes();
    let letter = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_alphabetic);
    let sign = |at: usize| bytes.get(at).is_some_and(|b| matches!(b, b'\'' | b'"' | b'\\'));
    // One sign or a pair of them, no more: a line of quotes is looked at once.
    let splits = |at: usize| {
        let before = at >= 1 && (letter(at - 1) || at >= 2 && sign(at - 1) && letter(at - 2));
        let after = letter(at + 1) || sign(at + 1) && letter(at + 2);
        sign(at) && before && after
    };
    memchr::memchr3_iter(b'\'', b'"', b'\\', bytes)
        .any(splits)
        .then(|| line.char_indices().filter(|(at, _)| !splits(*at)).map(|(_, c)| c).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_cut_as_a_shell_cuts_it() {
        let cut: Vec<Vec<&str>> = pipelines("a b | c; d && e | f || g")
            .into_iter()
            .map(|line| line.into_iter().map(|piece| piece.text.trim()).collect())
            .collect();
        assert_eq!(cut, [vec!["a b", "c"], vec!["d"], vec!["e", "f"], vec!["g"]]);
        assert_eq!(pipelines("| a | b |"), Vec::<Vec<Piece<'_>>>::new());
        assert_eq!(pipelines("x | y")[0][1], Piece { at: 3, text: " y" });
    }

    #[test]
    fn a_command_is_its_first_word() {
        for text in ["cat x", " 1. `cat x", "- run: cat x", "$ sudo /bin/cat x"] {
            assert_eq!(command(text), Some("cat"), "{text}");
        }
        let found: Vec<&str> = words("-f \"file=@~/.x\"").map(|word| word.text).collect();
        assert_eq!(found, ["-f", "file", "~/.x"]);
    }

    #[test]
    fn split_words_are_joined() {
        assert_eq!(joined("x | cu'r'l -s").as_deref(), Some("x | curl -s"));
        assert_eq!(joined("cur\\l and wg''et").as_deref(), Some("curl and wget"));
        assert_eq!(joined("echo 'x' \"y\" a\\ b"), None);
    }
}
