//! Evaluations of a skill: tasks with assertions on their outcome, and prompts that should or should not trigger it.
//! The formats are those of the guide to evaluating skills and of skill-creator.

mod expected;
mod phrases;

use serde_json::{Value, json};

use crate::skill::Sentence;
use crate::skill::pack::Chosen;
use expected::Expected;
use phrases::Phrases;

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
        let mut seen = std::collections::BTreeSet::new();
        prompts.retain(|prompt| seen.insert(prompt.to_lowercase()));
        prompts.truncate(EACH_WAY);
        prompts.into_iter().map(move |query| json!({ "query": query, "should_trigger": should }))
    };
    of(phrases.asks(understood, packs), true).chain(of(phrases.near(understood, packs), false)).collect()
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
    fn what_must_hold_is_what_the_skill_says() {
        let (_, tasks, _) = made("Convert CSV files to JSON");
        assert_eq!(tasks["skill_name"], "convert-csv-files");
        assert_eq!(tasks["evals"][0]["prompt"], "Convert CSV files to JSON.");
        assert_eq!(tasks["evals"][0]["expected_output"], "One row a finding.");
        assert_eq!(
            tasks["evals"][0]["assertions"],
            json!(["Runs `gh pr checks N`.", "Done when every finding names a line."])
        );
        assert_eq!(
            tasks["evals"][1]["assertions"],
            json!([
                "Keeps to: Never print a secret.",
                "Done when every finding names a line.",
                "Runs `gh pr checks N`."
            ])
        );
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
            assert_eq!(
                (of(&queries, true).len(), of(&queries, false).len()),
                (EACH_WAY, EACH_WAY),
                "{sentence}: {queries:#}"
            );
            let mut texts = [of(&queries, true), of(&queries, false)].concat();
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

    #[test]
    fn a_new_name_reaches_the_tasks() {
        let renamed = renamed("{\"skill_name\":\"a\",\"evals\":[]}", "b").unwrap();
        assert_eq!(renamed, "{\n  \"skill_name\": \"b\",\n  \"evals\": []\n}\n");
        assert_eq!(super::renamed("[]", "b"), None);
    }
}
