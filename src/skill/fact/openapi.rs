//! OpenAPI descriptions: authentication, paths with their parameters, status codes.

use serde_json::Value;

use super::formats::{behind, code, codes, list, map, parsed, word};
use super::{Fact, Kind, Reading};

const METHODS: &[&str] = &["get", "put", "post", "delete", "options", "head", "patch", "trace"];
/// How many operations are kept.
const MOST: usize = 24;

pub(super) fn read(file: &mut Reading<'_>) {
    let Some(root) = parsed(file.text) else { return };
    if root.get("openapi").or_else(|| root.get("swagger")).is_none() {
        return;
    }
    schemes(file, &root);
    for url in list(&root, "servers").filter_map(|one| word(one, "url")) {
        if crate::skill::sources::check(url).is_ok() {
            let fact = Fact::new(Kind::ApiEndpoint, format!("served at {}", code(url))).id("openapi");
            file.put(file.line_of(&["servers", url]), fact.about("api server"));
        }
    }
    let mut kept = 0;
    for (path, operations) in map(&root, "paths") {
        for method in METHODS {
            let Some(operation) = operations.get(method).filter(|_| kept < MOST) else { continue };
            kept += 1;
            endpoint(file, path, method, [operations, operation]);
        }
    }
}

/// `components.securitySchemes`, or `securityDefinitions` of version 2.
fn schemes(file: &mut Reading<'_>, root: &Value) {
    let new = root.get("components").into_iter().flat_map(|all| map(all, "securitySchemes"));
    for (name, scheme) in new.chain(map(root, "securityDefinitions")) {
        let word = |key: &str| word(scheme, key).unwrap_or_default();
        let how = match word("type") {
            "http" if word("bearerFormat").is_empty() => format!("HTTP {}", word("scheme")),
            "http" => format!("HTTP {} ({})", word("scheme"), word("bearerFormat")),
            "apiKey" => format!("a key in {} {}", word("in"), code(word("name"))),
            "oauth2" => "OAuth 2".to_owned(),
            "openIdConnect" => "OpenID Connect".to_owned(),
            other => other.to_owned(),
        };
        let fact = Fact::new(Kind::ApiAuth, format!("callers prove who they are by {how} ({})", code(name)));
        let lines = [format!("{name}:"), format!("\"{name}\"")].map(|key| file.line_of(&["secur", &key]));
        let fact = fact.id("openapi-auth").about("api auth authentication security").about(&how);
        file.put(lines[0].max(lines[1]), fact);
    }
}

fn endpoint(file: &mut Reading<'_>, path: &str, method: &str, [shared, operation]: [&Value; 2]) {
    let said = |key: &str| word(operation, key).unwrap_or_default().trim().trim_end_matches('.');
    let is = |value: &Value, key: &str| value.get(key).and_then(Value::as_bool) == Some(true);
    let named = format!("{} {path}", method.to_uppercase());
    let parameter = |one: &Value| {
        let must = if is(one, "required") { " (required)" } else { "" };
        Some(format!("{}{must}", code(word(one, "name")?)))
    };
    let parameters = [shared, operation].into_iter().flat_map(|one| list(one, "parameters"));
    let mut parts: Vec<String> = parameters.filter_map(parameter).collect();
    if operation.get("requestBody").is_some() {
        parts.push("a body".to_owned());
    }
    let about = if said("summary").is_empty() { said("operationId") } else { said("summary") };
    let takes = behind("; takes ", &parts.join(", "));
    let deprecated = if is(operation, "deprecated") { "; deprecated" } else { "" };
    let text = format!("{}{}{takes}{deprecated}", code(&named), behind(" ", about));
    let forms = [format!("{method}:"), format!("\"{method}\""), format!("'{method}'")];
    let lines = forms.iter().map(|key| file.line_of(&["paths", path, key]));
    let line = lines.filter(|line| *line > 0).min().unwrap_or(0);
    let fact = Fact::new(Kind::ApiEndpoint, text).id("openapi").about("api endpoint").about(path).about(about);
    file.put(line, fact);
    let statuses: Vec<&String> = map(operation, "responses").map(|(status, _)| status).collect();
    if !statuses.is_empty() {
        let fact = Fact::new(Kind::ApiStatus, format!("{} answers {}", code(&named), codes(&statuses)));
        file.put(line, fact.about("api status response error").about(path));
    }
}
