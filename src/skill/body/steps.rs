//! The steps: for each clause those of the packs with their prerequisites, a command of the repository, or its own
//! words.

mod arrange;

use super::commands::{join_commands, join_targets, of_command, ran};
use super::house::{House, SAME, SAME_CLAUSE, Slot};
use super::{Line, Material, Origin, Section, Shape, author, near, relevant};
use crate::skill::Language;
use crate::skill::fact::{Fact, Kind, Risk};
use crate::skill::pack::{self, Chosen, LineKind};
use crate::skill::ranking::stems;
use crate::skill::sentence::{Clause, Sentence, is_limit, lowered};
use crate::skill::subject::Subject;
use arrange::{arrange, of_pack, serving};

/// In the place of a pack's id: a step in the words of the sentence.
const OWN: &str = "";

/// What stands for the test command of the repository in a sample of a pack.
const TEST_COMMAND: &str = "THE REPOSITORY'S TEST COMMAND";

/// The chosen steps, clause by clause.
pub(super) struct Plan<'m> {
    clauses: Vec<Vec<Step<'m>>>,
    /// What to show before anything is changed.
    shown: Option<(&'m Chosen, &'m pack::Line)>,
    /// Names behind a colon that no line of a pack says.
    uncovered: Vec<String>,
}

pub(super) enum Step<'m> {
    Pack(&'m Chosen, &'m pack::Line),
    /// A clause in its own words, as read, and with the repository's command for it, if any.
    Own(String, &'m Clause, Option<&'m Fact>),
    /// The repository's command for the pack's step before it.
    Here(&'m Fact),
    /// Names after a colon that are no steps by themselves, with their introduction.
    Parts(String, Vec<String>),
}

impl<'m> Plan<'m> {
    pub(super) fn of(material: &Material<'m>) -> Self {
        let sentence = material.sentence;
        let mut taken: Vec<(&str, &str)> = Vec::new();
        let mut clauses: Vec<Vec<Step<'m>>> = Vec::new();
        let head = sentence.head.is_some();
        let count = material.clauses().count();
        let banned = banned(sentence);
        for (index, clause) in material.sentence.head.iter().chain(&sentence.clauses).enumerate() {
            let mut steps: Vec<Step<'m>> = Vec::new();
            let (mut covered, mut meant) = (false, false);
            for chosen in serving(material.packs, index) {
                let verb = chosen.verbs.get(index).and_then(Option::as_deref);
                let first = chosen.verbs.iter().flatten().next();
                let ruled_out = |line: &pack::Line| {
                    let main = first.is_some_and(|first| line.verbs.contains(first));
                    !main && banned.iter().any(|verb| line.verbs.contains(verb))
                };
                let asked =
                    |line: &pack::Line| verb.is_some_and(|verb| pack::serves(&line.verbs, verb)) && !ruled_out(line);
                for line in of_pack(material, chosen, &asked) {
                    covered = true;
                    meant |= verb == clause.verb.as_deref();
                    let slot = line.slot.as_deref().unwrap_or(&line.text);
                    let place = (chosen.pack.head.id.as_str(), slot);
                    if !taken.contains(&place) {
                        taken.push(place);
                        steps.push(Step::Pack(chosen, line));
                    }
                }
                // A clause without a pack of its own is served by one.
                if covered && chosen.clause != Some(index) {
                    break;
                }
            }
            // The title already contains the part before a colon, and a single clause; an earlier clause on the same
            // subject includes all steps of a later one.
            let before = material.clauses().take(index).any(|earlier| earlier.object == clause.object);
            let named = (meant && before) || count == 1 || (head && index == 0);
            let command = relevant::command(material, clause).filter(|fact| {
                let taken = |step: &Step<'_>| matches!(step, Step::Own(_, _, Some(other)) if other == fact);
                (steps.is_empty() || fact.risk.is_some()) && !clauses.iter().flatten().any(taken)
            });
            // "Notify only if …": the rule says it.
            let ruled = || {
                let said = said(clause).to_lowercase();
                let holds =
                    |rule: &String| rule.starts_with(&format!("{said} ")) || rule.ends_with(&format!(": {said}."));
                sentence.rules.iter().map(|rule| rule.to_lowercase()).any(|rule| holds(&rule))
            };
            if command.is_some() || (steps.is_empty() && !named && !is_rule(clause, sentence.language) && !ruled()) {
                steps.push(Step::Own(said(clause), clause, command));
            }
            clauses.push(steps);
        }
        let uncovered = arrange(material, &mut clauses);
        join_commands(&mut clauses);
        join_targets(material, &mut clauses);
        let text = material.searched();
        let shown = material.packs.iter().find_map(|chosen| {
            let line = chosen.pack.lines.iter().find(|line| {
                line.kind == LineKind::Plan
                    && chosen.asked(&line.verbs)
                    && material.holds(line, &text)
                    && line.text(sentence.language).is_some()
            })?;
            Some((chosen, line))
        });
        let writes = clauses.iter().flatten().any(|step| step.risk());
        Self { clauses, shown: shown.filter(|_| writes), uncovered }
    }

    /// What the steps have to cover though no line of a pack says it.
    pub(super) fn scope(&self, material: &Material<'_>) -> Option<Line> {
        let (sentence, phrases) = (material.sentence, material.phrases());
        let (language, lexicon) = (sentence.language, sentence.language.lexicon());
        let foremost = |word: &str| lexicon.set("foremost").contains(word);
        // "security first, then tests": their order is told.
        let plain = |name: &String| {
            let words = name.split(' ').filter(|word| !foremost(&word.to_lowercase()));
            lowered(&words.collect::<Vec<_>>().join(" "))
        };
        let names = self.uncovered.iter().filter(|name| !is_limit(name, language));
        let names: Vec<String> = names.map(plain).collect();
        let ordered = near::words(&sentence.text).iter().any(|word| lexicon.set("follows").contains(word.as_str()));
        let text = format!("{}: {}.", if ordered { &phrases.in_order } else { &phrases.parts }, names.join(", "));
        (!names.is_empty()).then(|| of_sentence(Shape::Plain, &text))
    }

    /// Names behind a colon that limit the work: "only risks that changed".
    pub(super) fn limits(&self, language: Language) -> impl Iterator<Item = &String> {
        self.uncovered.iter().filter(move |name| is_limit(name, language))
    }

    fn steps(&self) -> impl Iterator<Item = &Step<'m>> {
        self.clauses.iter().flatten()
    }

    /// The steps of packs, each with its pack.
    fn of_packs(&self) -> impl Iterator<Item = (&'m Chosen, &'m pack::Line)> {
        self.steps().filter_map(|step| if let Step::Pack(chosen, line) = step { Some((*chosen, *line)) } else { None })
    }

    /// The commands of the repository among the steps.
    pub(super) fn commands(&self) -> impl Iterator<Item = &'m Fact> {
        self.steps().filter_map(|step| match step {
            Step::Own(_, _, command) => *command,
            Step::Here(command) => Some(*command),
            Step::Pack(..) | Step::Parts(..) => None,
        })
    }

    /// The texts of the packs among the steps.
    pub(super) fn texts(&self, language: Language) -> String {
        self.of_packs().filter_map(|(_, line)| line.text(language)).collect::<Vec<_>>().join(" ")
    }

    /// Whether this slot of the pack is among the steps.
    pub(super) fn has_slot(&self, id: &str, slot: &str) -> bool {
        self.of_packs().any(|(chosen, line)| chosen.pack.head.id == id && line.slot.as_deref() == Some(slot))
    }

    /// The first step of a pack that gives way to this rule: pack and slot.
    pub(super) fn decided(&self, rule: &House<'_>) -> Option<(&'m str, &'m str)> {
        let mut decided = self.of_packs().filter(|(_, line)| rule.decides(line));
        decided.find_map(|(chosen, line)| Some((chosen.pack.head.id.as_str(), line.slot.as_deref()?)))
    }

    /// The steps that rules can stand under, each with what it speaks of beyond the task, or beyond what the task is about.
    pub(super) fn slots(&self, sentence: &Sentence, task: &Subject) -> Vec<Slot<'m>> {
        let language = sentence.language;
        let main = Subject::of(sentence.main().map_or("", |main| &main.text));
        let slot = |step: &Step<'m>| match step {
            Step::Pack(chosen, line) => {
                let said = Subject::of(line.text(language)?).without(task);
                Some(Slot { id: &chosen.pack.head.id, slot: line.slot.as_deref()?, said, least: SAME })
            }
            Step::Own(_, clause, None) => {
                let said = Subject::of(&clause.text).without(&main);
                Some(Slot { id: OWN, slot: &clause.text, said, least: SAME_CLAUSE })
            }
            _ => None,
        };
        self.steps().filter_map(slot).collect()
    }

    /// Whether this fact is a step, or the basis of a chosen line.
    pub(super) fn speaks_of(&self, fact: &Fact) -> bool {
        self.steps().any(|step| match step {
            Step::Own(_, _, command) => command.is_some_and(|command| command == fact),
            Step::Here(command) => *command == fact,
            Step::Parts(..) => false,
            // A Dockerfile's lines say more than that there is one.
            Step::Pack(..) if fact.kind == Kind::Container => false,
            Step::Pack(_, line) => {
                line.has.as_ref().is_some_and(|ids| ids.all().iter().any(|id| fact.id.as_ref() == Some(id)))
            }
        })
    }

    /// Whether a step stands before what is shown: those of the packs that only read, and the author's up to the first
    /// that writes.
    fn before_shown(&self, step: &Step<'_>) -> bool {
        let mut until = self.steps().take_while(|step| !step.risk());
        !step.risk() && (matches!(step, Step::Pack(..)) || until.any(|other| std::ptr::eq(other, step)))
    }

    /// The sections of the steps: one heading for each clause where several have steps.
    pub(super) fn sections(&self, material: &Material<'_>, rules: &[House<'_>]) -> Vec<Section> {
        let lines = |step: &Step<'_>| step.lines(material, rules);
        let mut first = Section::new(format!("## {}", material.phrases().steps), Vec::new());
        if let Some((chosen, shown)) = self.shown {
            first.lines = self.steps().filter(|step| self.before_shown(step)).flat_map(lines).collect();
            let text = shown.text(material.sentence.language).unwrap_or_default();
            first.lines.push(of_line(chosen, material.text(chosen, text), Shape::Step, 3));
        }
        let later = |step: &&Step<'_>| self.shown.is_none() || !self.before_shown(step);
        let rest = self.clauses.iter().map(|steps| steps.iter().filter(later).collect::<Vec<_>>()).enumerate();
        let rest: Vec<(usize, Vec<&Step<'_>>)> = rest.filter(|(_, steps)| !steps.is_empty()).collect();
        // A clause in its own words would stand below another one's heading.
        let own = |steps: &[&Step<'_>]| matches!(steps, [Step::Own(..) | Step::Parts(..)]);
        let headed = rest.len() > 1 && !rest.iter().any(|(_, steps)| own(steps));
        if !headed {
            first.lines.extend(rest.iter().flat_map(|(_, steps)| steps).flat_map(|step| lines(step)));
            return vec![first];
        }
        let mut sections = vec![first];
        for (index, steps) in rest {
            let title = material.clauses().nth(index).map(|clause| clause.text.as_str()).unwrap_or_default();
            let lines = steps.iter().flat_map(|step| lines(step)).collect();
            sections.push(Section::new(format!("### {title}"), lines));
        }
        if let [first, next, ..] = sections.as_mut_slice()
            && first.lines.is_empty()
        {
            next.heading = format!("{}\n\n{}", first.heading, next.heading);
            sections.remove(0);
        }
        sections
    }
}

impl Step<'_> {
    /// The stems of a pack's step.
    fn words(&self, language: Language) -> Option<Vec<String>> {
        if let Self::Pack(_, line) = self { line.text(language).map(stems) } else { None }
    }

    fn risk(&self) -> bool {
        match self {
            Self::Pack(_, line) => line.risk.is_some(),
            Self::Own(_, _, command) => command.is_some_and(|command| command.risk.is_some()),
            Self::Here(command) => command.risk.is_some(),
            Self::Parts(..) => false,
        }
    }

    /// The step, its code block and the lines under it.
    fn lines(&self, material: &Material<'_>, rules: &[House<'_>]) -> Vec<Line> {
        let (language, phrases) = (material.sentence.language, material.phrases());
        let caution = |risk: bool| if risk { format!("**{}** ", phrases.ask_first) } else { String::new() };
        let (chosen, step) = match self {
            Self::Own(text, clause, None) => {
                let under = rules.iter().filter(|rule| rule.under(OWN, &clause.text)).map(House::line);
                return std::iter::once(of_sentence(Shape::Step, text)).chain(under).collect();
            }
            Self::Parts(head, names) => {
                let name = |name: &String| Line::new(Shape::Under, name.as_str(), Origin::Sentence);
                let step = Line::new(Shape::Step, format!("{head}:"), Origin::Sentence);
                return std::iter::once(step).chain(names.iter().map(name)).collect();
            }
            Self::Own(text, _, Some(fact)) => {
                let ask = caution(fact.risk.is_some());
                let (said, fact) = ran(material, rules, fact);
                let text = format!("{ask}{}: {said} ({}).", text.trim_end_matches('.'), fact.place());
                return of_command(text, Shape::Step, fact, rules);
            }
            Self::Here(fact) => {
                let (said, fact) =
                    if fact.risk.is_some() { ran(material, rules, fact) } else { (fact.said(language), *fact) };
                let text = format!("{}: {said} ({}).", phrases.repository, fact.place());
                return of_command(text, Shape::Under, fact, rules);
            }
            Self::Pack(chosen, line) => (*chosen, *line),
        };
        let slot = step.slot.as_deref().unwrap_or_default();
        let own = || rules.iter().filter(|rule| rule.under(&chosen.pack.head.id, slot));
        let decided = rules.iter().any(|rule| rule.decides(step));
        let grave = step.risk.is_some_and(Risk::asks);
        let ask = caution(grave || (step.risk.is_some() && material.sentence.caution));
        if decided {
            return in_place(own(), step, &ask);
        }
        let said = material.text(chosen, step.text(language).unwrap_or_default());
        let mut lines =
            vec![of_line(chosen, format!("{ask}{said}{}", relevant::place(material, step)), Shape::Step, 3)];
        if let Some(code) = &step.code {
            let test = material.facts.all.iter().find(|fact| fact.kind == Kind::TestCommand && fact.risk.is_none());
            let test = test.and_then(|fact| fact.command.as_deref());
            let code = test.map_or(code.clone(), |command| code.replace(TEST_COMMAND, command));
            lines.push(of_line(chosen, material.text(chosen, &code), Shape::Code, 3));
        }
        let text = material.searched();
        let held = |line: &&pack::Line| {
            matches!(line.kind, LineKind::Limit | LineKind::Trap)
                && line.at.as_deref() == Some(slot)
                && chosen.asked(&line.verbs)
                && material.holds(line, &text)
                && !rules.iter().any(|rule| rule.decides(line))
        };
        let mut under: Vec<&pack::Line> = chosen.pack.lines.iter().filter(held).collect();
        under.sort_by_key(|line| std::cmp::Reverse(line.weight));
        lines.extend(under.into_iter().filter_map(|line| placed_line(material, chosen, line, Shape::Under)));
        for question in chosen.pack.questions.iter().filter(|question| question.slot == slot) {
            if let Some(answer) = material.answers.get(&question.key) {
                lines.push(author::answer(material, &question.key, answer, Shape::Under));
            }
        }
        lines.extend(own().map(House::line));
        lines
    }
}

/// The rules in the place of a step, the deciding ones first and with what asks before it; none if they only forbid.
fn in_place<'r>(rules: impl Iterator<Item = &'r House<'r>>, step: &pack::Line, ask: &str) -> Vec<Line> {
    let (deciding, others): (Vec<&House<'_>>, Vec<&House<'_>>) = rules.partition(|rule| rule.decides(step));
    let mut lines: Vec<Line> = deciding.into_iter().chain(others).map(House::line).collect();
    if let Some(first) = lines.first_mut() {
        *first = Line { shape: Shape::Step, text: format!("{ask}{}", first.text), ..first.clone() };
    }
    lines
}

/// The verbs for what the sentence forbids altogether: "don't fix anything".
fn banned(sentence: &Sentence) -> Vec<String> {
    const ALTOGETHER: &[&str] = &["anything", "nothing", "nada"];
    let rules = sentence.rules.iter().map(|rule| near::words(rule));
    let rules = rules.filter(|words| words.iter().any(|word| ALTOGETHER.contains(&word.as_str())));
    let verb = |word: &String| Some(sentence.language.lexicon().verb(word)?.0.english.to_string());
    rules.flatten().filter_map(|word| verb(&word)).collect()
}

/// Whether a task is what has to hold, and no step: "avoid target leakage", "stop at the first error".
pub(super) fn is_rule(clause: &Clause, language: Language) -> bool {
    let halts = || clause.text.split_whitespace().any(|word| language.lexicon().set("halts").contains(word));
    clause.verb.as_deref().is_some_and(|verb| verb == "avoid" || (verb == "stop" && halts()))
}

/// A clause as a step: a verb alone gets its object.
pub(super) fn said(clause: &Clause) -> String {
    if clause.text.contains(' ') || clause.object.is_empty() || clause.written.is_empty() {
        return clause.text.clone();
    }
    format!("{} {}", clause.text, clause.object)
}

fn of_sentence(shape: Shape, text: &str) -> Line {
    Line::new(shape, format!("{}.", text.trim_end_matches('.')), Origin::Sentence)
}

/// A line of a pack with the place of the fact it rests on; `None` without a translation.
pub(super) fn placed_line(material: &Material<'_>, chosen: &Chosen, line: &pack::Line, shape: Shape) -> Option<Line> {
    let said = material.text(chosen, line.text(material.sentence.language)?);
    Some(of_line(chosen, format!("{said}{}", relevant::place(material, line)), shape, line.weight))
}

pub(super) fn of_line(chosen: &Chosen, text: String, shape: Shape, weight: u8) -> Line {
    Line { weight, ..Line::new(shape, text, Origin::pack(chosen)) }
}
