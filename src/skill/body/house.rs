//! Which rules of the repository a skill shows, and where: under the step they are about, else among the limits.

mod companions;
mod procedure;
#[cfg(test)]
mod tests;

use super::near::Near;
use super::slot::nearest;
use super::steps::Plan;
use super::{Line, Material, Origin, Shape, contradiction, given, relevant};
use crate::skill::fact::{Fact, Kind, ROW, Risk, denies};
use crate::skill::subject::Subject;
use crate::skill::{Language, pack};
use companions::{between, complete, goes_on, of_line};
pub(super) use procedure::procedure;
use procedure::{mark_actions, mark_procedure};

/// The maximum number of rules that no question of a pack asks for, and in a folder of documents.
const MOST: usize = 12;
const MOST_IN_OFFICE: usize = 18;

/// A relevant rule of the repository.
pub(super) struct House<'m> {
    fact: &'m Fact,
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
}

impl House<'_> {
    pub(super) fn under(&self, id: &str, slot: &str) -> bool {
        self.slot == Some((id, slot)) && !self.beside
    }

    /// Whether it decides what a line of a pack decides.
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

    pub(super) fn text(&self) -> &str {
        &self.fact.text
    }

    pub(super) fn file(&self) -> &str {
        &self.fact.file
    }

    pub(super) fn line(&self) -> Line {
        let origin = Origin::House { file: self.fact.file.clone(), line: self.fact.line };
        let placed = relevant::placed(self.fact, Language::En, Shape::Under, origin);
        // Its file tells the directory.
        let below = placed.text.strip_prefix("in `").and_then(|rest| rest.split_once("`: "));
        let below =
            below.filter(|(directory, _)| self.fact.file.starts_with(directory)).map(|(_, rule)| rule.to_owned());
        let line = Line { text: below.unwrap_or(placed.text), ..placed };
        if self.torn { Line { text: format!("{}: {}", self.fact.section, line.text), ..line } } else { line }
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
    if !material.facts.all.iter().any(says) {
        return Vec::new();
    }
    let near = Near::of(material);
    let mut found: Vec<(f64, House<'m>)> = Vec::new();
    for fact in &material.facts.all {
        if !says(fact) || given::says(material, fact) {
            continue;
        }
        let bound = fact.kind == Kind::Rule;
        let slot = slot(material, plan, fact).filter(|_| bound);
        let beside = bound && plan.commands().any(|command| is_about(fact, command));
        let asked = (slot.is_some() || beside).then_some(f64::INFINITY);
        let before = || found.last().filter(|(_, rule)| goes_on(fact, rule.fact)).map(|(score, _)| *score);
        let decides = || plan.decided(&House::new(fact)).is_some();
        let score = asked.or_else(|| near.score(material, fact, decides())).or_else(before);
        found.extend(score.map(|score| (score, House { slot, beside, ..House::new(fact) })));
    }
    let between = between(material, &found);
    found.extend(between);
    let beside = of_line(material, &found);
    found.extend(beside);
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
            let first = rule.text().split([';', ',']).next().unwrap_or_default();
            let tells = !denies(first) || contradiction::tells(rule.text());
            rule.slot = Some(decided).filter(|_| tells);
        } else if rule.unplaced() {
            rule.slot = nearest(&rule.fact.text, &slots).map(|slot| (slot.id, slot.slot));
        }
    }
}

/// Whether a fact is a sentence of a document.
fn says(fact: &Fact) -> bool {
    matches!(fact.kind, Kind::Rule | Kind::Statement)
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
