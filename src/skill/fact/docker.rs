//! Dockerfiles and compose files: images, ports, commands, services.

use serde_json::Value;

use super::lines::{code, directory, line_of};
use super::{Fact, Facts, Kind, Source, yaml};

pub(super) fn image(source: &Source<'_>, out: &mut Facts) {
    let mut stages: Vec<&str> = Vec::new();
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
                Fact::new(Kind::Container, format!("image built from {}", code(image))).id("docker").about(image)
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
            _ => continue,
        };
        out.put(source, number + 1, fact.about("docker container image"));
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
        let id = image.map(kind_of_image);
        let file = super::lines::name(source.path);
        let usual = file.starts_with("compose.") || matches!(file, "docker-compose.yml" | "docker-compose.yaml");
        let start = if usual { String::new() } else { format!("-f {file} ") };
        let fact = Fact::new(Kind::Service, format!("service {} {said}", code(name)))
            .about("docker compose service")
            .about(name);
        let fact = fact.about(&said).id(id.unwrap_or(name));
        let line = line_of(source.text, &["services:", &format!("{name}:")]);
        if directory(source.path).is_empty() && image.is_some() {
            out.put(source, line, fact.command(format!("docker compose {start}up -d {name}")));
        } else {
            out.put(source, line, fact);
        }
    }
}

/// `docker.io/library/postgres:16-alpine` is `postgres`.
fn kind_of_image(image: &str) -> &str {
    let image = image.rsplit('/').next().unwrap_or(image);
    image.split([':', '@']).next().unwrap_or(image)
}
