//! Clones made by an enemy: every command that needs no approval is run in each. Nothing outside the project changes,
//! nothing of the clone runs, no control character and no private text is printed, nothing hangs.
//!
//! By default each attack meets some of the commands, the next attack others; `HEFESTO_SWEEP=full` runs all of them,
//! and `HEFESTO_ATTACK=TEXT` only the attacks with this text in their name.

mod clone;
mod contents;
mod databases;
mod journals;
mod places;
mod programs;
mod screen;
mod settings;
mod skills;

use std::sync::LazyLock;
use std::time::Duration;

use crate::support::sweep;
use clone::{Attack, Clone, Ran};

const NAME: &str = "validate-email-addresses";

/// A command must be over after this much of its own time: a second where it is optimised, and what that is where it is
/// not.
const CPU: Duration = Duration::from_secs(if cfg!(debug_assertions) { 3 } else { 1 });

/// What needs no approval, or does not get it, and what an approval must not make dangerous.
static COMMANDS: LazyLock<Vec<Vec<String>>> = LazyLock::new(|| {
    let lines = include_str!("../../fixtures/commands/attacked.txt").lines();
    lines.map(|line| shell_words::split(line).unwrap()).collect()
});

/// What a run did that it must not do.
fn wrongs(ran: &Ran, before: &clone::Outside, after: &clone::Outside, clone: &Clone, attack: &Attack) -> Vec<String> {
    let mut wrong = clone::differences(before, after);
    wrong.retain(|one| !(attack.adds_inside && one.starts_with("project/mine/") && one.ends_with("was made outside")));
    if clone.ran_something() {
        wrong.push("a program of the clone ran".to_owned());
    }
    match ran.exit {
        Some(0..=8) => {}
        None => wrong.push(if ran.hung { "it hangs".to_owned() } else { "it was ended by a signal".to_owned() }),
        Some(other) => wrong.push(format!("exit {other}: {}", clone::excerpt(&ran.shown))),
    }
    if ran.cpu > CPU && !ran.hung {
        wrong.push(format!("it took {:?} of CPU", ran.cpu));
    }
    wrong.extend(screen::unprintable(&ran.shown));
    wrong.extend(screen::forged(&ran.shown));
    if ran.shown.contains(clone::PRIVATE) {
        wrong.push(format!("a private text is shown: {}", clone::around(&ran.shown, clone::PRIVATE)));
    }
    wrong.extend(clone.private_in_project());
    wrong
}

/// Runs the commands, or by default every so many-th, in each attack's clone, made anew for each.
fn attacked(group: &str, attacks: &[Attack], stride: usize, floor: usize) {
    let stride = sweep::stride(stride);
    let only = std::env::var("HEFESTO_ATTACK").ok();
    let (mut runs, mut failed) = (0, Vec::new());
    for (index, attack) in attacks.iter().enumerate() {
        if only.as_ref().is_some_and(|only| !attack.name.contains(only.as_str())) {
            continue;
        }
        for (turn, command) in COMMANDS.iter().enumerate() {
            if !(index + turn).is_multiple_of(stride) {
                continue;
            }
            let clone = Clone::new(attack);
            let before = clone.outside();
            let ran = clone.hefesto(attack, command);
            runs += 1;
            let after = clone.outside();
            for wrong in wrongs(&ran, &before, &after, &clone, attack) {
                failed.push(format!("{} | {} | {wrong}", attack.name, command.join(" ")));
            }
            if ran.hung {
                break;
            }
        }
    }
    println!("{group}: {} attacks, {runs} runs", attacks.len());
    assert!(failed.is_empty(), "{} failures\n{}", failed.len(), failed[..failed.len().min(400)].join("\n"));
    assert!(only.is_some() || runs >= floor, "{group}: {runs} runs");
}

#[test]
fn what_the_project_keeps_is_a_link_or_no_file_at_all() {
    attacked("places", &places::attacks(), 193, 110);
}

#[test]
fn journals_are_forged() {
    attacked("journals", &journals::attacks(), 59, 60);
}

#[test]
fn the_database_is_forged() {
    attacked("databases", &databases::attacks(), 59, 45);
}

#[test]
fn the_registry_the_archives_and_the_templates_are_forged() {
    attacked("contents", &contents::attacks(), 97, 85);
}

#[test]
fn the_settings_are_forged() {
    attacked("settings", &settings::attacks(), 59, 50);
}

#[test]
fn the_skills_are_forged() {
    attacked("skills", &skills::attacks(), 73, 60);
}

#[test]
fn the_clone_brings_programs() {
    attacked("programs", &programs::attacks(), 59, 25);
}

#[test]
fn a_terminal_gets_no_sequence_of_the_clone() {
    let attacks = [contents::control_characters(), skills::control_characters(), settings::control_characters()];
    let mut shown = 0;
    for (index, attack) in attacks.iter().flatten().enumerate() {
        let texts = COMMANDS.iter().filter(|command| !command.iter().any(|word| word == "--json")).enumerate();
        for (_, command) in texts.filter(|(turn, _)| (index + turn).is_multiple_of(59)) {
            let clone = Clone::new(attack);
            let seen = clone.on_a_terminal(attack, command);
            let wrong = screen::foreign_sequences(&seen);
            assert!(wrong.is_none(), "{}: {}: {wrong:?}", attack.name, command.join(" "));
            shown += usize::from(!seen.is_empty());
        }
    }
    assert!(shown >= 45, "{shown} screens");
}
