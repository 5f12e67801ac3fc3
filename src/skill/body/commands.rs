//! The repository's commands: which of them the work names, how they are run, their place among the steps, and the rules
//! about them.

use super::house::{self, House};
use super::steps::Step;
use super::{Line, Material, Origin, Shape};
use crate::skill::Language;
use crate::skill::fact::{Fact, Kind};
use crate::skill::prose::code_spans;
use crate::skill::ranking::stem;
use crate::skill::subject::Subject;

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

pub(super) fn of_command(text: String, shape: Shape, fact: &Fact, rules: &[House<'_>]) -> Vec<Line> {
    let origin = Origin::Repository { file: fact.file.clone(), line: fact.line };
    let about = rules.iter().filter(|rule| rule.with(fact)).map(House::line);
    std::iter::once(Line::new(shape, text, origin)).chain(about).collect()
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
        let says = |step: &Step<'_>| {
            let Step::Pack(chosen, line) = step else { return false };
            let known = chosen.pack.head.tools.iter().any(|tool| runs.split(' ').next() == Some(tool));
            known && line.text(language).is_some_and(|text| text.contains(&format!("`{runs}")))
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

/// Parts of names that say nothing of a subject.
const GENERAL: &[&str] = &[
    "all", "app", "build", "check", "clean", "code", "default", "deps", "down", "file", "files", "fix", "format",
    "help", "init", "install", "lint", "local", "logs", "main", "make", "prepare", "project", "run", "serve", "server",
    "setup", "shell", "start", "stop", "style", "test", "tests", "types", "typecheck", "unit", "update", "watch",
];

/// How many commands are taken because a step has a word of their name.
const MOST: usize = 3;

/// The shortest word that two texts share by more than chance.
const SHORTEST: usize = 4;

/// The commands, those that a rule names first. `bearing` is what the repository says about the sentence, `steps` the
/// text of the steps.
pub(super) fn called<'m>(material: &'m Material<'_>, bearing: &[&Fact], steps: &str) -> Vec<&'m Fact> {
    let named = |fact: &'m Fact| Some((fact, name(fact)?));
    let commands: Vec<(&Fact, &str)> =
        material.facts.all.iter().filter(|fact| is_command(fact.kind)).filter_map(named).collect();
    if commands.is_empty() {
        return Vec::new();
    }
    let rules = bearing.iter().filter(|fact| fact.kind == Kind::Rule);
    let spans: Vec<&str> = rules.flat_map(|rule| code_spans(&rule.text)).map(|(_, span)| span).collect();
    let (sentence, steps) = (Subject::of(&material.sentence.text), Subject::of(steps));
    let shares = |name: &str, subject: &Subject| {
        let languages = [Language::En, material.sentence.language];
        parts(name).any(|part| languages.iter().any(|language| subject.has(&stem(part, *language))))
    };
    let ruled = commands.iter().filter(|(_, name)| spans.iter().any(|span| calls(span, name)));
    let asked = commands.iter().filter(|(_, name)| shares(name, &sentence));
    let stepped = commands.iter().filter(|(_, name)| shares(name, &steps)).take(MOST);
    let mut all: Vec<&Fact> = Vec::new();
    for (fact, _) in ruled.chain(asked).chain(stepped) {
        if !all.contains(fact) {
            all.push(fact);
        }
    }
    all
}

fn is_command(kind: Kind) -> bool {
    use Kind::{BuildCommand, Command, DbCommand, DeployCommand, LintCommand, ReleaseCommand, RunCommand, TestCommand};
    let known = matches!(kind, BuildCommand | Command | DbCommand | DeployCommand);
    known || matches!(kind, LintCommand | ReleaseCommand | RunCommand | TestCommand)
}

/// The own name of a command: `carga` of `npm run carga`, `notas` of `dart run tool/notas.dart`.
fn name(fact: &Fact) -> Option<&str> {
    let typed = fact.command.as_deref()?;
    let typed = typed.split_once(" && ").map_or(typed, |(_, typed)| typed.trim_end_matches(')'));
    let last = typed.split_whitespace().rfind(|word| !word.starts_with('-') && !word.contains('='))?;
    let last = last.rsplit('/').next().unwrap_or(last);
    Some(last.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map_or(last, |(stem, _)| stem))
}

/// Whether a code span runs the script of this name, or is the name: `make verificar`, `build:profile`.
fn calls(span: &str, name: &str) -> bool {
    const RUNNERS: &[&str] =
        &["npm", "pnpm", "yarn", "bun", "make", "just", "task", "bundle", "./gradlew", "dart", "python"];
    let mut words = span.split_whitespace();
    let first = words.next().unwrap_or_default();
    let named =
        |word: &str| word == name || word.rsplit('/').next().and_then(|file| file.split('.').next()) == Some(name);
    let own = first == name && !GENERAL.contains(&name) && name.len() >= SHORTEST;
    (words.clone().next().is_none() && own) || (RUNNERS.contains(&first) && words.any(named))
}

/// The telling parts of a name: `profile` of `build:profile`.
fn parts(name: &str) -> impl Iterator<Item = &str> {
    let parts = name.split(|c: char| !c.is_alphanumeric());
    parts.filter(|part| part.chars().count() >= SHORTEST && !GENERAL.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_has_a_name_of_its_own() {
        for (typed, wanted) in [
            ("npm run carga", "carga"),
            ("(cd apps/web && pnpm run build:profile)", "build:profile"),
            ("make plan ENV=stage", "plan"),
            ("dart run tool/notas.dart", "notas"),
            ("python manage.py backfill_channel --batch", "backfill_channel"),
        ] {
            let fact = Fact::new(Kind::Command, format!("`{typed}`")).command(typed);
            assert_eq!(name(&fact), Some(wanted), "{typed}");
        }
        assert_eq!(parts("build:profile").collect::<Vec<_>>(), ["profile"]);
        assert_eq!(parts("test:unit").count(), 0);
    }

    #[test]
    fn a_rule_calls_a_command_by_its_line_or_its_name() {
        for (span, name, wanted) in [
            ("make verificar", "verificar", true),
            ("npm run carga", "carga", true),
            ("build:profile", "build:profile", true),
            ("dart run tool/notas.dart v1", "notas", true),
            ("test", "test", false),
            ("git push", "push", false),
        ] {
            assert_eq!(calls(span, name), wanted, "{span}");
        }
    }
}
