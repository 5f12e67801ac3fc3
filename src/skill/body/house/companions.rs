//! The rules that come with one that is taken: those between two, in its line, and the sentence that it speaks of.

use super::{House, given, says};
use crate::skill::body::{Material, section};
use crate::skill::fact::Fact;

/// The rules between two that are taken, of the same section or document on one kind of work: they are about the same thing.
pub(super) fn between<'m>(material: &Material<'m>, found: &[(f64, House<'m>)]) -> Vec<(f64, House<'m>)> {
    let taken = |fact: &Fact| found.iter().find(|(_, rule)| std::ptr::eq(rule.fact, fact)).map(|(score, _)| *score);
    let of_rules = material.facts.all.iter().filter(|fact| says(fact));
    let rules: Vec<&Fact> = of_rules.collect();
    let alone = rules.windows(3).filter_map(|three| {
        let [before, fact, after] = three else { return None };
        let of_one = !fact.section.is_empty() || fact.work.as_ref().is_some_and(|work| !work.is_empty());
        let together =
            of_one && section::key(before) == section::key(fact) && section::key(fact) == section::key(after);
        let score = taken(before)?.min(taken(after)?);
        let left = together && taken(fact).is_none() && !given::says(material, fact);
        left.then_some((score, House::new(fact)))
    });
    alone.collect()
}

/// What else stands in the line of a rule that is taken: half of a line may say the opposite.
pub(super) fn of_line<'m>(material: &Material<'m>, found: &[(f64, House<'m>)]) -> Vec<(f64, House<'m>)> {
    let of_rules = material.facts.all.iter().filter(|fact| says(fact));
    let left = of_rules.filter(|fact| !found.iter().any(|(_, rule)| std::ptr::eq(rule.fact, *fact)));
    let beside = left.filter_map(|fact| {
        let same = |(_, rule): &&(f64, House<'m>)| rule.file() == fact.file && rule.fact.line == fact.line;
        let (score, _) = found.iter().filter(same).min_by(|(one, _), (other, _)| one.total_cmp(other))?;
        (!given::says(material, fact)).then(|| (*score, House::new(fact)))
    });
    beside.collect()
}

/// Whether a rule says more of what the rule before it is about: "Mobile releases may still use it".
pub(super) fn goes_on(rule: &Fact, before: &Fact) -> bool {
    const POINTING: &[&str] = &["it", "them", "they", "its", "isso", "isto", "eso", "esto"];
    let lower = rule.text.to_lowercase();
    let points = |word: &str| POINTING.contains(&word);
    section::key(rule) == section::key(before)
        && rule.line == before.line + 1
        && lower.split(|c: char| !c.is_alphanumeric()).any(points)
}

/// Brings in the sentence before one that speaks of it, "They are valid for 21 days", or removes that one where no rule
/// stands before it.
pub(super) fn complete<'m>(rules: &mut Vec<House<'m>>, material: &Material<'m>) {
    const POINTING: &[&str] = &["they", "it", "these", "those", "eles", "elas", "ellos", "ellas"];
    let all = &material.facts.all;
    let mut at = 0;
    while let Some(rule) = rules.get(at) {
        let first = rule.text().split(' ').next().unwrap_or_default().to_lowercase();
        let place = all.iter().position(|fact| std::ptr::eq(fact, rule.fact));
        let before = place.and_then(|place| all.get(place.checked_sub(1)?));
        let before = before.filter(|fact| fact.file == rule.fact.file && POINTING.contains(&first.as_str()));
        let taken = |fact: &Fact| rules.iter().any(|rule| rule.file() == fact.file && rule.text() == fact.text);
        match before.filter(|fact| !taken(fact)) {
            None => at += 1,
            Some(fact)
                if says(fact) && section::key(fact) == section::key(rule.fact) && !given::says(material, fact) =>
            {
                // It may speak of another one in turn.
                rules.insert(at, House::new(fact));
            }
            Some(_) => _ = rules.remove(at),
        }
    }
}
