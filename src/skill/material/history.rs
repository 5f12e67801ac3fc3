//! A shell's history: the commands that were used, those used most often.

use super::{Found, Kind, MOST};

/// Commands that say nothing about the work.
const IDLE: &[&str] = &[
    "cd", "ls", "ll", "la", "pwd", "clear", "exit", "history", "man", "which", "echo", "cat", "less", "vi", "vim",
    "nvim", "nano", "code", "fg", "bg", "jobs", "top", "htop", "whoami", "date", "logout", "reset", "source", "export",
];

/// Whether most lines are as zsh or fish write them.
pub(super) fn looks_like_one(text: &str) -> bool {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let stamped = lines.iter().filter(|line| zsh(line).is_some() || fish(line).is_some()).count();
    stamped >= 2 && stamped * 2 > lines.len()
}

/// The commands that were used most, in the order of their first use, with how often.
pub(super) fn read(text: &str, found: &mut Found) -> bool {
    let mut used: Vec<(String, usize)> = Vec::new();
    let fishy = text.lines().any(|line| fish(line).is_some());
    for line in text.lines() {
        let Some(command) = (if fishy { fish(line) } else { command(line) }) else { continue };
        let first = command.split_whitespace().next().unwrap_or_default();
        if first.is_empty() || IDLE.contains(&first) || command.ends_with('\\') {
            continue;
        }
        match used.iter_mut().find(|(known, _)| known == command) {
            Some((_, times)) => *times += 1,
            None => used.push((command.to_owned(), 1)),
        }
    }
    let mut ranks: Vec<usize> = used.iter().map(|(_, times)| *times).collect();
    ranks.sort_unstable_by(|one, other| other.cmp(one));
    let least = ranks.get(MOST - 1).copied().unwrap_or(1);
    for (command, times) in &used {
        if *times < least {
            found.left_out += 1;
        } else {
            let about = if *times > 1 { format!("used {times} times") } else { String::new() };
            found.take(Kind::Command, command, &about);
        }
    }
    true
}

fn command(line: &str) -> Option<&str> {
    let line = line.trim();
    if line.starts_with('#') {
        return None; // a time bash wrote down, or a comment
    }
    let line = zsh(line).unwrap_or(line);
    // The output of `history` numbers its lines.
    match line.split_once("  ") {
        Some((number, rest)) if number.bytes().all(|b| b.is_ascii_digit()) && !number.is_empty() => Some(rest.trim()),
        _ => Some(line),
    }
}

fn zsh(line: &str) -> Option<&str> {
    let (stamp, command) = line.strip_prefix(": ")?.split_once(';')?;
    stamp.bytes().all(|b| b.is_ascii_digit() || b == b':').then_some(command.trim())
}

fn fish(line: &str) -> Option<&str> {
    line.strip_prefix("- cmd: ").map(str::trim)
}
