//! Logins: `user:password` in a URL, after a flag or after `Basic`.

use super::SecretMatch;
use super::placeholder::{entropy, is_made_up, is_stand_in as is_value_stand_in, looks_random};
use crate::rules::{Signal, ahead, before_end};

/// The most bytes of a URL that are checked.
const MAX_LOGIN: usize = 300;
/// The shortest password that counts.
const MIN_PASSWORD: usize = 4;
/// The shortest password after an ambiguous flag.
const MIN_FLAG: usize = 8;
/// Below this many bits per character a password for localhost does not count.
const LOCAL_FLOOR: f64 = 3.0;
/// Logins everyone uses on their own machine or writes into documentation.
const COMMON: &[&str] = &[
    "password", "pass", "pwd", "pw", "passwd", "secret", "postgres", "root", "admin", "mysql", "guest", "test", "dev",
    "changeme", "mypassword", "dbpass", "dbpassword", "token", "user", "password123", "mongo", "redis", "key",
    "apikey", "senha", "example", "local", "minioadmin", "rabbitmq", "p4ssw0rd", "mysecretpassword", "secretpassword",
    "x-oauth-basic", "hunter2", "foobar", "letmein", "qwerty", "s3cr3t", "p@ssw0rd", "deadbeef", "0xdeadbeef",
    "string",
];
/// Words that mark a password as a placeholder.
const PARTS: &[&str] = &[
    "your", "xxx", "example", "pass", "placeholder", "redacted", "...", "secret", "changeme", "token", "api_key",
    "apikey", "dummy", "sample",
];

/// `scheme://user:password@host`, from the end of the `://`.
pub(super) fn url(text: &str, start: usize) -> Option<SecretMatch> {
    let rest = text.get(start..)?;
    let (end, _) = before_end(rest, MAX_LOGIN, |b| {
        matches!(b, b'/' | b'"' | b'\'' | b'`' | b'<' | b'>' | b')' | b'(' | b'|' | b',' | b'\\')
    });
    let (login, host) = rest.get(..end)?.rsplit_once('@')?;
    let host = host.split(':').next().unwrap_or(host);
    let Some((user, password)) = login.split_once(':').filter(|(_, password)| !password.is_empty()) else {
        let user = login.trim_end_matches(':');
        let span = start..start + user.len();
        return is_token(user, host).then_some(SecretMatch { rule: "url-login", title: "a token in a URL", span });
    };
    let stand_in =
        is_stand_in(user, password) || host.is_empty() || (is_local(host) && entropy(password) < LOCAL_FLOOR);
    let password_at = start + user.len() + 1;
    (!stand_in).then(|| SecretMatch {
        rule: "url-login",
        title: "a login in a URL",
        span: password_at..password_at + password.len(),
    })
}

/// `-u user:password` as for curl and wget, and `-u user -p password` as for clients of databases and registries.
pub(super) fn flag(text: &str, flag: &Signal) -> Option<SecretMatch> {
    text.get(..flag.at)?.ends_with([' ', '\n', '\t']).then_some(())?;
    let rest = ahead(text, flag.end, MAX_LOGIN);
    let login_at = rest.len() - rest.trim_start_matches([' ', '"', '\'']).len();
    let login = word(rest.get(login_at..)?);
    let named =
        |user: &str| !user.is_empty() && user.bytes().all(|b| b.is_ascii_alphanumeric() || b"._@-".contains(&b));
    let (user, password, start) = if let Some((user, password)) = login.split_once(':') {
        let real = password.len() >= MIN_FLAG && entropy(password) >= LOCAL_FLOOR;
        real.then_some((user, password, login_at + user.len() + 1))?
    } else {
        let behind = rest.get(login_at + login.len()..)?;
        let value = behind.trim_start_matches(['"', '\'']).strip_prefix(" -p")?.trim_start_matches([' ', '"', '\'']);
        let password = word(value);
        let real = password.len() >= MIN_FLAG && looks_random(password) && !is_value_stand_in(password);
        real.then_some((login, password, rest.len() - value.len()))?
    };
    let start = flag.end + start;
    (named(user) && !is_stand_in(user, password)).then(|| SecretMatch {
        rule: "command-login",
        title: "a login on a command line",
        span: start..start + password.len(),
    })
}

/// The text up to what ends a word of a command.
fn word(text: &str) -> &str {
    text.get(..text.find(|c: char| c.is_whitespace() || "\"'`|)".contains(c)).unwrap_or(text.len())).unwrap_or("")
}

/// Whether a password is a common one or a placeholder.
fn is_stand_in(user: &str, password: &str) -> bool {
    let lower = password.to_ascii_lowercase();
    let core = lower.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    password.len() < MIN_PASSWORD
        || lower == user.to_ascii_lowercase()
        || COMMON.contains(&core)
        || password.contains(['$', '{', '[', '<', ':'])
        || password.contains("**")
        || is_made_up(password)
        || (password.starts_with('%') && password.ends_with('%'))
        || password.chars().all(|c| c.is_ascii_uppercase() || c == '_')
        || PARTS.iter().any(|part| lower.contains(part))
}

/// Whether the user of a URL without a password is a token. The hexadecimal public key of an error tracker is not.
fn is_token(user: &str, host: &str) -> bool {
    const LEAST: usize = 20;
    let letters = user.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'));
    let hex = user.bytes().all(|b| b.is_ascii_hexdigit());
    let varied = user.bytes().any(|b| b.is_ascii_uppercase()) && user.bytes().filter(u8::is_ascii_digit).count() >= 2;
    let real = letters && !hex && varied && user.len() >= LEAST && looks_random(user);
    real && host.contains('.') && !is_local(host) && !is_value_stand_in(user)
}

fn is_local(host: &str) -> bool {
    !host.contains('.') || host == "127.0.0.1" || host.ends_with(".local") || host.contains("example")
}

/// Whether text in base 64 is a login, `user:password`, and no placeholder.
pub(super) fn is_basic(encoded: &str) -> bool {
    let Some(bytes) = decoded(encoded) else { return false };
    let Ok(login) = String::from_utf8(bytes) else { return false };
    let Some((user, password)) = login.split_once(':') else { return false };
    let printable = login.bytes().all(|b| b.is_ascii_graphic());
    printable && (!user.is_empty() || !password.is_empty()) && !is_stand_in(user, password)
        || printable && password.is_empty() && user.len() >= 16
}

/// The bytes of a text in base 64, padded or not.
pub(super) fn decoded(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    let (mut held, mut bits) = (0_u32, 0_u32);
    for letter in text.trim_end_matches('=').bytes() {
        let six = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        held = (held << 6 | u32::from(six)) & 0xFFFF;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push(u8::try_from(held >> bits & 0xFF).ok()?);
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_read() {
        assert_eq!(decoded("YWxhZGRpbjpvcGVu").as_deref(), Some(&b"aladdin:open"[..]));
        assert_eq!(decoded("YTpi").as_deref(), Some(&b"a:b"[..]));
        assert_eq!(decoded("YQ==").as_deref(), Some(&b"a"[..]));
        assert_eq!(decoded("?"), None);
    }

    #[test]
    fn a_login_is_a_user_and_a_password_of_their_own() {
        assert!(is_basic("ZGVwbG95OnE3UnpUMnh2OUxtSw=="));
        assert!(!is_basic("dXNlcjpwYXNzd29yZA=="), "user:password");
        assert!(!is_basic("bm90IGEgbG9naW4gYXQgYWxs"), "no colon");
    }

    #[test]
    fn a_token_is_a_login_and_everyones_login_is_none() {
        let login = |text: &str| url(text, text.find("://").map_or(0, |at| at + 3)).is_some();
        assert!(login(&["https://", "q7RzT2xv9LmKp4Wd", "H3sB@pypi.acme.io/x"].concat()));
        for text in ["https://TOKEN:X@host.io", "https://0a1b2c3d4e5f60718293a4b5c6d7e8f9@o1.ingest.sentry.io/2"] {
            assert!(!login(text), "{text}");
        }
    }
}
