//! `adopt`: what others made is registered as it is, byte for byte, in place or copied; what endangers stays out.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::json;

use super::{insert, states, yes};
use crate::support::world::{CLAUDE, GEMINI, NAME, Person, World, picture, write};

/// A credential in its form, spelled in two halves.
const TOKEN: &str = concat!("ghp_", "A9fK3mQ7xT2vB8nL5cR1wZ6yD4sG0hJ2eU8p");

fn skill(name: &str, body: &str) -> String {
    format!("---\nname: {name}\ndescription: Sorts mail. Use when asked to sort mail.\n---\n\n{body}\n")
}

/// A skill with everything that a tool may be tempted to change.
fn odd(root: &std::path::Path, name: &str) {
    let at = root.join(name);
    write(
        &at.join("SKILL.md"),
        format!("\u{feff}{}", skill(name, "Read references/cafe\u{301}.md.  ").replace('\n', "\r\n")),
    );
    write(&at.join("references/cafe\u{301}.md"), "no line end, tab\t, blanks   ");
    write(&at.join("assets/deep/er/data.bin"), [0_u8, 159, 146, 150, 13, 10, 255]);
    write(&at.join("assets/empty"), "");
    write(&at.join("scripts/run.sh"), "#!/bin/sh\necho $ARGUMENTS {{args}}\n");
    fs::set_permissions(at.join("scripts/run.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    write(&at.join("LICENSE"), "MIT\n");
}

/// A collection beside the project with two skills, one in a group of its own.
fn collection(world: &World) -> String {
    let root = world.outside().join("collection");
    odd(&root, "sort-mail");
    odd(&root.join("group"), "file-letters");
    root.to_str().unwrap().to_owned()
}

#[test]
fn a_collection_goes_in_and_comes_out_as_it_is() {
    let world = World::two();
    let root = collection(&world);
    let before = world.picture();
    let said = world.run_by(&["adopt", &root], ["approve"]);
    said.is(0).says("Sorts mail. Use when asked").says("create .gemini/skills/sort-mail/");
    said.shows("2 skills are adopted (4 copies).");
    for (name, from) in [("sort-mail", "sort-mail"), ("file-letters", "group/file-letters")] {
        let made = picture(&world.outside().join("collection").join(from), &[]);
        for client in [".claude", ".gemini"] {
            assert_eq!(picture(&world.path(&format!("{client}/skills/{name}")), &[]), made, "{client} {name}");
        }
        assert_eq!(states(&world, name), ["claude same", "gemini same"]);
    }
    assert!(world.rows().iter().any(|row| row.contains("file-letters") && row.contains("claude, gemini")));
    world.nothing_left_over();
    let data = world.data(&["adopt", &root]);
    assert_eq!((&data["skills"], &data["run_id"]), (&json!([]), &json!(null)), "once more changes nothing");
    yes(&world, &["undo"]).is(0);
    let mut files = world.picture();
    assert!(files.remove("MEMORY.md").is_some());
    assert_eq!(files.keys().collect::<Vec<_>>(), before.keys().filter(|path| *path != "MEMORY.md").collect::<Vec<_>>());
    assert!(!world.rows().iter().any(|row| row.contains("file-letters")));
    yes(world.at("2026-02-05T11:00:00Z"), &["undo"]).is(0);
    assert_eq!(states(&world, "file-letters"), ["claude same", "gemini same"], "and again");
}

#[test]
fn foreign_copies_are_registered_where_they_stand() {
    let world = World::holding_the_skill();
    odd(&world.path(".claude/skills"), "sort-mail");
    odd(&world.path(".gemini/skills"), "file-letters");
    let before = world.files();
    assert_eq!(states(&world, "sort-mail"), ["claude foreign"]);
    world.run(&["status", "sort-mail"]).is(0);
    yes(&world, &["adopt", "sort-mail"]).is(0);
    assert_eq!(states(&world, "sort-mail"), ["claude same"]);
    assert_eq!(states(&world, "file-letters"), ["gemini foreign"]);
    let data = world.data(&["adopt", "--all", "--yes"]);
    assert_eq!((&data["skills"][0]["name"], data["skills"].as_array().unwrap().len()), (&json!("file-letters"), 1));
    assert_eq!(data["skills"][0]["copies"][0]["action"], json!("keep"));
    assert_eq!(world.files(), before, "not a byte is another");
    world.run(&["status", "--check"]).is(0);
    assert!(world.run(&["adopt", "--all"]).is(0).out.contains("nothing to do"));
    yes(world.at("2026-02-05T11:00:00Z"), &["undo"]).is(0);
    assert_eq!(states(&world, "file-letters"), ["gemini foreign"]);
    assert_eq!(states(&world, "sort-mail"), ["claude same"]);
    assert_eq!(world.files(), before);
    yes(world.at("2026-02-05T12:00:00Z"), &["undo"]).is(0);
    assert_eq!(states(&world, "file-letters"), ["gemini same"], "undone and undone again");
    let file = ".gemini/skills/file-letters/LICENSE";
    world.write(file, "Mine.\n");
    assert_ne!(states(&world, "file-letters"), ["gemini same"], "from now on an edit is one");
}

#[test]
fn what_endangers_stays_out_with_its_reason_and_the_others_come_in() {
    let world = World::two();
    let root = collection(&world);
    let outside = world.outside();
    write(&outside.join("collection/leaky/SKILL.md"), skill("leaky", &format!("Use the token {TOKEN}.")));
    write(&outside.join("collection/linked/SKILL.md"), skill("linked", "Read it."));
    std::os::unix::fs::symlink("/etc/passwd", outside.join("collection/linked/data")).unwrap();
    write(&outside.join("collection/other/sort-mail/SKILL.md"), skill("sort-mail", "Another of that name."));
    write(&outside.join("collection/Bad_Name/SKILL.md"), "---\nname: Bad_Name\n---\nOnly errors.\n");
    let data = world.data(&["adopt", &root, "--yes"]);
    let names = |key: &str| -> Vec<String> {
        data[key].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names("skills"), ["bad-name", "file-letters", "sort-mail"]);
    assert_eq!(names("refused"), ["linked", "leaky", "sort-mail"]);
    let of = |name: &str| data["refused"].as_array().unwrap().iter().find(|one| one["name"] == name).unwrap().clone();
    assert_eq!(of("leaky")["findings"][0]["rule"], json!("T0-HEFESTO-11.secret"));
    assert!(of("leaky")["findings"][0]["file"].as_str().unwrap().ends_with("collection/leaky/SKILL.md"));
    assert!(of("linked")["why"].as_str().unwrap().contains("symbolic link"));
    assert!(of("sort-mail")["why"].as_str().unwrap().contains("same name"));
    assert!(data["skills"][0]["errors"].as_array().unwrap().iter().any(|one| one["rule"] == "S8"));
    assert_eq!(world.skill(".claude/skills/bad-name"), "---\nname: Bad_Name\n---\nOnly errors.\n");
    assert!(!world.exists(".claude/skills/leaky") && !data.to_string().contains(TOKEN));
    let said = world.run(&["adopt", &format!("{root}/leaky"), "--yes"]);
    said.fails("E-ADOPT-001", 1).says("T0-HEFESTO-11.secret").never_says(TOKEN).changes_nothing();
    write(&world.path(".claude/skills/leaky/SKILL.md"), skill("leaky", &format!("Use the token {TOKEN}.")));
    yes(&world, &["adopt", "leaky"]).fails("E-ADOPT-001", 1);
    for entry in walkdir::WalkDir::new(world.path(".hefesto")).into_iter().map(Result::unwrap) {
        let held = fs::read(entry.path()).unwrap_or_default();
        assert!(!held.windows(TOKEN.len()).any(|part| part == TOKEN.as_bytes()), "{}", entry.path().display());
    }
}

#[test]
fn a_taken_place_is_asked_about_backed_up_and_brought_back() {
    let world = World::holding_the_skill();
    let at = world.outside().join("other").join(NAME);
    write(&at.join("SKILL.md"), skill(NAME, "Theirs."));
    let path = at.to_str().unwrap();
    let before = world.picture();
    yes(&world, &["adopt", path]).fails("E-CREATE-003", 3).says("--on-collision overwrite");
    world.run_by(&["adopt", path], ["cancel"]).is(3).never_says("--name");
    world.run(&["adopt", path, "--on-collision", "skip", "--yes"]).fails("E-ADOPT-001", 1);
    let said = world.run_by(&["adopt", path], ["overwrite", "reject"]);
    assert_eq!(
        said.is(3).err.matches("+description: Sorts mail.").count(),
        1,
        "the same change is shown once: {}",
        said.err
    );
    world.run(&["adopt", path, "--on-collision", "overwrite"]).fails("E-CREATE-011", 3);
    world.unchanged_since(&before);
    let files = world.files();
    world.at("2026-02-05T11:00:00Z");
    world.run_by(&["adopt", path], ["overwrite", "approve"]).is(0).says("replace .claude/skills/");
    assert_eq!(world.skill(CLAUDE), skill(NAME, "Theirs."));
    assert_eq!(states(&world, NAME), ["claude same", "gemini same"]);
    yes(world.at("2026-02-05T12:00:00Z"), &["undo"]).is(0);
    assert_eq!(world.files(), files);
    // Among others, nobody is asked and nothing is replaced.
    odd(&world.outside().join("other"), "sort-mail");
    let data = world.data(&["adopt", "../other", "--yes"]);
    assert_eq!((&data["skills"][0]["name"], &data["refused"][0]["name"]), (&json!("sort-mail"), &json!(NAME)));
}

#[test]
fn a_checkout_is_remembered_by_its_remote_without_a_login() {
    let world = World::two();
    let at = world.outside().join("clone");
    odd(&at, "sort-mail");
    write(&at.join(".git/HEAD"), "ref: refs/heads/main\n");
    write(&at.join(".git/packed-refs"), format!("# pack-refs\n{} refs/heads/main\n", "0123456789".repeat(4)));
    write(&at.join(".git/config"), "[remote \"origin\"]\n\turl = https://me:s3cret@example.com/skills.git\n");
    let data = world.data(&["adopt", "../clone", "--target", "claude", "--yes"]);
    let path = at.join("sort-mail").to_str().unwrap().to_owned();
    let (remote, commit) = ("https://example.com/skills.git", "0123456789".repeat(4));
    assert_eq!(data["skills"][0]["origin"], json!({ "path": path, "remote": remote, "commit": commit }));
    let came = format!("from {path} ({remote} at 012345678901)");
    assert_eq!(world.data(&["log", "sort-mail"])["versions"][0]["why"], json!(came));
    assert_eq!(world.data(&["show", "sort-mail"])["origin"], json!(format!("adopted {came}")));
    yes(&world, &["rename", "sort-mail", "sort-post"]).is(0);
    assert!(world.run(&["show", "sort-post"]).is(0).out.contains(&came));
    assert_eq!(world.data(&["show", "sort-post"])["origin"], json!(format!("adopted {came}")));
    let log = fs::read(world.path(".hefesto/memory.db")).unwrap();
    assert!(!String::from_utf8_lossy(&log).contains("s3cret"));
    // A checkout that is a skill itself is called as the skill; what is git's stays behind.
    write(&at.join("SKILL.md"), skill("keep-letters", "Keep them."));
    yes(&world, &["adopt", "../clone/SKILL.md", "--target", "claude"]).is(0);
    assert!(world.exists(".claude/skills/keep-letters/sort-mail/SKILL.md"));
    assert!(!world.exists(".claude/skills/keep-letters/.git"));
}

#[test]
fn adopted_copies_that_differ_are_each_as_they_were_and_a_sync_asks_which_holds() {
    let world = World::two();
    world.write(".claude/skills/sort-mail/SKILL.md", skill("sort-mail", "By hand."));
    world.write(".gemini/skills/sort-mail/SKILL.md", skill("sort-mail", "By machine."));
    yes(&world, &["adopt", "sort-mail", "--target", "claude"]).is(0);
    assert_eq!(states(&world, "sort-mail"), ["claude same", "gemini foreign"]);
    yes(world.at("2026-02-05T11:00:00Z"), &["adopt", "sort-mail"]).is(0);
    assert_eq!(states(&world, "sort-mail"), ["claude same", "gemini same"]);
    let before = world.picture();
    yes(&world, &["sync"]).is(0);
    yes(&world, &["sync", "sort-mail"]).fails("E-SYNC-001", 3);
    yes(&world, &["add", "sort-mail", "--target", "qwen"]).fails("E-ADD-001", 1);
    world.unchanged_since(&before);
    yes(world.at("2026-02-05T12:00:00Z"), &["sync", "sort-mail", "--from", "gemini"]).is(0);
    assert_eq!(world.skill(".claude/skills/sort-mail"), skill("sort-mail", "By machine."));
    assert_eq!(states(&world, "sort-mail"), ["claude same", "gemini same"]);
}

#[test]
fn a_name_that_is_none_is_told_and_a_long_description_cut_between_words() {
    // A name that is none is told and a rename brings the skill into the list.
    let world = World::two();
    world.write(".claude/skills/Sort_Mail/SKILL.md", skill("Sort_Mail", "By hand."));
    yes(&world, &["adopt", "--all"]).is(0).says("`hefesto rename Sort_Mail sort-mail` gives it one");
    let listed = |name: &str| world.rows().iter().any(|row| row.contains(name));
    yes(world.at("2026-02-05T11:00:00Z"), &["rename", "Sort_Mail", "sort-mail"]).is(0);
    assert!(listed("| sort-mail |"), "{:?}", world.rows());
    yes(world.at("2026-02-05T12:00:00Z"), &["undo"]).is(0);
    assert!(!listed("sort-mail") && !listed("Sort_Mail"), "{:?}", world.rows());
    assert_eq!(states(&world, "Sort_Mail"), ["claude same"]);
    // A long description is cut between words.
    world.write(
        ".claude/skills/sort-mail/SKILL.md",
        skill("sort-mail", "By hand.")
            .replace("description: ", &format!("description: {}", "several words ".repeat(12))),
    );
    let said = world.run(&["adopt", "--all", "--dry-run"]);
    assert!(said.out.contains(" several ...\n") || said.out.contains(" words ...\n"), "{}", said.out);
}

#[test]
fn a_further_copy_of_an_installed_skill_makes_no_other_outdated() {
    let world = World::holding_the_skill();
    insert(&world, GEMINI, "## Steps", "Edited.");
    world.write(&format!(".qwen/skills/{NAME}/SKILL.md"), skill(NAME, "Another."));
    yes(world.at("2026-02-05T11:00:00Z"), &["adopt", NAME]).is(0);
    assert_eq!(states(&world, NAME), ["claude same", "gemini edited", "qwen same"]);
}

#[test]
fn nothing_is_written_without_a_yes_and_a_dry_run_tells_all() {
    let world = World::two();
    let root = collection(&world);
    let before = world.picture();
    world.run(&["adopt", &root]).fails("E-CREATE-011", 3);
    world.run_by(&["adopt", &root], ["reject"]).is(3);
    let data = world.data(&["adopt", &root, "--dry-run"]);
    assert_eq!((&data["dry_run"], &data["run_id"]), (&json!(true), &json!(null)));
    assert_eq!(data["skills"].as_array().unwrap().len(), 2);
    for (args, code) in [
        (&["adopt", "nope", "--yes"][..], "E-ADOPT-002"),
        (&["adopt", "./nope", "--yes"], "E-ADOPT-002"),
        (&["adopt", &root, "--target", "nope"], "E-CREATE-004"),
    ] {
        world.run(args).fails(code, 1);
    }
    world.run(&["adopt"]).is(2);
    world.unchanged_since(&before);
    let file = world.outside().join("collection/sort-mail/SKILL.md");
    let person = Person::default().does(
        move || {
            drop(fs::create_dir_all(world_skill(&file)).and_then(|()| fs::write(world_skill(&file).join("x"), "x")));
        },
        "approve",
    );
    world.run_by(&["adopt", &root], person).fails("E-TXN-002", 5);
}

/// The place in the project that a skill of the collection goes to.
fn world_skill(file: &std::path::Path) -> std::path::PathBuf {
    file.ancestors().nth(3).unwrap().join("project/.claude/skills/sort-mail")
}

#[test]
fn copies_go_where_create_would_put_them_and_never_twice_for_a_client() {
    let world = World::with(&["codex", "gemini"]);
    let root = collection(&world);
    world.write(".agents/skills/.keep", "");
    yes(&world, &["adopt", &root]).is(0).says("One copy in .agents/skills serves gemini, codex.");
    assert_eq!(states(&world, "sort-mail"), ["agents same"]);
    yes(&world, &["adopt", &root, "--target", "codex"])
        .fails("E-ADOPT-001", 1)
        .says("codex also reads the shared directory");
}

#[test]
fn a_tree_with_the_projects_own_directories_is_adopted_in_place_there() {
    let world = World::two();
    odd(&world.path(".claude/skills"), "sort-mail");
    odd(&world.path("skills"), "file-letters");
    yes(&world, &["adopt", ".", "--target", "claude"]).is(0);
    assert_eq!(states(&world, "sort-mail"), ["claude same"]);
    assert_eq!(states(&world, "file-letters"), ["claude same"]);
    let data = world.data(&["log", "sort-mail"]);
    assert_eq!(data["versions"][0]["why"], json!("as it stood there"));
    write(&world.path(".claude/skills/cloned/.git/HEAD"), "ref: x\n");
    world.write(".claude/skills/cloned/SKILL.md", skill("cloned", "Text."));
    yes(&world, &["adopt", "cloned"]).fails("E-ADOPT-001", 1).says("git checkout of its own");
}

#[test]
fn the_users_own_skills_are_adopted_too() {
    let world = World::two();
    world.global(&["init"]).is(0);
    odd(&world.home(".claude/skills"), "sort-mail");
    let before = picture(&world.home(".claude/skills"), &[]);
    world.global(&["adopt", "--all", "--yes"]).is(0);
    world.global(&["status", "--check"]).is(0);
    let root = collection(&world);
    world.global(&["adopt", &root, "--target", "gemini", "--yes"]).is(0);
    assert_eq!(
        picture(&world.home(".gemini/skills/sort-mail"), &[]),
        picture(&world.home(".claude/skills/sort-mail"), &[])
    );
    assert_eq!(picture(&world.home(".claude/skills"), &[]), before);
}

#[test]
fn more_than_one_archive_holds_is_brought_in_and_taken_back() {
    let world = World::two();
    for number in 0..7 {
        let at = world.outside().join(format!("many/skill-{number}"));
        write(&at.join("SKILL.md"), skill(&format!("skill-{number}"), "Read it."));
        (0..90).for_each(|file| write(&at.join(format!("references/{file}.md")), "text\n"));
    }
    let before = world.files();
    yes(&world, &["adopt", "../many"]).is(0);
    yes(world.at("2026-02-05T11:00:00Z"), &["undo"]).is(0);
    assert_eq!(world.archives().len(), 2);
    assert_eq!(world.files(), before);
    yes(world.at("2026-02-05T12:00:00Z"), &["undo"]).is(0);
    assert_eq!(states(&world, "skill-6"), ["claude same", "gemini same"]);
    assert_eq!(world.read(".gemini/skills/skill-6/references/89.md"), "text\n");
}
