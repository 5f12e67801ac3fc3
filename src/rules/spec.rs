//! The Agent Skills specification, rule by rule, on a SKILL.md that could be read.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::client::target::{self, Client};
use crate::rules::{FindingCollector, Id, Page, Position, Severity, Subject, masked, shown, shown_whole, text_of};
use crate::skill::Name;
use crate::skill::frontmatter::{self, Document, Field, Value};
use crate::skill::name::MAX_NAME;
use crate::skill::tokens;
use crate::skill::yaml;

const MAX_DESCRIPTION: usize = 1024;
const MAX_COMPATIBILITY: usize = 500;
const MAX_LINES: usize = 500;
const DISCOVERY_TOKENS: usize = 100;
const BODY_TOKENS: usize = 4999;
const MAX_WRITTEN: usize = 200;

pub(super) fn check(subject: &Subject<'_>, page: &Page<'_>, clients: &[&Client], report: &mut FindingCollector<'_>) {
    let doc = page.doc;
    unknown_fields(doc, clients, report);
    name(subject, doc, report);
    description(doc, report);
    optional_fields(doc, report);
    size(page, report);
}

fn name(subject: &Subject<'_>, doc: &Document, report: &mut FindingCollector<'_>) {
    let Some(field) = doc.field("name") else {
        return report.add(Id::S4.at(Position::START, "The frontmatter has no name"));
    };
    let at = field.value_at;
    let Some(name) = field.value.scalar() else {
        return report.add(Id::S4.at(at, format!("The name is {}, not text", field.value.kind())));
    };
    let length = name.chars().count();
    if name.trim().is_empty() {
        return report.add(Id::S4.at(at, "The name is empty"));
    }
    if length > MAX_NAME {
        report.add(Id::S4.at(at, format!("The name has {length} characters; the specification allows {MAX_NAME}")));
    }
    let plain = |b: u8| b == b'-' || b.is_ascii_lowercase() || b.is_ascii_digit();
    if !name.bytes().all(plain) && !name.nfkc().all(|c| c == '-' || is_lowercase_letter_or_digit(c)) {
        let message =
            format!("The name `{}` has a character other than lowercase letters, digits and hyphens", shown(name));
        report.add(Id::S5.at(at, message));
    }
    if name.starts_with('-') || name.ends_with('-') || name.contains("--") {
        let message = format!("The name `{}` begins or ends with a hyphen, or has two in a row", shown(name));
        report.add(Id::S6.at(at, message));
    }
    let folder = subject.directory;
    if !folder.is_empty() && name != folder && !name.nfkc().eq(folder.nfkc()) {
        let message = format!("The name `{}` is not the folder's name `{}`", shown(name), shown(folder));
        let fix = match (Name::parse(name).is_ok(), Name::parse(folder).is_ok()) {
            (true, true) => format!("Rename the folder to `{name}`, or write `name: {folder}`."),
            (true, false) => format!("Rename the folder to `{name}`."),
            (false, true) => format!("Write `name: {folder}`."),
            (false, false) => Id::S7.rule().fix.to_owned(),
        };
        report.add(Id::S7.at(at, message).with_fix(shown_whole(&fix)));
    }
}

/// A lowercase letter or digit of any script, but no combining mark.
fn is_lowercase_letter_or_digit(c: char) -> bool {
    c.is_alphanumeric() && !is_combining_mark(c) && c.to_lowercase().eq([c])
}

fn description(doc: &Document, report: &mut FindingCollector<'_>) {
    let Some(field) = doc.field("description") else {
        return report.add(Id::S8.at(Position::START, "The frontmatter has no description"));
    };
    let Some(text) = field.value.scalar() else {
        return report.add(Id::S8.at(field.value_at, format!("The description is {}, not text", field.value.kind())));
    };
    let length = text.chars().count();
    if text.trim().is_empty() {
        report.add(Id::S8.at(field.value_at, "The description is empty"));
    } else if length > MAX_DESCRIPTION {
        let message = format!("The description has {length} characters; at most {MAX_DESCRIPTION} are allowed");
        report.add(Id::S8.at(field.value_at, message).with_fix("Shorten it; give the details in the body."));
    }
    let name = text_of(doc, "name").map_or("", |(_, name)| name);
    if let Some(cost) = tokens::above(DISCOVERY_TOKENS, &[name, text]) {
        let message = format!("Name and description cost {}", tokens::describe(cost));
        let fix = "Keep what decides whether the skill is used; move the rest to the body.";
        report.add(Id::S15.at(field.value_at, message).with_fix(fix));
    }
}

fn optional_fields(doc: &Document, report: &mut FindingCollector<'_>) {
    if let Some(field) = doc.field("license").filter(|field| field.value.scalar().is_none()) {
        report.add(Id::S9.at(field.value_at, format!("The licence is {}, not text", field.value.kind())));
    }
    if let Some(field) = doc.field("compatibility") {
        compatibility(field, report);
    }
    if let Some(field) = doc.field("metadata") {
        metadata(field, report);
    }
    if let Some(field) = doc.field("allowed-tools").filter(|field| !matches!(field.value, Value::Text(_))) {
        let message = format!("`allowed-tools` is {}, not one line of text", field.value.kind());
        let fix = one_line(&field.value).map(|line| format!("Write `{}`.", shown_whole(&line)));
        let fix = fix.unwrap_or_else(|| "Leave it out, or name the tools: `allowed-tools: Read Grep`.".to_owned());
        report.add(Id::S12.at(field.value_at, message).with_fix(fix));
    }
}

/// The corrected field, if its value is a list of tools.
fn one_line(tools: &Value) -> Option<String> {
    let Value::List(items) = tools else { return None };
    let items: Option<Vec<&str>> = items.iter().map(|item| item.value.scalar()).collect();
    let line = items?.join(" ");
    [line.clone(), yaml::quoted(&line)].iter().map(|value| format!("allowed-tools: {value}")).find(|written| {
        let fields = frontmatter::read_yaml(written).unwrap_or_default();
        !line.trim().is_empty() && fields.first().is_some_and(|field| field.value == Value::Text(line.clone()))
    })
}

fn compatibility(field: &Field, report: &mut FindingCollector<'_>) {
    let at = field.value_at;
    let other = || format!("The compatibility note is {}, not text", field.value.kind());
    let Some(text) = field.value.scalar() else { return report.add(Id::S10.at(at, other())) };
    let length = text.chars().count();
    if text.trim().is_empty() {
        report.add(Id::S10.at(at, "The compatibility note is empty"));
    } else if length > MAX_COMPATIBILITY {
        let message =
            format!("The compatibility note has {length} characters; at most {MAX_COMPATIBILITY} are allowed");
        report.add(Id::S10.at(at, message));
    }
    if !matches!(field.value, Value::Text(_)) {
        let fix = format!("Quote it: compatibility: \"{}\"", shown(text));
        report.add(Id::S10.at(at, other()).weighed(Severity::Warning).with_fix(fix));
    }
}

fn metadata(field: &Field, report: &mut FindingCollector<'_>) {
    let Value::Map(entries) = &field.value else {
        return report.add(Id::S11.at(field.value_at, format!("`metadata` is {}, not a map", field.value.kind())));
    };
    for entry in entries.iter().filter(|entry| !entry.text_key) {
        let message = format!("The key `{}` of `metadata` is not text", shown(&entry.key));
        let fix = format!("Quote it: \"{}\":", shown(&entry.key));
        report.add(Id::S11.at(entry.key_at, message).weighed(Severity::Warning).with_fix(fix));
    }
    for entry in entries.iter().filter(|entry| !matches!(entry.value, Value::Text(_))) {
        let message = format!("`metadata.{}` is {}, not text", shown(&entry.key), entry.value.kind());
        let fix = match entry.value.scalar() {
            Some(text) => format!("Quote it: {}: \"{}\"", shown(&entry.key), shown(text)),
            None => as_text(&entry.key, &entry.value),
        };
        report.add(Id::S11.at(entry.value_at, message).weighed(Severity::Warning).with_fix(fix));
    }
}

/// How to write a non-scalar entry of the metadata as text: the exact lines, if they are few and safe to show.
fn as_text(key: &str, value: &Value) -> String {
    let written: Option<Vec<(String, String)>> = match value {
        Value::List(items) => {
            let items: Option<Vec<&str>> = items.iter().map(|item| item.value.scalar()).collect();
            items.map(|items| vec![(key.to_owned(), items.join(", "))])
        }
        Value::Map(entries) => {
            let line = |one: &Field| Some((format!("{key}-{}", one.key), one.value.scalar()?.to_owned()));
            entries.iter().map(line).collect()
        }
        _ => None,
    };
    let written = written.unwrap_or_default().into_iter().filter(|(_, text)| !text.is_empty());
    let line = |(key, text): (String, String)| format!("`{}`", yaml::line(&key, &text).trim_end());
    let lines: Vec<String> = written.map(line).collect();
    let advice = lines.join(" and ");
    let key = shown(key);
    if matches!(value, Value::Null) || lines.is_empty() && empty(value) {
        format!("Leave it out, or write its value in quotes: `{key}: \"...\"`.")
    } else if lines.is_empty() || advice.chars().count() > MAX_WRITTEN || masked(&advice) != advice {
        format!("Write it as one line of text, `{key}: \"...\"`.")
    } else if lines.len() > 1 {
        format!("Write {} lines of text: {advice}.", lines.len())
    } else {
        format!("Write {advice}.")
    }
}

/// Whether no value is a list or a map.
fn empty(value: &Value) -> bool {
    matches!(value, Value::List(items) if items.is_empty())
        || matches!(value, Value::Map(entries) if entries.is_empty())
}

fn size(page: &Page<'_>, report: &mut FindingCollector<'_>) {
    let lines = page.lines.count();
    if lines >= MAX_LINES {
        report.add(Id::S16.at_line(MAX_LINES, format!("SKILL.md has {lines} lines; keep it under {MAX_LINES}")));
    }
    if let Some(cost) = tokens::above(BODY_TOKENS, &[page.doc.body()]) {
        let message =
            format!("The body costs {}; less than {} are recommended", tokens::describe(cost), BODY_TOKENS + 1);
        let fix = "Move material to references/ and say in SKILL.md when to read it.";
        report.add(Id::S15.at(Position::START, message).with_fix(fix));
    }
}

/// The fields of the specification.
pub(super) const KNOWN: &[&str] = &["name", "description", "license", "compatibility", "metadata", "allowed-tools"];
/// Fields, and misspellings of them with a large edit distance.
const MEANT: &[(&str, &str)] = &[
    ("allowed-tools", "tools allowedtool"),
    ("description", "desc summary"),
    ("name", "title"),
    ("license", "licence"),
    ("metadata", "meta"),
    ("compatibility", "compat"),
    ("user-invocable", "userinvocable userinvokable"),
    ("disable-model-invocation", "disableautoinvocation disablemodelinvokation"),
    ("when_to_use", "whentouse"),
    ("argument-hint", "arguments-hint"),
];

/// Reports fields that the specification does not know, unless all of the given clients read them.
fn unknown_fields(doc: &Document, clients: &[&Client], report: &mut FindingCollector<'_>) {
    let unknown = doc.fields.iter().filter(|field| !KNOWN.contains(&field.key.as_str()));
    let read = |key: &str| !clients.is_empty() && clients.iter().all(|client| client.reads(key));
    for field in unknown.filter(|field| !read(&field.key)).take(super::MAX_PLACES) {
        let key = shown(&field.key);
        let readers: Vec<&str> =
            target::clients().filter(|client| client.reads(&field.key)).map(|client| client.title).collect();
        let (message, fix) = if !readers.is_empty() {
            // Under `metadata` no client would read it any more.
            let fix = "Keep it only if the skill is for those clients; others ignore it, and some uploads refuse it.";
            let message = format!("The field `{key}` is not in the specification; read by: {}", readers.join(", "));
            (message, fix.to_owned())
        } else if let Some(meant) = meant(&field.key) {
            (format!("Unknown field `{key}`; did you mean `{meant}`?"), format!("Write `{meant}`."))
        } else {
            (format!("Unknown field `{key}`"), Id::S3.rule().fix.to_owned())
        };
        report.add(Id::S3.at(field.key_at, message).with_fix(fix));
    }
}

/// The field a misspelt key means, if it is near one.
pub(super) fn meant(key: &str) -> Option<&'static str> {
    let squeezed = squeeze(key);
    let is_meant = |(_, spellings): &&(&str, &str)| spellings.split(' ').any(|one| squeeze(one) == squeezed);
    if let Some((field, _)) = MEANT.iter().find(is_meant) {
        return Some(field);
    }
    let near = |field: &str, far| {
        let field = squeeze(field);
        // Words of other lengths are further apart than that.
        field.chars().count().abs_diff(squeezed.chars().count()) <= far
            && strsim::damerau_levenshtein(&squeezed, &field) <= far
    };
    let known = KNOWN.iter().copied().find(|field| near(field, if field.len() > 4 { 2 } else { 0 }));
    // A client's field is suggested for a similar word only if it is long: `agents` does not mean `agent`.
    let read = || target::clients().flat_map(|client| client.fields).copied();
    known.or_else(|| read().find(|field| near(field, if field.len() > 8 { 2 } else { 0 })))
}

fn squeeze(key: &str) -> String {
    key.chars().filter(|c| !matches!(c, '-' | '_' | ' ')).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fix_of_metadata_that_is_no_text_is_the_line_to_write() {
        let head = |entry: &str| format!("---\nname: x\ndescription: y\nmetadata:\n  {entry}\n---\nRead it.\n");
        for (entry, fix) in [
            ("tags: [java, \"code review\"]", "Write `tags: \"java, code review\"`."),
            ("version: 1.0", "Quote it: version: \"1.0\""),
            (
                "author: {name: Ana, team: web}",
                "Write 2 lines of text: `author-name: \"Ana\"` and `author-team: \"web\"`.",
            ),
            ("author: {name: {first: Ana}}", "Write it as one line of text, `author: \"...\"`."),
            ("author:", "Leave it out, or write its value in quotes: `author: \"...\"`."),
            ("tags: []", "Leave it out, or write its value in quotes: `tags: \"...\"`."),
            ("mail: [maria.silva@firma.com.br]", "Write it as one line of text, `mail: \"...\"`."),
        ] {
            let doc = frontmatter::read(head(entry).as_bytes()).unwrap();
            let mut report = FindingCollector::new("");
            optional_fields(&doc, &mut report);
            let fixes: Vec<_> = report.finish().into_iter().map(|one| one.fix).collect();
            assert_eq!(fixes, [fix], "{entry}");
        }
    }

    #[test]
    fn a_field_some_client_reads_is_not_sent_where_none_reads_it() {
        let doc = frontmatter::read(b"---\nname: a\nmodel: x\nauthor: Ana\n---\nB\n").unwrap();
        let mut report = FindingCollector::new("");
        unknown_fields(&doc, &[], &mut report);
        let fixes: Vec<_> = report.finish().into_iter().map(|one| (one.line, one.fix.contains("metadata"))).collect();
        assert_eq!(fixes, [(3, false), (4, true)]);
    }

    #[test]
    fn misspelt_fields_are_distinguished_from_others() {
        for (field, keys) in [
            ("allowed-tools", &["allowed_tools", "Allowed-Tools"][..]),
            ("description", &["descripton"]),
            ("name", &["Name"]),
            ("user-invocable", &["user-invokable", "user_invocable"]),
            ("when_to_use", &["when-to-use"]),
            ("disable-model-invocation", &["disable_model_invocation"]),
            ("license", &["licence"]),
            ("argument-hint", &["argument_hint"]),
        ] {
            assert!(keys.iter().all(|key| meant(key) == Some(field)), "{field}");
        }
        for key in ["version", "author", "tags", "category", "homepage", "game", "x", "colour", "agents", "models"] {
            assert_eq!(meant(key), None, "{key}");
        }
    }
}
