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
    /// How many of thirty may be missed and of fourteen claimed: more of short prompts in three languages, and of those
    /// that share no word with their skill.
    most: (usize, usize),
    skills: Vec<(String, String)>,
    prompts: [Vec<(String, Option<usize>)>; 2],
}

static FIXTURES: LazyLock<Vec<Fixture>> = LazyLock::new(|| {
    [("prompts", (2, 2)), ("daily", (4, 4)), ("work", (6, 2)), ("paraphrased", (5, 5)), ("reworded", (4, 4))]
        .map(|(name, most)| read(name, most))
        .into()
});

fn read(name: &str, most: (usize, usize)) -> Fixture {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("fixtures/match-prompts/{name}.toml"));
    let file: toml::Table = toml::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let mut fixture = Fixture { most, skills: Vec::new(), prompts: [Vec::new(), Vec::new()] };
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
            let (mut missed, mut claimed) = (Vec::new(), Vec::new());
            for (prompt, wanted) in prompts {
                let ranked: Vec<_> = index.rank(prompt).into_iter().filter(|one| one.claims).collect();
                let first = ranked.first().map(|first| first.index);
                let said = ranked.first().map(|first| format!("{} by {:?}", skills[first.index].0, first.words));
                match wanted {
                    Some(wanted) if first != Some(*wanted) => {
                        missed.push(format!("\"{prompt}\" should choose {}, chose {said:?}", skills[*wanted].0));
                    }
                    None if first.is_some() => claimed.push(format!("\"{prompt}\" chose {said:?}")),
                    _ => {}
                }
            }
            let asked = prompts.iter().filter(|(_, wanted)| wanted.is_some()).count();
            let others = prompts.len() - asked;
            let all = |list: &[String]| list.join("\n");
            let (most_missed, most_claimed) = fixture.most;
            if missed.len() * 30 > asked * most_missed {
                wrong.push(format!("{half}: {} of {asked} missed:\n{}", missed.len(), all(&missed)));
            }
            if claimed.len() * 14 > others * most_claimed {
                wrong.push(format!("{half}: {} of {others} claimed:\n{}", claimed.len(), all(&claimed)));
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
