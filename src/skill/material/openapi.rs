//! An OpenAPI (or Swagger) description: its endpoints, what they need, where it is served.

use serde_json::Value;

use super::{Found, Kind};

const METHODS: &[&str] = &["get", "put", "post", "delete", "options", "head", "patch", "trace"];

/// Reads JSON or YAML. `false` where it is no such description.
pub(super) fn read(text: &str, found: &mut Found) -> bool {
    if crate::skill::yaml::bounded(text).is_err() {
        return false;
    }
    let Ok(root) = serde_yaml::from_str::<Value>(text) else { return false };
    let described = root.get("openapi").or_else(|| root.get("swagger")).is_some();
    let Some(paths) = root.get("paths").and_then(Value::as_object).filter(|_| described) else { return false };
    let info = |key: &str| root.get("info").and_then(|info| info.get(key)).and_then(Value::as_str);
    found.about(info("description").or_else(|| info("title")).unwrap_or_default());
    for server in root.get("servers").and_then(Value::as_array).into_iter().flatten() {
        if let Some(url) =
            server.get("url").and_then(Value::as_str).filter(|url| crate::skill::sources::check(url).is_ok())
        {
            found.take(Kind::Note, &format!("Base address: {url}"), "");
        }
    }
    for (path, operations) in paths {
        for method in METHODS {
            let Some(operation) = operations.get(method) else { continue };
            let word = |key: &str| operation.get(key).and_then(Value::as_str).unwrap_or_default();
            let summary = if word("summary").is_empty() { word("description") } else { word("summary") };
            let needs = required(operations, operation);
            let needs = if needs.is_empty() { String::new() } else { format!("needs {}", needs.join(", ")) };
            let about = [summary.trim().trim_end_matches('.'), &needs];
            let about: Vec<&str> = about.into_iter().filter(|part| !part.is_empty()).collect();
            let endpoint = format!("{} {path}", method.to_uppercase());
            found.take(Kind::Endpoint, &endpoint, &about.join("; "));
            if operation.get("deprecated").and_then(Value::as_bool) == Some(true) {
                found.take(Kind::Warning, &format!("`{endpoint}` is deprecated"), "");
            }
        }
    }
    true
}

/// The parameters an operation cannot do without, and its body.
fn required(operations: &Value, operation: &Value) -> Vec<String> {
    let must = |one: &&Value| one.get("required").and_then(Value::as_bool) == Some(true);
    let parameters = [operations, operation].into_iter().filter_map(|one| one.get("parameters")?.as_array());
    let mut names: Vec<String> =
        parameters.flatten().filter(must).filter_map(|one| Some(format!("`{}`", one.get("name")?.as_str()?))).collect();
    if operation.get("requestBody").as_ref().is_some_and(must) {
        names.push("a body".to_owned());
    }
    names
}
