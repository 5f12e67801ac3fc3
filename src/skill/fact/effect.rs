//! What a command does, as far as its name and its words tell: its purpose, and the risk of running it.

use super::Kind;

word_enum! {
    /// The effect of a command, from the least to the worst.
    Risk {
        Writes = "writes",
        Stops = "stops",
        Deploys = "deploys",
        Publishes = "publishes",
        Destroys = "destroys",
    }
}

impl Risk {
    /// Whether a person must be asked first, whatever the task.
    pub fn asks(self) -> bool {
        matches!(self, Self::Deploys | Self::Publishes | Self::Destroys)
    }

    /// The risk of a command line, or of several joined by `;`, `&&`, `||`, `|` or line ends: the worst of them.
    pub fn of_command(command: &str) -> Option<Risk> {
        let lower = command.to_lowercase();
        lower.split([';', '|', '&', '\n']).filter_map(of_one).max()
    }

    /// The risk according to the name of a target, script or job.
    pub fn of_name(name: &str) -> Option<Risk> {
        let lower = name.to_lowercase();
        let parts = || lower.split(|c: char| !c.is_alphanumeric());
        if parts()
            .any(|part| matches!(part, "check" | "dry" | "plan" | "preview" | "test" | "build" | "notes" | "lint"))
        {
            return None;
        }
        // `dev:reload` concerns the machine of whoever types it.
        let local = parts().any(|part| matches!(part, "dev" | "hot" | "live" | "local" | "watch"));
        if local && parts().any(|part| part == "reload") {
            return None;
        }
        let named = |part: &str| NAMES.iter().find(|(_, names)| names.split(", ").any(|name| name == part));
        parts().filter_map(named).map(|(risk, _)| *risk).max()
    }
}

/// Consecutive words of a command, ignoring flags and values between them, and their effect.
/// `*` matches any words between, `-` after a word any suffix (`delete-*`).
const COMMANDS: &[(Risk, &str)] = &[
    (
        Risk::Destroys,
        "rm -rf, rm -fr, rm -r, drop database, drop table, drop schema, truncate table, delete from, dropdb, \
         db:drop, db:reset, db:purge, db:schema:load, migrate reset, db push --force-reset, database drop, \
         database reset, manage.py flush, flyway clean, flushall, flushdb, mkfs, terraform destroy, tofu destroy, \
         pulumi destroy, cdk destroy, kubectl delete, helm uninstall, helm delete, docker volume rm, \
         docker system prune, docker compose down -v, docker-compose down -v, compose down --volumes, \
         git push --force, git push -f, git reset --hard, git clean -fd, git clean -fdx, git clean -xdf, \
         gh repo delete, gh release delete, gcloud * delete, az * delete, aws * delete-, aws * terminate-, \
         aws s3 rm, aws s3 rb, npm unpublish, rsync * --delete, db:rollback, alembic downgrade, \
         sqlx migrate revert, diesel migration revert, goose down, dbmate down, knex migrate:rollback",
    ),
    (
        Risk::Publishes,
        "npm publish, pnpm publish, yarn publish, yarn npm publish, bun publish, lerna publish, changeset publish, \
         cargo publish, cargo yank, cargo release, twine upload, poetry publish, uv publish, hatch publish, \
         flit publish, gem push, docker push, docker buildx build --push, podman push, helm push, git push, \
         gh release create, glab release create, goreleaser release, semantic-release, release-it, mvn deploy, \
         gradle publish",
    ),
    (
        Risk::Deploys,
        "kubectl apply, kubectl replace, kubectl set image, kubectl rollout undo, kubectl rollout restart, \
         kubectl scale, helm upgrade, helm install, helm rollback, helmfile apply, helmfile sync, terraform apply, \
         tofu apply, terragrunt apply, pulumi up, cdk deploy, sam deploy, serverless deploy, sls deploy, \
         gcloud * deploy, az * deploy, aws * update-service, aws * update-function-code, aws s3 sync, fly deploy, \
         flyctl deploy, vercel --prod, netlify deploy, wrangler deploy, wrangler publish, firebase deploy, \
         kamal deploy, kamal rollback, cap * deploy, ansible-playbook, argocd app sync, eb deploy, nginx -s reload, \
         systemctl reload",
    ),
    (
        Risk::Stops,
        "kubectl drain, systemctl stop, systemctl restart, docker stop, docker kill, docker compose down, \
         docker-compose down, docker compose stop, pm2 stop, killall, pkill, aws * stop-",
    ),
    (
        Risk::Writes,
        "db:migrate, db:seed, manage.py migrate, alembic upgrade, prisma migrate, prisma db push, sqlx migrate run, \
         diesel migration run, flyway migrate, liquibase update, goose up, dbmate up, knex migrate:latest, \
         git commit, git tag",
    ),
];

/// Words of a target's or job's name; only unambiguous ones, since a name says less than a command.
const NAMES: &[(Risk, &str)] = &[
    (
        Risk::Deploys,
        "deploy, rollout, rollback, promote, provision, reload, implantar, desplegar, despliegue, recarregar, \
         recargar",
    ),
    (Risk::Publishes, "publish, release, publicar"),
    (Risk::Destroys, "destroy, nuke, wipe, purge, drop, teardown"),
];

/// Flags and words by which nothing is done, only shown.
const HARMLESS: &[&str] = &["--dry-run", "--check", "--plan", "--help", "--diff"];

fn of_one(command: &str) -> Option<Risk> {
    let words: Vec<&str> =
        command.split_whitespace().map(|word| word.trim_matches(['"', '\'', '`', '(', ')'])).collect();
    if words.iter().any(|word| HARMLESS.iter().any(|one| word.starts_with(one))) {
        return None;
    }
    let fits = |forms: &str| forms.split(", ").any(|form| stands_in(form, &words));
    COMMANDS.iter().filter(|(_, forms)| fits(forms)).map(|(risk, _)| *risk).max()
}

/// Whether the words of a pattern are consecutive, ignoring other flags and their values.
fn stands_in(form: &str, words: &[&str]) -> bool {
    let mut form = form.split(' ');
    let Some(first) = form.next() else { return false };
    let rest: Vec<&str> = form.collect();
    let program = |word: &str| word == first || word.rsplit('/').next() == Some(first);
    words.iter().enumerate().any(|(at, word)| program(word) && follows(&rest, words.get(at + 1..).unwrap_or_default()))
}

fn follows(form: &[&str], words: &[&str]) -> bool {
    let Some((wanted, later)) = form.split_first() else { return true };
    let any = *wanted == "*";
    let (wanted, later) =
        if any { (later.first().copied().unwrap_or_default(), &later[1.min(later.len())..]) } else { (*wanted, later) };
    let mut between_flags = true;
    for (at, word) in words.iter().enumerate() {
        let fits = match wanted.strip_suffix('-') {
            Some(begin) if !begin.is_empty() => word.strip_prefix(begin).is_some_and(|rest| rest.starts_with('-')),
            _ => *word == wanted,
        };
        if fits {
            return follows(later, words.get(at + 1..).unwrap_or_default());
        }
        // `kubectl -n prod apply`: a flag and its value come before the verb.
        between_flags = word.starts_with('-') || (at > 0 && between_flags && words[at - 1].starts_with('-'));
        if !any && !between_flags && !wanted.starts_with('-') {
            return false;
        }
    }
    false
}

/// Words in a target's name, and their kind.
const TARGETS: &[(Kind, &str)] = &[
    (Kind::DeployCommand, "deploy, rollback, rollout, promote, provision"),
    (Kind::ReleaseCommand, "release, publish, changelog, changeset"),
    (Kind::DbCommand, "migrate, migration, migrations, db, database, seed, psql"),
    (Kind::LintCommand, "lint, format, fmt, typecheck, types, clippy, style, check, checks, verify, gate, qa"),
    (Kind::TestCommand, "test, tests, spec, e2e, coverage, prueba, pruebas, teste, testes, prova"),
    (Kind::BuildCommand, "build, compile, dist, bundle, package"),
    (Kind::RunCommand, "start, dev, serve, server, run, up"),
];

/// Words in a command line, and their kind.
const PROGRAMS: &[(Kind, &str)] = &[
    (
        Kind::TestCommand,
        "pytest, tox, nox, jest, vitest, playwright test, cypress run, mocha, rspec, cargo test, cargo nextest, \
         go test, rails test, manage.py test, npm test, pnpm test, yarn test, make test, mvn verify, mvn test, \
         mvnw verify, mvnw test, gradlew test, gradlew check, dbt build, dbt test, phpunit, pest, artisan test, \
         dotnet test, swift test, flutter test, mix test, bun test, deno test, ctest, bats, molecule test, \
         terraform test",
    ),
    (
        Kind::LintCommand,
        "eslint, prettier, biome, ruff, mypy, black, flake8, rubocop, clippy, cargo fmt, golangci-lint, go vet, \
         tsc --noEmit, pre-commit, sqlfluff, vale, phpstan, psalm, phpcs, php-cs-fixer, pint, ktlint, detekt, \
         swiftlint, swiftformat, dart analyze, flutter analyze, pyright, credo, stylelint, oxlint, shellcheck, \
         hadolint, yamllint, ansible-lint, tflint, terraform validate, terraform fmt, buf lint, markdownlint",
    ),
    (Kind::ReleaseCommand, "changeset, semantic-release, release-it"),
    (Kind::DbCommand, "db:migrate, manage.py migrate, alembic, prisma, sqlx, flyway"),
    (Kind::BuildCommand, "cargo build, go build, docker build, tsc, vite build, next build, webpack"),
];

/// The kind of a target by its name, else by what it runs.
pub(super) fn purpose(name: &str, runs: &str) -> Kind {
    let lower = name.to_lowercase();
    let parts: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).collect();
    let named = TARGETS.iter().find(|(_, words)| words.split(", ").any(|word| parts.contains(&word)));
    named.map_or_else(|| purpose_of_command(runs), |(kind, _)| *kind)
}

/// The kind of a command as it is typed: by the name of the target, if it runs one.
pub(super) fn purpose_of_typed(command: &str) -> Kind {
    const RUNNERS: &[&str] = &["npm", "pnpm", "yarn", "bun", "make", "just", "task", "composer", "hatch"];
    let mut words = command.split_whitespace();
    let runs = |program: &&str| RUNNERS.contains(program) || program.starts_with("./");
    let target = words.next().filter(runs).and_then(|_| words.find(|word| *word != "run"));
    target.map_or_else(|| purpose_of_command(command), |name| purpose(name, command))
}

/// The kind of a command line.
pub(super) fn purpose_of_command(command: &str) -> Kind {
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
    PROGRAMS.iter().find(|(_, forms)| forms.split(", ").any(known)).map_or(Kind::Command, |(kind, _)| *kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_risk_of_a_command_is_read_from_its_words() {
        for (command, risk) in [
            ("make clean && rm -rf build", Some(Risk::Destroys)),
            ("kubectl -n prod apply -f k8s/", Some(Risk::Deploys)),
            ("kubectl get pods", None),
            ("terraform -chdir=infra destroy", Some(Risk::Destroys)),
            ("terraform plan", None),
            ("npm publish --access public", Some(Risk::Publishes)),
            ("npm publish --dry-run", None),
            ("git push origin main", Some(Risk::Publishes)),
            ("git push --force-with-lease", Some(Risk::Publishes)),
            ("git push origin main --force", Some(Risk::Destroys)),
            ("docker push registry/app", Some(Risk::Publishes)),
            ("bin/rails db:drop", Some(Risk::Destroys)),
            ("aws iam delete-access-key --user-name x", Some(Risk::Destroys)),
            ("aws s3 ls", None),
            ("psql -c 'DROP TABLE orders'", Some(Risk::Destroys)),
            ("bundle exec rails db:migrate", Some(Risk::Writes)),
            ("docker compose down -v", Some(Risk::Destroys)),
            ("docker compose -f x.yml down", Some(Risk::Stops)),
            ("echo deploy", None),
            ("nginx -s reload", Some(Risk::Deploys)),
            ("pytest -k drop", None),
        ] {
            assert_eq!(Risk::of_command(command), risk, "{command}");
        }
    }

    #[test]
    fn a_name_tells_only_what_leaves_little_doubt() {
        for (name, risk) in [
            ("deploy-staging", Some(Risk::Deploys)),
            ("reload", Some(Risk::Deploys)),
            ("dev:reload", None),
            ("publicar", Some(Risk::Publishes)),
            ("rollback", Some(Risk::Deploys)),
            ("db_drop", Some(Risk::Destroys)),
            ("release", Some(Risk::Publishes)),
            ("release-notes", None),
            ("deploy:check", None),
            ("dropdown", None),
            ("test", None),
        ] {
            assert_eq!(Risk::of_name(name), risk, "{name}");
        }
        assert!(Risk::Destroys.asks() && !Risk::Writes.asks() && Risk::Writes < Risk::Destroys);
    }

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
            assert_eq!(purpose(name, runs), kind, "{name}");
        }
    }
}
