//! The commands of the repository that the work names: in a rule that bears on it, in the sentence, or in a step.

use super::Material;
use crate::skill::Language;
use crate::skill::fact::{Fact, Kind};
use crate::skill::prose::code_spans;
use crate::skill::ranking::stem;
use crate::skill::subject::Subject;

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
    let commands: Vec<(&Fact, &str)> = material
        .facts
        .all
        .iter()
        .filter(|fact| is_command(fact.kind))
        .filter_map(|fact| Some((fact, name(fact)?)))
        .collect();
    if commands.is_empty() {
        return Vec::new();
    }
    let rules: Vec<&str> = bearing
        .iter()
        .filter(|fact| fact.kind == Kind::Rule)
        .flat_map(|rule| code_spans(&rule.text))
        .map(|(_, span)| span)
        .collect();
    let (sentence, steps) = (Subject::of(&material.sentence.text), Subject::of(steps));
    let shares = |name: &str, subject: &Subject| {
        let languages = [Language::En, material.sentence.language];
        parts(name).any(|part| languages.iter().any(|language| subject.has(&stem(part, *language))))
    };
    let ruled = commands.iter().filter(|(_, name)| rules.iter().any(|span| calls(span, name)));
    let asked = commands.iter().filter(|(_, name)| shares(name, &sentence));
    let stepped = commands.iter().filter(|(_, name)| shares(name, &steps)).take(MOST);
    let mut all: Vec<&Fact> = Vec::new();
    for (fact, _) in ruled.chain(asked).chain(stepped) {
        if !all.contains(&fact) {
            all.push(fact);
        }
    }
    all
}

fn is_command(kind: Kind) -> bool {
    use Kind::{BuildCommand, Command, DbCommand, DeployCommand, LintCommand, ReleaseCommand, RunCommand, TestCommand};
    matches!(
        kind,
        BuildCommand | Command | DbCommand | DeployCommand | LintCommand | ReleaseCommand | RunCommand | TestCommand
    )
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

    fn command(typed: &str) -> Fact {
        Fact::new(Kind::Command, format!("`{typed}`")).command(typed)
    }

    #[test]
    fn a_command_has_a_name_of_its_own() {
        for (typed, wanted) in [
            ("npm run carga", "carga"),
            ("(cd apps/web && pnpm run build:profile)", "build:profile"),
            ("make plan ENV=stage", "plan"),
            ("dart run tool/notas.dart", "notas"),
            ("python manage.py backfill_channel --batch", "backfill_channel"),
        ] {
            assert_eq!(name(&command(typed)), Some(wanted), "{typed}");
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
