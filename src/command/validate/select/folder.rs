//! The skills below a named folder.

use std::path::PathBuf;

use super::{MAX_DEPTH, MAX_MISSPELT};
use crate::system::rooted::{Kind, Rooted};

/// Directories of version control, hefesto and package managers.
const SKIPPED: &[&str] = &[".git", ".hefesto", "node_modules", "target"];

#[derive(Default)]
pub(super) struct FolderSearch {
    /// The skills, each with the name a user would give it.
    pub(super) skills: Vec<(PathBuf, String)>,
    /// The folders that could not be read, named likewise.
    pub(super) closed: Vec<String>,
}

impl FolderSearch {
    /// Every skill folder below a directory with the name a user would give it, sorted. What is [`SKIPPED`] is not
    /// searched, and links are not followed. A folder with a misspelt SKILL.md counts too, if its content begins like
    /// one: a skill that no client sees must be reported.
    pub(super) fn of(dir: &Rooted, shown: &str) -> Self {
        let mut found = Self::default();
        if dir.is_dir() {
            found.search(dir, shown, 1);
        }
        found
    }

    fn search(&mut self, dir: &Rooted, shown: &str, depth: usize) {
        let Ok(mut entries) = dir.list() else { return self.closed.push(shown.to_owned()) };
        entries.sort_by(|(one, _), (other, _)| one.cmp(other));
        for (name, kind) in entries.into_iter().filter(|(name, _)| !SKIPPED.iter().any(|skipped| name == *skipped)) {
            let below = || format!("{}/{}", shown.trim_end_matches('/'), name.to_string_lossy());
            let entry = dir.join(&name);
            if name == "SKILL.md" || kind == Kind::File && is_meant(dir, &entry) {
                self.skills.push((dir.path(), shown.to_owned()));
            }
            if kind == Kind::Dir && depth < MAX_DEPTH {
                self.search(&entry, &below(), depth + 1);
            }
        }
    }
}

pub(super) fn misspelt(dir: &Rooted) -> bool {
    dir.list().unwrap_or_default().iter().any(|(name, _)| name.eq_ignore_ascii_case("SKILL.md"))
}

/// Whether a file is a misspelt SKILL.md: by its name and its frontmatter, and no other file is one.
fn is_meant(dir: &Rooted, file: &Rooted) -> bool {
    let named = file.below().file_name().is_some_and(|name| name.eq_ignore_ascii_case("SKILL.md"));
    let headed = || {
        let bytes = file.head(MAX_MISSPELT).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        let head = text.strip_prefix("---").and_then(|text| text.split_once("\n---")).map_or("", |(head, _)| head);
        ["name:", "description:"].iter().all(|key| head.lines().any(|line| line.starts_with(key)))
    };
    named && !dir.join("SKILL.md").exists() && headed()
}
