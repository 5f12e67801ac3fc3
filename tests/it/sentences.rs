//! Sentences people would give, the skills that come of them, and whether the right one is chosen for a prompt.
//! `HEFESTO_UPDATE=1 cargo test --test it sentences::` writes the golden files anew; read the difference.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use hefesto::client::target::{Arguments, Targets};
use hefesto::rules::finding::Severity;
use hefesto::rules::{self, Subject};
use hefesto::skill::Tree;
use hefesto::skill::ranking::Index;
use hefesto::skill::sentence::Sentence;
use hefesto::skill::template::gaps;

use crate::support::made::{Made, made};

/// One sentence with its skill.
struct Reviewed {
    sentence: String,
    prompts: Vec<String>,
    full: bool,
    made: Made,
}

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/sentences")
}

fn all() -> &'static [Reviewed] {
    static ALL: LazyLock<Vec<Reviewed>> = LazyLock::new(make);
    &ALL
}

fn make() -> Vec<Reviewed> {
    let given: toml::Table = toml::from_str(&fs::read_to_string(directory().join("prompts.toml")).unwrap()).unwrap();
    let list = given["skill"].as_array().unwrap();
    list.iter()
        .map(|one| {
            let sentence = one["sentence"].as_str().unwrap().to_owned();
            let prompts = one["prompts"].as_array().unwrap().iter().map(|p| p.as_str().unwrap().to_owned()).collect();
            let full = one.get("full").and_then(toml::Value::as_bool).unwrap_or(false);
            let made = made(&sentence, Arguments::Dollar);
            Reviewed { sentence, prompts, full, made }
        })
        .collect()
}

fn none_wrong(wrong: &[String]) {
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}

fn body(text: &str) -> &str {
    text.splitn(3, "---\n").nth(2).unwrap()
}

/// The reviewable form of one skill.
fn golden(one: &Reviewed) -> String {
    let Sentence { language, archetype, category, tags, .. } = &one.made.sentence;
    let mut out = format!("# {}\n\n", one.sentence);
    writeln!(out, "archetype: {archetype}\nlanguage: {}\ncategory: {category}", language.code()).unwrap();
    let packs: Vec<String> =
        one.made.packs.iter().map(|chosen| format!("{} ({})", chosen.pack.head.id, chosen.because)).collect();
    writeln!(out, "tags: {}\npacks: {}", tags.join(", "), packs.join(", ")).unwrap();
    let body = &one.made.body;
    writeln!(out, "{} lines, {} specific, {} open\n", body.content(), body.specific(), body.open.len()).unwrap();
    writeln!(out, "----\n\n{}", one.made.text.trim_end()).unwrap();
    out
}

#[test]
fn every_sentence_gives_the_skill_that_was_reviewed() {
    let mut wrong = Vec::new();
    let mut wanted = BTreeSet::from(["prompts.toml".to_owned()]);
    for one in all() {
        let (made, text) = (&one.made, golden(one));
        let name = format!("{}.md", made.name);
        assert!(wanted.insert(name.clone()), "two sentences give the name {}", made.name);
        let file = directory().join(&name);
        if std::env::var_os("HEFESTO_UPDATE").is_some() {
            fs::write(&file, &text).unwrap();
        }
        if fs::read_to_string(&file).unwrap_or_default() != text {
            wrong.push(format!("{name} is not what was reviewed: HEFESTO_UPDATE=1 cargo test --test it sentences::"));
        }
    }
    for entry in fs::read_dir(directory()).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if !wanted.contains(&name) {
            wrong.push(format!("{name} belongs to no sentence"));
        }
    }
    none_wrong(&wrong);
}

#[test]
fn there_are_more_than_sixty_in_three_languages() {
    let all = all();
    let of = |code: &str| all.iter().filter(|one| one.made.sentence.language.code() == code).count();
    assert_eq!(all.len(), 63);
    assert!(of("pt") >= 12 && of("es") >= 12, "pt {}, es {}", of("pt"), of("es"));
    assert!(all.iter().filter(|one| one.full).count() >= 15);
    assert!(all.iter().all(|one| one.prompts.len() == 3));
}

#[test]
fn every_skill_holds_every_rule_for_every_client() {
    let mut wrong = Vec::new();
    let targets = Targets::with(Vec::new());
    for one in all() {
        // One client of each way to write arguments for all of them, every client for some.
        for target in targets.iter().filter(|target| one.full || ["claude", "gemini"].contains(&target.id.as_str())) {
            let made = made(&one.sentence, target.arguments);
            let mut tree = Tree::new();
            tree.put("SKILL.md", made.text.clone());
            let subject = Subject { directory: &made.name, prefix: &made.name, tree: &tree, target: Some(target) };
            // That it links no sources is only remarked: none were given, and none are made up.
            for finding in rules::check(&subject).into_iter().filter(|one| one.severity != Severity::Info) {
                wrong.push(format!("{} for {}: {}: {}", made.name, target.id, finding.rule, finding.message));
            }
        }
    }
    none_wrong(&wrong);
}

#[test]
fn no_skill_says_a_thing_twice_or_says_nothing() {
    const FILLER: &[&str] = &[
        "it is important", "in order to", "as mentioned", "please note", "make sure to", "best practices", "basically",
        "é importante", "vale ressaltar", "boas práticas", "es importante", "cabe destacar", "buenas prácticas",
        "when to use", "how to use",
    ];
    let mut wrong = Vec::new();
    for Reviewed { made, .. } in all() {
        let whole = format!("{} {}", made.description, body(&made.text));
        let mut seen = BTreeSet::new();
        // A bar parts the cells of a table; elsewhere it is part of a command.
        let ends = |line: &str| if line.starts_with('|') { &['|', ';'][..] } else { &[';'][..] };
        let pieces = whole.lines().flat_map(|line| line.split(ends(line))).flat_map(|part| part.split(". "));
        for piece in pieces.map(|piece| piece.trim_matches([' ', '.', '-']).to_lowercase()).filter(|p| p.len() > 24) {
            if !seen.insert(piece.clone()) {
                wrong.push(format!("{} says twice: {piece}", made.name));
            }
        }
        let lower = body(&made.text).to_lowercase();
        wrong.extend(FILLER.iter().filter(|one| lower.contains(**one)).map(|one| format!("{}: {one}", made.name)));
        if made.text.lines().count() > 150 {
            wrong.push(format!("{} has {} lines", made.name, made.text.lines().count()));
        }
        let questions: BTreeSet<&str> = made.text.lines().filter(|line| line.contains("[FILL IN: ")).collect();
        if questions.len() != gaps(&made.text) || questions.len() > 3 {
            wrong.push(format!("{} has {} gaps", made.name, gaps(&made.text)));
        }
    }
    none_wrong(&wrong);
}

/// A word as it is compared here: lowercase, without the ending that a verb may have changed.
fn root(word: &str) -> String {
    let word: String = word.to_lowercase().chars().filter(|c| c.is_alphanumeric()).collect();
    let kept = match word.chars().count() {
        // "avise" is written as "avisa".
        5 => 4,
        long @ 6.. => long - 2,
        short => short,
    };
    word.chars().take(kept).collect()
}

#[test]
fn every_fact_of_the_sentence_stands_in_the_skill_and_most_of_them_in_the_body() {
    let mut wrong = Vec::new();
    for Reviewed { made, .. } in all() {
        let squeezed = |text: &str| -> String {
            text.to_lowercase().chars().filter(|c| c.is_alphanumeric() || *c == ' ' || *c == '\n').collect()
        };
        let (whole, inside) = (squeezed(&made.text), squeezed(body(&made.text)));
        let short = ["the", "and", "for", "from", "with", "dos", "das", "del", "los", "las", "para", "con", "com"];
        for word in made.sentence.text.split_whitespace().skip(1).filter(|word| word.len() > 2 && !short.contains(word))
        {
            if !whole.contains(&root(word)) {
                wrong.push(format!("{} lost \"{word}\"", made.name));
            }
            let number = word.chars().any(|c| c.is_ascii_digit());
            let proper = word.chars().skip(1).any(char::is_uppercase);
            if (number || proper) && !inside.contains(&root(word)) {
                wrong.push(format!("{} has \"{word}\" in its description only", made.name));
            }
        }
    }
    none_wrong(&wrong);
}

#[test]
fn what_is_no_step_by_itself_stands_with_the_task() {
    for (sentence, wanted) in [
        (
            // The pack's steps say what becomes of tests and migrations, not of the team.
            "Preparar el despliegue de la aplicación: pruebas, migraciones, aviso al equipo",
            "Trate cada uno de estos puntos: pruebas, migraciones, aviso al equipo.\n",
        ),
        ("Train a churn model and avoid target leakage", "## Limits and traps\n\n- Avoid target leakage.\n"),
        ("Reduce shed heating below 800 watts", "\n- Below 800 watts.\n"),
        ("Sort the shed: rakes, ladders", "1. Sort the shed:\n   - Rakes\n   - Ladders\n"),
        ("Revisar el código antes de fusionarlo", "# Revisar el código antes de fusionarlo\n"),
        ("Find out why the nightly drum failed", "Input: $ARGUMENTS (what the request names)\n"),
        ("Clean the shed: archive postcards, delete dust", "1. Archive postcards.\n2. Delete dust.\n"),
    ] {
        let text = made(sentence, Arguments::Dollar).text;
        assert!(text.contains(wanted), "{sentence}\n{text}");
    }
}

#[test]
fn every_description_says_what_and_when() {
    let mut wrong = Vec::new();
    for Reviewed { made, .. } in all() {
        let trigger = match made.sentence.language.code() {
            "pt" => "Use quando ",
            "es" => "Usar cuando ",
            _ => "Use when ",
        };
        let at = made.description.find(trigger);
        if made.description.chars().count() > 1024 || at.is_none_or(|at| at < 20) {
            wrong.push(format!("{}: {}", made.name, made.description));
        }
        if made.description.to_lowercase().contains(&made.name) {
            wrong.push(format!("{} repeats its name in the description", made.name));
        }
    }
    none_wrong(&wrong);
}

#[test]
fn the_right_skill_comes_first_for_nearly_every_prompt() {
    let all = all();
    let skills: Vec<(&str, &str)> =
        all.iter().map(|one| (one.made.name.as_str(), one.made.description.as_str())).collect();
    let ranking = Index::of(&skills);
    let (mut asked, mut claimed, mut missed) = (0, 0, Vec::new());
    for (index, Reviewed { made, prompts, .. }) in all.iter().enumerate() {
        for prompt in prompts {
            asked += 1;
            let ranked = ranking.rank(prompt);
            claimed += usize::from(ranked.first().is_some_and(|first| first.claims));
            if ranked.first().map(|first| first.index) != Some(index) {
                let place = ranked.iter().position(|one| one.index == index).map_or(0, |at| at + 1);
                let first = ranked.first().map(|one| format!("{} by {:?}", skills[one.index].0, one.words));
                missed.push(format!("\"{prompt}\" should choose {} (place {place}), chose {first:?}", made.name));
            }
        }
    }
    let right = asked - missed.len();
    assert!(right * 100 >= asked * 94, "{right} of {asked}:\n{}", missed.join("\n"));
    assert!(claimed * 100 >= asked * 90, "{claimed} of {asked} are claimed at all");
}
