//! Writing YAML: block maps of one-line double-quoted scalars, which all parsers read alike.
//!
//! Line-based readers take the value up to the end of the line, and plain scalars such as `no` or `2026-11-21`
//! would change their type; a quoted scalar on one line does neither.

use std::fmt::Write as _;

use serde_json::Value;

/// Writes a map of texts, lists of texts and such maps as a block, keys in the order given, ending with a newline.
pub fn block(map: &Value) -> String {
    let mut out = String::new();
    write_map(&mut out, map, 0);
    out
}

/// A key with a text, as a block writes it.
pub fn line(key: &str, text: &str) -> String {
    format!("{}: {}\n", plain_key(key), quoted(text))
}

/// Whether a document is small and flat enough to be parsed: parsers rescan open brackets repeatedly.
/// Errors: what is wrong with it, on one line.
pub fn bounded(text: &str) -> Result<(), String> {
    let options = serde_saphyr::options! {
        duplicate_keys: serde_saphyr::DuplicateKeyPolicy::LastWins,
        with_snippet: false,
        budget: serde_saphyr::budget! { max_depth: 64, max_nodes: 300_000, max_events: 1_000_000, max_aliases: 1000 },
    };
    let read = serde_saphyr::from_str_with_options::<serde::de::IgnoredAny>(text, options);
    read.map(drop).map_err(|error| error.to_string().lines().next().unwrap_or_default().to_owned())
}

/// A string as a double-quoted scalar on one line; it reads back exactly.
pub fn quoted(text: &str) -> String {
    format!("\"{}\"", escaped(text))
}

/// A string escaped for a double-quoted scalar.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            // Some parsers end the frontmatter at the first three hyphens anywhere.
            '-' if out.ends_with("--") => out.push_str("\\x2D"),
            c if unprintable(c) && u32::from(c) <= 0xffff => {
                let _ = write!(out, "\\u{:04X}", u32::from(c));
            }
            c if unprintable(c) => {
                let _ = write!(out, "\\U{:08X}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out
}

/// Characters that YAML forbids, that some parsers take for a line break, or that are invisible.
fn unprintable(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}' | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{e000}'..='\u{f8ff}')
        || u32::from(c) & 0xfffe == 0xfffe
        || u32::from(c) >= 0xe_0000
}

fn write_map(out: &mut String, map: &Value, indent: usize) {
    let text = |value: &Value| quoted(value.as_str().unwrap_or_default());
    for (key, value) in map.as_object().into_iter().flatten() {
        let _ = write!(out, "{:indent$}{}:", "", plain_key(key));
        match value {
            Value::Array(items) if items.is_empty() => out.push_str(" []\n"),
            Value::Object(inner) if inner.is_empty() => out.push_str(" {}\n"),
            Value::Array(items) => {
                out.push('\n');
                items.iter().for_each(|item| _ = writeln!(out, "{:indent$}  - {}", "", text(item)));
            }
            Value::Object(_) => {
                out.push('\n');
                write_map(out, value, indent + 2);
            }
            _ => _ = writeln!(out, " {}", text(value)),
        }
    }
}

/// A key, quoted unless it can only be read as a string.
fn plain_key(key: &str) -> String {
    const WORDS: &[&str] = &["true", "false", "yes", "no", "on", "off", "y", "n", "null"];
    let plain = key.starts_with(|c: char| c.is_ascii_alphabetic())
        && key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
        && !WORDS.contains(&key.to_ascii_lowercase().as_str());
    if plain { key.to_owned() } else { quoted(key) }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn read_both(yaml: &str) -> BTreeMap<String, String> {
        let one: BTreeMap<String, String> = serde_yaml::from_str(yaml).unwrap_or_else(|e| panic!("{e}: {yaml:?}"));
        let two: BTreeMap<String, String> = serde_saphyr::from_str(yaml).unwrap_or_else(|e| panic!("{e}: {yaml:?}"));
        assert_eq!(one, two);
        one
    }

    #[test]
    fn text_that_looks_like_something_else_stays_text() {
        for text in [
            "no", "2026-11-21", "~", "", "a: b", "say \"hi\"", "it's", "C# # x", "a\nb\r\n", "🎉", "\u{feff}x", "---",
            "\u{2028}\u{2029}\u{85}\u{7f}", "\0\u{1b}", "\\n", "- a", "{{x}}", "!tag", "&a *b", "1e3", " pad ",
        ] {
            let yaml = line("k", text);
            assert_eq!(yaml.lines().count(), 1);
            assert!(!yaml.contains("---"), "{yaml}");
            assert_eq!(read_both(&yaml)["k"], text);
            let value: serde_yaml::Value = serde_yaml::from_str(&yaml).unwrap();
            assert!(value["k"].is_string(), "{yaml}");
        }
    }

    #[test]
    fn maps_and_lists_are_blocks() {
        let map = json!({ "name": "x", "metadata": { "no": "y" }, "tags": ["a", "b"], "dependencies": [] });
        let expected = "name: \"x\"\nmetadata:\n  \"no\": \"y\"\ntags:\n  - \"a\"\n  - \"b\"\ndependencies: []\n";
        assert_eq!(block(&map), expected);
        let read: serde_yaml::Value = serde_yaml::from_str(expected).unwrap();
        assert_eq!(read["tags"][1], "b");
    }

    proptest! {
        #[test]
        fn every_string_reads_back(text in any::<String>(), key in any::<String>()) {
            let yaml = block(&json!({ key.clone(): text.clone() }));
            prop_assert_eq!(&yaml, &line(&key, &text));
            let read = read_both(&yaml);
            prop_assert_eq!(read.get(&key), Some(&text));
        }
    }
}
