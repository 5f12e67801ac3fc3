//! The gate: only a whole word or a unique prefix of `approve` writes; everything else writes nothing.

use std::time::Duration;

use hefesto::terminal::prompt::Answer;

use crate::support::world::{CLAUDE, EMAIL, GEMINI, NAME, Person, World, holds};

const GATE: &str = "Write this?";

#[test]
fn a_whole_word_or_a_unique_prefix_in_any_case_approves() {
    for word in ["approve", "APPROVE", "a", "Appr"] {
        let world = World::two();
        assert_eq!(world.create_by(&[EMAIL, "--json"], [word]).data()["approved_by"], "person", "{word}");
        for at in [CLAUDE, GEMINI] {
            assert!(world.exists(&format!("{at}/SKILL.md")) && world.exists(&format!("{at}/metadata.yaml")));
        }
        assert!(world.read("MEMORY.md").contains(&format!("| {NAME} | claude, gemini |")));
        world.nothing_left_over();
    }
}

#[test]
fn what_is_no_answer_is_asked_again_and_never_approves() {
    let world = World::two();
    let words = ["", "  ", "y", "yes", "Sim", "maybe", "approved", "approve it", "e", "\u{1b}[200~approve", "ok"];
    let said = world.create_by(&[EMAIL], Person::saying(&words).then(&["reject"]));
    said.fails("E-CREATE-011", 3).says("no changes made").says("`e` begins several answers: expand, edit.");
    said.says("`maybe` is not an answer here.\napprove  write exactly what is shown").says("reject   write nothing");
    for word in ["y", "yes", "Sim", "ok"] {
        said.says(&format!("`{word}` does not approve: type `approve`."));
    }
    assert_eq!(said.times(GATE), words.len() + 1);
    said.changes_nothing();
}

#[test]
fn three_wrong_answers_of_a_script_end_it_and_the_run_waits() {
    let world = World::two();
    world.write("answers", "y\n".repeat(100_000));
    let said = world.create(&[EMAIL, "--answers", "answers"]);
    said.fails("E-CREATE-011", 3).says("the last three answers were not understood").says("Continue with `hefesto");
    assert_eq!(said.err.matches("does not approve").count(), 3);
    assert!(said.err.len() < 10_000, "{} bytes were shown", said.err.len());
    said.changes_nothing();
    assert_eq!(world.data(&["runs"])["runs"][0]["status"], "paused");
}

#[test]
fn the_first_fifty_lines_of_a_long_body_come_first_and_the_files_and_the_verdict_last() {
    let world = World::two();
    let body: String = (1..=200).map(|n| format!("line {n}\n")).collect();
    world.write("notes.md", body);
    let said = world.create_by(&[EMAIL, "--body", "notes.md"], ["approve"]).ok();
    let preview = said.err.split("Write this?").next().unwrap().to_owned();
    let at = |what: &str| preview.find(what).unwrap_or_else(|| panic!("{what}: {preview}"));
    let order = ["-- SKILL.md -", "more lines]", "-- Skill ", "\nFiles\n", " valid, with", "Checklist: "].map(at);
    assert!(order.is_sorted(), "{order:?}\n{preview}");
    let text = world.skill(CLAUDE);
    let lines: Vec<&str> = text.lines().collect();
    said.says(&format!("{}\n... [{} more lines]\n", lines[49], lines.len() - 50));
    said.never_says(&format!("\n{}\n... ", lines[50]));
}

#[test]
fn whatever_ends_the_question_without_an_approval_writes_nothing_and_is_logged() {
    let world = World::two();
    world.set("HEFESTO_GATE_TIMEOUT", "1");
    let signal = |signal| Person::default().ends(Answer::Signal(signal));
    for (person, code, exit, said, decision) in [
        (Person::saying(&["reject"]), "E-CREATE-011", 3, "no changes made", "reject"),
        (Person::saying(&["R"]), "E-CREATE-011", 3, "no changes made", "reject"),
        (Person::saying(&["rej"]), "E-CREATE-011", 3, "no changes made", "reject"),
        (Person::saying(&["view"]), "E-CREATE-011", 3, "nobody was there to approve", "nobody"),
        (Person::nobody(), "E-CREATE-011", 3, "", "nobody"),
        (Person::saying(&["maybe"]).ends(Answer::TimedOut), "E-CREATE-012", 4, "within 1 seconds", "timeout"),
        (signal(2), "E-SIGNAL-001", 130, "", "interrupted"),
        (signal(15), "E-SIGNAL-001", 143, "", "interrupted"),
        (signal(1), "E-SIGNAL-001", 129, "", "interrupted"),
    ] {
        let ended = world.create_by(&[EMAIL], person);
        ended.fails(code, exit).says(said).changes_nothing();
        assert!(ended.questions(GATE).iter().all(|asked| asked.limit.unwrap() <= Duration::from_secs(1)));
        let logged = world.logged();
        assert_eq!((&logged["decision"], &logged["success"]), (&decision.into(), &false.into()));
        let declined = decision == "reject";
        let status = if declined { "declined" } else { "paused" };
        assert_eq!(world.data(&["runs"])["runs"][0]["status"], status, "{decision}");
        assert!(!declined || !ended.err.contains("ERROR"), "{}", ended.err);
        assert!(decision != "timeout" || ended.err.contains("no changes made"), "{}", ended.err);
    }
}

#[test]
fn the_limit_is_120_seconds_unless_flag_environment_or_file_say_otherwise() {
    let world = World::two();
    let limit = |args: &[&str]| {
        let said = world.create_by(args, ["reject"]);
        said.questions(GATE)[0].limit.unwrap().as_secs_f64().ceil()
    };
    assert_eq!(limit(&[EMAIL]), 120.0);
    world.write(".hefesto/config.toml", "gate_timeout = 45\n");
    assert_eq!(limit(&[EMAIL]), 45.0);
    world.set("HEFESTO_GATE_TIMEOUT", "600");
    assert_eq!(limit(&[EMAIL]), 600.0);
    assert_eq!(limit(&[EMAIL, "--gate-timeout", "1"]), 1.0);
    for wrong in ["0", "601", "soon", "-1"] {
        world.set("HEFESTO_GATE_TIMEOUT", wrong);
        world.create_by(&[EMAIL], Person::saying(&[])).fails("E-CONFIG-001", 2).says("HEFESTO_GATE_TIMEOUT");
    }
    world.create_by(&[EMAIL, "--gate-timeout", "601"], Person::saying(&[])).fails("E-USAGE-001", 2);
    assert!(world.run(&["create", "--help"]).out.contains("[default: 120]"));
}

#[test]
fn nothing_is_written_while_the_question_waits() {
    let world = World::two();
    let before = world.picture();
    let seen = std::rc::Rc::new(std::cell::RefCell::new(None));
    let (keep, root) = (std::rc::Rc::clone(&seen), world.root());
    let look = move || *keep.borrow_mut() = Some(crate::support::world::picture(&root, &[".hefesto"]));
    world.create_by(&[EMAIL], Person::default().does(look, "approve")).is(0);
    assert_eq!(seen.borrow().as_ref(), Some(&before));
    assert_ne!(world.picture(), before);
}

#[test]
fn the_preview_shows_what_is_then_written_and_view_every_file_in_full() {
    let world = World::two();
    let said = world.create_by(&[EMAIL], ["v", "approve"]).ok();
    let shown: Vec<&str> = said.err.split("Write this?").collect();
    for at in [CLAUDE, GEMINI] {
        assert!(shown[0].contains(&format!("create {at}/")));
    }
    for file in ["SKILL.md", "metadata.yaml"] {
        let text = world.read(&format!("{CLAUDE}/{file}"));
        let size = hefesto::terminal::ui::size(text.len() as u64);
        assert!(shown[0].contains(&format!("    {file} ({size})\n")), "{}", shown[0]);
        said.says(&format!("-- {CLAUDE}/{file} -"));
        assert!(shown[1].contains(&text), "{}", shown[1]);
    }
    assert!(shown[0].contains(&world.skill(CLAUDE)) && !shown[0].contains("more lines]"), "{}", shown[0]);
    let created = ["Version      1.0.0", "Created      2026-02-05T10:00:00Z", "Targets      claude, gemini"];
    holds(shown[0], &[&created[..], &["2 CLIs, 4 files"]].concat());
    assert!(shown[1].contains("{{args}}"), "the copy that differs is shown too\n{}", shown[1]);
    let asked = said.questions(GATE);
    assert_eq!(asked.len(), 2);
    assert_eq!(asked[0].choices, ["approve", "expand", "edit", "view", "reject"]);
    assert!(asked[0].typed && asked[0].default.is_none() && asked[0].flag == "--yes");
    let frame = shown[0].lines().take_while(|line| !line.contains("- SKILL.md -"));
    for line in frame.chain(shown[0].lines().filter(|line| line.starts_with("--") && line.ends_with("--"))) {
        assert!(line.chars().count() <= 80, "{line}");
    }
}

#[test]
fn yes_approves_without_a_question_says_so_and_stays_behind_validation() {
    let world = World::two();
    let long = format!("a{}", "b".repeat(72));
    world.create_by(&[EMAIL, "--name", &long, "--yes"], Person::saying(&[])).fails("E-CREATE-005", 1).changes_nothing();
    let said = world.create_by(&[EMAIL, "-y"], Person::saying(&[]));
    assert!(said.is(0).says("Approved by flag (--yes).").asked.is_empty());
    assert_eq!(world.state("P4")["approved_by"], "flag");
}

#[test]
fn no_colour_and_nothing_but_ascii_where_the_locale_is_none() {
    for (name, value) in [("NO_COLOR", "1"), ("TERM", "dumb")] {
        let world = World::two();
        world.set(name, value);
        let said = world.create_by(&[EMAIL], ["view", "approve"]);
        said.is(0).never_says("\u{1b}");
        let texts = [CLAUDE, GEMINI].map(|at| world.skill(at));
        let foreign = texts.iter().flat_map(|text| text.lines()).filter(|line| !line.is_ascii());
        let own = foreign.fold(said.err.clone(), |own, line| own.replace(line, ""));
        assert!(own.is_ascii() && said.out.is_ascii(), "{own}{}", said.out);
        assert!(said.out.starts_with("[OK] Skill"));
    }
    let world = World::two();
    world.set("LANG", "C.UTF-8");
    assert!(world.create_by(&[EMAIL], ["approve"]).out.starts_with("\u{2713} Skill"));
}

#[test]
fn a_digest_approves_exactly_what_was_shown() {
    let world = World::two();
    let before = world.picture();
    let data = world.create(&[EMAIL, "--dry-run", "--json"]).data();
    assert_eq!(data["dry_run"], true);
    world.unchanged_since(&before);
    let digest = data["digest"].as_str().unwrap().to_owned();
    world.create(&["Validate phone numbers", "--approve", &digest]).fails("E-TXN-002", 5);
    world.create(&[EMAIL, "--approve", "cafe"]).fails("E-TXN-002", 5);
    world.unchanged_since(&before);
    let later = world.at("2026-02-06T08:30:00Z");
    let said = later.create(&[EMAIL, "--approve", &digest, "--json"]).ok();
    assert_eq!(said.json()["data"]["digest"], digest.as_str());
    assert_eq!(said.json()["data"]["approved_by"], "flag");
}

#[test]
fn a_dry_run_asks_nothing_and_shows_collisions() {
    let world = World::holding_the_skill();
    let said = world.create_by(&[EMAIL, "--dry-run", "--json"], Person::saying(&[])).ok();
    assert_eq!(said.json()["data"]["targets"][0]["id"], "claude");
    assert_ne!(said.json()["data"]["targets"][0]["action"], "create");
    said.changes_nothing();
    assert!(
        !world.exists(".hefesto/backups") || std::fs::read_dir(world.path(".hefesto/backups")).unwrap().count() == 0
    );
}

#[test]
fn no_flag_persists_without_an_approval() {
    let world = World::two();
    let help = world.run(&["create", "--help"]).out;
    let flags: Vec<&str> = help.split_whitespace().filter(|word| word.starts_with("--")).collect();
    for skip in ["--force", "--no-gate", "--skip", "--auto", "--no-validate", "--skip-validation", "--no-confirm"] {
        assert!(!flags.iter().any(|flag| flag.starts_with(skip)), "{skip}");
    }
    for flag in ["--json", "-q", "-v", "--init", "--no-pager"] {
        world.create(&[EMAIL, flag]).is(3).changes_nothing();
    }
}
