//! Tools for the same purpose of which a repository uses one: what packs say of the others does not hold in it.

use crate::skill::fact::{Facts, denies, sentences};

/// Tools of one purpose, each with its spellings. A tool alone is only ruled out by a rule.
const PURPOSES: &[&str] = &[
    "jest vitest|vi.mock|vi.spyon mocha node:test|node_--test|node_--import_tsx_--test ava jasmine karma",
    "cypress playwright selenium",
    "rspec minitest|minitest::test|activesupport::testcase",
    "sidekiq good_job solid_queue resque delayed_job",
    "poetry pipenv pdm",
    "prisma drizzle typeorm sequelize knex kysely mongoose",
    "flyway liquibase",
    "celery rq dramatiq huey arq",
    "redux|redux_toolkit zustand mobx jotai pinia vuex",
    "fastlane",
    "factory_bot|factorybot|factories",
    "storybook",
    "callback|callbacks|after_commit|after_create_commit|after_save",
];

/// How many words may stand between "no" and what it denies: "never from a callback".
const APART: usize = 2;

/// A tool that is not used here.
pub(super) struct Absent {
    spellings: Vec<String>,
    /// The spellings of those that are used for the same purpose.
    used: Vec<String>,
}

impl Absent {
    /// The tools that the repository does without: those beside one that it uses, and those that a rule denies. What the
    /// `sentence` names is no such tool.
    pub(super) fn of(facts: &Facts, sentence: &str) -> Vec<Self> {
        let (mut said, mut denied) = (String::new(), String::new());
        for fact in &facts.all {
            for part in sentences(&fact.text).into_iter().flat_map(|sentence| sentence.split([';', ','])) {
                let text = if denies_tool(part) { &mut denied } else { &mut said };
                text.push_str(&part.to_lowercase());
                text.push('\n');
            }
            said.extend(fact.id.iter().flat_map(|id| [id.as_str(), "\n"]));
        }
        let sentence = sentence.to_lowercase();
        let mut absent = Vec::new();
        for purpose in PURPOSES {
            let tools: Vec<Vec<String>> = purpose.split(' ').map(spellings).collect();
            let used: Vec<&Vec<String>> = tools.iter().filter(|tool| mentions_any(&said, tool)).collect();
            let others = || used.iter().copied().flatten().cloned().collect();
            for tool in &tools {
                let left = !used.contains(&tool) && (!used.is_empty() || is_denied(&denied, tool));
                if left && !mentions_any(&sentence, tool) {
                    absent.push(Self { spellings: tool.clone(), used: others() });
                }
            }
        }
        absent
    }

    pub(super) fn is_named(&self, text: &str) -> bool {
        mentions_any(&text.to_lowercase(), &self.spellings)
    }

    /// Whether a part of a line is about this tool, and not about one that is used.
    pub(super) fn is_in(&self, part: &str) -> bool {
        let part = part.to_lowercase();
        mentions_any(&part, &self.spellings) && !mentions_any(&part, &self.used)
    }
}

fn spellings(tool: &str) -> Vec<String> {
    tool.split('|').map(|one| if one.contains("_-") { one.replace('_', " ") } else { one.to_owned() }).collect()
}

/// Words that deny what stands right behind them.
const WITHOUT: &[&str] = &["without", "sem", "sin"];

fn denies_tool(part: &str) -> bool {
    denies(part) || part.to_lowercase().split(' ').any(|word| WITHOUT.contains(&word))
}

/// Whether "no" or its like stands before the tool.
fn is_denied(denied: &str, tool: &[String]) -> bool {
    denied.lines().any(|part| {
        tool.iter().filter_map(|name| part.find(name.as_str())).filter_map(|at| part.get(..at)).any(|before| {
            let last: Vec<&str> = before.split_whitespace().rev().take(APART + 1).collect();
            last.first().is_some_and(|word| WITHOUT.contains(word)) || last.iter().any(|word| denies(word))
        })
    })
}

fn mentions_any(text: &str, names: &[String]) -> bool {
    names.iter().any(|name| mentions(text, name))
}

/// Whether a text in lower case has this name as a word.
fn mentions(text: &str, name: &str) -> bool {
    let part_of_word = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(name).any(|(at, _)| {
        let before = text.get(..at).and_then(|text| text.chars().next_back());
        let after = text.get(at + name.len()..).and_then(|text| text.chars().next());
        !before.is_some_and(part_of_word) && !after.is_some_and(part_of_word)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skill::fact::{Fact, Kind};

    #[test]
    fn absent_are_the_tools_beside_the_one_that_is_used_and_those_that_a_rule_denies() {
        for (fact, sentence, part, absent) in [
            ("`good_job` ~> 4", "Add a job", "Declare `sidekiq_options` for Sidekiq.", true),
            ("`npm test`: `node --test`", "Fix a test", "`npx vitest run x`", true),
            ("`jest` ^29", "Fix a test", "`npx vitest run` or `npx jest`", false),
            ("`jest` ^29", "Move from jest to vitest", "`npx vitest run`", false),
            ("`rails` ~> 7", "Add a job", "Declare it for Sidekiq.", false),
            ("minitest. No RSpec here.", "Add a test", "`expect { … }` (RSpec)", true),
            ("Usamos `node:test`, sem Jest.", "Corrigir um teste", "Jest: `npx jest`", true),
            ("Jobs are enqueued never from a callback.", "Add a job", "In an `after_commit` callback.", true),
            ("No job runs without a Sidekiq queue.", "Add a job", "Sidekiq", false),
        ] {
            let facts = Facts { all: vec![Fact::new(Kind::Rule, fact)], ..Facts::default() };
            assert_eq!(Absent::of(&facts, sentence).iter().any(|tool| tool.is_in(part)), absent, "{fact}");
        }
    }
}
