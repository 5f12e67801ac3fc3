//! What the memory gives the next skill: lines with their reason, taken out at the gate, gone when they are forgotten.

use serde_json::{Value, json};

use crate::support::world::{Person, Said, World, holds};

const PDF: &str = "Extract tables from PDF files";
const SKILL: &str = ".claude/skills/extract-tables-pdf/SKILL.md";
const RULE: &str = "- Use pdfplumber for every PDF (you, 5 Feb 2026)\n";
const RISK: &str = "- Scans have no text layer (you, 5 Feb 2026)\n";

/// A project with a goal and an observation about PDF files.
fn with_a_past() -> World {
    let world = World::two();
    world.data(&["memory", "turn", "goal", "Use pdfplumber for every PDF."]);
    let observed = ["memory", "turn", "observe", "Scans have no text layer", "--type", "risk_alert", "--tag", "pdf"];
    world.data(&observed);
    world
}

fn id_of(world: &World, what: &str) -> String {
    world.data(&["memory", "turn", what])[format!("{what}s").replace("observes", "observations")][0]["id"]
        .as_str()
        .unwrap()
        .to_owned()
}

fn approved(world: &World, answers: &[&str]) -> Said {
    world.create_by(&[PDF], Person::saying(answers)).ok()
}

#[test]
fn goals_and_observations_of_the_subject_are_lines_of_the_skill_with_their_reason() {
    let (with, without) = (with_a_past(), World::two());
    let said = approved(&with, &["approve"]);
    approved(&without, &["approve"]);
    let (with_skill, plain) = (with.read(SKILL), without.read(SKILL));
    assert!(with_skill.contains(RULE) && with_skill.contains(RISK), "{with_skill}");
    let differs = more(&with_skill, &plain);
    assert_eq!(differs, ["## Limits and traps", RULE.trim_end(), RISK.trim_end()], "nothing else differs");
    assert!(more(&plain, &with_skill).is_empty());
    for reason in [r#"because this goal names "PDF""#, r#"because this risk alert has the tag "pdf""#] {
        said.says(reason);
    }
    let explained = with.data(&["memory", "inspect", "turn"])["in_skill"].clone();
    assert_eq!(explained.as_array().unwrap().len(), 2, "{explained}");
    assert!(explained[0].as_str().unwrap().contains(r#"this goal names "PDF" (goal:"#), "{explained}");
    assert_eq!(without.data(&["memory", "inspect", "turn"])["in_skill"], json!([]));
    assert_eq!(with.state("P1")["remembered"].as_array().unwrap().len(), 2);
}

#[test]
fn another_subject_and_what_is_forgotten_leave_the_skill_as_if_it_had_never_been() {
    // Another subject is told nothing of it.
    let (with, without) = (with_a_past(), World::two());
    for world in [&with, &without] {
        world.create(&["Review SQL migrations", "--yes"]).is(0);
    }
    let skill = ".claude/skills/review-sql-migrations/SKILL.md";
    assert_eq!(with.read(skill), without.read(skill));
    // What is forgotten leaves the skill as if it had never been.
    let (with, without) = (with_a_past(), World::two());
    with.data(&["memory", "turn", "goal", "--done", &id_of(&with, "goal")]);
    with.data(&["memory", "delete", &id_of(&with, "observe"), "--yes"]);
    for world in [&with, &without] {
        approved(world, &["approve"]);
    }
    assert_eq!(with.read(SKILL), without.read(SKILL));
}

#[test]
fn a_line_that_is_rejected_at_the_gate_is_in_no_skill_any_more() {
    // A rejected line leaves an edited text as it is otherwise.
    let world = with_a_past();
    let editor = world.script("append", "echo 'Said by hand.' >> \"$1\"");
    world.set("VISUAL", &editor);
    approved(&world, &["edit", "reject-memory 2", "approve"]);
    let skill = world.read(SKILL);
    assert!(skill.contains("Said by hand.") && skill.contains(RULE) && !skill.contains(RISK), "{skill}");
    let world = with_a_past();
    let said = approved(&world, &["reject-memory 1", "approve"]);
    assert_eq!(said.times("Write this?"), 2);
    let skill = world.read(SKILL);
    assert!(!skill.contains(RULE) && skill.contains(RISK), "{skill}");
    world.create(&["Merge PDF files", "--yes"]).is(0).never_says("Use pdfplumber");
    let goal = format!("rejected:goal:{}", id_of(&world, "goal"));
    world.data(&["memory", "delete", &goal, "--yes"]);
    world.create(&["Split PDF files by chapter", "--yes"]).is(0).says("Use pdfplumber");
}

#[test]
fn a_run_that_waits_keeps_its_lines_and_a_dry_run_has_the_digest_of_what_is_written() {
    let world = with_a_past();
    world.create(&[PDF]).is(3);
    world.run_by(&["resume"], ["reject-memory 2", "approve"]).is(0);
    let skill = world.read(SKILL);
    assert!(skill.contains(RULE) && !skill.contains(RISK), "{skill}");
    let shown: Value = world.data(&["create", "Merge PDF files", "--dry-run"]);
    assert_eq!(shown["remembered"].as_array().unwrap().len(), 1, "{shown}");
    let digest = shown["digest"].as_str().unwrap().to_owned();
    world.create(&["Merge PDF files", "--approve", &digest]).is(0);
}

fn stored(world: &World, category: &str, content: &str) {
    world.data(&["memory", "stm", "store", "--session", "s1", "--category", category, "--content", content]);
}

#[test]
fn a_run_that_joins_a_session_takes_what_was_asked_for_in_it_until_it_ends() {
    let (world, without) = (World::two(), World::two());
    stored(&world, "user_input", r#"{"input": "Keep merged cells apart"}"#);
    stored(&world, "reasoning_state", r#"{"conclusion": "camelot loses rotated pages"}"#);
    stored(&world, "system_state", r#"{"type": "context_reference", "path": "docs/tables.md"}"#);
    let brief = world.data(&["create", PDF, "--brief", "--session", "s1"])["brief"].as_str().unwrap().to_owned();
    holds(&brief, &["Keep merged cells apart", "camelot loses rotated pages", "see: docs/tables.md (session s1)"]);
    world.create_by(&[PDF, "--session", "s1"], ["approve"]).is(0).says("asked for in the session");
    let line = "- Keep merged cells apart (session s1, 5 Feb 2026)\n";
    assert!(world.read(SKILL).contains(line), "{}", world.read(SKILL));
    let context = world.data(&["memory", "turn", "show"])["source_breakdown"].clone();
    assert!(context["working_memory"].as_u64().unwrap() > 0 && context["tools"].as_u64().unwrap() > 0, "{context}");
    world.data(&["memory", "stm", "end", "--session", "s1"]);
    world.create(&["Merge PDF files", "--session", "s1", "--yes"]).fails("E-MEMORY-025", 1);
    for world in [&world, &without] {
        world.create(&["Split PDF files", "--yes"]).is(0);
    }
    let split = ".claude/skills/split-pdf-files/SKILL.md";
    assert_eq!(world.read(split), without.read(split));
}

#[test]
fn a_conversation_about_the_subject_reaches_the_brief_with_its_source() {
    let world = World::two();
    let talk = json!({ "conversation_id": "ocr", "title": "Scans", "messages": [
        { "role": "user", "content": "The PDF scans of 2019 need deskewing before OCR" },
        { "role": "assistant", "content": "Noted." },
    ] });
    world.data(&["memory", "fifo", "add", "--content", &talk.to_string()]);
    let context = |asked: &str| world.data(&["memory", "turn", "context", asked]);
    let pdf = context(PDF);
    let text = pdf["context"].as_str().unwrap();
    assert!(text.contains(r#"in "Scans" the user said: The PDF scans of 2019"#), "{text}");
    let lines = pdf["fragments"].to_string();
    assert!(lines.contains("conversation ocr"), "{lines}");
    assert!(!context("Review SQL migrations")["context"].as_str().unwrap().contains("deskewing"));
}

#[test]
fn the_context_is_about_the_request_and_says_nothing_twice() {
    let world = with_a_past();
    for name in ["one", "two", "three"] {
        world.create(&[PDF, "--name", name, "--yes"]).is(0);
    }
    world.create(&[PDF, "--dry-run"]).is(0);
    let context =
        |asked: &str| world.data(&["memory", "turn", "context", asked])["context"].as_str().unwrap().to_owned();
    let sql = context("Review SQL migrations");
    assert!(!sql.contains("pdfplumber") && !sql.contains("text layer"), "{sql}");
    assert!(!sql.contains("Memory: what happened"), "an episode about PDF files is of another subject\n{sql}");
    let pdf = context(PDF);
    assert_eq!(pdf.matches(&format!("\"{PDF}\"")).count(), 1, "one line for one request\n{pdf}");
    assert!(pdf.contains("last 4: 3 done, 1 dry run; topics: "), "{pdf}");
    world.write(".hefesto/config.toml", "[turn]\ntokens = 700\n");
    assert_eq!(world.data(&["memory", "turn", "context", PDF])["budget"]["total"], 700);
}

const KEYS: &str = "Rotate AWS access keys for a service account safely";

/// The text of a skill, wherever its name has put it.
fn only_skill(world: &World) -> String {
    let all = world.picture();
    let at = all.keys().find(|path| path.starts_with(".claude/skills/") && path.ends_with("SKILL.md")).unwrap().clone();
    world.read(&at)
}

#[test]
fn an_answer_holds_for_the_same_request_until_it_is_forgotten() {
    let (told, asked) = (World::two(), World::two());
    let answer = "consumers=the CI secrets of the shop";
    told.create(&[KEYS, "--answer", answer, "--yes"]).is(0);
    let first = only_skill(&told);
    assert!(first.contains("the CI secrets of the shop"), "{first}");
    let name = told.data(&["runs"])["runs"][0]["skill"].as_str().unwrap().to_owned();
    told.data(&["delete", &name, "--yes"]);
    let again = told.create(&[KEYS, "--yes"]);
    again.is(0).says("consumers: the CI secrets of the shop").says(&format!("because you answered so for `{name}`"));
    assert_eq!(only_skill(&told), first, "the answer has the same place as before");
    let listed = told.data(&["memory", "facts", "list"])["answers"].clone();
    assert_eq!((listed.as_array().unwrap().len(), &listed[0]["key"]), (1, &json!("consumers")));
    let id = format!("answer:{}", listed[0]["id"].as_str().unwrap());
    told.run(&["memory", "facts", "forget", &id]).is(3);
    told.data(&["memory", "facts", "forget", &id, "--yes"]);
    told.data(&["delete", &name, "--yes"]);
    for world in [&told, &asked] {
        world.create(&[KEYS, "--yes"]).is(0);
    }
    assert_eq!(only_skill(&told), only_skill(&asked));
}

#[test]
fn what_was_answered_for_a_like_request_is_offered_to_a_person_only() {
    let world = World::two();
    world.create(&[KEYS, "--answer", "consumers=the CI secrets", "--yes"]).is(0);
    let like = "Rotate the AWS access keys of our backup account";
    world.create(&[like, "--dry-run"]).is(0).never_says("the CI secrets");
    world.create_by(&[like], ["reject-memory 1", "approve"]).is(0).says("consumers: the CI secrets");
}

#[test]
fn a_line_written_by_hand_is_there_again_for_the_same_request() {
    let world = World::two();
    let editor = world.script("append", "echo '- Sign every export.' >> \"$1\"");
    world.set("VISUAL", &editor);
    world.create_by(&[PDF], ["edit", "approve"]).is(0);
    world.data(&["delete", "extract-tables-pdf", "--yes"]);
    world.create(&[PDF, "--yes"]).is(0).says("because you added it for `extract-tables-pdf`");
    assert!(world.read(SKILL).contains("- Sign every export (you, 5 Feb 2026)\n"), "{}", world.read(SKILL));
}

#[test]
fn a_run_that_is_done_can_be_forked_and_stays_as_it_is() {
    let world = with_a_past();
    approved(&world, &["approve"]);
    let (run, first) = (world.newest(), world.read(SKILL));
    world.data(&["undo", "--yes"]);
    assert!(!world.exists(SKILL));
    let fork = ["resume", &run, "--fork", "--from", "P2"];
    world.run_by(&fork, ["approve"]).is(0).says(&format!("forked from P2 of run {run}"));
    assert_eq!(world.read(SKILL), first);
    let runs = world.data(&["runs"])["runs"].clone();
    let of = |id: &str| runs.as_array().unwrap().iter().find(|one| one["run_id"] == id).unwrap()["status"].clone();
    assert_eq!(of(&run), "done");
    assert_ne!(world.newest(), run);
    world.run(&["resume", &run, "--fork", "--from", "P5"]).is(2);
    world.run(&["resume", "nope", "--fork"]).fails("E-RESUME-001", 1);
    // A run that failed is forked from the request that was typed.
    let world = World::two();
    world.write(".hefesto/templates/late.md", "{{ NOPE }}");
    world.create(&[PDF, "--template", "late", "--yes"]).is(1);
    let run = world.newest();
    world.write(".hefesto/templates/late.md", "# {{ SKILL_TITLE }}\n\n{{ INPUT }}\n\n{{ INSTRUCTIONS }}\n");
    world.run(&["resume", &run, "--fork", "--yes"]).is(0);
    assert!(world.exists(SKILL));
}

/// The lines of one text that are not in another.
fn more<'t>(text: &'t str, than: &str) -> Vec<&'t str> {
    text.lines().filter(|line| !than.lines().any(|other| other == *line)).collect()
}

#[test]
fn the_same_sentence_with_a_past_gives_another_skill_and_without_it_the_same_bytes() {
    let (lived, new) = (with_a_past(), World::two());
    for other in ["Merge PDF files", "Split PDF files by chapter"] {
        lived.create(&[other, "--yes"]).is(0);
    }
    lived.create(&[PDF, "--answer", "house=Only the finance team reads the result", "--yes"]).is(0);
    lived.data(&["delete", "extract-tables-pdf", "--yes"]);
    let talk = json!({ "conversation_id": "ocr", "title": "Scans", "messages": [
        { "role": "user", "content": "PDF tables of 2019 need deskewing" },
    ] });
    lived.data(&["memory", "fifo", "add", "--content", &talk.to_string()]);
    stored(&lived, "user_input", r#"{"input": "Keep merged cells apart"}"#);

    let said = lived.create_by(&[PDF, "--session", "s1"], ["approve"]).ok();
    new.create_by(&[PDF], ["approve"]).is(0);
    let (with, without) = (lived.read(SKILL), new.read(SKILL));
    let differs: Vec<&str> = more(&with, &without).into_iter().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(differs.len(), 4, "{differs:#?}");
    let explained = lived.data(&["memory", "inspect", "turn"])["in_skill"].as_array().unwrap().clone();
    assert_eq!(explained.len(), 4, "{explained:#?}");
    for line in differs {
        // The key of an answer stands before it where nobody asked.
        let text = line.trim_start_matches(['-', ' ']).trim_start_matches("House: ").split(" (").next().unwrap();
        assert!(said.err.contains(text), "{text} was not shown at the gate\n{}", said.err);
        assert!(explained.iter().any(|one| one.to_string().contains(text)), "{text} is not explained: {explained:#?}");
    }
    assert_eq!(said.err.matches("     because ").count(), 4, "{}", said.err);

    lived.data(&["memory", "turn", "goal", "--done", &id_of(&lived, "goal")]);
    lived.data(&["memory", "delete", &id_of(&lived, "observe"), "--yes"]);
    let answer = lived.data(&["memory", "facts", "list"])["answers"][0]["id"].as_str().unwrap().to_owned();
    lived.data(&["memory", "facts", "forget", &format!("answer:{answer}"), "--yes"]);
    lived.data(&["memory", "stm", "end", "--session", "s1"]);
    for world in [&lived, &new] {
        world.data(&["delete", "extract-tables-pdf", "--yes"]);
        world.create(&[PDF, "--yes"]).is(0);
    }
    assert_eq!(lived.read(SKILL), new.read(SKILL));
    assert_eq!(lived.data(&["memory", "inspect", "turn"])["in_skill"], json!([]));
}
