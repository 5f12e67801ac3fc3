//! How near a rule of the repository is to the task: by its words, its document, and its area of work.

mod foreign;

use std::collections::BTreeSet;

use super::section::Section;
use super::{Material, relevant, statement};
use crate::skill::Archetype;
use crate::skill::fact::{Fact, Kind, ROW, denies, is_order, rule_subject};
use crate::skill::ranking::{self, stems};
use crate::skill::sentence::{Clause, singular};
use crate::skill::subject::Subject;

/// Words with so many letters in common at their beginning may be forms of one.
const ALIKE: usize = 6;

/// Areas of work. A rule about one of them is foreign to a task in which no word of it occurs.
const AREAS: &[&str] = &[
    "deploy deploys deployment deployments rollout kubectl cluster traffic implantar desplegar",
    "migration migrations sql backfill backfills",
    "component components css colour color screen widget interface layout frontend react flutter template templates blade \
     twig erb button buttons story stories storybook stimulus tailwind styles estilos telas",
    "endpoint endpoints route routes controller controllers",
    "readme docs documentation changelog adr decision spelling",
    "icon icons svg webp ícones iconos image images imagens imágenes",
    "translation translations locale textos traduções traducciones copy",
    "diagram diagrams diagramas draw",
    "release releases versioncode changelog publish publishes publishing",
    "workflow workflows action actions pipeline",
    "terraform infrastructure infra",
    "dashboard dashboards grafana grafonnet",
    "onboarding newcomers standup lunch kitchen parking badge badges holiday holidays vacation desk desks",
];

/// Verbs for changes of code, in a repository with code.
const CHANGING: &[&str] = &[
    "add", "build", "change", "convert", "debug", "extend", "fix", "handle", "harden", "implement", "improve",
    "integrate", "introduce", "migrate", "move", "optimize", "optimise", "profile", "reduce", "remove", "rename",
    "replace", "speed up", "support", "tune", "upgrade",
];

/// Verbs for the search of a cause.
const SEARCHING: &[&str] = &["diagnose", "find out", "investigate", "reproduce", "trace", "track down"];

/// What a rule on version control is about, and the other words for work that has to keep it.
const VERSION_CONTROL: &[&str] =
    &["commit", "commits", "branch", "branches", "squash", "rebase", "pull", "pr", "prs", "changelog"];
const VERSIONED: &str = "review merge release publish tag version contribute contribution revisar publicar";
/// How many words say that a rule is about it: "Write commit messages in English".
const FIRST: usize = 3;
/// Words by which such a rule bounds a change of code.
const BOUNDING: &[&str] = &["one", "per", "each", "un", "una", "um", "uma", "por", "cada"];

/// A rule that shares so many words with the lines of the packs is about their subject.
const SHARED: usize = 4;

/// What every change of code has to keep.
const GENERAL: &str = "test tests spec coverage commit commits branch review reviews approval approvals pull lint \
    linter format fmt clippy eslint prettier ruff mypy rubocop detekt ktlint swiftlint golangci phpstan \
    secret secrets token password log logs teste testes prueba pruebas dependency dependencies pin dependência \
    dependencia security segurança seguridad";

/// Areas in which a ban holds for every change of code: "Never edit a merged migration".
const GRAVE: &[&str] = &["deploy", "migration", "terraform"];

/// Where a rule stands.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub section: Section,
    /// Whether most rules of its section are near the task.
    pub among: bool,
    /// Whether another section is the one on the task.
    pub elsewhere: bool,
}

enum Area {
    Own,
    General,
    None,
    /// Foreign, but what it forbids holds for every change of code.
    Grave,
    Foreign,
}

/// What decides how near a rule is to the task.
pub(super) struct Near<'m> {
    bearing: Vec<&'m Fact>,
    /// What bears on the details behind a colon as well.
    detailed: Vec<&'m Fact>,
    meant: BTreeSet<usize>,
    /// The first pack's topic.
    topic: Option<&'m Vec<String>>,
    /// The stems of the sentence, and those of the topics of its packs with them.
    said: Vec<String>,
    task: Vec<String>,
    /// What the lines of the packs speak of.
    known: Subject,
    /// The words of those lines and of the task, also without what may be endings of the plural.
    nouns: BTreeSet<String>,
    /// The stems of the folder's tables and templates.
    material: Vec<String>,
    /// The stems of each area, and whether the sentence or the topics of its packs have one of them.
    areas: Vec<(Vec<String>, bool)>,
    general: Vec<String>,
    /// Whether the task is about this repository: it changes code or checks changes of it, or other facts bear on it.
    at_home: bool,
    /// Whether a pack for the task asks for more of the repository than its rules.
    of_code: bool,
    /// Whether the folder holds documents without code.
    pub(super) office: bool,
    /// Whether a document of such a folder bears the name of the task.
    pub(super) is_named: bool,
    /// Whether the task has to keep rules on version control.
    versioned: bool,
    /// The stems of the languages and linters used here that the task does not name; none if it changes code.
    used: Vec<String>,
}

impl<'m> Near<'m> {
    pub(super) fn of(material: &Material<'m>, here: bool) -> Self {
        let sentence = material.sentence;
        // What is listed behind a colon are details of the subject.
        let about = sentence.head.as_ref().map_or(&sentence.text, |head| &head.text);
        let heads = || material.packs.iter().map(|chosen| &chosen.pack.head);
        let mut task = sentence.text.clone();
        for word in heads().flat_map(|head| head.topic.iter().flatten().chain([&head.title, &head.id])) {
            task.push(' ');
            task.push_str(word);
        }
        let named = task.clone();
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
        let words = |text: &str| statement::words(text).into_iter().flat_map(|word| singular(&word, sentence.language));
        let said = stems(&sentence.text);
        let tools = material.facts.all.iter().filter(|fact| !sentence.changes_code() && is_tool(fact));
        let used = tools.filter_map(|fact| fact.id.as_deref()).flat_map(stems);
        let office = material.facts.office;
        let forms = material.facts.all.iter().filter(|fact| matches!(fact.kind, Kind::Columns | Kind::Template));
        let forms: Vec<&str> = forms.map(|fact| fact.text.as_str()).collect();
        let works = || material.facts.all.iter().filter_map(|fact| fact.work.as_deref());
        Self {
            office,
            is_named: office && works().any(|work| is_named(work, &said)),
            bearing: material.facts.bearing_on(about),
            detailed: material.facts.bearing_on(&sentence.text),
            meant: ranking::subjects(about),
            topic: material.packs.first().and_then(|chosen| chosen.pack.head.topic.first()),
            areas,
            nouns: words(&known.join(" ")).chain(words(&named)).collect(),
            known: Subject::of(&known.join(" ")),
            material: stems(&forms.join(" ")),
            general: stems(GENERAL),
            at_home: here || sentence.changes_code() || reviews || changes(material),
            of_code: is_code(material),
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

    /// Whether the rule is about version control and the task is not, no word of the task is in it, and it does not bound a
    /// change: "One pull request per folder, at most 30 files".
    pub(super) fn is_elsewhere(&self, fact: &Fact, section: Section) -> bool {
        let lower = fact.text.to_lowercase();
        let mut words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        let bounds = |word: &str| BOUNDING.contains(&word) || word.starts_with(|c: char| c.is_ascii_digit());
        let about = words.clone().take(FIRST).any(|word| VERSION_CONTROL.contains(&word));
        let shares = || stems(&fact.text).iter().any(|word| self.said.contains(word));
        let holds = self.versioned || (fact.work.is_some() && section.bears()) || (self.at_home && words.any(bounds));
        about && !holds && !shares()
    }

    /// Whether the words that a rule shares with the lines of the packs make it one about their subject.
    pub(super) fn is_of_packs(&self, fact: &Fact) -> bool {
        self.known.shared_with(&fact.text) >= SHARED
    }

    /// Whether the heading of a section is that of the task.
    pub(super) fn is_headed(&self, heading: &str) -> bool {
        is_named(heading, &self.task) || !self.meant.is_disjoint(&ranking::subjects(heading))
    }

    /// Whether the rule shares its subject with the sentence or the first pack, or names a check that is due after
    /// every change.
    pub(super) fn bears(&self, material: &Material<'_>, fact: &Fact) -> bool {
        // "Never edit a merged migration" is relevant to a new column: the first pack's topic is the subject.
        self.bearing.contains(&fact)
            || (fact.work.is_some() && self.detailed.contains(&fact))
            || !self.meant.is_disjoint(&ranking::subjects(rule_subject(&fact.text)))
            || (material.sentence.changes_code() && names_check(material, fact))
            || self.topic.is_some_and(|topic| relevant::answers(fact, topic))
    }

    /// How near a rule is to the task, 1 the nearest; `None` for a foreign one.
    pub(super) fn rank(&self, material: &Material<'_>, fact: &Fact, place: Place) -> Option<u8> {
        let Place { section, among, elsewhere } = place;
        let work = fact.work.as_deref();
        let named = work.is_some_and(|work| is_named(work, if self.is_named { &self.said } else { &self.task }));
        if fact.id.as_deref() == Some(ROW) {
            let near = self.office && work.is_none() && (self.bearing.contains(&fact) || section.bears());
            return (named || near).then_some(1);
        }
        let about = named || (!self.is_named && work.is_some_and(|work| self.is_meant(work)));
        if self.office {
            let bears = self.bearing.contains(&fact);
            let claimed = || self.is_claimed(material, fact) && self.states_elsewhere(material, fact);
            return match () {
                () if about && !bears && (self.stands_alone(material, fact) || claimed()) => None,
                () if about || bears => Some(1),
                () if work.is_none() => (!self.states_elsewhere(material, fact)).then_some(2),
                () => section.bears().then_some(3),
            };
        }
        if about || section == Section::Own || self.bears(material, fact) {
            return Some(1);
        }
        // A README speaks of the product as well.
        let here = self.at_home || (self.of_code && !fact.file.to_lowercase().ends_with("readme.md"));
        let near_by = !fact.text.starts_with("in `") && ((here && work.is_none()) || section.bears());
        match self.area(fact, among) {
            _ if !near_by || self.is_of_others(fact) || self.is_unrelated(material, fact) => None,
            Area::None | Area::General if !among && self.states_elsewhere(material, fact) => None,
            Area::None if elsewhere && !self.holds_anywhere(material, fact) => None,
            Area::Own if elsewhere && !self.is_of_area(fact) => None,
            Area::Own => Some(2),
            _ if section.bears() && work.is_some() && self.asks(fact) => Some(3),
            Area::None if self.asks(fact) => Some(3),
            Area::General => Some(4),
            Area::None => Some(if section.bears() { 4 } else { 5 }),
            Area::Grave if denies(&fact.text) => Some(4),
            Area::Grave | Area::Foreign => (section.bears() && self.shares(fact)).then_some(4),
        }
    }

    /// Whether the rule is about a check, or the task changes code and the rule forbids something in it.
    fn holds_anywhere(&self, material: &Material<'_>, fact: &Fact) -> bool {
        stems(&fact.text).iter().any(|word| self.general.contains(word))
            || (denies(&fact.text) && (material.sentence.changes_code() || changes(material)))
    }

    /// Whether the rule and the sentence have a word of the same area in common. Topics have words of many areas.
    fn is_of_area(&self, fact: &Fact) -> bool {
        let words = stems(rule_subject(&fact.text));
        let has = |area: &[String], words: &[String]| area.iter().any(|word| words.contains(word));
        self.areas.iter().any(|(area, _)| has(area, &words) && has(area, &self.said))
    }

    /// Whether a rule has a word of the sentence, be it a verb, or nearly enough of the lines of the packs.
    fn shares(&self, fact: &Fact) -> bool {
        stems(&fact.text).iter().any(|word| self.said.contains(word))
            || self.known.shared_with(&fact.text) >= SHARED - 1
    }

    /// Whether the name or the title of a document means the task in other words.
    fn is_meant(&self, work: &str) -> bool {
        work.split(';').any(|part| !self.meant.is_disjoint(&ranking::subjects(part)))
    }

    fn area(&self, fact: &Fact, among: bool) -> Area {
        let subject = rule_subject(&fact.text);
        let mut words = stems(subject);
        // The areas mix the languages, whose stems differ.
        words.extend(subject.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase));
        let has = |area: &[String]| area.iter().any(|word| words.contains(word));
        let areas: Vec<&(Vec<String>, bool)> = self.areas.iter().filter(|(area, _)| has(area)).collect();
        let grave = || areas.iter().any(|(area, _)| area.iter().any(|word| GRAVE.contains(&word.as_str())));
        match () {
            () if areas.iter().any(|(_, own)| *own) => Area::Own,
            () if areas.is_empty() && !among && has(&self.used) => Area::Foreign,
            () if has(&self.general) => Area::General,
            () if areas.is_empty() => Area::None,
            () if grave() => Area::Grave,
            () => Area::Foreign,
        }
    }
}

fn is_tool(fact: &Fact) -> bool {
    matches!(fact.kind, Kind::Language | Kind::LintConfig | Kind::PackageManager)
}

/// Whether the name or the title of a document is that of a task with these stems: "inventario" of "inventariar".
fn is_named(work: &str, task: &[String]) -> bool {
    let alike = |one: &String, other: &String| {
        let shared = one.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
        // "Reorder stock" and a document on ordering.
        let bare = |word: &'_ String| word.strip_prefix("re").unwrap_or(word).to_owned();
        bare(one) == bare(other) || (shared >= ALIKE && shared + 2 >= one.chars().count().max(other.chars().count()))
    };
    work.split(';').any(|part| {
        let named = |word: &String| task.iter().any(|said| alike(word, said));
        !Subject::of(part).is_empty() && stems(part).iter().all(named)
    })
}

/// Whether a pack for the task asks for more of a repository than its rules.
fn is_code(material: &Material<'_>) -> bool {
    let wants = |want: &String| want.split('.').next() != Some("rule");
    let releases = material.sentence.archetype == Archetype::Deploy;
    !material.facts.office && !releases && material.packs.iter().any(|chosen| chosen.pack.head.wants.iter().any(wants))
}

/// Whether the task changes the code of the repository; one that no pack knows is told by what it is about.
pub(super) fn changes(material: &Material<'_>) -> bool {
    let verb = material.sentence.main().and_then(|main| main.verb.as_deref()).unwrap_or_default();
    let unknown = material.packs.is_empty() && (SEARCHING.contains(&verb) || is_about_program(material));
    let of_code = !material.facts.office && material.facts.languages().next().is_some();
    of_code && (unknown || CHANGING.contains(&verb))
}

/// Whether the task is about a part of a program, in a repository with code.
pub(super) fn is_about_program(material: &Material<'_>) -> bool {
    let parts = material.sentence.language.lexicon().set("program_parts");
    let named = |main: &Clause| main.words.iter().any(|word| parts.contains(word.as_str()));
    let of_code = !material.facts.office && material.facts.languages().next().is_some();
    of_code && material.sentence.main().is_some_and(named)
}

/// Whether the rule names a command that tests or lints: it is due after every change.
fn names_check(material: &Material<'_>, rule: &Fact) -> bool {
    let checks = material.facts.all.iter().filter(|fact| matches!(fact.kind, Kind::TestCommand | Kind::LintCommand));
    checks.filter_map(|fact| fact.command.as_deref()).any(|command| rule.text.contains(command))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_named_like_a_task_in_another_form_of_its_word() {
        let said = |sentence: &str| stems(sentence);
        assert!(is_named("inventario", &said("Inventariar el almacén cada trimestre")));
        assert!(is_named("hr; onboarding", &said("Plan the onboarding of a nurse")));
        assert!(is_named("ordering", &said("Reorder stock for the shop")));
        assert!(!is_named("offboarding", &said("Plan the onboarding of a nurse")));
        assert!(!is_named("", &said("Plan the onboarding of a nurse")));
    }
}
