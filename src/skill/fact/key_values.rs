//! Settings of an application or an environment, key by key: Spring, .NET, Helm values, Terraform variables.

use serde_json::Value;

use super::lines::{code, line_of};
use super::safe::is_secret_name;
use super::{Fact, Facts, Kind, Source, yaml};

/// Words of keys that say nothing of what is set.
const GENERAL: &[&str] = &[
    "active", "app", "application", "args", "auto", "base", "class", "com", "config", "count", "default", "dir",
    "enable", "enabled", "file", "format", "host", "id", "interval", "key", "level", "limit", "limits", "location",
    "max", "maximum", "min", "minimum", "mode", "name", "number", "open", "org", "path", "port", "prefix",
    "properties", "region", "server", "size", "spring", "tag", "time", "timeout", "type", "url", "use", "value",
    "values", "version", "view",
];

/// How deep the keys of a file are read.
const DEEP: usize = 8;

/// How many of its last names tell what a key is about.
const TELLING: usize = 2;

pub(super) fn is_known(lower: &str) -> bool {
    let (stem, ending) = lower.rsplit_once('.').unwrap_or((lower, ""));
    let one =
        |name: &str| stem == name || stem.strip_prefix(name).is_some_and(|rest| rest.starts_with(['-', '.', '_']));
    match ending {
        "yml" | "yaml" => one("application") || one("values"),
        "properties" => one("application"),
        "json" => one("appsettings"),
        "tfvars" => true,
        _ => false,
    }
}

pub(super) fn read(source: &Source<'_>, out: &mut Facts) {
    let lower = source.path.to_ascii_lowercase();
    let parsed = match lower.rsplit_once('.') {
        Some((_, "properties" | "tfvars")) => return lines(source, out),
        Some((_, "json")) => serde_json::from_str(source.text).ok(),
        _ => yaml::parsed(source.text),
    };
    if let Some(all) = parsed {
        below(source, &mut Vec::new(), &all, out);
    }
}

/// Lines such as `cluster_version = "1.29"` and `server.port=8080`.
fn lines(source: &Source<'_>, out: &mut Facts) {
    for (number, line) in source.text.lines().enumerate() {
        let Some((key, value)) = line.split_once('=').map(|(key, value)| (key.trim(), value.trim())) else { continue };
        let plain = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_');
        if !key.is_empty() && key.chars().all(plain) && !value.is_empty() && !value.starts_with(['{', '[', '<']) {
            let names: Vec<&str> = key.split('.').collect();
            put(source, number + 1, &names, value.trim_matches('"'), out);
        }
    }
}

fn below<'v>(source: &Source<'_>, names: &mut Vec<&'v str>, value: &'v Value, out: &mut Facts) {
    let all = value.as_object().filter(|_| names.len() < DEEP);
    for (name, value) in all.into_iter().flatten() {
        names.push(name);
        match yaml::scalar(value) {
            Some(value) => put(source, line_of(source.text, names), names, &value, out),
            None => below(source, names, value, out),
        }
        names.pop();
    }
}

fn put(source: &Source<'_>, line: usize, names: &[&str], value: &str, out: &mut Facts) {
    let telling = names.iter().rev().take(TELLING).flat_map(|name| words(name));
    let words: Vec<String> = telling.filter(|word| !GENERAL.contains(&word.as_str())).collect();
    if words.is_empty() || names.iter().any(|name| is_secret_name(name)) || value.contains("://") {
        return;
    }
    let text = code(&format!("{}: {value}", names.join(".")));
    out.put(source, line, Fact::new(Kind::Setting, text).about(&words.join(" ")));
}

/// `maxPoolSize` is "max pool size".
fn words(name: &str) -> Vec<String> {
    let mut spaced = String::new();
    for c in name.chars() {
        if c.is_uppercase() {
            spaced.push(' ');
        }
        spaced.push(if c.is_alphanumeric() { c.to_ascii_lowercase() } else { ' ' });
    }
    spaced.split_whitespace().filter(|word| word.len() > 2).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::source::{Source, read};
    use super::*;

    fn said(path: &str, text: &str) -> Vec<String> {
        let source = Source { path, text, beside: &BTreeSet::new() };
        read(&source).all.iter().map(|fact| format!("{}:{} {}", fact.text, fact.line, fact.words.join(" "))).collect()
    }

    #[test]
    fn each_key_is_a_fact_about_its_last_names() {
        let spring = "spring:\n  datasource:\n    password: x\n    hikari:\n      maximum-pool-size: 20\n";
        let wanted = "in `src/main/resources`: `spring.datasource.hikari.maximum-pool-size: 20`:5 pool hikari";
        assert_eq!(said("src/main/resources/application.yml", spring), [wanted]);
        let wanted = "in `envs`: `cluster_version: 1.29`:2 cluster";
        assert_eq!(said("envs/staging.tfvars", "region = \"eu\"\ncluster_version = \"1.29\"\ntags = {\n"), [wanted]);
        let wanted = "`Cache.SlidingMinutes: 5`:1 sliding minutes cache";
        assert_eq!(said("appsettings.json", "{\"Cache\": {\"SlidingMinutes\": 5, \"ApiKey\": \"a\"}}"), [wanted]);
        assert!(!is_known("values.md") && is_known("values-prod.yaml") && !is_known("applications.yml"));
    }
}
