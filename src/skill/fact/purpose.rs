//! What a command is for, by the name of its target and by what it runs.

use super::{Kind, Risk};

/// Words of a target's name, and the kind they tell.
const NAMES: &[(&str, Kind)] = &[
    ("deploy", Kind::DeployCommand),
    ("rollback", Kind::DeployCommand),
    ("rollout", Kind::DeployCommand),
    ("promote", Kind::DeployCommand),
    ("provision", Kind::DeployCommand),
    ("release", Kind::ReleaseCommand),
    ("publish", Kind::ReleaseCommand),
    ("changelog", Kind::ReleaseCommand),
    ("changeset", Kind::ReleaseCommand),
    ("migrate", Kind::DbCommand),
    ("migration", Kind::DbCommand),
    ("migrations", Kind::DbCommand),
    ("db", Kind::DbCommand),
    ("database", Kind::DbCommand),
    ("seed", Kind::DbCommand),
    ("psql", Kind::DbCommand),
    ("lint", Kind::LintCommand),
    ("format", Kind::LintCommand),
    ("fmt", Kind::LintCommand),
    ("typecheck", Kind::LintCommand),
    ("types", Kind::LintCommand),
    ("clippy", Kind::LintCommand),
    ("style", Kind::LintCommand),
    ("check", Kind::LintCommand),
    ("test", Kind::TestCommand),
    ("tests", Kind::TestCommand),
    ("spec", Kind::TestCommand),
    ("e2e", Kind::TestCommand),
    ("coverage", Kind::TestCommand),
    ("bench", Kind::TestCommand),
    ("build", Kind::BuildCommand),
    ("compile", Kind::BuildCommand),
    ("dist", Kind::BuildCommand),
    ("bundle", Kind::BuildCommand),
    ("package", Kind::BuildCommand),
    ("start", Kind::RunCommand),
    ("dev", Kind::RunCommand),
    ("serve", Kind::RunCommand),
    ("server", Kind::RunCommand),
    ("run", Kind::RunCommand),
    ("up", Kind::RunCommand),
];

/// What a command line says of its kind.
const PROGRAMS: &[(&str, Kind)] = &[
    ("pytest", Kind::TestCommand),
    ("tox", Kind::TestCommand),
    ("nox", Kind::TestCommand),
    ("jest", Kind::TestCommand),
    ("vitest", Kind::TestCommand),
    ("playwright test", Kind::TestCommand),
    ("cypress run", Kind::TestCommand),
    ("mocha", Kind::TestCommand),
    ("rspec", Kind::TestCommand),
    ("cargo test", Kind::TestCommand),
    ("cargo nextest", Kind::TestCommand),
    ("go test", Kind::TestCommand),
    ("rails test", Kind::TestCommand),
    ("manage.py test", Kind::TestCommand),
    ("npm test", Kind::TestCommand),
    ("pnpm test", Kind::TestCommand),
    ("yarn test", Kind::TestCommand),
    ("make test", Kind::TestCommand),
    ("mvn verify", Kind::TestCommand),
    ("mvn test", Kind::TestCommand),
    ("gradlew test", Kind::TestCommand),
    ("gradlew check", Kind::TestCommand),
    ("eslint", Kind::LintCommand),
    ("prettier", Kind::LintCommand),
    ("biome", Kind::LintCommand),
    ("ruff", Kind::LintCommand),
    ("mypy", Kind::LintCommand),
    ("black", Kind::LintCommand),
    ("flake8", Kind::LintCommand),
    ("rubocop", Kind::LintCommand),
    ("clippy", Kind::LintCommand),
    ("cargo fmt", Kind::LintCommand),
    ("golangci-lint", Kind::LintCommand),
    ("go vet", Kind::LintCommand),
    ("tsc --noEmit", Kind::LintCommand),
    ("pre-commit", Kind::LintCommand),
    ("db:migrate", Kind::DbCommand),
    ("manage.py migrate", Kind::DbCommand),
    ("alembic", Kind::DbCommand),
    ("prisma", Kind::DbCommand),
    ("sqlx", Kind::DbCommand),
    ("flyway", Kind::DbCommand),
    ("cargo build", Kind::BuildCommand),
    ("go build", Kind::BuildCommand),
    ("docker build", Kind::BuildCommand),
    ("tsc", Kind::BuildCommand),
    ("vite build", Kind::BuildCommand),
    ("next build", Kind::BuildCommand),
    ("webpack", Kind::BuildCommand),
];

/// The kind of a target by its name, else by what it runs.
pub(super) fn of(name: &str, runs: &str) -> Kind {
    let lower = name.to_lowercase();
    let parts: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).collect();
    let named = NAMES.iter().find(|(word, _)| parts.contains(word)).map(|(_, kind)| *kind);
    named.unwrap_or_else(|| of_command(runs))
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
    PROGRAMS.iter().find(|(form, _)| known(form)).map_or(Kind::Command, |(_, kind)| *kind)
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
        ] {
            assert_eq!(of(name, runs), kind, "{name}");
        }
    }
}
