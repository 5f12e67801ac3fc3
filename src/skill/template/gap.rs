//! Gaps: `[FILL IN: …]` where only the author can supply the text.

/// How a gap begins; it ends with `]` on the same line.
const OPEN: &str = "[FILL IN: ";

pub fn gaps(text: &str) -> usize {
    questions(text).len()
}

/// The line of the first gap, from 1.
pub fn first_gap_line(text: &str) -> Option<usize> {
    text.lines().position(|line| gaps(line) > 0).map(|at| at + 1)
}

/// The text without its gaps; line numbers do not change.
pub fn without_gaps(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let mut rest = line;
        while let Some((before, (_, behind))) =
            rest.split_once(OPEN).and_then(|(before, gap)| Some((before, gap.split_once(']')?)))
        {
            out.push_str(before);
            rest = behind;
        }
        out.push_str(rest);
    }
    out
}

/// The questions the gaps of a text ask, in order.
pub fn questions(text: &str) -> Vec<&str> {
    let gaps = text.match_indices(OPEN).filter_map(|(at, _)| text.get(at + OPEN.len()..));
    gaps.filter_map(|rest| rest.lines().next()?.split_once(']').map(|(question, _)| question)).collect()
}

/// The gap for a question, or nothing when the person's own text mentions one of the subjects (comma separated).
pub(super) fn gap(question: &str, subjects: &str, own: &str) -> String {
    let own = own.to_lowercase();
    let answered = subjects.split(',').any(|subject| speaks_of(&own, subject));
    if answered { String::new() } else { format!("{OPEN}{question}]") }
}

/// Whether a word of the text begins with the subject; punctuation counts anywhere.
fn speaks_of(text: &str, subject: &str) -> bool {
    let word = subject.starts_with(char::is_alphanumeric);
    text.match_indices(subject).any(|(at, _)| {
        let before = text.get(..at).and_then(|text| text.chars().next_back());
        !word || !before.is_some_and(char::is_alphanumeric)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_counted_where_they_are_closed_and_ask_their_questions() {
        let text = "a\n[FILL IN: why?]\n- [FILL IN: how?] and [FILL IN: when?]\n[FILL IN: open";
        assert_eq!((gaps(text), questions(text)), (3, vec!["why?", "how?", "when?"]));
    }

    #[test]
    fn own_text_answers_a_gap() {
        for (own, text) in [("", "[FILL IN: Which?]"), ("Follow RFC 5322.", ""), ("Overruled.", "[FILL IN: Which?]")] {
            assert_eq!(gap("Which?", "rule,rfc", own), text);
        }
    }
}
