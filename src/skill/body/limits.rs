//! The sections after the steps: cases, rules of the sentence, limits and traps, the report, when it is done.

use super::house::House;
use super::steps::{Plan, is_rule, of_line, placed_line, said};
use super::{Line, Material, Origin, Shape, author, near, relevant};
use crate::skill::fact::{Fact, Kind};
use crate::skill::pack::{self, Chosen, LineKind};
use crate::skill::sentence::begun;

/// The maximum number of rows in the table of cases.
const MOST_CASES: usize = 6;

/// The rows of the table of cases, and the points below "Limits and traps".
pub(super) fn limits(material: &Material<'_>, plan: &Plan<'_>, rules: &[House<'_>]) -> (Vec<Line>, Vec<Line>) {
    let language = material.sentence.language;
    // The cases of one pack only: two tables mixed are of no use.
    let with_cases = lines(material, rules, LineKind::Case).next().map(|(chosen, _)| chosen.pack.head.id.as_str());
    let cases =
        lines(material, rules, LineKind::Case).filter(|(chosen, _)| Some(chosen.pack.head.id.as_str()) == with_cases);
    let cases = cases.filter_map(|(chosen, line)| {
        let cells = line.case(language)?.map(|cell| material.text(chosen, cell).replace('|', "\\|"));
        Some(of_line(chosen, cells.join(" | "), Shape::Row, line.weight.min(2)))
    });
    // "Before signing." alone: the heading says it.
    let ties = language.lexicon().set("tie");
    let titled =
        |rule: &&String| ties.iter().any(|tie| rule.to_lowercase().starts_with(tie.as_ref())) && !rule.contains(':');
    // "a zero-downtime migration": the task says it.
    let tasks: Vec<String> = material.clauses().map(|clause| clause.text.to_lowercase().replace('-', " ")).collect();
    // "Before the team signs it: summarise a lease": so does the title.
    let headed = material.sentence.head.is_some();
    let first = tasks.first().cloned().unwrap_or_default();
    let repeated = |rule: &String| {
        let rule = rule.to_lowercase().replace('-', " ");
        let rule = rule.trim_end_matches('.');
        let title = headed && rule.split_once(": ").is_some_and(|(_, task)| task == first);
        title || tasks.iter().any(|task| task.contains(rule))
    };
    let own = material.sentence.rules.iter().filter(|rule| !titled(rule) && !repeated(rule)).cloned();
    // Without a check the limits by a number are rules.
    let unchecked = if check(material, rules).is_some() { &[] } else { material.sentence.bounds.as_slice() };
    let unchecked = unchecked.iter().map(|bound| format!("{}.", begun(&bound.text)));
    // The title says a single task.
    let avoided = material.clauses().skip(1).filter(|clause| is_rule(clause, language));
    let avoided = avoided.map(|clause| format!("{}.", said(clause).trim_end_matches('.')));
    // A rule or the check says some of them already.
    let said = |limit: &&String| {
        let limit = limit.to_lowercase();
        let ruled = material.sentence.rules.iter().any(|rule| rule.to_lowercase().contains(&limit));
        ruled || material.sentence.bounds.iter().any(|bound| limit.contains(&bound.text.to_lowercase()))
    };
    let listed = plan.limits(language).filter(|limit| !said(limit));
    let listed = listed.map(|limit| format!("{}.", begun(limit.trim_end_matches('.'))));
    let own = own.chain(avoided).chain(listed).chain(unchecked);
    let own = own.map(|text| Line::new(Shape::Point, text, Origin::Sentence));
    let loose = material.answers.iter().filter(|(key, _)| !placed(material, plan, key));
    let loose = loose.map(|(key, answer)| author::answer(material, key, answer, Shape::Point));
    let house = rules.iter().filter(|rule| rule.unplaced()).map(|rule| Line { shape: Shape::Point, ..rule.line() });
    let traps = lines(material, rules, LineKind::Limit).chain(lines(material, rules, LineKind::Trap));
    let traps = traps.filter(|(_, line)| line.at.is_none());
    let placed = |(chosen, line): (&Chosen, &pack::Line)| placed_line(material, chosen, line, Shape::Point);
    let mut traps: Vec<Line> = traps.filter_map(placed).collect();
    traps.sort_by_key(|line| std::cmp::Reverse(line.weight));
    (cases.take(MOST_CASES).collect(), own.chain(loose).chain(house).chain(traps).collect())
}

/// What to report, and when it is done.
pub(super) fn ending(material: &Material<'_>, rules: &[House<'_>]) -> Vec<Line> {
    let report = last(material, rules, LineKind::Result, &format!("{}:", material.phrases().report));
    report.into_iter().chain(check(material, rules).map(|check| bounded(check, material))).collect()
}

fn check(material: &Material<'_>, rules: &[House<'_>]) -> Option<Line> {
    last(material, rules, LineKind::Check, &material.phrases().done).or_else(|| tests_pass(material))
}

/// The line of this kind from the pack of the subject; of several the one of the last clause, with which the work ends.
fn last(material: &Material<'_>, rules: &[House<'_>], kind: LineKind, label: &str) -> Option<Line> {
    let all: Vec<(&Chosen, &pack::Line)> = lines(material, rules, kind).collect();
    let first = material.packs.iter().find(|pack| all.iter().any(|(chosen, _)| std::ptr::eq(*chosen, *pack)))?;
    let verb_at = |(chosen, line): &(&Chosen, &pack::Line)| {
        chosen.verbs.iter().rposition(|verb| verb.as_ref().is_some_and(|verb| pack::serves(&line.verbs, verb)))
    };
    let of_first = all.into_iter().filter(|(chosen, _)| std::ptr::eq(*chosen, first));
    let (chosen, line) = of_first.rev().max_by_key(verb_at)?;
    let text = material.text(chosen, line.text(material.sentence.language)?);
    let text = format!("{label} {}.", text.trim_end_matches('.'));
    Some(of_line(chosen, text, Shape::Plain, 3))
}

/// The check with the author's limits that it does not say itself.
fn bounded(mut check: Line, material: &Material<'_>) -> Line {
    let missing = material.sentence.bounds.iter().map(|bound| &bound.text).filter(|bound| !check.text.contains(*bound));
    let missing: Vec<&str> = missing.map(String::as_str).collect();
    if !missing.is_empty() {
        check.text = format!("{}; {}.", check.text.trim_end_matches('.'), missing.join("; "));
    }
    check
}

/// If code is certainly changed: the command that a rule asks for before each push passes, else the repository's own tests.
fn tests_pass(material: &Material<'_>) -> Option<Line> {
    const DUE: &[&str] = &["push", "commit", "merge", "pull request", " pr ", "review", "subir", "enviar"];
    let refused = relevant::refused(material);
    let runs = |fact: &&Fact| fact.command.as_deref().is_some_and(|command| !relevant::is_refused(command, &refused));
    let is_due = |fact: &&Fact| {
        let named = format!("`{}`", fact.command.as_deref().unwrap_or_default());
        let mut rules = material.facts.all.iter().filter(|rule| rule.kind == Kind::Rule && rule.text.contains(&named));
        rules.any(|rule| DUE.iter().any(|word| rule.text.to_lowercase().contains(word)))
    };
    let all = || material.facts.all.iter().filter(runs);
    let checks = || all().filter(|fact| fact.risk.is_none() && is_due(fact));
    let fact = checks().next().or_else(|| all().find(|fact| fact.kind == Kind::TestCommand))?;
    let command = format!("`{}`", fact.command.as_deref().unwrap_or_default());
    (material.sentence.changes_code() || (material.packs.is_empty() && near::changes(material))).then(|| {
        let phrases = material.phrases();
        let text = format!("{} {} ({}).", phrases.done, phrases.passes.replace("{}", &command), fact.place());
        Line::new(Shape::Plain, text, Origin::Repository { file: fact.file.clone(), line: fact.line })
    })
}

/// The lines of this kind that apply and that no rule decides.
fn lines<'m>(
    material: &Material<'m>,
    rules: &[House<'_>],
    kind: LineKind,
) -> impl Iterator<Item = (&'m Chosen, &'m pack::Line)> {
    let text = material.searched();
    let material = *material;
    let all = material.packs.iter().flat_map(|chosen| chosen.pack.lines.iter().map(move |line| (chosen, line)));
    all.filter(move |(chosen, line)| {
        line.kind == kind
            && chosen.asked(&line.verbs)
            && material.holds(line, &text)
            && !rules.iter().any(|rule| rule.decides(line))
    })
}

/// Whether the answer to this question is under a step.
fn placed(material: &Material<'_>, plan: &Plan<'_>, key: &str) -> bool {
    material.packs.iter().any(|chosen| {
        let mut questions = chosen.pack.questions.iter();
        questions.any(|question| question.key == key && plan.has_slot(&chosen.pack.head.id, &question.slot))
    })
}
