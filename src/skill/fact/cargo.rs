//! Cargo.toml and the files beside it: edition, packages, features, lints, aliases, nextest.

use toml::{Table, Value};

use super::lines::{code, line_of, line_of_key};
use super::packages::{Packages, known, other};
use super::{Fact, Facts, Kind, Risk, Source, purpose};

const PACKAGES: &Packages = &[
    (
        Kind::Framework,
        "tokio axum actix-web rocket clap serde sqlx diesel sea-orm thiserror anyhow tonic tauri reqwest tracing \
         redis rayon wasm-bindgen tokio-postgres=postgres embassy-executor=embassy",
    ),
    (Kind::TestPlugin, "proptest quickcheck loom insta rstest criterion divan iai-callgrind dhat mockall trybuild"),
];

pub(super) fn read(source: &Source<'_>, out: &mut Facts) {
    let Ok(root) = source.text.parse::<Table>() else { return };
    let package = root.get("package").or_else(|| root.get("workspace")?.get("package"));
    let field = |key: &str| package.and_then(|all| all.get(key)).and_then(Value::as_str);
    let said: Vec<String> = ["edition", "rust-version"]
        .into_iter()
        .filter_map(|key| Some(format!("{key} {}", code(field(key)?))))
        .collect();
    let text = if said.is_empty() { "Rust".to_owned() } else { format!("Rust, {}", said.join(", ")) };
    let line = if said.is_empty() { 0 } else { line_of(source.text, &["edition"]) };
    out.put(source, line, Fact::new(Kind::Language, text).id("lang-rust").about("rust cargo"));
    let members = root.get("workspace").and_then(|all| all.get("members")).and_then(Value::as_array);
    let members: Vec<String> = members.into_iter().flatten().filter_map(Value::as_str).map(code).collect();
    if !members.is_empty() {
        let fact = Fact::new(Kind::PackageManager, format!("workspace of {}", members.join(", "))).id("workspaces");
        out.put(source, line_of(source.text, &["[workspace", "members"]), fact.about("workspace crate"));
    }
    if root.contains_key("package") || !members.is_empty() {
        let command = if members.is_empty() { "cargo test" } else { "cargo test --workspace" };
        let fact = Fact::new(Kind::TestCommand, format!("`{command}` runs the tests")).id("rust.cargo");
        out.command(source, 0, fact.about("cargo test tests"), command);
    }
    packages(source, &root, out);
    features(source, &root, out);
    lints(source, &root, out);
}

fn packages(source: &Source<'_>, root: &Table, out: &mut Facts) {
    let workspace = root.get("workspace").and_then(Value::as_table);
    for table in [Some(root), workspace].into_iter().flatten() {
        for section in ["dependencies", "dev-dependencies", "build-dependencies"] {
            for (name, value) in table.get(section).and_then(Value::as_table).into_iter().flatten() {
                let version = value.as_str().or_else(|| value.get("version")?.as_str()).unwrap_or_default();
                let text = format!("`{name}` {version}");
                let fact = known(PACKAGES, |package| package == name)
                    .map(|(id, kind)| Fact::new(kind, text.trim()).id(id).about(name));
                if let Some(fact) = fact.or_else(|| other(name, &text)) {
                    out.put(source, line_of(source.text, &[section, name]), fact);
                }
            }
        }
    }
}

fn features(source: &Source<'_>, root: &Table, out: &mut Facts) {
    let features = root.get("features").and_then(Value::as_table).into_iter().flatten();
    let names: Vec<String> = features.map(|(name, _)| code(name)).collect();
    if !names.is_empty() && names.len() <= 12 {
        let fact = Fact::new(Kind::BuildCommand, format!("features: {}", names.join(", "))).id("features");
        out.put(source, line_of(source.text, &["[features]"]), fact.about("feature features build"));
    }
}

fn lints(source: &Source<'_>, root: &Table, out: &mut Facts) {
    let lints = root.get("lints").or_else(|| root.get("workspace")?.get("lints"));
    for (tool, table) in lints.and_then(Value::as_table).into_iter().flatten() {
        let strict = |value: &Value| {
            let level = value.as_str().or_else(|| value.get("level")?.as_str()).unwrap_or_default();
            matches!(level, "deny" | "forbid").then(|| level.to_owned())
        };
        for (lint, level) in
            table.as_table().into_iter().flatten().filter_map(|(lint, value)| Some((lint, strict(value)?)))
        {
            let fact =
                Fact::new(Kind::LintConfig, format!("{tool}: `{lint} = \"{level}\"`")).id(format!("{tool}-{lint}"));
            out.put(source, line_of_key(source.text, &format!("lints.{tool}"), lint), fact.about("lint").about(lint));
        }
    }
}

/// `.cargo/config.toml`: the repository's own commands.
pub(super) fn aliases(source: &Source<'_>, out: &mut Facts) {
    let Ok(root) = source.text.parse::<Table>() else { return };
    for (name, value) in root.get("alias").and_then(Value::as_table).into_iter().flatten() {
        let parts = value.as_array().into_iter().flatten().filter_map(Value::as_str).collect::<Vec<_>>().join(" ");
        let runs = format!("cargo {}", value.as_str().unwrap_or(&parts));
        let command = format!("cargo {name}");
        let fact =
            Fact::new(purpose::of(name, &runs), format!("`{command}`: {}", code(&runs))).about(name).about(&runs);
        let fact = fact.risk(Risk::of_command(&runs)).command(&command);
        out.put(source, line_of_key(source.text, "alias", name), fact);
    }
}

/// `.config/nextest.toml`: tests run with nextest, and retries.
pub(super) fn nextest(source: &Source<'_>, out: &mut Facts) {
    let Ok(root) = source.text.parse::<Table>() else { return };
    out.run("cargo test", "cargo nextest run".to_owned());
    let fact =
        Fact::new(Kind::TestCommand, "`cargo nextest run` runs the tests").id("nextest").command("cargo nextest run");
    out.put(source, 0, fact.about("cargo nextest test tests"));
    for (profile, table) in root.get("profile").and_then(Value::as_table).into_iter().flatten() {
        if let Some(retries) = table.get("retries").and_then(Value::as_integer).filter(|retries| *retries > 0) {
            let text = format!("nextest profile `{profile}` runs a test that fails again: `retries = {retries}`");
            let line = line_of_key(source.text, &format!("profile.{profile}"), "retries");
            out.put(source, line, Fact::new(Kind::TestConfig, text).id("nextest-retries").about("test flaky retries"));
        }
    }
}
