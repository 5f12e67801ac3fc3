//! Which rules of the repository a skill shows, and where: under the step they are about, else among the limits.

use super::near::Near;
use super::section;
use super::slot::nearest;
use super::steps::Plan;
use super::{Line, Material, Origin, Shape, contradiction, given, relevant};
use crate::skill::fact::{Fact, Kind, ROW, Risk, STEP, denies, is_action};
use crate::skill::subject::Subject;
use crate::skill::{Language, pack};

/// The maximum number of rules that no question of a pack asks for, and in a folder of documents.
const MOST: usize = 12;
const MOST_IN_OFFICE: usize = 18;

/// So many numbered steps are a procedure.
const PROCEDURE: usize = 3;

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

/// The rules between two that are taken, of the same section or document on one kind of work: they are about the same thing.
fn between<'m>(material: &Material<'m>, found: &[(f64, House<'m>)]) -> Vec<(f64, House<'m>)> {
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
fn of_line<'m>(material: &Material<'m>, found: &[(f64, House<'m>)]) -> Vec<(f64, House<'m>)> {
    let of_rules = material.facts.all.iter().filter(|fact| says(fact));
    let left = of_rules.filter(|fact| !found.iter().any(|(_, rule)| std::ptr::eq(rule.fact, *fact)));
    let beside = left.filter_map(|fact| {
        let same = |(_, rule): &&(f64, House<'m>)| rule.file() == fact.file && rule.fact.line == fact.line;
        let (score, _) = found.iter().filter(same).min_by(|(one, _), (other, _)| one.total_cmp(other))?;
        (!given::says(material, fact)).then(|| (*score, House::new(fact)))
    });
    beside.collect()
}

/// Puts each rule that no question asks for under the step that speaks of the same thing.
fn place<'m>(material: &Material<'m>, plan: &Plan<'m>, rules: &mut [House<'m>]) {
    let task = Subject::of(&material.sentence.text);
    let slots = plan.slots(material.sentence.language, &task);
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

/// Whether a rule says more of what the rule before it is about: "Mobile releases may still use it".
fn goes_on(rule: &Fact, before: &Fact) -> bool {
    const POINTING: &[&str] = &["it", "them", "they", "its", "isso", "isto", "eso", "esto"];
    let lower = rule.text.to_lowercase();
    let points = |word: &str| POINTING.contains(&word);
    section::key(rule) == section::key(before)
        && rule.line == before.line + 1
        && lower.split(|c: char| !c.is_alphanumeric()).any(points)
}

/// The first list of numbered steps of a document about the work, or below a heading, that is among the rules is the
/// procedure of the house. Whether there is one.
fn mark_procedure(rules: &mut [House<'_>]) -> bool {
    let is_step = |fact: &Fact| fact.id.as_deref() == Some(STEP) && (fact.work.is_some() || !fact.section.is_empty());
    let beside =
        |one: &Fact, other: &Fact| one.file == other.file && (one.work.is_some() || one.section == other.section);
    let steps_of = |fact: &Fact| rules.iter().filter(|rule| is_step(rule.fact) && beside(rule.fact, fact)).count();
    let first = rules.iter().find(|rule| is_step(rule.fact) && steps_of(rule.fact) >= PROCEDURE);
    let Some(first) = first.map(|rule| rule.fact) else { return false };
    for rule in rules.iter_mut().filter(|rule| is_step(rule.fact) && beside(rule.fact, first)) {
        *rule = House { step: true, ..House::new(rule.fact) };
    }
    true
}

/// Brings in the sentence before one that speaks of it, "They are valid for 21 days", or removes that one where no rule
/// stands before it.
fn complete<'m>(rules: &mut Vec<House<'m>>, material: &Material<'m>) {
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

/// Whether a fact is a sentence of a document.
fn says(fact: &Fact) -> bool {
    matches!(fact.kind, Kind::Rule | Kind::Statement)
}

/// Where no pack knows the steps, the rules that say what to do are the steps. Whether there are enough.
fn mark_actions(rules: &mut [House<'_>]) -> bool {
    let begins = |text: &str| is_action(text.split([';', ',']).next().unwrap_or_default());
    let acts = |rule: &&mut House<'_>| rule.fact.kind == Kind::Rule && !rule.is_row() && begins(&rule.fact.text);
    let enough = rules.iter_mut().filter(acts).count() >= PROCEDURE;
    rules.iter_mut().filter(acts).filter(|_| enough).for_each(|rule| {
        *rule = House { step: true, ..House::new(rule.fact) };
    });
    enough
}

/// The steps of the house's own procedure, in the order of its documents; none if it has none.
pub(super) fn procedure(rules: &[House<'_>]) -> Vec<Line> {
    let mut steps: Vec<&House<'_>> = rules.iter().filter(|rule| rule.step).collect();
    let files: Vec<&str> = steps.iter().map(|rule| rule.file()).collect();
    steps.sort_by_key(|rule| (files.iter().position(|file| *file == rule.file()), rule.fact.line));
    steps.into_iter().map(|rule| Line { shape: Shape::Step, ..rule.line() }).collect()
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::skill::body::Body;
    use crate::skill::fact::Facts;
    use crate::skill::sentence;

    /// The body for a sentence in a repository with these facts, without packs.
    fn body(sentence: &str, all: Vec<Fact>) -> Body {
        body_with(sentence, &Facts { all, ..Facts::default() }, &[])
    }

    fn body_with(sentence: &str, facts: &Facts, packs: &[pack::Chosen]) -> Body {
        let none = BTreeMap::new();
        super::super::assemble(&Material {
            sentence: &sentence::read(sentence),
            facts,
            packs,
            answers: &none,
            asked: &none,
            given: &[],
            remembered: &[],
        })
    }

    fn rule(line: usize, text: &str) -> Fact {
        Fact::new(Kind::Rule, text).about(text).at("AGENTS.md", line)
    }

    /// The rules that are shown for a sentence, without packs, in a repository with these rules and a release command.
    fn shown(sentence: &str, rules: &[&str]) -> Vec<String> {
        let release = Fact::new(Kind::ReleaseCommand, "`make release`").command("make release");
        let release = release.about("release publish").risk(Some(Risk::Publishes)).at("Makefile", 1);
        let job = Fact::new(Kind::CiRelease, "CI job `release` publishes with `x/y@v1`").risk(Some(Risk::Publishes));
        let rules = rules.iter().enumerate().map(|(at, text)| rule(at + 1, text));
        let all = rules.chain([release, job.at("ci.yml", 1)]).collect();
        let body = body(sentence, all);
        body.lines().filter(|line| !matches!(line.origin, Origin::Open { .. })).map(|line| line.text.clone()).collect()
    }

    #[test]
    fn a_rule_that_decides_what_a_step_decides_takes_its_place() {
        let pack = r#"
            id = "parsers"
            title = "Parsers"
            reviewed = "2026-01-01"
            topic = [["parser"]]
            input = "the parser"
            [[line]]
            kind = "step"
            slot = "codes"
            verbs = ["refactor"]
            decides = ["exit code"]
            text = "Return 2 for wrong usage."
            [[line]]
            kind = "step"
            slot = "tables"
            verbs = ["refactor"]
            decides = ["points"]
            text = "Score each rule 0, 1 or 2."
            [[line]]
            kind = "check"
            decides = ["exit code"]
            text = "a wrong flag ends with 2"
        "#;
        let sentence = "Refactor the parser";
        let of = |rules: &[&str]| {
            let all = rules.iter().enumerate().map(|(at, text)| rule(at + 1, text)).collect();
            let facts = Facts { all, ..Facts::default() };
            let source = pack::Source::own("parsers".into(), pack.replace("\n            ", "\n"));
            let read = sentence::read(sentence);
            let packs = pack::choose(&[source], &read, &facts, &pack::Choice::default()).unwrap();
            body_with(sentence, &facts, &packs)
        };
        let steps = |body: &Body| {
            let steps = body.lines().filter(|line| line.shape == Shape::Step);
            steps.map(|line| line.text.clone()).collect::<Vec<_>>()
        };
        assert_eq!(steps(&of(&[])), ["Return 2 for wrong usage.", "Score each rule 0, 1 or 2."]);
        let body = of(&["The exit codes of the parser are 64 and 70.", "The parser has no points."]);
        assert_eq!(steps(&body), ["The exit codes of the parser are 64 and 70. (AGENTS.md:1)"]);
        let text = body.markdown();
        assert!(text.contains("has no points. (AGENTS.md:2)") && !text.contains("wrong flag"), "{text}");
    }

    #[test]
    fn a_sentence_comes_with_the_one_it_speaks_of() {
        let rules = ["Invoices get a number of their own.", "They are checked by the parser before release."];
        let lines = shown("Refactor the parser", &rules);
        assert!(lines.iter().any(|line| line.starts_with("Invoices get")), "{lines:?}");
    }

    #[test]
    fn a_flat_list_gives_only_what_is_on_the_task_or_beside_it() {
        let rules = [
            "The parser never logs names.",
            "The parser returns spans, never strings.",
            "Never panic on input.",
            "Webhook payloads are signed.",
            "Timeouts towards carriers are 4 seconds, no more.",
        ];
        let lines = shown("Refactor the parser of the invoices", &rules);
        let has = |part: &str| lines.iter().any(|line| line.contains(part));
        assert!(has("names") && has("spans") && !has("carriers"), "{lines:?}");
    }

    #[test]
    fn a_command_that_a_manifest_suggests_gives_way_to_the_one_of_the_rules() {
        let test = Fact::new(Kind::TestCommand, "`go test ./...` runs the tests").about("go test tests parser");
        let test = test.command("go test ./...").at("go.mod", 0);
        let has = |rule_text: &str| {
            let body = body("Fix the parser", vec![test.clone(), rule(1, rule_text)]);
            body.lines().any(|line| line.text.contains("`go test ./...`"))
        };
        assert!(has("Commits are small.") && !has("Tests are run with `task verify`, in any order."));
    }

    #[test]
    fn a_rule_is_taken_that_shares_the_task_or_is_a_check_of_every_change() {
        let rules =
            ["The parser never logs names.", "Run the linter before each commit.", "Deploys happen on Mondays."];
        let lines = shown("Refactor the parser", &rules);
        let has = |part: &str| lines.iter().any(|line| line.contains(part));
        assert!(has("names") && has("linter") && !has("Mondays"), "{lines:?}");
        assert!(!shown("Answer support emails", &rules).iter().any(|line| line.contains("AGENTS.md")));
    }

    #[test]
    fn beside_a_section_on_the_task_what_other_sections_say_is_left_out() {
        let rule = |section: &str, line: usize, text: &str| Fact { section: section.into(), ..rule(line, text) };
        let own = ["Each parser has a grammar.", "Keep a parser pure.", "A parser never prints."];
        let mut all: Vec<Fact> = own.iter().map(|text| rule("Parser", 1, text)).collect();
        all.push(rule("House", 2, "Never round an amount."));
        let body = body("Refactor the parser", all);
        let has = |part: &str| body.lines().any(|line| line.text.contains(part));
        assert!(has("grammar") && has("pure") && !has("amount"), "{}", body.markdown());
    }

    #[test]
    fn a_rule_that_goes_on_from_another_stands_with_it() {
        let of = |second: &str| {
            let all = vec![rule(1, "A parser field is never removed before 90 days."), rule(2, second)];
            body("Refactor the parser", all).lines().any(|line| line.text.contains("AGENTS.md:2"))
        };
        assert!(of("Deploys happen on Mondays because of it."));
        assert!(!of("Deploys happen on Mondays."));
    }

    #[test]
    fn a_rule_whose_subject_stands_in_its_heading_keeps_it() {
        let task = Subject::of("Subir Rails");
        let torn = |section: &str, text: &str| is_torn(&Fact { section: section.into(), ..rule(1, text) }, &task);
        assert!(torn("Ruby", "En otro PR que Rails, siempre."));
        assert!(!torn("Ruby", "En Ruby, siempre.") && !torn("Ruby", "Never on a Friday.") && !torn("", "On Fridays."));
        assert!(!torn("Rails", "De una menor a la siguiente."));
    }

    #[test]
    fn what_only_says_how_something_else_is_is_left_out() {
        let shows = |rule: &str| {
            let owner = Fact::new(Kind::Rule, "Every goroutine has an owner.").about("goroutine");
            let all = vec![owner.at("CLAUDE.md", 3), Fact::new(Kind::Rule, rule).about(rule).at("CLAUDE.md", 8)];
            let (facts, sentence) = (Facts { all, ..Facts::default() }, "Track down goroutine leaks in the worker");
            let packs = pack::of_sentence(&sentence::read(sentence), &facts);
            assert!(!packs.is_empty());
            let body = body_with(sentence, &facts, &packs);
            body.lines().any(|line| line.text.contains("CLAUDE.md:8"))
        };
        assert!(!shows("Names of NATS subjects are lower case."));
        assert!(!shows("The office van is serviced every 10,000 miles."));
        assert!(!shows("E-mail templates live in the mailer repository, not here."));
    }

    #[test]
    fn a_sentence_that_orders_nothing_is_taken_where_its_document_is_on_the_task() {
        let stated = |work: &str| {
            let fact = Fact::new(Kind::Statement, "The left scale is the exact one.").about("scale");
            let all = vec![Fact { work: Some(work.into()), ..fact }.at("a.md", 2)];
            let facts = Facts { all, office: true, ..Facts::default() };
            let body = body_with("Weigh the samples of a batch", &facts, &[]);
            body.lines().any(|line| line.text.contains("left scale"))
        };
        assert!(stated("samples") && !stated("kitchen"));
    }

    #[test]
    fn rules_of_a_document_about_one_work_hold_for_that_work() {
        let rule = Fact { work: Some("migrations".into()), ..Fact::new(Kind::Rule, "Three separate deploys.") };
        let rule = rule.at("docs/migrations.md", 2);
        let shows = |sentence: &str| {
            body(sentence, vec![rule.clone()]).lines().any(|line| line.text.contains("Three separate"))
        };
        assert!(shows("Write a migration for a new column") && !shows("Refactor the parser"));
    }

    #[test]
    fn the_rules_of_a_section_hold_together() {
        let rule = |line: usize, section: &str, text: &str| {
            let fact = Fact::new(Kind::Rule, text).about(text).at("docs/frontend.md", line);
            Fact { work: Some("frontend".into()), section: section.into(), ..fact }
        };
        let focus = rule(2, "Accessibility", "Never remove the focus outline.");
        let axe = rule(3, "Accessibility", "Every test runs `axe`.");
        let all = vec![focus, axe, rule(5, "State", "No Redux, whatever happens.")];
        let shown = |sentence: &str| {
            body(sentence, all.clone()).lines().filter(|line| line.text.contains("docs/frontend.md")).count()
        };
        assert_eq!(shown("Review the accessibility of the form"), 2);
        assert_eq!(shown("Answer support emails"), 0);
    }

    #[test]
    fn numbered_steps_of_the_house_take_the_place_of_those_of_the_sentence() {
        let steps = |count: usize| {
            let step = |at: usize| {
                let fact = Fact::new(Kind::Rule, format!("Do part {at} of it.")).id(STEP);
                Fact { work: Some("handover".into()), ..fact }.at("docs/handover.md", at)
            };
            let body = body("Write the handover note", (1..=count).map(step).collect());
            body.lines().filter(|line| line.shape == Shape::Step).map(|line| line.text.clone()).collect::<Vec<_>>()
        };
        let all = steps(PROCEDURE);
        assert!(all.len() == PROCEDURE && all[0].starts_with("Do part 1"), "{all:?}");
        assert!(!steps(PROCEDURE - 1).iter().any(|step| step.starts_with("Do part")));
    }

    #[test]
    fn without_a_pack_the_rules_that_say_what_to_do_are_the_steps() {
        let rules = ["Ask the owner of the parser.", "Run the parser on staging.", "Note the parser in `log.csv`."];
        let steps = |rules: &[&str]| {
            let all = rules.iter().enumerate().map(|(at, text)| rule(at + 1, text)).collect();
            let body = body("Refactor the parser", all);
            body.lines().filter(|line| line.shape == Shape::Step).map(|line| line.text.clone()).collect::<Vec<_>>()
        };
        assert!(steps(&rules)[0].starts_with("Ask the owner"), "{:?}", steps(&rules));
        assert!(!steps(&rules[1..]).iter().any(|step| step.starts_with("Run the parser")));
    }

    #[test]
    fn of_many_rules_the_nearest_are_shown_in_the_order_of_their_file() {
        let mut rules: Vec<String> = (0..11).map(|n| format!("Keep habit {n} of a parser in mind.")).collect();
        rules.push("Refactor every parser with its grammar.".into());
        let rules: Vec<&str> = rules.iter().map(String::as_str).collect();
        let lines = shown("Refactor the parser", &rules);
        let house: Vec<&String> = lines.iter().filter(|line| line.contains("AGENTS.md")).collect();
        assert!(house.len() == MOST && house[MOST - 1].contains("grammar"), "{lines:?}");
    }

    #[test]
    fn a_command_that_a_rule_forbids_is_left_to_the_ci_job() {
        let of = |rule: &str| shown("Publish a release", &[rule]).join("\n");
        let lines = of("Nobody publishes from a laptop; the workflow does.");
        assert!(lines.contains("CI job `release`") && lines.contains("laptop") && !lines.contains("`make release`"));
        assert!(of("Publish on Mondays only.").contains("`make release`"));
    }
}
