//! What the gate and the collision show: paths, sizes, the first lines, the difference.

pub(super) mod assessment;

use super::{Action, Draft, Plan, Proposal, Resource, approve::PlannedCopy, remembered};
use crate::client::adapt;
use crate::skill::{body::Body, printable, printable_line};
use crate::terminal::ui::{Style, count, diff, size};

/// A skill of so many lines is shown whole, a longer one by its first lines.
const WHOLE: usize = 80;
const FIRST_LINES: usize = 50;

const DIFF_LINES: usize = 40;

/// How many commands are named that only the model supplied.
const NAMED: usize = 12;

/// The preview at the gate: first the text, which may be longer than the screen, then what the decision needs.
pub(super) fn preview(style: Style, proposal: &Proposal, before: Option<&Draft>, initialises: Option<&str>) -> String {
    let Proposal { plan, draft, trigger, .. } = proposal;
    let mut text = match before {
        Some(before) => changes(style, before, draft),
        None => whole(style, plan, draft),
    };
    text.push_str(&format!("{}\n", style.rule(&format!("Skill {}", draft.name))));
    let targets = plan.entries.iter().map(|entry| entry.target.id.as_str()).collect::<Vec<_>>().join(", ");
    let fields = [
        ("Name", draft.name.clone()),
        ("Description", draft.description.clone()),
        ("Category", draft.category.clone()),
        ("Tags", draft.tags.join(", ")),
        ("Version", draft.metadata.version.clone()),
        ("Created", draft.metadata.created.clone()),
        ("Targets", targets),
    ];
    let drafted = draft.drafted_by.as_ref().map(|by| ("Drafted by", format!("{by}; read it before you approve")));
    let drafted = drafted.or_else(|| draft.undrafted.as_ref().map(|why| ("Draft", format!("none: {why}"))));
    let packs = draft.body.as_ref().map(|body| ("Packs", packs(body)));
    for (field, value) in fields.into_iter().chain(packs).chain(drafted) {
        text.push_str(&field_lines(style, field, &printable(&value)));
    }
    text.push_str(&listed(style, "Not as it was drafted", &draft.amended, usize::MAX));
    // These are in no input of the drafter: nobody has checked them.
    let commands: Vec<String> = draft.added_commands.iter().map(|command| format!("`{command}`")).collect();
    text.push_str(&listed(style, "Commands only the model supplied", &commands, NAMED));
    text.push_str(&remembered::shown(style, &draft.remembered));
    text.push_str(&trigger.text(style));
    text.push_str(&format!("\n{}\n", style.head("Files")));
    text.push_str(&plan_lines(style, plan));
    if let Some(place) = initialises {
        let also = format!("  also: CONSTITUTION.md, MEMORY.md and .context/ ({place})\n");
        text.push_str(&style.fold(&also, 6));
    }
    text.push_str(&assessment::assessment(style, proposal));
    text
}

/// SKILL.md; if another program wrote it, every line of every file.
fn whole(style: Style, plan: &Plan, draft: &Draft) -> String {
    let mut text = format!("{}\n", style.rule("SKILL.md"));
    let first = plan.written().next().or_else(|| plan.entries.first());
    let skill = first.and_then(|entry| entry.tree.text("SKILL.md")).unwrap_or(&draft.text);
    let short = skill.lines().count() <= WHOLE;
    let most = if short || draft.drafted_by.is_some() { usize::MAX } else { FIRST_LINES };
    text.push_str(&style.fold(&first_lines(&printable(skill), most), 2));
    if draft.drafted_by.is_some() {
        text.push_str(&drafted_files(style, draft));
    }
    text
}

/// The difference to the text shown before; new and changed files are shown line by line, too.
fn changes(style: Style, before: &Draft, draft: &Draft) -> String {
    let mut text = format!("{}\n", style.rule("SKILL.md: what changed"));
    text.push_str(&diff(style, &before.text, &draft.text, usize::MAX));
    for file in &draft.resources {
        let old = before.resources.iter().find(|old| old.path == file.path);
        let content = |file: &Resource| std::str::from_utf8(&file.blob.bytes).unwrap_or_default().to_owned();
        let (old, new) = (old.map(content).unwrap_or_default(), content(file));
        if old != new {
            text.push_str(&format!("{}\n", style.rule(&file.path)));
            text.push_str(&diff(style, &old, &new, usize::MAX));
        }
    }
    text
}

/// Lines below a title, at most so many; nothing where there is none.
fn listed(style: Style, title: &str, lines: &[String], most: usize) -> String {
    if lines.is_empty() {
        return String::new();
    }
    let mut text = format!("\n{}\n", style.head(title));
    text.extend(lines.iter().take(most).map(|line| style.fold(&format!("  {}\n", printable(line)), 4)));
    if lines.len() > most {
        text.push_str(&format!("  ... [{} more]\n", lines.len() - most));
    }
    text
}

/// The files another program wrote beside SKILL.md, in full.
fn drafted_files(style: Style, draft: &Draft) -> String {
    let mut text = String::new();
    for file in draft.resources.iter().filter(|file| !file.path.starts_with("evals/")) {
        if let Ok(content) = std::str::from_utf8(&file.blob.bytes) {
            text.push_str(&format!("{}\n", style.rule(&file.path)));
            text.push_str(&style.fold(&first_lines(&printable(content), usize::MAX), 2));
        }
    }
    text
}

/// The domain packs in use, and the words that chose them.
fn packs(body: &Body) -> String {
    let used: Vec<String> = body.packs.iter().map(|pack| format!("{} ({})", pack.id, pack.because)).collect();
    if used.is_empty() { "none for this subject".to_owned() } else { used.join(", ") }
}

/// What `--yes` shows when standard error is no terminal: the paths, the totals and the verdict.
pub(super) fn summary(style: Style, proposal: &Proposal) -> String {
    let Proposal { plan, draft, .. } = proposal;
    let mut text = format!("{}\n", style.rule(&format!("Skill {}", plan.name)));
    for entry in &plan.entries {
        text.push_str(&format!("  {} {}\n", entry.action.word(), style.path(&format!("{}/", entry.local_path))));
        text.push_str(&removed_lines(style, entry));
    }
    text.push_str(&format!("  {}\n", totals(plan)));
    text.push_str(&remembered::shown(style, &draft.remembered));
    text.push_str(&assessment::assessment(style, proposal));
    text.push_str("`-v` shows everything.\n");
    text
}

fn first_lines(text: &str, most: usize) -> String {
    let total = text.lines().count();
    let mut shown: String = text.lines().take(most).map(|line| format!("{line}\n")).collect();
    if total > most {
        let lines = if total - most == 1 { "line" } else { "lines" };
        shown.push_str(&format!("... [{} more {lines}]\n", total - most));
    }
    shown
}

fn field_lines(style: Style, field: &str, value: &str) -> String {
    const INDENT: usize = 15;
    let width = style.width.clamp(40, 100) - INDENT;
    let mut lines: Vec<String> = vec![String::new()];
    for word in value.split_whitespace().flat_map(|word| pieces(word, width)) {
        let last = lines.last().map_or(0, |line| line.chars().count());
        match lines.last_mut() {
            Some(line) if last == 0 || last + 1 + word.chars().count() <= width => {
                if last > 0 {
                    line.push(' ');
                }
                line.push_str(&word);
            }
            _ => lines.push(word),
        }
    }
    let mut text = String::new();
    for (index, line) in lines.iter().enumerate() {
        let label = if index == 0 { style.dim(&format!("  {field:<13}")) } else { " ".repeat(INDENT) };
        text.push_str(format!("{label}{line}").trim_end());
        text.push('\n');
    }
    text
}

/// Splits a word into pieces that fit a line.
fn pieces(word: &str, width: usize) -> Vec<String> {
    let letters: Vec<char> = word.chars().collect();
    letters.chunks(width).map(|piece| piece.iter().collect()).collect()
}

/// What the end of a run says: what was made, where, and what to look at next.
pub(super) fn success(style: Style, proposal: &Proposal, backup: Option<&str>) -> String {
    let (name, plan) = (&proposal.draft.name, &proposal.plan);
    let mut text = format!("{} Skill {} is installed.\n\n", style.tick(), style.head(name));
    for entry in plan.entries.iter() {
        let what = match entry.action {
            Action::Skip => "left as it was",
            Action::Overwrite => "replaced",
            Action::Merge => "merged",
            Action::Create | Action::Undecided => "created",
        };
        let path = style.path(&format!("{}/SKILL.md", entry.local_path));
        let call = entry.target.invoke.replace("NAME", name);
        text.push_str(&style.fold(&format!("  {path}  ({what}; in {}: {call})\n", entry.target.title), 4));
        text.push_str(&removed_lines(style, entry));
    }
    text.push_str(&format!("  {}\n", totals(plan)));
    if let Some(backup) = backup {
        text.push_str(&format!("  backup: {}\n", style.path(backup)));
    }
    let look =
        if differ(plan) { format!("hefesto diff {name} (its copies differ)") } else { format!("hefesto show {name}") };
    let mut next = vec![look, format!("hefesto validate {name}")];
    let first = plan.written().next().map(|entry| format!("{}/SKILL.md", entry.local_path)).unwrap_or_default();
    let advice = match proposal.grade.gaps {
        0 => format!("read {first} once more, then try it on a real task"),
        1 => format!("hefesto edit {name} (fill in the place marked [FILL IN: ...])"),
        gaps => format!("hefesto edit {name} (fill in the {gaps} places marked [FILL IN: ...])"),
    };
    next.push(advice);
    text.push_str("\nNext:\n");
    for (number, step) in next.iter().enumerate() {
        text.push_str(&style.fold(&format!("  {}. {step}\n", number + 1), 3));
    }
    text
}

/// Whether a copy that was left as it was holds another text than those that were written.
fn differ(plan: &Plan) -> bool {
    let left = plan.entries.iter().filter(|entry| entry.action == Action::Skip);
    let mut left = left.filter_map(|entry| entry.existing.as_ref()).map(|existing| adapt::essence(&existing.tree));
    let new = plan.written().next().map(|entry| adapt::essence(&entry.tree));
    left.any(|old| new.as_ref().is_some_and(|new| *new != old))
}

/// The plan as lines: actions, paths, sizes, and the totals.
fn plan_lines(style: Style, plan: &Plan) -> String {
    let mut text = String::new();
    for entry in &plan.entries {
        let what = match entry.action {
            Action::Create => style.good("create"),
            Action::Overwrite => style.odd("overwrite"),
            Action::Merge => style.odd("merge"),
            Action::Skip => style.dim("skip"),
            Action::Undecided => style.bad("exists"),
        };
        text.push_str(&format!("  {what} {}\n", style.path(&format!("{}/", entry.local_path))));
        if entry.action == Action::Skip {
            continue;
        }
        for (path, blob) in entry.tree.iter() {
            let mode = if blob.executable { ", executable" } else { "" };
            text.push_str(&format!("    {} ({}{mode})\n", printable_line(path), size(blob.bytes.len() as u64)));
        }
        text.push_str(&removed_lines(style, entry));
    }
    text.push_str(&format!("  {}\n", totals(plan)));
    text
}

/// The files of the old copy that the new one does not have.
fn removed_lines(style: Style, entry: &PlannedCopy) -> String {
    let line = |path| format!("    {} {} (the backup keeps it)\n", style.bad("remove"), printable_line(path));
    entry.removed().map(line).collect()
}

fn totals(plan: &Plan) -> String {
    let touched: Vec<_> = plan.entries.iter().filter(|entry| entry.action != Action::Skip).collect();
    let files = touched.iter().map(|entry| entry.tree.len()).sum();
    let bytes = touched.iter().map(|entry| entry.tree.size()).sum();
    format!("{}, {}, {}", count(touched.len(), "CLI"), count(files, "file"), size(bytes))
}

/// Every file of the first written copy in full, and of every other copy what differs.
pub(super) fn everything(style: Style, plan: &Plan) -> String {
    let mut text = String::new();
    let mut shown: Vec<(&str, &[u8])> = Vec::new();
    for entry in plan.written() {
        for (path, blob) in entry.tree.iter() {
            if shown.contains(&(path, &blob.bytes)) {
                continue;
            }
            shown.push((path, &blob.bytes));
            text.push_str(&format!("{}\n", style.rule(&format!("{}/{}", entry.local_path, printable_line(path)))));
            match std::str::from_utf8(&blob.bytes) {
                Ok(content) => text.push_str(&style.fold(&first_lines(&printable(content), usize::MAX), 2)),
                Err(_) => text.push_str(&format!("({}, not text)\n", size(blob.bytes.len() as u64))),
            }
        }
    }
    text.push_str(&format!("{}\n", style.rule("end")));
    text
}

/// The collision screen: what exists, when it was made and changed, and how it differs.
pub(super) fn collision(style: Style, plan: &Plan) -> String {
    let mut text = format!("{}\n", style.rule(&format!("Skill {} exists", plan.name)));
    let mut before = None;
    for entry in plan.collisions() {
        let Some(existing) = &entry.existing else { continue };
        text.push_str(&format!("{}\n", style.path(&format!("{}/", entry.local_path))));
        let unknown = || "unknown".to_owned();
        for (field, value) in [
            ("created", existing.created.clone().unwrap_or_else(unknown)),
            ("modified", existing.modified.clone().unwrap_or_else(unknown)),
            ("version", existing.version.clone().unwrap_or_else(unknown)),
            ("author", existing.author.clone().unwrap_or_else(unknown)),
            ("made by", existing.provenance()),
            ("size", format!("{} in {}", size(existing.tree.size()), count(existing.tree.len(), "file"))),
        ] {
            text.push_str(&format!("  {field:<10}{}\n", printable(&value)));
        }
        match (existing.tree.text("SKILL.md"), entry.tree.text("SKILL.md")) {
            (Some(old), Some(new)) if old == new => text.push_str("  SKILL.md is the same as the new one\n"),
            (Some(old), Some(new)) => {
                let shown = diff(style, old, new, DIFF_LINES);
                if before.as_ref().is_some_and(|before| *before == shown) {
                    text.push_str("  SKILL.md differs from the new one in the same way\n");
                } else {
                    text.push_str(&shown);
                    before = Some(shown);
                }
            }
            _ => text.push_str("  no SKILL.md that can be read\n"),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_skill_shows_its_first_fifty_lines() {
        let text: String = (1..=177).map(|n| format!("line {n}\n")).collect();
        let shown = first_lines(&text, FIRST_LINES);
        assert!(shown.ends_with("line 50\n... [127 more lines]\n"));
        assert_eq!(first_lines("a\nb\n", FIRST_LINES), "a\nb\n");
    }

    #[test]
    fn a_long_description_wraps_below_itself() {
        let text = field_lines(Style::plain(), "Description", &"word ".repeat(40));
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        assert!(text.lines().skip(1).all(|line| line.starts_with("               word")));
        let unbroken = field_lines(Style::plain(), "Draft", &"x".repeat(200));
        assert!(unbroken.lines().all(|line| line.chars().count() <= 80), "{unbroken}");
    }
}
