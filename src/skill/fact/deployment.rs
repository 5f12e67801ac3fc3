//! How software is shipped: Dockerfiles, Compose, Helm charts, Kamal, Terraform, Procfiles.

use serde_json::Value;

use super::formats::{code, codes, directory, map, name, parsed, scalar, scalars, word};
use super::safe::is_secret_name;
use super::{Fact, Kind, Reading};

pub(super) fn dockerfile(file: &mut Reading<'_>) {
    let (mut stages, mut root): (Vec<&str>, bool) = (Vec::new(), true);
    for (number, line) in file.lines() {
        let mut words = line.split_whitespace();
        let instruction = words.next().unwrap_or_default().to_ascii_uppercase();
        let rest: Vec<&str> = words.filter(|word| !word.starts_with("--platform")).collect();
        let (first, whole) = (rest.first().copied().unwrap_or_default(), rest.join(" "));
        let (text, about) = match instruction.as_str() {
            "FROM" => {
                let known = stages.contains(&first);
                stages.extend(rest.get(2));
                if known || first.is_empty() {
                    continue;
                }
                let loose = first.ends_with(":latest") || !first.contains([':', '@', '$']) && first != "scratch";
                let loose = if loose { ", not pinned" } else { "" };
                // ".NET" is one word of a text.
                let platform = if first.contains("/dotnet/") { "net" } else { "" };
                (format!("image built from {}{loose}", code(first)), format!("{first} {platform}"))
            }
            "EXPOSE" => (format!("the container listens on {}", code(&whole)), "port".to_owned()),
            "CMD" | "ENTRYPOINT" => {
                let plain = serde_json::from_str::<Vec<String>>(&whole).map_or(whole, |words| words.join(" "));
                (format!("the container starts {}", code(&plain)), plain)
            }
            "USER" => (format!("the container runs as {}", code(&whole)), "user".to_owned()),
            "ENV" | "ARG" => {
                let name = first.split('=').next().filter(|name| is_secret_name(name));
                let Some(name) = name else { continue };
                let said = code(&format!("{instruction} {name}"));
                (format!("{said} puts a credential into the image"), "secret".to_owned())
            }
            _ => continue,
        };
        root &= instruction != "USER";
        let fact = Fact::new(Kind::Container, text).about(&about).about("docker container image");
        file.put(number, if instruction == "FROM" { fact.id("docker") } else { fact });
    }
    let rooted = root && file.text.contains("FROM ");
    let lacks = [
        (rooted, "no `USER`: the container runs as the user of its base image", "user root"),
        (!file.has(".dockerignore"), "no `.dockerignore` beside the Dockerfile", "dockerignore"),
    ];
    for (_, text, about) in lacks.into_iter().filter(|(lacks, ..)| *lacks) {
        file.put(0, Fact::new(Kind::Container, text).about("docker container image").about(about));
    }
}

pub(super) fn compose(file: &mut Reading<'_>) {
    let Some(root) = parsed(file.text) else { return };
    let own = name(file.path);
    let usual = own.starts_with("compose.") || matches!(own, "docker-compose.yml" | "docker-compose.yaml");
    let start = if usual { String::new() } else { format!("-f {own} ") };
    for (name, service) in map(&root, "services") {
        let image = word(service, "image");
        let built = service.get("build").and_then(|build| build.as_str().or_else(|| word(build, "context")));
        let mut said = match (image, built) {
            (Some(image), _) => format!("runs {}", code(image)),
            (None, Some(".")) => "is built here".to_owned(),
            (None, Some(context)) => format!("is built from {}", code(context)),
            (None, None) => "is defined".to_owned(),
        };
        let ports = scalars(service, "ports");
        if !ports.is_empty() {
            said.push_str(&format!(", port {}", codes(&ports)));
        }
        let command = service.get("command").and_then(command).unwrap_or_default();
        if !command.is_empty() && command.len() < 120 {
            said.push_str(&format!(", started with {}", code(&command)));
        }
        let id = image.map_or(name.as_str(), kind_of_image);
        let fact = Fact::new(Kind::Service, format!("service {} {said}", code(name))).id(id);
        let fact = fact.about("docker compose service").about(name).about(&said);
        let started = directory(file.path).is_empty() && image.is_some();
        let fact = if started { fact.command(format!("docker compose {start}up -d {name}")) } else { fact };
        file.put(file.line_of(&["services:", &format!("{name}:")]), fact);
    }
}

/// The command of a service, on one line; none if a part of it may be a credential.
fn command(value: &Value) -> Option<String> {
    const DOUBTFUL: &[&str] = &["pass", "secret", "token", "key", "auth", "cred", "pwd", "user", "dsn", "://", "@"];
    let words = value.as_array().map(|all| all.iter().filter_map(scalar).collect::<Vec<_>>().join(" "));
    let command = value.as_str().map(str::to_owned).or(words)?;
    let lower = command.to_lowercase();
    let safe = !command.contains('\n') && !DOUBTFUL.iter().any(|part| lower.contains(part));
    safe.then_some(command)
}

/// `docker.io/library/postgres:16-alpine` is `postgres`.
fn kind_of_image(image: &str) -> &str {
    let image = image.rsplit('/').next().unwrap_or(image);
    image.split([':', '@']).next().unwrap_or(image)
}

/// The names of the secrets that Kamal hands to the containers.
pub(super) fn kamal(file: &mut Reading<'_>) {
    let Some(root) = parsed(file.text).filter(|_| file.path.ends_with("config/deploy.yml")) else { return };
    let names = root.get("env").map(|all| scalars(all, "secret")).unwrap_or_default();
    if !names.is_empty() {
        let fact = Fact::new(Kind::Variable, format!("Kamal hands {} to the containers", codes(&names)));
        let fact = fact.id("kamal-secrets").about("kamal deploy secret credential").about(&names.join(" "));
        file.put(file.line_of(&["secret:"]), fact);
    }
}

/// The versions that Terraform and its providers are pinned to, and the kind of the backend.
pub(super) fn terraform(file: &mut Reading<'_>) {
    let mut provider = "";
    for (number, line) in file.lines() {
        let line = line.trim();
        let own = line.split([' ', '=']).next().unwrap_or_default();
        let quoted = |text: &str| text.split('"').nth(1).map(code);
        let text = if let Some(version) = line.strip_prefix("required_version").and_then(quoted) {
            format!("Terraform {version}")
        } else if let Some(kind) = line.strip_prefix("backend ").and_then(quoted) {
            format!("Terraform backend {kind}")
        } else if let Some(at) = line.find("version").filter(|_| line.contains("source") || !provider.is_empty()) {
            let name = if line.contains("source") { own } else { provider };
            let Some(version) = line.get(at..).and_then(quoted) else { continue };
            provider = "";
            format!("Terraform provider {} {version}", code(name))
        } else {
            match line {
                "}" => provider = "",
                _ if line.ends_with("= {") => provider = own,
                _ => {}
            }
            continue;
        };
        file.put(number, Fact::new(Kind::Framework, &*text).about("terraform").about(&text));
    }
}

pub(super) fn chart(file: &mut Reading<'_>) {
    let Some(root) = parsed(file.text) else { return };
    let of = |key: &str| root.get(key).and_then(scalar);
    let Some(chart) = of("name") else { return };
    let app = of("appVersion").map_or(String::new(), |app| format!(", app {}", code(&app)));
    let text = format!("Helm chart {} {}{app}", code(&chart), code(&of("version").unwrap_or_default()));
    let fact = Fact::new(Kind::Container, text).id("helm").about("helm chart kubernetes").about(&chart);
    file.put(file.line_of(&["name:"]), fact);
}

pub(super) fn procfile(file: &mut Reading<'_>) {
    for (number, line) in file.lines() {
        let Some((process, runs)) = line.split_once(':').filter(|(name, _)| !name.starts_with('#')) else { continue };
        let text = format!("process {} runs {}", code(process), code(runs));
        let fact = Fact::new(Kind::RunCommand, text).about("process procfile").about(process).about(runs);
        file.put(number, fact);
    }
}
