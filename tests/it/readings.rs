//! What a sentence says is in its skill once, and what a skill is graded, written by hand and made from a sentence alone.

use hefesto::client::target::Arguments;
use hefesto::rules::quality::checklist::{Grade, checklist};
use hefesto::rules::{self, Subject};
use hefesto::skill::Tree;
use hefesto::skill::template::gaps;

use crate::support::made::{Made, made};

fn skill(sentence: &str) -> Made {
    made(sentence, Arguments::Dollar)
}

#[test]
fn an_unknown_verb_with_a_list_keeps_the_pack_of_the_subject() {
    for sentence in [
        "Zuz up the weekly status report: done, next, blocked",
        "Every Friday, zuz up the weekly status report for the board: risks, costs, dates",
    ] {
        let packs: Vec<String> = skill(sentence).packs.into_iter().map(|chosen| chosen.pack.head.id).collect();
        assert_eq!(packs, ["status-reports"], "{sentence}");
    }
}

#[test]
fn what_is_said_of_a_condition_or_a_ban_is_said_once() {
    // What waits for a person is a limit.
    let made = skill("Sort the donations before we publish the list");
    assert!(made.text.contains("- Before the team publishes the list: sort the donations."), "{}", made.text);
    // A condition is said once and with its own verb.
    let made = skill("Contar las entradas al final y avisar solo si faltan más de 3");
    assert!(made.text.contains("- Avisar solo si faltan más de 3."), "{}", made.text);
    assert!(!made.text.contains("Avisar entradas") && !made.text.contains("2. Avisar"), "{}", made.text);
    let made = skill("Answer room requests by email, and only if the hall is free that day offer the large room");
    assert!(made.description.contains("only if the hall is free that day offers the large room"), "{}", made.text);
    assert!(made.text.contains("- Only if the hall is free that day offer the large room."), "{}", made.text);
    let made = skill("Tot up the float in the morning and only warn me if more than 2 coins are missing");
    assert!(made.text.contains("- Only warn the user if more than 2 coins are missing."), "{}", made.text);
    // A shortened title holds no half of a ban.
    let sentence = "Score the applications that came in by post or by mail to the citizens' fund of the district \
                    against the published criteria of the call: impact, budget, \
                    never gender, nationality, age or university of the applicants";
    let made = skill(sentence);
    let title = made.text.lines().find(|line| line.starts_with("# ")).unwrap();
    assert!(title.ends_with(": impact, budget"), "{title}");
    assert!(made.text.contains("- Never gender, nationality, age or university of the applicants."), "{}", made.text);
}

#[test]
fn a_clause_is_not_repeated_and_a_warning_stands_before_what_cannot_be_undone() {
    // A clause whose verb begins a step is not repeated.
    let made = skill("Cut our GitHub Actions time: cache dependencies, never cache secrets");
    assert!(made.text.contains(". Cache through the setup action"), "{}", made.text);
    assert!(!made.text.contains(". Cache dependencies."), "{}", made.text);
    // A warning stands before the first step that cannot be undone.
    let made = skill("Rotate the AWS access keys: list their users, phone Marta before");
    let steps: Vec<&str> = made.text.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit())).collect();
    let warning = steps.iter().position(|step| step.ends_with(". Phone Marta before."));
    let risky = steps.iter().position(|step| step.contains("**Ask first.**"));
    assert!(warning > Some(0) && warning < risky, "{}", made.text);
}

/// Skills as people write them who know the work: what to run, what to look at, what goes wrong.
const WRITTEN: &[(&str, &str)] = &[
    ("restore-vault-backup", include_str!("../../fixtures/grade/written/restore-vault-backup.md")),
    ("price-a-kitchen", include_str!("../../fixtures/grade/written/price-a-kitchen.md")),
];

fn graded(name: &str, text: &str) -> Grade {
    let mut tree = Tree::new();
    tree.put("SKILL.md", text);
    let findings = rules::check(&Subject::new(name, &tree));
    Grade::of(&checklist(&findings, true, text), gaps(text))
}

#[test]
fn what_an_expert_wrote_is_graded_better_than_what_a_sentence_alone_gives() {
    for (name, text) in WRITTEN {
        let grade = graded(name, text);
        assert_eq!(grade.verdict, "PASS", "{name}: {grade:?}");
    }
    for sentence in
        ["Triage museum donations", "Tune a harpsichord", "Restore the Vault snapshot", "Voice a clavichord"]
    {
        let made = made(sentence, Arguments::Dollar);
        assert!(made.packs.is_empty(), "{sentence} is in a pack");
        let grade = graded(&made.name, &made.text);
        assert_eq!(grade.verdict, "FAIL", "{sentence}: {grade:?}");
        // With the questions gone it still says nothing of its own.
        let filled: String = made.text.lines().filter(|line| gaps(line) == 0).map(|line| format!("{line}\n")).collect();
        assert_ne!(graded(&made.name, &filled).verdict, "PASS", "{sentence}");
    }
}
