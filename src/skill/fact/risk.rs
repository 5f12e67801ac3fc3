//! What running a command could do that cannot be taken back, as far as its words tell.

use serde::{Deserialize, Serialize};

/// What running something changes, from the least to the worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Risk {
    Writes,
    Stops,
    Deploys,
    Publishes,
    Destroys,
}

impl Risk {
    /// Its name, as packs and JSON write it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Writes => "writes",
            Self::Stops => "stops",
            Self::Deploys => "deploys",
            Self::Publishes => "publishes",
            Self::Destroys => "destroys",
        }
    }

    /// Whether a person is asked first, whatever the task.
    #[must_use]
    pub fn asks(self) -> bool {
        matches!(self, Self::Deploys | Self::Publishes | Self::Destroys)
    }

    /// The risk of a command line, or of several joined by `;`, `&&`, `||`, `|` or line ends: the worst of them.
    #[must_use]
    pub fn of_command(command: &str) -> Option<Risk> {
        let lower = command.to_lowercase();
        lower.split([';', '|', '&', '\n']).filter_map(of_one).max()
    }

    /// The risk that the name of a target, script or job tells.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Risk> {
        let lower = name.to_lowercase();
        let parts = || lower.split(|c: char| !c.is_alphanumeric());
        if parts()
            .any(|part| matches!(part, "check" | "dry" | "plan" | "preview" | "test" | "build" | "notes" | "lint"))
        {
            return None;
        }
        parts().filter_map(|part| NAMES.iter().find(|(name, _)| *name == part)).map(|(_, risk)| *risk).max()
    }
}

/// Words of a command that follow one another, flags and values between them left out, and what they do.
/// `*` stands for any words between, `-` behind a word for any ending of it (`delete-*`).
const COMMANDS: &[(&str, Risk)] = &[
    ("rm -rf", Risk::Destroys),
    ("rm -fr", Risk::Destroys),
    ("rm -r", Risk::Destroys),
    ("drop database", Risk::Destroys),
    ("drop table", Risk::Destroys),
    ("drop schema", Risk::Destroys),
    ("truncate table", Risk::Destroys),
    ("delete from", Risk::Destroys),
    ("dropdb", Risk::Destroys),
    ("db:drop", Risk::Destroys),
    ("db:reset", Risk::Destroys),
    ("db:purge", Risk::Destroys),
    ("db:schema:load", Risk::Destroys),
    ("migrate reset", Risk::Destroys),
    ("db push --force-reset", Risk::Destroys),
    ("database drop", Risk::Destroys),
    ("database reset", Risk::Destroys),
    ("manage.py flush", Risk::Destroys),
    ("flyway clean", Risk::Destroys),
    ("flushall", Risk::Destroys),
    ("flushdb", Risk::Destroys),
    ("mkfs", Risk::Destroys),
    ("terraform destroy", Risk::Destroys),
    ("tofu destroy", Risk::Destroys),
    ("pulumi destroy", Risk::Destroys),
    ("cdk destroy", Risk::Destroys),
    ("kubectl delete", Risk::Destroys),
    ("helm uninstall", Risk::Destroys),
    ("helm delete", Risk::Destroys),
    ("docker volume rm", Risk::Destroys),
    ("docker system prune", Risk::Destroys),
    ("docker compose down -v", Risk::Destroys),
    ("docker-compose down -v", Risk::Destroys),
    ("compose down --volumes", Risk::Destroys),
    ("git push --force", Risk::Destroys),
    ("git push -f", Risk::Destroys),
    ("git reset --hard", Risk::Destroys),
    ("git clean -fd", Risk::Destroys),
    ("git clean -fdx", Risk::Destroys),
    ("git clean -xdf", Risk::Destroys),
    ("gh repo delete", Risk::Destroys),
    ("gh release delete", Risk::Destroys),
    ("gcloud * delete", Risk::Destroys),
    ("az * delete", Risk::Destroys),
    ("aws * delete-", Risk::Destroys),
    ("aws * terminate-", Risk::Destroys),
    ("aws s3 rm", Risk::Destroys),
    ("aws s3 rb", Risk::Destroys),
    ("npm publish", Risk::Publishes),
    ("pnpm publish", Risk::Publishes),
    ("yarn publish", Risk::Publishes),
    ("yarn npm publish", Risk::Publishes),
    ("bun publish", Risk::Publishes),
    ("lerna publish", Risk::Publishes),
    ("changeset publish", Risk::Publishes),
    ("npm unpublish", Risk::Destroys),
    ("cargo publish", Risk::Publishes),
    ("cargo yank", Risk::Publishes),
    ("cargo release", Risk::Publishes),
    ("twine upload", Risk::Publishes),
    ("poetry publish", Risk::Publishes),
    ("uv publish", Risk::Publishes),
    ("hatch publish", Risk::Publishes),
    ("flit publish", Risk::Publishes),
    ("gem push", Risk::Publishes),
    ("docker push", Risk::Publishes),
    ("docker buildx build --push", Risk::Publishes),
    ("podman push", Risk::Publishes),
    ("helm push", Risk::Publishes),
    ("git push", Risk::Publishes),
    ("gh release create", Risk::Publishes),
    ("glab release create", Risk::Publishes),
    ("goreleaser release", Risk::Publishes),
    ("semantic-release", Risk::Publishes),
    ("release-it", Risk::Publishes),
    ("mvn deploy", Risk::Publishes),
    ("gradle publish", Risk::Publishes),
    ("kubectl apply", Risk::Deploys),
    ("kubectl replace", Risk::Deploys),
    ("kubectl set image", Risk::Deploys),
    ("kubectl rollout undo", Risk::Deploys),
    ("kubectl rollout restart", Risk::Deploys),
    ("kubectl scale", Risk::Deploys),
    ("helm upgrade", Risk::Deploys),
    ("helm install", Risk::Deploys),
    ("helm rollback", Risk::Deploys),
    ("helmfile apply", Risk::Deploys),
    ("helmfile sync", Risk::Deploys),
    ("terraform apply", Risk::Deploys),
    ("tofu apply", Risk::Deploys),
    ("terragrunt apply", Risk::Deploys),
    ("pulumi up", Risk::Deploys),
    ("cdk deploy", Risk::Deploys),
    ("sam deploy", Risk::Deploys),
    ("serverless deploy", Risk::Deploys),
    ("sls deploy", Risk::Deploys),
    ("gcloud * deploy", Risk::Deploys),
    ("az * deploy", Risk::Deploys),
    ("aws * update-service", Risk::Deploys),
    ("aws * update-function-code", Risk::Deploys),
    ("aws s3 sync", Risk::Deploys),
    ("fly deploy", Risk::Deploys),
    ("flyctl deploy", Risk::Deploys),
    ("vercel --prod", Risk::Deploys),
    ("netlify deploy", Risk::Deploys),
    ("wrangler deploy", Risk::Deploys),
    ("wrangler publish", Risk::Deploys),
    ("firebase deploy", Risk::Deploys),
    ("kamal deploy", Risk::Deploys),
    ("kamal rollback", Risk::Deploys),
    ("cap * deploy", Risk::Deploys),
    ("ansible-playbook", Risk::Deploys),
    ("argocd app sync", Risk::Deploys),
    ("eb deploy", Risk::Deploys),
    ("rsync * --delete", Risk::Destroys),
    ("kubectl drain", Risk::Stops),
    ("systemctl stop", Risk::Stops),
    ("systemctl restart", Risk::Stops),
    ("docker stop", Risk::Stops),
    ("docker kill", Risk::Stops),
    ("docker compose down", Risk::Stops),
    ("docker-compose down", Risk::Stops),
    ("docker compose stop", Risk::Stops),
    ("pm2 stop", Risk::Stops),
    ("killall", Risk::Stops),
    ("pkill", Risk::Stops),
    ("aws * stop-", Risk::Stops),
    ("db:migrate", Risk::Writes),
    ("db:seed", Risk::Writes),
    ("db:rollback", Risk::Destroys),
    ("manage.py migrate", Risk::Writes),
    ("alembic upgrade", Risk::Writes),
    ("alembic downgrade", Risk::Destroys),
    ("prisma migrate", Risk::Writes),
    ("prisma db push", Risk::Writes),
    ("sqlx migrate run", Risk::Writes),
    ("sqlx migrate revert", Risk::Destroys),
    ("diesel migration run", Risk::Writes),
    ("diesel migration revert", Risk::Destroys),
    ("flyway migrate", Risk::Writes),
    ("liquibase update", Risk::Writes),
    ("goose up", Risk::Writes),
    ("goose down", Risk::Destroys),
    ("dbmate up", Risk::Writes),
    ("dbmate down", Risk::Destroys),
    ("knex migrate:latest", Risk::Writes),
    ("knex migrate:rollback", Risk::Destroys),
    ("git commit", Risk::Writes),
    ("git tag", Risk::Writes),
];

/// Words of a target's or job's name. A name alone says less than a command, so only those that leave little doubt.
const NAMES: &[(&str, Risk)] = &[
    ("deploy", Risk::Deploys),
    ("rollout", Risk::Deploys),
    ("rollback", Risk::Deploys),
    ("promote", Risk::Deploys),
    ("provision", Risk::Deploys),
    ("publish", Risk::Publishes),
    ("release", Risk::Publishes),
    ("destroy", Risk::Destroys),
    ("nuke", Risk::Destroys),
    ("wipe", Risk::Destroys),
    ("purge", Risk::Destroys),
    ("drop", Risk::Destroys),
    ("teardown", Risk::Destroys),
];

/// What says that nothing is done, only shown.
const HARMLESS: &[&str] = &["--dry-run", "--check", "--plan", "--help", "--diff"];

fn of_one(command: &str) -> Option<Risk> {
    let words: Vec<&str> =
        command.split_whitespace().map(|word| word.trim_matches(['"', '\'', '`', '(', ')'])).collect();
    if words.iter().any(|word| HARMLESS.iter().any(|one| word.starts_with(one))) {
        return None;
    }
    COMMANDS.iter().filter(|(form, _)| stands_in(form, &words)).map(|(_, risk)| *risk).max()
}

/// Whether the words of a form follow one another, other flags and their values between them or not.
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
            ("pytest -k drop", None),
        ] {
            assert_eq!(Risk::of_command(command), risk, "{command}");
        }
    }

    #[test]
    fn a_name_tells_only_what_leaves_little_doubt() {
        for (name, risk) in [
            ("deploy-staging", Some(Risk::Deploys)),
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
