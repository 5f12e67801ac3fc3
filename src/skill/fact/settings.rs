//! Settings of applications and frameworks, key by key: Spring, .NET, Helm values, Terraform variables, Django, Airflow, dbt.

use serde_json::Value;

use super::formats::{code, directory, entries, list, map, name, parsed, scalar, word};
use super::safe::is_secret_name;
use super::{Fact, Kind, Reading};

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

pub(super) fn read(file: &mut Reading<'_>) {
    let lower = file.path.to_ascii_lowercase();
    let parsed = match lower.rsplit_once('.') {
        Some((_, "properties" | "tfvars")) => return lines(file),
        Some((_, "json")) => serde_json::from_str(file.text).ok(),
        _ => parsed(file.text),
    };
    if let Some(all) = parsed {
        below(file, &mut Vec::new(), &all);
    }
}

/// What stands before and behind the `=` of a line.
fn assigned(line: &str) -> Option<(&str, &str)> {
    line.split_once('=').map(|(key, value)| (key.trim(), value.trim()))
}

/// Lines such as `cluster_version = "1.29"` and `server.port=8080`.
fn lines(file: &mut Reading<'_>) {
    for (number, line) in file.lines() {
        let Some((key, value)) = assigned(line) else { continue };
        let plain = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_');
        if !key.is_empty() && key.chars().all(plain) && !value.is_empty() && !value.starts_with(['{', '[', '<']) {
            put(file, number, &key.split('.').collect::<Vec<_>>(), value.trim_matches('"'));
        }
    }
}

fn below<'v>(file: &mut Reading<'_>, names: &mut Vec<&'v str>, value: &'v Value) {
    let all = value.as_object().filter(|_| names.len() < DEEP);
    for (name, value) in all.into_iter().flatten() {
        names.push(name);
        match scalar(value) {
            Some(value) => put(file, file.line_of(names), names, &value),
            None => below(file, names, value),
        }
        names.pop();
    }
}

fn put(file: &mut Reading<'_>, line: usize, names: &[&str], value: &str) {
    let telling = names.iter().rev().take(TELLING).flat_map(|name| words(name));
    let words: Vec<String> = telling.filter(|word| !GENERAL.contains(&word.as_str())).collect();
    if words.is_empty() || names.iter().any(|name| is_secret_name(name)) || value.contains("://") {
        return;
    }
    let text = code(&format!("{}: {value}", names.join(".")));
    file.put(line, Fact::new(Kind::Setting, text).about(&words.join(" ")));
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

/// Options of the connection, written in one string or as a key.
const LIMITS: &[&str] = &["lock_timeout", "statement_timeout", "idle_in_transaction_session_timeout"];
/// Settings about migrations.
const DJANGO: &[&str] = &["MIGRATION_MODULES", "ATOMIC_REQUESTS", "CONN_MAX_AGE"];

/// Whether a path is a file of Django's settings: `shop/settings.py`, `config/settings/production.py`.
pub(super) fn is_django(path: &str) -> bool {
    const PARTS: &[&str] = &["base.py", "common.py", "prod.py", "production.py"];
    name(path) == "settings.py" || (name(directory(path)) == "settings" && PARTS.contains(&name(path)))
}

/// Django's settings that concern migrations: time limits of statements, and constants that name tables.
pub(super) fn django(file: &mut Reading<'_>) {
    let fact = |key: &str, said: &str| {
        let fact = Fact::new(Kind::Variable, format!("Django: {}", code(said))).id(format!("django-{key}"));
        fact.about("django migration migrations")
    };
    for (number, line) in file.lines() {
        let line = line.trim();
        for key in LIMITS.iter().filter(|_| !line.starts_with('#')) {
            let value = line.split_once(key).map(|(_, rest)| rest.trim_start_matches(['"', '\'', ' ', '=', ':']));
            let value: String = value.unwrap_or_default().chars().take_while(char::is_ascii_alphanumeric).collect();
            if value.starts_with(|c: char| c.is_ascii_digit()) {
                file.put(number, fact(key, &format!("{key}={value}")).about("lock timeout"));
            }
        }
        let Some((key, value)) = assigned(line) else { continue };
        let constant = key.chars().all(|c| c.is_ascii_uppercase() || c == '_') && !is_secret_name(key);
        let about = key.split('_').any(|part| matches!(part, "TABLE" | "TABLES" | "MIGRATION" | "MIGRATIONS"));
        let whole = value.ends_with([']', '}', ')', '"', '\'']) || value.chars().all(char::is_alphanumeric);
        if constant && whole && !value.contains("://") && (about || DJANGO.contains(&key)) && line.len() < 160 {
            file.put(number, fact(key, &format!("{key} = {value}")).about(key));
        }
    }
}

/// Keys that decide whether a task starts.
const AIRFLOW: &[&str] = &[
    "executor", "parallelism", "max_active_tasks_per_dag", "max_active_runs_per_dag", "dag_concurrency",
    "default_queue", "default_pool_task_slot_count", "worker_concurrency", "task_queued_timeout",
    "dags_are_paused_at_creation", "dagbag_import_timeout", "dag_file_processor_timeout",
];

/// airflow.cfg: what limits how many tasks run, and where; one fact for each section.
pub(super) fn airflow(file: &mut Reading<'_>) {
    let mut entries = entries(file.text);
    entries.retain(|entry| AIRFLOW.contains(&entry.key) && !entry.value.contains('\n'));
    for section in entries.chunk_by(|one, other| one.section == other.section) {
        let Some(first) = section.first() else { continue };
        let said: Vec<String> = section.iter().map(|entry| code(&format!("{} = {}", entry.key, entry.value))).collect();
        let text = format!("Airflow {}: {}", code(&format!("[{}]", first.section)), said.join(", "));
        let fact = Fact::new(Kind::Variable, text).id(format!("airflow-{}", first.section));
        let fact = fact.about("airflow dag dags task tasks queue queued worker scheduler").about(&said.join(" "));
        file.put(first.line, fact);
    }
}

/// Settings that decide which rows of a model a run replaces.
const DBT: &[&str] = &[
    "incremental_strategy", "partition_by", "unique_key", "cluster_by", "on_schema_change", "full_refresh",
    "event_time", "batch_size", "lookback",
];

/// How deep the directories of models are read.
const DEEP_MODELS: usize = 5;

/// dbt_project.yml: how the models of each directory are built, and variables.
pub(super) fn dbt_project(file: &mut Reading<'_>) {
    let Some(root) = parsed(file.text) else { return };
    let project = word(&root, "name").unwrap_or_default();
    let fact = Fact::new(Kind::Framework, format!("dbt project {}", code(project))).id("dbt");
    file.put(file.line_of(&["name:"]), fact.about("dbt"));
    for (directory, settings) in map(&root, "models") {
        models(file, directory, settings, DEEP_MODELS);
    }
    let own = |(name, value): &(&String, &Value)| !(value.is_object() && *name == project);
    let of_project = root.get("vars").into_iter().flat_map(|vars| map(vars, project));
    let all: Vec<String> = map(&root, "vars").filter(own).chain(of_project).map(variable).collect();
    if !all.is_empty() {
        let fact = Fact::new(Kind::Framework, format!("dbt variables {}", all.join(", "))).id("dbt-vars");
        file.put(file.line_of(&["vars:"]), fact.about("dbt variable variables").about(&all.join(" ")));
    }
}

/// A variable, with its default if it has one and is no credential.
fn variable((name, value): (&String, &Value)) -> String {
    let value = scalar(value).filter(|_| !is_secret_name(name));
    code(&value.map_or_else(|| name.clone(), |value| format!("{name}: {value}")))
}

/// The settings of a directory and of those below it: `staging` as views.
fn models(file: &mut Reading<'_>, directory: &str, all: &Value, deep: usize) {
    let of = |key: &str| all.get(format!("+{key}")).or_else(|| all.get(key));
    if let Some(built) = of("materialized").and_then(Value::as_str) {
        let text = format!("dbt: {} is materialized as {}", code(directory), code(built));
        let fact = Fact::new(Kind::Framework, text).about("dbt model models").about(directory).about(built);
        file.put(file.line_of(&[&format!("{directory}:"), "materialized"]), fact);
    }
    let set: Vec<(&str, String)> = DBT.iter().filter_map(|key| Some((*key, flat(of(key)?)?))).collect();
    if let Some((first, _)) = set.first() {
        let said: Vec<String> = set.iter().map(|(key, value)| code(&format!("{key}: {value}"))).collect();
        let text = format!("dbt: {} has {}", code(directory), said.join(", "));
        let fact = Fact::new(Kind::Framework, text).about("dbt model models partitioned").about(directory);
        file.put(file.line_of(&[&format!("{directory}:"), first]), fact.about(&said.join(" ")));
    }
    for (name, one) in all.as_object().into_iter().flatten().filter(|_| deep > 0) {
        if one.is_object() && !name.starts_with('+') && !DBT.contains(&name.as_str()) {
            models(file, name, one, deep - 1);
        }
    }
}

/// A scalar, a list of them, or the `field` of a map.
fn flat(value: &Value) -> Option<String> {
    let all = value.as_array().map(|all| all.iter().filter_map(scalar).collect::<Vec<_>>().join(", "));
    scalar(value).or(all).or_else(|| scalar(value.get("field")?))
}

/// packages.yml of dbt
pub(super) fn dbt_packages(file: &mut Reading<'_>) {
    let Some(root) = parsed(file.text) else { return };
    for package in list(&root, "packages") {
        let Some(name) = word(package, "package") else { continue };
        let version = package.get("version").and_then(scalar).unwrap_or_default();
        let fact = Fact::new(Kind::Framework, format!("{} {version}", code(name)).trim()).about("dbt package");
        file.put(file.line_of(&[name]), fact.about(name));
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::found;
    use super::*;

    fn said(path: &str, text: &str) -> Vec<String> {
        found(path, text)
            .all
            .iter()
            .map(|fact| format!("{}:{} {}", fact.text, fact.line, fact.words.join(" ")))
            .collect()
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
        assert!(!is_django("src/base.py") && is_django("config/settings/base.py"));
    }
}
