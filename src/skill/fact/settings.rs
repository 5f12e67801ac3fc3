//! Project files with a few settings each: Flutter, Swift, Xcode, Terraform, Helm charts, Kamal, Procfiles.

use super::lines::{code, line_of, name};
use super::{Fact, Facts, Kind, Source, yaml};

/// Whether a file with this name, in lowercase, is read here.
pub(super) fn is_known(lower: &str) -> bool {
    reader(lower).is_some()
}

pub(super) fn read(source: &Source<'_>, out: &mut Facts) {
    if let Some(reader) = reader(&name(source.path).to_ascii_lowercase()) {
        reader(source, out);
    }
}

fn reader(lower: &str) -> Option<fn(&Source<'_>, &mut Facts)> {
    Some(match lower {
        "pubspec.yaml" => pubspec,
        "main.tf" | "versions.tf" | "providers.tf" | "terraform.tf" | "backend.tf" => terraform,
        "chart.yaml" => chart,
        "procfile" => procfile,
        "package.swift" => swift_package,
        "project.pbxproj" => xcode,
        "info.plist" => bundle,
        "deploy.yml" => kamal,
        _ => return None,
    })
}

fn pubspec(source: &Source<'_>, out: &mut Facts) {
    let Some(root) = yaml::parsed(source.text) else { return };
    let all: Vec<(String, Option<String>)> = ["dependencies", "dev_dependencies"]
        .into_iter()
        .flat_map(|section| yaml::map(&root, section))
        .map(|(name, version)| (name.clone(), yaml::scalar(version)))
        .collect();
    let flutter = all.iter().any(|(name, _)| name == "flutter");
    let sdk = root.get("environment").and_then(|all| all.get("sdk")).and_then(yaml::scalar);
    let sdk = sdk.map_or(String::new(), |sdk| format!(" {}", code(&sdk)));
    let fact = Fact::new(Kind::Language, format!("Dart{sdk}")).id("lang-dart").about("dart flutter");
    out.put(source, line_of(source.text, &["sdk:"]), fact);
    if let Some(version) = root.get("version").and_then(yaml::scalar) {
        let fact = Fact::new(Kind::Variable, format!("version {}", code(&version))).id("pubspec-version");
        out.put(source, line_of(source.text, &["version:"]), fact.about("app version release build store"));
    }
    let tool = if flutter { "flutter" } else { "dart" };
    for (kind, command) in [(Kind::TestCommand, "test"), (Kind::LintCommand, "analyze")] {
        let command = format!("{tool} {command}");
        out.command(source, 0, Fact::new(kind, code(&command)).about(&command).about("flutter dart"), &command);
    }
    if flutter {
        let fact = Fact::new(Kind::Framework, "Flutter").id("flutter").about("flutter dart");
        out.put(source, line_of(source.text, &["flutter:"]), fact);
    }
    for (name, version) in all {
        let kind = match name.as_str() {
            "golden_toolkit" | "alchemist" | "mocktail" | "mockito" | "bloc_test" | "integration_test" | "patrol" => {
                Kind::TestPlugin
            }
            "flutter_lints" | "very_good_analysis" | "lints" => Kind::LintConfig,
            "flutter_bloc" | "flutter_riverpod" | "provider" | "go_router" | "dio" | "drift" => Kind::Framework,
            _ => continue,
        };
        let text = format!("{} {}", code(&name), version.unwrap_or_default());
        let line = line_of(source.text, &[&format!("{name}:")]);
        out.put(source, line, Fact::new(kind, text.trim()).id(&name).about(&name.replace('_', " ")).about("flutter"));
    }
}

fn swift(source: &Source<'_>, version: &str, out: &mut Facts) {
    out.put(source, 1, Fact::new(Kind::Language, format!("Swift{version}")).id("lang-swift").about("swift"));
}

fn swift_package(source: &Source<'_>, out: &mut Facts) {
    let version = source.text.lines().next().and_then(|first| first.split_once("swift-tools-version:"));
    swift(source, &version.map_or(String::new(), |(_, version)| format!(" {}", code(version.trim()))), out);
    for (kind, command) in [(Kind::BuildCommand, "swift build"), (Kind::TestCommand, "swift test")] {
        out.command(source, 0, Fact::new(kind, code(command)).about(command), command);
    }
}

fn xcode(source: &Source<'_>, out: &mut Facts) {
    if source.text.contains(".swift ") {
        swift(source, "", out);
    }
}

/// The version and the build of an app for Apple's devices, where they are no variables.
fn bundle(source: &Source<'_>, out: &mut Facts) {
    let mut key = "";
    for (number, line) in source.text.lines().enumerate() {
        let between = |tag: &str| line.split_once(&format!("<{tag}>"))?.1.split_once("</").map(|(inner, _)| inner);
        key = between("key").unwrap_or(key);
        let known = matches!(key, "CFBundleVersion" | "CFBundleShortVersionString");
        if let Some(value) = between("string").filter(|value| known && !value.contains('$')) {
            let fact = Fact::new(Kind::Variable, code(&format!("{key} = {value}"))).id(key);
            out.put(source, number + 1, fact.about("ios app version build release crash"));
        }
    }
}

/// The names of the secrets that Kamal hands to the containers.
fn kamal(source: &Source<'_>, out: &mut Facts) {
    let Some(root) = yaml::parsed(source.text).filter(|_| source.path.ends_with("config/deploy.yml")) else { return };
    let secret = |env: &str| root.get(env).map(|all| yaml::list(all, "secret").filter_map(yaml::scalar).collect());
    let names: Vec<String> = secret("env").unwrap_or_default();
    if !names.is_empty() {
        let shown: Vec<String> = names.iter().map(|name| code(name)).collect();
        let fact = Fact::new(Kind::Variable, format!("Kamal hands {} to the containers", shown.join(", ")));
        let fact = fact.id("kamal-secrets").about("kamal deploy secret credential").about(&names.join(" "));
        out.put(source, line_of(source.text, &["secret:"]), fact);
    }
}

/// The versions that Terraform and its providers are pinned to, and the kind of the backend.
fn terraform(source: &Source<'_>, out: &mut Facts) {
    let mut provider = "";
    for (number, line) in source.text.lines().enumerate() {
        let line = line.trim();
        let quoted = |text: &str| text.split('"').nth(1).map(str::to_owned);
        let fact = if let Some(version) = line.strip_prefix("required_version").and_then(quoted) {
            format!("Terraform {}", code(&version))
        } else if let Some(kind) = line.strip_prefix("backend ").and_then(quoted) {
            format!("Terraform backend {}", code(&kind))
        } else if let Some(at) = line.find("version").filter(|_| line.contains("source") || !provider.is_empty()) {
            let own = line.split([' ', '=']).next().unwrap_or_default();
            let name = if line.contains("source") { own } else { provider };
            let Some(version) = line.get(at..).and_then(quoted) else { continue };
            provider = "";
            format!("Terraform provider {} {}", code(name), code(&version))
        } else {
            let opens = line.ends_with("= {");
            provider = if opens { line.split([' ', '=']).next().unwrap_or_default() } else { provider };
            provider = if line == "}" { "" } else { provider };
            continue;
        };
        out.put(source, number + 1, Fact::new(Kind::Framework, fact.clone()).about("terraform").about(&fact));
    }
}

fn chart(source: &Source<'_>, out: &mut Facts) {
    let Some(root) = yaml::parsed(source.text) else { return };
    let of = |key: &str| root.get(key).and_then(yaml::scalar);
    let Some(chart) = of("name") else { return };
    let version = of("version").unwrap_or_default();
    let app = of("appVersion").map_or(String::new(), |app| format!(", app {}", code(&app)));
    let text = format!("Helm chart {} {}{app}", code(&chart), code(&version));
    let fact = Fact::new(Kind::Container, text).id("helm").about("helm chart kubernetes").about(&chart);
    out.put(source, line_of(source.text, &["name:"]), fact);
}

fn procfile(source: &Source<'_>, out: &mut Facts) {
    for (number, line) in source.text.lines().enumerate() {
        let Some((process, runs)) = line.split_once(':').filter(|(name, _)| !name.starts_with('#')) else { continue };
        let text = format!("process {} runs {}", code(process), code(runs));
        let fact = Fact::new(Kind::RunCommand, text).about("process procfile").about(process).about(runs);
        out.put(source, number + 1, fact);
    }
}

/// A setting in a script, with its whole value in brackets: `'scope-enum': [2, 'always', ['core']]`.
pub(super) fn bracketed<'t>(text: &'t str, key: &str) -> Option<(usize, &'t str)> {
    let start = text.find(key)?;
    let rest = text.get(start..)?;
    let (mut depth, mut opened) = (0_usize, false);
    for (at, c) in rest.char_indices().take(200) {
        match c {
            '[' | '{' => (depth, opened) = (depth + 1, true),
            ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if opened && depth == 0 {
            let line = text.get(..start)?.matches('\n').count() + 1;
            return Some((line, rest.get(..=at)?));
        }
    }
    None
}
