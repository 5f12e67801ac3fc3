//! The risk of running a command: irreversible effects, as far as its words tell.

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
        parts().filter_map(|part| NAMES.iter().find(|(_, names)| names.contains(&part))).map(|(risk, _)| *risk).max()
    }
}

/// Consecutive words of a command, ignoring flags and values between them, and their effect.
/// `*` matches any words between, `-` after a word any suffix (`delete-*`).
const COMMANDS: &[(Risk, &[&str])] = &[
    (
        Risk::Destroys,
        &[
            "rm -rf", "rm -fr", "rm -r", "drop database", "drop table", "drop schema", "truncate table", "delete from",
            "dropdb", "db:drop", "db:reset", "db:purge", "db:schema:load", "migrate reset", "db push --force-reset",
            "database drop", "database reset", "manage.py flush", "flyway clean", "flushall", "flushdb", "mkfs",
            "terraform destroy", "tofu destroy", "pulumi destroy", "cdk destroy", "kubectl delete", "helm uninstall",
            "helm delete", "docker volume rm", "docker system prune", "docker compose down -v",
            "docker-compose down -v", "compose down --volumes", "git push --force", "git push -f", "git reset --hard",
            "git clean -fd", "git clean -fdx", "git clean -xdf", "gh repo delete", "gh release delete",
            "gcloud * delete", "az * delete", "aws * delete-", "aws * terminate-", "aws s3 rm", "aws s3 rb",
            "npm unpublish", "rsync * --delete", "db:rollback", "alembic downgrade", "sqlx migrate revert",
            "diesel migration revert", "goose down", "dbmate down", "knex migrate:rollback",
        ],
    ),
    (
        Risk::Publishes,
        &[
            "npm publish", "pnpm publish", "yarn publish", "yarn npm publish", "bun publish", "lerna publish",
            "changeset publish", "cargo publish", "cargo yank", "cargo release", "twine upload", "poetry publish",
            "uv publish", "hatch publish", "flit publish", "gem push", "docker push", "docker buildx build --push",
            "podman push", "helm push", "git push", "gh release create", "glab release create", "goreleaser release",
            "semantic-release", "release-it", "mvn deploy", "gradle publish",
        ],
    ),
    (
        Risk::Deploys,
        &[
            "kubectl apply", "kubectl replace", "kubectl set image", "kubectl rollout undo", "kubectl rollout restart",
            "kubectl scale", "helm upgrade", "helm install", "helm rollback", "helmfile apply", "helmfile sync",
            "terraform apply", "tofu apply", "terragrunt apply", "pulumi up", "cdk deploy", "sam deploy",
            "serverless deploy", "sls deploy", "gcloud * deploy", "az * deploy", "aws * update-service",
            "aws * update-function-code", "aws s3 sync", "fly deploy", "flyctl deploy", "vercel --prod",
            "netlify deploy", "wrangler deploy", "wrangler publish", "firebase deploy", "kamal deploy",
            "kamal rollback", "cap * deploy", "ansible-playbook", "argocd app sync", "eb deploy", "nginx -s reload",
            "systemctl reload",
        ],
    ),
    (
        Risk::Stops,
        &[
            "kubectl drain", "systemctl stop", "systemctl restart", "docker stop", "docker kill",
            "docker compose down", "docker-compose down", "docker compose stop", "pm2 stop", "killall", "pkill",
            "aws * stop-",
        ],
    ),
    (
        Risk::Writes,
        &[
            "db:migrate", "db:seed", "manage.py migrate", "alembic upgrade", "prisma migrate", "prisma db push",
            "sqlx migrate run", "diesel migration run", "flyway migrate", "liquibase update", "goose up", "dbmate up",
            "knex migrate:latest", "git commit", "git tag",
        ],
    ),
];

/// Words of a target's or job's name; only unambiguous ones, since a name says less than a command.
const NAMES: &[(Risk, &[&str])] = &[
    (
        Risk::Deploys,
        &[
            "deploy", "rollout", "rollback", "promote", "provision", "reload", "implantar", "desplegar", "despliegue",
            "recarregar", "recargar",
        ],
    ),
    (Risk::Publishes, &["publish", "release", "publicar"]),
    (Risk::Destroys, &["destroy", "nuke", "wipe", "purge", "drop", "teardown"]),
];

/// Flags and words by which nothing is done, only shown.
const HARMLESS: &[&str] = &["--dry-run", "--check", "--plan", "--help", "--diff"];

fn of_one(command: &str) -> Option<Risk> {
    let words: Vec<&str> =
        command.split_whitespace().map(|word| word.trim_matches(['"', '\'', '`', '(', ')'])).collect();
    if words.iter().any(|word| HARMLESS.iter().any(|one| word.starts_with(one))) {
        return None;
    }
    let fits = |forms: &[&str]| forms.iter().any(|form| stands_in(form, &words));
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
}
