//! Concepts: known technical terms, hashtags, and recurring phrases.

use std::collections::HashMap;

use crate::skill::sentence::{empty, english};

/// Abbreviations and names in their canonical spelling.
#[rustfmt::skip]
const TERMS: &[&str] = &[
    "ACID", "API", "AST", "BDD", "CDN", "CI", "CI/CD", "CLI", "CORS", "CQRS", "CRUD", "CSRF", "CSV", "CoALA", "DAG",
    "DDD", "DNS", "DRY", "ETL", "FIFO", "FTS5", "GraphQL", "HTTP", "HTTPS", "JSON", "JWT", "KISS", "LIFO", "LLM",
    "LRU", "LTM", "MCP", "MVC", "MVP", "MVVM", "OAuth", "OODA", "ORM", "RAG", "RBAC", "REST", "RPC", "SDK", "SLA",
    "SLO", "SOLID", "SQL", "SSH", "SSO", "STM", "TCP", "TDD", "TLS", "TTL", "UDP", "UML", "UTF-8", "UUID", "WAL",
    "WASM", "WebAssembly", "WebSocket", "XML", "XSS", "YAGNI", "YAML", "gRPC",
];
/// Lowercase terms, matched in any case.
#[rustfmt::skip]
const PHRASES: &[&str] = &[
    "backpressure", "code coverage", "code review", "continuous delivery", "continuous integration", "deadlock",
    "dependency injection", "design pattern", "domain-driven design", "event sourcing", "eventual consistency",
    "feature flag", "full-text search", "functional programming", "garbage collection", "idempotency",
    "integration test", "integration tests", "knowledge graph", "load balancing", "machine learning", "memoization",
    "message queue", "microservices", "mutex", "object-oriented programming", "pair programming", "polymorphism",
    "property-based testing", "race condition", "rate limiting", "regular expression", "regular expressions",
    "semantic versioning", "separation of concerns", "service discovery", "single responsibility", "technical debt",
    "test-driven development", "type inference", "unit test", "unit testing", "unit tests", "version control",
    "working memory",
];
/// Minimum occurrences of a phrase in a conversation to count as a concept.
const RETURNS: usize = 3;
const MOST: usize = 10;
/// Minimum number of letters of a word in a phrase.
const LETTERS: usize = 4;

/// The known term in its canonical spelling.
pub(super) fn term(word: &str) -> Option<&'static str> {
    if let Ok(at) = TERMS.binary_search(&word) {
        return TERMS.get(at).copied();
    }
    phrase(&word.to_lowercase())
}

fn phrase(lower: &str) -> Option<&'static str> {
    PHRASES.binary_search(&lower).ok().and_then(|at| PHRASES.get(at)).copied()
}

/// The known terms of a line's words, in order. Abbreviations match only in their exact spelling.
pub(super) fn known(words: &[&str]) -> Vec<&'static str> {
    let mut found = Vec::new();
    for at in 0..words.len() {
        let mut run = String::new();
        for (length, word) in words.iter().skip(at).take(3).enumerate() {
            if word.is_empty() {
                break;
            }
            if length == 0 {
                found.extend(term(word));
            } else {
                run.push(' ');
            }
            run.push_str(&word.to_lowercase());
            if length > 0 {
                found.extend(phrase(&run));
            }
        }
    }
    found
}

/// The tag of `#tag`, lowercase: a letter first, at least two characters, not a colour such as `#fff`.
pub(super) fn hashtag(written: &str) -> Option<String> {
    let tag = super::shape::bare(written).strip_prefix('#')?;
    let fits = tag.starts_with(|c: char| c.is_alphabetic())
        && tag.chars().count() > 1
        && tag.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-');
    let colour = matches!(tag.len(), 3 | 4 | 6 | 8) && tag.bytes().all(|byte| byte.is_ascii_hexdigit());
    (fits && !colour).then(|| tag.to_lowercase())
}

/// Phrases of two words that occur at least three times in these texts, most frequent first, then in
/// alphabetical order. Short words, function words and plain verbs do not count.
pub(super) fn returning(texts: &[&str]) -> Vec<String> {
    let mut counted: HashMap<(&str, &str), usize> = HashMap::new();
    let lower: Vec<String> = texts.iter().map(|text| text.to_lowercase()).collect();
    for line in lower.iter().flat_map(|text| outside_of_blocks(text)) {
        let mut before: Option<&str> = None;
        for written in line.split_whitespace() {
            let word = written.trim_matches(['.', ',', ';', ':', '!', '?']);
            let fits = word.len() >= LETTERS && word.chars().all(char::is_alphabetic);
            let (opens, closes) = (written.starts_with(word), !written.ends_with(word));
            if let (Some(one), true, true) = (before.take(), fits, opens) {
                *counted.entry((one, word)).or_default() += 1;
            }
            before = (fits && !closes).then_some(word);
        }
    }
    let often = counted.into_iter().filter(|(_, count)| *count >= RETURNS);
    let mut often: Vec<(String, usize)> = often
        .filter(|((one, other), _)| subject(one) && subject(other))
        .map(|((one, other), count)| (format!("{one} {other}"), count))
        .filter(|(both, _)| phrase(both).is_none())
        .collect();
    often.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    often.into_iter().take(MOST).map(|(both, _)| both).collect()
}

fn outside_of_blocks(text: &str) -> impl Iterator<Item = &str> {
    let mut fenced = false;
    text.lines().filter(move |line| {
        let fence = line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~");
        fenced ^= fence;
        !fenced && !fence
    })
}

/// Whether a lowercase word can be part of a phrase.
fn subject(word: &str) -> bool {
    let plain_verb = english(word).is_some_and(|verb| !verb.noun);
    word.chars().count() >= LETTERS && !plain_verb && !empty(&crate::skill::name::fold(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_in_order() {
        assert!(TERMS.is_sorted() && PHRASES.is_sorted());
    }
}
