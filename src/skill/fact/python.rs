//! pyproject.toml, requirements files and Pipfile: Python's version, packages, and the settings of tools.

use toml::{Table, Value};

use super::effect::{Risk, purpose};
use super::formats::{code, line_of_key};
use super::packages::{self, Packages};
use super::{Fact, Kind, Reading, pytest};

/// Important packages; those of tests besides `pytest-…`.
const PACKAGES: &Packages = &[
    (
        Kind::Framework,
        "django djangorestframework=django-rest-framework flask fastapi starlette sqlalchemy alembic pydantic \
         celery pandas pandera polars numpy torch boto3 psycopg=postgres psycopg2=postgres \
         psycopg2-binary=postgres asyncpg=postgres email-validator=mail.validator openpyxl pypdf matplotlib \
         seaborn stripe apache-airflow=airflow sqlmodel pymongo=mongodb mysqlclient=mysql pymysql=mysql redis \
         confluent-kafka=kafka kafka-python=kafka structlog scikit-learn tensorflow transformers langchain openai \
         anthropic streamlit pyspark prefect dagster duckdb great-expectations scrapy \
         beautifulsoup4=beautifulsoup click typer selenium playwright grpcio=grpc opentelemetry-sdk=opentelemetry \
         prometheus-client=prometheus",
    ),
    (
        Kind::TestPlugin,
        "pytest=python.pytest hypothesis coverage factory-boy responses respx freezegun testcontainers \
         schemathesis tox nox",
    ),
    (Kind::LintConfig, "ruff black mypy pyright flake8 isort pylint bandit pre-commit"),
];

/// Lock files, and how a program is run in their environment.
const RUNNERS: &[(&str, &str, &str)] = &[
    ("uv.lock", "uv", "uv run"),
    ("poetry.lock", "poetry", "poetry run"),
    ("pdm.lock", "pdm", "pdm run"),
    ("Pipfile.lock", "pipenv", "pipenv run"),
];

pub(super) fn project(file: &mut Reading<'_>) {
    let Ok(root) = file.text.parse::<Table>() else { return };
    let version = at(&root, "project.requires-python").or_else(|| at(&root, "tool.poetry.dependencies.python"));
    language(file, version.and_then(Value::as_str));
    requirements(&root).iter().for_each(|requirement| package(file, requirement));
    run_by(file);
    for section in ["tool.pytest.ini_options", "tool.pytest"] {
        for (key, value) in table(&root, section).filter(|(key, _)| *key != "ini_options") {
            pytest::setting(file, key, &flat(value), line_of_key(file.text, section, key));
        }
    }
    linters(file, &root);
    tasks(file, &root);
}

/// The value at a path of keys: `tool.poetry.group`.
fn at<'t>(root: &'t Table, path: &str) -> Option<&'t Value> {
    let mut keys = path.split('.');
    keys.next().and_then(|first| keys.try_fold(root.get(first)?, |value, key| value.get(key)))
}

fn table<'t>(root: &'t Table, path: &str) -> impl Iterator<Item = (&'t String, &'t Value)> {
    at(root, path).and_then(Value::as_table).into_iter().flatten()
}

/// requirements.txt and the like: one requirement a line.
pub(super) fn requirement_file(file: &mut Reading<'_>) {
    language(file, None);
    for line in file.text.lines().map(str::trim).filter(|line| !line.starts_with(['#', '-'])) {
        package(file, line.split([';', '#']).next().unwrap_or_default().trim());
    }
}

pub(super) fn language(file: &mut Reading<'_>, version: Option<&str>) {
    let text = version.map_or("Python".to_owned(), |version| format!("Python {}", code(version)));
    let line = if version.is_some() { file.line_of(&["python"]) } else { 0 };
    file.put(line, Fact::new(Kind::Language, text).id("lang-python").about("python"));
}

/// Every requirement as it is written: `pytest-xdist>=3`.
fn requirements(root: &Table) -> Vec<String> {
    let groups = ["project.optional-dependencies", "dependency-groups"].into_iter().flat_map(|path| table(root, path));
    let mut lists: Vec<&Value> = at(root, "project.dependencies").into_iter().collect();
    lists.extend(groups.map(|(_, group)| group));
    lists.extend(at(root, "tool.uv.dev-dependencies"));
    let written = lists.into_iter().filter_map(Value::as_array).flatten().filter_map(Value::as_str);
    let mut all: Vec<String> = written.map(str::to_owned).collect();
    let groups = table(root, "tool.poetry.group").filter_map(|(_, group)| group.get("dependencies"));
    let own = ["tool.poetry.dependencies", "tool.poetry.dev-dependencies"];
    let own = own.into_iter().filter_map(|path| at(root, path));
    for (name, version) in groups.chain(own).filter_map(Value::as_table).flatten() {
        let version = version.as_str().or_else(|| version.get("version")?.as_str()).unwrap_or_default();
        let exact = if version.starts_with(|c: char| c.is_ascii_digit()) { "==" } else { "" };
        all.push(format!("{name} {exact}{version}"));
    }
    all
}

/// The fact that a package shows, if any.
pub(super) fn package(file: &mut Reading<'_>, requirement: &str) {
    let end = requirement.find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '-' | '_' | '.'));
    let (name, version) = requirement.split_at(end.unwrap_or(requirement.len()));
    let key = name.to_lowercase().replace('_', "-");
    let text = format!("`{name}{}`", version.trim());
    let known = packages::fact(PACKAGES, &|package| package == key, &text, name, None);
    let plugin = || key.starts_with("pytest-").then(|| Fact::new(Kind::TestPlugin, &*text).id(&*key).about(name));
    let Some(fact) = known.or_else(plugin).or_else(|| packages::other(&key, &text)) else { return };
    let quoted = [format!("\"{requirement}\""), format!("'{requirement}'")];
    let states = |line: &str| {
        quoted.iter().any(|requirement| line.contains(requirement)) || line.trim().starts_with(requirement)
    };
    let exact = file.lines().find(|(_, line)| states(line)).map(|(number, _)| number);
    file.put(exact.unwrap_or_else(|| file.line_of(&[name])), fact);
}

/// How pytest and similar tools are run, according to a lock file.
fn run_by(file: &mut Reading<'_>) {
    let Some((lock, manager, run)) = RUNNERS.iter().find(|(lock, ..)| file.has(lock)) else { return };
    for program in ["pytest", "ruff", "mypy", "python", "alembic", "nox", "tox"] {
        file.facts.run(program, format!("{run} {program}"));
    }
    let fact = Fact::new(Kind::PackageManager, format!("programs are run with `{run} …` (`{lock}`)")).id(*manager);
    file.put(0, fact.about("install dependencies lock"));
}

/// The values of a list on separate lines, any other value as written.
fn flat(value: &Value) -> String {
    match value {
        Value::String(text) => text.trim().to_owned(),
        Value::Array(all) => all.iter().map(flat).collect::<Vec<_>>().join("\n"),
        Value::Integer(number) => number.to_string(),
        Value::Boolean(flag) => flag.to_string(),
        Value::Float(number) => number.to_string(),
        Value::Table(_) | Value::Datetime(_) => String::new(),
    }
}

/// The settings of linters that are quoted.
const LINTERS: &[(&str, &[&str])] = &[
    ("tool.ruff", &["line-length", "target-version"]),
    ("tool.ruff.lint", &["select", "ignore"]),
    ("tool.black", &["line-length"]),
    ("tool.mypy", &["strict", "disallow_untyped_defs"]),
    ("tool.coverage.report", &["fail_under"]),
    ("tool.isort", &["profile"]),
];

fn linters(file: &mut Reading<'_>, root: &Table) {
    for (section, key) in LINTERS.iter().flat_map(|(section, keys)| keys.iter().map(move |key| (section, key))) {
        let Some(value) = at(root, section).and_then(|table| table.get(key)) else { continue };
        let tool = section.split('.').nth(1).unwrap_or_default();
        // pytest measures it.
        let tests = (Kind::TestConfig, "test pytest");
        let (kind, about) = if tool == "coverage" { tests } else { (Kind::LintConfig, "lint style") };
        let fact = Fact::new(kind, format!("{tool}: `{key} = {}`", flat(value).replace('\n', ", ")));
        let fact = fact.id(format!("{tool}-{key}")).about(tool).about(about).about(key);
        file.put(line_of_key(file.text, section, key), fact);
    }
}

/// Tasks of poe, taskipy, pdm and hatch.
fn tasks(file: &mut Reading<'_>, root: &Table) {
    for (section, run) in [
        ("tool.poe.tasks", "poe"),
        ("tool.taskipy.tasks", "task"),
        ("tool.pdm.scripts", "pdm run"),
        ("tool.hatch.envs.default.scripts", "hatch run"),
    ] {
        for (name, runs) in table(root, section) {
            let Some(runs) = runs.as_str().or_else(|| runs.get("cmd")?.as_str()) else { continue };
            let command = format!("{run} {name}");
            let fact = Fact::new(purpose(name, runs), format!("`{command}`: {}", code(runs)));
            let fact = fact.about(name).about(runs).risk(Risk::of_name(name).max(Risk::of_command(runs)));
            file.command(line_of_key(file.text, section, name), fact, &command);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_version_of_poetry_is_exact() {
        let text = "[tool.poetry.dependencies]\ndjango = \"5.0.8\"\ncelery = \"^5.4\"\n";
        let all = requirements(&toml::from_str(text).unwrap());
        assert!(all.contains(&"django ==5.0.8".to_owned()) && all.contains(&"celery ^5.4".to_owned()), "{all:?}");
    }
}
