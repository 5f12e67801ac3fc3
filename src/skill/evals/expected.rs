//! Assertions on the outcome: the commands a skill's steps run, its rules, and when it is done.

use super::phrases::Phrases;
use crate::skill::Sentence;
use crate::skill::body;
use crate::skill::prose::{Block, BlockKind, blocks};
use crate::skill::template::gaps;

/// The assertions derived from a SKILL.md.
pub(super) struct Expected {
    /// The report; else when it is done; else the task.
    pub(super) output: String,
    pub(super) runs: Vec<String>,
    pub(super) keeps: Vec<String>,
    pub(super) done: Option<String>,
}

impl Expected {
    pub(super) fn of(skill: &str, understood: &Sentence) -> Self {
        let phrases = Phrases::of(understood.language);
        let words = body::Phrases::of(understood.language);
        let all: Vec<Block> = blocks(skill).into_iter().filter(|block| gaps(&block.text) == 0).collect();
        let plain = |begin: &str| {
            let mut all = all.iter().filter(|block| block.kind == BlockKind::Paragraph);
            all.find_map(|block| block.text.strip_prefix(begin)).map(|rest| rest.trim().to_owned())
        };
        let done = plain(&words.done).map(|rest| format!("{} {rest}", words.done));
        let mut runs: Vec<String> = Vec::new();
        for block in all.iter().filter(|block| matches!(block.kind, BlockKind::Numbered(1))) {
            if let Some(command) = command(&block.text) {
                let said = phrases.runs.replace("{}", &format!("`{command}`"));
                if !runs.contains(&said) {
                    runs.push(said);
                }
            }
        }
        let limit =
            |block: &&Block| matches!(block.kind, BlockKind::Point(_)) && block.heading.starts_with(&words.limits);
        let keep = |rule: &String| phrases.keeps.replace("{}", rule);
        let mut keeps: Vec<String> = all.iter().filter(limit).map(|block| keep(&block.text)).collect();
        if keeps.is_empty() {
            keeps = understood.rules.iter().map(keep).collect();
        }
        let report = plain(&format!("{}:", words.report));
        let output = report.or_else(|| done.clone()).unwrap_or_else(|| format!("{}.", understood.title));
        Self { output, runs, keeps, done }
    }
}

/// The first code span of a step that is a command: a program with arguments.
fn command(step: &str) -> Option<&str> {
    let mut spans = step.split('`').skip(1).step_by(2).map(str::trim);
    spans.find(|span| {
        let (program, rest) = span.split_once(' ').unwrap_or((span, ""));
        let name = !program.is_empty()
            && program.chars().all(|c| c.is_ascii_lowercase() || matches!(c, '-' | '_' | '.' | '/'));
        name && !rest.trim().is_empty()
    })
}
