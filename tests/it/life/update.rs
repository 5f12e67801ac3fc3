//! `outdated` and `update`: what a newer template or pack says comes into the author's text, and nothing of it is lost.

use std::fs;

use serde_json::json;

use super::{insert, states, versions, yes};
use crate::support::world::{CLAUDE, EMAIL, GEMINI, NAME, World, write};

/// A template of the project's own.
const TEMPLATE: &str = ".hefesto/templates/house.md";

/// Two CLIs, and a skill made from a template of the project's own.
fn made() -> World {
    let world = World::two();
    world.run(&["templates", "new", "house", "--yes"]).is(0);
    world.create(&[EMAIL, "--template", "house", "--yes"]).is(0);
    world
}

/// The template says one more thing at its end.
fn house_rule(world: &World, line: &str) {
    let template = world.read(TEMPLATE);
    world.write(TEMPLATE, format!("{}\n\n## House rules\n\n- {line}\n", template.trim_end()));
    world.at("2026-03-05T10:00:00Z");
}

#[test]
fn nothing_is_outdated_until_its_template_changes() {
    let world = made();
    let before = world.picture();
    assert_eq!(world.data(&["outdated"]), json!({ "skills": [], "left": [], "checked": 1 }));
    house_rule(&world, "Say which RFC.");
    let data = world.data(&["outdated"]);
    assert_eq!(data["skills"][0]["name"], NAME);
    assert_eq!(data["skills"][0]["newer"], json!([{ "kind": "template", "id": "house" }]));
    let unnamed = world.run(&["update"]);
    unnamed.fails("E-USAGE-001", 2);
    assert!(unnamed.err.contains(&format!("`hefesto update {NAME}`")), "{}", unnamed.err);
    assert_eq!(states(&world, NAME), ["claude outdated", "gemini outdated"]);
    let copy = world.data(&["status", NAME])["skills"][0]["copies"][0].clone();
    assert_eq!(copy["reason"], "source");
    assert!(copy["action"].as_str().unwrap().contains(&format!("hefesto update {NAME}")), "{copy}");
    world.run(&["status", "--check"]).is(1);
    let mut after = world.picture();
    after.retain(|path, _| before.contains_key(path));
    assert_eq!(before, after, "looking changes nothing");
}

#[test]
fn what_the_author_did_not_touch_changes_and_what_they_wrote_stays() {
    let world = made();
    insert(&world, CLAUDE, "## Steps", "Read RFC 5321 first.");
    yes(&world, &["sync", NAME]).is(0);
    world.write(&format!("{CLAUDE}/references/mine.md"), "Mine.\n");
    let description = world.skill(CLAUDE).lines().find(|line| line.starts_with("description:")).unwrap().to_owned();
    world.write_skill(
        CLAUDE,
        world.skill(CLAUDE).replace(&description, "description: \"Checks addresses. Use when one is refused.\""),
    );
    house_rule(&world, "Say which RFC.");
    yes(&world, &["update", NAME]).is(0);
    for copy in [CLAUDE, GEMINI] {
        let text = world.skill(copy);
        assert!(text.contains("- Say which RFC.") && text.contains("Read RFC 5321 first."), "{text}");
        assert!(text.contains("Checks addresses."), "{text}");
        assert!(!text.contains("<<<<") && !text.contains(">>>>"), "{text}");
        assert_eq!(versions(&world, copy), ["1.0.2", "1.0.2"]);
        assert_eq!(world.read(&format!("{copy}/references/mine.md")), "Mine.\n");
    }
    assert_eq!(states(&world, NAME), ["claude same", "gemini same"]);
    assert_eq!(world.data(&["outdated"])["skills"], json!([]));
    let log = world.data(&["log", NAME])["versions"][0].clone();
    assert_eq!((&log["command"], &log["version"]), (&json!("update"), &json!("1.0.2")));
    assert!(log["why"].as_str().unwrap().contains("template house"), "{log}");
    yes(&world, &["undo"]).is(0);
    assert!(!world.skill(CLAUDE).contains("Say which RFC.") && world.skill(CLAUDE).contains("Checks addresses."));
    assert_eq!(world.data(&["outdated"])["skills"][0]["name"], NAME, "undone, it is outdated again");
    yes(&world, &["update", "--all", "--bump", "minor"]).is(0);
    assert_eq!(versions(&world, GEMINI), ["1.1.0", "1.1.0"]);
}

/// The author and the template changed the same line, each in their own way.
fn clashing() -> World {
    let world = made();
    house_rule(&world, "Say which RFC.");
    yes(&world, &["update", NAME]).is(0);
    for copy in [CLAUDE, GEMINI] {
        world.write_skill(copy, world.skill(copy).replace("Say which RFC.", "Name the RFC."));
    }
    world.write(TEMPLATE, world.read(TEMPLATE).replace("Say which RFC.", "Cite the RFC and its section."));
    world
}

/// Both texts of the place that is left to the author.
fn both() -> serde_json::Value {
    json!([{ "place": "House rules", "yours": "- Name the RFC.\n", "newer": "- Cite the RFC and its section.\n" }])
}

#[test]
fn where_both_changed_a_place_the_author_wins_and_sees_what_the_newer_text_says() {
    let world = clashing();
    let before = world.files();
    let taking = format!("hefesto update {NAME} --on-conflict newer");
    let asked = world.run_by(&["update", NAME], ["reject"]);
    asked.fails("E-CREATE-011", 3);
    for part in ["left to you", "- Name the RFC.", "- Cite the RFC and its section.", &taking] {
        assert!(asked.err.contains(part), "{part}: {}", asked.err);
    }
    assert_eq!(world.data(&["update", NAME, "--dry-run"])["skills"][0]["kept"], both());
    assert_eq!(world.files(), before);
    let said = yes(&world, &["update", NAME]).ok();
    said.shows("left to you").shows(&taking);
    assert!(!said.out.contains("says already") && !said.out.contains("up to date"), "{}", said.out);
    assert!(world.skill(CLAUDE).contains("- Name the RFC.") && !world.skill(CLAUDE).contains("Cite the RFC"));
    let outdated = world.data(&["outdated"]);
    assert_eq!(outdated["skills"], json!([]), "it is no news again");
    assert_eq!(outdated["left"], json!([{ "name": NAME, "places": both() }]));
    yes(&world, &["update", NAME]).ok().shows("nothing to do").shows("still keeps your text");
    world.run(&["status", "--check"]).is(0);
}

#[test]
fn the_newer_text_is_taken_with_the_update_or_later_and_other_edits_stay() {
    let world = clashing();
    yes(&world, &["update", NAME]).is(0);
    insert(&world, CLAUDE, "## Steps", "Read RFC 5321 first.");
    yes(&world, &["sync", NAME]).is(0);
    world.write(TEMPLATE, format!("{}\n\n## Files\n\n- Keep a copy.\n", world.read(TEMPLATE).trim_end()));
    yes(&world, &["update", NAME]).is(0);
    assert_eq!(world.data(&["outdated"])["left"][0]["places"], both(), "another update does not forget it");
    let said = yes(&world, &["update", NAME, "--on-conflict", "newer", "--json"]).ok();
    assert_eq!(said.json()["data"]["skills"][0]["kept"], json!([]));
    for copy in [CLAUDE, GEMINI] {
        let text = world.skill(copy);
        for part in ["- Cite the RFC and its section.", "Read RFC 5321 first.", "- Keep a copy."] {
            assert_eq!(text.matches(part).count(), 1, "{part}: {text}");
        }
        assert!(!text.contains("Name the RFC."), "{text}");
    }
    assert_eq!(world.data(&["outdated"])["left"], json!([]));
    yes(&world, &["undo"]).is(0);
    assert_eq!(world.data(&["outdated"])["left"][0]["places"], both(), "undone, it is left again");
    for copy in [CLAUDE, GEMINI] {
        world.write_skill(copy, world.skill(copy).replace("Name the RFC.", "Cite the RFC and its section."));
    }
    assert_eq!(world.data(&["outdated"])["left"], json!([]), "the author took it by hand");

    let world = clashing();
    yes(&world, &["update", NAME, "--on-conflict", "newer"]).is(0);
    assert!(world.skill(GEMINI).contains("- Cite the RFC and its section.\n"), "{}", world.skill(GEMINI));
    assert_eq!(world.data(&["outdated"])["left"], json!([]));
}

#[test]
fn lines_that_only_one_side_still_has_are_left_and_taken_too() {
    let world = made();
    house_rule(&world, "Say which RFC.\n- Keep a copy.");
    yes(&world, &["update", NAME]).is(0);
    let template = world.read(TEMPLATE);
    for copy in [CLAUDE, GEMINI] {
        world.write_skill(copy, world.skill(copy).replace("- Say which RFC.\n", ""));
    }
    world.write(TEMPLATE, template.replace("Say which RFC.", "Cite the RFC."));
    yes(&world, &["update", NAME]).is(0);
    assert_eq!(world.data(&["outdated"])["left"][0]["places"][0]["yours"], json!(null));
    yes(&world, &["update", NAME, "--on-conflict", "newer"]).is(0);
    assert!(world.skill(CLAUDE).contains("- Cite the RFC.\n- Keep a copy.\n"), "{}", world.skill(CLAUDE));
    for copy in [CLAUDE, GEMINI] {
        world.write_skill(copy, world.skill(copy).replace("Keep a copy.", "Keep two copies."));
    }
    world.write(TEMPLATE, template.replace("Say which RFC.", "Cite the RFC.").replace("- Keep a copy.\n", ""));
    yes(&world, &["update", NAME]).is(0);
    assert_eq!(world.data(&["outdated"])["left"][0]["places"][0]["newer"], json!(null));
    yes(&world, &["update", NAME, "--on-conflict", "newer"]).is(0);
    assert!(!world.skill(CLAUDE).contains("Keep two"), "{}", world.skill(CLAUDE));
}

#[test]
fn a_pack_of_the_projects_own_that_changes_makes_its_skills_outdated() {
    let world = World::two();
    let pack = "id = \"letters\"\ntitle = \"Letters\"\nreviewed = \"2026-01-01\"\ntopic = [[\"letters\"]]\ninput = \"the letter\"\n\n\
                [[line]]\nkind = \"step\"\ntext = \"Open the letter with `less letter.txt`.\"\nsource = \"house\"\nverbs = [\"write\"]\nslot = \"open\"\n";
    world.write(".hefesto/templates/domains/letters.toml", pack);
    world.create(&["Write letters to customers", "--name", "write-letters", "--pack", "letters", "--yes"]).is(0);
    let name = "write-letters";
    let file = format!(".claude/skills/{name}/SKILL.md");
    assert!(world.read(&file).contains("less letter.txt"), "{}", world.read(&file));
    world.write(".hefesto/templates/domains/letters.toml", pack.replace("2026-01-01", "2026-02-01"));
    assert_eq!(world.data(&["outdated"])["skills"], json!([]), "the day of a review changes no text");
    world.write(".hefesto/templates/domains/letters.toml", pack.replace("less letter.txt", "cat letter.txt"));
    assert_eq!(world.data(&["outdated"])["skills"][0]["newer"], json!([{ "kind": "pack", "id": "letters" }]));
    world.run(&["status", name]).shows("and pack letters is newer");
    yes(&world, &["update", name]).is(0);
    assert!(world.read(&file).contains("cat letter.txt"), "{}", world.read(&file));
    yes(&world, &["rename", name, "answer-letters"]).is(0);
    world.write(".hefesto/templates/domains/letters.toml", pack.replace("less letter.txt", "nl letter.txt"));
    yes(&world, &["update", "answer-letters"]).is(0);
    assert!(world.skill(".claude/skills/answer-letters").contains("nl letter.txt"));
}

#[test]
fn an_older_text_that_is_restored_follows_its_own_template_again() {
    let world = made();
    house_rule(&world, "Say which RFC.");
    for restored in [&format!("{NAME}@1.0.0"), NAME] {
        yes(&world, &["update", NAME]).is(0);
        assert_eq!(world.data(&["outdated"])["skills"], json!([]));
        yes(&world, &["restore", restored]).is(0);
        assert!(!world.skill(CLAUDE).contains("Say which RFC."), "{restored}");
        assert_eq!(world.data(&["outdated"])["skills"][0]["name"], NAME, "{restored}");
    }
    yes(&world, &["update", NAME]).is(0);
    yes(&world, &["rename", NAME, "check-mail"]).is(0);
    yes(&world, &["restore", "check-mail@1.0.0"]).is(0);
    assert_eq!(world.data(&["outdated"])["skills"][0]["name"], "check-mail");
}

#[test]
fn a_pack_that_cannot_be_read_is_named_with_its_line() {
    let world = World::two();
    let head = "id = \"letters\"\ntitle = \"Letters\"\nreviewed = \"2026-01-01\"\ntopic = [[\"letters\"]]\ninput = \"the letter\"\n";
    let create = ["Write letters to customers", "--yes"];
    let path = ".hefesto/templates/domains/letters.toml";
    for (pack, line) in
        [("id = \"letters\"\ntitle =\n".to_owned(), 2), (format!("{head}\n[[line]]\nkind = \"stop\"\n"), 8)]
    {
        world.write(path, pack);
        let said = world.create(&create);
        said.fails("E-CREATE-008", 1);
        said.says(&format!("{path}, line {line}: "));
        said.says("Correct the file").says("`--no-pack letters`");
    }
    world.create(&[&create[..], &["--no-pack", "letters"]].concat()).is(0);
}

#[test]
fn the_users_own_skills_are_made_again_from_a_template_of_theirs() {
    let world = World::two();
    world.run(&["templates", "new", "house", "--yes"]).is(0);
    let (template, own) = (world.read(TEMPLATE), world.home(".config/hefesto/templates/house.md"));
    write(&own, &template);
    fs::remove_file(world.path(TEMPLATE)).unwrap();
    world.global(&["create", EMAIL, "--template", "house", "--init", "--yes"]).is(0);
    let copies = [CLAUDE, GEMINI].map(|copy| world.home(&format!("{copy}/SKILL.md")));
    let edited = fs::read_to_string(&copies[0]).unwrap().replacen("\n## ", "\nMy own line.\n\n## ", 1);
    fs::write(&copies[0], edited).unwrap();
    assert_eq!(world.global(&["outdated", "--json"]).json()["data"]["skills"], json!([]));
    write(&own, format!("{}\n\n## House rules\n\n- Say which RFC.\n", template.trim_end()));
    world.at("2026-03-05T10:00:00Z");
    assert_eq!(world.global(&["outdated", "--json"]).json()["data"]["skills"][0]["name"], NAME);
    world.global(&["update", NAME, "--yes"]).ok().shows("to undo: hefesto --global undo");
    for copy in &copies {
        let text = fs::read_to_string(copy).unwrap();
        assert!(text.contains("My own line.") && text.contains("- Say which RFC."), "{text}");
    }
    world.global(&["status", "--check"]).is(0);
    assert_eq!(world.global(&["update", "--all", "--json"]).json()["data"]["skills"], json!([]));
    world.global(&["undo", "--yes"]).is(0);
    let texts = copies.map(|copy| fs::read_to_string(copy).unwrap());
    assert!(texts[0].contains("My own line.") && texts.iter().all(|text| !text.contains("Say which RFC.")));
    assert!(!world.exists(CLAUDE), "nothing of it is the project's");
}

#[test]
fn what_was_not_made_from_a_recipe_is_left_alone_and_said_so() {
    let world = World::two();
    world.write(".claude/skills/by-hand/SKILL.md", "---\nname: by-hand\ndescription: Made by hand.\n---\nText.\n");
    world.run(&["update", "by-hand"]).fails("E-UPDATE-001", 1).says("`hefesto edit by-hand`");
    world.run(&["outdated"]).is(0).shows("No skill here was made from a template");
    world.run(&["update", "nope"]).fails("E-SKILL-001", 1);
    let unnamed = world.run(&["update"]);
    unnamed.fails("E-USAGE-001", 2);
    assert!(unnamed.err.contains("nothing to update"), "{}", unnamed.err);
    yes(&world, &["update", "--all"]).ok().shows("nothing to do");
}

#[test]
fn what_it_was_made_from_is_kept_and_a_template_that_is_gone_is_no_newer_one() {
    let world = made();
    let recipes: Vec<String> = {
        let db = world.database();
        let mut rows = db.prepare("SELECT brief || made_from || text FROM recipes").unwrap();
        rows.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    };
    assert_eq!(recipes.len(), 1);
    assert!(recipes[0].contains(EMAIL) && recipes[0].contains("house"), "{recipes:?}");
    fs::remove_file(world.path(".hefesto/templates/house.md")).unwrap();
    assert_eq!(world.data(&["outdated"])["skills"], json!([]), "a template that is gone is no newer one");
}
