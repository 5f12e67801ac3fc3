//! The names of credentials: word lists, whether a name is the key of an unknown service, and fields whose name alone
//! decides.

use std::ops::Range;

use crate::rules::{Signal, behind};

/// Suffixes of names of credentials.
pub(in crate::rules) const NAMES: &[&str] = &[
    "password", "passwd", "pwd", "passphrase", "secret", "token", "credential", "credentials", "creds", "senha",
    "apikey", "_key", "-key", ".key", " key", "accesskey", "secretkey", "privatekey", "authkey", "clientkey",
    "signingkey", "encryptionkey", "masterkey", "accountkey", "servicekey", "_auth", "_api", "_pass", "_pat",
    "secret_key_base", "auth_code", "authcode", "pass", "psk", "requirepass", "masterauth", "storepass", "keypass",
    "identified by", "passin pass", "passout pass", "contraseña", "contrasena", "passwort", "kennwort", "mot de passe",
    "segredo", "token de acesso", "token de acceso", "chave de api", "clave de api", "chave secreta", "clave secreta",
    "cargo login", "vault login",
];
/// Short names that other words may end in.
pub(super) const SHORT_NAMES: &[&str] = &["pass", "psk"];
/// Names separated from their value by a blank.
pub(super) const SPACED_NAMES: &[&str] =
    &["requirepass", "masterauth", "storepass", "keypass", "cargo login", "vault login"];
/// Words between a name and its quoted value.
pub(super) const LINKS: &[&str] = &["is ", "to ", "value=", "content=", "— ", "– ", "- ", "--body ", "?? ", ", "];
/// Commands that store a value after a name and a blank.
pub(super) const STORES: &[&str] = &[" config ", " configure ", " set ", "set -x ", "ENV ", "_header "];
/// Words before `_key`, `-key` or ` key` in names of credentials.
pub(super) const OF_KEYS: &[&str] = &[
    "api", "access", "secret", "private", "auth", "client", "signing", "encryption", "master", "account", "service",
    "license", "deploy", "bot", "app", "application", "integration", "ingest", "write", "admin", "server", "session",
    "aes", "hmac", "jwt", "webhook", "subscription", "user", "consumer", "shared", "storage", "rest",
];
/// Words before a name whose value is invented.
pub(super) const MADE_UP: &[&str] = &["sample", "example", "dummy", "fake", "placeholder"];
/// Words before `token` in names of values that are no secrets: pagination cursors, CSRF tokens.
pub(super) const OPEN: &[&str] = &[
    "next", "page", "nextpage", "pagination", "continuation", "sync", "forward", "backward", "public", "csrf", "xsrf",
];

/// Words before `_key` in names of public values.
const OPEN_KEYS: &[&str] = &[
    "public", "publishable", "pub", "anon", "cache", "primary", "foreign", "sort", "partition", "idempotency", "site",
    "gpg", "pgp", "host", "object", "row", "dedup", "dedupe", "unique", "natural", "surrogate", "hash", "s3", "kms",
    "group", "routing", "lookup", "index", "map", "sentry", "etag", "file", "state", "sha", "version", "ssh", "peer",
    "verify", "verification", "verifying", "signature", "ed25519",
];
/// The shortest value of a key of unknown kind.
const MIN_KEY: usize = 32;
/// Suffixes of names of credentials that may be UUIDs, without `_` and `-`.
const UUID_NAMES: &[&str] = &[
    "apikey", "accesskey", "authkey", "privatekey", "secretkey", "secret", "authtoken", "apitoken", "accesstoken",
    "token",
];
/// Words in names of tokens that are public, or belong to one request.
const OPEN_TOKENS: &[&str] = &[
    "csrf", "xsrf", "page", "next", "request", "idempotency", "correlation", "continuation", "sync", "device",
    "cursor", "id",
];

/// The name that ends in a signal, extended back over letters, digits and `_`.
fn whole_name<'t>(text: &'t str, name: &Signal) -> &'t str {
    let before = behind(text, name.at, 40);
    let start =
        before.len() - before.trim_end_matches(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-')).len();
    text.get(name.at - start..name.end).unwrap_or("")
}

/// Whether a value is the key of an unknown service: a long random `AZURE_MAPS_KEY`, a hex `deepgram_key`.
pub(super) fn is_of_a_key(text: &str, name: &Signal, value: &Range<usize>) -> bool {
    let Some(value) = text.get(value.clone()) else { return false };
    let whole = whole_name(text, name);
    let Some((kind, _)) = whole.rsplit_once(['_', ' ']) else { return false };
    let last = kind.rsplit(['_', '-']).next().unwrap_or(kind).to_ascii_lowercase();
    let in_hex = value.bytes().all(|b| b.is_ascii_hexdigit()) && value.len() <= 2 * MIN_KEY;
    let encoded = value.bytes().all(|b| b.is_ascii_alphanumeric() || b"+/_=-".contains(&b));
    let shouted = is_shouted(whole);
    let mixed = value.bytes().any(|b| b.is_ascii_lowercase()) && value.bytes().any(|b| b.is_ascii_uppercase());
    let numbered = value.bytes().filter(u8::is_ascii_digit).count() >= 3;
    kind.len() >= 2
        && !OPEN_KEYS.contains(&last.as_str())
        && value.len() >= MIN_KEY
        && value.bytes().any(|b| b.is_ascii_digit())
        && (in_hex || encoded && (shouted || mixed && numbered))
}

/// Whether a name is written like an environment variable.
fn is_shouted(name: &str) -> bool {
    name.bytes().all(|b| !b.is_ascii_lowercase())
}

/// Whether the name is one whose value may be a UUID and yet a secret: `HEROKU_API_KEY`, not `request_token`.
pub(super) fn may_be_uuid(text: &str, name: &Signal) -> bool {
    let whole = whole_name(text, name).to_ascii_lowercase();
    let plain: String = whole.chars().filter(|c| c.is_ascii_alphanumeric()).collect();
    let open = whole.split(['_', '-']).any(|part| OPEN_TOKENS.contains(&part));
    // Names in capitals are environment variables, which were handled before.
    let of_environment = is_shouted(whole_name(text, name)) && plain.ends_with("key");
    !open && (of_environment || UUID_NAMES.iter().any(|ending| plain.ends_with(ending)))
}

/// Suffixes of names of credentials, in lowercase without punctuation.
const FIELD_NAMES: &[&str] = &[
    "password", "passwd", "pwd", "passphrase", "passcode", "secret", "apikey", "accesskey", "secretkey", "privatekey",
    "authkey", "signingkey", "encryptionkey", "masterkey", "accountkey", "credential", "creds", "senha", "contrasena",
    "passwort", "kennwort", "motdepasse", "segredo", "authorization",
];
/// Schemes before the credential of a header.
const SCHEMES: &[&str] = &["basic", "bearer", "digest", "token", "apikey", "negotiate"];
/// Prefixes of values that refer to another one, or are none.
const STAND_INS: &[&str] = &[
    "<", "$", "{", "%", "[", "*", ".", "…", "env.", "env:", "os.environ", "process.env", "secrets.", "vault:", "op://",
    "ref+", "arn:", "keychain:",
];
/// Values for "none".
const NONE: &[&str] = &[
    "", "none", "null", "true", "false", "yes", "no", "unset", "empty", "missing", "required", "optional", "string",
    "text", "hidden", "redacted", "changeme", "password", "secret", "token",
];
/// The shortest token: shorter ones are words.
const SHORTEST_TOKEN: usize = 8;

/// The rule by which a field's value is a credential: `password`, `api_key`, `Authorization`.
pub fn credential_under(name: &str, value: &str) -> Option<&'static str> {
    let mut name: String = crate::skill::name::fold(name).to_lowercase();
    name.retain(|c| c.is_ascii_alphanumeric());
    let name = name.strip_suffix('s').unwrap_or(&name);
    let token = name.strip_suffix("token").is_some_and(|before| !OPEN.iter().any(|open| before.ends_with(open)));
    if !token && !FIELD_NAMES.iter().any(|known| name.ends_with(known.trim_end_matches('s'))) {
        return None;
    }
    let value = value.trim();
    if name.ends_with("authorization") {
        let (scheme, rest) = value.split_once(' ').unwrap_or(("", value));
        let known = scheme.is_empty() || SCHEMES.contains(&scheme.to_lowercase().as_str());
        return (known && !stands_in(rest.trim())).then_some("authorization-header");
    }
    let plain = token
        && (value.chars().count() < SHORTEST_TOKEN
            || value.contains(char::is_whitespace)
            || !value.contains(|c: char| c.is_ascii_digit()));
    (!plain && !stands_in(value)).then_some("assigned-secret")
}

/// Whether a value refers to another one, or is none.
fn stands_in(value: &str) -> bool {
    let lower = value.to_lowercase();
    NONE.contains(&lower.as_str()) || STAND_INS.iter().any(|start| lower.starts_with(start))
}

/// Whether a value in running text is one: letters and digits, and no reference.
pub(super) fn is_kept_value(value: &str) -> bool {
    value.bytes().any(|b| b.is_ascii_digit())
        && value.bytes().any(|b| b.is_ascii_alphabetic())
        && !value.contains("://")
        && !stands_in(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_field_decides() {
        for (name, value) in [
            ("password", "hunter2hunter2"),
            ("db_password", "abc"),
            ("API-Key", "abcd1234abcd1234"),
            ("clientSecret", "correct horse"),
            ("contraseña", "uno"),
            ("access_token", "abcd1234"),
            ("credentials", "me:you"),
        ] {
            assert_eq!(credential_under(name, value), Some("assigned-secret"), "{name}");
        }
        for value in ["Basic dXNlcjpwYXNzd29yZA==", "Bearer abc", "dXNlcjpwYXNz"] {
            assert_eq!(credential_under("Authorization", value), Some("authorization-header"), "{value}");
        }
        for (name, value) in [
            ("password", "<yours>"),
            ("password", "${DB_PASSWORD}"),
            ("api_key", ""),
            ("Authorization", "Bearer $TOKEN"),
            ("token", "identifier"),
            ("next_token", "abcd1234abcd1234"),
            ("max_tokens", "4096"),
            ("key", "abcd1234abcd1234"),
            ("secretary", "Ana"),
        ] {
            assert_eq!(credential_under(name, value), None, "{name}: {value}");
        }
    }
}
