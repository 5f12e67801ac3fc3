//! The top-level entries of a YAML mapping as pieces of its text: one entry can change, the rest keep their bytes.

use serde_json::{Map, Value};

/// The largest mapping that is read, in bytes. Longer ones are refused before the parser sees them.
pub const MAX_YAML: usize = 64 * 1024;

/// One `key: value` with everything that belongs to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub key: String,
    /// Comment lines and blank lines directly above the key.
    pub lead: String,
    /// The line of the key and the lines that continue its value.
    pub raw: String,
}

/// A mapping, cut at its top-level keys. `text` restores every byte.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Keyed {
    /// The entries, in the order of the text.
    pub entries: Vec<Entry>,
    /// Comment lines and blank lines after the last entry.
    pub tail: String,
}

/// Why a text is not a mapping that can be cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotAMapping {
    /// 1-based line inside the text.
    pub line: usize,
    /// What is wrong, in one line.
    pub what: String,
}

impl Keyed {
    /// Cuts the text at lines that look like top-level keys, whether or not it is valid YAML.
    pub fn split(yaml: &str) -> Self {
        let mut keyed = Self::default();
        for line in yaml.split_inclusive('\n') {
            let bare = line.trim_end_matches(['\n', '\r']);
            if bare.trim().is_empty() || bare.starts_with('#') {
                keyed.tail.push_str(line);
            } else if let Some(key) = key_of(bare) {
                let lead = std::mem::take(&mut keyed.tail);
                keyed.entries.push(Entry { key, lead, raw: line.to_owned() });
            } else if let Some(last) = keyed.entries.last_mut() {
                last.raw.push_str(&keyed.tail);
                last.raw.push_str(line);
                keyed.tail.clear();
            } else {
                keyed.tail.push_str(line);
            }
        }
        keyed
    }

    /// Reads a mapping: its pieces and its values. Errors: when the text is not one YAML mapping, repeats a key, is
    /// longer than [`MAX_YAML`], or its entries are not on separate lines (a mapping in braces).
    pub fn read(yaml: &str) -> Result<(Self, Map<String, Value>), NotAMapping> {
        if yaml.len() > MAX_YAML {
            return Err(NotAMapping { line: 1, what: format!("longer than {MAX_YAML} bytes") });
        }
        let keyed = Self::split(yaml);
        if keyed.entries.is_empty() && only_comments(&keyed.tail) {
            return Ok((keyed, Map::new()));
        }
        let values = parse(yaml)?;
        let mut seen: Vec<&str> = keyed.entries.iter().map(|entry| entry.key.as_str()).collect();
        let mut read: Vec<&str> = values.keys().map(String::as_str).collect();
        seen.sort_unstable();
        read.sort_unstable();
        if seen != read {
            return Err(NotAMapping { line: 1, what: "its keys are not at the beginning of lines".into() });
        }
        Ok((keyed, values))
    }

    pub fn get(&self, key: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.key == key)
    }

    pub fn text(&self) -> String {
        let mut text = String::new();
        for entry in &self.entries {
            text.push_str(&entry.lead);
            text.push_str(&entry.raw);
        }
        text.push_str(&self.tail);
        text
    }
}

/// Whether the lines are all blank or comments.
pub fn only_comments(text: &str) -> bool {
    text.lines().all(|line| line.trim().is_empty() || line.trim_start().starts_with('#'))
}

fn parse(yaml: &str) -> Result<Map<String, Value>, NotAMapping> {
    let options = serde_saphyr::options! {
        strict_booleans: true,
        duplicate_keys: serde_saphyr::DuplicateKeyPolicy::Error,
        with_snippet: false,
        budget: serde_saphyr::budget! {
            max_depth: 16, max_nodes: 20_000, max_events: 60_000, max_aliases: 0, max_documents: 1,
        },
    };
    serde_saphyr::from_str_with_options(yaml, options).map_err(|error| {
        let what = error.to_string().lines().next().unwrap_or("not a YAML mapping").to_owned();
        let line = error.location().map_or(1, |at| usize::try_from(at.line()).unwrap_or(1));
        NotAMapping { line: line.max(1), what }
    })
}

fn key_of(line: &str) -> Option<String> {
    let first = line.chars().next()?;
    if let quote @ ('"' | '\'') = first {
        let inner = line.get(1..)?;
        let end = inner.find(quote)?;
        let (key, rest) = (inner.get(..end)?, inner.get(end + 1..)?);
        let value = rest.trim_start().strip_prefix(':')?;
        return (!key.contains('\\') && (value.is_empty() || value.starts_with([' ', '\t']))).then(|| key.to_owned());
    }
    if first.is_whitespace() || "[]{},&*!|>%@`?".contains(first) || line == "-" || line.starts_with("- ") {
        return None;
    }
    let end = line.match_indices(':').map(|(at, _)| at).find(|at| {
        let rest = line.get(at + 1..).unwrap_or_default();
        rest.is_empty() || rest.starts_with([' ', '\t'])
    })?;
    let key = line.get(..end)?.trim_end();
    (!key.contains(" #")).then(|| key.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_entry_keeps_its_continuation_and_the_comment_above() {
        let yaml = "a: 1\n# about b\nb:\n  - x\n\n  - y\n'c d': {e: [1,\n]}\n# end\n";
        let (keyed, values) = Keyed::read(yaml).unwrap();
        assert_eq!(keyed.text(), yaml);
        assert_eq!(keyed.get("b").unwrap().lead, "# about b\n");
        assert_eq!(keyed.get("b").unwrap().raw, "b:\n  - x\n\n  - y\n");
        assert_eq!(values["b"], serde_json::json!(["x", "y"]));
        assert_eq!(keyed.tail, "# end\n");
        // So does a block scalar, even with keys inside.
        let (keyed, _) = Keyed::read("a: |\n  b: 1\n\n  c: 2\nd: e\n").unwrap();
        assert_eq!(keyed.entries.iter().map(|e| e.key.as_str()).collect::<Vec<_>>(), ["a", "d"]);
    }

    #[test]
    fn what_is_no_mapping_says_where() {
        assert_eq!(Keyed::read("a: 1\nb: c: d\n").unwrap_err().line, 2);
        let deep = format!("a: {}\n", "[".repeat(70_000));
        for bad in ["a: 1\na: 2\n", "{a: 1}\n", "just text\n", "a: [\n", &deep] {
            assert!(Keyed::read(bad).is_err(), "{bad:.20}");
        }
        assert_eq!(Keyed::read("# nothing\n\n").unwrap().1.len(), 0);
    }

    proptest! {
        #[test]
        fn cutting_loses_no_byte(text in "[a-c:\\-# \"'\\[\n\r\t]{0,80}") {
            prop_assert_eq!(Keyed::split(&text).text(), text.clone());
            let _ = Keyed::read(&text);
        }
    }
}
