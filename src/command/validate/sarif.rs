//! The findings of `validate` for other programs: a SARIF 2.1.0 log (OASIS Static Analysis Results Interchange Format),
//! and the annotations of a GitHub workflow, one command per finding, each on its own line.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};

use super::{check::Checked, render::SkillGroup};
use crate::rules::{Enforced, Finding, RULES, Rule, Severity};
use crate::skill::printable;

const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The log with its line end; files relative to the project's root.
pub(super) fn log(root: &Path, checked: &[Checked], exit: crate::error::Exit) -> String {
    let rules: Vec<&Rule> = RULES.iter().filter(|rule| rule.enforced == Enforced::OnFiles).collect();
    let mut seen: BTreeMap<[String; 3], usize> = BTreeMap::new();
    let mut results = Vec::new();
    for one in checked {
        for (index, finding) in one.findings.iter().enumerate() {
            let quote = one.quotes.get(index).and_then(Option::as_ref);
            let file = one.file(root, finding);
            let mut region = json!({ "startLine": finding.line, "startColumn": finding.column });
            if let Some(quote) = quote {
                region["endColumn"] = json!(quote.end);
            }
            let line = quote.map_or("", |quote| &quote.line);
            let key = [finding.rule.clone(), file.clone(), normal(line)];
            let nth = seen.entry(key.clone()).or_default();
            let mut result = json!({
                "ruleId": finding.rule, "level": level(finding.severity), "message": { "text": message(finding) },
                "locations": [{ "physicalLocation": { "artifactLocation": { "uri": uri(&file) }, "region": region } }],
                "partialFingerprints": { "hefesto/v1": fingerprint(&key, *nth) },
            });
            *nth += 1;
            if let Some(index) = rules.iter().position(|rule| rule.id == finding.rule) {
                result["ruleIndex"] = json!(index);
            }
            if let Some(client) = &finding.client {
                result["properties"] = json!({ "client": client });
            }
            results.push(result);
        }
    }
    let log = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "hefesto",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": rules.into_iter().map(descriptor).collect::<Vec<_>>(),
            }},
            "invocations": [{ "executionSuccessful": true, "exitCode": exit.number() }],
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    });
    format!("{log:#}\n")
}

fn descriptor(rule: &Rule) -> Value {
    json!({
        "id": rule.id,
        "shortDescription": { "text": rule.title },
        "fullDescription": { "text": rule.why },
        "help": {
            "text": format!("{}\n\nExample: {}\n\nWhat to do: {}\n\nSource: {}", rule.why, rule.example, rule.fix, rule.source),
        },
        "defaultConfiguration": { "level": level(rule.severity) },
        "properties": { "layer": rule.layer },
    })
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "note",
    }
}

fn message(finding: &Finding) -> String {
    printable(&format!("{}. {}", finding.message.trim_end_matches('.'), finding.fix))
}

fn normal(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Identifies a finding independent of its line number: its rule, its file, the text of its line, and its index among
/// equal ones.
fn fingerprint(key: &[String; 3], nth: usize) -> String {
    let mut hasher = blake3::Hasher::new_derive_key("hefesto finding v1");
    for part in key {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    hasher.update(&(nth as u64).to_le_bytes());
    hasher.finalize().to_hex().chars().take(32).collect()
}

/// A path as a URI reference: relative as it is, absolute with the scheme `file` (RFC 3986, RFC 8089).
fn uri(path: &str) -> String {
    let mut uri = if path.starts_with('/') { "file://".to_owned() } else { String::new() };
    for byte in path.bytes() {
        match byte {
            b'/' | b'-' | b'.' | b'_' | b'~' => uri.push(byte.into()),
            byte if byte.is_ascii_alphanumeric() => uri.push(byte.into()),
            byte => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

/// The workflow commands, with files relative to the project's root. GitHub shows few of each kind, so findings about
/// several clients are merged, and remarks are left out unless requested.
pub(super) fn annotations(root: &Path, groups: &[SkillGroup<'_>], remarks: bool) -> String {
    let mut text = String::new();
    for SkillGroup { copies, findings } in groups {
        for (one, merged) in copies.first().into_iter().flat_map(|one| findings.iter().map(move |merged| (one, merged)))
        {
            let finding = merged.finding;
            let word = match finding.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
                Severity::Info if remarks => "notice",
                Severity::Info => continue,
            };
            let end = merged.quote.map_or(finding.column, |quote| quote.end);
            let mut message = format!("{}\nfix: {}", printable(&finding.message), printable(&finding.fix));
            if let Some(others) = merged.others() {
                message.push_str(&format!("\nlikewise: {others}"));
            }
            text.push_str(&format!(
                "::{word} file={},line={},endLine={1},col={},endColumn={end},title={}::{}\n",
                property(&one.file(root, finding)),
                finding.line,
                finding.column,
                property(&finding.rule),
                escaped(&message)
            ));
        }
    }
    text
}

/// Escapes a message.
fn escaped(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// The value of a property, which a colon or a comma would end.
fn property(text: &str) -> String {
    escaped(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_uris() {
        assert_eq!(uri(".claude/skills/a b/é.md"), ".claude/skills/a%20b/%C3%A9.md");
        assert_eq!(uri("/tmp/x:y"), "file:///tmp/x%3Ay");
    }

    #[test]
    fn a_fingerprint_tells_rule_file_line_and_count_apart() {
        let key = |rule: &str, file: &str, line: &str| [rule.to_owned(), file.to_owned(), normal(line)];
        let prints = [
            fingerprint(&key("S5", "a", "name: x"), 0),
            fingerprint(&key("S5", "a", "name: x"), 1),
            fingerprint(&key("S6", "a", "name: x"), 0),
            fingerprint(&key("S5", "b", "name: x"), 0),
            fingerprint(&key("S5", "a", "name: y"), 0),
        ];
        let apart: std::collections::BTreeSet<_> = prints.iter().collect();
        assert_eq!(apart.len(), prints.len());
        assert_eq!(prints.first(), Some(&fingerprint(&key("S5", "a", "  name:   x "), 0)));
    }

    #[test]
    fn what_would_end_a_command_is_escaped() {
        assert_eq!(escaped("100 %\r\na: b, c"), "100 %25%0D%0Aa: b, c");
        assert_eq!(property("a:b,c%\n"), "a%3Ab%2Cc%25%0A");
        assert_eq!(property("%3A"), "%253A");
    }
}
