//! GitHub workflows: what each job runs, when, and on which versions.

use serde_json::Value;

use super::lines::code;
use super::{Fact, Facts, Kind, Risk, Source, purpose, yaml};

/// Actions that publish or deploy.
const ACTIONS: &[(&str, Risk)] = &[
    ("pypa/gh-action-pypi-publish", Risk::Publishes),
    ("JS-DevTools/npm-publish", Risk::Publishes),
    ("softprops/action-gh-release", Risk::Publishes),
    ("goreleaser/goreleaser-action", Risk::Publishes),
    ("changesets/action", Risk::Publishes),
    ("rubygems/release-gem", Risk::Publishes),
    ("googleapis/release-please-action", Risk::Publishes),
    ("azure/webapps-deploy", Risk::Deploys),
    ("actions/deploy-pages", Risk::Deploys),
    ("aws-actions/amazon-ecs-deploy-task-definition", Risk::Deploys),
    ("google-github-actions/deploy-cloudrun", Risk::Deploys),
];

/// How many commands of one job are kept.
const MOST: usize = 6;

pub(super) fn read(source: &Source<'_>, out: &mut Facts) {
    let Some(root) = yaml::parsed(source.text) else { return };
    let when = when(&root);
    for (name, job) in yaml::map(&root, "jobs") {
        let environment = job.get("environment").and_then(|one| one.as_str().or_else(|| one.get("name")?.as_str()));
        let deploys = environment.map(|_| Risk::Deploys).or_else(|| Risk::of_name(name));
        let mut kept = 0;
        for step in yaml::list(job, "steps") {
            for command in step.get("run").and_then(Value::as_str).map(commands).unwrap_or_default() {
                if kept < MOST {
                    kept += 1;
                    run(source, name, &command, deploys, out);
                }
            }
            action(source, name, step, out);
            version(source, name, step, out);
        }
        secrets(source, name, job, out);
        for (key, values) in job.get("strategy").map(|all| yaml::map(all, "matrix")).into_iter().flatten() {
            let values: Vec<String> =
                values.as_array().into_iter().flatten().filter_map(yaml::scalar).map(|one| code(&one)).collect();
            if !values.is_empty() && !matches!(key.as_str(), "include" | "exclude") {
                let fact = Fact::new(Kind::CiJob, format!("CI job {} runs on {key} {}", code(name), values.join(", ")));
                out.put(source, line(source.text, &format!("{key}:")), fact.about("ci matrix").about(name).about(key));
            }
        }
        for (service, one) in yaml::map(job, "services") {
            let image = one.get("image").and_then(Value::as_str).or_else(|| one.as_str()).unwrap_or(service);
            let fact = Fact::new(Kind::Service, format!("CI job {} starts {}", code(name), code(image)));
            out.put(source, line(source.text, image), fact.about("ci service").about(service).about(image));
        }
    }
    if let Some(when) = when {
        let name = super::lines::name(source.path);
        let fact = Fact::new(Kind::CiJob, format!("workflow {} runs on {when}", code(name))).id("ci-github");
        out.put(source, line(source.text, "on:"), fact.about("ci workflow").about(name).about(&when));
    }
}

/// When the workflow runs: `push, pull_request`; with the patterns of tags, or the only branch.
fn when(root: &Value) -> Option<String> {
    // YAML 1.1 reads the key `on` as true.
    let on = root.get("on").or_else(|| root.get("true"))?;
    let mut events: Vec<String> = match on {
        Value::String(one) => vec![one.clone()],
        Value::Array(all) => all.iter().filter_map(yaml::scalar).collect(),
        Value::Object(all) => all.keys().cloned().collect(),
        _ => return None,
    };
    let tags: Vec<String> =
        on.get("push").map(|push| yaml::list(push, "tags").filter_map(yaml::scalar).collect()).unwrap_or_default();
    let branches: Vec<String> =
        on.get("push").map(|push| yaml::list(push, "branches").filter_map(yaml::scalar).collect()).unwrap_or_default();
    if let ([branch], Some(push)) = (branches.as_slice(), events.iter_mut().find(|event| *event == "push"))
        && !branch.contains('*')
        && tags.is_empty()
    {
        *push = format!("push to {}", code(branch));
    }
    if let Some(push) = events.iter_mut().find(|event| *event == "push").filter(|_| !tags.is_empty()) {
        *push = format!("push of the tags {}", tags.iter().map(|tag| code(tag)).collect::<Vec<_>>().join(", "));
    }
    for cron in yaml::list(on, "schedule").filter_map(|one| one.get("cron")?.as_str()) {
        events.push(format!("cron {}", code(cron)));
    }
    events.retain(|event| event != "schedule");
    (!events.is_empty()).then(|| events.join(", "))
}

/// The effective lines of a script: continued lines joined, control flow and output left out.
pub(super) fn commands(script: &str) -> Vec<String> {
    const IDLE: &[&str] = &[
        "echo", "printf", "cd", "set", "export", "if", "then", "else", "elif", "fi", "for", "do", "done", "while",
        "case", "esac", "{", "}", "(", ")", "exit", "sleep", "mkdir", "cat", "ls", "#", "source", ".", "true", "test",
        "[", "[[",
    ];
    let joined = script.replace("\\\n", " ");
    let lines = joined.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    lines
        .filter(|line| {
            let first = line.split(' ').next().unwrap_or_default();
            !line.is_empty() && !first.starts_with('#') && !IDLE.contains(&first) && !installs(line)
        })
        .collect()
}

/// Whether a command only prepares the machine.
fn installs(command: &str) -> bool {
    const PREPARES: &[&str] = &[
        "pip install", "pip3 install", "python -m pip install", "npm ci", "npm install", "pnpm install", "pnpm i ",
        "yarn install", "bun install", "bundle install", "apt-get", "sudo apt", "brew install", "uv sync",
        "uv pip install", "uv python install", "poetry install", "corepack enable", "rustup", "cargo install",
        "go install", "go mod download", "gem install", "git config",
    ];
    PREPARES.iter().any(|one| command.starts_with(one))
}

pub(super) fn run(source: &Source<'_>, job: &str, command: &str, named: Option<Risk>, out: &mut Facts) {
    let script = script(command);
    let risk = Risk::of_command(command).max(script.and_then(Risk::of_name));
    let own = script.map_or_else(|| purpose::of_command(command), |name| purpose::of(name, command));
    let kind = match (own, risk.max(named)) {
        (Kind::TestCommand, _) => Kind::CiTest,
        (Kind::DeployCommand, _) => Kind::CiDeploy,
        (Kind::ReleaseCommand, _) => Kind::CiRelease,
        (Kind::Command, Some(Risk::Deploys)) => Kind::CiDeploy,
        (Kind::Command, Some(Risk::Publishes)) => Kind::CiRelease,
        _ => Kind::CiJob,
    };
    let fact =
        Fact::new(kind, format!("CI job {} runs {}", code(job), code(command))).about("ci").about(job).about(command);
    let risk = if matches!(kind, Kind::CiDeploy | Kind::CiRelease) { risk.max(named) } else { risk };
    let reruns = ["--reruns", "--retries", "--retry", "--flaky"].iter().any(|flag| command.contains(flag));
    let fact = if reruns { fact.id("ci-reruns") } else { fact };
    out.put(source, line(source.text, command), fact.risk(risk));
}

/// A step that uses an action.
fn action(source: &Source<'_>, job: &str, step: &Value, out: &mut Facts) {
    let Some(uses) = step.get("uses").and_then(Value::as_str) else { return };
    let name = uses.split('@').next().unwrap_or(uses);
    let push = step.pointer("/with/push").and_then(yaml::scalar);
    let pushes = name == "docker/build-push-action" && push.is_some_and(|push| push != "false");
    let known = ACTIONS.iter().find(|(action, _)| action.eq_ignore_ascii_case(name)).map(|(_, risk)| *risk);
    let Some(risk) = known.or(pushes.then_some(Risk::Publishes)) else { return };
    let (kind, does) = if risk == Risk::Deploys { (Kind::CiDeploy, "deploys") } else { (Kind::CiRelease, "publishes") };
    let fact = Fact::new(kind, format!("CI job {} {does} with {}", code(job), code(uses))).risk(Some(risk));
    out.put(source, line(source.text, uses), fact.about("ci release deploy publish").about(job).about(name));
}

/// A step that sets up a language in a fixed version: `actions/setup-dotnet` with `dotnet-version: 8.0.x`.
fn version(source: &Source<'_>, job: &str, step: &Value, out: &mut Facts) {
    let action = step.get("uses").and_then(Value::as_str).and_then(|uses| uses.split('@').next()?.rsplit('/').next());
    let tool = action.and_then(|action| action.strip_prefix("setup-"));
    let Some(tool) = tool.filter(|tool| !tool.is_empty()) else { return };
    for (key, value) in yaml::map(step, "with").filter(|(key, _)| key.ends_with("-version")) {
        let Some(value) = yaml::scalar(value).filter(|value| !value.contains(['$', '\n'])) else { continue };
        let fact = Fact::new(Kind::CiJob, format!("CI job {} uses {tool} {}", code(job), code(&value)));
        // ".NET" is one word of a text.
        let platform = if tool == "dotnet" { "net" } else { "" };
        let fact = fact.id("ci-version").about("ci").about(tool).about(platform);
        out.put(source, line(source.text, &format!("{key}:")), fact);
    }
}

/// The names of the secrets that a job uses.
fn secrets(source: &Source<'_>, job: &str, all: &Value, out: &mut Facts) {
    let text = all.to_string();
    let mut names = Vec::<&str>::new();
    for rest in text.split("secrets.").skip(1) {
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        let name = rest.get(..end).filter(|name| !name.is_empty() && *name != "GITHUB_TOKEN");
        names.extend(name.filter(|name| !names.contains(name)));
    }
    if let Some(first) = names.first() {
        let shown: Vec<String> = names.iter().take(MOST).map(|name| code(name)).collect();
        let fact = Fact::new(Kind::CiJob, format!("CI job {} uses the secrets {}", code(job), shown.join(", ")));
        let line = line(source.text, &format!("secrets.{first}"));
        out.put(source, line, fact.id("ci-secrets").about("ci secret secrets credential").about(&names.join(" ")));
    }
}

/// The line with a text, else with its words before the first flag: the rest may be on continuation lines.
fn line(text: &str, wanted: &str) -> usize {
    let begins = wanted.split(" -").next().unwrap_or(wanted);
    let at = |part: &str| text.lines().position(|line| line.contains(part));
    at(wanted).or_else(|| at(begins)).map_or(0, |at| at + 1)
}

/// The name in `pnpm run release`, `make release`, `just release`.
fn script(command: &str) -> Option<&str> {
    const RUNNERS: &[&str] = &["npm", "pnpm", "yarn", "bun", "make", "just", "task"];
    let mut words = command.split_whitespace();
    words.next().filter(|program| RUNNERS.contains(program))?;
    words.find(|word| *word != "run" && !word.starts_with('-') && !word.contains('='))
}
