//! Files that name commands: Makefile, justfile, the scripts of package.json.

use serde_json::Value;

use super::{Found, Kind};

/// Every target of a Makefile that is a word, with the comment that explains it: behind `##` or on the line above.
pub(super) fn make(text: &str, found: &mut Found) -> bool {
    let mut above = "";
    for line in text.lines() {
        if let Some(comment) = line.strip_prefix('#') {
            above = comment.trim_start_matches('#').trim();
            continue;
        }
        if let Some((names, rest)) = line.split_once(':')
            && !line.starts_with([' ', '\t'])
            && !rest.starts_with('=')
            && !rest.starts_with(":=")
        {
            let about = rest.split_once("##").map_or(above, |(_, about)| about.trim());
            for name in names.split_whitespace().filter(|name| plain(name)) {
                found.take(Kind::Command, &format!("make {name}"), about);
            }
        }
        above = "";
    }
    true
}

/// Every recipe of a justfile without required parameters, with the comment above it.
pub(super) fn just(text: &str, found: &mut Found) -> bool {
    let mut above = "";
    for line in text.lines() {
        if let Some(comment) = line.strip_prefix('#') {
            above = comment.trim_start_matches('!').trim();
            continue;
        }
        if line.starts_with('[') {
            continue;
        }
        if let Some((head, rest)) = line.split_once(':')
            && !line.starts_with([' ', '\t'])
            && !rest.starts_with('=')
        {
            let mut words = head.trim_start_matches('@').split_whitespace();
            let name = words.next().unwrap_or_default();
            if plain(name) && !name.starts_with('_') && words.all(|word| word.contains('=') || word.starts_with('*')) {
                found.take(Kind::Command, &format!("just {name}"), above);
            }
        }
        above = "";
    }
    true
}

/// The scripts of package.json, with what they run. `false` where it is no object.
pub(super) fn package(text: &str, found: &mut Found) -> bool {
    let Ok(Value::Object(package)) = serde_json::from_str(text) else { return false };
    found.about(package.get("description").and_then(Value::as_str).unwrap_or_default());
    for (name, runs) in package.get("scripts").and_then(Value::as_object).into_iter().flatten() {
        // `npm run a:b` is a script like any other; those npm calls by itself around another are not run by hand.
        let own = name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':' | '.'));
        let hook = ["pre", "post"].iter().any(|hook| {
            name.strip_prefix(hook)
                .is_some_and(|of| !of.is_empty() && package.get("scripts").is_some_and(|all| all.get(of).is_some()))
        });
        if own && !hook {
            found.take(Kind::Command, &format!("npm run {name}"), runs.as_str().unwrap_or_default());
        }
    }
    true
}

/// A name that is typed as it is: no pattern, no variable, no path, no special target.
fn plain(name: &str) -> bool {
    !name.starts_with(['.', '-'])
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
        && !name.rsplit_once('.').is_some_and(|(_, ending)| matches!(ending, "o" | "c" | "h" | "d" | "a" | "so"))
        && !name.is_empty()
}
