//! dbt_project.yml and packages.yml: how the models of each directory are built, variables, packages.

use serde_json::Value;

use super::lines::{code, line_of};
use super::safe::is_secret_name;
use super::{Fact, Facts, Kind, Source, yaml};

/// Settings that decide which rows of a model a run replaces.
const SETTINGS: &[&str] = &[
    "incremental_strategy", "partition_by", "unique_key", "cluster_by", "on_schema_change", "full_refresh",
    "event_time", "batch_size", "lookback",
];

/// How deep the directories of models are read.
const DEEP: usize = 5;

pub(super) fn project(source: &Source<'_>, out: &mut Facts) {
    let Some(root) = yaml::parsed(source.text) else { return };
    let project = root.get("name").and_then(Value::as_str).unwrap_or_default();
    let fact = Fact::new(Kind::Framework, format!("dbt project {}", code(project))).id("dbt");
    out.put(source, line_of(source.text, &["name:"]), fact.about("dbt"));
    for (directory, settings) in yaml::map(&root, "models") {
        models(source, directory, settings, DEEP, out);
    }
    let own = |(name, value): &(&String, &Value)| !(value.is_object() && *name == project);
    let of_project = root.get("vars").into_iter().flat_map(|vars| yaml::map(vars, project));
    let all: Vec<String> = yaml::map(&root, "vars").filter(own).chain(of_project).map(variable).collect();
    if !all.is_empty() {
        let fact = Fact::new(Kind::Framework, format!("dbt variables {}", all.join(", "))).id("dbt-vars");
        out.put(source, line_of(source.text, &["vars:"]), fact.about("dbt variable variables").about(&all.join(" ")));
    }
}

/// A variable, with its default if it has one and is no credential.
fn variable((name, value): (&String, &Value)) -> String {
    let value = yaml::scalar(value).filter(|_| !is_secret_name(name));
    code(&value.map_or_else(|| name.clone(), |value| format!("{name}: {value}")))
}

/// The settings of a directory and of those below it: `staging` as views.
fn models(source: &Source<'_>, directory: &str, all: &Value, deep: usize, out: &mut Facts) {
    let of = |key: &str| all.get(format!("+{key}")).or_else(|| all.get(key));
    if let Some(built) = of("materialized").and_then(Value::as_str) {
        let text = format!("dbt: {} is materialized as {}", code(directory), code(built));
        let fact = Fact::new(Kind::Framework, text).about("dbt model models").about(directory).about(built);
        out.put(source, line_of(source.text, &[&format!("{directory}:"), "materialized"]), fact);
    }
    let set: Vec<(&str, String)> = SETTINGS.iter().filter_map(|key| Some((*key, flat(of(key)?)?))).collect();
    if let Some((first, _)) = set.first() {
        let said: Vec<String> = set.iter().map(|(key, value)| code(&format!("{key}: {value}"))).collect();
        let text = format!("dbt: {} has {}", code(directory), said.join(", "));
        let fact = Fact::new(Kind::Framework, text).about("dbt model models partitioned").about(directory);
        let line = line_of(source.text, &[&format!("{directory}:"), first]);
        out.put(source, line, fact.about(&said.join(" ")));
    }
    let below = all.as_object().into_iter().flatten();
    for (name, one) in below.filter(|(name, one)| one.is_object() && !name.starts_with('+') && deep > 0) {
        if !SETTINGS.contains(&name.as_str()) {
            models(source, name, one, deep - 1, out);
        }
    }
}

/// A scalar, a list of them, or the `field` of a map.
fn flat(value: &Value) -> Option<String> {
    let all = value.as_array().map(|all| all.iter().filter_map(yaml::scalar).collect::<Vec<_>>().join(", "));
    yaml::scalar(value).or(all).or_else(|| value.get("field").and_then(yaml::scalar))
}

pub(super) fn packages(source: &Source<'_>, out: &mut Facts) {
    let Some(root) = yaml::parsed(source.text) else { return };
    for package in yaml::list(&root, "packages") {
        let Some(name) = package.get("package").and_then(Value::as_str) else { continue };
        let version = package.get("version").and_then(yaml::scalar).unwrap_or_default();
        let fact = Fact::new(Kind::Framework, format!("{} {version}", code(name)).trim()).about("dbt package");
        out.put(source, line_of(source.text, &[name]), fact.about(name));
    }
}
