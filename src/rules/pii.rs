//! Finds personal data and private addresses (T0-HEFESTO-11.pii, .private-url). Check digits decide if there are any.

mod number;

use std::net::IpAddr;
use std::ops::Range;

use crate::rules::{Cause, Signal, ahead, before_end, behind};

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

/// Domain suffixes that are not in the public DNS.
const PRIVATE_ENDINGS: &[&str] = &[".internal", ".corp", ".local", ".lan", ".intranet", ".home.arpa", ".private"];
/// Names with such an ending that are the same on every machine.
const KNOWN_NAMES: &[&str] = &["host.docker.internal", "gateway.docker.internal", "kubernetes.docker.internal"];
/// Common names of services in container set-ups and documentation.
const SERVICE_NAMES: &[&str] = &[
    "localhost", "db", "redis", "postgres", "mysql", "mongo", "mongodb", "kafka", "rabbitmq", "nginx", "api", "app",
    "web", "backend", "frontend", "server", "host", "hostname", "proxy", "ollama", "minio", "elasticsearch",
    "prometheus", "grafana", "jaeger", "otel-collector", "service", "domain", "example", "cluster", "broker",
    "broker1", "broker2", "worker", "cache", "auth", "url", "site", "website", "yoursite",
];

const LONGEST: usize = 300;
/// How much text before its `://` is checked, in bytes.
const LONGEST_SCHEME: usize = 24;

/// The private addresses in a text, hosts of URLs and shares; the search ends after `most` that are not minor.
pub(super) fn private_addresses(text: &str, signals: &[Signal], most: usize) -> Vec<Personal> {
    let look = |signal: &Signal| match signal.cause {
        Cause::Scheme => url(text, signal.at),
        Cause::Share => share(text, signal.at),
        _ => None,
    };
    let mut found = Vec::new();
    let mut grave = 0;
    for one in signals.iter().filter_map(look) {
        grave += usize::from(!one.minor);
        found.push(one);
        if grave >= most {
            break;
        }
    }
    found
}

fn url(text: &str, at: usize) -> Option<Personal> {
    let letters = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.');
    let before = behind(text, at, LONGEST_SCHEME).as_bytes();
    let scheme_start = at - before.iter().rev().take_while(|b| letters(**b)).count();
    let scheme = text.get(scheme_start..at).filter(|scheme| !scheme.is_empty())?;
    let rest = text.get(at + 3..)?;
    let (end, ended) = before_end(rest, LONGEST, |b| {
        matches!(b, b'/' | b'?' | b'#' | b'"' | b'\'' | b'`' | b'<' | b'>' | b')' | b'(' | b'|' | b',' | b'\\' | b'*')
    });
    let authority = rest.get(..end)?;
    let host_port = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let host = match host_port.strip_prefix('[') {
        Some(inside) => inside.split(']').next()?,
        None => host_port.split(':').next()?,
    };
    let host = host.trim_end_matches(['.', ';']);
    let behind = rest.get(end..).filter(|_| ended).unwrap_or("");
    // A pattern is not a host.
    let cut = behind.starts_with(['<', '*', '(']) || behind.starts_with("\\.");
    let odd = |b: u8| matches!(b, b'$' | b'{' | b'}' | b'%' | b'[' | b'_');
    if host.is_empty() || cut || host.bytes().any(odd) || host.contains('…') || host.ends_with("..") {
        return None;
    }
    // Most are already in lower case.
    let lower = |text: &'_ str| text.bytes().any(|b| b.is_ascii_uppercase()).then(|| text.to_ascii_lowercase());
    let (lower_host, lower_scheme) = (lower(host), lower(scheme));
    let host = lower_host.as_deref().unwrap_or(host);
    let (title, minor) = private(host, lower_scheme.as_deref().unwrap_or(scheme))?;
    let minor = minor || is_everywhere(host) && in_table(text, at);
    Some(Personal { span: scheme_start..at + 3 + end, title, minor })
}

/// Whether a host is the same in every network: a cloud's metadata address, a plain service name.
fn is_everywhere(host: &str) -> bool {
    let plain =
        || host.split_once('.').is_some_and(|(name, ending)| SERVICE_NAMES.contains(&name) && !ending.contains('.'));
    host == "169.254.169.254" || plain()
}

/// Whether an offset is in a row of a table, which describes addresses instead of calling them.
fn in_table(text: &str, at: usize) -> bool {
    behind(text, at, LONGEST).rsplit_once('\n').is_some_and(|(_, line)| line.trim_start().starts_with('|'))
}

fn private(host: &str, scheme: &str) -> Option<(&'static str, bool)> {
    let numbered = host.contains(':') || host.starts_with(|c: char| c.is_ascii_digit());
    if let Some(address) = numbered.then(|| host.parse::<IpAddr>().ok()).flatten() {
        let private = match address {
            IpAddr::V4(address) => address.is_private() || address.is_link_local(),
            IpAddr::V6(address) => address.is_unique_local() || address.is_unicast_link_local(),
        };
        return private.then_some(("an address in a private network", false));
    }
    if KNOWN_NAMES.contains(&host) || host.contains("example") || host.starts_with("your") || host.starts_with("my-") {
        return None;
    }
    if host.ends_with(".cluster.local") || PRIVATE_ENDINGS.iter().any(|ending| host.ends_with(ending)) {
        return Some(("an internal host name", false));
    }
    if scheme == "smb" || scheme == "cifs" {
        return Some(("a network share", false));
    }
    let web = matches!(scheme, "http" | "https" | "ftp" | "ssh" | "ws" | "wss" | "ldap" | "ldaps");
    let single = web && !host.contains('.') && host.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    (single && !SERVICE_NAMES.contains(&host)).then_some(("a host name without a domain", true))
}

/// `\\host\share`, outside escapes and regular expressions.
fn share(text: &str, at: usize) -> Option<Personal> {
    // The cheap check first: a run of backslashes is not a share.
    if at > 0 && !text.get(..at)?.ends_with(|c: char| c.is_whitespace() || "\"'`(".contains(c)) {
        return None;
    }
    let rest = text.get(at + 2..)?;
    let (end, _) = before_end(rest, LONGEST, |b| matches!(b, b'"' | b'\'' | b'`' | b')' | b'>' | b'|' | b','));
    let (host, path) = rest.get(..end)?.split_once('\\')?;
    let named = host.len() > 2 && host.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.'));
    // A single letter, or one before two hexadecimal digits, is an escape sequence in a string.
    let name = path.split(['\\', ' ']).next().unwrap_or(path);
    let escape = name.len() < 2 || name.len() == 3 && name.starts_with('x');
    let shared =
        !escape && path.starts_with(|c: char| c.is_ascii_alphanumeric()) && !path.contains(['[', '(', '+', '*', '{']);
    let stand_in = ["server", "servername", "host", "hostname", "example", "wsl", "wsl.localhost"]
        .iter()
        .any(|word| host.eq_ignore_ascii_case(word));
    let span = at..at + 2 + end;
    (named && shared && !stand_in).then_some(Personal { span, title: "a network share", minor: false })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::signals;

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
            let _ = private_addresses(&odd, &signals::of(&odd), usize::MAX);
        }
    }

    fn found(text: &str) -> Vec<Personal> {
        private_addresses(text, &signals::of(text), usize::MAX)
    }

    #[test]
    fn private_endings_are_found_and_public_names_are_not() {
        for ending in PRIVATE_ENDINGS {
            assert_eq!(found(&format!("https://wiki.acme{ending}/page")).len(), 1, "{ending}");
        }
        for text in ["https://api.acme.io", "a \\\\d+\\\\w regex", "file:///etc/hosts"] {
            assert_eq!(found(text), Vec::new(), "{text}");
        }
    }

    #[test]
    fn behind_so_many_of_the_most_severe_nothing_is_searched_for() {
        let text = "http://jira/ http://10.1.2.3/ ".repeat(9);
        assert_eq!(private_addresses(&text, &signals::of(&text), 4).iter().filter(|one| !one.minor).count(), 4);
        assert_eq!(found(&text).len(), 18);
    }

    #[test]
    fn a_pattern_is_no_address() {
        for text in [r"^https://linear\.app/", r"https://(www\.)?x", "https://*/x", "https://<host>/"] {
            assert!(found(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn what_is_the_same_everywhere_is_minor_in_a_table() {
        let row = |host: &str| found(&format!("| a |\n|---|\n| `http://{host}/` |\n")).first().map(|one| one.minor);
        let metadata = ["169.254", ".169.254"].concat();
        assert_eq!((row(&metadata), row("api.internal")), (Some(true), Some(true)));
        assert_eq!(["10.1.2.3", "wiki.acme.internal", "billing.corp"].map(row), [Some(false); 3]);
        assert!(found(&format!("curl http://{metadata}/latest")).iter().all(|one| !one.minor));
    }
}
