//! Searches content for secrets before it is stored (STM-11).

use serde_json::Value;

use super::{Hidden, Refusal};
use crate::rules::secrets;

/// Refuses content or a name that contains a secret, with its kind and its position.
pub fn check(content: &Value, words: &[(&str, &str)]) -> Result<(), Refusal> {
    for (name, word) in words {
        text(word, name)?;
    }
    walk(content, &mut String::new(), None)
}

/// `name` is the field of a value, through any lists.
fn walk(value: &Value, place: &mut String, name: Option<&str>) -> Result<(), Refusal> {
    let end = place.len();
    match value {
        Value::String(string) => {
            let at = if place.is_empty() { "content" } else { place.as_str() };
            text(string, at)?;
            under(name, string, at)?;
        }
        Value::Number(number) => under(name, &number.to_string(), place)?,
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                place.push_str(&format!("/{index}"));
                walk(item, place, name)?;
                place.truncate(end);
            }
        }
        Value::Object(fields) => {
            for (name, field) in fields {
                text(name, if place.is_empty() { "the name of a field" } else { place.as_str() })?;
                place.push_str(&format!("/{}", name.replace('~', "~0").replace('/', "~1")));
                walk(field, place, Some(name))?;
                place.truncate(end);
            }
        }
        Value::Null | Value::Bool(_) => {}
    }
    Ok(())
}

/// Refuses the value of a field whose name marks it as a credential: `"api_key": "…"`.
fn under(name: Option<&str>, value: &str, place: &str) -> Result<(), Refusal> {
    let Some(name) = name else { return Ok(()) };
    match secrets::credential_under(name, value) {
        Some(rule) => Err(refused(rule, place, value)),
        None => text(&format!("{name}: \"{value}\""), place),
    }
}

fn text(text: &str, place: &str) -> Result<(), Refusal> {
    match secrets::scan_memory(text).into_iter().next() {
        None => Ok(()),
        Some(hit) => Err(refused(hit.rule, place, text)),
    }
}

fn refused(rule: &'static str, place: &str, value: &str) -> Refusal {
    Refusal::Secret { rule, place: place.to_owned(), value: Hidden(value.to_owned()) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_secret_is_found_by_its_form_or_its_name_and_told_by_its_place_and_honest_content_passes() {
        let token = ["gh", "p_", "Zk3uR8vQ1xW7pL2mT9bN4cY6dF0gH5jSaErV"].concat();
        let random = ["q7Rz", "T2xv", "9LmK", "p4Wd"].concat();
        let key = ["-----BEGIN RSA PRIV", "ATE KEY-----\nMIIEowZk3uR8vQ1xW7pL2mT9bN4cY6dF0gH5jS\n"].concat();
        for (content, rule, place) in [
            (json!(token), "github-token", "content"),
            (json!({ "data": ["x", { "a/b": token }] }), "github-token", "/data/1/a~1b"),
            (json!({ "client_secret": random }), "assigned-secret", "/client_secret"),
            (json!({ "password": "hunter2hunter2" }), "assigned-secret", "/password"),
            (json!({ "pins": { "passcodes": [1, 2] } }), "assigned-secret", "/pins/passcodes/0"),
            (
                json!({ "headers": { "Authorization": "Basic dXNlcjpwYXNzd29yZA==" } }),
                "authorization-header",
                "/headers/Authorization",
            ),
            (json!("curl -H 'Authorization: Basic dXNlcjpwYXNzd29yZA=='"), "authorization-header", "content"),
            (json!("the api_key: abcd1234abcd1234"), "assigned-secret", "content"),
            (json!({ "file": key }), "private-key", "/file"),
            (json!({ token.clone(): 1 }), "github-token", "the name of a field"),
        ] {
            let refusal = check(&content, &[]).unwrap_err();
            let Refusal::Secret { rule: is, place: at, .. } = &refusal else { panic!("{refusal:?}") };
            assert_eq!((*is, at.as_str()), (rule, place));
            for shown in [format!("{refusal:?}"), refusal.to_string()] {
                assert!(!shown.contains(&token) && !shown.contains(&random), "{shown}");
            }
        }
        assert!(check(&json!(1), &[("tag", &token)]).is_err());
        let content = json!({ "type": "task", "data": { "token_counter": "counts tokens", "password": "<yours>" } });
        assert_eq!(check(&content, &[("tag", "secrets")]), Ok(()));
    }
}
