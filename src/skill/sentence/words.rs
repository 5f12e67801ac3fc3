//! Splits a text into sentences and words with normalised spelling.

use super::language::Language;
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

/// Replaces every run of white space by one space and drops control characters. A line that begins a sentence or an
/// item of a list ends what stands before it.
pub(crate) fn one_line(text: &str) -> String {
    let visible = text.replace(|c: char| c.is_control() && !c.is_whitespace(), "");
    let (mut joined, mut listed) = (String::new(), false);
    for line in visible.trim().lines() {
        let words = line.split_whitespace().collect::<Vec<_>>().join(" ");
        let item =
            words.strip_prefix("- ").or_else(|| words.strip_prefix("* ")).filter(|_| visible.trim().contains('\n'));
        let text = item.unwrap_or(&words);
        if joined.ends_with(|c: char| c.is_alphanumeric() || matches!(c, ')' | '`' | '"')) && !text.is_empty() {
            match item {
                Some(_) if listed => joined.push(','),
                Some(_) => joined.push(':'),
                None if listed || begins_sentence(text) => joined.push('.'),
                None => {}
            }
        }
        if !joined.is_empty() && !text.is_empty() {
            joined.push(' ');
        }
        joined.push_str(text);
        listed = item.is_some() || listed && text.is_empty();
    }
    joined
}

/// Whether a line begins with a capital and a verb or a word that begins a rule; other capitals may be names.
fn begins_sentence(line: &str) -> bool {
    let first = words(line.split(' ').next().unwrap_or_default());
    let known = |language: Language| {
        let lexicon = language.lexicon();
        lexicon.is("begins", &first, 0) || first.first().is_some_and(|word| lexicon.verb(word.key()).is_some())
    };
    line.starts_with(char::is_uppercase) && Language::ALL.into_iter().any(known)
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
    let (mut found, mut depth, mut begin) = (Vec::new(), 0_usize, None);
    // Inside of code a colon or a comma separates nothing: "`# type: ignore`".
    let mut code = false;
    for (i, c) in sentence.char_indices().chain([(sentence.len(), ' ')]) {
        let dash = matches!(c, '\u{2014}' | '\u{2013}');
        if !(dash || c.is_whitespace() || matches!(c, '(' | ')' | '[' | ']' | '/' | '|' | '"')) {
            begin = begin.or(Some(i));
            continue;
        }
        if let Some(start) = begin.take().filter(|_| depth == 0) {
            let raw = sentence.get(start..i).unwrap_or_default();
            code ^= raw.matches('`').count() % 2 == 1;
            push(&mut found, raw, start, code);
        }
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            // A dash used as a comma.
            _ if dash => close(&mut found),
            _ => {}
        }
    }
    found
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
    let folded = raw.is_ascii() && !raw.contains('\'');
    let spelled = if folded { raw.to_ascii_lowercase() } else { fold(raw).to_ascii_lowercase() };
    let bare = spelled.trim_matches([',', ';', ':', '!', '?', '`', '*', '<', '>']).trim_end_matches('.');
    match bare {
        "c++" => return vec!["cpp".to_owned()],
        "c#" => return vec!["csharp".to_owned()],
        "f#" => return vec!["fsharp".to_owned()],
        ".net" => return vec!["dotnet".to_owned()],
        _ => {}
    }
    let joined = if bare.contains('.') { &bare.replace(".js", "js").replace(".x", "x") } else { bare };
    let parts = joined.split(|c: char| !c.is_ascii_alphanumeric()).filter(|part| !part.is_empty());
    parts.map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_lose_punctuation_and_asides() {
        for (text, keys) in [
            ("Applies Chain-of-Thought (CoT) for CI/CD,", "applies chain-of-thought for ci cd"),
            ("C++ & C# interop", "cpp csharp interop"),
            ("Kotlin 1.x e Node.js", "kotlin 1x e nodejs"),
            ("!!! -- 日本語", ""),
            ("Forge ℠ ☎", "forge"),
        ] {
            assert_eq!(words(text).iter().map(Word::key).collect::<Vec<_>>().join(" "), keys);
        }
    }

    #[test]
    fn lines_that_begin_a_sentence_or_an_item_end_what_stands_before() {
        for (text, line) in [
            (
                "Review pull requests\nCheck the tests\nNever merge",
                "Review pull requests. Check the tests. Never merge",
            ),
            ("Summarise the open\nGitHub issues of\nthe week", "Summarise the open GitHub issues of the week"),
            (
                "Convert files:\n\n- CSV to JSON\n- XML to JSON\n\nKeep the order",
                "Convert files: CSV to JSON, XML to JSON. Keep the order",
            ),
            ("Review\t pull \u{7}requests.\r\nReport", "Review pull requests. Report"),
            ("- x", "- x"),
        ] {
            assert_eq!(one_line(text), line);
            assert_eq!(one_line(line), line);
        }
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
