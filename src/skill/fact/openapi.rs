//! OpenAPI descriptions: authentication, paths with their parameters, status codes.

use serde_json::Value;

use super::lines::{code, line_of};
use super::{Fact, Facts, Kind, Source, yaml};

const METHODS: &[&str] = &["get", "put", "post", "delete", "options", "head", "patch", "trace"];

/// How many operations are kept.
const MOST: usize = 24;

pub(super) fn read(source: &Source<'_>, out: &mut Facts) {
    let Some(root) = yaml::parsed(source.text) else { return };
    if root.get("openapi").or_else(|| root.get("swagger")).is_none() {
        return;
    }
    schemes(source, &root, out);
    for url in yaml::list(&root, "servers").filter_map(|one| one.get("url")?.as_str()) {
        if crate::skill::sources::check(url).is_ok() {
            let fact = Fact::new(Kind::ApiEndpoint, format!("served at {}", code(url))).id("openapi");
            out.put(source, line_of(source.text, &["servers", url]), fact.about("api server"));
        }
    }
    let mut kept = 0;
    for (path, operations) in yaml::map(&root, "paths") {
        for method in METHODS {
            let Some(operation) = operations.get(method).filter(|_| kept < MOST) else { continue };
            kept += 1;
            endpoint(source, path, method, [operations, operation], out);
        }
    }
}

/// `components.securitySchemes`, or `securityDefinitions` of version 2.
fn schemes(source: &Source<'_>, root: &Value, out: &mut Facts) {
    let new = root.get("components").map(|all| yaml::map(all, "securitySchemes")).into_iter().flatten();
    for (name, scheme) in new.chain(yaml::map(root, "securityDefinitions")) {
        let word = |key: &str| scheme.get(key).and_then(Value::as_str).unwrap_or_default();
        let how = match word("type") {
            "http" if word("bearerFormat").is_empty() => format!("HTTP {}", word("scheme")),
            "http" => format!("HTTP {} ({})", word("scheme"), word("bearerFormat")),
            "apiKey" => format!("a key in {} {}", word("in"), code(word("name"))),
            "oauth2" => "OAuth 2".to_owned(),
            "openIdConnect" => "OpenID Connect".to_owned(),
            other => other.to_owned(),
        };
        let fact = Fact::new(Kind::ApiAuth, format!("callers prove who they are by {how} ({})", code(name)));
        let line = line_of(source.text, &["secur", &format!("{name}:")])
            .max(line_of(source.text, &["secur", &format!("\"{name}\"")]));
        out.put(source, line, fact.id("openapi-auth").about("api auth authentication security").about(&how));
    }
}

fn endpoint(source: &Source<'_>, path: &str, method: &str, [shared, operation]: [&Value; 2], out: &mut Facts) {
    let word = |key: &str| operation.get(key).and_then(Value::as_str).unwrap_or_default().trim().trim_end_matches('.');
    let named = format!("{} {path}", method.to_uppercase());
    let parameters = [shared, operation].into_iter().flat_map(|one| yaml::list(one, "parameters"));
    let parameter = |one: &Value| {
        let must = one.get("required").and_then(Value::as_bool) == Some(true);
        Some(format!("{}{}", code(one.get("name")?.as_str()?), if must { " (required)" } else { "" }))
    };
    let mut parts: Vec<String> = parameters.filter_map(parameter).collect();
    if operation.get("requestBody").is_some() {
        parts.push("a body".to_owned());
    }
    let about = if word("summary").is_empty() { word("operationId") } else { word("summary") };
    let mut text = code(&named);
    if !about.is_empty() {
        text.push_str(&format!(" {about}"));
    }
    if !parts.is_empty() {
        text.push_str(&format!("; takes {}", parts.join(", ")));
    }
    if operation.get("deprecated").and_then(Value::as_bool) == Some(true) {
        text.push_str("; deprecated");
    }
    let forms = [format!("{method}:"), format!("\"{method}\""), format!("'{method}'")];
    let lines = forms.iter().map(|key| line_of(source.text, &["paths", path, key]));
    let line = lines.filter(|line| *line > 0).min().unwrap_or(0);
    let fact = Fact::new(Kind::ApiEndpoint, text).id("openapi").about("api endpoint").about(path).about(about);
    out.put(source, line, fact);
    let codes: Vec<String> = yaml::map(operation, "responses").map(|(status, _)| code(status)).collect();
    if !codes.is_empty() {
        let fact = Fact::new(Kind::ApiStatus, format!("{} answers {}", code(&named), codes.join(", ")));
        out.put(source, line, fact.about("api status response error").about(path));
    }
}
