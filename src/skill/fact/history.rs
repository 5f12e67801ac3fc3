//! The shape of a repository's tags and of its last commit subjects.

use super::formats::code;
use super::{Fact, Facts, Kind};

/// How many subjects are read.
pub const SUBJECTS: usize = 50;
/// With fewer, no convention is derived.
const FEW: usize = 5;
const TYPES: &[&str] = &["feat", "fix", "docs", "chore", "refactor", "test", "ci", "build", "perf", "style", "revert"];

/// The format of the tags. `file` is their place.
pub fn tags(names: &[String], file: &str) -> Facts {
    let mut out = Facts::default();
    let versions: Vec<(Vec<u64>, &String)> = names.iter().filter_map(|name| Some((version(name)?, name))).collect();
    if let Some((_, newest)) = versions.iter().max_by(|one, other| one.0.cmp(&other.0)) {
        let count = versions.len();
        let of = if count == 1 { "one version tag".to_owned() } else { format!("{count} version tags") };
        let text = format!("{of}, the newest is {}", code(newest));
        let id = if newest.starts_with('v') { "tags-v" } else { "tags-semver" };
        out.all.push(Fact::new(Kind::Tags, text).id(id).at(file, 0).about("tag tags release version"));
    }
    out
}

/// `v1.8.2`, `1.8.2` and `api-v1.8.2` as numbers; none for a pre-release.
fn version(name: &str) -> Option<Vec<u64>> {
    let bare = name.rsplit(['/', '@']).next()?;
    let start = bare.find(|c: char| c.is_ascii_digit())?;
    let numbers: Option<Vec<u64>> = bare.get(start..)?.split('.').map(|part| part.parse().ok()).collect();
    numbers.filter(|numbers| (2..=4).contains(&numbers.len()))
}

/// The convention of the last subjects, given newest first.
pub fn subjects(all: &[String], file: &str) -> Facts {
    let mut out = Facts::default();
    let own = all.iter().filter(|subject| !subject.starts_with("Merge ") && !subject.starts_with("Revert "));
    let own: Vec<&str> = own.map(String::as_str).take(SUBJECTS).collect();
    if own.len() < FEW {
        return out;
    }
    let mut put = |id: &str, text: String| {
        let fact = Fact::new(Kind::Subjects, text).id(id).at(file, 0);
        out.all.push(fact.about("commit commits subject message history"));
    };
    let of = own.len();
    let most = |count: usize| count * 10 >= of * 8;
    let typed: Vec<&str> = own.iter().copied().filter(|subject| is_typed(subject)).collect();
    if most(typed.len()) {
        let is_scoped = |subject: &str| subject.split(':').next().is_some_and(|head| head.contains('('));
        let scoped = typed.iter().filter(|subject| is_scoped(subject)).count();
        let form = if most(scoped) { "`type(scope): subject`" } else { "`type: subject`" };
        let said = format!("{} of the last {of} commit subjects are {form} (Conventional Commits)", typed.len());
        put("conventional-commits", said);
    }
    let ticketed = own.iter().filter(|subject| ticket(subject).is_some()).count();
    if let Some(ticket) = own.iter().find_map(|subject| ticket(subject)).filter(|_| most(ticketed)) {
        let said = format!("{ticketed} of the last {of} commit subjects name a ticket such as {}", code(ticket));
        put("commit-ticket", said);
    }
    let longest = own.iter().map(|subject| subject.chars().count()).max().unwrap_or(0);
    if longest <= 72 {
        put("commit-length", format!("the last {of} commit subjects have at most {longest} characters"));
    }
    let large = own.iter().filter(|subject| subject.starts_with(char::is_uppercase) && !subject.ends_with('.')).count();
    if most(large) && !most(typed.len()) {
        put("commit-case", "commit subjects begin with a capital and end without a full stop".to_owned());
    }
    out
}

fn is_typed(subject: &str) -> bool {
    let Some((head, _)) = subject.split_once(": ") else { return false };
    let word = head.split('(').next().unwrap_or(head).trim_end_matches('!');
    TYPES.contains(&word)
}

/// `SHOP-123` or `#123` at the beginning or the end.
fn ticket(subject: &str) -> Option<&str> {
    subject.split([' ', ':', '[', ']', '(', ')']).find(|word| {
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        let key = word.split_once('-').is_some_and(|(key, number)| {
            key.len() >= 2 && key.bytes().all(|b| b.is_ascii_uppercase()) && digits(number)
        });
        key || word.strip_prefix('#').is_some_and(digits)
    })
}

/// The commit subjects in the reflog of HEAD, newest first.
pub fn of_reflog(text: &str) -> Vec<String> {
    let made = text.lines().rev().filter_map(|line| {
        let (_, said) = line.split_once('\t')?;
        let (what, subject) = said.split_once(": ")?;
        (what == "commit" || what == "commit (initial)" || what == "commit (amend)").then(|| subject.trim().to_owned())
    });
    let mut all: Vec<String> = Vec::new();
    for subject in made.take(4 * SUBJECTS) {
        if !all.contains(&subject) && all.len() < SUBJECTS {
            all.push(subject);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(facts: Facts) -> Vec<String> {
        facts.all.into_iter().map(|fact| fact.text).collect()
    }

    #[test]
    fn the_newest_tag_is_told_by_number() {
        let names = ["v1.9.0", "v1.10.0", "v1.11.0-rc.1", "nightly"].map(str::to_owned);
        assert_eq!(texts(tags(&names, ".git/packed-refs")), ["2 version tags, the newest is `v1.10.0`"]);
        assert!(tags(&["nightly".to_owned()], "").is_empty());
    }

    #[test]
    fn subjects_are_told_where_most_agree() {
        let log: String =
            (0..9).map(|n| format!("0 1 A <a@b> 1 +0000\tcommit: feat(api): add part {n} (#{n})\n")).collect();
        let all = of_reflog(&format!("{log}0 1 A <a@b> 1 +0000\tcheckout: moving from a to b\n"));
        assert_eq!(all.len(), 9);
        assert_eq!(all[0], "feat(api): add part 8 (#8)");
        assert_eq!(
            texts(subjects(&all, ".git/logs/HEAD")),
            [
                "9 of the last 9 commit subjects are `type(scope): subject` (Conventional Commits)",
                "9 of the last 9 commit subjects name a ticket such as `#8`",
                "the last 9 commit subjects have at most 26 characters"
            ]
        );
        assert!(subjects(&all[..3], "").is_empty());
    }
}
