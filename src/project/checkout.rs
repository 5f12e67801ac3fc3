//! The git checkout of a folder: its remote and its commit, read from `.git`; git is not run.

use std::path::{Path, PathBuf};

use crate::system::rooted::{self, Kind, Rooted};

/// How many bytes of a git file are read.
const MOST: usize = 1 << 20;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkout {
    pub root: PathBuf,
    /// The URL it was cloned from, without credentials.
    pub remote: Option<String>,
    pub commit: Option<String>,
}

pub fn checkout(dir: &Path) -> Option<Checkout> {
    let mut above = dir.ancestors().filter_map(|dir| Some((dir, git_dir(dir)?)));
    let (root, git) = above.next()?;
    // A further work tree has the shared part elsewhere.
    let common = match line(&git.join("commondir")) {
        Some(way) => rooted::anywhere(&git.path().join(way)).ok()?,
        None => git.clone(),
    };
    let remote = text(&common.join("config")).and_then(|config| remote(&config));
    Some(Checkout { root: root.to_path_buf(), remote, commit: commit(&git, &common) })
}

/// git's directory of a work tree: `.git`, or the path in the file `.git`.
fn git_dir(dir: &Path) -> Option<Rooted> {
    let git = rooted::anywhere(&dir.join(".git")).ok()?;
    match git.kind().ok()?? {
        Kind::Dir => git.join("HEAD").is_file().then_some(git),
        Kind::File => {
            let way = line(&git)?;
            rooted::anywhere(&dir.join(way.strip_prefix("gitdir:")?.trim())).ok().filter(Rooted::is_dir)
        }
        Kind::Link | Kind::Other => None,
    }
}

fn text(file: &Rooted) -> Option<String> {
    file.head(MOST).ok().map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

fn line(file: &Rooted) -> Option<String> {
    Some(text(file)?.lines().next()?.trim().to_owned())
}

fn commit(git: &Rooted, common: &Rooted) -> Option<String> {
    let head = line(&git.join("HEAD"))?;
    let Some(name) = head.strip_prefix("ref: ") else { return Some(head).filter(|head| is_commit(head)) };
    let plain = name.split('/').all(|part| !part.is_empty() && part != "..");
    let loose = || line(&git.join(name)).or_else(|| line(&common.join(name)));
    let packed = || {
        let packed = text(&common.join("packed-refs"))?;
        packed.lines().find_map(|line| line.split_once(' ').filter(|(_, of)| *of == name).map(|(id, _)| id.to_owned()))
    };
    let found = if plain { loose().or_else(packed) } else { None };
    found.filter(|commit| is_commit(commit))
}

fn is_commit(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|b| b.is_ascii_hexdigit())
}

/// The address of `origin`, else of the first remote.
fn remote(config: &str) -> Option<String> {
    let (mut section, mut first) = (None, None);
    for line in config.lines().map(str::trim) {
        if let Some(head) = line.strip_prefix('[') {
            section = head.strip_prefix("remote \"").and_then(|name| name.strip_suffix("\"]"));
            continue;
        }
        let Some((key, value)) = line.split_once('=').filter(|_| section.is_some()) else { continue };
        if key.trim().eq_ignore_ascii_case("url") {
            let url = value.trim().trim_matches('"').to_owned();
            if section == Some("origin") {
                return without_credentials(&url);
            }
            first = first.or(Some(url));
        }
    }
    without_credentials(&first?)
}

/// A URL without its login, query and fragment. None if something secret may be left in it.
fn without_credentials(url: &str) -> Option<String> {
    let bare = match url.split_once("://") {
        Some((scheme, rest)) => {
            let rest = rest.split(['?', '#']).next().unwrap_or_default();
            let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
            format!("{scheme}://{}{path}", host.rsplit('@').next().unwrap_or_default())
        }
        // `git@host:path`: the login `git` authenticates with a key.
        None => match url.split_once('@') {
            Some(("git", _)) | None => url.to_owned(),
            Some((_, rest)) => rest.to_owned(),
        },
    };
    let sound = !bare.is_empty() && !bare.contains(|c: char| c.is_control() || c.is_whitespace());
    (sound && crate::rules::secrets::scan_input(&bare).is_empty()).then_some(bare)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_loses_whatever_lets_somebody_in() {
        for (url, bare) in [
            ("https://github.com/o/r.git", "https://github.com/o/r.git"),
            ("https://me:s3cret@github.com/o/r", "https://github.com/o/r"),
            ("https://token@host:8443/o/r?access=x#y", "https://host:8443/o/r"),
            ("ssh://git@host/o/r.git", "ssh://host/o/r.git"),
            ("git@github.com:o/r.git", "git@github.com:o/r.git"),
            ("name@host:o/r", "host:o/r"),
            ("../r", "../r"),
        ] {
            assert_eq!(without_credentials(url).as_deref(), Some(bare), "{url}");
        }
        assert_eq!(without_credentials("https://host/a b"), None);
    }

    #[test]
    fn the_remote_is_origin_and_else_the_first() {
        let config = "[core]\n\tbare = false\n[remote \"up\"]\n\turl = https://host/up\n";
        assert_eq!(remote(config).as_deref(), Some("https://host/up"));
        let both = format!("{config}[remote \"origin\"]\n\tfetch = x\n\turl = https://host/own\n");
        assert_eq!(remote(&both).as_deref(), Some("https://host/own"));
        assert_eq!(remote("[core]\nurl = https://host/x\n"), None);
    }
}
