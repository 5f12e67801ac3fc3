//! Adds `--global` to the commands in hints.

/// The commands that take `--global`.
const VERBS: &[&str] = &[
    "add", "adopt", "approve", "backups", "config", "convert", "create", "delete", "detect", "diff", "edit", "grade",
    "init", "list", "log", "memory", "outdated", "pack", "recover", "rename", "repair", "restore",
    "restore-constitution", "resume", "runs", "show", "status", "sync", "undo", "update", "validate", "why",
];

/// The text with `--global` in every command that takes it: `hefesto undo` becomes `hefesto --global undo`.
pub fn with_global(text: &str) -> String {
    let mut parts = text.split("hefesto ");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let verb = part.split(|c: char| !c.is_ascii_lowercase() && c != '-').next().unwrap_or_default();
        let command = part.split(['`', '\n', ';']).next().unwrap_or_default();
        let takes = VERBS.contains(&verb) && !command.contains("--global");
        text.push_str(if takes { "hefesto --global " } else { "hefesto " });
        text.push_str(part);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hint_can_be_typed_as_it_stands_and_one_that_has_it_already_stays() {
        for (hint, typed) in [
            (
                "Take it back: hefesto undo; `hefesto repair`. This hefesto is old: hefesto explain X.",
                "Take it back: hefesto --global undo; `hefesto --global repair`. This hefesto is old: hefesto explain X.",
            ),
            (
                "`hefesto delete x --global --cli codex` or `hefesto delete x`.",
                "`hefesto delete x --global --cli codex` or `hefesto --global delete x`.",
            ),
        ] {
            assert_eq!(with_global(hint), typed);
        }
    }
}
