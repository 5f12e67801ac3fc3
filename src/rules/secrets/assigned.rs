//! Credentials recognisable by where they stand: assigned to a key, behind a flag, in a header, in a URL.

use super::Found;
use super::placeholder::{entropy, is_stand_in};
use crate::rules::window::{ahead, behind};

/// What the name of a credential ends in.
const NAMES: &[&str] = &[
    "password",
    "passwd",
    "pwd",
    "passphrase",
    "secret",
    "token",
    "apikey",
    "api_key",
    "api-key",
    "accesskey",
    "access_key",
    "access-key",
    "secretkey",
    "secret_key",
    "secret-key",
    "privatekey",
    "private_key",
    "private-key",
    "authkey",
    "auth_key",
    "auth-key",
    "clientkey",
    "client_key",
    "signing_key",
    "signingkey",
    "encryption_key",
    "encryptionkey",
    "master_key",
    "masterkey",
    "account_key",
    "service_key",
    "license_key",
    "deploy_key",
    "bot_key",
    "credential",
    "credentials",
    "senha",
];
const FLOOR: f64 = 3.5;
const MIN_VALUE: usize = 10;
const MAX_VALUE: usize = 200;
const MAX_NAME: usize = 60;
/// Blanks, quotes and signs between a name and its value.
const MAX_GAP: usize = 24;
/// How far back a header's name may stand.
const MAX_HEADER: usize = 80;
const MAX_LOGIN: usize = 300;
/// Logins everyone uses on their own machine or writes into documentation.
const COMMON_PASSWORDS: &[&str] = &[
    "password",
    "pass",
    "pwd",
    "pw",
    "passwd",
    "secret",
    "postgres",
    "root",
    "admin",
    "mysql",
    "guest",
    "test",
    "dev",
    "changeme",
    "mypassword",
    "dbpass",
    "dbpassword",
    "token",
    "user",
    "password123",
    "mongo",
    "redis",
    "key",
    "apikey",
    "senha",
    "example",
    "local",
    "minioadmin",
    "rabbitmq",
    "p4ssw0rd",
    "mysecretpassword",
    "secretpassword",
];

/// Every credential given away by its surroundings.
pub(super) fn scan(text: &str) -> Vec<Found> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'=' => found.extend(assignment(text, at)),
            b':' if bytes.get(at..at + 3) == Some(b"://") => found.extend(url_login(text, at)),
            b':' => found.extend(assignment(text, at)),
            b'-' if bytes.get(at..at + 2) == Some(b"--") => found.extend(flag(text, at)),
            b'B' | b'b' => found.extend(header(text, at)),
            _ => {}
        }
    }
    found
}

fn generic(span: Option<std::ops::Range<usize>>) -> Option<Found> {
    span.map(|span| Found { rule: "assigned-secret", title: "a literal credential", span })
}

/// `name = value`, `"name": "value"`, `name := value`.
fn assignment(text: &str, at: usize) -> Option<Found> {
    let before = behind(text, at, MAX_NAME + MAX_GAP).trim_end_matches([' ', '\t', ':', '"', '\'', '`', ']']);
    names_a_credential(before).then_some(())?;
    let after = ahead(text, at, MAX_GAP);
    let value_at = at + (after.len() - after.trim_start_matches(['=', ':', '>', ' ', '\t']).len());
    generic(value(text, value_at))
}

/// `--token value`.
fn flag(text: &str, at: usize) -> Option<Found> {
    let rest = ahead(text, at + 2, MAX_NAME);
    let length = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '-' || c == '_'))?;
    let name = rest.get(..length)?;
    (rest.as_bytes().get(length) == Some(&b' ') && names_a_credential(name)).then_some(())?;
    generic(value(text, at + 2 + length + 1))
}

fn names_a_credential(before: &str) -> bool {
    let start = before
        .char_indices()
        .rev()
        .take(MAX_NAME)
        .take_while(|(_, c)| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'))
        .last()
        .map_or(before.len(), |(start, _)| start);
    let name = before.get(start..).unwrap_or("").trim_end_matches(|c: char| c.is_ascii_digit() || c == '_');
    NAMES.iter().any(|ending| {
        name.len()
            .checked_sub(ending.len())
            .and_then(|cut| name.get(cut..))
            .is_some_and(|end| end.eq_ignore_ascii_case(ending))
    })
}

/// The span of a value that begins here, when it looks random.
fn value(text: &str, at: usize) -> Option<std::ops::Range<usize>> {
    let rest = ahead(text, at, MAX_VALUE + 8);
    let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\'' | '`'));
    let start = at + quote.map_or(0, char::len_utf8);
    let body = ahead(text, start, MAX_VALUE + 8);
    let length = match quote {
        Some(quote) => body.find([quote, '\n'])?,
        None => body.find(|c: char| c.is_whitespace() || "\"'`,;()[]{}<>|".contains(c)).unwrap_or(body.len()),
    };
    let value = body.get(..length)?;
    let next = body.as_bytes().get(length);
    let called = quote.is_none() && matches!(next, Some(b'(' | b'[' | b'{' | b'<'));
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let plain = value.bytes().all(|b| b.is_ascii_graphic());
    let letters = value.bytes().any(|b| b.is_ascii_alphabetic());
    let looks_random = !called
        && (MIN_VALUE..=MAX_VALUE).contains(&value.len())
        && plain
        && letters
        && digits >= 2
        && !value.contains(['(', '[', '<', '{', '|', '\\'])
        && entropy(value) >= FLOOR
        && !is_stand_in(value);
    looks_random.then_some(start..start + length)
}

/// `Authorization: Bearer value`, `Basic value`.
fn header(text: &str, at: usize) -> Option<Found> {
    let rest = ahead(text, at, 8);
    let scheme = ["bearer ", "basic "]
        .into_iter()
        .find(|scheme| rest.get(..scheme.len()).is_some_and(|word| word.eq_ignore_ascii_case(scheme)))?;
    let line = behind(text, at, MAX_HEADER).rsplit('\n').next()?;
    line.to_ascii_lowercase().contains("authorization").then_some(())?;
    let start = at + scheme.len();
    let body = ahead(text, start, 4096);
    let length = body.find(|c: char| !(c.is_ascii_alphanumeric() || "+/=_.~-".contains(c))).unwrap_or(body.len());
    let value = body.get(..length)?;
    let real =
        length >= 16 && value.bytes().any(|b| b.is_ascii_digit()) && entropy(value) >= FLOOR && !is_stand_in(value);
    real.then(|| Found { rule: "authorization-header", title: "a credential in a header", span: start..start + length })
}

/// `scheme://user:password@host`.
fn url_login(text: &str, at: usize) -> Option<Found> {
    let start = at + 3;
    let rest = ahead(text, start, MAX_LOGIN);
    let end = rest.find(|c: char| c.is_whitespace() || "/\"'`<>)(|,".contains(c)).unwrap_or(rest.len());
    let (login, host) = rest.get(..end)?.rsplit_once('@')?;
    let (user, password) = login.split_once(':')?;
    let lower = password.to_ascii_lowercase();
    let stand_in = password.len() < 4
        || lower == user.to_ascii_lowercase()
        || COMMON_PASSWORDS.contains(&lower.trim_matches(|c: char| !c.is_ascii_alphanumeric()))
        || password.contains(['$', '{', '%', '*', '[', '<'])
        || password.chars().all(|c| c.is_ascii_uppercase() || c == '_')
        || ["your", "xxx", "example", "password", "placeholder", "redacted", "...", "secret"]
            .iter()
            .any(|word| lower.contains(word))
        || (is_local(host) && entropy(password) < 3.0);
    let password_at = start + user.len() + 1;
    (!stand_in).then(|| Found {
        rule: "url-login",
        title: "a login in a URL",
        span: password_at..password_at + password.len(),
    })
}

fn is_local(host: &str) -> bool {
    let host = host.split(':').next().unwrap_or(host);
    !host.contains('.') || host == "127.0.0.1"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_judged_by_their_ending() {
        for name in ["API_KEY", "githubToken", "db.password", "CLIENT_SECRET_2", "x-api-key"] {
            assert!(names_a_credential(name), "{name}");
        }
        for name in ["tokenizer", "max_tokens", "primary_key", "secretary", "é", ""] {
            assert!(!names_a_credential(name), "{name}");
        }
    }
}
