//! What each job of CI runs, when, and on which versions: GitHub workflows, .gitlab-ci.yml.

use serde_json::Value;

use super::effect::{Risk, purpose, purpose_of_command};
use super::formats::{code, codes, list, map, name, parsed, scalar, scalars, word};
use super::{Fact, Kind, Reading};

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

/// Top-level keys that are no jobs.
const RESERVED: &[&str] = &[
    "default", "include", "stages", "variables", "workflow", "image", "services", "cache", "before_script",
    "after_script",
];

pub(super) fn gitlab(file: &mut Reading<'_>) {
    let Some(root) = parsed(file.text) else { return };
    let stages = scalars(&root, "stages");
    if !stages.is_empty() {
        let fact = Fact::new(Kind::CiJob, format!("CI stages: {}", codes(&stages))).id("ci-gitlab");
        file.put(file.line_of(&["stages:"]), fact.about("ci stage pipeline"));
    }
    for (name, job) in root.as_object().into_iter().flatten() {
        if name.starts_with('.') || RESERVED.contains(&name.as_str()) || !job.is_object() {
            continue;
        }
        let deploys = job.get("environment").map(|_| Risk::Deploys).or_else(|| Risk::of_name(name));
        for script in list(job, "script").filter_map(Value::as_str).take(MOST) {
            commands(script).iter().for_each(|command| run(file, name, command, deploys));
        }
        let key = format!("{name}:");
        if word(job, "when") == Some("manual") {
            let fact = Fact::new(Kind::CiJob, format!("CI job {} is started by a person (`when: manual`)", code(name)));
            file.put(file.line_of(&[&key, "when:"]), fact.about("ci manual").about(name));
        }
        if let Some(retry) = job.get("retry").filter(|retry| retry.as_u64() != Some(0)) {
            let times = retry.as_u64().or_else(|| retry.get("max")?.as_u64()).unwrap_or(1);
            let text = format!("CI job {} is run again when it fails: `retry: {times}`", code(name));
            let fact = Fact::new(Kind::CiTest, text).id("ci-reruns").about("ci retry flaky").about(name);
            file.put(file.line_of(&[&key, "retry:"]), fact);
        }
    }
}

pub(super) fn github(file: &mut Reading<'_>) {
    let Some(root) = parsed(file.text) else { return };
    for (name, job) in map(&root, "jobs") {
        let environment = job.get("environment").and_then(|one| one.as_str().or_else(|| word(one, "name")));
        let deploys = environment.map(|_| Risk::Deploys).or_else(|| Risk::of_name(name));
        let mut left = MOST;
        for step in list(job, "steps") {
            for command in commands(word(step, "run").unwrap_or_default()).iter().take(left) {
                left -= 1;
                run(file, name, command, deploys);
            }
            let Some(uses) = word(step, "uses") else { continue };
            action(file, name, step, uses);
            version(file, name, step, uses);
        }
        secrets(file, name, job);
        for (key, values) in job.get("strategy").into_iter().flat_map(|all| map(all, "matrix")) {
            let values: Vec<String> = values.as_array().into_iter().flatten().filter_map(scalar).collect();
            if !values.is_empty() && !matches!(key.as_str(), "include" | "exclude") {
                let fact = Fact::new(Kind::CiJob, format!("CI job {} runs on {key} {}", code(name), codes(&values)));
                file.put(line(file, &format!("{key}:")), fact.about("ci matrix").about(name).about(key));
            }
        }
        for (service, one) in map(job, "services") {
            let image = word(one, "image").or_else(|| one.as_str()).unwrap_or(service);
            let fact = Fact::new(Kind::Service, format!("CI job {} starts {}", code(name), code(image)));
            file.put(line(file, image), fact.about("ci service").about(service).about(image));
        }
    }
    if let Some(when) = when(&root) {
        let name = name(file.path);
        let fact = Fact::new(Kind::CiJob, format!("workflow {} runs on {when}", code(name))).id("ci-github");
        file.put(line(file, "on:"), fact.about("ci workflow").about(name).about(&when));
    }
}

/// When the workflow runs: `push, pull_request`; with the patterns of tags, or the only branch.
fn when(root: &Value) -> Option<String> {
    // YAML 1.1 reads the key `on` as true.
    let on = root.get("on").or_else(|| root.get("true"))?;
    let mut events: Vec<String> = match on {
        Value::String(one) => vec![one.clone()],
        Value::Array(all) => all.iter().filter_map(scalar).collect(),
        Value::Object(all) => all.keys().cloned().collect(),
        _ => return None,
    };
    let of_push = |key| on.get("push").map(|push| scalars(push, key)).unwrap_or_default();
    if let Some(push) = events.iter_mut().find(|event| *event == "push") {
        match (of_push("tags").as_slice(), of_push("branches").as_slice()) {
            ([], [branch]) if !branch.contains('*') => *push = format!("push to {}", code(branch)),
            ([], _) => {}
            (tags, _) => *push = format!("push of the tags {}", codes(tags)),
        }
    }
    for cron in list(on, "schedule").filter_map(|one| word(one, "cron")) {
        events.push(format!("cron {}", code(cron)));
    }
    events.retain(|event| event != "schedule");
    (!events.is_empty()).then(|| events.join(", "))
}

/// The effective lines of a script: continued lines joined, control flow and output left out.
fn commands(script: &str) -> Vec<String> {
    const IDLE: &[&str] = &[
        "echo", "printf", "cd", "set", "export", "if", "then", "else", "elif", "fi", "for", "do", "done", "while",
        "case", "esac", "{", "}", "(", ")", "exit", "sleep", "mkdir", "cat", "ls", "#", "source", ".", "true", "test",
        "[", "[[",
    ];
    let joined = script.replace("\\\n", " ");
    let mut lines: Vec<String> =
        joined.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    lines.retain(|line| {
        let first = line.split(' ').next().unwrap_or_default();
        !line.is_empty() && !first.starts_with('#') && !IDLE.contains(&first) && !installs(line)
    });
    lines
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

fn run(file: &mut Reading<'_>, job: &str, command: &str, named: Option<Risk>) {
    let script = script(command);
    let risk = Risk::of_command(command).max(script.and_then(Risk::of_name));
    let own = script.map_or_else(|| purpose_of_command(command), |name| purpose(name, command));
    let kind = match (own, risk.max(named)) {
        (Kind::TestCommand, _) => Kind::CiTest,
        (Kind::DeployCommand, _) | (Kind::Command, Some(Risk::Deploys)) => Kind::CiDeploy,
        (Kind::ReleaseCommand, _) | (Kind::Command, Some(Risk::Publishes)) => Kind::CiRelease,
        _ => Kind::CiJob,
    };
    let fact = Fact::new(kind, format!("CI job {} runs {}", code(job), code(command)));
    let fact = fact.about("ci").about(job).about(command);
    let risk = if matches!(kind, Kind::CiDeploy | Kind::CiRelease) { risk.max(named) } else { risk };
    let reruns = ["--reruns", "--retries", "--retry", "--flaky"].iter().any(|flag| command.contains(flag));
    let fact = if reruns { fact.id("ci-reruns") } else { fact };
    file.put(line(file, command), fact.risk(risk));
}

/// A step that uses an action which publishes or deploys.
fn action(file: &mut Reading<'_>, job: &str, step: &Value, uses: &str) {
    let name = uses.split('@').next().unwrap_or(uses);
    let push = step.pointer("/with/push").and_then(scalar);
    let pushes = name == "docker/build-push-action" && push.is_some_and(|push| push != "false");
    let known = ACTIONS.iter().find(|(action, _)| action.eq_ignore_ascii_case(name)).map(|(_, risk)| *risk);
    let Some(risk) = known.or(pushes.then_some(Risk::Publishes)) else { return };
    let (kind, does) = if risk == Risk::Deploys { (Kind::CiDeploy, "deploys") } else { (Kind::CiRelease, "publishes") };
    let fact = Fact::new(kind, format!("CI job {} {does} with {}", code(job), code(uses))).risk(Some(risk));
    file.put(line(file, uses), fact.about("ci release deploy publish").about(job).about(name));
}

/// A step that sets up a language in a fixed version: `actions/setup-dotnet` with `dotnet-version: 8.0.x`.
fn version(file: &mut Reading<'_>, job: &str, step: &Value, uses: &str) {
    let action = name(uses.split('@').next().unwrap_or_default());
    let Some(tool) = action.strip_prefix("setup-").filter(|tool| !tool.is_empty()) else { return };
    // ".NET" is one word of a text.
    let platform = if tool == "dotnet" { "net" } else { "" };
    for (key, value) in map(step, "with").filter(|(key, _)| key.ends_with("-version")) {
        let Some(value) = scalar(value).filter(|value| !value.contains(['$', '\n'])) else { continue };
        let fact = Fact::new(Kind::CiJob, format!("CI job {} uses {tool} {}", code(job), code(&value)));
        let fact = fact.id("ci-version").about("ci").about(tool).about(platform);
        file.put(line(file, &format!("{key}:")), fact);
    }
}

/// The names of the secrets that a job uses.
fn secrets(file: &mut Reading<'_>, job: &str, all: &Value) {
    let text = all.to_string();
    let mut names = Vec::<&str>::new();
    for rest in text.split("secrets.").skip(1) {
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        let name = rest.get(..end).filter(|name| !name.is_empty() && *name != "GITHUB_TOKEN");
        names.extend(name.filter(|name| !names.contains(name)));
    }
    let Some(first) = names.first() else { return };
    let shown = codes(names.get(..MOST).unwrap_or(&names));
    let fact = Fact::new(Kind::CiJob, format!("CI job {} uses the secrets {shown}", code(job))).id("ci-secrets");
    let fact = fact.about("ci secret secrets credential").about(&names.join(" "));
    file.put(line(file, &format!("secrets.{first}")), fact);
}

/// The line with a text, else with its words before the first flag: the rest may be on continuation lines.
fn line(file: &Reading<'_>, wanted: &str) -> usize {
    match file.line_of(&[wanted]) {
        0 => file.line_of(&[wanted.split(" -").next().unwrap_or(wanted)]),
        line => line,
    }
}

/// The name in `pnpm run release`, `make release`, `just release`.
fn script(command: &str) -> Option<&str> {
    const RUNNERS: &[&str] = &["npm", "pnpm", "yarn", "bun", "make", "just", "task"];
    let mut words = command.split_whitespace();
    words.next().filter(|program| RUNNERS.contains(program))?;
    words.find(|word| *word != "run" && !word.starts_with('-') && !word.contains('='))
}
