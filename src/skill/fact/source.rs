//! Which files are read for facts, by which extractor, and how their facts are merged.

use std::collections::BTreeSet;

use super::lines::{at_root, code, directory, name};
use super::{
    Fact, Facts, Kind, Risk, airflow, android, cargo, ci, composer, dbt, django, docker, dotnet, fastlane, gitlab, go,
    javascript, just, jvm, key_values, lint, make, manager, openapi, owners, package, python, restructured, ruby,
    rules, settings, taskfile, tox, work_document,
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

impl Source<'_> {
    /// Whether a file with this name is beside it.
    pub(super) fn has(&self, name: &str) -> bool {
        self.beside.contains(name)
    }
}

/// An extractor of facts from a file.
type Extractor = fn(&Source<'_>, &mut Facts);

/// The extractor for a path; `None` if the file is not read.
fn extractor(path: &str) -> Option<Extractor> {
    let lower = path.to_ascii_lowercase();
    let (name, ending) = (name(&lower), lower.rsplit_once('.').map_or("", |(_, ending)| ending));
    let yaml = matches!(ending, "yml" | "yaml");
    Some(match name {
        _ if lower.starts_with(".github/workflows/") && yaml => ci::read,
        _ if lower.contains("issue_template") => owners::issue_template,
        _ if lower.contains("pull_request_template") || lower.contains("/merge_request_templates/") => {
            owners::pr_template
        }
        "package.json" => package::read,
        "cargo.toml" => cargo::read,
        "nextest.toml" => cargo::nextest,
        "config.toml" if lower.ends_with(".cargo/config.toml") => cargo::aliases,
        "pyproject.toml" => python::project,
        "tox.ini" | "setup.cfg" | "pytest.ini" | ".pytest.ini" => tox::read,
        "noxfile.py" => tox::nox,
        "pipfile" => python::requirement_file,
        _ if name.starts_with("requirements") && ending == "txt" => python::requirement_file,
        "go.mod" => go::read,
        "gemfile" => ruby::read,
        "build.gradle" | "build.gradle.kts" => jvm::gradle,
        "gradle.properties" => android::properties,
        "pom.xml" => jvm::maven,
        "composer.json" => composer::read,
        "directory.packages.props" | "directory.build.props" => dotnet::read,
        _ if ending == "csproj" => dotnet::read,
        "global.json" => dotnet::sdk,
        "dbt_project.yml" => dbt::project,
        "packages.yml" => dbt::packages,
        "airflow.cfg" => airflow::read,
        "fastfile" => fastlane::read,
        _ if django::is_settings(&lower) => django::read,
        "makefile" | "gnumakefile" => make::read,
        "justfile" | ".justfile" => just::read,
        "taskfile.yml" | "taskfile.yaml" => taskfile::read,
        ".gitlab-ci.yml" => gitlab::read,
        "codeowners" => owners::read,
        "labels.yml" | "labels.yaml" => owners::labels,
        _ if name.starts_with("dockerfile") || ending == "dockerfile" => docker::image,
        _ if yaml && (name.starts_with("compose.") || name.starts_with("docker-compose")) => docker::compose,
        _ if javascript_config(name) => javascript::read,
        _ if rules::holds_rules(name) || work_document::work(path).is_some() => rules::read,
        _ if lint::is_config(name) => lint::read,
        _ if settings::is_known(name) => settings::read,
        _ if key_values::is_known(name) => key_values::read,
        _ if matches!(ending, "yml" | "yaml" | "json") && (name.contains("openapi") || name.contains("swagger")) => {
            openapi::read
        }
        _ => return None,
    })
}

fn javascript_config(name: &str) -> bool {
    ["jest.config.", "vitest.config.", "playwright.config.", "cypress.config."].iter().any(|one| name.starts_with(one))
}

/// Whether the file at this path is read for facts.
pub fn is_known(path: &str) -> bool {
    extractor(restructured::as_markdown(path).as_deref().unwrap_or(path)).is_some()
}

/// The facts of a file; none if it cannot be parsed.
pub fn read(source: &Source<'_>) -> Facts {
    if let Some(path) = restructured::as_markdown(source.path) {
        let text = restructured::markdown(source.text);
        let mut facts = read(&Source { path: &path, text: &text, ..*source });
        facts.all.iter_mut().for_each(|fact| source.path.clone_into(&mut fact.file));
        return facts;
    }
    let mut facts = Facts::default();
    if let Some(extractor) = extractor(source.path) {
        extractor(source, &mut facts);
    }
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
    let readme = name(path).eq_ignore_ascii_case("readme.md") && !MANIFESTS.iter().any(|name| source.has(name));
    if general || readme { "" } else { directory }
}

/// The maximum number of facts of one kind from one file.
const MOST: usize = 40;

/// The most packages without a table.
const MOST_PACKAGES: usize = 400;

impl Facts {
    /// Adds the facts of another file.
    pub fn add(&mut self, mut other: Self) {
        manager::inherit(self, &mut other);
        self.all.extend(other.all);
        for (tool, how) in other.runners {
            self.run(&tool, how);
        }
    }

    /// Adds a fact of a file, unless the file has too many of its kind.
    pub(super) fn put(&mut self, source: &Source<'_>, line: usize, fact: Fact) {
        let most = if fact.kind == Kind::Dependency { MOST_PACKAGES } else { MOST };
        if self.all.iter().filter(|one| one.kind == fact.kind).count() < most {
            self.all.push(fact.at(source.path, line));
        }
    }

    /// Adds a fact about a command that is run in the directory of the file.
    pub(super) fn command(&mut self, source: &Source<'_>, line: usize, fact: Fact, command: &str) {
        let fact = match at_root(source.path, command) {
            Some(command) => fact.command(command),
            None => fact.risk(Risk::of_command(command)),
        };
        self.put(source, line, fact);
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
