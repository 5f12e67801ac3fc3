//! The house's own procedure for a task, which takes the place of the steps of packs.

use super::House;
use crate::skill::body::{Line, Shape};
use crate::skill::fact::{Fact, Kind, STEP, is_action};

/// So many numbered steps are a procedure.
pub(super) const PROCEDURE: usize = 3;

/// The first list of numbered steps of a document about the work, or below a heading, that is among the rules is the
/// procedure of the house. Whether there is one.
pub(super) fn mark_procedure(rules: &mut [House<'_>]) -> bool {
    let is_step = |fact: &Fact| fact.id.as_deref() == Some(STEP) && (fact.work.is_some() || !fact.section.is_empty());
    let beside =
        |one: &Fact, other: &Fact| one.file == other.file && (one.work.is_some() || one.section == other.section);
    let steps_of = |fact: &Fact| rules.iter().filter(|rule| is_step(rule.fact) && beside(rule.fact, fact)).count();
    let first = rules.iter().find(|rule| is_step(rule.fact) && steps_of(rule.fact) >= PROCEDURE);
    let Some(first) = first.map(|rule| rule.fact) else { return false };
    for rule in rules.iter_mut().filter(|rule| is_step(rule.fact) && beside(rule.fact, first)) {
        *rule = House { step: true, ..House::new(rule.fact) };
    }
    true
}

/// Where no pack knows the steps, the rules that say what to do are the steps. Whether there are enough.
pub(super) fn mark_actions(rules: &mut [House<'_>]) -> bool {
    let begins = |text: &str| is_action(text.split([';', ',']).next().unwrap_or_default());
    let acts = |rule: &&mut House<'_>| rule.fact.kind == Kind::Rule && !rule.is_row() && begins(&rule.fact.text);
    let enough = rules.iter_mut().filter(acts).count() >= PROCEDURE;
    rules.iter_mut().filter(acts).filter(|_| enough).for_each(|rule| {
        *rule = House { step: true, ..House::new(rule.fact) };
    });
    enough
}

/// The steps of the house's own procedure, in the order of its documents; none if it has none.
pub(in crate::skill::body) fn procedure(rules: &[House<'_>]) -> Vec<Line> {
    let mut steps: Vec<&House<'_>> = rules.iter().filter(|rule| rule.step).collect();
    let files: Vec<&str> = steps.iter().map(|rule| rule.file()).collect();
    steps.sort_by_key(|rule| (files.iter().position(|file| *file == rule.file()), rule.fact.line));
    steps.into_iter().map(|rule| Line { shape: Shape::Step, ..rule.line() }).collect()
}
