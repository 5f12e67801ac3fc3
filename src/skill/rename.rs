//! Renames a skill: in its own files, and in paths of other texts that refer to it.

use super::frontmatter::with_name;
use super::version::follow_head;
use super::{Blob, Tree};

/// What precedes a skill's name in a path to it.
const BEFORE: [&str; 2] = ["skills/", "../"];

/// The files of a skill under its new name.
pub fn renamed(tree: &Tree, old: &str, new: &str) -> Tree {
    let mut renamed = tree.clone();
    if let (Some(text), Some(blob)) = (tree.text("SKILL.md"), tree.get("SKILL.md")) {
        renamed.put_blob("SKILL.md", Blob { bytes: with_name(text, new).into_bytes(), ..blob.clone() });
    }
    follow_head(&mut renamed, tree);
    repointed(&renamed, old, new).unwrap_or(renamed)
}

/// The files of a skill with every path to another, renamed skill updated. None if there are no such paths.
pub fn repointed(tree: &Tree, old: &str, new: &str) -> Option<Tree> {
    let mut changed: Option<Tree> = None;
    for (path, blob) in tree.iter().filter(|(path, _)| path.ends_with(".md")) {
        let Some(text) = std::str::from_utf8(&blob.bytes).ok().and_then(|text| repointed_text(text, old, new)) else {
            continue;
        };
        let executable = blob.executable;
        changed.get_or_insert_with(|| tree.clone()).put_blob(path, Blob { bytes: text.into_bytes(), executable });
    }
    changed
}

fn repointed_text(text: &str, old: &str, new: &str) -> Option<String> {
    let ends = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || "-_.".contains(c));
    let begins = |before: &str| BEFORE.iter().any(|path| before.ends_with(path));
    let mut out = String::new();
    let mut done = 0;
    for (at, _) in text.match_indices(old) {
        let (Some(before), Some(rest)) = (text.get(..at), text.get(at + old.len()..)) else { continue };
        // A dot may end a sentence or be part of a path.
        let ends =
            ends(rest) || rest.strip_prefix('.').is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\n']));
        if begins(before) && ends {
            out.push_str(text.get(done..at)?);
            out.push_str(new);
            done = at + old.len();
        }
    }
    out.push_str(text.get(done..)?);
    (done > 0).then_some(out)
}

/// The lines that call a skill by its name, counted from one: as a command (`/name`, `$name`), in backticks, or by a
/// path.
pub fn called_in(text: &str, name: &str) -> Vec<usize> {
    let ends = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || "-_".contains(c));
    let command =
        |before: &str| before.strip_suffix(['/', '$']).is_some_and(|before| !before.ends_with(char::is_alphanumeric));
    let calls = |line: &str| {
        line.match_indices(name).any(|(at, _)| {
            let (Some(before), Some(rest)) = (line.get(..at), line.get(at + name.len()..)) else { return false };
            let quoted = before.ends_with('`') && rest.starts_with('`');
            ends(rest) && (quoted || command(before) || BEFORE.iter().any(|path| before.ends_with(path)))
        })
    };
    text.lines().enumerate().filter(|(_, line)| calls(line)).map(|(at, _)| at + 1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_and_the_paths_change_and_no_word_that_only_looks_like_it() {
        let text = "---\nname: old\ndescription: The old one.\n---\n\nRun `.claude/skills/old/scripts/a.sh`, see \
                    [b](../old/b.md), skills/old. Not ../older/, skills/old-er/, ../old.md or old itself.\n";
        let mut tree = Tree::new();
        tree.put("SKILL.md", text);
        tree.put("metadata.yaml", "name: old\nversion: \"1.0.0\"\n");
        let new = renamed(&tree, "old", "new");
        let expected = text
            .replace("name: old", "name: \"new\"")
            .replace("skills/old/scripts", "skills/new/scripts")
            .replace("../old/b.md", "../new/b.md")
            .replace("skills/old. Not", "skills/new. Not");
        assert_eq!(new.text("SKILL.md"), Some(expected.as_str()));
        assert_eq!(new.text("metadata.yaml"), Some("name: \"new\"\nversion: \"1.0.0\"\n"));
        assert_eq!(repointed(&new, "old", "newer"), None);
    }

    #[test]
    fn a_call_is_a_command_a_span_or_a_path() {
        let text = "Then /old.\n$old\n`old`\nskills/old/a.md\nold itself, a/old, /older, `old-er`, $old_1\n";
        assert_eq!(called_in(text, "old"), [1, 2, 3, 4]);
    }
}
