//! Splits a text into sentences and words with normalised spelling.

use crate::skill::name::fold;

/// One word of a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Word {
    /// As written, without surrounding punctuation.
    pub(crate) text: String,
    /// Lowercase ASCII parts: `snake_case` is `snake`, `case`. Never empty.
    pub(crate) parts: Vec<String>,
    /// The normalised spelling: its parts joined by hyphens.
    key: String,
    /// Where it begins in the sentence, in bytes.
    pub(crate) start: usize,
    /// Where it ends in the sentence, punctuation included, in bytes.
    pub(crate) end: usize,
    /// Whether a comma, colon, dash or the like follows.
    pub(crate) closes: bool,
}

impl Word {
    /// The normalised spelling: its parts joined by hyphens.
    pub(crate) fn key(&self) -> &str {
        &self.key
    }
}

/// Replaces every run of white space (line ends included) by one space; drops control characters.
pub(crate) fn one_line(text: &str) -> String {
    let visible = text.replace(|c: char| c.is_control() && !c.is_whitespace(), "");
    visible.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The sentences of a one-line text, each with its final mark, in order; nothing but the spaces between is lost.
pub(crate) fn sentences(text: &str) -> Vec<&str> {
    const SHORT: &[&str] =
        &["e.g.", "i.e.", "etc.", "vs.", "cf.", "approx.", "ex.", "p.ex.", "no.", "dr.", "mr.", "ms."];
    let mut found = Vec::new();
    let mut start = 0;
    for (i, _) in text.match_indices(' ') {
        let before = text.get(start..i).unwrap_or_default();
        let last = before.rsplit(' ').next().unwrap_or_default().trim_start_matches(['(', '"']).to_lowercase();
        let bare = before.trim_end_matches(['"', '\'', ')', '\u{201d}']);
        let ends = bare.ends_with(['.', '!', '?', '\u{2026}']) && !SHORT.contains(&last.as_str());
        if ends {
            found.push(before);
            start = i + 1;
        }
    }
    found.push(text.get(start..).unwrap_or_default());
    found.retain(|sentence| !sentence.trim().is_empty());
    found
}

/// The words of one sentence, without parentheses.
pub(crate) fn words(sentence: &str) -> Vec<Word> {
    let mut found: Vec<Word> = Vec::new();
    // Inside of code a colon or a comma separates nothing: "`# type: ignore`".
    let mut code = false;
    written(sentence, |met| match met {
        Met::Word(raw, start) => {
            code ^= raw.matches('`').count() % 2 == 1;
            push(&mut found, raw, start, code);
        }
        Met::Dash => close(&mut found),
    });
    found
}

/// A token of a sentence.
enum Met<'s> {
    /// Text between blanks, and its offset in bytes.
    Word(&'s str, usize),
    /// A dash used as a comma.
    Dash,
}

/// Iterates over the tokens of a sentence, without parentheses.
fn written<'s>(sentence: &'s str, mut meet: impl FnMut(Met<'s>)) {
    let mut depth = 0_usize;
    let mut begin = None;
    let ends = sentence.len();
    for (i, c) in sentence.char_indices().chain([(ends, ' ')]) {
        let splits =
            c.is_whitespace() || matches!(c, '(' | ')' | '[' | ']' | '/' | '|' | '\u{2014}' | '\u{2013}' | '"');
        if !splits {
            begin = begin.or(Some(i));
            continue;
        }
        if let Some(start) = begin.take()
            && depth == 0
        {
            meet(Met::Word(sentence.get(start..i).unwrap_or_default(), start));
        }
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            '\u{2014}' | '\u{2013}' => meet(Met::Dash),
            _ => {}
        }
    }
}

/// `code`: whether code goes on behind it.
fn push(found: &mut Vec<Word>, raw: &str, start: usize, code: bool) {
    let parts = parts(raw);
    // A sign such as "℠" has an ASCII spelling, but is no word.
    if parts.is_empty() || !raw.contains(char::is_alphanumeric) {
        if !code && raw.chars().any(|c| matches!(c, '-' | ';' | ':' | ',')) {
            close(found);
        }
        return;
    }
    let kept_sign = |c: char| c.is_alphanumeric() || matches!(c, '`' | '+' | '#' | '$' | '%' | '@' | '*');
    let lead = raw.trim_start_matches(|c: char| !kept_sign(c) && c != '.');
    let text = lead.trim_end_matches(|c: char| !kept_sign(c));
    let closes = !code && raw.ends_with([',', ';', ':', '.', '!', '?']);
    let key = parts.join("-");
    found.push(Word { text: text.to_owned(), parts, key, start, end: start + raw.len(), closes });
}

fn close(found: &mut [Word]) {
    if let Some(last) = found.last_mut() {
        last.closes = true;
    }
}

/// The parts of one word, lowercase ASCII; names such as C++ are spelled out.
fn parts(raw: &str) -> Vec<String> {
    let mut found = Vec::new();
    parts_in(raw, &mut String::new(), &mut |part| found.push(part.to_owned()));
    found
}

/// Calls `each` with the parts of one word. `room` is a reusable buffer.
fn parts_in(raw: &str, room: &mut String, each: &mut impl FnMut(&str)) {
    room.clear();
    if raw.is_ascii() && !raw.contains('\'') {
        room.push_str(raw);
    } else {
        room.push_str(&fold(raw));
    }
    room.make_ascii_lowercase();
    let bare = room
        .trim_matches(|c: char| matches!(c, ',' | ';' | ':' | '!' | '?' | '`' | '*' | '<' | '>'))
        .trim_end_matches('.');
    match bare {
        "c++" => return each("cpp"),
        "c#" => return each("csharp"),
        "f#" => return each("fsharp"),
        ".net" => return each("dotnet"),
        _ => {}
    }
    let mut split = |joined: &str| {
        joined.split(|c: char| !c.is_ascii_alphanumeric()).filter(|part| !part.is_empty()).for_each(&mut *each);
    };
    if bare.contains('.') { split(&bare.replace(".js", "js").replace(".x", "x")) } else { split(bare) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(text: &str) -> Vec<String> {
        words(text).iter().map(|word| word.key().to_owned()).collect()
    }

    #[test]
    fn words_lose_punctuation_and_asides() {
        assert_eq!(
            keys("Applies Chain-of-Thought (CoT) for CI/CD,"),
            ["applies", "chain-of-thought", "for", "ci", "cd"]
        );
        assert_eq!(keys("C++ & C# interop"), ["cpp", "csharp", "interop"]);
        assert_eq!(keys("Kotlin 1.x e Node.js"), ["kotlin", "1x", "e", "nodejs"]);
        assert_eq!(keys("!!! -- 日本語"), [""; 0]);
        assert_eq!(keys("Forge ℠ ☎"), ["forge"]);
    }

    #[test]
    fn words_know_where_they_stand() {
        let found = words("Review, then `cargo fmt`");
        assert!(found[0].closes);
        assert_eq!((found[2].text.as_str(), found[2].start), ("`cargo", 13));
    }

    #[test]
    fn sentences_end_at_marks_and_not_in_abbreviations() {
        assert_eq!(
            sentences("Format v1.2 dates, e.g. today. Use it! Done"),
            ["Format v1.2 dates, e.g. today.", "Use it!", "Done"]
        );
        assert_eq!(sentences(""), [""; 0]);
    }
}
