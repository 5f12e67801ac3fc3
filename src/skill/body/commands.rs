//! The repository's commands among the steps: how they are run, their place, and the rules about them.

use super::house::{self, House};
use super::steps::Step;
use super::{Line, Material, Origin, Shape};
use crate::skill::fact::{Fact, Kind, Risk};
use crate::skill::pack::LineRisk;

/// How a command is run here: as it is, or by the CI job that a rule requires instead.
pub(super) fn ran<'m>(material: &Material<'m>, rules: &[House<'_>], fact: &'m Fact) -> (String, &'m Fact) {
    let command = format!("`{}`", fact.command.as_deref().unwrap_or(&fact.text));
    if !rules.iter().any(|rule| house::forbids(rule, fact)) {
        return (command, fact);
    }
    let of_ci = |one: &&Fact| matches!(one.kind, Kind::CiRelease | Kind::CiDeploy) && one.risk == fact.risk;
    let job = material.facts.all.iter().find(of_ci);
    job.map_or((command, fact), |job| (job.said(material.sentence.language), job))
}

/// A line with a command of the repository, and the rules about it.
pub(super) fn of_command(text: String, shape: Shape, fact: &Fact, rules: &[House<'_>]) -> Vec<Line> {
    let origin = Origin::Repository { file: fact.file.clone(), line: fact.line };
    let line = Line { shape, text, origin, weight: 3 };
    std::iter::once(line).chain(rules.iter().filter(|rule| rule.with(fact)).map(House::line)).collect()
}

/// A command that does what a pack's step says stands under that step: the steps behind it check the result.
pub(super) fn join_commands(clauses: &mut [Vec<Step<'_>>]) {
    for steps in clauses {
        let own = steps.iter().enumerate().find_map(|(at, step)| match step {
            Step::Own(_, Some(fact)) => Some((at, *fact, fact.risk.filter(|risk| risk.asks())?)),
            _ => None,
        });
        let Some((at, fact, risk)) = own else { continue };
        let same = |step: &Step<'_>| matches!(step, Step::Pack(_, line) if line.risk.is_some_and(|of| is(of, risk)));
        if let Some(place) = steps.iter().position(same).filter(|place| *place < at) {
            steps.remove(at);
            steps.insert(place + 1, Step::Here(fact));
        }
    }
}

fn is(line: LineRisk, command: Risk) -> bool {
    matches!(
        (line, command),
        (LineRisk::Deploys, Risk::Deploys)
            | (LineRisk::Publishes, Risk::Publishes)
            | (LineRisk::Destroys, Risk::Destroys)
    )
}
