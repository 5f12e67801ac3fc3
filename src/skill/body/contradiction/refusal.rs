//! What a rule says not to do: its commands, names, and verb with its thing.

use crate::skill::fact::{denies, is_action};
use crate::skill::prose::code_spans;
use crate::skill::ranking::stems;

/// The commands and names that a rule forbids: "never run `cargo publish` by hand", "not by `data-theme`", "a bare
/// `cargo update` is not merged".
pub(in crate::skill::body) fn forbidden(rule: &str) -> Vec<&str> {
    /// Words that may stand between what denies and a single name.
    const BETWEEN: &[&str] = &["by", "a", "an", "use", "the", "via", "with", "usar", "usa", "com", "con", "por"];
    /// A command of this kind is not the one to run.
    const BARE: &[&str] = &["plain", "bare", "raw"];
    const AFTER: &[&str] = &["is not", "is never", "are not", "are never", "isn't", "no se", "não se", "não é"];
    /// "`cargo test` is not enough" asks for it.
    const ASKING: &[&str] = &["enough", "only", "optional", "basta", "suficiente"];
    let (mut said, mut found) = (String::new(), Vec::new());
    let mut rest = rule;
    for (before, command) in code_spans(rule) {
        said.push_str(before);
        rest = rest.get(before.len() + command.len() + 2..).unwrap_or_default();
        let clause = said.rsplit([';', '.']).next().unwrap_or_default().to_lowercase();
        let mut words = clause.split_whitespace().rev().map(|word| word.trim_matches(','));
        let nearest = words.find(|word| !BETWEEN.contains(word) && !BARE.contains(word)).unwrap_or_default();
        let next = rest.split(['`', '.', ';', ',']).next().unwrap_or_default().to_lowercase();
        // "Run `a`; `b` alone misses the size."
        let alone = ["alone", "sozinho"].contains(&next.split_whitespace().next().unwrap_or_default());
        let refused = alone
            || AFTER.iter().any(|words| next.contains(words))
                && !ASKING.iter().any(|word| next.contains(word))
                && next.split_whitespace().count() <= AFTERWARDS;
        let bare = clause.split_whitespace().next_back().is_some_and(|word| BARE.contains(&word));
        let without = ["sem", "sin"].contains(&nearest) && !denies(&clause);
        let ordered = command.contains(' ') && (denies(&clause) && !demands(&clause) || refused || bare);
        if ordered || denies(nearest) || without {
            found.push(command);
        }
    }
    found
}

/// Whether a clause that denies asks for what stands at its end: "never push without …", "not before …".
fn demands(clause: &str) -> bool {
    const WORDS: &[&str] = &[
        "without", "unless", "until", "before", "except", "sem", "sin", "antes", "salvo", "exceto", "excepto", "hasta",
        "até",
    ];
    let mut words = clause.split(|c: char| !c.is_alphanumeric()).skip_while(|word| !denies(word));
    words.any(|word| WORDS.contains(&word))
}

/// Whether a rule also says what to do instead: it begins with an order, or names something it does not forbid.
pub(in crate::skill::body) fn tells(rule: &str) -> bool {
    let refused = forbidden(rule);
    is_action(rule.split([';', ',']).next().unwrap_or_default())
        || code_spans(rule).any(|(_, code)| !refused.contains(&code))
}

/// "`cargo update` in one commit is not merged": so many words may stand behind a command up to the end of its clause.
const AFTERWARDS: usize = 8;

/// Whether a part tells to do what a rule denies, by its verb and the thing: "We do not write downgrades".
pub(super) fn does_denied(part: &str, rule: &Denied) -> bool {
    let first = part.split_whitespace().next().unwrap_or_default();
    !denies(part)
        && stems(first).contains(&rule.verb)
        && stems(part.split(['`', ':']).next().unwrap_or_default())
            .iter()
            .chain(&stems(&code_spans(part).next().map(|(_, code)| code).unwrap_or_default().replace(['(', ')'], " ")))
            .any(|stem| *stem == rule.thing)
}

/// What a rule says is never done: the stems of a verb and of what stands behind it.
pub(super) struct Denied {
    verb: String,
    thing: String,
}

pub(super) fn denied(rule: &str) -> Option<Denied> {
    const NEVER: &[&str] = &["never", "not", "don't", "nunca"];
    let words: Vec<&str> = rule.split_whitespace().collect();
    let at = words.iter().position(|word| NEVER.contains(&word.to_lowercase().as_str()))?;
    let (verb, thing) = (words.get(at + 1)?, words.get(at + 2)?);
    // "never write X for Y": only what ends there is all of it.
    let ends = thing.ends_with(['.', ';', ',', ':']) && !thing.contains('`');
    let stem = |word: &str| stems(word).pop();
    ends.then(|| Some(Denied { verb: stem(verb)?, thing: stem(thing)? })).flatten()
}

/// Whether a part tells to run a command, rather than not to.
pub(super) fn runs(part: &str, command: &str) -> bool {
    let plain: String = part.split('`').step_by(2).collect();
    let single = !command.contains(' ');
    let is_in = |code: &str| match single {
        true => code
            .split(|c: char| !c.is_alphanumeric() && !matches!(c, '-' | '_' | '.' | '/'))
            .any(|word| word == command),
        false => code.contains(command),
    };
    code_spans(part).any(|(_, code)| is_in(code)) && !denies(&plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_rule_asks_for_is_not_forbidden() {
        for (rule, wanted) in [
            ("Never push without running `make check`.", None),
            ("Nunca suba sem `make check`.", None),
            ("No merge until `make check` is green.", None),
            ("`make check` is not enough.", None),
            ("Never run `make check` by hand.", Some("make check")),
            ("`make check` is not used here.", Some("make check")),
            ("Sem `jest`.", Some("jest")),
        ] {
            assert_eq!(forbidden(rule).first().copied(), wanted, "{rule}");
        }
    }
}
