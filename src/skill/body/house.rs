//! Which rules of the repository a skill shows, and where: under the step they are about, else among the limits.

use std::collections::BTreeMap;

use super::steps::Plan;
use super::{Line, Material, Origin, Shape, given, relevant};
use crate::skill::fact::{Fact, Kind, Risk, STEP, is_order, rule_subject};
use crate::skill::ranking::{self, stems};
use crate::skill::subject::Subject;
use crate::skill::{Archetype, Language, pack};

/// The maximum number of rules that no question of a pack asks for, and in a folder of documents.
const MOST: usize = 10;
const MOST_IN_OFFICE: usize = 18;

/// A file with so few rules is about one subject: if one bears, so do the others.
const SHORT: usize = 6;

/// Words with so many letters in common at their beginning may be forms of one.
const ALIKE: usize = 6;

/// So many numbered steps are a procedure.
const PROCEDURE: usize = 3;

/// Areas of work. A rule about one of them is foreign to a task in which no word of it occurs.
const AREAS: &[&str] = &[
    "deploy deploys deployment deployments rollout production kubectl cluster traffic implantar produção desplegar",
    "migration migrations sql backfill backfills",
    "component components css colour color screen widget interface layout frontend react flutter",
    "endpoint endpoints route routes controller controllers",
    "readme docs documentation changelog adr decision spelling",
    "icon icons svg webp ícones iconos image images imagens imágenes",
    "translation translations locale textos traduções traducciones copy",
    "diagram diagrams diagramas draw",
    "release releases versioncode changelog publish publishes publishing",
    "workflow workflows action actions pipeline",
    "dependency dependencies upgrade upgrades vulnerabilities",
    "terraform infrastructure infra",
];

/// Verbs for changes of code, in a repository with code.
const CHANGING: &[&str] = &[
    "add", "build", "change", "debug", "extend", "fix", "implement", "improve", "integrate", "move", "optimize",
    "optimise", "profile", "reduce", "remove", "rename", "replace", "speed up", "tune", "upgrade",
];

/// What a rule on version control is about, and the other words for work that has to keep it.
const VERSION_CONTROL: &[&str] =
    &["commit", "commits", "branch", "branches", "squash", "rebase", "pull", "pr", "prs", "changelog"];
const VERSIONED: &str = "review merge release publish tag version contribute contribution revisar publicar";
/// How many words say that a rule is about it: "Write commit messages in English".
const FIRST: usize = 3;

/// What every change of code has to keep.
const GENERAL: &str = "test tests spec coverage commit commits branch review reviews approval approvals pull lint \
    secret secrets token password log logs teste testes prueba pruebas";

/// A relevant rule of the repository.
pub(super) struct House<'m> {
    fact: &'m Fact,
    /// The pack and the slot of the step it stands under.
    slot: Option<(&'m str, &'m str)>,
    /// Whether it is about the command of a step.
    beside: bool,
    /// Whether it is a step of the house's own procedure for the task.
    step: bool,
}

impl House<'_> {
    pub(super) fn under(&self, id: &str, slot: &str) -> bool {
        self.slot == Some((id, slot)) && !self.beside
    }

    /// Whether it stands under the step that runs this command.
    pub(super) fn with(&self, command: &Fact) -> bool {
        self.beside && is_about(self.fact, command)
    }

    /// Whether it goes to the limits because no step matches.
    pub(super) fn unplaced(&self) -> bool {
        self.slot.is_none() && !self.beside && !self.step
    }

    /// Whether it is a row of a table, which may allow several things.
    pub(super) fn is_row(&self) -> bool {
        self.fact.id.as_deref() == Some("row")
    }

    pub(super) fn text(&self) -> &str {
        &self.fact.text
    }

    pub(super) fn line(&self) -> Line {
        let origin = Origin::House { file: self.fact.file.clone(), line: self.fact.line };
        relevant::placed(self.fact, Language::En, Shape::Under, origin)
    }
}

/// The relevant rules: those that answer a question of a pack or share a word with the sentence, then the others that a
/// task in this repository has to keep, nearest first. `here`: whether other facts of the repository bear on the task.
pub(super) fn rules<'m>(material: &Material<'m>, plan: &Plan<'m>, here: bool) -> Vec<House<'m>> {
    let all: Vec<&Fact> = material.facts.all.iter().filter(|fact| fact.kind == Kind::Rule).collect();
    if all.is_empty() {
        return Vec::new();
    }
    let near = Near::of(material, here);
    let mut files: BTreeMap<&str, (usize, bool)> = BTreeMap::new();
    for fact in &all {
        let (count, bears) = files.entry(fact.file.as_str()).or_default();
        *count += 1;
        *bears = *bears || (*count <= SHORT && near.bears(material, fact));
    }
    let of_list = |fact: &Fact| files.get(fact.file.as_str()).is_some_and(|(count, bears)| *bears && *count <= SHORT);
    let mut found: Vec<(u8, House<'m>)> = Vec::new();
    for fact in all.iter().copied().filter(|fact| !given::says(material, fact) && !near.is_elsewhere(fact)) {
        let slot = slot(material, plan, fact);
        let beside = plan.commands().any(|command| is_about(fact, command));
        let rank = if slot.is_some() || beside { Some(0) } else { near.rank(material, fact, of_list(fact)) };
        found.extend(rank.map(|rank| (rank, House { fact, slot, beside, step: false })));
    }
    found.sort_by_key(|(rank, _)| *rank);
    let asked = found.iter().filter(|(rank, _)| *rank == 0).count();
    let most = if near.office { MOST_IN_OFFICE } else { MOST };
    found.truncate(most.max(asked));
    let mut rules = in_order(found.into_iter().map(|(_, rule)| rule).collect());
    mark_procedure(&mut rules);
    rules
}

/// The first document about the work whose numbered steps are among the rules is the procedure of the house.
fn mark_procedure(rules: &mut [House<'_>]) {
    let is_step = |rule: &House<'_>| rule.fact.work.is_some() && rule.fact.id.as_deref() == Some(STEP);
    let steps_of = |file: &str| rules.iter().filter(|rule| is_step(rule) && rule.fact.file == file).count();
    let file = rules.iter().find(|rule| is_step(rule) && steps_of(&rule.fact.file) >= PROCEDURE);
    let Some(file) = file.map(|rule| rule.fact.file.clone()) else { return };
    rules.iter_mut().filter(|rule| is_step(rule) && rule.fact.file == file).for_each(|rule| rule.step = true);
}

/// The steps of the house's own procedure; none if it has none.
pub(super) fn procedure(rules: &[House<'_>]) -> Vec<Line> {
    rules.iter().filter(|rule| rule.step).map(|rule| Line { shape: Shape::Step, ..rule.line() }).collect()
}

/// The rules of a document about one work stay together, in their order.
fn in_order(rules: Vec<House<'_>>) -> Vec<House<'_>> {
    let mut ordered: Vec<House<'_>> = Vec::with_capacity(rules.len());
    for rule in rules {
        let alike = |other: &House<'_>| rule.fact.work.is_some() && other.fact.file == rule.fact.file;
        let at = match ordered.iter().rposition(|other| alike(other) && other.fact.line < rule.fact.line) {
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

enum Area {
    Own,
    General,
    None,
    Foreign,
}

/// What decides how near a rule is to the task.
struct Near<'m> {
    bearing: Vec<&'m Fact>,
    /// What bears on the details behind a colon as well.
    detailed: Vec<&'m Fact>,
    meant: std::collections::BTreeSet<usize>,
    /// The first pack's topic.
    topic: Option<&'m Vec<String>>,
    /// The stems of the sentence, and those of the topics of its packs with them.
    said: Vec<String>,
    task: Vec<String>,
    /// What the lines of the packs speak of.
    known: Subject,
    /// The stems of each area, and whether the sentence or the topics of its packs have one of them.
    areas: Vec<(Vec<String>, bool)>,
    general: Vec<String>,
    /// Whether the task is about this repository: it changes code or checks changes of it, or other facts bear on it.
    at_home: bool,
    /// Whether the folder holds documents without code.
    office: bool,
    /// Whether a document of such a folder bears the name of the task.
    is_named: bool,
    /// Whether the task has to keep rules on version control.
    versioned: bool,
    /// The stems of the languages, frameworks and linters used here that the task does not name; none if it changes code.
    used: Vec<String>,
}

impl<'m> Near<'m> {
    fn of(material: &Material<'m>, here: bool) -> Self {
        let sentence = material.sentence;
        // What is listed behind a colon are details of the subject.
        let about = sentence.head.as_ref().map_or(&sentence.text, |head| &head.text);
        let heads = || material.packs.iter().map(|chosen| &chosen.pack.head);
        let mut task = sentence.text.clone();
        for word in heads().flat_map(|head| head.topic.iter().flatten().chain([&head.title, &head.id])) {
            task.push(' ');
            task.push_str(word);
        }
        let task = stems(&task);
        let own = |area: &Vec<String>| area.iter().any(|word| task.contains(word));
        let reviews = sentence.archetype == Archetype::Review && own(&stems("pull request code diff merge plan plans"));
        let both = |area: &&str| stems(area).into_iter().chain(area.split(' ').map(str::to_owned)).collect();
        let areas = AREAS.iter().map(both).map(|area: Vec<String>| (reviews || own(&area), area));
        let areas = areas.map(|(own, area)| (area, own)).collect();
        let versioned = stems(&format!("{VERSIONED} {}", VERSION_CONTROL.join(" ")));
        let lines = material.packs.iter().flat_map(|chosen| &chosen.pack.lines);
        let lexicon = sentence.language.lexicon();
        let common = |word: &str| lexicon.set("periods").contains(word);
        let known: Vec<&str> = lines
            .filter_map(|line| line.text(sentence.language))
            .flat_map(|text| text.split(|c: char| !c.is_alphanumeric()))
            .filter(|word| !common(word.to_lowercase().as_str()))
            .collect();
        let said = stems(&sentence.text);
        let tools = material.facts.all.iter().filter(|fact| !sentence.changes_code() && is_tool(fact));
        let used = tools.filter_map(|fact| fact.id.as_deref()).flat_map(stems);
        let office = material.facts.office;
        let works = || material.facts.all.iter().filter_map(|fact| fact.work.as_deref());
        Self {
            office,
            is_named: office && works().any(|work| is_named(work, &said)),
            bearing: material.facts.bearing_on(about),
            detailed: material.facts.bearing_on(&sentence.text),
            meant: ranking::subjects(about),
            topic: material.packs.first().and_then(|chosen| chosen.pack.head.topic.first()),
            areas,
            known: Subject::of(&known.join(" ")),
            general: stems(GENERAL),
            at_home: here || sentence.changes_code() || reviews || changes(material),
            versioned: stems(&sentence.text).iter().any(|word| versioned.contains(word)),
            used: used.filter(|word| !said.contains(word)).collect(),
            said,
            task,
        }
    }

    /// Whether the rule orders something, or says how something is that the packs speak of.
    fn asks(&self, fact: &Fact) -> bool {
        let least = if fact.work.is_some() { 1 } else { 2 };
        is_order(&fact.text) || self.known.shared_with(rule_subject(&fact.text)) >= least
    }

    /// Whether the rule is about version control and the task is not.
    fn is_elsewhere(&self, fact: &Fact) -> bool {
        let lower = fact.text.to_lowercase();
        let mut first = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).take(FIRST);
        !self.versioned && first.any(|word| VERSION_CONTROL.contains(&word))
    }

    /// Whether the rule shares its subject with the sentence or the first pack, or names a check that is due after
    /// every change.
    fn bears(&self, material: &Material<'_>, fact: &Fact) -> bool {
        // "Never edit a merged migration" is relevant to a new column: the first pack's topic is the subject.
        self.bearing.contains(&fact)
            || (fact.work.is_some() && self.detailed.contains(&fact))
            || !self.meant.is_disjoint(&ranking::subjects(rule_subject(&fact.text)))
            || (material.sentence.changes_code() && names_check(material, fact))
            || self.topic.is_some_and(|topic| relevant::answers(fact, topic))
    }

    /// How near a rule is to the task, 1 the nearest; `None` for a foreign one. `of_list`: whether it stands in a short list
    /// of which a rule bears on the task.
    fn rank(&self, material: &Material<'_>, fact: &Fact, of_list: bool) -> Option<u8> {
        let work = fact.work.as_deref();
        let named = work.is_some_and(|work| is_named(work, if self.is_named { &self.said } else { &self.task }));
        if fact.id.as_deref() == Some("row") {
            return named.then_some(1);
        }
        let about = named || (!self.is_named && work.is_some_and(|work| self.is_meant(work)));
        if self.office {
            let bears = self.bearing.contains(&fact);
            return match () {
                () if about || (bears && (work.is_none() || !self.is_named)) => Some(1),
                () if work.is_none() => Some(2),
                () => (bears || of_list).then_some(3),
            };
        }
        if about || self.bears(material, fact) {
            return Some(1);
        }
        let near_by = !fact.text.starts_with("in `") && ((self.at_home && work.is_none()) || of_list);
        match self.area(fact) {
            _ if !near_by => None,
            Area::Own => Some(2),
            _ if of_list && work.is_some() && self.asks(fact) => Some(3),
            Area::None if self.asks(fact) => Some(3),
            Area::General => Some(4),
            Area::None => work.is_none().then_some(5),
            Area::Foreign => None,
        }
    }

    /// Whether the name or the title of a document means the task in other words.
    fn is_meant(&self, work: &str) -> bool {
        work.split(';').any(|part| !self.meant.is_disjoint(&ranking::subjects(part)))
    }

    fn area(&self, fact: &Fact) -> Area {
        let subject = rule_subject(&fact.text);
        let mut words = stems(subject);
        // The areas mix the languages, whose stems differ.
        words.extend(subject.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase));
        let has = |area: &[String]| area.iter().any(|word| words.contains(word));
        let areas: Vec<bool> = self.areas.iter().filter(|(area, _)| has(area)).map(|(_, own)| *own).collect();
        match () {
            () if areas.contains(&true) => Area::Own,
            () if areas.is_empty() && has(&self.used) => Area::Foreign,
            () if has(&self.general) => Area::General,
            () if areas.is_empty() => Area::None,
            () => Area::Foreign,
        }
    }
}

fn is_tool(fact: &Fact) -> bool {
    matches!(fact.kind, Kind::Framework | Kind::Language | Kind::LintConfig | Kind::PackageManager)
}

/// Whether the name or the title of a document is that of a task with these stems: "inventario" of "inventariar".
fn is_named(work: &str, task: &[String]) -> bool {
    let alike = |one: &String, other: &String| {
        let shared = one.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
        one == other || (shared >= ALIKE && shared + 2 >= one.chars().count().max(other.chars().count()))
    };
    work.split(';').any(|part| {
        let named = |word: &String| task.iter().any(|said| alike(word, said));
        !Subject::of(part).is_empty() && stems(part).iter().all(named)
    })
}

/// Whether the task changes the code of the repository.
fn changes(material: &Material<'_>) -> bool {
    let verb = material.sentence.main().and_then(|main| main.verb.as_deref());
    verb.is_some_and(|verb| CHANGING.contains(&verb)) && material.facts.languages().next().is_some()
}

/// Whether the rule names a command that tests or lints: it is due after every change.
fn names_check(material: &Material<'_>, rule: &Fact) -> bool {
    let checks = material.facts.all.iter().filter(|fact| matches!(fact.kind, Kind::TestCommand | Kind::LintCommand));
    checks.filter_map(|fact| fact.command.as_deref()).any(|command| rule.text.contains(command))
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
    const NOT: &[&str] =
        &["never", "nobody", "no one", "do not", "don't", "must not", "nunca", "ninguém", "não", "nadie", "jamás"];
    const BY_HAND: &[&str] = &[
        "laptop", "locally", "by hand", "manually", "workstation", "local machine", "own machine", "à mão",
        "manualmente", "a mano", "localmente",
    ];
    let lower = format!(" {} ", rule.fact.text.to_lowercase());
    let says = |words: &[&str]| words.iter().any(|word| lower.contains(&format!(" {word}")));
    rule.with(command) && says(NOT) && says(BY_HAND)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skill::fact::Facts;
    use crate::skill::sentence;

    /// The rules that are shown for a sentence, without packs, in a repository with these rules and a release command.
    fn shown(sentence: &str, rules: &[&str]) -> Vec<String> {
        let rule = |text: &&str| Fact::new(Kind::Rule, *text).about(text).at("AGENTS.md", 1);
        let release =
            Fact::new(Kind::ReleaseCommand, "`make release`").command("make release").about("release publish");
        let job = Fact::new(Kind::CiRelease, "CI job `release` publishes with `x/y@v1`").risk(Some(Risk::Publishes));
        let release = release.risk(Some(Risk::Publishes)).at("Makefile", 1);
        let all = rules.iter().map(rule).chain([release, job.at("ci.yml", 1)]).collect();
        let (facts, none) = (Facts { all, ..Facts::default() }, BTreeMap::new());
        let body = super::super::assemble(&Material {
            sentence: &sentence::read(sentence),
            facts: &facts,
            packs: &[],
            answers: &none,
            asked: &none,
            given: &[],
            remembered: &[],
        });
        body.lines().filter(|line| !matches!(line.origin, Origin::Open { .. })).map(|line| line.text.clone()).collect()
    }

    #[test]
    fn a_change_of_code_keeps_every_rule_but_those_of_other_areas() {
        let rules = ["Patient names never reach the logs.", "No `any`; narrow.", "Deploys happen on Mondays."];
        let lines = shown("Refactor the parser", &rules);
        let has = |part: &str| lines.iter().any(|line| line.contains(part));
        assert!(has("Patient") && has("narrow") && !has("Mondays"), "{lines:?}");
        assert!(!shown("Answer support emails", &rules).iter().any(|line| line.contains("AGENTS.md")));
    }

    #[test]
    fn rules_of_a_document_about_one_work_hold_for_that_work() {
        let rule = Fact { work: Some("migrations".into()), ..Fact::new(Kind::Rule, "Three separate deploys.") };
        let (facts, none) =
            (Facts { all: vec![rule.at("docs/migrations.md", 2)], ..Facts::default() }, BTreeMap::new());
        let shows = |sentence: &str| {
            let body = super::super::assemble(&Material {
                sentence: &sentence::read(sentence),
                facts: &facts,
                packs: &[],
                answers: &none,
                asked: &none,
                given: &[],
                remembered: &[],
            });
            body.lines().any(|line| line.text.contains("Three separate"))
        };
        assert!(shows("Write a migration for a new column") && !shows("Refactor the parser"));
    }

    #[test]
    fn ten_rules_are_shown_the_nearest_first() {
        let mut rules: Vec<String> = (0..11).map(|n| format!("Keep habit {n} in mind.")).collect();
        rules.push("Every parser names its grammar.".into());
        let rules: Vec<&str> = rules.iter().map(String::as_str).collect();
        let lines = shown("Refactor the parser", &rules);
        let house: Vec<&String> = lines.iter().filter(|line| line.contains("AGENTS.md")).collect();
        assert!(house.len() == MOST && house[0].contains("grammar"), "{lines:?}");
    }

    #[test]
    fn a_command_that_a_rule_forbids_is_left_to_the_ci_job() {
        let of = |rule: &str| shown("Publish a release", &[rule]).join("\n");
        let lines = of("Nobody publishes from a laptop; the workflow does.");
        assert!(lines.contains("CI job `release`") && lines.contains("laptop") && !lines.contains("`make release`"));
        assert!(of("Publish on Mondays only.").contains("`make release`"));
    }
}
