//! A shell history: the most frequent commands.

use super::{Fact, Facts, Kind, Source, lines::code};

/// How many commands are used.
const MOST: usize = 12;

/// Commands without information about the work.
const IDLE: &[&str] = &[
    "cd", "ls", "ll", "la", "pwd", "clear", "exit", "history", "man", "which", "echo", "cat", "less", "vi", "vim",
    "nvim", "nano", "code", "fg", "bg", "jobs", "top", "htop", "whoami", "date", "logout", "reset", "source", "export",
];

/// Whether it is a shell history: by its name, or by lines in the format of zsh or fish.
pub(super) fn is_one(name: &str, text: &str) -> bool {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let stamped = lines.iter().filter(|line| zsh(line).is_some() || fish(line).is_some()).count();
    name.to_ascii_lowercase().ends_with("history") || (stamped >= 2 && stamped * 2 > lines.len())
}

/// The most frequent commands in the order of their first use, with their counts. Returns how many were left out.
pub(super) fn read(source: &Source<'_>, out: &mut Facts) -> usize {
    let mut used: Vec<(&str, usize, usize)> = Vec::new();
    let fishy = source.text.lines().any(|line| fish(line).is_some());
    for (number, line) in source.text.lines().enumerate() {
        let Some(command) = (if fishy { fish(line) } else { command(line) }) else { continue };
        let first = command.split_whitespace().next().unwrap_or_default();
        if first.is_empty() || IDLE.contains(&first) || command.ends_with('\\') {
            continue;
        }
        match used.iter_mut().find(|(known, ..)| *known == command) {
            Some((_, times, _)) => *times += 1,
            None => used.push((command, 1, number + 1)),
        }
    }
    let mut ranks: Vec<usize> = used.iter().map(|(_, times, _)| *times).collect();
    ranks.sort_unstable_by(|one, other| other.cmp(one));
    let least = ranks.get(MOST - 1).copied().unwrap_or(1);
    let all = used.len();
    let kept = used.into_iter().filter(|(_, times, _)| *times >= least).take(MOST);
    let before = out.all.len();
    for (command, times, line) in kept {
        let often = if times > 1 { format!(" used {times} times") } else { String::new() };
        let fact = Fact::new(Kind::Command, format!("{}{often}", code(command))).about(command);
        out.command(source, line, fact, command);
    }
    all - (out.all.len() - before)
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
