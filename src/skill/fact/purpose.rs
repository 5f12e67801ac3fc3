//! The purpose of a command, by the name of its target and by what it runs.

use super::{Kind, Risk};

/// Words in a target's name, and their kind.
const NAMES: &[(Kind, &[&str])] = &[
    (Kind::DeployCommand, &["deploy", "rollback", "rollout", "promote", "provision"]),
    (Kind::ReleaseCommand, &["release", "publish", "changelog", "changeset"]),
    (Kind::DbCommand, &["migrate", "migration", "migrations", "db", "database", "seed", "psql"]),
    (
        Kind::LintCommand,
        &["lint", "format", "fmt", "typecheck", "types", "clippy", "style", "check", "checks", "verify", "gate", "qa"],
    ),
    (Kind::TestCommand, &["test", "tests", "spec", "e2e", "coverage", "prueba", "pruebas", "teste", "testes", "prova"]),
    (Kind::BuildCommand, &["build", "compile", "dist", "bundle", "package"]),
    (Kind::RunCommand, &["start", "dev", "serve", "server", "run", "up"]),
];

/// Words in a command line, and their kind.
const PROGRAMS: &[(Kind, &[&str])] = &[
    (
        Kind::TestCommand,
        &[
            "pytest", "tox", "nox", "jest", "vitest", "playwright test", "cypress run", "mocha", "rspec", "cargo test",
            "cargo nextest", "go test", "rails test", "manage.py test", "npm test", "pnpm test", "yarn test",
            "make test", "mvn verify", "mvn test", "mvnw verify", "mvnw test", "gradlew test", "gradlew check",
            "dbt build", "dbt test", "phpunit", "pest", "artisan test", "dotnet test", "swift test", "flutter test",
            "mix test", "bun test", "deno test", "ctest", "bats", "molecule test", "terraform test",
        ],
    ),
    (
        Kind::LintCommand,
        &[
            "eslint", "prettier", "biome", "ruff", "mypy", "black", "flake8", "rubocop", "clippy", "cargo fmt",
            "golangci-lint", "go vet", "tsc --noEmit", "pre-commit", "sqlfluff", "vale", "phpstan", "psalm", "phpcs",
            "php-cs-fixer", "pint", "ktlint", "detekt", "swiftlint", "swiftformat", "dart analyze", "flutter analyze",
            "pyright", "credo", "stylelint", "oxlint", "shellcheck", "hadolint", "yamllint", "ansible-lint", "tflint",
            "terraform validate", "terraform fmt", "buf lint", "markdownlint",
        ],
    ),
    (Kind::ReleaseCommand, &["changeset", "semantic-release", "release-it"]),
    (Kind::DbCommand, &["db:migrate", "manage.py migrate", "alembic", "prisma", "sqlx", "flyway"]),
    (Kind::BuildCommand, &["cargo build", "go build", "docker build", "tsc", "vite build", "next build", "webpack"]),
];

/// The kind of a target by its name, else by what it runs.
pub(super) fn of(name: &str, runs: &str) -> Kind {
    let lower = name.to_lowercase();
    let parts: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).collect();
    let named = NAMES.iter().find(|(_, words)| words.iter().any(|word| parts.contains(word))).map(|(kind, _)| *kind);
    named.unwrap_or_else(|| of_command(runs))
}

/// The kind of a command as it is typed: by the name of the target, if it runs one.
pub(super) fn of_typed(command: &str) -> Kind {
    const RUNNERS: &[&str] = &["npm", "pnpm", "yarn", "bun", "make", "just", "task", "composer", "hatch"];
    let mut words = command.split_whitespace();
    let runs = |program: &&str| RUNNERS.contains(program) || program.starts_with("./");
    let target = words.next().filter(runs).and_then(|_| words.find(|word| *word != "run"));
    target.map_or_else(|| of_command(command), |name| of(name, command))
}

/// The kind of a command line.
pub(super) fn of_command(command: &str) -> Kind {
    match Risk::of_command(command) {
        Some(Risk::Deploys) => return Kind::DeployCommand,
        Some(Risk::Publishes) => return Kind::ReleaseCommand,
        _ => {}
    }
    let words = format!(" {} ", command.replace(['/', '\n'], " "));
    let known = |form: &str| words.contains(&format!(" {form} "));
    // Gradle's tasks are named after what they do: `testReleaseUnitTest`.
    let gradle = command.contains("gradlew ") || command.starts_with("gradle ");
    if gradle && command.split_whitespace().any(|task| task.starts_with("test") || task.ends_with("Test")) {
        return Kind::TestCommand;
    }
    PROGRAMS.iter().find(|(_, forms)| forms.iter().any(|form| known(form))).map_or(Kind::Command, |(kind, _)| *kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_decides_and_the_command_where_it_says_nothing() {
        for (name, runs, kind) in [
            ("test:unit", "jest", Kind::TestCommand),
            ("lint-tests", "ruff check tests", Kind::LintCommand),
            ("db-seed", "python seed.py", Kind::DbCommand),
            ("deploy-test", "./deploy.sh", Kind::DeployCommand),
            ("ship", "kubectl apply -f k8s", Kind::DeployCommand),
            ("all", "tox -e py312 -- tests", Kind::TestCommand),
            ("clean", "rm -rf build", Kind::Command),
            ("version-packages", "changeset version", Kind::ReleaseCommand),
        ] {
            assert_eq!(of(name, runs), kind, "{name}");
        }
    }
}
