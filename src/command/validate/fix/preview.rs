//! Shows what `validate --fix` changes.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::plan::SkillFix;
use crate::rules::{self, fix::Edit};
use crate::skill::{diff::Diff, printable};
use crate::terminal::ui::{self, Style};

/// The most lines of one file's difference on the screen.
const MAX_LINES: usize = 60;

/// Every edit with its difference.
pub(super) fn preview(style: Style, fixes: &[SkillFix]) -> String {
    let mut text = format!("{}\n", style.rule("validate --fix"));
    for (index, one) in fixes.iter().enumerate() {
        text.push_str(&format!("{}\n", folder(style, one)));
        let same = |other: &&SkillFix| other.before == one.before && other.fixed == one.fixed;
        if let Some(copy) = fixes.get(..index).unwrap_or_default().iter().find(same) {
            text.push_str(&format!("  the same as in {}/\n", style.path(&printable(&copy.at))));
            continue;
        }
        for edit in &one.fixed.edits {
            let line = format!("  {} [{}] {}", printable(&edit.file), edit.rule, printable(&edit.what));
            text.push_str(&format!("{}\n", style.fold(&line, 2)));
        }
        for (file, before, after) in differences(one) {
            text.push_str(&format!("{}\n", style.head(&format!("--- {}", printable(file)))));
            text.push_str(&ui::diff(style, &before, &after, MAX_LINES));
        }
    }
    text
}

/// The texts of the changed files before and after, with secrets masked.
fn differences(fix: &SkillFix) -> Vec<(&str, String, String)> {
    let mut files: BTreeMap<&str, (&str, &str)> = BTreeMap::new();
    for edit in &fix.fixed.edits {
        let last = files.entry(&edit.file).or_insert((&edit.before, &edit.before));
        if !edit.after.is_empty() {
            last.1 = &edit.after;
        }
    }
    let changed = files.into_iter().filter(|(_, (before, after))| before != after);
    changed.map(|(file, (before, after))| (file, rules::masked(before), rules::masked(after))).collect()
}

/// The edits as JSON: files by their new paths below the root.
pub(super) fn entries(fix: &SkillFix) -> Vec<Value> {
    let to = fix.to();
    let entry = |edit: &Edit| {
        let diff = Diff::between(&rules::masked(&edit.before), &rules::masked(&edit.after)).text();
        json!({ "path": format!("{to}/{}", edit.file), "rule": edit.rule, "what": edit.what, "diff": diff })
    };
    fix.fixed.edits.iter().map(entry).collect()
}

/// One line for each skill, for a log.
pub(super) fn summary(style: Style, fixes: &[SkillFix]) -> String {
    let line = |one: &SkillFix| format!("{}: {}\n", folder(style, one), ui::count(one.fixed.edits.len(), "change"));
    let lines: String = fixes.iter().map(line).collect();
    format!("{}\n{lines}`-v` shows each change.", style.rule("validate --fix"))
}

/// The folder of a skill, and its new name.
fn folder(style: Style, one: &SkillFix) -> String {
    let path = |path: &str| format!("{}/", style.path(&printable(path)));
    let to = one.to();
    if to == one.at { path(&to) } else { format!("{} -> {}", path(&one.at), path(&to)) }
}
