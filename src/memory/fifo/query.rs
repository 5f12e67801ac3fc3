//! A search query: its terms, and how the indexes are queried.

use super::excerpt::excerpt;

const MAX_TERMS: usize = 32;
/// Minimum length of a term for the trigram index.
const TRIGRAM: usize = 3;

/// A search query: every term must match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    pub terms: Vec<Term>,
}

/// One term: a word, or words between double quotes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term(String);

impl Query {
    /// Splits a query at white space, except between double quotes. No other character is special.
    /// `None` when nothing is left, or there are more than 32 terms.
    pub fn of(typed: &str) -> Option<Self> {
        let typed: String = typed.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let quoted = typed.matches('"').count() >= 2;
        let mut terms: Vec<Term> = Vec::new();
        let mut add = |text: &str| {
            let term = Term(text.to_owned());
            if !text.is_empty() && !terms.contains(&term) {
                terms.push(term);
            }
        };
        for (at, part) in typed.split('"').enumerate() {
            if !quoted {
                break;
            }
            if at % 2 == 1 {
                add(&part.split_whitespace().collect::<Vec<_>>().join(" "));
            } else {
                part.split_whitespace().for_each(&mut add);
            }
        }
        if !quoted {
            typed.split_whitespace().for_each(&mut add);
        }
        (1..=MAX_TERMS).contains(&terms.len()).then_some(Self { terms })
    }

    /// What of a text is shown for this query; `None` if it contains no term.
    pub fn excerpt(&self, text: &str) -> Option<String> {
        let words: Vec<&str> = self.terms.iter().map(|term| term.0.as_str()).collect();
        excerpt(text, &words, "…")
    }
}

impl Term {
    /// A quoted phrase for the full-text index, without operators.
    pub fn phrase(&self) -> String {
        format!("\"{}\"", self.0.replace('"', "\"\""))
    }

    pub fn is_long(&self) -> bool {
        self.0.chars().count() >= TRIGRAM
    }

    pub fn is_plain(&self) -> bool {
        self.0.chars().all(|c| c.is_alphanumeric() || c == ' ')
    }

    /// As a pattern for `LIKE … ESCAPE '\'` in which no character is a wildcard.
    pub fn like(&self) -> String {
        let escaped = self.0.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_");
        format!("%{escaped}%")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(typed: &str) -> Vec<String> {
        Query::of(typed).map(|query| query.terms.iter().map(|term| term.0.clone()).collect()).unwrap_or_default()
    }

    #[test]
    fn words_are_terms_quotes_hold_them_together_and_nothing_typed_is_an_operator() {
        assert_eq!(terms("  TDD enforcement TDD "), ["TDD", "enforcement"]);
        assert_eq!(terms("fix \"null  pointer\" now"), ["fix", "null pointer", "now"]);
        assert_eq!(terms("5\" pipe"), ["5\"", "pipe"]);
        assert_eq!(terms("a\0b"), ["a", "b"]);
        assert!(Query::of(" \t\"\" ").is_none() && Query::of("x").is_some());
        let many: String = (0..40).map(|n| format!("w{n} ")).collect();
        assert!(Query::of(&many).is_none());
        let term = |text: &str| Query::of(text).unwrap().terms[0].clone();
        assert_eq!(term("50%_\\").like(), "%50\\%\\_\\\\%");
        assert_eq!(term("say\"").phrase(), "\"say\"\"\"");
        assert!(!term("ab").is_long() && term("äöü").is_long());
    }
}
