//! Selects facts relevant to a sentence: those that share a word with it, and the kinds its subject asks for.

use crate::skill::ranking::{Term, languages, stems, weighted};
use crate::skill::sentence::Language;
use crate::skill::subject::Subject;

use super::{Fact, Facts, Kind};
use crate::skill::pack::Searched;

/// Words of a sentence, and the facts they ask for, in the form of a pack's `wants`.
const SUBJECTS: &[(&str, &str)] = &[
    ("test tests flaky suite spec coverage pytest jest testes pruebas", "test ci.test rule.test"),
    ("migration migrations schema migração migración", "migrations db rule.migration"),
    ("release changelog publish version tag notes versão versión", "release vcs ci.release rule.release"),
    ("deploy rollback rollout implantar desplegar", "deploy ci.deploy rule.deploy"),
    ("lint format style clippy eslint", "lint rule.style"),
    ("pull request pr merge", "gh.pr-template owners rule.review"),
    ("issue issues triage label bug", "gh.issue-template gh.labels owners rule.issue"),
    ("commit commits", "vcs.subjects rule.commit"),
    ("api endpoint openapi rest http route handler", "api rule.api rule.route rule.endpoint rule.handler"),
    ("security vulnerability segurança seguridad", "rule.secret rule.token rule.password rule.personal"),
    ("docker container image compose", "container service"),
    ("ci workflow pipeline actions", "ci"),
    ("build compile", "build"),
    (
        "performance profile speed slow faster startup benchmark latency allocations desempenho rendimiento",
        "command.bench command.benchmark ci.job.benchmark ci.job.bench ci.test.benchmark test.plugin.criterion \
         test.plugin.dhat test.plugin.divan test.plugin.macrobenchmark framework.profileinstaller rule.performance \
         rule.startup",
    ),
    (
        "translate translation translations localize localise locale i18n strings traduzir tradução traducir traducción",
        "translations command.i18n lint.command.i18n test.command.i18n rule.translation rule.locale",
    ),
];

impl Facts {
    /// The facts that the subject of a sentence asks for by a word, not only by their kind: its benchmarks.
    pub fn asked_by_word(&self, sentence: &str) -> Vec<&Fact> {
        let by_word = |want: &str, fact: &Fact| !fact.kind.word().starts_with(want);
        wants(&stems(sentence)).flat_map(|want| self.wanted(want).filter(move |fact| by_word(want, fact))).collect()
    }

    /// The facts relevant to a sentence, in order.
    pub fn bearing_on(&self, sentence: &str) -> Vec<&Fact> {
        let (asked, subject) = (stems(sentence), Subject::of(sentence));
        // Common words and verbs do not make a rule relevant.
        let telling: Vec<Term<'_>> = weighted(sentence, languages(sentence)).into_iter().filter(Term::names).collect();
        let wanted: Vec<&Fact> = wants(&asked).flat_map(|want| self.wanted(want)).collect();
        let pairs = pairs(sentence);
        // The repository's main language or framework makes nothing relevant.
        let used = self.all.iter().filter(|fact| matches!(fact.kind, Kind::Framework | Kind::Language));
        let everywhere: Vec<String> = used.filter_map(|fact| fact.id.as_deref()).flat_map(stems).collect();
        let shares = |fact: &Fact| {
            let named = |word: &String| telling.iter().any(|term| term.keys.contains(word));
            let words = stems(&fact.words.join(" "));
            // The "request" of "pull request" does not count.
            let whole = |word: &String| {
                pairs.iter().all(|pair| !pair.contains(word) || pair.iter().all(|one| words.contains(one)))
            };
            let own = matches!(fact.kind, Kind::Framework | Kind::Language);
            let mut shared = words.iter().filter(|word| subject.has(word) && (own || !everywhere.contains(word)));
            let ruled = matches!(fact.kind, Kind::Rule | Kind::Statement);
            shared.any(|word| !ruled || (named(word) && whole(word)))
        };
        let lower = sentence.to_lowercase();
        // "next" is a common word, "next.js" is not.
        let called = |fact: &Fact| fact.id.as_ref().is_some_and(|id| lower.contains(&format!("{id}.js")));
        let said = Searched::of(sentence);
        let shares = |fact: &Fact| match fact.kind {
            Kind::Dependency => fact.words.iter().any(|name| said.has(name)),
            Kind::Framework => shares(fact) || called(fact),
            _ => shares(fact),
        };
        self.all.iter().filter(|fact| wanted.iter().any(|one| std::ptr::eq(*one, *fact)) || shares(fact)).collect()
    }
}

/// What the words of a sentence ask for.
fn wants(asked: &[String]) -> impl Iterator<Item = &'static str> {
    let named = |words: &str| stems(words).iter().any(|word| asked.contains(word));
    SUBJECTS.iter().filter(move |(words, _)| named(words)).flat_map(|(_, wants)| wants.split_whitespace())
}

/// The stems of word pairs that are one name: "pull request".
fn pairs(sentence: &str) -> Vec<Vec<String>> {
    let known = Language::En.lexicon().set("pairs");
    let lower = sentence.to_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let pairs = words.windows(2).filter(|pair| known.contains(pair.join(" ").as_str()));
    pairs.map(|pair| stems(&pair.join(" "))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skill::fact::packages;

    #[test]
    fn words_and_subjects_decide() {
        let fact = |kind, text: &str| Fact::new(kind, text).about(text);
        let all = vec![
            fact(Kind::TestConfig, "`xfail_strict = true`"),
            fact(Kind::Rule, "Every skipped test names an open issue."),
            fact(Kind::Service, "service `db` runs `postgres:16`"),
            fact(Kind::DeployCommand, "`make deploy`"),
        ];
        let facts = Facts { all, ..Facts::default() };
        let about = |sentence: &str| facts.bearing_on(sentence).iter().map(|fact| fact.kind).collect::<Vec<_>>();
        assert_eq!(about("Find flaky tests in a pytest suite and quarantine them"), [Kind::TestConfig, Kind::Rule]);
        assert_eq!(about("Explain a slow Postgres query"), [Kind::Service]);
        assert_eq!(about("Deploying to staging"), [Kind::DeployCommand]);
        assert_eq!(about("Translate a contract"), []);
    }

    #[test]
    fn a_package_is_relevant_by_its_whole_name() {
        let all = ["date-fns", "@trpc/server"].into_iter().filter_map(|name| packages::other(name, name)).collect();
        let facts = Facts { all, ..Facts::default() };
        let about = |sentence: &str| facts.bearing_on(sentence).iter().map(|fact| &*fact.text).collect::<Vec<_>>();
        assert_eq!(about("Replace date-fns in the report"), ["date-fns"]);
        assert_eq!(about("Move the tRPC router to v11"), ["@trpc/server"]);
        assert_eq!(about("Fix the date on the server"), [""; 0]);
        assert!(packages::other("debug", "debug").is_none());
    }
}
