//! Evaluations that come with a skill: tasks with what must hold of their outcome, and prompts that should or should not
//! choose it. The formats are those of the guide to evaluating skills and of skill-creator.

mod phrases;

use serde_json::{Value, json};

use crate::skill::Sentence;
use crate::skill::parts::{Part, points};
use crate::skill::ranking::Index;

/// The tasks, inside the skill.
pub const TASKS: &str = "evals/evals.json";

/// The prompts, inside the skill.
pub const QUERIES: &str = "evals/eval_queries.json";

/// How many prompts there are each way.
const EACH_WAY: usize = 10;

/// How many assertions a task has.
const ASSERTIONS: usize = 8;

/// The files of a skill's evaluations, path and content, made from what was understood and from its SKILL.md.
#[must_use]
pub fn files(name: &str, description: &str, understood: &Sentence, skill: &str) -> [(&'static str, String); 2] {
    [
        (TASKS, written(&tasks(name, description, understood, skill))),
        (QUERIES, written(&queries(name, description, understood))),
    ]
}

/// The tasks of a skill that was given another name. `None` where the file is not of the known form.
#[must_use]
pub fn renamed(tasks: &str, name: &str) -> Option<String> {
    let mut value: Value = serde_json::from_str(tasks).ok()?;
    *value.get_mut("skill_name")? = json!(name);
    Some(written(&value))
}

fn written(value: &Value) -> String {
    format!("{value:#}\n")
}

/// Two tasks: the plain one, and one under pressure. What must hold is what the skill itself says.
fn tasks(name: &str, description: &str, understood: &Sentence, skill: &str) -> Value {
    let language = understood.language;
    let result = points(skill, Part::Inputs, language)
        .iter()
        .find_map(|point| phrases::result(point, language).map(str::to_owned))
        .unwrap_or_else(|| description.to_owned());
    let mut checks = points(skill, Part::Verify, language);
    if checks.is_empty() {
        checks.push(description.to_owned());
    }
    checks.truncate(ASSERTIONS);
    let mut forbidden: Vec<String> =
        points(skill, Part::DoNot, language).iter().map(|point| phrases::keeps_to(point, language)).collect();
    forbidden.extend(checks.iter().cloned());
    forbidden.truncate(ASSERTIONS);
    let [plain, hurried] = phrases::tasks(understood);
    json!({
        "skill_name": name,
        "evals": [
            { "id": 1, "prompt": plain, "expected_output": result, "assertions": checks },
            { "id": 2, "prompt": hurried, "expected_output": result, "assertions": forbidden },
        ],
    })
}

/// Prompts each way; of those that should not choose the skill, the ones nearest to it in words.
fn queries(name: &str, description: &str, understood: &Sentence) -> Value {
    let nearest = |mut prompts: Vec<String>| {
        let index = Index::of(&[(name, description)]);
        let score = |prompt: &String| index.rank(prompt).first().map_or(0.0, |one| one.score);
        prompts.sort_by(|one, other| score(other).total_cmp(&score(one)));
        prompts.dedup();
        prompts.truncate(EACH_WAY);
        prompts
    };
    let of = |prompts: Vec<String>, should: bool| {
        nearest(prompts).into_iter().map(move |query| json!({ "query": query, "should_trigger": should }))
    };
    of(phrases::meant(understood), true).chain(of(phrases::near(understood), false)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skill::{describe, read};

    fn made(sentence: &str) -> (Value, Value) {
        let understood = read(sentence);
        let name = understood.name.clone().map(|name| name.to_string()).unwrap_or_default();
        let skill = "## Inputs and results\n\n- In: a\n- Out: a list\n\n## Verify the result\n\n- Count it.\n\n## Do not\n\n- Guess.\n";
        let [(_, tasks), (_, queries)] = files(&name, &describe(&understood, &[]), &understood, skill);
        (serde_json::from_str(&tasks).unwrap(), serde_json::from_str(&queries).unwrap())
    }

    #[test]
    fn what_must_hold_is_what_the_skill_says() {
        let (tasks, _) = made("Convert CSV files to JSON");
        assert_eq!(tasks["skill_name"], "convert-csv-files");
        assert_eq!(tasks["evals"][0]["prompt"], "Convert CSV files to JSON.");
        assert_eq!(tasks["evals"][0]["expected_output"], "a list");
        assert_eq!(tasks["evals"][0]["assertions"], json!(["Count it."]));
        assert_eq!(tasks["evals"][1]["assertions"], json!(["Keeps to \"Do not\": Guess.", "Count it."]));
        assert_eq!(tasks["evals"][1]["id"], 2);
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
            let (_, queries) = made(sentence);
            let queries = queries.as_array().unwrap();
            let of = |should: bool| queries.iter().filter(|one| one["should_trigger"] == should).count();
            assert_eq!((of(true), of(false)), (EACH_WAY, EACH_WAY), "{sentence}: {queries:#?}");
            let mut texts: Vec<&str> = queries.iter().filter_map(|one| one["query"].as_str()).collect();
            texts.sort_unstable();
            texts.dedup();
            assert_eq!(texts.len(), 2 * EACH_WAY, "{sentence}");
        }
    }

    #[test]
    fn what_the_skill_does_is_no_near_miss() {
        for (sentence, never) in
            [("Translate manuals", "Translate the word"), ("Delete old branches", "Delete everything")]
        {
            let (_, queries) = made(sentence);
            assert!(!queries.to_string().contains(never), "{sentence}");
        }
    }

    #[test]
    fn a_new_name_reaches_the_tasks() {
        let renamed = renamed("{\"skill_name\":\"a\",\"evals\":[]}", "b").unwrap();
        assert_eq!(renamed, "{\n  \"skill_name\": \"b\",\n  \"evals\": []\n}\n");
        assert_eq!(super::renamed("[]", "b"), None);
    }
}
