//! `expand` at the gate: scripts, references and assets, and nothing that leads out of the skill.

use std::os::unix::fs::{PermissionsExt, symlink};

use hefesto::terminal::prompt::Answer;

use crate::support::world::{CLAUDE, EMAIL, GEMINI, Person, World, picture};

const GATE: &str = "Write this?";

#[test]
fn what_is_typed_is_in_every_copy_scripts_executable_and_shown() {
    let world = World::two();
    let person =
        Person::saying(&["exp", "s", "run.sh", "echo 1", "END", "yes", "run.sh", "#!/bin/sh", "echo checked", "END"]);
    let person = person.then(&["yes", "two.sh", "echo 2", "END", "no"]);
    let person = person.then(&["references", "more.md", "# More", "", "Words.", "END", "n", "d", "approve"]);
    let said = world.create_by(&[EMAIL], person);
    said.is(0).says("    scripts/run.sh (23 bytes, executable)\n");
    assert_eq!(said.times(GATE), 2, "what was added is shown and asked about again");
    for at in [CLAUDE, GEMINI] {
        let script = format!("{at}/scripts/run.sh");
        assert_eq!(world.read(&script), "#!/bin/sh\necho checked\n", "the same name again replaces what was typed");
        assert_eq!(world.path(&script).metadata().unwrap().permissions().mode() & 0o777, 0o755);
        assert_eq!(world.read(&format!("{at}/scripts/two.sh")), "echo 2\n");
        assert_eq!(world.read(&format!("{at}/references/more.md")), "# More\n\nWords.\n");
    }
    assert_eq!(world.state("P2")["resources"][0]["path"], "scripts/run.sh");
    let listed = "\n## Files\n\n- `scripts/run.sh`: run\n- `scripts/two.sh`: run\n- `references/more.md`: read\n";
    assert!(world.skill(CLAUDE).ends_with(listed), "SKILL.md names every added file once");
}

#[test]
fn files_that_exist_are_named_with_their_kind() {
    let world = World::two();
    world.write("run.sh", "#!/bin/sh\n").write("more.md", "# More\n");
    let person = Person::saying(&["expand", "scripts:run.sh", "script:none.sh", "x", "reference:more.md", "done"]);
    let said = world.create_by(&[EMAIL], person.then(&["approve"]));
    said.is(0).says("Added scripts/run.sh.").says("ERROR [E-IO-001]").says("`x` is not an answer here.\nscripts");
    assert_eq!(world.read(&format!("{CLAUDE}/scripts/run.sh")), "#!/bin/sh\n");
    assert_eq!(world.read(&format!("{GEMINI}/references/more.md")), "# More\n");
}

#[test]
fn a_file_of_answers_keeps_indentation_and_three_wrong_kinds_end_it() {
    // Three wrong kinds of a script end it.
    let world = World::two();
    world.write("answers", format!("expand\n{}", "yes\n".repeat(1000)));
    let said = world.create(&[EMAIL, "--answers", "answers"]);
    said.fails("E-CREATE-011", 3);
    assert_eq!(said.err.matches("`yes` is not an answer here.").count(), 3);
    // Content keeps its indentation.
    world.write("answers", "expand\nscripts\nrun.py\ndef f():\n    return 1\nEND\nno\ndone\napprove\n");
    world.create(&[EMAIL, "--answers", "answers"]).is(0);
    assert_eq!(world.read(&format!("{CLAUDE}/scripts/run.py")), "def f():\n    return 1\n");
}

#[test]
fn an_asset_of_the_project_is_copied_byte_for_byte() {
    let world = World::two();
    let bytes: Vec<u8> = (0..=255).collect();
    world.write("art/logo.bin", &bytes);
    world.create_by(&[EMAIL], ["expand", "assets", "art/logo.bin", "no", "done", "approve"]).is(0);
    for at in [CLAUDE, GEMINI] {
        let path = world.path(&format!("{at}/assets/logo.bin"));
        assert_eq!(std::fs::read(&path).unwrap(), bytes);
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o111, 0);
    }
}

#[test]
fn names_and_places_that_lead_out_of_the_skill_are_refused() {
    // Names that are no file names are refused.
    let world = World::two();
    let (before, outside) = (world.picture(), picture(&world.outside(), &["project"]));
    for name in ["../../x.md", "/tmp/x.md", "x\0.md", "a/b.md", "..", ".", ".hidden", "-rf", "a b", "x\\y", "é.md"] {
        let said = world.create_by(&[EMAIL], ["expand", "references", name, "no", "done", "reject"]);
        said.fails("E-CREATE-011", 3).says("ERROR [E-CREATE-009]").says("is not a plain file name");
        assert_eq!(said.times("Add another reference? [y/N]"), 1, "{name:?}");
        world.unchanged_since(&before);
        assert_eq!(picture(&world.outside(), &["project"]), outside);
    }
    // An asset outside the project is refused also behind a link.
    std::fs::write(world.outside().join("secret.txt"), "not yours").unwrap();
    symlink(world.outside().join("secret.txt"), world.path("link.txt")).unwrap();
    symlink(world.outside(), world.path("out")).unwrap();
    let absolute = world.outside().join("secret.txt");
    for path in ["/etc/passwd", absolute.to_str().unwrap(), "link.txt", "../secret.txt", "out/secret.txt"] {
        let said = world.create_by(&[EMAIL], ["expand", "assets", path, "no", "done", "reject"]);
        said.fails("E-CREATE-011", 3).says("ERROR [E-CREATE-009]").says("outside the project").changes_nothing();
    }
    for path in ["none.txt", "art"] {
        std::fs::create_dir_all(world.path("art")).unwrap();
        let said = world.create_by(&[EMAIL], ["expand", "assets", path, "no", "done", "reject"]);
        said.fails("E-CREATE-011", 3).says("ERROR [E-IO-001]");
    }
}

#[test]
fn a_script_or_an_asset_that_holds_a_secret_is_refused_without_repeating_it() {
    // A script that holds a secret is refused without repeating it.
    let world = World::two();
    let secret = "AKIAQ3EGRZ7XPLMNTVWS";
    let person = Person::saying(&["expand", "scripts", "run.sh", &format!("export KEY={secret}"), "END", "no", "done"]);
    let said = world.create_by(&[EMAIL, "--json"], person.then(&["reject"])).exits(3);
    assert!(said.err.contains("T0-HEFESTO-11") && !said.err.contains(&format!("({secret}")), "{}", said.err);
    let log = world.read(".hefesto/logs/operations.jsonl");
    assert!(log.contains("input_refused") && !log.contains(secret), "{log}");
    said.changes_nothing();
    // An asset that holds a secret is refused too.
    world.write("env.txt", "AWS_KEY=AKIAQ3EGRZ7XPLMNTVWS\n");
    world.create(&[EMAIL, "--resource", "assets:env.txt", "--yes"]).fails("E-CREATE-005", 1).changes_nothing();
}

#[test]
fn nothing_added_goes_back_to_the_same_gate() {
    let world = World::two();
    let said =
        world.create_by(&[EMAIL], ["expand", "nothing", "done", "expand", "scripts", "", "file", "", "", "approve"]);
    said.is(0).says("`nothing` is not an answer here.\nscripts").never_says("ERROR");
    assert_eq!((said.times(GATE), said.times("Add another script? [y/N]")), (3, 0));
    assert!(!world.exists(&format!("{CLAUDE}/scripts")));
}

#[test]
fn leaving_in_the_middle_writes_nothing() {
    let world = World::with(&["claude"]);
    for lines in [
        &["expand"][..],
        &["expand", "scripts"],
        &["expand", "scripts", "run.sh", "approve"],
        &["expand", "scripts", "run.sh", "echo", "END"],
        &["expand", "scripts", "run.sh", "echo", "END", "no", "done"],
        &["expand", "assets"],
    ] {
        for (answer, exit) in [(Answer::NobodyThere, 3), (Answer::TimedOut, 4), (Answer::Signal(1), 129)] {
            world.create_by(&[EMAIL], Person::saying(lines).ends(answer)).is(exit).changes_nothing();
        }
    }
}

#[test]
fn resources_on_the_command_line_obey_the_same_rules() {
    let world = World::two();
    world.write("tools/check.sh", "#!/bin/sh\n").write("doc.md", "# Doc\n");
    symlink("/etc/passwd", world.path("passwd")).unwrap();
    for (spec, code, exit) in [
        ("scripts", "E-USAGE-001", 2),
        ("tools:check.sh", "E-USAGE-001", 2),
        ("assets:passwd", "E-CREATE-009", 1),
        ("assets:/etc/passwd", "E-CREATE-009", 1),
        ("assets:none", "E-IO-001", 1),
    ] {
        world.create(&[EMAIL, "--yes", "--resource", spec]).fails(code, exit).changes_nothing();
    }
    let args = [EMAIL, "--resource", "scripts:tools/check.sh", "--resource", "references:doc.md"];
    world.create_by(&args, ["approve"]).is(0);
    assert!(world.exists(&format!("{GEMINI}/scripts/check.sh")));
    assert!(world.exists(&format!("{GEMINI}/references/doc.md")));
}
