//! Selects the facts of the repository relevant to a sentence, and their place in the body; `house` selects its rules.

use super::assemble::is_documented;
use super::commands::called;
use super::steps::Plan;
use super::{Line, Material, Origin, Shape, author, contradiction, near};
use crate::skill::fact::{Fact, Facts, Kind, Risk};
use crate::skill::ranking::{self, stem, stems};
use crate::skill::sentence::Clause;
use crate::skill::{Archetype, Language, pack};

/// The maximum number of listed facts.
const MOST: usize = 10;
/// How many commands that ask first have a place among them.
const GRAVE: usize = 2;

/// The rule of the repository that has one of these words.
pub(super) fn answered<'f>(facts: &'f Facts, words: &[String]) -> Option<&'f Fact> {
    facts.all.iter().find(|fact| fact.kind == Kind::Rule && answers(fact, words))
}

pub(super) fn answers(rule: &Fact, words: &[String]) -> bool {
    words.iter().any(|word| pack::Searched::of(&rule.text).has(word))
}

/// The listed facts: the commands that the work names, the kinds a pack wants, then other relevant ones. A risky command is a step if the sentence
/// asks for it, and is not mentioned otherwise.
pub(super) fn here(material: &Material<'_>, plan: &Plan<'_>) -> Vec<Line> {
    if material.facts.all.is_empty() {
        return Vec::new();
    }
    let wanted = material.packs.iter().flat_map(|chosen| {
        let head = &chosen.pack.head;
        head.wants.iter().flat_map(|want| material.facts.wanted(want)).filter(|fact| of_domain(fact, head))
    });
    let said = stems(&material.sentence.text);
    let mut facts: Vec<&Fact> = Vec::new();
    let all = || material.facts.all.iter();
    let refused = refused(material);
    let bearing = material.facts.bearing_on(&material.sentence.text);
    let called = called(material, &bearing, &plan.texts(material.sentence.language));
    let barred = |fact: &Fact| material.packs.iter().any(|chosen| ruled_out(fact, &chosen.pack.head));
    let asked = material.facts.asked_by_word(&material.sentence.text);
    let bears = |fact: &&Fact| {
        let own = material.packs.is_empty() || !settles(fact) || named(fact, &said) || asked.contains(fact);
        own && !barred(fact)
    };
    let bearing = bearing.into_iter().filter(bears);
    let tool = |fact: &&Fact| (fact.command.is_some() || fact.kind == Kind::LintConfig) && runs_tool(material, fact);
    let unknown = material.packs.is_empty() && near::changes(material);
    let made_with = all().filter(|fact| unknown && fact.kind == Kind::Framework);
    let checks = all().filter(|fact| is_check(fact) && keeps_checks(material));
    // A command that asks first stands behind what is only read.
    let found =
        called.into_iter().chain(wanted).chain(bearing).chain(all().filter(tool)).chain(made_with).chain(checks);
    let (calm, grave): (Vec<&Fact>, Vec<&Fact>) = found.partition(|fact| !fact.risk.is_some_and(Risk::asks));
    let own: Vec<&str> = calm.iter().filter_map(|fact| fact.command.as_deref()).collect();
    let papers = all().filter(|fact| is_paper(material, fact));
    for fact in calm.into_iter().chain(grave).chain(papers) {
        let command = fact.command.as_deref();
        let ran = |other: &Fact| command.is_some() && other.command.as_deref() == command;
        let again = |other: &&Fact| *other == fact || repeats(fact, other) || same(fact, other) || ran(other);
        let repeated = facts.iter().any(again)
            || author::gives(material, fact)
            || of_root(material, fact, &said)
            || of_ci(fact).is_some_and(|command| own.contains(&command))
            || command.is_some_and(|command| is_refused(command, &refused));
        let safe = fact.risk.is_none_or(|risk| risk != Risk::Destroys && asked_for(material, fact));
        if !is_documented(fact) && safe && !plan.speaks_of(fact) && !repeated {
            facts.push(fact);
        }
    }
    let line = |fact: &&Fact| {
        let origin = Origin::Repository { file: fact.file.clone(), line: fact.line };
        let line = Line { weight: 2, ..placed(fact, material.sentence.language, Shape::Point, origin) };
        let ask = fact.risk.is_some_and(Risk::asks);
        let asks = &material.phrases().ask_first;
        Line { text: if ask { format!("**{asks}** {}", line.text) } else { line.text }, ..line }
    };
    in_order(facts).iter().map(line).collect()
}

/// The commands that a sentence of the repository says not to run: "plain `cargo test` skips half of them".
pub(super) fn refused<'m>(material: &Material<'m>) -> Vec<&'m str> {
    let said = material.facts.all.iter().filter(|fact| is_documented(fact));
    said.flat_map(|fact| contradiction::forbidden(&fact.text)).chain(supposed(material)).collect()
}

/// The commands that a manifest only suggests for the tests, where a rule names how they are run: "Tests run with `task t`".
fn supposed<'m>(material: &Material<'m>) -> impl Iterator<Item = &'m str> {
    const TESTS: &[&str] = &["test", "tests", "spec", "specs", "teste", "testes", "prueba", "pruebas"];
    const RUNNERS: &[&str] = &["make", "just", "task", "nox", "tox", "bin/", "./", "scripts/", "script/"];
    let runs = |rule: &Fact| {
        let plain = rule.text.to_lowercase();
        let told = plain.split('`').step_by(2).flat_map(|part| part.split(|c: char| !c.is_alphanumeric()));
        let mut coded = rule.text.split('`').skip(1).step_by(2);
        rule.kind == Kind::Rule
            && told.into_iter().any(|word| TESTS.contains(&word))
            && coded.any(|code| RUNNERS.iter().any(|runner| code.starts_with(runner)) && code.contains([' ', '/']))
    };
    let named = material.facts.all.iter().any(runs);
    let tests = material.facts.all.iter().filter(move |fact| named && fact.kind == Kind::TestCommand && fact.line == 0);
    tests.filter_map(|fact| fact.command.as_deref())
}

/// Whether a command, or the program it runs, is among those.
pub(super) fn is_refused(command: &str, refused: &[&str]) -> bool {
    refused.contains(&command) || command.split(' ').next().is_some_and(|program| refused.contains(&program))
}

/// As many as are listed, by kind; those of one file in its order.
fn in_order(all: Vec<&Fact>) -> Vec<&Fact> {
    let asks = |fact: &&Fact| fact.risk.is_some_and(Risk::asks);
    let (grave, mut facts): (Vec<&Fact>, Vec<&Fact>) = all.into_iter().partition(asks);
    facts.truncate(MOST - grave.len().min(GRAVE));
    facts.extend(grave);
    facts.truncate(MOST);
    let files: Vec<&str> = facts.iter().map(|fact| fact.file.as_str()).collect();
    facts.sort_by_key(|fact| (fact.kind, files.iter().position(|file| *file == fact.file), fact.line));
    facts
}

/// Whether it says what a folder of documents holds, or is a template or table of a folder with few of them, or one that
/// the sentence or a rule names.
fn is_paper(material: &Material<'_>, fact: &Fact) -> bool {
    let is_form = |fact: &&Fact| matches!(fact.kind, Kind::Template | Kind::Columns);
    let forms = || material.facts.all.iter().filter(is_form);
    let name = fact.file.rsplit('/').next().unwrap_or_default();
    let mut rules = material.facts.all.iter().filter(|rule| rule.kind == Kind::Rule);
    let stem = name.split('.').next().unwrap_or_default();
    let said = || pack::Searched::of(&material.sentence.text).has(stem);
    let of_folder = material.facts.office && fact.kind == Kind::Note;
    of_folder || is_form(&fact) && (forms().count() <= FORMS || said() || rules.any(|rule| rule.text.contains(name)))
}

/// A folder with so few templates and tables holds none that does not concern the work.
const FORMS: usize = 3;

/// Tools of so many packs that a command which runs one of them need not belong to the subject.
const COMMON: &[&str] =
    &["git", "gh", "curl", "npx", "npm", "python", "python3", "for", "node", "bash", "sh", "grep", "jq"];

fn runs_tool(material: &Material<'_>, fact: &Fact) -> bool {
    let mut tools = material.packs.iter().flat_map(|chosen| &chosen.pack.head.tools);
    tools.any(|tool| !COMMON.contains(&tool.as_str()) && fact.words.contains(tool))
}

/// Whether a fact is a test, a linter or a job that checks every change.
fn is_check(fact: &Fact) -> bool {
    matches!(fact.kind, Kind::TestCommand | Kind::LintCommand | Kind::CiTest)
        || (fact.kind == Kind::CiJob && fact.id.is_none() && fact.text.contains("` runs `"))
}

/// Whether the task has to pass the checks of the repository.
fn keeps_checks(material: &Material<'_>) -> bool {
    const BUILT: &[&str] =
        &["test.command", "build.command", "db.command", "migrations", "release.command", "ci.release"];
    let mut wants = material.packs.iter().flat_map(|chosen| &chosen.pack.head.wants);
    let sentence = material.sentence;
    let releases = sentence.archetype == Archetype::Deploy && !material.packs.is_empty();
    let whole = sentence.changes_code() || near::changes(material) || near::is_about_program(material) || releases;
    whole || wants.any(|want| BUILT.contains(&want.as_str()))
}

/// Whether a risky command is mentioned: one that writes to a database, or does what a pack is about.
fn asked_for(material: &Material<'_>, fact: &Fact) -> bool {
    let wants = || material.packs.iter().flat_map(|chosen| &chosen.pack.head.wants);
    fact.risk == Some(Risk::Writes)
        || (fact.kind != Kind::CiRelease && fact.kind != Kind::CiDeploy)
            && (wants().any(|want| want == fact.kind.word()) || (fact.command.is_some() && runs_tool(material, fact)))
}

/// The command a CI job runs.
fn of_ci(fact: &Fact) -> Option<&str> {
    let ran = fact.text.split_once("` runs `").and_then(|(_, rest)| rest.strip_suffix('`'));
    ran.filter(|_| matches!(fact.kind, Kind::CiTest | Kind::CiJob))
}

/// Whether the root of a monorepo has the same kind of fact as this one, whose package the sentence does not name.
fn of_root(material: &Material<'_>, fact: &Fact, said: &[String]) -> bool {
    use Kind::{BuildCommand, Language, LintCommand, PackageManager, TestCommand};
    let directory = |fact: &Fact| fact.text.strip_prefix("in `")?.split('`').next().map(str::to_owned);
    let general = matches!(fact.kind, BuildCommand | Language | LintCommand | PackageManager | TestCommand);
    let named = |path: String| stems(path.rsplit('/').next().unwrap_or_default()).iter().any(|one| said.contains(one));
    let root = |other: &&Fact| other.kind == fact.kind && directory(other).is_none();
    general && directory(fact).is_some_and(|path| !named(path)) && material.facts.all.iter().any(|other| root(&other))
}

/// Whether the other fact of the same line contains this one's value.
fn repeats(fact: &Fact, other: &Fact) -> bool {
    let value = fact.text.split('`').nth(1).unwrap_or_default();
    fact.place() == other.place() && fact.kind == other.kind && !value.is_empty() && other.text.contains(value)
}

/// Whether both say the same of the repository, one of them for a directory. A command is another one there.
fn same(fact: &Fact, other: &Fact) -> bool {
    fn bare(text: &str) -> &str {
        text.strip_prefix("in `").and_then(|rest| rest.split_once("`: ")).map_or(text, |(_, rest)| rest)
    }
    let below = other.text == bare(&fact.text) || fact.text == bare(&other.text);
    below && fact.kind == other.kind && fact.command.is_none()
}

/// Whether the fact is about one tool among several, so that its kind alone does not decide its relevance.
fn settles(fact: &Fact) -> bool {
    use Kind::{CiJob, Framework, LintConfig, Service, TestConfig, TestPlugin};
    matches!(fact.kind, CiJob | Framework | LintConfig | Service | TestConfig | TestPlugin)
}

/// Whether a wanted fact belongs to the domain: its tool is one of the pack's, and none that excludes the pack.
fn of_domain(fact: &Fact, head: &pack::Head) -> bool {
    let own = head.topic.iter().flatten().chain(&head.topic_repo).chain(&head.topic_repo_words).chain(&head.tools);
    let own = stems(&own.map(String::as_str).collect::<Vec<_>>().join(" "));
    !ruled_out(fact, head) && (!settles(fact) || named(fact, &own))
}

/// Whether it is about something that excludes the pack and is not one of the pack's tools.
fn ruled_out(fact: &Fact, head: &pack::Head) -> bool {
    let about = pack::Searched::of(&fact.words.join(" "));
    head.not.iter().any(|word| !head.tools.contains(word) && about.has(word))
}

/// Whether these stems name the fact's tool.
fn named(fact: &Fact, stems: &[String]) -> bool {
    const OF_ANY: &[&str] = &["test", "tests", "lint", "style", "run", "runs"];
    let mut words = fact.words.iter().chain(&fact.id).filter(|word| !OF_ANY.contains(&word.as_str()));
    words.any(|word| ranking::stems(word).iter().any(|stem| stems.contains(stem)))
}

/// The command of the repository for a clause: its words include the verb and part of the object, or its name is the
/// verb alone. "Roll back if errors rise" is not `npm run db:rollback`.
pub(super) fn command<'m>(material: &Material<'m>, clause: &Clause) -> Option<&'m Fact> {
    let both = |words: &[String]| -> Vec<String> {
        let languages = [Language::En, material.sentence.language];
        words.iter().flat_map(|word| languages.map(|language| stem(word, language))).collect()
    };
    let verb = stem(&clause.verb.as_deref()?.replace(' ', ""), Language::En);
    let object = both(&clause.words);
    let refused = refused(material);
    let runs = |fact: &&Fact| fact.command.as_deref().is_some_and(|command| !is_refused(command, &refused));
    let commands = material.facts.all.iter().filter(runs);
    let fits = commands.filter_map(|fact| {
        let words = both(&fact.words);
        let shared = object.iter().filter(|word| words.contains(word)).count();
        let does = (words.contains(&verb) && (shared > 0 || is_verb(fact, &verb))) || (verb == "run" && shared > 0);
        // A command's own name counts more than what it calls, and the repository's own commands more than those of
        // tools.
        does.then_some(((words.first() == Some(&verb), shared, fact.line > 0), fact))
    });
    fits.rev().max_by_key(|(fit, _)| *fit).map(|(_, fact)| fact)
}

/// Whether the last word of a command is this verb: `make deploy`, `npm test`, `npm run build`.
fn is_verb(fact: &Fact, verb: &str) -> bool {
    let command = fact.command.as_deref().unwrap_or_default();
    let words: Vec<&str> = command.split_whitespace().collect();
    words.len() <= 3 && words.last().is_some_and(|last| stem(last, Language::En) == verb)
}

/// Where the fact stands that a line rests on, as it is added to the line; empty for none, and for what the whole
/// repository is made with.
pub(super) fn place(material: &Material<'_>, line: &pack::Line) -> String {
    use Kind::{Framework, Language, PackageManager};
    let ids = line.has.as_ref().map(pack::OneOrMore::all).unwrap_or_default();
    let fact = material.facts.all.iter().find(|fact| fact.id.as_ref().is_some_and(|id| ids.contains(id)));
    // That there is a Dockerfile proves nothing of what it holds.
    let fact = fact.filter(|fact| fact.id.as_deref() != Some("docker"));
    let fact = fact.filter(|fact| !matches!(fact.kind, Framework | Language | PackageManager));
    fact.map(|fact| format!(" ({})", fact.place())).unwrap_or_default()
}

pub(super) fn placed(fact: &Fact, language: Language, shape: Shape, origin: Origin) -> Line {
    let text = fact.said(language);
    // "`prices.csv` has the columns …" says it already.
    let named = matches!(fact.kind, Kind::Columns | Kind::File | Kind::Template);
    Line::new(shape, if named { text } else { format!("{text} ({})", fact.place()) }, origin)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_that_asks_first_has_its_place_and_a_file_its_order() {
        let mut facts: Vec<Fact> =
            (0..12).map(|line| Fact::new(Kind::Command, "x").at("Makefile", 20 - line)).collect();
        facts.push(Fact::new(Kind::Command, "ship").risk(Some(Risk::Publishes)).at("Makefile", 30));
        let lines: Vec<usize> = in_order(facts.iter().collect()).iter().map(|fact| fact.line).collect();
        assert_eq!(lines, [12, 13, 14, 15, 16, 17, 18, 19, 20, 30]);
    }

    #[test]
    fn what_holds_for_the_root_is_not_told_of_a_directory() {
        let fact = |text: &str| Fact::new(Kind::Framework, text);
        let of_app = fact("in `app`: `react` ^18");
        assert!(same(&of_app, &fact("`react` ^18")) && !same(&of_app, &fact("in `ui`: `react` ^18")));
        assert!(!same(&fact("in `app`: `npm test`").command("(cd app && npm test)"), &fact("`npm test`")));
    }
}
