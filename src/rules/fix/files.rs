//! Fixes files: the name of SKILL.md, its line ends and fences, the mode of scripts.

use crate::skill::Tree;
use crate::skill::position::Lines;

use super::{Proposal, SKILL, edit};

const MARK: &[u8] = b"\xEF\xBB\xBF";

/// The only file whose name is SKILL.md in another case.
pub(super) fn misnamed(tree: &Tree) -> Option<&str> {
    let mut near = tree.iter().map(|(path, _)| path).filter(|path| path.eq_ignore_ascii_case(SKILL));
    let only = near.next().filter(|path| *path != SKILL)?;
    near.next().is_none().then_some(only)
}

/// `skill.md` becomes `SKILL.md`.
pub(super) fn file_name(_: &str, tree: &Tree, _: &dyn Fn(&str) -> bool) -> Option<Proposal> {
    let near = misnamed(tree)?;
    let mut renamed = Tree::new();
    for (path, blob) in tree.iter() {
        renamed.put_blob(if path == near { SKILL } else { path }, blob.clone());
    }
    let what = format!("`{near}` is renamed to `{SKILL}`");
    Some(Proposal { directory: None, tree: renamed, changes: vec![(SKILL.into(), what)], unseen: None })
}

/// Removes a byte order mark and turns `\r\n` and `\r` into `\n`, in SKILL.md only.
pub(super) fn line_ends(_: &str, tree: &Tree, _: &dyn Fn(&str) -> bool) -> Option<Proposal> {
    let bytes = &tree.get(SKILL)?.bytes;
    let (mark, returns) = (bytes.starts_with(MARK), bytes.contains(&b'\r'));
    if !mark && !returns {
        return None;
    }
    let text = edit::plain(tree.text(SKILL)?);
    let what = match (mark, returns) {
        (true, true) => "the byte order mark is removed and lines end in LF",
        (true, false) => "the byte order mark is removed",
        _ => "lines end in LF",
    };
    Some(Proposal { unseen: Some("S2"), ..Proposal::of_skill(tree, &text, what)? })
}

/// Removes trailing spaces after the two `---` of the frontmatter.
pub(super) fn fences(_: &str, tree: &Tree, _: &dyn Fn(&str) -> bool) -> Option<Proposal> {
    let text = tree.text(SKILL)?;
    let lines = Lines::new(text);
    let fence = |line: &str| line.trim_end_matches([' ', '\t']) == "---";
    let mut all = lines.iter();
    let first = all.next().filter(|(_, line)| fence(line))?;
    let second = all.find(|(_, line)| fence(line))?;
    let mut fixed = text.to_owned();
    for (start, line) in [second, first].into_iter().filter(|(_, line)| line.len() > 3) {
        fixed = edit::replaced(&fixed, &(start..start + line.len()), "---")?;
    }
    if fixed == text {
        return None;
    }
    let what = "trailing spaces after `---` are removed";
    Some(Proposal { unseen: Some("S2"), ..Proposal::of_skill(tree, &fixed, what)? })
}

/// Makes scripts with a `#!` line executable.
pub(super) fn executable(_: &str, tree: &Tree, _: &dyn Fn(&str) -> bool) -> Option<Proposal> {
    let mut fixed = tree.clone();
    let mut changes = Vec::new();
    for (path, blob) in tree.iter() {
        if path.starts_with("scripts/") && blob.bytes.starts_with(b"#!") && !blob.executable {
            let mut blob = blob.clone();
            blob.executable = true;
            fixed.put_blob(path, blob);
            changes.push((path.to_owned(), "the script is made executable (mode 0644 to 0755)".to_owned()));
        }
    }
    (!changes.is_empty()).then_some(Proposal { directory: None, tree: fixed, changes, unseen: None })
}
