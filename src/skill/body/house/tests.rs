//! Which rules a body shows, and where.

use std::collections::BTreeMap;

use super::*;
use crate::skill::body::Body;
use crate::skill::fact::{Facts, STEP};
use crate::skill::sentence;

/// The body for a sentence in a repository with these facts, without packs.
fn body(sentence: &str, all: Vec<Fact>) -> Body {
    body_with(sentence, &Facts { all, ..Facts::default() }, &[])
}

fn body_with(sentence: &str, facts: &Facts, packs: &[pack::Chosen]) -> Body {
    let none = BTreeMap::new();
    let (answers, asked, sentence) = (&none, &none, &sentence::read(sentence));
    super::super::assemble(&Material { sentence, facts, packs, answers, asked, given: &[], remembered: &[] })
}

/// The body with a pack on parsers that has these lines, where these rules hold.
fn with_pack(lines: &[String], sentence: &str, rules: &[&str]) -> Body {
    const HEAD: &str =
        "id = 'parsers'\ntitle = 'Parsers'\nreviewed = '2026-01-01'\ntopic = [['parser']]\ninput = 'the parser'\n";
    let facts = Facts { all: numbered(rules), ..Facts::default() };
    let source = pack::Source::own("parsers".into(), format!("{HEAD}{}", lines.concat()));
    let packs = pack::choose(&[source], &sentence::read(sentence), &facts, &pack::Choice::default()).unwrap();
    body_with(sentence, &facts, &packs)
}

/// A step of a pack that decides something, or nothing.
fn step(slot: &str, verbs: &[&str], decides: &str, text: &str) -> String {
    let decides = if decides.is_empty() { String::new() } else { format!("decides = ['{decides}']\n") };
    format!("[[line]]\nkind = 'step'\nslot = '{slot}'\nverbs = {verbs:?}\n{decides}text = '{text}'\n")
}

fn steps(body: &Body) -> Vec<&str> {
    body.lines().filter(|line| line.shape == Shape::Step).map(|line| line.text.as_str()).collect()
}

fn has(body: &Body, part: &str) -> bool {
    body.lines().any(|line| line.text.contains(part))
}

fn rule(line: usize, text: &str) -> Fact {
    Fact::new(Kind::Rule, text).about(text).at("AGENTS.md", line)
}

fn numbered(rules: &[&str]) -> Vec<Fact> {
    rules.iter().enumerate().map(|(at, text)| rule(at + 1, text)).collect()
}

/// The rules that are shown for a sentence, without packs, in a repository with these rules and a release command.
fn shown(sentence: &str, rules: &[&str]) -> Vec<String> {
    let release = Fact::new(Kind::ReleaseCommand, "`make release`").command("make release");
    let release = release.about("release publish").risk(Some(Risk::Publishes)).at("Makefile", 1);
    let job = Fact::new(Kind::CiRelease, "CI job `release` publishes with `x/y@v1`").risk(Some(Risk::Publishes));
    let body = body(sentence, [numbered(rules), vec![release, job.at("ci.yml", 1)]].concat());
    body.lines().filter(|line| !matches!(line.origin, Origin::Open { .. })).map(|line| line.text.clone()).collect()
}

#[test]
fn a_rule_that_decides_what_a_step_decides_takes_its_place() {
    let lines = [
        step("codes", &["refactor"], "exit code", "Return 2 for wrong usage."),
        step("tables", &["refactor"], "points", "Score each rule 0, 1 or 2."),
        "[[line]]\nkind = 'check'\ndecides = ['exit code']\ntext = 'a wrong flag ends with 2'\n".to_owned(),
        "[[question]]\nkey = 'codes'\nask = 'Which codes may it end with?'\nslot = 'codes'\nverbs = ['refactor']\n"
            .into(),
    ];
    let of = |rules: &[&str]| with_pack(&lines, "Refactor the parser", rules);
    assert!(of(&[]).markdown().contains("Which codes"));
    assert_eq!(steps(&of(&[])), ["Return 2 for wrong usage.", "Score each rule 0, 1 or 2."]);
    let body = of(&["The exit codes of the parser are 64 and 70.", "The parser has no points."]);
    assert_eq!(steps(&body), ["The exit codes of the parser are 64 and 70. (AGENTS.md:1)"]);
    let text = body.markdown();
    assert!(text.contains("has no points. (AGENTS.md:2)") && !text.contains("wrong flag"), "{text}");
    assert!(!text.contains("Which codes"), "{text}");
}

#[test]
fn a_step_in_the_words_of_the_sentence_has_the_rule_on_it() {
    let lines = [step("split", &["refactor"], "", "Split what reads from what checks.")];
    let rules = ["The channel for the parser is #forms, never #general."];
    let body = with_pack(&lines, "Refactor the parser and warn the channel", &rules);
    let lines: Vec<_> = body.lines().collect();
    let own = lines.iter().position(|line| line.text == "Warn the channel.").unwrap();
    let below = lines[own + 1];
    assert!(below.shape == Shape::Under && below.text.starts_with("The channel for"), "{}", body.markdown());
}

#[test]
fn what_the_sentence_forbids_altogether_is_no_step() {
    let lines = [
        step("find", &["review", "write"], "", "List what the parser rejects without a reason."),
        step("repair", &["write", "fix"], "", "Give each error its place and a remedy."),
    ];
    let repairs = |sentence: &str| {
        steps(&with_pack(&lines, sentence, &[])).iter().any(|step| step.starts_with("Give each error"))
    };
    assert!(repairs("Review the parser and write what you find"));
    assert!(!repairs("Review the parser and write what you find; don't fix anything"));
}

#[test]
fn a_rule_is_taken_that_shares_the_task_stands_beside_such_a_one_or_is_a_check_of_every_change() {
    for (sentence, rules, taken, left) in [
        (
            "Refactor the parser of the invoices",
            &[
                "The parser never logs names.",
                "The parser returns spans, never strings.",
                "Never panic on input.",
                "Webhook payloads are signed.",
                "Timeouts towards carriers are 4 seconds, no more.",
            ][..],
            &["names", "spans"][..],
            "carriers",
        ),
        (
            "Refactor the parser",
            &["The parser never logs names.", "Run the linter before each commit.", "Deploys happen on Mondays."],
            &["names", "linter"],
            "Mondays",
        ),
        // A sentence comes with the one it speaks of.
        (
            "Refactor the parser",
            &["Invoices get a number of their own.", "They are checked by the parser before release."],
            &["Invoices get"],
            "elsewhere",
        ),
        (
            "Answer support emails",
            &["The parser never logs names.", "Run the linter before each commit."],
            &[],
            "AGENTS.md",
        ),
    ] {
        let lines = shown(sentence, rules);
        let has = |part: &str| lines.iter().any(|line| line.contains(part));
        assert!(taken.iter().all(|part| has(part)) && !has(left), "{lines:?}");
    }
    assert!(pack::is_common("write") && pack::is_common("data") && !pack::is_common("trailer"));
}

#[test]
fn a_command_that_a_manifest_suggests_gives_way_to_the_one_of_the_rules() {
    let test = Fact::new(Kind::TestCommand, "`go test ./...` runs the tests").about("go test tests parser");
    let test = test.command("go test ./...").at("go.mod", 0);
    let runs = |text: &str| has(&body("Fix the parser", vec![test.clone(), rule(1, text)]), "`go test ./...`");
    assert!(runs("Commits are small.") && !runs("Tests are run with `task verify`, in any order."));
}

#[test]
fn a_command_that_is_not_enough_alone_gives_way_to_the_one_that_is() {
    let command = |name: &str| {
        let run = format!("npm run {name}");
        let fact = Fact::new(Kind::TestCommand, format!("`{run}`: `x`")).command(run.as_str()).about(name);
        fact.at("package.json", 4)
    };
    let runs = |text: &str| {
        let all = vec![command("test"), command("verify"), rule(12, text)];
        let body = body("Update the packages, then run the test", all);
        steps(&body).iter().any(|step| step.contains("`npm run test`"))
    };
    assert!(runs("Commits are small."));
    assert!(!runs("Run `npm run verify`; `npm run test` alone misses the size."));
}

#[test]
fn beside_a_section_on_the_task_what_other_sections_say_is_left_out() {
    let rule = |section: &str, line: usize, text: &str| Fact { section: section.into(), ..rule(line, text) };
    let own = ["Each parser has a grammar.", "Keep a parser pure.", "A parser never prints."];
    let mut all: Vec<Fact> = own.iter().map(|text| rule("Parser", 1, text)).collect();
    all.push(rule("House", 2, "Never round an amount."));
    let body = body("Refactor the parser", all);
    assert!(has(&body, "grammar") && has(&body, "pure") && !has(&body, "amount"), "{}", body.markdown());
}

#[test]
fn a_rule_that_goes_on_from_another_stands_with_it() {
    let of = |second: &str| {
        let all = vec![rule(1, "A parser field is never removed before 90 days."), rule(2, second)];
        has(&body("Refactor the parser", all), "AGENTS.md:2")
    };
    assert!(of("Deploys happen on Mondays because of it.") && !of("Deploys happen on Mondays."));
}

#[test]
fn a_rule_whose_subject_stands_in_its_heading_keeps_it() {
    let task = Subject::of("Subir Rails");
    let torn = |section: &str, text: &str| is_torn(&Fact { section: section.into(), ..rule(1, text) }, &task);
    assert!(torn("Ruby", "En otro PR que Rails, siempre."));
    assert!(!torn("Ruby", "En Ruby, siempre.") && !torn("Ruby", "Never on a Friday.") && !torn("", "On Fridays."));
    assert!(!torn("Rails", "De una menor a la siguiente."));
}

#[test]
fn what_only_says_how_something_else_is_is_left_out() {
    for rule in [
        "Names of NATS subjects are lower case.",
        "The office van is serviced every 10,000 miles.",
        "E-mail templates live in the mailer repository, not here.",
    ] {
        let owner = Fact::new(Kind::Rule, "Every goroutine has an owner.").about("goroutine");
        let all = vec![owner.at("CLAUDE.md", 3), Fact::new(Kind::Rule, rule).about(rule).at("CLAUDE.md", 8)];
        let (facts, sentence) = (Facts { all, ..Facts::default() }, "Track down goroutine leaks in the worker");
        let packs = pack::of_sentence(&sentence::read(sentence), &facts);
        assert!(!packs.is_empty());
        assert!(!has(&body_with(sentence, &facts, &packs), "CLAUDE.md:8"), "{rule}");
    }
}

#[test]
fn a_sentence_that_orders_nothing_is_taken_where_its_document_is_on_the_task() {
    let stated = |work: &str| {
        let fact = Fact::new(Kind::Statement, "The left scale is the exact one.").about("scale");
        let all = vec![Fact { work: Some(work.into()), ..fact }.at("a.md", 2)];
        let facts = Facts { all, office: true, ..Facts::default() };
        has(&body_with("Weigh the samples of a batch", &facts, &[]), "left scale")
    };
    assert!(stated("samples") && !stated("kitchen"));
}

#[test]
fn rules_of_a_document_about_one_work_hold_for_that_work() {
    let rule = Fact { work: Some("migrations".into()), ..Fact::new(Kind::Rule, "Three separate deploys.") };
    let rule = rule.at("docs/migrations.md", 2);
    let shows = |sentence: &str| has(&body(sentence, vec![rule.clone()]), "Three separate");
    assert!(shows("Write a migration for a new column") && !shows("Refactor the parser"));
}

#[test]
fn the_rules_of_a_section_hold_together() {
    let rule = |line: usize, section: &str, text: &str| {
        let fact = Fact::new(Kind::Rule, text).about(text).at("docs/frontend.md", line);
        Fact { work: Some("frontend".into()), section: section.into(), ..fact }
    };
    let focus = rule(2, "Accessibility", "Never remove the focus outline.");
    let axe = rule(3, "Accessibility", "Every test runs `axe`.");
    let all = vec![focus, axe, rule(5, "State", "No Redux, whatever happens.")];
    for (sentence, count) in [("Review the accessibility of the form", 2), ("Answer support emails", 0)] {
        let body = body(sentence, all.clone());
        assert_eq!(body.lines().filter(|line| line.text.contains("docs/frontend.md")).count(), count);
    }
}

#[test]
fn numbered_steps_of_the_house_take_the_place_of_those_of_the_sentence() {
    let body = |count: usize| {
        let step = |at: usize| {
            let fact = Fact::new(Kind::Rule, format!("Do part {at} of it.")).id(STEP);
            Fact { work: Some("handover".into()), ..fact }.at("docs/handover.md", at)
        };
        body("Write the handover note", (1..=count).map(step).collect())
    };
    let (whole, short) = (body(PROCEDURE), body(PROCEDURE - 1));
    assert!(steps(&whole).len() == PROCEDURE && steps(&whole)[0].starts_with("Do part 1"), "{whole:?}");
    assert!(!steps(&short).iter().any(|step| step.starts_with("Do part")));
}

#[test]
fn without_a_pack_the_rules_that_say_what_to_do_are_the_steps() {
    let rules = ["Ask the owner of the parser.", "Run the parser on staging.", "Note the parser in `log.csv`."];
    let body = |rules: &[&str]| body("Refactor the parser", numbered(rules));
    assert!(steps(&body(&rules))[0].starts_with("Ask the owner"), "{:?}", steps(&body(&rules)));
    assert!(!steps(&body(&rules[1..])).iter().any(|step| step.starts_with("Run the parser")));
}

#[test]
fn of_many_rules_the_nearest_are_shown_in_the_order_of_their_file() {
    let mut rules: Vec<String> = (0..11).map(|n| format!("Keep habit {n} of a parser in mind.")).collect();
    rules.push("Refactor every parser with its grammar.".into());
    let lines = shown("Refactor the parser", &rules.iter().map(String::as_str).collect::<Vec<_>>());
    let house: Vec<&String> = lines.iter().filter(|line| line.contains("AGENTS.md")).collect();
    assert!(house.len() == MOST && house[MOST - 1].contains("grammar"), "{lines:?}");
}

#[test]
fn a_command_that_a_rule_forbids_is_left_to_the_ci_job() {
    let of = |rule: &str| shown("Publish a release", &[rule]).join("\n");
    let lines = of("Nobody publishes from a laptop; the workflow does.");
    assert!(lines.contains("CI job `release`") && lines.contains("laptop") && !lines.contains("`make release`"));
    assert!(of("Publish on Mondays only.").contains("`make release`"));
}

#[test]
fn a_rule_belongs_under_the_step_about_its_subject() {
    let slot = |slot: &'static str, text: &str| Slot { id: "limits", slot, said: Subject::of(text), least: SAME };
    let store = "Count in a shared store such as Redis, in one atomic step; a key without a lifetime is never removed.";
    let slots = [
        slot("store", store),
        slot("answer", "Answer 429 with `Retry-After` and a body that names the limit; document the headers."),
        slot("down", "Decide what happens without the store: open for reads, closed for login."),
    ];
    for (rule, wanted) in [
        ("Every response body and its headers are snake_case.", Some("answer")),
        ("Shared keys live in Redis.", Some("store")),
        ("If the store is down, login stays open.", Some("down")),
        ("Pull requests need two approvals.", None),
    ] {
        assert_eq!(nearest(rule, &slots).map(|slot| slot.slot), wanted, "{rule}");
    }
}
