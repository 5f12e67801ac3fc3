//! Which skills may be imported: a forbidden content refuses a skill, other findings are only reported.

use std::collections::HashMap;

use super::{Batch, IncomingSkill, Refused};
use crate::project::copies;
use crate::rules::{Finding, Severities, Subject};
use crate::transaction;

const SECURITY: &str = "T0-HEFESTO-11";

/// Moves skills that may not be imported to the refused ones.
pub(super) fn judge(batch: &mut Batch, severities: &Severities) {
    let mut first: HashMap<String, String> = HashMap::new();
    for mut skill in std::mem::take(&mut batch.skills) {
        if let Some(other) = first.get(&skill.name) {
            let why = format!("{other} has the same name and comes first");
            batch.refused.push(Refused::new(&skill.name, &skill.shown, why));
            continue;
        }
        match fault(&skill).map(|why| (why, Vec::new())).or_else(|| {
            let findings = errors(&skill, severities);
            let (out, errors): (Vec<_>, Vec<_>) =
                findings.into_iter().partition(|one| batch.strict || one.rule.starts_with(SECURITY));
            skill.errors = errors;
            Some((summary(&out)?, out))
        }) {
            Some((why, findings)) => {
                batch.refused.push(Refused { findings, ..Refused::new(&skill.name, &skill.shown, why) });
            }
            None => {
                first.insert(skill.name.clone(), skill.shown.clone());
                batch.skills.push(skill);
            }
        }
    }
}

/// Why its files cannot be written; none if they can.
fn fault(skill: &IncomingSkill) -> Option<String> {
    let tree = &skill.copies.first()?.after;
    let wrong = tree.iter().find_map(|(path, _)| Some((path, transaction::check_path(path).err()?)));
    wrong.map(|(path, why)| format!("the path {path:?} in it {why}"))
}

/// Its errors for all clients that get a copy, without duplicates, with paths in the source folder.
fn errors(skill: &IncomingSkill, severities: &Severities) -> Vec<Finding> {
    let copies = skill.copies.iter().map(|copy| {
        let (tree, target) = (&copy.after, Some(&copy.target));
        Subject { directory: &skill.name, prefix: &copy.at, tree, target }
    });
    let mut found = copies::errors(copies, severities);
    for finding in &mut found {
        if let Some(below) = skill.copies.iter().find_map(|copy| finding.file.strip_prefix(&copy.at)) {
            finding.file = format!("{}{below}", skill.shown);
        }
    }
    found
}

fn summary(findings: &[Finding]) -> Option<String> {
    let first = findings.first()?;
    let more = if findings.len() > 1 { format!(" (and {} more)", findings.len() - 1) } else { String::new() };
    Some(format!("{} [{}] in {}:{}{more}", first.message, first.rule, first.file, first.line))
}
