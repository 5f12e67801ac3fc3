//! Finds personal data and private addresses (T0-HEFESTO-11.pii, .private-url). Check digits decide where there are any.

mod address;
mod number;

use std::ops::Range;

use super::window::{ahead, behind};

pub(super) use address::scan as private_addresses;

/// Personal data found in a text. It holds no more of it than its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Personal {
    /// Where it stands, in bytes.
    pub(super) span: Range<usize>,
    /// What it is, in words, with its article.
    pub(super) title: &'static str,
    /// Whether it only deserves a look: authors sign their skills with an e-mail address.
    pub(super) minor: bool,
}

/// Local parts and domains that belong to nobody.
const NOBODY: &[&str] = &[
    "you", "your", "user", "name", "email", "me", "foo", "bar", "john", "jane", "john.doe", "jane.doe", "test",
    "example", "admin", "noreply", "no-reply", "someone", "git", "support", "info", "hello", "contact", "security",
    "sales", "alice", "bob",
];

/// Every piece of personal data in a text.
pub(super) fn scan(text: &str) -> Vec<Personal> {
    let mut found = number::scan(text);
    found.extend(emails(text));
    found.sort_by_key(|one| one.span.start);
    found
}

fn emails(text: &str) -> Vec<Personal> {
    memchr::memchr_iter(b'@', text.as_bytes()).filter_map(|at| email(text, at)).collect()
}

fn email(text: &str, at: usize) -> Option<Personal> {
    let before = behind(text, at, 100);
    let local_start = before
        .char_indices()
        .rev()
        .take_while(|(_, c)| c.is_ascii_alphanumeric() || "._%+-".contains(*c))
        .last()
        .map(|(start, _)| at - before.len() + start)?;
    let rest = ahead(text, at + 1, 260);
    let length = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '.' || c == '-')).unwrap_or(rest.len());
    let domain = rest.get(..length)?.trim_end_matches(['.', '-']);
    let local = text.get(local_start..at)?;
    let (host, tld) = domain.rsplit_once('.')?;
    let follows = rest.get(domain.len()..)?.bytes().next();
    let in_url = text.get(..local_start)?.ends_with([':', '/', '@', '{', '$', '<']) && follows != Some(b'>');
    let lower = domain.to_ascii_lowercase();
    let nobody = local.len() == 1
        || NOBODY.contains(&local.to_ascii_lowercase().as_str())
        || ["example", "test", "invalid", "localhost", "local", "internal"].contains(&tld)
        || ["example.", "domain.", "company.", "yourcompany.", "email.com", "test.com", "acme.", "noreply.github.com"]
            .iter()
            .any(|part| lower.contains(part));
    let shape = tld.len() >= 2
        && tld.bytes().all(|b| b.is_ascii_alphabetic())
        && !host.is_empty()
        && !matches!(follows, Some(b':' | b'/' | b'('))
        && !["md", "py", "js", "ts", "json", "sh", "rs", "yml", "yaml", "txt"].contains(&tld);
    (shape && !in_url && !nobody).then(|| Personal {
        span: local_start..at + 1 + domain.len(),
        title: "an e-mail address",
        minor: true,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn titles(text: &str) -> Vec<&'static str> {
        scan(text).into_iter().map(|one| one.title).collect()
    }

    #[test]
    fn a_persons_address_is_seen_and_nobodys_is_not() {
        let address = ["maria.silva", "@", "uol.com.br"].concat();
        assert_eq!(titles(&format!("Author: {address}.")), ["an e-mail address"]);
        for text in [
            "ana@example.com",
            "git@github.com:a/b.git",
            "actions/checkout@v4",
            "npx pkg@1.2.3",
            "user@host.com",
            "@scope/name",
            "x@y.py",
        ] {
            assert_eq!(titles(text), Vec::<&str>::new(), "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_text_panics(text in "\\PC{0,80}", odd in "(@|://|[0-9.:/-]{1,6}|é|a|IBAN |\\\\){0,30}") {
            let _ = scan(&text);
            let _ = scan(&odd);
            let _ = private_addresses(&odd, &super::super::signals::of(&odd));
        }
    }
}
