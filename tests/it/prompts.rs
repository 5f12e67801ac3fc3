//! Prompts as people type them, and where `match` sends them: `fixtures/match-prompts/`.

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use hefesto::client::target::Arguments;
use hefesto::skill::ranking::{Index, rank};

use crate::support::made::made;

/// Which prompts are looked at when the ranking is changed, and which only show what that was worth.
const HALVES: [&str; 2] = ["tune", "held"];

/// The fixture: its skills as name and description, and the prompts of each half with the skill they are for.
struct Fixture {
    name: &'static str,
    /// How many of thirty may be answered with another skill and with none, and how many of fourteen claimed.
    most: [usize; 3],
    skills: Vec<(String, String)>,
    prompts: [Vec<(String, Option<usize>)>; 2],
}

static FIXTURES: LazyLock<Vec<Fixture>> = LazyLock::new(|| {
    [
        ("prompts", [1, 4, 1]),
        ("daily", [1, 5, 4]),
        ("work", [1, 5, 2]),
        ("paraphrased", [2, 4, 3]),
        ("reworded", [1, 5, 2]),
        ("asked", [1, 2, 3]),
        ("spoken-software", [1, 2, 2]),
        ("spoken-office", [3, 2, 2]),
        ("spoken-home", [1, 5, 2]),
        ("spoken-trades", [1, 6, 5]),
        ("indirect", [1, 4, 1]),
        ("offhand", [2, 6, 2]),
        ("unseen", [2, 8, 2]),
    ]
    .map(|(name, most)| read(name, most))
    .into()
});

fn read(name: &'static str, most: [usize; 3]) -> Fixture {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("fixtures/match-prompts/{name}.toml"));
    let file: toml::Table = toml::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let mut fixture = Fixture { name, most, skills: Vec::new(), prompts: [Vec::new(), Vec::new()] };
    let texts = |of: &toml::Value, key: &str| -> Vec<String> {
        of[key].as_array().unwrap().iter().map(|one| one.as_str().unwrap().to_owned()).collect()
    };
    for (at, skill) in file["skill"].as_array().unwrap().iter().enumerate() {
        let text = |key: &str| skill[key].as_str().unwrap().to_owned();
        fixture.skills.push(if skill.get("sentence").is_some() {
            let made = made(&text("sentence"), Arguments::Dollar);
            (made.name, made.description)
        } else {
            (text("name"), text("description"))
        });
        for (half, prompts) in HALVES.iter().zip(&mut fixture.prompts) {
            prompts.extend(texts(skill, half).into_iter().map(|prompt| (prompt, Some(at))));
        }
    }
    for (half, prompts) in HALVES.iter().zip(&mut fixture.prompts) {
        prompts.extend(texts(&file["unrelated"], half).into_iter().map(|prompt| (prompt, None)));
    }
    fixture
}

impl Fixture {
    fn skills(&self) -> Vec<(&str, &str)> {
        self.skills.iter().map(|(name, description)| (name.as_str(), description.as_str())).collect()
    }
}

#[test]
fn most_prompts_find_their_skill_and_hardly_any_other_prompt_finds_one() {
    let mut wrong = Vec::new();
    for fixture in FIXTURES.iter() {
        let skills = fixture.skills();
        let index = Index::of(&skills);
        for (half, prompts) in HALVES.iter().zip(&fixture.prompts) {
            let [mut other, mut none, mut claimed] = [const { Vec::new() }; 3];
            for (prompt, wanted) in prompts {
                let ranked: Vec<_> = index.rank(prompt).into_iter().filter(|one| one.claims).collect();
                let first = ranked.first().map(|first| first.index);
                let said = ranked.first().map(|first| format!("{} by {:?}", skills[first.index].0, first.words));
                let said = format!("\"{prompt}\" chose {}", said.as_deref().unwrap_or("none"));
                match (wanted, first) {
                    (Some(wanted), Some(first)) if first != *wanted => other.push(said),
                    (Some(_), None) => none.push(said),
                    (None, Some(_)) => claimed.push(said),
                    _ => {}
                }
            }
            let asked = prompts.iter().filter(|(_, wanted)| wanted.is_some()).count();
            let unrelated = prompts.len() - asked;
            let counted = [("other", other, 30, asked), ("none", none, 30, asked), ("claimed", claimed, 14, unrelated)];
            for ((what, list, of, all), most) in counted.into_iter().zip(fixture.most) {
                if list.len() * of > all * most {
                    let (name, got) = (fixture.name, list.len());
                    wrong.push(format!("{name}, {half}, {what}: {got} of {all}:\n{}", list.join("\n")));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_prompt_is_no_claim_where_its_skill_is_missing() {
    let (mut asked, mut claimed) = (0, Vec::new());
    let all = FIXTURES.iter().flat_map(|fixture| fixture.prompts.iter().flatten().map(move |one| (fixture, one)));
    for (fixture, (prompt, wanted)) in all {
        let skills = fixture.skills();
        // What stays is every third skill, none of which the prompt is for.
        let others: Vec<_> = skills
            .iter()
            .enumerate()
            .filter(|(at, _)| at % 3 == 0 && Some(*at) != *wanted)
            .map(|(_, one)| *one)
            .collect();
        asked += 1;
        if let Some(first) = rank(prompt, &others).first() {
            claimed.push(format!("\"{prompt}\" chose {} by {:?}", others[first.index].0, first.words));
        }
        assert!(Index::of(&others).rank(prompt).len() <= others.len());
    }
    let wrong: Vec<&String> = claimed.iter().collect();
    // The prompts whose own skill is among them are asked without it, too.
    assert!(wrong.len() * 6 <= asked, "{} of {asked} claimed:\n{wrong:#?}", wrong.len());
}
