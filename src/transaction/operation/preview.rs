//! What an operation is going to do, for the gate.

use super::{Operation, Step, called};
use crate::client::target::Arguments;
use crate::project::Project;
use crate::skill::diff::Diff;
use crate::skill::{printable, printable_line, template};
use crate::terminal::ui::{self, Style};

impl Operation {
    /// What is going to happen, for the gate.
    pub fn preview(&self, style: Style, project: &Project) -> String {
        // A folder is shown by its own name, though the run may be called by the nearest one.
        let folder = self.steps.first().and_then(|step| step.at.rsplit('/').next());
        let name = folder.filter(|folder| called(folder) == self.name).unwrap_or(&self.name);
        let mut text = format!("{}\n", style.rule(&format!("{} {}", self.command, printable(name))));
        let mut shown: Vec<(String, &str)> = Vec::new();
        for step in &self.steps {
            let tree = step.after.as_ref().or(step.before.as_ref());
            let (files, bytes) = tree.map_or((0, 0), |tree| (tree.len(), tree.size()));
            let word = match step.word() {
                "create" => style.good("create"),
                word => style.odd(word),
            };
            text.push_str(&format!(
                "  {word} {} ({}, {})\n",
                style.path(&format!("{}/", project.shown(&step.at))),
                ui::count(files, "file"),
                ui::size(bytes)
            ));
            if let (Some(before), Some(after)) = (&step.before, &step.after)
                && let (Some(old), Some(new)) = (before.text("SKILL.md"), after.text("SKILL.md"))
            {
                // The ways in which clients write arguments are no difference.
                let neutral = |text: &str| template::adapt(text, Arguments::Dollar);
                let change = Diff::between(&neutral(old), &neutral(new)).text();
                match shown.iter().find(|(known, _)| *known == change).filter(|_| !change.is_empty()) {
                    Some((_, at)) => {
                        text.push_str(&format!("    the same change as in {}/\n", project.shown(at)));
                    }
                    None => {
                        text.push_str(&ui::diff(style, old, new, usize::MAX));
                        shown.push((change, &step.at));
                    }
                }
            }
            text.push_str(&other_files(style, step));
        }
        for (_, at, _) in &self.settled {
            text.push_str(&format!("  keep {}/ as it is\n", style.path(&project.shown(at))));
        }
        for file in &self.files {
            let word = match file.word() {
                "create" => style.good("create"),
                word => style.odd(word),
            };
            text.push_str(&format!("  {word} {}", style.path(&project.shown(&file.at))));
            match &file.copy {
                Some(copy) => text.push_str(&format!(" (a copy is kept as {copy})\n")),
                None => text.push('\n'),
            }
        }
        if !self.keep_backup {
            text.push_str(&format!(
                "  {}\n",
                style.odd("No backup will be kept: `hefesto undo` cannot bring it back.")
            ));
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
        let shown = printable_line(path);
        match (before.get(path), after.get(path)) {
            (old, new) if old == new => None,
            (None, Some(new)) => {
                Some(format!("    {} {shown} ({})\n", style.good("+"), ui::size(new.bytes.len() as u64)))
            }
            (Some(_), None) => Some(format!("    {} {shown}\n", style.bad("-"))),
            _ => Some(format!("    {} {shown}\n", style.odd("~"))),
        }
    };
    paths.into_iter().filter(|path| *path != "SKILL.md").filter_map(line).collect()
}
