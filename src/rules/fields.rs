//! S3: fields that the specification does not know, misspelt or read by single clients.

use crate::client::target::{self, Client};
use crate::rules::{Document, FindingCollector, Id, shown};

/// The fields of the specification.
pub(super) const KNOWN: &[&str] = &["name", "description", "license", "compatibility", "metadata", "allowed-tools"];
/// The most unknown fields that are reported.
const MAX_FIELDS: usize = 100;
/// Misspellings with a large edit distance.
const MEANT: &[(&str, &str)] = &[
    ("tools", "allowed-tools"),
    ("allowedtool", "allowed-tools"),
    ("desc", "description"),
    ("summary", "description"),
    ("title", "name"),
    ("licence", "license"),
    ("meta", "metadata"),
    ("compat", "compatibility"),
    ("userinvocable", "user-invocable"),
    ("userinvokable", "user-invocable"),
    ("disableautoinvocation", "disable-model-invocation"),
    ("disablemodelinvokation", "disable-model-invocation"),
    ("whentouse", "when_to_use"),
    ("arguments-hint", "argument-hint"),
];

/// Reports fields that the specification does not know, unless all of the given clients read them.
pub(super) fn check(doc: &Document, clients: &[&Client], report: &mut FindingCollector<'_>) {
    let unknown = doc.fields.iter().filter(|field| !KNOWN.contains(&field.key.as_str()));
    let read = |key: &str| !clients.is_empty() && clients.iter().all(|client| client.reads(key));
    for field in unknown.filter(|field| !read(&field.key)).take(MAX_FIELDS) {
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
    if let Some((_, field)) = MEANT.iter().find(|(spelling, _)| squeeze(spelling) == squeezed) {
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

/// Without case, hyphens and underscores.
fn squeeze(key: &str) -> String {
    key.chars().filter(|c| !matches!(c, '-' | '_' | ' ')).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_some_client_reads_is_not_sent_where_none_reads_it() {
        let doc = crate::skill::frontmatter::read(b"---\nname: a\nmodel: x\nauthor: Ana\n---\nB\n").unwrap();
        let mut report = FindingCollector::new("");
        check(&doc, &[], &mut report);
        let fixes: Vec<_> = report.finish().into_iter().map(|one| (one.line, one.fix.contains("metadata"))).collect();
        assert_eq!(fixes, [(3, false), (4, true)]);
    }

    #[test]
    fn misspelt_fields_are_distinguished_from_others() {
        for (key, field) in [
            ("allowed_tools", "allowed-tools"),
            ("Allowed-Tools", "allowed-tools"),
            ("descripton", "description"),
            ("Name", "name"),
            ("user-invokable", "user-invocable"),
            ("user_invocable", "user-invocable"),
            ("when-to-use", "when_to_use"),
            ("disable_model_invocation", "disable-model-invocation"),
            ("licence", "license"),
            ("argument_hint", "argument-hint"),
        ] {
            assert_eq!(meant(key), Some(field), "{key}");
        }
        for key in ["version", "author", "tags", "category", "homepage", "game", "x", "colour", "agents", "models"] {
            assert_eq!(meant(key), None, "{key}");
        }
    }
}
