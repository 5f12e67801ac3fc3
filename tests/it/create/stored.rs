//! What must not be kept is kept nowhere: no store, log or backup of the project holds it, however it came in.
//!
//! Every value is put together while the test runs.

use crate::support::world::{EMAIL, Person, World};

/// A credential, personal data, and a private address.
fn values() -> [String; 3] {
    [
        ["gh", "p_", "Zk3uR8vQ1xW7pL2mT9bN4cY6dF0gH5jSaErV"].concat(),
        ["529.982", ".247-25"].concat(),
        ["http://wiki", ".firm.corp/page"].concat(),
    ]
}

/// No file of the project holds this, those it was given in aside, nor spelled as hexadecimal digits.
#[track_caller]
fn kept_nowhere(world: &World, value: &str, given: &[&str], how: &str) {
    let hex: String = value.bytes().map(|byte| format!("{byte:02x}")).collect();
    for form in [value, &hex] {
        let holding = world.files_with(form).into_iter().filter(|path| !given.iter().any(|name| path.ends_with(name)));
        assert_eq!(holding.collect::<Vec<_>>(), Vec::<std::path::PathBuf>::new(), "{how}");
    }
}

#[test]
fn a_credential_in_the_path_of_a_resource_is_refused_and_not_repeated() {
    let [token, ..] = values();
    for path in [format!("{token}.sh"), format!("tools/{token}.sh"), format!("{token}/run.sh")] {
        let world = World::two();
        world.write(&path, "echo\n");
        let first = path.split('/').next().unwrap_or_default();
        let args = [EMAIL, "--yes", "--resource", &format!("scripts:{path}")];
        world.create(&args).fails("E-CREATE-009", 1).says("T0-HEFESTO-11.secret").never_says(&token);
        kept_nowhere(&world, &token, &[&path, first], &path);
        world.create(&[EMAIL, "--yes", "--resource", &path]).fails("E-CREATE-009", 1).never_says(&token);
    }
    let world = World::two();
    let gate = Person::saying(&["expand", "scripts", &format!("{token}.sh"), "no", "done", "reject"]);
    world.create_by(&[EMAIL], gate).says("T0-HEFESTO-11.secret");
    kept_nowhere(&world, &token, &[], "expand");
}

#[test]
fn no_argument_brings_it_into_a_store() {
    for value in values() {
        let text = format!("Use {value} when asked.");
        let invalid = [0xFF, 0xFE].into_iter().chain(value.bytes()).collect::<Vec<u8>>();
        for (args, code) in [
            (vec![text.as_str()], "E-CREATE-009"),
            (vec![EMAIL, "--license", &value], "E-CREATE-009"),
            (vec![EMAIL, "--template", &value], "E-CREATE-009"),
            (vec![EMAIL, "--body", "given.md"], "E-CREATE-009"),
            (vec![EMAIL, "--resource", "references:given.md"], "E-CREATE-005"),
            (vec![EMAIL, "--resource", "scripts:given.md"], "E-CREATE-005"),
            (vec![EMAIL, "--resource", "assets:given.bin"], "E-CREATE-005"),
            (vec![EMAIL, "--template", "own"], "E-CREATE-005"),
        ] {
            if args.contains(&"assets:given.bin") && !value.starts_with("gh") {
                continue; // what is no text is only searched for credentials
            }
            for person in [Person::nobody(), Person::saying(&[])] {
                let world = World::two();
                world.create(&[EMAIL, "--name", "first", "--yes"]).is(0);
                world.write("given.md", &text).write("given.bin", &invalid);
                let base = world.skill(".claude/skills/first").replace("first", "{{SKILL_NAME}}");
                world.write(".hefesto/templates/own.md", format!("{base}\n{text}\n"));
                world.create_by(&args, person).fails(code, 1).says("T0-HEFESTO-11").never_says(&value);
                let how = format!("{args:?}");
                kept_nowhere(&world, &value, &["given.md", "given.bin", "own.md"], &how);
                let log = world.read(".hefesto/logs/operations.jsonl");
                assert!(log.contains("\"pattern_detected\":\"T0-HEFESTO-11."), "{how}: {log}");
            }
        }
    }
}

#[test]
fn no_answer_brings_it_into_a_store() {
    for value in values() {
        let text = format!("Use {value} when asked.");
        for lines in [
            vec![text.as_str()],
            vec![EMAIL, &value],
            vec![EMAIL, "", &text],
            vec![EMAIL, "", "", "references:given.md"],
            vec![EMAIL, "", "", "", "", "continue", "expand", "references", "a.md", &text, "END", "no", "done"],
        ] {
            let world = World::two();
            world.create(&[EMAIL, "--name", "first", "--yes"]).is(0);
            world.write("given.md", &text);
            // After the answer nobody speaks any more: what was answered so far is kept with the run.
            let said = world.create_by(&["--name", "second"], Person::saying(&lines));
            said.never_says(&format!("({value}"));
            assert_ne!(said.exit.number(), 0, "{lines:?}");
            kept_nowhere(&world, &value, &["given.md"], &format!("{lines:?}"));
        }
    }
}

#[test]
fn the_wizard_keeps_no_flag_it_has_not_looked_at() {
    for value in values() {
        let world = World::two();
        world.create(&[EMAIL, "--name", "first", "--yes"]).is(0);
        world.create_by(&["--license", &value], Person::saying(&[])).fails("E-CREATE-009", 1);
        world.write(".hefesto/config.toml", format!("author = \"{value}\"\n"));
        world.create_by(&[EMAIL], Person::saying(&[])).fails("E-CREATE-009", 1);
        kept_nowhere(&world, &value, &["config.toml"], "flags");
    }
}
