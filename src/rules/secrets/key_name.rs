//! Judges the whole name of a key: whether it is the key of an unknown service, and whether its value may be a UUID.

use std::ops::Range;

use crate::rules::{Signal, behind};

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
