//! The branch that work starts from and goes back to, where it is not `main`.

use std::sync::LazyLock;

use regex::Regex;

use super::{Facts, Kind};
use crate::skill::subject::Subject;

/// What packs call it, and the word that they leave for it.
const DEFAULT: &str = "main";
const BLANK: &str = "BASE";
/// How much more a rule on the task counts.
const ON_TASK: usize = 3;

/// A rule that names it: "Branches start from `trunk`", "rebase onto `origin/develop`".
#[allow(clippy::expect_used, reason = "fixed patterns, used by the tests")]
static NAMED: LazyLock<[Regex; 2]> = LazyLock::new(|| {
    let work = r"(?i:\bbase\b|branch(?:es)?\b|rebase|\breleased? from|\bcut from|\bmerge[sd]?\b|pull requests?\b|\bPRs?\b|\bramas?\b|\bramos?\b|\bpush to)";
    let to = r"(?i:from|of|is|onto|into|against|to|de|desde|para|a|contra|sobre|em|en|é|es)";
    let said = format!(r"{work}[^.`;:]*?\b{to} `(?:origin/)?([a-z][a-z0-9_-]*)`");
    [said.as_str(), r"`git [^`]*\borigin/([a-z][a-z0-9_-]*)\b[^`]*`"]
        .map(|pattern| Regex::new(pattern).expect("a valid pattern"))
});

/// The default branch in a command of git or of its hosts, and alone.
#[allow(clippy::expect_used, reason = "fixed patterns, used by the tests")]
static WRITTEN: LazyLock<[Regex; 3]> = LazyLock::new(|| {
    [r"\borigin/(?:main|BASE)\b", r"(`(?:git|gh|glab) [^`]*?[ =])(?:main|BASE)\b([ .`])", r"`()main(`)"]
        .map(|pattern| Regex::new(pattern).expect("a valid pattern"))
});

impl Facts {
    /// The branch that the repository's rules name most often as the base of work, first those on the `task`, else the one its
    /// workflows run for; `None` where it is `main` or unknown.
    fn base_branch(&self, task: &Subject) -> Option<String> {
        let mut named: Vec<(String, usize)> = Vec::new();
        let rules = self.all.iter().filter(|fact| matches!(fact.kind, Kind::Rule | Kind::Statement));
        for rule in rules {
            let weight = if task.shared_with(&rule.text) > 0 { ON_TASK } else { 1 };
            let found = NAMED.iter().flat_map(|pattern| pattern.captures_iter(&rule.text));
            for name in found.filter_map(|found| found.get(1)) {
                match named.iter_mut().find(|(known, _)| known == name.as_str()) {
                    Some((_, count)) => *count += weight,
                    None => named.push((name.as_str().to_owned(), weight)),
                }
            }
        }
        let ruled = named.into_iter().rev().max_by_key(|(_, count)| *count).map(|(name, _)| name);
        let pushed = || {
            let jobs = self.all.iter().filter(|fact| fact.kind == Kind::CiJob);
            let names = jobs.filter_map(|fact| fact.text.split_once("push to `")?.1.split('`').next());
            names.map(str::to_owned).find(|name| is_plain(name))
        };
        ruled.or_else(pushed).filter(|name| name != DEFAULT)
    }

    /// A line of a pack with the repository's branch in the place of `main`.
    pub(crate) fn with_base_branch(&self, text: &str, task: &Subject) -> String {
        const ABOUT: &[&str] = &["branch", "rama", "ramo", "merge", "rebase", "`git ", "`gh ", "origin/"];
        if !(text.contains(DEFAULT) || text.contains(BLANK)) || !ABOUT.iter().any(|word| text.contains(word)) {
            return text.to_owned();
        }
        let Some(base) = self.base_branch(task) else { return text.to_owned() };
        let [remote, command, alone] = &*WRITTEN;
        let said = remote.replace_all(text, format!("origin/{base}"));
        let said = command.replace_all(&said, format!("${{1}}{base}${{2}}"));
        alone.replace_all(&said, format!("`${{1}}{base}${{2}}")).into_owned()
    }
}

/// Whether a name may stand in a command as it is.
fn is_plain(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
}

#[cfg(test)]
mod tests {
    use super::super::Fact;
    use super::*;

    fn said(rules: &[&str], text: &str) -> String {
        let all = rules.iter().map(|rule| Fact::new(Kind::Rule, *rule)).collect();
        Facts { all, ..Facts::default() }.with_base_branch(text, &Subject::of("cut a release"))
    }

    #[test]
    fn the_branch_of_the_rules_stands_in_the_commands() {
        let text = "Rebase: `git rebase origin/main`, `gh pr create --base main --draft`; `main` stays green; `git log origin/BASE..HEAD`, `gh run list --branch BASE`.";
        let wanted = "Rebase: `git rebase origin/trunk`, `gh pr create --base trunk --draft`; `trunk` stays green; `git log origin/trunk..HEAD`, `gh run list --branch trunk`.";
        for rule in [
            "Work branches start from `trunk`, not `main`.",
            "The base of every pull request is `trunk`.",
            "Rebase onto `origin/trunk` first.",
            "Compare with `git diff origin/trunk...HEAD`.",
            "As ramas saem de `trunk`.",
        ] {
            assert_eq!(said(&[rule], text), wanted, "{rule}");
        }
        let two =
            ["Branches start from `dev`, PRs go to `dev`.", "We release from `trunk`: a release branch of `trunk`."];
        assert_eq!(said(&two, text), wanted);
        assert_eq!(said(&["Branches start from `main`."], text), text);
        let of_workflow = |branch: &str| {
            let job = Fact::new(Kind::CiJob, format!("workflow `ci.yml` runs on push to `{branch}`"));
            Facts { all: vec![job], ..Facts::default() }.with_base_branch(text, &Subject::of("cut a release"))
        };
        assert_eq!((of_workflow("trunk"), of_workflow("$(x)")), (wanted.to_owned(), text.to_owned()));
        assert_eq!(said(&["We release on Mondays with `cut`."], text), text);
        assert_eq!(
            said(&["Branches start from `trunk`."], "Run `python main.py`; merge."),
            "Run `python main.py`; merge."
        );
    }
}
