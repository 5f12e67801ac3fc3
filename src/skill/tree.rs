//! The files of one skill in memory: this value is what is shown, checked, hashed and written.

use std::collections::BTreeMap;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blob {
    pub bytes: Vec<u8>,
    /// Whether it is written with the executable bits (0755 instead of 0644).
    pub executable: bool,
}

/// All files of a skill by their path inside it: relative, `/` between components, no `.` or `..`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tree(BTreeMap<String, Blob>);

impl Tree {
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds or replaces a plain file.
    pub fn put(&mut self, path: impl Into<String>, bytes: impl Into<Vec<u8>>) {
        self.put_blob(path, Blob { bytes: bytes.into(), executable: false });
    }

    /// Adds or replaces a file with its executable bit.
    pub fn put_blob(&mut self, path: impl Into<String>, blob: Blob) {
        // Windows has no such bit: there a script's first line counts.
        let executable = if cfg!(windows) { blob.bytes.starts_with(b"#!") } else { blob.executable };
        self.0.insert(path.into(), Blob { executable, ..blob });
    }

    pub fn get(&self, path: &str) -> Option<&Blob> {
        self.0.get(path)
    }

    /// The file at this path as text, if it is UTF-8.
    pub fn text(&self, path: &str) -> Option<&str> {
        self.get(path).and_then(|blob| std::str::from_utf8(&blob.bytes).ok())
    }

    /// Every file, sorted by path.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Blob)> {
        self.0.iter().map(|(path, blob)| (path.as_str(), blob))
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is no file.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The bytes of all files together.
    pub fn size(&self) -> u64 {
        self.0.values().map(|blob| blob.bytes.len() as u64).sum()
    }

    /// BLAKE3 over every path, executable bit and content, in hexadecimal: equal trees, equal digest.
    pub fn digest(&self) -> String {
        let mut hasher = blake3::Hasher::new_derive_key("hefesto skill tree v1");
        for (path, blob) in self.iter() {
            hasher.update(&(path.len() as u64).to_le_bytes());
            hasher.update(path.as_bytes());
            hasher.update(&[u8::from(blob.executable)]);
            hasher.update(&(blob.bytes.len() as u64).to_le_bytes());
            hasher.update(&blob.bytes);
        }
        hasher.finalize().to_hex().to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_sees_paths_bytes_and_modes() {
        let mut tree = Tree::new();
        tree.put("SKILL.md", "a");
        let first = tree.digest();
        tree.put_blob("SKILL.md", Blob { bytes: b"a".to_vec(), executable: true });
        assert_ne!(first, tree.digest());
        let mut moved = Tree::new();
        moved.put("SKILL.md2", "a");
        assert_ne!(first, moved.digest());
    }
}
