//! Which rules of the repository a skill shows, and where: under the step they are about, else among the limits.

use super::assemble::is_documented;
use super::near::{Near, section};
use super::steps::Plan;
use super::{Line, Material, Origin, Shape, author, contradiction, relevant};
use crate::skill::fact::{Fact, Kind, ROW, Risk, STEP, denies, is_action};
use crate::skill::ranking::{Term, languages, weighted};
use crate::skill::subject::Subject;
use crate::skill::{Language, pack};

/// The maximum number of rules that no question of a pack asks for, and in a folder of documents.
const MOST: usize = 12;
const MOST_IN_OFFICE: usize = 18;

/// A relevant rule of the repository.
pub(super) struct House<'m> {
    pub(super) fact: &'m Fact,
    /// The pack and the slot of the step it stands under.
    slot: Option<(&'m str, &'m str)>,
    /// Whether it is about the command of a step.
    beside: bool,
    /// Whether it is a step of the house's own procedure for the task.
    step: bool,
    /// Whether it needs its heading to be understood.
    torn: bool,
}

impl<'m> House<'m> {
    fn new(fact: &'m Fact) -> Self {
        Self { fact, slot: None, beside: false, step: false, torn: false }
    }

    pub(super) fn under(&self, id: &str, slot: &str) -> bool {
        self.slot == Some((id, slot)) && !self.beside
    }

    pub(super) fn decides(&self, line: &pack::Line) -> bool {
        let bound = self.fact.kind == Kind::Rule && !line.decides.is_empty();
        bound && line.is_decided_by(&pack::Searched::of(&self.fact.text))
    }

    /// Whether it stands under the step that runs this command.
    pub(super) fn with(&self, command: &Fact) -> bool {
        self.beside && is_about(self.fact, command)
    }

    /// Whether it goes to the limits because no step matches.
    pub(super) fn unplaced(&self) -> bool {
        self.slot.is_none() && !self.beside && !self.step
    }

    /// Whether it is a row of a table.
    pub(super) fn is_row(&self) -> bool {
        self.fact.id.as_deref() == Some(ROW)
    }

    pub(super) fn line(&self) -> Line {
        let origin = Origin::House { file: self.fact.file.clone(), line: self.fact.line };
        let placed = relevant::placed(self.fact, Language::En, Shape::Under, origin);
        // Its file tells the directory.
        let below = placed.text.strip_prefix("in `").and_then(|rest| rest.split_once("`: "));
        let below = below.filter(|(directory, _)| self.fact.file.starts_with(directory));
        let text = below.map_or(placed.text.as_str(), |(_, rule)| rule);
        let text = if self.torn { format!("{}: {text}", self.fact.section) } else { text.to_owned() };
        Line { text, ..placed }
    }
}

/// Whether a rule speaks of what only its heading names: "On another branch, always." below "Ruby".
fn is_torn(rule: &Fact, task: &Subject) -> bool {
    const BEGINNINGS: &[&str] = &[
        "at", "by", "from", "in", "it", "its", "on", "only", "they", "with", "without", "com", "con", "de", "desde",
        "em", "en", "nem", "ni", "por", "se", "sem", "sin", "sólo", "só", "até", "hasta",
    ];
    const LONGEST: usize = 3;
    let first = rule.text.split(' ').next().unwrap_or_default().to_lowercase();
    let heading = &rule.section;
    BEGINNINGS.contains(&first.as_str())
        && heading.starts_with(char::is_alphanumeric)
        && heading.split(' ').count() <= LONGEST
        && Subject::of(heading).shared_with(&rule.text) == 0
        && task.shared_with(heading) == 0
}

/// The relevant rules: those that answer a question of a pack or are about the command of a step, then those near enough to
/// the task, nearest first.
pub(super) fn rules<'m>(material: &Material<'m>, plan: &Plan<'m>) -> Vec<House<'m>> {
    if !material.facts.all.iter().any(is_documented) {
        return Vec::new();
    }
    let near = Near::of(material);
    let mut found: Vec<(f64, House<'m>)> = Vec::new();
    for fact in material.facts.all.iter().filter(|fact| is_documented(fact) && !author::gives(material, fact)) {
        let bound = fact.kind == Kind::Rule;
        let slot = slot(material, plan, fact).filter(|_| bound);
        let beside = bound && plan.commands().any(|command| is_about(fact, command));
        let asked = (slot.is_some() || beside).then_some(f64::INFINITY);
        let before = || found.last().filter(|(_, rule)| goes_on(fact, rule.fact)).map(|(score, _)| *score);
        let decides = || plan.decided(&House::new(fact)).is_some();
        let score = asked.or_else(|| near.score(material, fact, decides())).or_else(before);
        found.extend(score.map(|score| (score, House { slot, beside, ..House::new(fact) })));
    }
    found.extend(between(material, &found));
    found.extend(of_line(material, &found));
    found.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    let asked = found.iter().filter(|(score, _)| score.is_infinite()).count();
    let most = if near.office { MOST_IN_OFFICE } else { MOST };
    found.truncate(most.max(asked));
    let mut rules = in_order(found.into_iter().map(|(_, rule)| rule).collect(), &material.facts.all);
    complete(&mut rules, material);
    let stepped = mark_procedure(&mut rules) || (material.packs.is_empty() && mark_actions(&mut rules));
    if stepped {
        // What they stood under is replaced.
        rules.iter_mut().filter(|rule| !rule.step).for_each(|rule| *rule = House::new(rule.fact));
    } else {
        place(material, plan, &mut rules);
    }
    let task = Subject::of(&material.sentence.text);
    rules.iter_mut().for_each(|rule| rule.torn = is_torn(rule.fact, &task));
    rules
}

/// Puts each rule that no question asks for under the step that speaks of the same thing.
fn place<'m>(material: &Material<'m>, plan: &Plan<'m>, rules: &mut [House<'m>]) {
    let task = Subject::of(&material.sentence.text);
    let slots = plan.slots(material.sentence, &task);
    for rule in rules.iter_mut().filter(|rule| !rule.beside && !rule.step) {
        if let Some(decided) = plan.decided(rule) {
            let first = rule.fact.text.split([';', ',']).next().unwrap_or_default();
            let tells = !denies(first) || contradiction::tells(&rule.fact.text);
            rule.slot = Some(decided).filter(|_| tells);
        } else if rule.unplaced() {
            rule.slot = nearest(&rule.fact.text, &slots).map(|slot| (slot.id, slot.slot));
        }
    }
}

/// The rules of a file stay together, in their order.
fn in_order<'m>(rules: Vec<House<'m>>, all: &[Fact]) -> Vec<House<'m>> {
    let place = |rule: &House<'_>| all.iter().position(|fact| std::ptr::eq(fact, rule.fact));
    let mut ordered: Vec<House<'m>> = Vec::with_capacity(rules.len());
    for rule in rules {
        let alike = |other: &House<'_>| other.fact.file == rule.fact.file;
        let at = match ordered.iter().rposition(|other| alike(other) && place(other) < place(&rule)) {
            Some(before) => before + 1,
            None => ordered.iter().position(alike).unwrap_or(ordered.len()),
        };
        ordered.insert(at, rule);
    }
    ordered
}

/// The step whose question the rule answers.
fn slot<'m>(material: &Material<'m>, plan: &Plan<'m>, fact: &Fact) -> Option<(&'m str, &'m str)> {
    material.packs.iter().find_map(|chosen| {
        let id = chosen.pack.head.id.as_str();
        let mut questions = chosen.pack.questions.iter();
        let question = questions
            .find(|question| relevant::answers(fact, &question.answered_by) && plan.has_slot(id, &question.slot))?;
        Some((id, question.slot.as_str()))
    })
}

/// The words for what a risky command does.
fn acts(risk: Risk) -> &'static [&'static str] {
    match risk {
        Risk::Publishes => &["publish", "publishes", "publica", "publicar", "publique", "publish to"],
        Risk::Deploys => &["deploy", "deploys", "deployment", "implante", "implantar", "desplegar", "despliegue"],
        Risk::Destroys => &["delete", "drop", "destroy", "apague", "apagar", "borrar", "borre"],
        Risk::Stops | Risk::Writes => &[],
    }
}

/// Whether a rule is about what this risky command does.
fn is_about(rule: &Fact, command: &Fact) -> bool {
    let Some(risk) = command.risk else { return false };
    let named = command.command.as_deref().is_some_and(|command| rule.text.contains(&format!("`{command}`")));
    let text = pack::Searched::of(&rule.text);
    named || acts(risk).iter().any(|word| text.has(word))
}

/// The rule that forbids to run a command oneself: "Nobody publishes from a laptop".
pub(super) fn forbids(rule: &House<'_>, command: &Fact) -> bool {
    const BY_HAND: &[&str] = &[
        "laptop", "locally", "by hand", "manually", "workstation", "local machine", "own machine", "à mão",
        "manualmente", "a mano", "localmente",
    ];
    let lower = format!(" {} ", rule.fact.text.to_lowercase());
    let says = |words: &[&str]| words.iter().any(|word| lower.contains(&format!(" {word}")));
    rule.with(command) && denies(&rule.fact.text) && says(BY_HAND)
}

/// The rules between two that are taken, of the same section or document on one kind of work: they are about the same thing.
fn between<'m>(material: &Material<'m>, found: &[(f64, House<'m>)]) -> Vec<(f64, House<'m>)> {
    let taken = |fact: &Fact| found.iter().find(|(_, rule)| std::ptr::eq(rule.fact, fact)).map(|(score, _)| *score);
    let rules: Vec<&Fact> = material.facts.all.iter().filter(|fact| is_documented(fact)).collect();
    let alone = rules.windows(3).filter_map(|three| {
        let [before, fact, after] = three else { return None };
        let of_one = !fact.section.is_empty() || fact.work.as_ref().is_some_and(|work| !work.is_empty());
        let together = of_one && section(before) == section(fact) && section(fact) == section(after);
        let score = taken(before)?.min(taken(after)?);
        let left = together && taken(fact).is_none() && !author::gives(material, fact);
        left.then_some((score, House::new(fact)))
    });
    alone.collect()
}

/// What else stands in the line of a rule that is taken: half of a line may say the opposite.
fn of_line<'m>(material: &Material<'m>, found: &[(f64, House<'m>)]) -> Vec<(f64, House<'m>)> {
    let rules = material.facts.all.iter().filter(|fact| is_documented(fact));
    let left = rules.filter(|fact| !found.iter().any(|(_, rule)| std::ptr::eq(rule.fact, *fact)));
    let beside = left.filter_map(|fact| {
        let same = |(_, rule): &&(f64, House<'m>)| rule.fact.file == fact.file && rule.fact.line == fact.line;
        let (score, _) = found.iter().filter(same).min_by(|(one, _), (other, _)| one.total_cmp(other))?;
        (!author::gives(material, fact)).then(|| (*score, House::new(fact)))
    });
    beside.collect()
}

/// Whether a rule says more of what the rule before it is about: "Mobile releases may still use it".
fn goes_on(rule: &Fact, before: &Fact) -> bool {
    const POINTING: &[&str] = &["it", "them", "they", "its", "isso", "isto", "eso", "esto"];
    let lower = rule.text.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric());
    let next = section(rule) == section(before) && rule.line == before.line + 1;
    next && words.any(|word| POINTING.contains(&word))
}

/// Brings in the sentence before one that speaks of it, "They are valid for 21 days", or removes that one where no rule
/// stands before it.
fn complete<'m>(rules: &mut Vec<House<'m>>, material: &Material<'m>) {
    const POINTING: &[&str] = &["they", "it", "these", "those", "eles", "elas", "ellos", "ellas"];
    let all = &material.facts.all;
    let mut at = 0;
    while let Some(rule) = rules.get(at) {
        let first = rule.fact.text.split(' ').next().unwrap_or_default().to_lowercase();
        let place = all.iter().position(|fact| std::ptr::eq(fact, rule.fact));
        let before = place.and_then(|place| all.get(place.checked_sub(1)?));
        let before = before.filter(|fact| fact.file == rule.fact.file && POINTING.contains(&first.as_str()));
        let taken = |fact: &Fact| rules.iter().any(|rule| rule.fact.file == fact.file && rule.fact.text == fact.text);
        match before.filter(|fact| !taken(fact)) {
            None => at += 1,
            Some(fact)
                if is_documented(fact) && section(fact) == section(rule.fact) && !author::gives(material, fact) =>
            {
                // It may speak of another one in turn.
                rules.insert(at, House::new(fact));
            }
            Some(_) => _ = rules.remove(at),
        }
    }
}

/// So many numbered steps are a procedure.
const PROCEDURE: usize = 3;

/// The first list of numbered steps of a document about the work, or below a heading, that is among the rules is the
/// procedure of the house. Whether there is one.
fn mark_procedure(rules: &mut [House<'_>]) -> bool {
    let is_step = |fact: &Fact| fact.id.as_deref() == Some(STEP) && (fact.work.is_some() || !fact.section.is_empty());
    let of_one =
        |one: &Fact, other: &Fact| one.file == other.file && (one.work.is_some() || one.section == other.section);
    let steps_of = |fact: &Fact| rules.iter().filter(|rule| is_step(rule.fact) && of_one(rule.fact, fact)).count();
    let first = rules.iter().find(|rule| is_step(rule.fact) && steps_of(rule.fact) >= PROCEDURE);
    let Some(first) = first.map(|rule| rule.fact) else { return false };
    mark_steps(rules, |fact| is_step(fact) && of_one(fact, first));
    true
}

/// Where no pack knows the steps, the rules that say what to do are the steps. Whether there are enough.
fn mark_actions(rules: &mut [House<'_>]) -> bool {
    let begins = |text: &str| is_action(text.split([';', ',']).next().unwrap_or_default());
    let acts = |fact: &Fact| fact.kind == Kind::Rule && fact.id.as_deref() != Some(ROW) && begins(&fact.text);
    let enough = rules.iter().filter(|rule| acts(rule.fact)).count() >= PROCEDURE;
    mark_steps(rules, |fact| enough && acts(fact));
    enough
}

fn mark_steps(rules: &mut [House<'_>], are: impl Fn(&Fact) -> bool) {
    for rule in rules.iter_mut().filter(|rule| are(rule.fact)) {
        *rule = House { step: true, ..House::new(rule.fact) };
    }
}

/// The steps of the house's own procedure, in the order of its documents; none if it has none.
pub(super) fn procedure(rules: &[House<'_>]) -> Vec<Line> {
    let mut steps: Vec<&House<'_>> = rules.iter().filter(|rule| rule.step).collect();
    let files: Vec<&str> = steps.iter().map(|rule| rule.fact.file.as_str()).collect();
    steps.sort_by_key(|rule| (files.iter().position(|file| *file == rule.fact.file), rule.fact.line));
    steps.into_iter().map(|rule| Line { shape: Shape::Step, ..rule.line() }).collect()
}

/// A rule and a step of a pack that share so much speak of the same thing: a noun and a verb of that step alone.
pub(super) const SAME: usize = 3;
/// Of a step in the few words of the sentence its noun is enough.
pub(super) const SAME_CLAUSE: usize = 2;

/// A step, what it speaks of beyond the task, and how much of that a rule under it has at least.
pub(super) struct Slot<'m> {
    pub(super) id: &'m str,
    pub(super) slot: &'m str,
    pub(super) said: Subject,
    pub(super) least: usize,
}

impl Slot<'_> {
    fn says(&self, term: &Term<'_>) -> bool {
        term.keys.iter().any(|key| self.said.has(key))
    }
}

/// The step that shares most with a rule, the first of several; none if that is too little. A word of several steps counts
/// less.
fn nearest<'s, 'm>(rule: &str, slots: &'s [Slot<'m>]) -> Option<&'s Slot<'m>> {
    let mut terms: Vec<Term<'_>> = Vec::new();
    for term in weighted(rule, languages(rule)) {
        if !terms.iter().any(|known| known.keys == term.keys) {
            terms.push(term);
        }
    }
    let alike = |slot: &Slot<'_>| -> usize {
        let said = terms.iter().filter(|term| slot.says(term));
        said.map(|term| weight(term) / slots.iter().filter(|slot| slot.says(term)).count()).sum()
    };
    let best = slots.iter().rev().map(|slot| (alike(slot), slot)).max_by_key(|(alike, _)| *alike);
    best.filter(|(alike, slot)| *alike >= slot.least).map(|(_, slot)| slot)
}

/// What a word counts that one step says: a noun more than a verb, an everyday word nothing.
fn weight(term: &Term<'_>) -> usize {
    match () {
        () if term.names() => 2,
        () if term.everyday() => 0,
        () => 1,
    }
}

#[cfg(test)]
mod tests;
