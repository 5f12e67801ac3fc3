//! Untrusted YAML: bounded before parsing, and read by key.

use serde_json::{Map, Value};

/// The document, if it is small and flat enough.
pub(super) fn document(text: &str) -> Option<Value> {
    crate::skill::yaml::bounded(text).ok()?;
    serde_yaml::from_str(text).ok()
}

/// The document, if it is a map as well.
pub(super) fn parsed(text: &str) -> Option<Value> {
    document(text).filter(Value::is_object)
}

/// The pairs of the map at a key; none if it is no map.
pub(super) fn map<'v>(value: &'v Value, key: &str) -> impl Iterator<Item = (&'v String, &'v Value)> {
    value.get(key).and_then(Value::as_object).into_iter().flat_map(Map::iter)
}

/// The items of the list at a key, or its single value.
pub(super) fn list<'v>(value: &'v Value, key: &str) -> impl Iterator<Item = &'v Value> {
    let found = value.get(key);
    let one = found.filter(|found| !found.is_array() && !found.is_null());
    found.and_then(Value::as_array).into_iter().flatten().chain(one)
}

/// A scalar as text.
pub(super) fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        _ => None,
    }
}
