//! pyproject.toml, requirements files and Pipfile: Python's version, packages, and the settings of tools.

use toml::{Table, Value};

use super::lines::{code, line_of, line_of_key};
use super::packages::{Packages, known, other};
use super::{Fact, Facts, Kind, Risk, Source, purpose, pytest};

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

pub(super) fn project(source: &Source<'_>, out: &mut Facts) {
    let Ok(root) = source.text.parse::<Table>() else { return };
    let version = at(&root, "project.requires-python").or_else(|| at(&root, "tool.poetry.dependencies.python"));
    language(source, version.and_then(Value::as_str), out);
    for requirement in requirements(&root) {
        package(source, &requirement, out);
    }
    run_by(source, out);
    for section in ["tool.pytest.ini_options", "tool.pytest"] {
        for (key, value) in table(&root, section).filter(|(key, _)| *key != "ini_options") {
            pytest::setting(source, key, &flat(value), line_of_key(source.text, section, key), out);
        }
    }
    linters(source, &root, out);
    tasks(source, &root, out);
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
pub(super) fn requirement_file(source: &Source<'_>, out: &mut Facts) {
    language(source, None, out);
    for line in source.text.lines().map(str::trim).filter(|line| !line.starts_with(['#', '-'])) {
        package(source, line.split([';', '#']).next().unwrap_or_default().trim(), out);
    }
}

pub(super) fn language(source: &Source<'_>, version: Option<&str>, out: &mut Facts) {
    let text = version.map_or("Python".to_owned(), |version| format!("Python {}", code(version)));
    let line = if version.is_some() { line_of(source.text, &["python"]) } else { 0 };
    out.put(source, line, Fact::new(Kind::Language, text).id("lang-python").about("python"));
}

/// Every requirement as it is written: `pytest-xdist>=3`.
fn requirements(root: &Table) -> Vec<String> {
    let mut all = Vec::new();
    let mut list = |value: Option<&Value>| {
        all.extend(value.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).map(str::to_owned));
    };
    list(at(root, "project.dependencies"));
    for groups in ["project.optional-dependencies", "dependency-groups"] {
        table(root, groups).for_each(|(_, group)| list(Some(group)));
    }
    list(at(root, "tool.uv.dev-dependencies"));
    let groups = table(root, "tool.poetry.group").filter_map(|(_, group)| group.get("dependencies"));
    let own =
        ["tool.poetry.dependencies", "tool.poetry.dev-dependencies"].into_iter().filter_map(|path| at(root, path));
    for (name, version) in groups.chain(own).filter_map(Value::as_table).flatten() {
        let version = version.as_str().or_else(|| version.get("version")?.as_str()).unwrap_or_default();
        let exact = if version.starts_with(|c: char| c.is_ascii_digit()) { "==" } else { "" };
        all.push(format!("{name} {exact}{version}"));
    }
    all
}

/// The fact that a package shows, if any.
pub(super) fn package(source: &Source<'_>, requirement: &str, out: &mut Facts) {
    let end = requirement.find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '-' | '_' | '.'));
    let (name, version) = requirement.split_at(end.unwrap_or(requirement.len()));
    let key = name.to_lowercase().replace('_', "-");
    let plugin = || key.starts_with("pytest-").then_some((key.as_str(), Kind::TestPlugin));
    let line = line_of(source.text, &[name]);
    let exact = source.text.lines().position(|line| {
        line.contains(&format!("\"{requirement}\""))
            || line.contains(&format!("'{requirement}'"))
            || line.trim().starts_with(requirement)
    });
    let text = format!("`{}`", [name, version.trim()].concat());
    let known = known(PACKAGES, |package| package == key).or_else(plugin);
    let fact = known.map(|(id, kind)| Fact::new(kind, &*text).id(id).about(name));
    if let Some(fact) = fact.or_else(|| other(&key, &text)) {
        out.put(source, exact.map_or(line, |at| at + 1), fact);
    }
}

/// How pytest and similar tools are run, according to a lock file.
fn run_by(source: &Source<'_>, out: &mut Facts) {
    let Some((lock, manager, run)) = RUNNERS.iter().find(|(lock, ..)| source.has(lock)) else { return };
    for program in ["pytest", "ruff", "mypy", "python", "alembic", "nox", "tox"] {
        out.run(program, format!("{run} {program}"));
    }
    let fact = Fact::new(Kind::PackageManager, format!("programs are run with `{run} …` (`{lock}`)")).id(*manager);
    out.put(source, 0, fact.about("install dependencies lock"));
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

fn linters(source: &Source<'_>, root: &Table, out: &mut Facts) {
    for (section, key) in [
        ("tool.ruff", "line-length"),
        ("tool.ruff", "target-version"),
        ("tool.ruff.lint", "select"),
        ("tool.ruff.lint", "ignore"),
        ("tool.black", "line-length"),
        ("tool.mypy", "strict"),
        ("tool.mypy", "disallow_untyped_defs"),
        ("tool.coverage.report", "fail_under"),
        ("tool.isort", "profile"),
    ] {
        let Some(value) = at(root, section).and_then(|table| table.get(key)) else { continue };
        let tool = section.split('.').nth(1).unwrap_or_default();
        let kind = if tool == "coverage" { Kind::TestConfig } else { Kind::LintConfig };
        let value = flat(value).replace('\n', ", ");
        let fact = Fact::new(kind, format!("{tool}: `{key} = {value}`")).id(format!("{tool}-{key}"));
        // pytest measures it.
        let about = if tool == "coverage" { "test pytest" } else { "lint style" };
        out.put(source, line_of_key(source.text, section, key), fact.about(tool).about(about).about(key));
    }
}

/// Tasks of poe, taskipy, pdm and hatch.
fn tasks(source: &Source<'_>, root: &Table, out: &mut Facts) {
    for (section, run) in [
        ("tool.poe.tasks", "poe"),
        ("tool.taskipy.tasks", "task"),
        ("tool.pdm.scripts", "pdm run"),
        ("tool.hatch.envs.default.scripts", "hatch run"),
    ] {
        for (name, runs) in table(root, section) {
            let Some(runs) = runs.as_str().or_else(|| runs.get("cmd")?.as_str()) else { continue };
            let command = format!("{run} {name}");
            let fact = Fact::new(purpose::of(name, runs), format!("`{command}`: {}", code(runs)));
            let fact = fact.about(name).about(runs).risk(Risk::of_name(name).max(Risk::of_command(runs)));
            out.command(source, line_of_key(source.text, section, name), fact, &command);
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
