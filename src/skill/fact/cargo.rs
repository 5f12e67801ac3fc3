//! Cargo.toml and the files beside it: edition, packages, features, lints, aliases, nextest.

use toml::{Table, Value};

use super::effect::{Risk, purpose};
use super::formats::{code, codes, line_of_key};
use super::packages::{self, Packages};
use super::{Fact, Kind, Reading};

const PACKAGES: &Packages = &[
    (
        Kind::Framework,
        "tokio axum actix-web rocket clap serde sqlx diesel sea-orm thiserror anyhow tonic tauri reqwest tracing \
         redis rayon wasm-bindgen tokio-postgres=postgres embassy-executor=embassy",
    ),
    (Kind::TestPlugin, "proptest quickcheck loom insta rstest criterion divan iai-callgrind dhat mockall trybuild"),
];

/// With more features they say little.
const MOST_FEATURES: usize = 12;

pub(super) fn read(file: &mut Reading<'_>) {
    let Ok(root) = file.text.parse::<Table>() else { return };
    let workspace = root.get("workspace");
    let package = root.get("package").or_else(|| workspace?.get("package"));
    let field = |key: &str| package.and_then(|all| all.get(key)).and_then(Value::as_str);
    let said = ["edition", "rust-version"].into_iter().filter_map(|key| Some(format!(", {key} {}", code(field(key)?))));
    let said: String = said.collect();
    let line = if said.is_empty() { 0 } else { file.line_of(&["edition"]) };
    file.put(line, Fact::new(Kind::Language, format!("Rust{said}")).id("lang-rust").about("rust cargo"));
    let members = workspace.and_then(|all| all.get("members")).and_then(Value::as_array).into_iter().flatten();
    let members: Vec<&str> = members.filter_map(Value::as_str).collect();
    if !members.is_empty() {
        let fact = Fact::new(Kind::PackageManager, format!("workspace of {}", codes(&members))).id("workspaces");
        file.put(file.line_of(&["[workspace", "members"]), fact.about("workspace crate"));
    }
    if root.contains_key("package") || !members.is_empty() {
        let command = if members.is_empty() { "cargo test" } else { "cargo test --workspace" };
        let fact = Fact::new(Kind::TestCommand, format!("`{command}` runs the tests")).id("rust.cargo");
        file.command(0, fact.about("cargo test tests"), command);
    }
    for all in [Some(&root), workspace.and_then(Value::as_table)].into_iter().flatten() {
        dependencies(file, all);
    }
    let features: Vec<&String> = table(&root, "features").map(|(name, _)| name).collect();
    if !features.is_empty() && features.len() <= MOST_FEATURES {
        let fact = Fact::new(Kind::BuildCommand, format!("features: {}", codes(&features))).id("features");
        file.put(file.line_of(&["[features]"]), fact.about("feature features build"));
    }
    let lints = root.get("lints").or_else(|| workspace?.get("lints")).and_then(Value::as_table);
    for (tool, all) in lints.into_iter().flatten() {
        lint(file, tool, all);
    }
}

/// The pairs of a table of the file.
fn table<'t>(root: &'t Table, key: &str) -> impl Iterator<Item = (&'t String, &'t Value)> {
    root.get(key).and_then(Value::as_table).into_iter().flatten()
}

fn dependencies(file: &mut Reading<'_>, all: &Table) {
    for section in ["dependencies", "dev-dependencies", "build-dependencies"] {
        for (name, value) in table(all, section) {
            let version = value.as_str().or_else(|| value.get("version")?.as_str()).unwrap_or_default();
            let text = format!("`{name}` {version}");
            if let Some(fact) = packages::fact(PACKAGES, &|package| package == name, &text, name, Some(name)) {
                file.put(file.line_of(&[section, name]), fact);
            }
        }
    }
}

/// The lints of one tool that fail a build.
fn lint(file: &mut Reading<'_>, tool: &str, all: &Value) {
    for (lint, value) in all.as_table().into_iter().flatten() {
        let level = value.as_str().or_else(|| value.get("level")?.as_str()).unwrap_or_default();
        if matches!(level, "deny" | "forbid") {
            let fact = Fact::new(Kind::LintConfig, format!("{tool}: `{lint} = \"{level}\"`"));
            let fact = fact.id(format!("{tool}-{lint}")).about("lint").about(lint);
            file.put(line_of_key(file.text, &format!("lints.{tool}"), lint), fact);
        }
    }
}

/// `.cargo/config.toml`: the repository's own commands.
pub(super) fn aliases(file: &mut Reading<'_>) {
    let Ok(root) = file.text.parse::<Table>() else { return };
    for (name, value) in table(&root, "alias") {
        let parts = value.as_array().into_iter().flatten().filter_map(Value::as_str).collect::<Vec<_>>().join(" ");
        let runs = format!("cargo {}", value.as_str().unwrap_or(&parts));
        let command = format!("cargo {name}");
        let fact = Fact::new(purpose(name, &runs), format!("`{command}`: {}", code(&runs))).about(name).about(&runs);
        let fact = fact.risk(Risk::of_command(&runs)).command(command);
        file.put(line_of_key(file.text, "alias", name), fact);
    }
}

/// `.config/nextest.toml`: tests run with nextest, and retries.
pub(super) fn nextest(file: &mut Reading<'_>) {
    let Ok(root) = file.text.parse::<Table>() else { return };
    let command = "cargo nextest run";
    file.facts.run("cargo test", command.to_owned());
    let fact = Fact::new(Kind::TestCommand, format!("`{command}` runs the tests")).id("nextest").command(command);
    file.put(0, fact.about("cargo nextest test tests"));
    for (profile, settings) in table(&root, "profile") {
        if let Some(retries) = settings.get("retries").and_then(Value::as_integer).filter(|retries| *retries > 0) {
            let text = format!("nextest profile `{profile}` runs a test that fails again: `retries = {retries}`");
            let fact = Fact::new(Kind::TestConfig, text).id("nextest-retries").about("test flaky retries");
            file.put(line_of_key(file.text, &format!("profile.{profile}"), "retries"), fact);
        }
    }
}
