//! Django's settings that concern migrations: time limits of statements, and constants that name tables.

use super::lines::{code, directory, name};
use super::safe::is_secret_name;
use super::{Fact, Facts, Kind, Source};

/// Options of the connection, written in one string or as a key.
const LIMITS: &[&str] = &["lock_timeout", "statement_timeout", "idle_in_transaction_session_timeout"];

/// Settings about migrations.
const SETTINGS: &[&str] = &["MIGRATION_MODULES", "ATOMIC_REQUESTS", "CONN_MAX_AGE"];

/// Whether a path is a file of settings: `shop/settings.py`, `config/settings/production.py`.
pub(super) fn is_settings(path: &str) -> bool {
    const PARTS: &[&str] = &["base.py", "common.py", "prod.py", "production.py"];
    name(path) == "settings.py" || (name(directory(path)) == "settings" && PARTS.contains(&name(path)))
}

pub(super) fn read(source: &Source<'_>, out: &mut Facts) {
    for (number, line) in source.text.lines().enumerate() {
        let line = line.trim();
        for key in LIMITS.iter().filter(|_| !line.starts_with('#')) {
            let value = line.split_once(key).map(|(_, rest)| rest.trim_start_matches(['"', '\'', ' ', '=', ':']));
            let value: String = value.unwrap_or_default().chars().take_while(char::is_ascii_alphanumeric).collect();
            if value.starts_with(|c: char| c.is_ascii_digit()) {
                let text = format!("Django: {}", code(&format!("{key}={value}")));
                let fact = Fact::new(Kind::Variable, text).id(format!("django-{key}"));
                out.put(source, number + 1, fact.about("django migration migrations lock timeout"));
            }
        }
        let Some((key, value)) = line.split_once('=').map(|(key, value)| (key.trim(), value.trim())) else { continue };
        let constant = key.chars().all(|c| c.is_ascii_uppercase() || c == '_') && !is_secret_name(key);
        let about = key.split('_').any(|part| matches!(part, "TABLE" | "TABLES" | "MIGRATION" | "MIGRATIONS"));
        let whole = value.ends_with([']', '}', ')', '"', '\'']) || value.chars().all(char::is_alphanumeric);
        if constant && whole && !value.contains("://") && (about || SETTINGS.contains(&key)) && line.len() < 160 {
            let text = format!("Django: {}", code(&format!("{key} = {value}")));
            let fact = Fact::new(Kind::Variable, text).id(format!("django-{key}"));
            out.put(source, number + 1, fact.about("django migration migrations").about(key));
        }
    }
}
