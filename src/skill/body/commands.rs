//! The repository's commands among the steps: how they are run, their place, and the rules about them.

use super::house::{self, House};
use super::steps::Step;
use super::{Line, Material, Origin, Shape};
use crate::skill::fact::{Fact, Kind};

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
    std::iter::once(Line::new(shape, text, origin))
        .chain(rules.iter().filter(|rule| rule.with(fact)).map(House::line))
        .collect()
}

/// A command that does what a pack's step says stands under that step: the steps behind it check the result.
pub(super) fn join_commands(clauses: &mut [Vec<Step<'_>>]) {
    for steps in clauses {
        let own = steps.iter().enumerate().find_map(|(at, step)| match step {
            Step::Own(_, _, Some(fact)) => Some((at, *fact, fact.risk.filter(|risk| risk.asks())?)),
            _ => None,
        });
        let Some((at, fact, risk)) = own else { continue };
        let same = |step: &Step<'_>| matches!(step, Step::Pack(_, line) if line.risk == Some(risk));
        if let Some(place) = steps.iter().position(same).filter(|place| *place < at) {
            steps.remove(at);
            steps.insert(place + 1, Step::Here(fact));
        }
    }
}

/// A target of the repository that runs the command of a pack's step stands under that step.
pub(super) fn join_targets<'m>(material: &Material<'m>, clauses: &mut [Vec<Step<'m>>]) {
    let language = material.sentence.language;
    for fact in material.facts.all.iter().filter(|fact| fact.risk.is_none()) {
        let Some(runs) = fact.command.as_ref().and(recipe(fact)) else { continue };
        let taken =
            |step: &Step<'_>| matches!(step, Step::Own(_, _, Some(other)) | Step::Here(other) if *other == fact);
        if clauses.iter().flatten().any(taken) {
            continue;
        }
        let says = |step: &Step<'_>| match step {
            Step::Pack(chosen, line) => {
                let known =
                    runs.split(' ').next().is_some_and(|tool| chosen.pack.head.tools.iter().any(|of| of == tool));
                known && line.text(language).is_some_and(|text| text.contains(&format!("`{runs}")))
            }
            Step::Own(..) | Step::Here(_) | Step::Parts(..) => false,
        };
        for steps in clauses.iter_mut() {
            let Some(at) = steps.iter().position(says) else { continue };
            if !matches!(steps.get(at + 1), Some(Step::Here(_))) {
                steps.insert(at + 1, Step::Here(fact));
            }
            break;
        }
    }
}

/// The program and the subcommand that a target begins with: `terraform plan`.
fn recipe(fact: &Fact) -> Option<String> {
    let (_, runs) = fact.text.split_once("`: `").or_else(|| fact.text.split_once(": `"))?;
    let mut words = runs.trim_end_matches('`').split_whitespace();
    let (program, sub) = (words.next()?, words.next()?);
    sub.starts_with(|c: char| c.is_ascii_lowercase()).then(|| format!("{program} {sub}"))
}
