//! The gate: only a whole word or a unique prefix of `approve` writes; everything else writes nothing.

use std::time::Duration;

use hefesto::terminal::prompt::Answer;

use crate::support::world::{CLAUDE, EMAIL, GEMINI, NAME, Person, World};

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
    let words = ["", "  ", "y", "yes", "maybe", "approved", "approve it", "e", "\u{1b}[200~approve", "ok"];
    let said = world.create_by(&[EMAIL], Person::saying(&words).then(&["reject"]));
    said.fails("E-CREATE-011", 3).says("no changes made").says("`e` begins several answers: expand, edit.");
    assert_eq!(said.times(GATE), words.len() + 1);
    said.changes_nothing();
}

#[test]
fn an_unknown_word_explains_the_answers_and_the_next_one_counts() {
    let world = World::two();
    let said = world.create_by(&[EMAIL], ["maybe", "approve"]);
    said.is(0).says("`maybe` is not an answer here.\napprove  write exactly what is shown");
    said.says("reject   write nothing");
    assert!(world.exists(CLAUDE));
}

#[test]
fn agreeing_is_no_approval_and_says_what_is() {
    for word in ["y", "yes", "Sim", "ok"] {
        let said = World::two().create_by(&[EMAIL], [word, "reject"]);
        said.fails("E-CREATE-011", 3).says(&format!("`{word}` does not approve: type `approve`."));
    }
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
fn the_text_comes_first_and_the_files_and_the_verdict_last() {
    let world = World::two();
    let body: String = (1..=200).map(|n| format!("line {n}\n")).collect();
    world.write("notes.md", body);
    let said = world.create_by(&[EMAIL, "--body", "notes.md"], ["reject"]);
    let preview = said.err.split("Write this?").next().unwrap().to_owned();
    let at = |what: &str| preview.find(what).unwrap_or_else(|| panic!("{what}: {preview}"));
    let order = ["-- SKILL.md -", "more lines]", "-- Skill ", "\nFiles\n", " valid, with", "Checklist: "].map(at);
    assert!(order.is_sorted(), "{order:?}\n{preview}");
}

#[test]
fn a_rejection_writes_nothing_and_is_logged() {
    for word in ["reject", "R", "rej"] {
        let world = World::two();
        let said = world.create_by(&[EMAIL], [word]);
        said.fails("E-CREATE-011", 3).says("no changes made").never_says("ERROR").changes_nothing();
        let logged = world.logged();
        assert_eq!((&logged["decision"], &logged["success"]), (&"reject".into(), &false.into()));
    }
}

#[test]
fn the_end_of_input_is_no_approval() {
    let world = World::two();
    world.create_by(&[EMAIL], ["view"]).fails("E-CREATE-011", 3).says("nobody was there to approve").changes_nothing();
    world.create(&[EMAIL]).fails("E-CREATE-011", 3).changes_nothing();
    assert_eq!(world.logged()["decision"], "nobody");
}

#[test]
fn silence_ends_it_and_names_the_limit_in_force() {
    let world = World::two();
    world.set("HEFESTO_GATE_TIMEOUT", "1");
    let said = world.create_by(&[EMAIL], Person::saying(&["maybe"]).ends(Answer::TimedOut));
    said.fails("E-CREATE-012", 4).says("within 1 seconds").says("no changes made");
    assert!(said.questions(GATE).iter().all(|asked| asked.limit.unwrap() <= Duration::from_secs(1)));
    said.changes_nothing();
    assert_eq!(world.logged()["decision"], "timeout");
    assert_eq!(world.data(&["runs"])["runs"][0]["status"], "paused", "a timeout keeps the run");
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
fn a_signal_ends_it_with_its_number_and_keeps_the_run() {
    for (signal, exit) in [(2, 130), (15, 143), (1, 129)] {
        let world = World::two();
        let said = world.create_by(&[EMAIL], Person::default().ends(Answer::Signal(signal)));
        said.fails("E-SIGNAL-001", exit).changes_nothing();
        assert_eq!(world.logged()["decision"], "interrupted");
        assert_eq!(world.data(&["runs"])["runs"][0]["status"], "paused");
    }
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
fn the_preview_shows_what_is_then_written() {
    let world = World::two();
    let said = world.create_by(&[EMAIL], ["approve"]).ok();
    let preview = said.err.split("Write this?").next().unwrap().to_owned();
    for at in [CLAUDE, GEMINI] {
        assert!(preview.contains(&format!("create {at}/")));
    }
    for file in ["SKILL.md", "metadata.yaml"] {
        let size = hefesto::terminal::ui::size(world.read(&format!("{CLAUDE}/{file}")).len() as u64);
        assert!(preview.contains(&format!("    {file} ({size})\n")), "{preview}");
    }
    let text = world.read(&format!("{CLAUDE}/SKILL.md"));
    assert!(preview.contains(&text) && !preview.contains("more lines]"), "{preview}");
    for fact in
        ["Version      1.0.0", "Created      2026-02-05T10:00:00Z", "Targets      claude, gemini", "2 CLIs, 4 files"]
    {
        assert!(preview.contains(fact), "{fact}\n{preview}");
    }
}

#[test]
fn a_long_body_shows_its_first_fifty_lines() {
    let world = World::two();
    let body: String = (1..=200).map(|n| format!("line {n}\n")).collect();
    world.write("notes.md", body);
    let said = world.create_by(&[EMAIL, "--body", "notes.md"], ["approve"]).ok();
    let text = world.read(&format!("{CLAUDE}/SKILL.md"));
    let lines: Vec<&str> = text.lines().collect();
    said.says(&format!("{}\n... [{} more lines]\n", lines[49], lines.len() - 50));
    said.never_says(&format!("\n{}\n... ", lines[50]));
}

#[test]
fn view_shows_every_file_in_full_and_asks_again() {
    let world = World::two();
    let said = world.create_by(&[EMAIL], ["v", "approve"]);
    said.is(0).says(&format!("-- {CLAUDE}/SKILL.md -")).says(&format!("-- {CLAUDE}/metadata.yaml -"));
    let shown = said.err.split("Write this?").nth(1).unwrap().to_owned();
    assert!(shown.contains(&world.read(&format!("{CLAUDE}/SKILL.md"))), "{shown}");
    assert!(shown.contains(&world.read(&format!("{CLAUDE}/metadata.yaml"))), "{shown}");
    assert!(shown.contains("{{args}}"), "the copy that differs is shown too\n{shown}");
    assert_eq!(said.times(GATE), 2);
}

#[test]
fn the_question_offers_the_five_answers_and_throws_away_what_was_typed_ahead() {
    let world = World::two();
    let said = world.create_by(&[EMAIL], ["reject"]);
    let asked = said.questions(GATE)[0].clone();
    assert_eq!(asked.choices, ["approve", "expand", "edit", "view", "reject"]);
    assert!(asked.typed);
    assert_eq!((asked.default, asked.flag.as_str()), (None, "--yes"));
}

#[test]
fn yes_approves_without_a_question_and_says_so() {
    let world = World::two();
    let said = world.create_by(&[EMAIL, "--yes", "--json"], Person::saying(&[])).ok();
    assert_eq!(said.json()["data"]["approved_by"], "flag");
    assert!(said.asked.is_empty());
    let world = World::two();
    world.create_by(&[EMAIL, "-y"], Person::saying(&[])).is(0).says("Approved by flag (--yes).");
    assert_eq!(world.state("P4")["approved_by"], "flag");
}

#[test]
fn yes_wins_over_answers_and_stays_behind_validation() {
    let world = World::two();
    let long = format!("a{}", "b".repeat(72));
    world.create_by(&[EMAIL, "--name", &long, "--yes"], Person::saying(&[])).fails("E-CREATE-005", 1).changes_nothing();
}

#[test]
fn no_colour_and_nothing_but_ascii_where_the_locale_is_none() {
    for (name, value) in [("NO_COLOR", "1"), ("TERM", "dumb")] {
        let world = World::two();
        world.set(name, value);
        let said = world.create_by(&[EMAIL], ["view", "approve"]);
        said.is(0).never_says("\u{1b}");
        let texts = [CLAUDE, GEMINI].map(|at| world.read(&format!("{at}/SKILL.md")));
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
fn no_frame_and_no_path_is_wider_than_eighty_columns() {
    let world = World::two();
    let said = world.create_by(&[EMAIL], ["reject"]);
    let frame = said.err.lines().take_while(|line| !line.contains("- SKILL.md -"));
    for line in frame.chain(said.err.lines().filter(|line| line.starts_with("--") && line.ends_with("--"))) {
        assert!(line.chars().count() <= 80, "{line}");
    }
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
