//! What a sentence says is in its skill once: packs for unknown verbs, conditions, bans.

use hefesto::client::target::Arguments;

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
fn what_waits_for_a_person_is_a_limit() {
    let made = skill("Sort the donations before we publish the list");
    assert!(made.text.contains("- Before the team publishes the list: sort the donations."), "{}", made.text);
}

#[test]
fn a_condition_is_said_once_and_with_its_own_verb() {
    let made = skill("Contar las entradas al final y avisar solo si faltan más de 3");
    assert!(made.text.contains("- Avisar solo si faltan más de 3."), "{}", made.text);
    assert!(!made.text.contains("Avisar entradas") && !made.text.contains("2. Avisar"), "{}", made.text);
    let made = skill("Answer room requests by email, and only if the hall is free that day offer the large room");
    assert!(made.description.contains("only if the hall is free that day offers the large room"), "{}", made.text);
    assert!(made.text.contains("- Only if the hall is free that day offer the large room."), "{}", made.text);
    let made = skill("Tot up the float in the morning and only warn me if more than 2 coins are missing");
    assert!(made.text.contains("- Only warn the user if more than 2 coins are missing."), "{}", made.text);
}

#[test]
fn a_shortened_title_holds_no_half_of_a_ban() {
    let sentence = "Score the applications that came in by post or by mail to the citizens' fund of the district \
                    against the published criteria of the call: impact, budget, \
                    never gender, nationality, age or university of the applicants";
    let made = skill(sentence);
    let title = made.text.lines().find(|line| line.starts_with("# ")).unwrap();
    assert!(title.ends_with(": impact, budget"), "{title}");
    assert!(made.text.contains("- Never gender, nationality, age or university of the applicants."), "{}", made.text);
}

#[test]
fn a_clause_whose_verb_begins_a_step_is_not_repeated() {
    let made = skill("Cut our GitHub Actions time: cache dependencies, never cache secrets");
    assert!(made.text.contains(". Cache through the setup action"), "{}", made.text);
    assert!(!made.text.contains(". Cache dependencies."), "{}", made.text);
}

#[test]
fn a_warning_stands_before_the_first_step_that_cannot_be_undone() {
    let made = skill("Rotate the AWS access keys: list their users, phone Marta before");
    let steps: Vec<&str> = made.text.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit())).collect();
    let warning = steps.iter().position(|step| step.ends_with(". Phone Marta before."));
    let risky = steps.iter().position(|step| step.contains("**Ask first.**"));
    assert!(warning > Some(0) && warning < risky, "{}", made.text);
}
