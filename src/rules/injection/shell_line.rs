//! A line as a shell would read it, roughly: commands, what is piped into what, words.
//!
//! Quotes are ignored: prose is full of apostrophes, and splitting too often hides no command.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Piece<'l> {
    pub(super) at: usize,
    pub(super) text: &'l str,
}

/// Prefixes of a command that are not commands themselves.
const LEADS: &[&str] =
    &["sudo", "then", "do", "run", "execute", "exec", "nohup", "command", "time", "{", "(", "$", ">", "-", "*"];

#[derive(Debug, Default)]
pub(super) struct Pipelines<'l> {
    /// The commands of all pipelines, in order.
    pub(super) pieces: Vec<Piece<'l>>,
    /// The number of commands up to the end of each pipeline.
    ends: Vec<usize>,
}

impl<'l> Pipelines<'l> {
    pub(super) fn iter(&self) -> impl Iterator<Item = &[Piece<'l>]> {
        let starts = std::iter::once(&0).chain(&self.ends);
        starts.zip(&self.ends).map(|(start, end)| self.pieces.get(*start..*end).unwrap_or_default())
    }
}

/// The pipelines of a line: cut at `;`, `&&`, `||` and `)`, then at `|`. A row of a table has none.
pub(super) fn pipelines(line: &str) -> Pipelines<'_> {
    let mut all = Pipelines::default();
    if line.trim_start().starts_with('|') {
        return all;
    }
    let bytes = line.as_bytes();
    let (mut from, mut sought) = (0, 0);
    let next = |from: usize| Some(from + line.get(from..)?.find([';', ')', '&', '|'])?);
    while let Some(at) = next(sought) {
        let byte = bytes.get(at);
        let doubled = bytes.get(at + 1) == byte;
        // `\;` ends what find runs, not the command.
        let kept = byte == Some(&b';') && at.checked_sub(1).and_then(|before| bytes.get(before)) == Some(&b'\\');
        let ends = !kept && matches!(byte, Some(b';' | b')')) || matches!(byte, Some(b'&' | b'|')) && doubled;
        sought = at + 1 + usize::from(ends && doubled);
        if ends || byte == Some(&b'|') {
            all.pieces.extend(line.get(from..at).map(|text| Piece { at: from, text }));
            from = sought;
        }
        if ends {
            all.ends.push(all.pieces.len());
        }
    }
    all.pieces.extend(line.get(from..).map(|text| Piece { at: from, text }));
    all.ends.push(all.pieces.len());
    all
}

/// The words of a command, without quotes, brackets and the signs that join a flag or a field to its value.
pub(super) fn words(text: &str) -> impl Iterator<Item = Piece<'_>> {
    let ends = |c: char| c.is_whitespace() || "\"'`()@=<>,;|".contains(c);
    let mut from = 0;
    std::iter::from_fn(move || {
        let at = from + text.get(from..)?.find(|c| !ends(c))?;
        from = text.get(at..)?.find(ends).map_or(text.len(), |length| at + length);
        Some(Piece { at, text: text.get(at..from)? })
    })
}

/// The first word of a command, after list marks, prompts and `sudo`.
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
    // At most two quotes, so that a line of quotes is examined only once.
    let splits = |at: usize| {
        let before = || at >= 1 && (letter(at - 1) || at >= 2 && sign(at - 1) && letter(at - 2));
        let after = || letter(at + 1) || sign(at + 1) && letter(at + 2);
        sign(at) && before() && after()
    };
    (0..bytes.len()).any(splits).then(|| line.char_indices().filter(|(at, _)| !splits(*at)).map(|(_, c)| c).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_cut_as_a_shell_cuts_it() {
        let cut = |line| -> Vec<Vec<String>> {
            let trimmed = |piece: &Piece<'_>| piece.text.trim().to_owned();
            pipelines(line).iter().map(|one| one.iter().map(trimmed).collect()).collect()
        };
        assert_eq!(cut("a b | c; d && e | f || g"), [vec!["a b", "c"], vec!["d"], vec!["e", "f"], vec!["g"]]);
        assert_eq!(cut("a & b ) c;;; d &&& e"), [vec!["a & b"], vec!["c"], vec![""], vec!["d"], vec!["& e"]]);
        assert_eq!(cut("| a | b |"), Vec::<Vec<String>>::new());
        assert_eq!(pipelines("x | y").pieces.last(), Some(&Piece { at: 3, text: " y" }));
    }

    #[test]
    fn a_command_is_its_first_word() {
        for text in ["cat x", " 1. `cat x", "- run: cat x", "$ sudo /bin/cat x"] {
            assert_eq!(command(text), Some("cat"), "{text}");
        }
        let found: Vec<&str> = words("-f \"file=@~/.x\"").map(|word| word.text).collect();
        assert_eq!(found, ["-f", "file", "~/.x"]);
        let found: Vec<usize> = words("\u{e9}\u{a0}a\u{3000} b\u{85}\u{2014}").map(|word| word.at).collect();
        assert_eq!(found, [0, 4, 9, 12], "white space of any script");
    }

    #[test]
    fn split_words_are_joined() {
        assert_eq!(joined("x | cu'r'l -s").as_deref(), Some("x | curl -s"));
        assert_eq!(joined("cur\\l and wg''et").as_deref(), Some("curl and wget"));
        assert_eq!(joined("echo 'x' \"y\" a\\ b"), None);
    }
}
