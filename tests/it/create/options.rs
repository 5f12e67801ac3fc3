//! What the flags of `create` promise, and what P0 does without being asked.

use std::fs;

use serde_json::json;

use crate::support::world::{CLAUDE, EMAIL, GEMINI, NAME, Person, World};

const GATE: &str = "Write this?";

#[test]
fn no_detected_cli_is_executed() {
    let world = World::two();
    let mark = world.outside().join("executed");
    world.script("claude", &format!("touch '{}'", mark.display()));
    world.create_by(&[EMAIL], ["approve"]).is(0);
    world.create(&[EMAIL, "--dry-run"]).is(0);
    assert!(!mark.exists());
}

#[test]
fn answers_from_a_file_answer_in_order_and_their_end_is_nobody() {
    let world = World::two();
    world.write("answers", "maybe\n\napprove\n");
    world.create(&[EMAIL, "--answers", "answers"]).is(0).says("approve  write exactly");
    assert!(world.exists(CLAUDE));

    let world = World::two();
    world.write("answers", "maybe\n\n");
    let before = world.picture();
    world.create(&[EMAIL, "--answers", "answers"]).fails("E-CREATE-011", 3);
    world.create(&[EMAIL, "--answers", "/dev/null"]).fails("E-CREATE-011", 3);
    world.create(&[EMAIL, "--answers", "missing"]).fails("E-IO-001", 1);
    world.unchanged_since(&before);
    // Edit runs the editor also where answers are scripted.
    let world = World::two();
    let editor = world.script("editor", "echo by hand >> \"$1\"");
    world.set("EDITOR", &editor).write("answers", "edit\napprove\n");
    world.create(&[EMAIL, "--answers", "answers"]).is(0);
    assert!(world.skill(CLAUDE).ends_with("by hand\n"));
    // Yes wins over answers at the gate and not at a collision.
    let world = World::two();
    world.write("answers", "reject\n");
    world.create(&[EMAIL, "--answers", "answers", "--yes"]).is(0);
    world.write("answers", "overwrite\napprove\n");
    world.create(&[EMAIL, "--answers", "answers", "--yes"]).fails("E-CREATE-003", 3);
}

#[test]
fn init_and_yes_initialise_on_the_way_and_a_dry_run_does_not() {
    let world = World::bare(&["claude"]);
    let before = world.picture();
    world.create_by(&[EMAIL, "--dry-run"], Person::saying(&[])).is(0);
    world.create_by(&[EMAIL, "--dry-run", "--init", "--yes"], Person::saying(&[])).is(0);
    world.unchanged_since(&before);
    assert!(!world.exists(".hefesto"), "not even its own directory");
    let said = world.create_by(&[EMAIL, "--init"], ["approve"]);
    said.is(0).says("is not initialised; it will be");
    assert_eq!(said.times(GATE), said.asked.len());
    assert!(world.exists("MEMORY.md") && world.exists(CLAUDE));
    let world = World::bare(&["claude"]);
    world.create(&[EMAIL, "--yes"]).is(0).says("is not initialised; it will be");
}

#[test]
fn hefestos_directory_is_made_on_demand_and_where_it_cannot_be_the_plan_says_so() {
    // After a clone hefestos directory is made on demand.
    let world = World::two();
    fs::remove_dir_all(world.path(".hefesto")).unwrap();
    world.create_by(&[EMAIL], ["approve"]).is(0);
    assert!(world.exists(".hefesto/memory.db") && world.exists(".hefesto/.gitignore"));
    assert_eq!(world.markers(), (0..7).map(Some).collect::<Vec<_>>());
    // Where hefestos directory cannot be made the plan says so.
    let world = World::two();
    fs::remove_dir_all(world.path(".hefesto")).unwrap();
    world.write(".hefesto", "a file");
    let before = world.picture();
    world.create_by(&[EMAIL], Person::saying(&[])).fails("E-CREATE-006", 1).says(".hefesto");
    assert_eq!(world.picture(), before);
}

#[test]
fn targets_are_exactly_the_named_ones() {
    for list in ["claude,gemini", "gemini,claude", "all"] {
        let world = World::with(&["claude", "gemini", "cursor"]);
        let said = world.create(&[EMAIL, "--cli", list, "--yes", "--json"]).ok();
        assert_eq!(said.json()["data"]["targets"].as_array().unwrap().len(), if list == "all" { 3 } else { 2 });
        assert_eq!(world.exists(&format!(".cursor/skills/{NAME}")), list == "all");
    }
    let world = World::two();
    world.create(&[EMAIL, "--target", "gemini", "--yes"]).is(0);
    assert!(!world.exists(CLAUDE) && world.exists(GEMINI));
}

#[test]
fn body_licence_and_template_are_taken_and_an_unknown_variable_stops_before_the_gate() {
    let world = World::two();
    world.write(".hefesto/templates/odd/SKILL.md", "---\nname: {{SKILL_NAME}}\n---\n{{UNKNOWN}} {{{{EXAMPLE}}}}\n");
    let said = world.create_by(&[EMAIL, "--template", "odd"], Person::saying(&[]));
    said.fails("E-CREATE-008", 1).says("UNKNOWN").says("SKILL_DESCRIPTION").never_says(GATE).changes_nothing();
    world.write("notes.md", "Read RFC 5321 first.\n");
    let head = "---\nname: {{SKILL_NAME}}\ndescription: {{SKILL_DESCRIPTION}}\n---";
    world.write(".hefesto/templates/short/SKILL.md", format!("{head}\n\n# Short\n\n{{{{SKILL_BODY}}}}\n"));
    let args = [EMAIL, "--body", "notes.md", "--license", "Apache-2.0", "--template", "short", "--yes", "--json"];
    assert_eq!(world.create(&args).data()["template"], "short");
    let text = world.skill(CLAUDE);
    assert!(text.contains("# Short\n\nRead RFC 5321 first."), "{text}");
    assert!(world.read(&format!("{CLAUDE}/metadata.yaml")).contains("license: \"Apache-2.0\""));
}

#[test]
fn the_same_description_again_is_told_and_never_asked_about() {
    let world = World::holding_the_skill();
    let args = [EMAIL, "--on-collision", "overwrite"];
    let said = world.at("2026-02-05T10:01:00Z").create_by(&args, ["approve"]);
    said.is(0).says("[INFO-005]").says(NAME);
    assert_eq!(said.asked.len(), 1);
    let json = world.create(&[EMAIL, "--dry-run", "--json"]).json();
    assert!(json["warnings"].as_array().unwrap().iter().any(|note| note["code"] == "INFO-005"), "{json}");
}

#[test]
fn the_answer_has_every_promised_field() {
    let world = World::two();
    let json = world.create(&[EMAIL, "--yes", "--json"]).json();
    assert_eq!((&json["schema"], &json["command"], &json["ok"]), (&json!("hefesto/1"), &json!("create"), &json!(true)));
    assert_eq!(json["error"], json!(null));
    let fields = "run_id name description category tags template targets files_created backup approved_by grade digest \
                  phases working_memory";
    for field in fields.split_whitespace() {
        assert!(json["data"].get(field).is_some(), "{field}");
    }
    for field in ["verdict", "critical", "warnings", "gaps"] {
        assert!(json["data"]["grade"].get(field).is_some(), "{field}");
    }
    assert_eq!(json["data"]["targets"][0], json!({ "id": "claude", "path": CLAUDE, "action": "create" }));
    let dry = World::two().create(&[EMAIL, "--dry-run", "--json"]).json();
    assert!(fields.split_whitespace().all(|field| dry["data"].get(field).is_some()), "{dry}");
    assert_eq!(dry["data"]["digest"], json["data"]["digest"], "the digest does not depend on the project's place");
}

#[test]
fn expanding_an_overwrite_keeps_what_was_decided_as_long_as_what_was_seen_is_there() {
    // Expanding an overwrite keeps what was decided.
    let world = World::holding_the_skill();
    world.at("2026-02-05T10:01:00Z");
    let expand = ["overwrite", "expand", "scripts", "run.sh", "echo", "END", "no", "done"];
    world.create_by(&[EMAIL], Person::saying(&expand).then(&["reject"])).fails("E-CREATE-011", 3).changes_nothing();
    let said = world.create_by(&[EMAIL], Person::saying(&expand).then(&["approve"]));
    said.is(0).says(&format!("overwrite {CLAUDE}/"));
    assert_eq!(said.times("What should happen?"), 1);
    assert!(world.exists(&format!("{GEMINI}/scripts/run.sh")));
    assert_eq!(world.archives().len(), 1);
    // A decision holds for what was seen and no longer.
    let expand = ["expand", "scripts", "run.sh", "echo", "END", "no"];
    let world = World::holding_the_skill();
    let action = world.meanwhile(|root| crate::support::world::write(&root.join(CLAUDE).join("mine.txt"), "new"));
    let person = Person::saying(&["overwrite"]).then(&expand).does(action, "done").then(&["cancel"]);
    let said = world.create_by(&[EMAIL], person);
    said.fails("E-CREATE-013", 3);
    assert_eq!(said.times("What should happen?"), 2, "something else lies there now");

    let world = World::holding_the_skill();
    fs::remove_dir_all(world.path(GEMINI)).unwrap();
    let kept = world.files();
    world.create_by(&[EMAIL], Person::saying(&["skip"]).then(&expand).then(&["done", "approve"])).is(0);
    assert!(!world.exists(&format!("{CLAUDE}/scripts")) && world.exists(&format!("{GEMINI}/scripts/run.sh")));
    assert!(kept.iter().all(|(path, text)| world.files().get(path) == Some(text)));
}

#[test]
fn a_merge_asks_again_only_about_what_is_new() {
    let world = World::holding_the_skill();
    for at in [CLAUDE, GEMINI] {
        let text = world.skill(at);
        world.write_skill(at, text.replacen("\n1. ", "\n1. Mine: ", 1));
    }
    let editor = world.script("editor", "sed -i 's/^## Limits and traps$/&\\n\\nBy hand./' \"$1\"");
    world.set("EDITOR", &editor).at("2026-02-05T10:01:00Z");
    let person = Person::saying(&["merge", "existing", "new", "edit", "new", "existing", "approve"]);
    let said = world.create_by(&[EMAIL], person).ok();
    assert_eq!(said.times("What should happen?"), 1);
    assert_eq!(said.times("Keep which?"), 4, "two about the steps, then two about the limits");
    let (claude, gemini) = (world.skill(CLAUDE), world.skill(GEMINI));
    assert!(claude.contains("\n1. Mine: ") && claude.contains("By hand."), "{claude}");
    assert!(!gemini.contains("Mine: ") && !gemini.contains("By hand."), "{gemini}");
    world.run(&["undo", "--yes"]).is(0);
}

#[test]
fn what_is_generated_around_a_body_keeps_the_rules_of_style_and_portability() {
    for sentence in ["Review pull requests", "Revisar pull requests do time", "Revisar las facturas del equipo"] {
        for target in ["claude,gemini,codex", "agents"] {
            let world = World::two();
            world.write("notes.md", "Read the whole text before anything is said about it.\n");
            let create = [sentence, "--name", NAME, "--body", "notes.md", "--target", target, "--yes"];
            world.create(&create).is(0);
            let found = world.data(&["validate", "--profile", "portable"]).to_string();
            for rule in ["PORT-ARGUMENTS", "QUALITY-06"] {
                assert!(!found.contains(rule), "{sentence}: {rule}: {found}");
            }
        }
    }
}

#[test]
fn a_copy_says_in_words_what_the_request_is_and_a_template_needs_its_first_line() {
    // A copy without a placeholder says in words what the request is.
    let made = |target: &str, directory: &str| {
        let world = World::two();
        world.create(&[EMAIL, "--target", target, "--yes"]).is(0);
        world.read(&format!("{directory}/skills/{NAME}/SKILL.md"))
    };
    let (claude, text) = (made("claude", ".claude"), made("agents", ".agents"));
    let request = claude.lines().find_map(|line| line.strip_prefix("Input: $ARGUMENTS (")?.strip_suffix(')')).unwrap();
    assert!(text.contains(&format!("\nInput: {request}\n")), "{text}");
    assert!(!text.contains("$ARGUMENTS") && !text.contains("{{args}}") && !text.contains("above,"), "{text}");
    // A template without the first line of its frontmatter does not do.
    let world = World::two();
    let text = "name: {{ SKILL_NAME }}\ndescription: {{ DESCRIPTION }}\n---\n\n# {{ SKILL_TITLE }}\n";
    world.write(".hefesto/templates/house.md", text);
    let said = world.run(&["templates", "check", "house"]).exits(1);
    said.shows("house.md:1: the frontmatter that line 3 closes has no `---`");
    world.write(".hefesto/templates/house.md", format!("---\n{text}"));
    let said = world.run(&["templates", "check", "house"]);
    assert!(!said.out.contains("has no `---`"), "{}", said.out);
}
