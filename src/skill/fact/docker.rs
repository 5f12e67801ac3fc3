//! Dockerfiles and compose files: images, ports, commands, services.

use serde_json::Value;

use super::lines::{code, directory, line_of};
use super::safe::is_secret_name;
use super::{Fact, Facts, Kind, Source, yaml};

pub(super) fn image(source: &Source<'_>, out: &mut Facts) {
    let (mut stages, mut root): (Vec<&str>, bool) = (Vec::new(), true);
    for (number, line) in source.text.lines().enumerate() {
        let mut words = line.split_whitespace();
        let instruction = words.next().unwrap_or_default().to_ascii_uppercase();
        let rest: Vec<&str> = words.filter(|word| !word.starts_with("--platform")).collect();
        let fact = match instruction.as_str() {
            "FROM" => {
                let image = rest.first().copied().unwrap_or_default();
                let known = stages.contains(&image);
                stages.extend(rest.get(2));
                if known || image.is_empty() {
                    continue;
                }
                let loose = image.ends_with(":latest") || !image.contains([':', '@', '$']) && image != "scratch";
                let loose = if loose { ", not pinned" } else { "" };
                let text = format!("image built from {}{loose}", code(image));
                // ".NET" is one word of a text.
                let platform = if image.contains("/dotnet/") { "net" } else { "" };
                Fact::new(Kind::Container, text).id("docker").about(image).about(platform)
            }
            "EXPOSE" => {
                Fact::new(Kind::Container, format!("the container listens on {}", code(&rest.join(" ")))).about("port")
            }
            "CMD" | "ENTRYPOINT" => {
                let line = rest.join(" ");
                let plain = serde_json::from_str::<Vec<String>>(&line).map_or(line, |words| words.join(" "));
                Fact::new(Kind::Container, format!("the container starts {}", code(&plain))).about(&plain)
            }
            "USER" => {
                Fact::new(Kind::Container, format!("the container runs as {}", code(&rest.join(" ")))).about("user")
            }
            "ENV" | "ARG" => {
                let name = rest.first().and_then(|one| one.split('=').next()).filter(|name| is_secret_name(name));
                let Some(name) = name else { continue };
                let text = format!("{} puts a credential into the image", code(&format!("{instruction} {name}")));
                Fact::new(Kind::Container, text).about("secret")
            }
            _ => continue,
        };
        root &= instruction != "USER";
        out.put(source, number + 1, fact.about("docker container image"));
    }
    if root && source.text.contains("FROM ") {
        let text = "no `USER`: the container runs as the user of its base image";
        out.put(source, 0, Fact::new(Kind::Container, text).about("docker container image user root"));
    }
    if !source.has(".dockerignore") {
        let text = "no `.dockerignore` beside the Dockerfile";
        out.put(source, 0, Fact::new(Kind::Container, text).about("docker container image dockerignore"));
    }
}

pub(super) fn compose(source: &Source<'_>, out: &mut Facts) {
    let Some(root) = yaml::parsed(source.text) else { return };
    for (name, service) in yaml::map(&root, "services") {
        let image = service.get("image").and_then(Value::as_str);
        let built = service.get("build").and_then(|build| build.as_str().or_else(|| build.get("context")?.as_str()));
        let mut said = match (image, built) {
            (Some(image), _) => format!("runs {}", code(image)),
            (None, Some(".")) => "is built here".to_owned(),
            (None, Some(context)) => format!("is built from {}", code(context)),
            (None, None) => "is defined".to_owned(),
        };
        let ports: Vec<String> =
            yaml::list(service, "ports").filter_map(yaml::scalar).map(|port| code(&port)).collect();
        if !ports.is_empty() {
            said.push_str(&format!(", port {}", ports.join(", ")));
        }
        let command = service.get("command").and_then(command).unwrap_or_default();
        if !command.is_empty() && command.len() < 120 {
            said.push_str(&format!(", started with {}", code(&command)));
        }
        let id = image.map(kind_of_image);
        let file = super::lines::name(source.path);
        let usual = file.starts_with("compose.") || matches!(file, "docker-compose.yml" | "docker-compose.yaml");
        let start = if usual { String::new() } else { format!("-f {file} ") };
        let fact = Fact::new(Kind::Service, format!("service {} {said}", code(name))).id(id.unwrap_or(name));
        let fact = fact.about("docker compose service").about(name).about(&said);
        let started = directory(source.path).is_empty() && image.is_some();
        let fact = if started { fact.command(format!("docker compose {start}up -d {name}")) } else { fact };
        out.put(source, line_of(source.text, &["services:", &format!("{name}:")]), fact);
    }
}

/// The command of a service, on one line; none if a part of it may be a credential.
fn command(value: &Value) -> Option<String> {
    const DOUBTFUL: &[&str] = &["pass", "secret", "token", "key", "auth", "cred", "pwd", "user", "dsn", "://", "@"];
    let words = value.as_array().map(|all| all.iter().filter_map(yaml::scalar).collect::<Vec<_>>().join(" "));
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
