//! A value under the name of a credential. For the memory the name alone decides.

use super::names::OPEN;

/// Suffixes of names of credentials, in lowercase without punctuation.
const NAMES: &[&str] = &[
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
    if !token && !NAMES.iter().any(|known| name.ends_with(known.trim_end_matches('s'))) {
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
