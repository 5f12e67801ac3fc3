//! A download kept under a name and run further down: `$p = iwr …`, then `iex $p`.

use super::command::{FETCHERS, find_word};

/// How many names of one text are followed.
const MAX_NAMES: usize = 20;

/// The name a line gives what it fetches: `NAME=$(curl …)`, `$name = iwr …`, `name = requests.get(…)`.
pub(super) fn name(line: &str) -> Option<&str> {
    let at = FETCHERS.iter().filter_map(|word| find_word(line, word)).min()?;
    let (target, _) = line.get(..at)?.split_once('=')?;
    let name = target.trim_end().rsplit(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).next()?;
    (!name.is_empty()).then_some(name)
}

/// Where in the rest of a text one of these names is run.
pub(super) fn run(rest: &str, names: &[String]) -> Option<usize> {
    let lower = rest.to_ascii_lowercase();
    names.iter().take(MAX_NAMES).find_map(|name| {
        [
            "exec(",
            "eval(",
            "iex $",
            "iex ($",
            "invoke-expression $",
            "invoke-expression ($",
            "eval \"$",
            "eval $",
            "bash -c \"$",
            "sh -c \"$",
        ]
        .iter()
        .find_map(|run| {
            lower.match_indices(run).map(|(at, _)| at).find(|at| {
                let argument = lower.get(at + run.len()..).unwrap_or("").trim_start_matches('{');
                argument
                    .strip_prefix(name.as_str())
                    .is_some_and(|after| !after.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_'))
            })
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_fetched_under_a_name_and_run_is_seen() {
        assert_eq!(name("$payload = iwr https://x.dev/a"), Some("payload"));
        assert_eq!(name("code=$(curl -s https://x.dev/a)"), Some("code"));
        assert_eq!(name("body = requests.get(url).text"), Some("body"));
        assert_eq!(name("curl https://x.dev/?a=b"), None);
        for rest in
            ["Invoke-Expression $payload.Content", "eval \"$payload\"", "exec(payload)", "bash -c \"${payload}\""]
        {
            assert!(run(rest, &["payload".to_owned()]).is_some(), "{rest}");
        }
        for rest in ["echo $payload", "exec(payloads)", "eval(other)"] {
            assert_eq!(run(rest, &["payload".to_owned()]), None, "{rest}");
        }
    }
}
