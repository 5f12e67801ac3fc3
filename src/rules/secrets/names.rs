//! What names of credentials are made of, and what names of other things are.

/// What the name of a credential ends in.
pub(in crate::rules) const NAMES: &[&str] = &[
    "password", "passwd", "pwd", "passphrase", "secret", "token", "credential", "credentials", "creds", "senha",
    "apikey", "_key", "-key", ".key", " key", "accesskey", "secretkey", "privatekey", "authkey", "clientkey",
    "signingkey", "encryptionkey", "masterkey", "accountkey", "servicekey", "_auth", "_api", "_pass", "_pat",
    "secret_key_base", "auth_code", "authcode", "pass", "psk", "requirepass", "masterauth", "storepass", "keypass",
    "identified by", "passin pass", "passout pass", "contraseña", "contrasena", "passwort", "kennwort", "mot de passe",
    "segredo", "token de acesso", "token de acceso", "chave de api", "clave de api", "chave secreta", "clave secreta",
    "cargo login", "vault login",
];
/// Names short enough to end other words.
pub(super) const SHORT_NAMES: &[&str] = &["pass", "psk"];
/// Names that a blank separates from their value.
pub(super) const SPACED_NAMES: &[&str] =
    &["requirepass", "masterauth", "storepass", "keypass", "cargo login", "vault login"];
/// What comes between a name and its value in quotes.
pub(super) const LINKS: &[&str] = &["is ", "to ", "value=", "content=", "— ", "– ", "- ", "--body ", "?? ", ", "];
/// Commands that store a value after a name and a blank.
pub(super) const STORES: &[&str] = &[" config ", " configure ", " set ", "set -x ", "ENV ", "_header "];
/// What comes before `_key`, `-key` or ` key` in the name of a credential.
pub(super) const OF_KEYS: &[&str] = &[
    "api", "access", "secret", "private", "auth", "client", "signing", "encryption", "master", "account", "service",
    "license", "deploy", "bot", "app", "application", "integration", "ingest", "write", "admin", "server", "session",
    "aes", "hmac", "jwt", "webhook", "subscription", "user", "consumer", "shared", "storage", "rest",
];
/// What precedes a name whose value is invented.
pub(super) const MADE_UP: &[&str] = &["sample", "example", "dummy", "fake", "placeholder"];
/// What precedes `token` in names that are no secrets: pagination cursors, CSRF tokens.
pub(super) const OPEN: &[&str] = &[
    "next", "page", "nextpage", "pagination", "continuation", "sync", "forward", "backward", "public", "csrf", "xsrf",
];
