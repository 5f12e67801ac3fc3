//! Which files are read for facts, by which extractor, and how their facts are merged.

use std::collections::BTreeSet;

use super::formats::{at_root, code, directory, line_of, name};
use super::{
    Fact, Facts, Kind, Risk, cargo, ci, deployment, document, jvm, lint, manifests, mobile, node, openapi, owners,
    pytest, python, rules, runners, settings, targets, work_document,
};

/// A file and its surroundings.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// Relative to the root of the repository, with `/`.
    pub path: &'a str,
    pub text: &'a str,
    /// The names in its directory, and the lock files of the root.
    pub beside: &'a BTreeSet<String>,
}

/// A file that is read, and the facts found in it.
pub(super) struct Reading<'a> {
    pub(super) path: &'a str,
    pub(super) text: &'a str,
    beside: &'a BTreeSet<String>,
    pub(super) facts: Facts,
}

impl<'a> Reading<'a> {
    pub(super) fn of(source: &Source<'a>) -> Self {
        let Source { path, text, beside } = *source;
        Self { path, text, beside, facts: Facts::default() }
    }

    /// Whether a file with this name is beside it.
    pub(super) fn has(&self, name: &str) -> bool {
        self.beside.contains(name)
    }

    /// Its lines, each with its number, from 1.
    pub(super) fn lines(&self) -> impl Iterator<Item = (usize, &'a str)> + use<'a> {
        (1..).zip(self.text.lines())
    }

    pub(super) fn line_of(&self, wanted: &[&str]) -> usize {
        line_of(self.text, wanted)
    }

    /// Adds a fact, unless the file has too many of its kind.
    pub(super) fn put(&mut self, line: usize, fact: Fact) {
        let most = if fact.kind == Kind::Dependency { MOST_PACKAGES } else { MOST };
        if self.facts.of(fact.kind).count() < most {
            self.facts.all.push(fact.at(self.path, line));
        }
    }

    /// Adds a fact about a command that is run in the directory of the file.
    pub(super) fn command(&mut self, line: usize, fact: Fact, command: &str) {
        let fact = match at_root(self.path, command) {
            Some(command) => fact.command(command),
            None => fact.risk(Risk::of_command(command)),
        };
        self.put(line, fact);
    }
}

/// An extractor of facts from a file.
type Extractor = fn(&mut Reading<'_>);

/// The extractor for a path; `None` if the file is not read.
fn extractor(path: &str) -> Option<Extractor> {
    let lower = path.to_ascii_lowercase();
    let (name, ending) = (name(&lower), lower.rsplit_once('.').map_or("", |(_, ending)| ending));
    let yaml = matches!(ending, "yml" | "yaml");
    Some(match name {
        _ if lower.starts_with(".github/workflows/") && yaml => ci::github,
        _ if lower.contains("issue_template") => owners::issue_template,
        _ if lower.contains("pull_request_template") => owners::pr_template,
        _ if lower.contains("/merge_request_templates/") => owners::pr_template,
        "package.json" => node::read,
        "cargo.toml" => cargo::read,
        "nextest.toml" => cargo::nextest,
        "config.toml" if lower.ends_with(".cargo/config.toml") => cargo::aliases,
        "pyproject.toml" => python::project,
        "tox.ini" | "setup.cfg" | "pytest.ini" | ".pytest.ini" => pytest::ini,
        "noxfile.py" => pytest::nox,
        "pipfile" => python::requirement_file,
        _ if name.starts_with("requirements") && ending == "txt" => python::requirement_file,
        "go.mod" => manifests::go,
        "gemfile" => manifests::ruby,
        "build.gradle" | "build.gradle.kts" => jvm::gradle,
        "gradle.properties" => mobile::gradle_properties,
        "pom.xml" => jvm::maven,
        "composer.json" => manifests::composer,
        "directory.packages.props" | "directory.build.props" => manifests::dotnet,
        _ if ending == "csproj" => manifests::dotnet,
        "global.json" => manifests::dotnet_sdk,
        "dbt_project.yml" => settings::dbt_project,
        "packages.yml" => settings::dbt_packages,
        "airflow.cfg" => settings::airflow,
        "fastfile" => mobile::fastlane,
        _ if settings::is_django(&lower) => settings::django,
        "makefile" | "gnumakefile" => targets::make,
        "justfile" | ".justfile" => targets::just,
        "taskfile.yml" | "taskfile.yaml" => targets::taskfile,
        ".gitlab-ci.yml" => ci::gitlab,
        "codeowners" => owners::read,
        "labels.yml" | "labels.yaml" => owners::labels,
        _ if name.starts_with("dockerfile") || ending == "dockerfile" => deployment::dockerfile,
        _ if yaml && (name.starts_with("compose.") || name.starts_with("docker-compose")) => deployment::compose,
        _ if lint::is_of_tests(name) => lint::javascript,
        _ if rules::holds_rules(name) || work_document::work(path).is_some() => rules::read,
        _ if lint::is_config(name) => lint::read,
        "main.tf" | "versions.tf" | "providers.tf" | "terraform.tf" | "backend.tf" => deployment::terraform,
        "chart.yaml" => deployment::chart,
        "procfile" => deployment::procfile,
        "deploy.yml" => deployment::kamal,
        "pubspec.yaml" => mobile::pubspec,
        "package.swift" => mobile::swift_package,
        "project.pbxproj" => mobile::xcode,
        "info.plist" => mobile::bundle,
        _ if settings::is_known(name) => settings::read,
        _ if (yaml || ending == "json") && ["openapi", "swagger"].iter().any(|one| name.contains(one)) => openapi::read,
        _ => return None,
    })
}

/// Whether the file at this path is read for facts.
pub fn is_known(path: &str) -> bool {
    extractor(document::as_markdown(path).as_deref().unwrap_or(path)).is_some()
}

/// The facts of a file; none if it cannot be parsed.
pub fn read(source: &Source<'_>) -> Facts {
    if let Some(path) = document::as_markdown(source.path) {
        let text = document::markdown(source.text);
        let mut facts = read(&Source { path: &path, text: &text, ..*source });
        facts.all.iter_mut().for_each(|fact| source.path.clone_into(&mut fact.file));
        return facts;
    }
    let mut file = Reading::of(source);
    if let Some(extractor) = extractor(source.path) {
        extractor(&mut file);
    }
    let mut facts = file.facts;
    let directory = own_directory(source);
    if !directory.is_empty() {
        for fact in &mut facts.all {
            fact.text = format!("in {}: {}", code(directory), fact.text);
        }
        // The arguments follow the runner.
        facts.runners.retain(|_, _| at_root(source.path, "").is_some());
        facts.runners.values_mut().for_each(|how| *how = format!("env -C {directory} {how}"));
    }
    facts
}

/// Files beside which a directory is a package.
const MANIFESTS: &[&str] = &[
    "package.json", "Cargo.toml", "pyproject.toml", "setup.py", "go.mod", "Gemfile", "pom.xml", "build.gradle",
    "composer.json",
];

/// The directory a file applies to: a package of a monorepo, or empty for the whole repository.
fn own_directory<'s>(source: &Source<'s>) -> &'s str {
    let path = source.path;
    // fastlane is called beside its directory.
    let path = if name(path) == "Fastfile" { directory(path) } else { path };
    let directory = directory(path);
    let general =
        directory.starts_with('.') || matches!(directory, "config" | "docs") || work_document::work(path).is_some();
    // A README that lies beside no manifest is about what its directory holds.
    let readme =
        name(path).eq_ignore_ascii_case("readme.md") && !MANIFESTS.iter().any(|name| source.beside.contains(*name));
    if general || readme { "" } else { directory }
}

/// The maximum number of facts of one kind from one file.
const MOST: usize = 40;
/// The most packages without a table.
const MOST_PACKAGES: usize = 400;

impl Facts {
    /// Adds the facts of another file.
    pub fn add(&mut self, mut other: Self) {
        runners::inherit(self, &mut other);
        self.all.extend(other.all);
        for (tool, how) in other.runners {
            self.run(&tool, how);
        }
    }

    /// Sets how a tool is run. A test environment takes precedence over a package manager; else the first counts.
    pub(super) fn run(&mut self, tool: &str, how: String) {
        let made_for_tests = |how: &str| how.ends_with(" --");
        match self.runners.get(tool) {
            Some(known) if made_for_tests(known) || !made_for_tests(&how) => {}
            _ => _ = self.runners.insert(tool.to_owned(), how),
        }
    }
}
