//! Files that contain credentials, by their paths.

use super::shell_line::words;
use crate::rules::words::words;

/// Folders and files of a home directory that contain credentials.
const AT_HOME: &[&str] = &[
    ".ssh", ".aws", ".gnupg", ".kube", ".azure", ".docker/config.json", ".netrc", ".npmrc", ".pypirc",
    ".git-credentials", ".config/gcloud", ".config/gh", ".config/google-chrome", ".config/solana", ".password-store",
    ".mozilla", ".bash_history", ".zsh_history", ".claude/.credentials.json", ".codex/auth.json", ".cursor/mcp.json",
    ".claude.json", ".gemini/oauth_creds.json",
];
/// How a path into a home directory begins.
const HOMES: &[&str] =
    &["~", "$home", "${home}", "/root", "/home/", "/users/", "%userprofile%", "$env:userprofile", "c:\\users"];
/// Files that contain credentials wherever they are, by a part of their path.
const ANYWHERE: &[&str] = &[
    ".ssh/id_", "/etc/shadow", "wallet.dat", ".aws/credentials", "cookies.sqlite", "logins.json",
    "serviceaccount/token",
];
/// The files in which browsers store passwords.
const BROWSERS: &[&str] = &["/login data", "/login  data", "\\login data"];
/// Words of such a path that say it is public after all.
const PUBLIC: &[&str] = &[".pub", "known_hosts", "authorized_keys"];
/// Configuration files that contain credentials, by their whole name.
const SETTINGS: &[&str] = &[".env", ".env.local", ".env.production", ".env.prod"];

pub(super) fn named(text: &str) -> Option<usize> {
    // Every such name has one of these, and most texts have none.
    memchr::memchr3(b'.', b'/', b'\\', text.as_bytes())?;
    let browser = || {
        words!(BROWSERS).first(text)?;
        BROWSERS.iter().find_map(|name| text.find(name))
    };
    words(text).find(|word| is_path(word.text)).map(|word| word.at).or_else(browser)
}

pub(super) fn is_path(word: &str) -> bool {
    // Most words are no paths.
    if !word.bytes().any(|b| matches!(b, b'.' | b'/' | b'\\')) {
        return false;
    }
    let at_home = || {
        let home = HOMES.iter().any(|home| word.starts_with(home));
        // Each of the names begins with a dot.
        home && memchr::memchr_iter(b'.', word.as_bytes()).any(|at| {
            let inside = word.get(..at).is_some_and(|before| before.ends_with(['/', '\\']));
            let named = |name: &&str| {
                let behind = word.get(at..).and_then(|rest| rest.strip_prefix(*name)).map(str::as_bytes);
                behind.is_some_and(|rest| rest.first().is_none_or(|b| !b.is_ascii_alphanumeric() && !b"_-".contains(b)))
            };
            inside && AT_HOME.iter().any(named)
        })
    };
    let settings = || word.rsplit('/').next().is_some_and(|name| SETTINGS.contains(&name));
    (at_home() || settings() || words!(ANYWHERE).are_in(word)) && !words!(PUBLIC).are_in(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_of_a_home_directory_begins_with_a_dot() {
        assert!(AT_HOME.iter().all(|name| name.starts_with('.')));
        for name in AT_HOME {
            assert!(is_path(&format!("~/x.y/{name}")) && is_path(&format!("~\\{name}.x")), "{name}");
            assert!(!is_path(&format!("~/{name}-x")) && !is_path(&format!("~/x{name}")), "{name}");
        }
    }

    #[test]
    fn private_files_are_distinguished_from_public_ones() {
        for path in
            ["~/.ssh/id_rsa", "$home/.aws/credentials", "/home/me/.kube/config", "/srv/x/.ssh/id_ed25519", "./.env"]
        {
            assert!(is_path(path), "{path}");
        }
        for path in
            ["~/.ssh/id_rsa.pub", "~/.ssh/known_hosts", "~/.kubeconfig", "x/.ssh", ".env.example", "process.env"]
        {
            assert!(!is_path(path), "{path}");
        }
    }
}
