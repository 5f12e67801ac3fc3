//! Which facts of the repository bear on a sentence, and where they stand.

use super::steps::Plan;
use super::{Line, Material, Origin, Shape};
use crate::skill::fact::{Fact, Facts, Kind};
use crate::skill::ranking::stem;
use crate::skill::sentence::Clause;
use crate::skill::{Language, pack};

/// At most so many facts are listed.
const MOST: usize = 8;
/// A rule of the repository that bears on the sentence.
pub(super) struct House<'m> {
    fact: &'m Fact,
    /// The pack and the slot whose question it answers.
    slot: Option<(&'m str, &'m str)>,
}

impl House<'_> {
    pub(super) fn under(&self, id: &str, slot: &str) -> bool {
        self.slot == Some((id, slot))
    }

    /// Whether it stands among the limits, for want of a step of its own.
    pub(super) fn unplaced(&self) -> bool {
        self.slot.is_none()
    }

    pub(super) fn line(&self) -> Line {
        placed(self.fact, Shape::Under, Origin::House { file: self.fact.file.clone(), line: self.fact.line })
    }
}

/// The rules that bear on the sentence: those that answer a question of a pack, and those that share a word with it.
pub(super) fn rules<'m>(material: &Material<'m>, plan: &Plan<'m>) -> Vec<House<'m>> {
    let bearing = material.facts.bearing_on(&material.sentence.text);
    let all = material.facts.all.iter().filter(|fact| fact.kind == Kind::Rule);
    all.filter_map(|fact| {
        let slot = material.packs.iter().find_map(|chosen| {
            let id = chosen.pack.head.id.as_str();
            let question = chosen
                .pack
                .questions
                .iter()
                .find(|question| answers(fact, &question.answered_by) && plan.has_slot(id, &question.slot))?;
            Some((id, question.slot.as_str()))
        });
        (slot.is_some() || bearing.contains(&fact)).then_some(House { fact, slot })
    })
    .collect()
}

/// The rule of the repository that has one of these words.
pub(super) fn answered<'f>(facts: &'f Facts, words: &[String]) -> Option<&'f Fact> {
    facts.all.iter().find(|fact| fact.kind == Kind::Rule && answers(fact, words))
}

fn answers(rule: &Fact, words: &[String]) -> bool {
    words.iter().any(|word| pack::Searched::of(&rule.text).has(word))
}

/// The facts that are listed: of the kinds that a pack wants, then those that bear on the sentence. What has a risk is a
/// step where the sentence asks for it and is not mentioned otherwise.
pub(super) fn here(material: &Material<'_>, plan: &Plan<'_>) -> Vec<Line> {
    let wants = material.packs.iter().flat_map(|chosen| &chosen.pack.head.wants);
    let wanted = wants.flat_map(|want| material.facts.wanted(want));
    let mut facts: Vec<&Fact> = Vec::new();
    for fact in wanted.chain(material.facts.bearing_on(&material.sentence.text)) {
        let listed = fact.kind != Kind::Rule && fact.risk.is_none() && !plan.speaks_of(fact) && !facts.contains(&fact);
        if listed && facts.len() < MOST {
            facts.push(fact);
        }
    }
    facts.sort_by_key(|fact| fact.kind);
    let line = |fact: &&Fact| {
        let origin = Origin::Repository { file: fact.file.clone(), line: fact.line };
        Line { weight: 2, ..placed(fact, Shape::Point, origin) }
    };
    facts.iter().map(line).collect()
}

/// The command of the repository that does what a clause says: its words name the verb or its object.
pub(super) fn command<'m>(material: &Material<'m>, clause: &Clause) -> Option<&'m Fact> {
    let stems = |words: &[String]| -> Vec<String> {
        let both = [Language::En, material.sentence.language];
        words.iter().flat_map(|word| both.map(|language| stem(word, language))).collect()
    };
    let verb = stem(clause.verb.as_deref()?, Language::En);
    let object = stems(&clause.words);
    let commands = material.facts.all.iter().filter(|fact| fact.command.is_some());
    let fits = commands.filter_map(|fact| {
        let words = stems(&fact.words);
        let shared = object.iter().filter(|word| words.contains(word)).count();
        let does = words.contains(&verb) || (verb == "run" && shared > 0);
        does.then_some((shared, fact))
    });
    fits.rev().max_by_key(|(shared, _)| *shared).map(|(_, fact)| fact)
}

/// Where the fact stands that a line rests on, as it is added to the line; empty for none.
pub(super) fn place(material: &Material<'_>, line: &pack::Line) -> String {
    let ids = line.has.as_ref().map(pack::OneOrMore::all).unwrap_or_default();
    let fact = material.facts.all.iter().find(|fact| fact.id.as_ref().is_some_and(|id| ids.contains(id)));
    fact.map(|fact| format!(" ({})", fact.place())).unwrap_or_default()
}

fn placed(fact: &Fact, shape: Shape, origin: Origin) -> Line {
    Line { shape, text: format!("{} ({})", fact.text, fact.place()), origin, weight: 3 }
}
