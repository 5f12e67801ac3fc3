//! A download assigned to a variable and run later: `$p = iwr …`, then `iex $p`.

/// How many names of one text are followed.
const MAX_NAMES: usize = 20;

/// The variable a download is assigned to: `NAME=$(curl …)`, `$name = iwr …`, `name = requests.get(…)`.
pub(super) fn name(line: &str, at: usize) -> Option<&str> {
    let (target, _) = line.get(..at)?.split_once('=')?;
    let name = target.trim_end().rsplit(|c: char| !is_of_name(c)).next()?;
    (!name.is_empty()).then_some(name)
}

/// How a name is run.
const RUNS: &[&str] = &[
    "exec(", "eval(", "iex $", "iex ($", "invoke-expression $", "invoke-expression ($", "eval \"$", "eval $",
    "bash -c \"$", "sh -c \"$",
];

/// The offset in the rest of a text where one of these names is run: the first name, and its first form.
pub(super) fn run(rest: &str, names: &[String]) -> Option<usize> {
    let lower = rest.to_ascii_lowercase();
    let names: Vec<&str> = names.iter().take(MAX_NAMES).map(String::as_str).collect();
    // Each form is searched for once for all names.
    let mut best: Option<(usize, usize)> = None;
    for run in RUNS {
        for at in memchr::memmem::find_iter(lower.as_bytes(), run) {
            let wanted = best.map_or(names.len(), |(name, _)| name);
            let argument = lower.get(at + run.len()..).unwrap_or("").trim_start_matches('{');
            let end = argument.find(|c: char| !is_of_name(c)).unwrap_or(argument.len());
            let argument = argument.get(..end).unwrap_or("");
            if let Some(name) = names.iter().take(wanted).position(|name| *name == argument) {
                best = Some((name, at));
            }
        }
    }
    best.map(|(_, at)| at)
}

/// Whether a character may be part of a name.
fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::super::command::fetch;
    use super::*;

    fn named(line: &str) -> Option<&str> {
        name(line, fetch(line)?)
    }

    #[test]
    fn what_is_fetched_under_a_name_and_run_is_seen() {
        assert_eq!(named("$payload = iwr https://x.dev/a"), Some("payload"));
        assert_eq!(named("code=$(curl -s https://x.dev/a)"), Some("code"));
        assert_eq!(named("body = requests.get(url).text"), Some("body"));
        assert_eq!(named("curl https://x.dev/?a=b"), None);
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
