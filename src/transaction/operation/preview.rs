//! What an operation is going to do, for the gate.

use super::{Operation, Step, called};
use crate::skill::{printable, printable_line, template};
use crate::terminal::ui::{self, Style};

impl Operation {
    pub fn preview(&self, style: Style, project: &crate::project::Project) -> String {
        // A folder is shown by its own name, though the run may be called by the nearest one.
        let folder = self.steps.first().and_then(|step| step.at.rsplit('/').next());
        let name = folder.filter(|folder| called(folder) == self.name).unwrap_or(&self.name);
        let mut text = format!("{}\n", style.rule(&format!("{} {}", self.command, printable(name))));
        let coloured = |word: &str| if word == "create" { style.good(word) } else { style.odd(word) };
        let mut shown: Vec<(String, &str)> = Vec::new();
        for step in &self.steps {
            let tree = step.after.as_ref().or(step.before.as_ref());
            let (files, bytes) = tree.map_or((0, 0), |tree| (tree.len(), tree.size()));
            let (at, files) = (style.path(&format!("{}/", project.shown(&step.at))), ui::count(files, "file"));
            text.push_str(&format!("  {} {at} ({files}, {})\n", coloured(step.word()), ui::size(bytes)));
            if let (Some(before), Some(after)) = (&step.before, &step.after)
                && let (Some(old), Some(new)) = (before.text("SKILL.md"), after.text("SKILL.md"))
            {
                // The ways in which clients write arguments are no difference.
                let neutral = |text: &str| template::adapt(text, crate::client::target::Arguments::Dollar);
                let change = crate::skill::diff::Diff::between(&neutral(old), &neutral(new)).text();
                if let Some((_, at)) = shown.iter().find(|(known, _)| *known == change && !change.is_empty()) {
                    text.push_str(&format!("    the same change as in {}/\n", project.shown(at)));
                } else {
                    text.push_str(&ui::diff(style, old, new, usize::MAX));
                    shown.push((change, &step.at));
                }
            }
            text.push_str(&other_files(style, step));
        }
        for (_, at, _) in &self.settled {
            text.push_str(&format!("  keep {}/ as it is\n", style.path(&project.shown(at))));
        }
        for file in &self.files {
            let kept = file.copy.as_ref().map(|copy| format!(" (a copy is kept as {copy})")).unwrap_or_default();
            let at = style.path(&project.shown(&file.at));
            text.push_str(&format!("  {} {at}{kept}\n", coloured(file.word())));
        }
        if !self.keep_backup {
            let lost = style.odd("No backup will be kept: `hefesto undo` cannot bring it back.");
            text.push_str(&format!("  {lost}\n"));
        }
        text
    }
}

/// The files beside SKILL.md that come, go or change where a copy is replaced.
fn other_files(style: Style, step: &Step) -> String {
    let (Some(before), Some(after)) = (&step.before, &step.after) else { return String::new() };
    let mut paths: Vec<&str> = before.iter().chain(after.iter()).map(|(path, _)| path).collect();
    paths.sort_unstable();
    paths.dedup();
    let line = |path: &str| {
        let (mark, size) = match (before.get(path), after.get(path)) {
            (old, new) if old == new => return None,
            (None, Some(new)) => (style.good("+"), format!(" ({})", ui::size(new.bytes.len() as u64))),
            (Some(_), None) => (style.bad("-"), String::new()),
            _ => (style.odd("~"), String::new()),
        };
        Some(format!("    {mark} {}{size}\n", printable_line(path)))
    };
    paths.into_iter().filter(|path| *path != "SKILL.md").filter_map(line).collect()
}
