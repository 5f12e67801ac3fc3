//! Evaluations of a skill: tasks with assertions on their outcome, and prompts that should or should not trigger it.
//! The formats are those of the guide to evaluating skills and of skill-creator.

use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::skill::pack::{Chosen, Searched};
use crate::skill::prose::{Block, BlockKind, blocks};
use crate::skill::sentence::{Language, alike, begun};
use crate::skill::template::gaps;
use crate::skill::{Sentence, body};

/// The tasks, inside the skill.
pub const TASKS: &str = "evals/evals.json";

/// The prompts, inside the skill.
pub const QUERIES: &str = "evals/eval_queries.json";

/// How many prompts should trigger, and how many should not.
const EACH_WAY: usize = 10;

/// How many assertions a task has.
const ASSERTIONS: usize = 8;

/// The files of a skill's evaluations, path and content, made from the parsed sentence, the chosen packs and
/// its SKILL.md.
pub fn files(name: &str, understood: &Sentence, packs: &[Chosen], skill: &str) -> [(&'static str, String); 2] {
    [(TASKS, written(&tasks(name, understood, skill))), (QUERIES, written(&queries(understood, packs)))]
}

/// The tasks of a renamed skill. `None` if the file has an unknown format.
pub fn renamed(tasks: &str, name: &str) -> Option<String> {
    let mut value: Value = serde_json::from_str(tasks).ok()?;
    *value.get_mut("skill_name")? = json!(name);
    Some(written(&value))
}

fn written(value: &Value) -> String {
    format!("{value:#}\n")
}

/// Two tasks: a plain one, and one under time pressure. The assertions come from the skill itself: the commands of its
/// steps, its rules, and when it is done.
fn tasks(name: &str, understood: &Sentence, skill: &str) -> Value {
    let phrases = Phrases::of(understood.language);
    let expected = Expected::of(skill, understood);
    let plain = format!("{}.", understood.title);
    let hurried = format!("{plain} {}", phrases.hurry);
    let mut done: Vec<String> = expected.runs.iter().chain(&expected.done).cloned().collect();
    let mut kept: Vec<String> = expected.keeps.iter().chain(&expected.done).chain(&expected.runs).cloned().collect();
    for assertions in [&mut done, &mut kept] {
        if assertions.is_empty() {
            assertions.extend(understood.clauses.iter().map(|clause| phrases.does.replace("{}", &clause.text)));
        }
        assertions.truncate(ASSERTIONS);
    }
    json!({
        "skill_name": name,
        "evals": [
            { "id": 1, "prompt": plain, "expected_output": expected.output, "assertions": done },
            { "id": 2, "prompt": hurried, "expected_output": expected.output, "assertions": kept },
        ],
    })
}

/// Prompts that should trigger, in other words than the sentence's, and that should not, about its subject with another
/// verb.
fn queries(understood: &Sentence, packs: &[Chosen]) -> Value {
    let phrases = Phrases::of(understood.language);
    let of = |mut prompts: Vec<String>, should: bool| {
        let mut seen: Vec<String> = Vec::new();
        prompts.retain(|prompt| {
            let fresh = !seen.contains(&prompt.to_lowercase());
            seen.push(prompt.to_lowercase());
            fresh
        });
        prompts.truncate(EACH_WAY);
        prompts.into_iter().map(move |query| json!({ "query": query, "should_trigger": should }))
    };
    of(phrases.asks(understood, packs), true).chain(of(phrases.near(understood, packs), false)).collect()
}

/// The assertions derived from a SKILL.md.
struct Expected {
    /// The report; else when it is done; else the task.
    output: String,
    runs: Vec<String>,
    keeps: Vec<String>,
    done: Option<String>,
}

impl Expected {
    fn of(skill: &str, understood: &Sentence) -> Self {
        let phrases = Phrases::of(understood.language);
        let words = body::Phrases::of(understood.language);
        let all: Vec<Block> = blocks(skill).into_iter().filter(|block| gaps(&block.text) == 0).collect();
        let plain = |begin: &str| {
            let mut all = all.iter().filter(|block| block.kind == BlockKind::Paragraph);
            all.find_map(|block| block.text.strip_prefix(begin)).map(|rest| rest.trim().to_owned())
        };
        let done = plain(&words.done).map(|rest| format!("{} {rest}", words.done));
        let mut runs: Vec<String> = Vec::new();
        let steps = all.iter().filter(|block| matches!(block.kind, BlockKind::Numbered(1)));
        for command in steps.filter_map(|block| command(&block.text)) {
            let said = phrases.runs.replace("{}", &format!("`{command}`"));
            if !runs.contains(&said) {
                runs.push(said);
            }
        }
        let limit =
            |block: &&Block| matches!(block.kind, BlockKind::Point(_)) && block.heading.starts_with(&words.limits);
        let keep = |rule: &String| phrases.keeps.replace("{}", rule);
        let mut keeps: Vec<String> = all.iter().filter(limit).map(|block| keep(&block.text)).collect();
        if keeps.is_empty() {
            keeps = understood.rules.iter().map(keep).collect();
        }
        let report = plain(&format!("{}:", words.report));
        let output = report.or_else(|| done.clone()).unwrap_or_else(|| format!("{}.", understood.title));
        Self { output, runs, keeps, done }
    }
}

/// The first code span of a step that is a command: a program with arguments.
fn command(step: &str) -> Option<&str> {
    let mut spans = step.split('`').skip(1).step_by(2).map(str::trim);
    spans.find(|span| {
        let (program, rest) = span.split_once(' ').unwrap_or((span, ""));
        let name = !program.is_empty()
            && program.chars().all(|c| c.is_ascii_lowercase() || matches!(c, '-' | '_' | '.' | '/'));
        name && !rest.trim().is_empty()
    })
}

/// The phrasings of one language: `templates/base/*/evals.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Phrases {
    asks: Vec<String>,
    verbs: Vec<String>,
    /// `{}` is a command, a rule, a task.
    runs: String,
    keeps: String,
    does: String,
    hurry: String,
    near: Vec<Near>,
}

/// Another request on the same subject.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Near {
    /// Its verb in English; it matches skills with this verb.
    #[serde(default)]
    verb: String,
    text: String,
}

impl Phrases {
    fn of(language: Language) -> &'static Self {
        static ALL: [LazyLock<Phrases>; 3] = base_files!("evals.toml");
        LazyLock::force(language.pick(ALL.each_ref()))
    }

    /// Prompts that ask for the work in other words.
    fn asks(&self, understood: &Sentence, packs: &[Chosen]) -> Vec<String> {
        let object = object(understood);
        let main = understood.main();
        let own = main.and_then(|main| main.verb.as_deref()).unwrap_or_default();
        let mut verbs: Vec<String> = verbs_like(own, understood.language);
        verbs.retain(|verb| main.is_none_or(|main| *verb != main.written));
        verbs.extend(self.verbs.iter().cloned());
        let others: Vec<String> = understood.also.iter().cloned().chain([object.clone()]).collect();
        let mut words = others.clone();
        if understood.language == Language::En {
            words.splice(0..0, packs.iter().flat_map(|chosen| chosen.pack.head.words.iter().cloned()));
        }
        let turn = |list: &[String], at: usize| list.get(at % list.len().max(1)).cloned().unwrap_or_default();
        let filled = self.asks.iter().enumerate().map(|(at, shape)| {
            let said = shape
                .replace("{verb}", &turn(&verbs, at / 2))
                .replace("{other}", &turn(&others, at))
                .replace("{word}", &turn(&words, at))
                .replace("{object}", &object);
            begun(&said)
        });
        filled.collect()
    }

    /// Prompts about the same subject that ask for something else: what packs exclude, then other verbs. Those with the
    /// skill's own verb are left out.
    fn near(&self, understood: &Sentence, packs: &[Chosen]) -> Vec<String> {
        let object = object(understood);
        let own = understood.main().and_then(|main| main.verb.as_deref()).unwrap_or_default();
        let topic = Searched::of(&understood.text);
        let elsewhere = packs.iter().flat_map(|chosen| &chosen.pack.head.not).filter(|phrase| {
            // A phrase with a word of the subject is easily mistaken for it.
            phrase.contains(' ') && phrase.split(' ').any(|word| word.len() > 3 && topic.has(word))
        });
        let elsewhere: Vec<String> = elsewhere.take(2).cloned().collect();
        let shapes = || self.near.iter().filter(|near| near.verb.is_empty() || near.verb != own);
        let others = elsewhere.iter().zip(shapes()).map(|(phrase, near)| near.text.replace("{object}", phrase));
        let mut all: Vec<String> = shapes().map(|near| near.text.replace("{object}", &object)).collect();
        let at = all.len().min(8);
        all.splice(at..at, others);
        all
    }
}

/// The object of the work; the whole task if there is none.
fn object(understood: &Sentence) -> String {
    let object = understood.main().map(|main| main.object.clone()).filter(|object| !object.is_empty());
    object.unwrap_or_else(|| understood.asked.clone())
}

/// Verbs that ask for the same in a language: those with the same verb in English, and those alike.
fn verbs_like(verb: &str, language: Language) -> Vec<String> {
    const MOST: usize = 6;
    let mut found: Vec<String> = Vec::new();
    for wanted in std::iter::once(verb.to_owned()).chain(alike(verb)).filter(|verb| !verb.is_empty()) {
        for one in language.lexicon().verbs().filter(|one| one.english == wanted) {
            if !found.contains(&one.base) && found.len() < MOST {
                found.push(one.base.clone());
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skill::fact::Facts;
    use crate::skill::pack::of_sentence;
    use crate::skill::ranking::{rank, stem};
    use crate::skill::{describe, read};

    const SKILL: &str = "# X\n\n## Steps\n\n1. Ask for the checks: `gh pr checks N` (exit 8 means pending).\n2. Think.\n\n\
        ## Limits and traps\n\n- Never print a secret.\n\nReport: One row a finding.\n\n\
        Done when every finding names a line.\n\n## Open\n\n- [FILL IN: Which?]\n";

    fn made(sentence: &str) -> (Sentence, Value, Value) {
        let understood = read(sentence);
        let packs = of_sentence(&understood, &Facts::default());
        let name = understood.name.clone().map(|name| name.to_string()).unwrap_or_default();
        let [(_, tasks), (_, queries)] = files(&name, &understood, &packs, SKILL);
        (understood, serde_json::from_str(&tasks).unwrap(), serde_json::from_str(&queries).unwrap())
    }

    fn of(queries: &Value, should: bool) -> Vec<String> {
        let all = queries.as_array().unwrap().iter().filter(|one| one["should_trigger"] == should);
        all.map(|one| one["query"].as_str().unwrap().to_owned()).collect()
    }

    #[test]
    fn what_must_hold_is_what_the_skill_says_and_a_new_name_reaches_the_tasks() {
        let (_, tasks, _) = made("Convert CSV files to JSON");
        assert_eq!(tasks["skill_name"], "convert-csv-files");
        assert_eq!(tasks["evals"][0]["prompt"], "Convert CSV files to JSON.");
        assert_eq!(tasks["evals"][0]["expected_output"], "One row a finding.");
        let (runs, done) = ("Runs `gh pr checks N`.", "Done when every finding names a line.");
        assert_eq!(tasks["evals"][0]["assertions"], json!([runs, done]));
        assert_eq!(tasks["evals"][1]["assertions"], json!(["Keeps to: Never print a secret.", done, runs]));
        let renamed = renamed("{\"skill_name\":\"a\",\"evals\":[]}", "b").unwrap();
        assert_eq!(renamed, "{\n  \"skill_name\": \"b\",\n  \"evals\": []\n}\n");
        assert_eq!(super::renamed("[]", "b"), None);
    }

    #[test]
    fn ten_prompts_each_way_all_different_in_every_language() {
        for sentence in [
            "Convert CSV files to JSON",
            "Traduz manuais do inglês para o português",
            "Revisar facturas de proveedores",
            "Translate manuals",
            "Delete old branches",
            "日本語",
        ] {
            let (_, _, queries) = made(sentence);
            let (asks, others) = (of(&queries, true), of(&queries, false));
            assert_eq!((asks.len(), others.len()), (EACH_WAY, EACH_WAY), "{sentence}: {queries:#}");
            let mut texts = [asks, others].concat();
            texts.sort_unstable();
            texts.dedup();
            assert_eq!(texts.len(), 2 * EACH_WAY, "{sentence}");
            assert!(!texts.iter().any(|text| text.contains(['{', '}'])), "{texts:?}");
        }
    }

    #[test]
    fn prompts_that_should_choose_it_say_it_in_other_words() {
        for sentence in ["Review SQL migrations for locks", "Rotate AWS access keys", "Answer support emails"] {
            let (understood, _, queries) = made(sentence);
            let verb = stem(&understood.main().unwrap().written, understood.language);
            let same = of(&queries, true).into_iter().filter(|prompt| {
                prompt.split(|c: char| !c.is_alphabetic()).any(|word| stem(word, understood.language) == verb)
            });
            let same: Vec<String> = same.collect();
            assert!(same.len() <= 2, "{sentence}: {same:#?}");
            let described = describe(&understood, &[]);
            let name = understood.name.as_ref().map(ToString::to_string).unwrap_or_default();
            let skills = [(name.as_str(), described.as_str())];
            let found = of(&queries, true).into_iter().filter(|prompt| !rank(prompt, &skills).is_empty()).count();
            assert!(found >= EACH_WAY / 2, "{sentence}: {found}: {queries:#}");
        }
    }

    #[test]
    fn near_misses_share_the_subject_and_have_another_verb() {
        for (sentence, never) in
            [("Translate manuals", "Translate the word"), ("Delete old branches", "Delete everything")]
        {
            let (understood, _, queries) = made(sentence);
            assert!(!queries.to_string().contains(never), "{sentence}");
            let object = understood.main().unwrap().object.clone();
            assert!(of(&queries, false).iter().filter(|query| query.contains(&object)).count() >= 8, "{queries:#}");
        }
    }
}
