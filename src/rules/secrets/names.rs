//! Word lists: parts of names of credentials, and of similar names.

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
