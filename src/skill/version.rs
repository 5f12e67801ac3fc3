//! The version of a skill: read, raised, and written back in place; every other byte is unchanged.

use super::Tree;
use super::frontmatter::{self, Field, Value};
use super::keyed::Keyed;
use super::metadata::FILE;
use super::yaml;

/// Which part of a version is raised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bump {
    Major,
    Minor,
    Patch,
    None,
}

pub fn version(tree: &Tree) -> Option<String> {
    stated(tree, "version")
}

/// What a skill states of itself: in the frontmatter's `metadata`, at its top level, or in metadata.yaml.
pub fn stated(tree: &Tree, key: &str) -> Option<String> {
    let of_head = || {
        let document = frontmatter::read(&tree.get("SKILL.md")?.bytes).ok()?;
        place(&document.fields, key).and_then(|field| field.value.scalar()).map(str::to_owned)
    };
    of_head().or_else(|| sidecar(tree, key))
}

/// The next version. None if the version does not have three numbers.
pub fn raised(version: &str, bump: Bump) -> Option<String> {
    let [major, minor, patch] = semver(version)?;
    Some(match bump {
        Bump::Major => format!("{}.0.0", major + 1),
        Bump::Minor => format!("{major}.{}.0", minor + 1),
        Bump::Patch => format!("{major}.{minor}.{}", patch + 1),
        Bump::None => version.to_owned(),
    })
}

/// Writes the version wherever the skill has one; a skill without a version gets none.
pub fn set(tree: &mut Tree, version: &str) {
    if let Some(text) = tree.text("SKILL.md").and_then(|text| in_head(text, version)) {
        replace(tree, "SKILL.md", text);
    }
    set_sidecar(tree, "version", version);
}

/// Updates what metadata.yaml repeats of SKILL.md's head, where it was equal to it before.
pub fn follow_head(tree: &mut Tree, before: &Tree) {
    let head_of = |tree: &Tree| tree.text("SKILL.md").and_then(frontmatter::head);
    let (Some(old), Some(new)) = (head_of(before), head_of(tree)) else { return };
    for (key, old, new) in [("name", old.name, new.name), ("description", old.description, new.description)] {
        if old != new && sidecar(tree, key).is_some_and(|known| known == old) {
            set_sidecar(tree, key, &new);
        }
    }
    for key in ["version", "license", "author", "category"] {
        let (old, new) = (stated(before, key), stated(tree, key));
        if let Some(new) = new.filter(|new| old.as_ref() != Some(new) && sidecar(tree, key) == old) {
            set_sidecar(tree, key, &new);
        }
    }
}

/// Updates the time of the last change in metadata.yaml, if it has one.
pub fn touch(tree: &mut Tree, now: &str) {
    set_sidecar(tree, "updated", now);
}

fn place<'f>(fields: &'f [Field], key: &str) -> Option<&'f Field> {
    let nested = fields.iter().find(|field| field.key == "metadata").and_then(|field| match &field.value {
        Value::Map(inner) => inner.iter().find(|field| field.key == key),
        _ => None,
    });
    nested.or_else(|| fields.iter().find(|field| field.key == key))
}

fn in_head(text: &str, version: &str) -> Option<String> {
    let document = frontmatter::read(text.as_bytes()).ok()?;
    let field = place(&document.fields, "version")?;
    let old = field.value.scalar()?;
    let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
    let line = lines.get_mut(field.value_at.line.checked_sub(1)?)?;
    let (key, value) = line.split_once(':').filter(|(_, value)| value.contains(old))?;
    *line = format!("{key}:{}", value.replacen(old, version, 1));
    Some(lines.concat())
}

fn sidecar(tree: &Tree, key: &str) -> Option<String> {
    let fields = frontmatter::read_yaml(tree.text(FILE)?).ok()?;
    fields.iter().find(|field| field.key == key)?.value.scalar().map(str::to_owned)
}

fn set_sidecar(tree: &mut Tree, key: &str, value: &str) {
    let Some((mut keyed, _)) = tree.text(FILE).and_then(|text| Keyed::read(text).ok()) else { return };
    let Some(entry) = keyed.entries.iter_mut().find(|entry| entry.key == key) else { return };
    entry.raw = yaml::line(key, value);
    replace(tree, FILE, keyed.text());
}

/// Replaces a file's text and keeps its executable bit.
fn replace(tree: &mut Tree, path: &str, text: String) {
    if let Some(blob) = tree.get(path).cloned() {
        tree.put_blob(path, super::Blob { bytes: text.into_bytes(), ..blob });
    }
}

/// Major, minor and patch of a semantic version; a pre-release or build suffix is allowed.
pub fn semver(text: &str) -> Option<[u64; 3]> {
    let core = text.split(['-', '+']).next()?;
    let mut parts = core.split('.').map(|part| {
        let plain = !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        part.parse().ok().filter(|_| plain && (part == "0" || !part.starts_with('0')))
    });
    let version = [parts.next()??, parts.next()??, parts.next()??];
    let rest = text.get(core.len()..)?;
    let tidy = rest.bytes().all(|b| b.is_ascii_alphanumeric() || b"-+.".contains(&b)) && rest.len() != 1;
    (parts.next().is_none() && tidy).then_some(version)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn skill(head: &str, sidecar: &str) -> Tree {
        let mut tree = Tree::new();
        tree.put("SKILL.md", format!("---\nname: x\ndescription: \"Old.\"\n{head}---\n\nversion: 1.0.0\n"));
        if !sidecar.is_empty() {
            tree.put(FILE, sidecar);
        }
        tree
    }

    #[test]
    fn a_version_is_raised_where_it_stands() {
        let head = "metadata:\n  author: a\n  version: '1.0.9' # mine\n";
        let mut tree = skill(head, "version: 1.0.9\nupdated: \"then\"\n");
        assert_eq!(version(&tree).as_deref(), Some("1.0.9"));
        set(&mut tree, &raised("1.0.9", Bump::Patch).unwrap());
        touch(&mut tree, "now");
        let text = tree.text("SKILL.md").unwrap();
        assert!(text.contains("  version: '1.0.10' # mine\n") && text.ends_with("\nversion: 1.0.0\n"), "{text}");
        assert_eq!(tree.text(FILE), Some("version: \"1.0.10\"\nupdated: \"now\"\n"));
        for (version, bump, next) in
            [("1.2.3", Bump::Minor, Some("1.3.0")), ("1.2.3", Bump::Major, Some("2.0.0")), ("soon", Bump::Patch, None)]
        {
            assert_eq!(raised(version, bump).as_deref(), next);
        }
    }

    #[test]
    fn a_skill_without_a_version_gets_none() {
        let mut tree = skill("", "");
        let before = tree.clone();
        assert_eq!(version(&tree), None);
        set(&mut tree, "1.0.1");
        assert_eq!(tree, before);
        assert_eq!(version(&skill("", "version: \"3.1.0\"\n")).as_deref(), Some("3.1.0"));
        assert_eq!(version(&skill("version: 2.0.0\n", "")).as_deref(), Some("2.0.0"));
    }

    #[test]
    fn the_second_file_follows_where_it_said_the_same() {
        for (sidecar, follows) in [("description: Old.\n", true), ("description: Its own.\n", false)] {
            let before = skill("", sidecar);
            let mut tree = before.clone();
            tree.put("SKILL.md", tree.text("SKILL.md").unwrap().replace("Old.", "New."));
            follow_head(&mut tree, &before);
            assert_eq!(tree.text(FILE) == Some("description: \"New.\"\n"), follows);
        }
    }

    #[test]
    fn versions_have_three_numbers() {
        assert_eq!(semver("1.20.3"), Some([1, 20, 3]));
        assert_eq!(semver("1.0.0-rc.1"), Some([1, 0, 0]));
        for bad in ["1.0", "v1.0.0", "1.0.0.0", "01.0.0", "1.0.x", "", "1.0.0-", "1.0.0-a b"] {
            assert_eq!(semver(bad), None, "{bad:?}");
        }
    }
}
