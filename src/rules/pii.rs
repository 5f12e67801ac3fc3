//! Finds personal data and private addresses (T0-HEFESTO-11.pii, .private-url). Check digits decide if there are any.

mod address;
mod number;

use std::ops::Range;

use super::window::ahead;

pub(super) use address::scan as private_addresses;

/// Personal data or a private address found in a text, by its place; the value itself is not kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Personal {
    pub(super) span: Range<usize>,
    /// What it is, in words, with its article.
    pub(super) title: &'static str,
    /// Whether it is only a warning: an author's e-mail address, or a host name that may be an example.
    pub(super) minor: bool,
}

/// Local parts and domains that belong to no person.
const NOBODY: &[&str] = &[
    "you", "your", "user", "name", "email", "me", "foo", "bar", "john", "jane", "john.doe", "jane.doe", "test",
    "example", "admin", "noreply", "no-reply", "someone", "git", "support", "info", "hello", "contact", "security",
    "sales", "alice", "bob",
];

/// Every piece of personal data in a text.
pub(super) fn scan(text: &str) -> Vec<Personal> {
    let mut found = number::scan(text);
    found.extend(memchr::memchr_iter(b'@', text.as_bytes()).filter_map(|at| email(text, at)));
    found.sort_by_key(|one| one.span.start);
    found
}

fn email(text: &str, at: usize) -> Option<Personal> {
    let bytes = text.as_bytes();
    let in_local = |b: &&u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'%' | b'+' | b'-');
    let length = bytes.get(..at)?.iter().rev().take(100).take_while(in_local).count();
    let local_start = at - length;
    let local = text.get(local_start..at).filter(|local| local.len() > 1)?;
    let rest = ahead(text, at + 1, 260).as_bytes();
    let length = rest.iter().take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-')).count();
    let domain = text.get(at + 1..at + 1 + length)?.trim_end_matches(['.', '-']);
    let (host, tld) = domain.rsplit_once('.')?;
    let follows = rest.get(domain.len()).copied();
    let shape = tld.len() >= 2
        && tld.bytes().all(|b| b.is_ascii_alphabetic())
        && !host.is_empty()
        && !matches!(follows, Some(b':' | b'/' | b'('))
        && !["md", "py", "js", "ts", "json", "sh", "rs", "yml", "yaml", "txt"].contains(&tld);
    let in_url = || {
        let before = local_start.checked_sub(1).and_then(|before| bytes.get(before));
        matches!(before, Some(b':' | b'/' | b'@' | b'{' | b'$' | b'<')) && follows != Some(b'>')
    };
    let span = local_start..at + 1 + domain.len();
    (shape && !in_url() && !is_nobodys(local, domain, tld)).then_some(Personal {
        span,
        title: "an e-mail address",
        minor: true,
    })
}

/// Whether an address is an example from documentation.
fn is_nobodys(local: &str, domain: &str, tld: &str) -> bool {
    let lower = domain.to_ascii_lowercase();
    NOBODY.iter().any(|name| local.eq_ignore_ascii_case(name))
        || ["example", "test", "invalid", "localhost", "local", "internal"].contains(&tld)
        || ["example.", "domain.", "company.", "yourcompany.", "email.com", "test.com", "acme.", "noreply.github.com"]
            .iter()
            .any(|part| lower.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_and_a_decorator_are_no_address() {
        for text in ["@scope/name", "x@y.py"] {
            assert_eq!(scan(text), [], "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_text_panics(text in "\\PC{0,80}", odd in "(@|://|[0-9.:/-]{1,6}|é|a|IBAN |\\\\){0,30}") {
            let _ = scan(&text);
            let _ = scan(&odd);
            let _ = private_addresses(&odd, &super::super::signals::of(&odd), usize::MAX);
        }
    }
}
