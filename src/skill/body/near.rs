//! How near a rule of the repository is to the task: by its own words, and by how much the section it stands in shares with
//! the task beside the other sections of the repository.
//!
//! The weights were fitted by logistic regression to 1,294 labelled lines of 100 folders.

use std::collections::{BTreeMap, BTreeSet};

use super::Material;
use crate::skill::fact::{Fact, Kind, is_order};
use crate::skill::name::fold;
use crate::skill::pack;
use crate::skill::ranking::{self, stems};
use crate::skill::sentence::{Clause, Language, Sentence, singular};
use crate::skill::subject::Subject;

/// Words with so many letters in common at their beginning may be forms of one.
const ALIKE: usize = 6;

/// Verbs for changes of code, in a repository with code.
const CHANGING: &[&str] = &[
    "add", "build", "change", "convert", "debug", "extend", "fix", "handle", "harden", "implement", "improve",
    "integrate", "introduce", "migrate", "move", "optimize", "optimise", "profile", "reduce", "remove", "rename",
    "replace", "speed up", "support", "tune", "upgrade",
];

/// Verbs for the search of a cause.
const SEARCHING: &[&str] = &["diagnose", "find out", "investigate", "reproduce", "trace", "track down"];

/// What every change of code has to keep.
const GENERAL: &str = "test tests spec coverage commit commits branch review reviews approval approvals pull lint \
    linter format fmt clippy eslint prettier ruff mypy rubocop detekt ktlint swiftlint golangci phpstan \
    secret secrets token password log logs teste testes prueba pruebas dependency dependencies pin dependência \
    dependencia security segurança seguridad";

/// What a rule gains or loses, and the sum from which on it is taken.
mod weight {
    /// The share of its section: how much that has in common with the task, at most as much as the best one.
    pub(super) const SECTION: f64 = 33.0;
    /// Each word of the task and each word of the packs' lines, at most so many.
    pub(super) const SAID: (usize, f64) = (3, 7.0);
    pub(super) const KNOWN: (usize, f64) = (6, 4.0);
    /// Each word of the task in the name or the title of its document.
    pub(super) const DOCUMENT: (usize, f64) = (2, 7.0);
    /// It has the noun that the task is about: the quiz of "a quiz on fractions".
    pub(super) const HEAD: f64 = 13.0;
    pub(super) const HEADED: f64 = 17.0;
    pub(super) const ORDER: f64 = 10.0;
    pub(super) const STATED: f64 = -5.0;
    /// It names a command that checks every change, or is about one of [`super::GENERAL`].
    pub(super) const CHECK: f64 = 15.0;
    pub(super) const GENERAL: f64 = 9.0;
    /// A step of a pack gives way to it.
    pub(super) const DECIDES: f64 = 20.0;
    /// It is about the work of others, or of another pack.
    pub(super) const OTHERS: f64 = -20.0;
    pub(super) const WITHOUT_PACK: f64 = 17.0;
    /// It stands in an undivided document, and nothing of it or around it is on the task.
    pub(super) const APART: f64 = -10.0;
    pub(super) const LEAST: f64 = 40.0;
}

/// The least that counts as the best section: where less is in common with the task, no section has a full share.
const FLOOR: f64 = 0.6;
/// What a section gains whose document or heading is named like the task, or has a word of it.
const NAMED: f64 = 1.0;
const TOUCHED: f64 = 0.5;

/// How much a rule has in common with the task whose neighbours may be on it too, and one that is not apart.
const ON_TASK: usize = 3;
const LEAST_SHARED: usize = 2;

/// What decides how near a rule is to the task.
pub(super) struct Near {
    /// The stems of the sentence, and those of the topics of its packs with them.
    said: Vec<String>,
    task: Vec<String>,
    /// The stems of the noun that the task is about.
    head: Vec<String>,
    meant: Vec<usize>,
    /// What the lines of the packs speak of.
    known: Subject,
    /// That without the words that many packs have.
    telling: Subject,
    /// The words of those lines and of the task, also without what may be endings of the plural.
    nouns: Vec<String>,
    general: Vec<String>,
    /// Whether the folder holds documents without code.
    pub(super) office: bool,
    /// The lines of undivided documents that are apart from the task.
    apart: BTreeSet<(String, usize)>,
    /// The share of each section, from 0 to 1.
    shares: BTreeMap<(String, String), f64>,
}

impl Near {
    pub(super) fn of(material: &Material<'_>) -> Self {
        let sentence = material.sentence;
        // What is listed behind a colon are details of the subject.
        let about = sentence.head.as_ref().map_or(&sentence.text, |head| &head.text);
        let heads = || material.packs.iter().map(|chosen| &chosen.pack.head);
        let mut named = sentence.text.clone();
        for word in heads().flat_map(|head| head.topic.iter().flatten().chain([&head.title, &head.id])) {
            named.push(' ');
            named.push_str(word);
        }
        let lines = material.packs.iter().flat_map(|chosen| &chosen.pack.lines);
        let lexicon = sentence.language.lexicon();
        let common = |word: &str| lexicon.set("periods").contains(word);
        let known: BTreeSet<&str> = lines
            .filter_map(|line| line.text(sentence.language))
            .flat_map(|text| text.split(|c: char| !c.is_alphanumeric()))
            .filter(|word| !common(word.to_lowercase().as_str()))
            .collect();
        let telling = known.iter().filter(|word| !pack::is_common(&fold(word).to_lowercase())).copied();
        let telling = telling.collect::<Vec<_>>().join(" ");
        let known = known.into_iter().collect::<Vec<_>>().join(" ");
        let words = |text: &str| words(text).into_iter().flat_map(|word| singular(&word, sentence.language));
        let mut near = Self {
            said: stems(&without_times(sentence)),
            task: stems(&named),
            head: stems(head_noun(sentence)),
            meant: ranking::subjects(about),
            nouns: words(&known).chain(words(&named)).collect(),
            known: Subject::of(&known),
            telling: Subject::of(&telling),
            general: stems(GENERAL),
            office: material.facts.office,
            apart: BTreeSet::new(),
            shares: BTreeMap::new(),
        };
        near.apart = near.apart(material);
        near.shares = near.shares(material);
        near
    }

    /// How near a rule is to the task; `None` for one that is too far. `decides`: whether a step gives way to it.
    pub(super) fn score(&self, material: &Material<'_>, fact: &Fact, decides: bool) -> Option<f64> {
        let stems = stems(&fact.text);
        let each = |(most, weight): (usize, f64), count: usize| number(count.min(most)) * weight;
        let said = stems.iter().filter(|word| self.said.contains(word)).count();
        let general = !self.office && stems.iter().any(|word| self.general.contains(word));
        let (file, heading) = section(fact);
        let share = self.shares.get(&(file.to_owned(), heading.to_owned())).copied().unwrap_or_default();
        let score = share * weight::SECTION
            + each(weight::SAID, said)
            + each(weight::KNOWN, self.known.shared_with(&fact.text))
            + each(weight::DOCUMENT, self.in_name(fact))
            + when(stems.iter().any(|word| self.head.contains(word)), weight::HEAD)
            + when(self.is_headed(heading), weight::HEADED)
            + when(is_order(&fact.text), weight::ORDER)
            + when(fact.kind == Kind::Statement, weight::STATED)
            + when(names_check(material, fact), weight::CHECK)
            + when(general, weight::GENERAL)
            + when(decides, weight::DECIDES)
            + when(self.is_claimed(material, fact) || self.is_of_others(fact), weight::OTHERS)
            + when(material.packs.is_empty(), weight::WITHOUT_PACK)
            + when(
                !general && !names_check(material, fact) && self.apart.contains(&(fact.file.clone(), fact.line)),
                weight::APART,
            );
        (score >= weight::LEAST).then_some(score)
    }

    /// How much each section of the repository's documents has in common with the task, as a share of the best one.
    fn shares(&self, material: &Material<'_>) -> BTreeMap<(String, String), f64> {
        let mut sums: BTreeMap<(&str, &str), (f64, f64, f64)> = BTreeMap::new();
        for fact in material.documented() {
            let said = self.said_in(&fact.text).min(weight::SAID.0);
            let known = self.known.shared_with(&fact.text).min(weight::KNOWN.0);
            let own = number(2 * said + known) / 2.0;
            let sum = sums.entry(section(fact)).or_insert((0.0, 1.0, self.bonus(fact)));
            (sum.0, sum.1) = (sum.0 + own, sum.1 + 1.0);
        }
        let value = |(sum, count, bonus): (f64, f64, f64)| sum / count + bonus;
        let best = sums.values().map(|sum| value(*sum)).fold(FLOOR, f64::max);
        let shares =
            sums.into_iter().map(|((file, heading), sum)| ((file.to_owned(), heading.to_owned()), value(sum) / best));
        shares.collect()
    }

    /// The lines of documents about all, without headings, that have nothing in common with the task, nor have their neighbours.
    fn apart(&self, material: &Material<'_>) -> BTreeSet<(String, usize)> {
        let of_all = |fact: &&Fact| fact.section.is_empty() && fact.work.as_ref().is_none_or(String::is_empty);
        let rules: Vec<&Fact> = material.documented().filter(of_all).collect();
        let own = |fact: &Fact| 2 * self.said_in(&fact.text) + self.telling.shared_with(&fact.text);
        let mut apart = BTreeSet::new();
        for document in rules.chunk_by(|one, next| one.file == next.file) {
            let shared: Vec<usize> = document.iter().map(|fact| own(fact)).collect();
            let on_task = |at: usize| shared.get(at).is_some_and(|shared| *shared >= ON_TASK);
            for (at, fact) in document.iter().enumerate() {
                let beside = on_task(at + 1) || at.checked_sub(1).is_some_and(on_task);
                if !beside && shared.get(at).is_some_and(|shared| *shared < LEAST_SHARED) {
                    apart.insert((fact.file.clone(), fact.line));
                }
            }
        }
        apart
    }

    /// What the section of a rule gains by its heading and the name of its document.
    fn bonus(&self, fact: &Fact) -> f64 {
        let named = |name: &str| is_named(name, &self.said);
        let touched = self.in_name(fact) > 0 || self.said_in(&fact.section) > 0;
        let named = named(&fact.section) || fact.work.as_deref().is_some_and(named);
        when(named, NAMED) + when(touched, TOUCHED)
    }

    /// How many words of the sentence a text has.
    fn said_in(&self, text: &str) -> usize {
        stems(text).iter().filter(|word| self.said.contains(word)).count()
    }

    /// How many words of the sentence the name and the title of a rule's document have.
    fn in_name(&self, fact: &Fact) -> usize {
        self.said_in(fact.work.as_deref().unwrap_or_default())
    }

    /// Whether the heading of a section is that of the task.
    fn is_headed(&self, heading: &str) -> bool {
        !heading.is_empty()
            && (is_named(heading, &self.task)
                || ranking::subjects(heading).iter().any(|subject| self.meant.contains(subject)))
    }

    /// Whether the packs or the task have this word or a form of it: "declarations" and "declared".
    fn knows(&self, noun: &str, language: Language) -> bool {
        let begins = |known: &String| known.bytes().zip(noun.bytes()).take_while(|(a, b)| a == b).count() >= ALIKE;
        singular(noun, language).iter().any(|one| self.nouns.contains(one)) || self.nouns.iter().any(begins)
    }

    /// Whether the subject of a rule names the work of another pack, in words that the chosen ones do not know.
    fn is_claimed(&self, material: &Material<'_>, fact: &Fact) -> bool {
        let language = material.sentence.language;
        let claims = claims(&fact.text, language);
        let chosen = |id: &str| material.packs.iter().any(|chosen| chosen.pack.head.id == id);
        let known = |phrase: &str| words(phrase).iter().all(|word| self.knows(word, language));
        !claims.is_empty() && !claims.iter().any(|(id, phrase)| chosen(id) || known(phrase))
    }

    /// Whether a rule only says that others have or do something: "Dashboards belong to the BI team".
    fn is_of_others(&self, fact: &Fact) -> bool {
        const OTHERS: &[&str] = &[
            "belongs to", "belong to", "is owned by", "are owned by", "is handled by", "are handled by",
            "another team", "another package", "another repository", "pertence a", "pertencem a", "outra equipe",
            "outro pacote", "pertenece a", "pertenecen a", "otro equipo", "otro paquete", "not here", "not from here",
            "outro repositório", "otro repositorio", "team owns", "team's repository",
        ];
        let lower = fact.text.to_lowercase();
        let others = OTHERS.iter().any(|phrase| lower.contains(phrase));
        others && !is_order(&fact.text) && self.said_in(&fact.text) == 0
    }
}

/// The words of a sentence but for days, months and years.
fn without_times(sentence: &Sentence) -> String {
    let lexicon = sentence.language.lexicon();
    let time = |word: &str| lexicon.set("periods").contains(word) || lexicon.set("everyday").contains(word);
    let words = sentence.text.split(|c: char| !c.is_alphanumeric()).filter(|word| !time(&word.to_lowercase()));
    words.collect::<Vec<_>>().join(" ")
}

/// The noun that a task is about; empty if it has no object.
fn head_noun(sentence: &Sentence) -> &str {
    let lexicon = sentence.language.lexicon();
    let goes_on = |word: &&str| !["relates", "places"].iter().any(|set| lexicon.set(set).contains(*word));
    let object = sentence.main().map_or("", |main| main.object.as_str());
    let mut words = object.split(' ').take_while(goes_on);
    let noun = if sentence.language == Language::En { words.last() } else { words.next() };
    noun.unwrap_or_default()
}

fn number(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}

fn when(holds: bool, weight: f64) -> f64 {
    if holds { weight } else { 0.0 }
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

/// Whether the task changes the code of the repository; one that no pack knows is told by what it is about.
pub(super) fn changes(material: &Material<'_>) -> bool {
    let verb = material.sentence.main().and_then(|main| main.verb.as_deref()).unwrap_or_default();
    let unknown = material.packs.is_empty() && (SEARCHING.contains(&verb) || is_about_program(material));
    has_code(material) && (unknown || CHANGING.contains(&verb))
}

/// Whether the task is about a part of a program, in a repository with code.
pub(super) fn is_about_program(material: &Material<'_>) -> bool {
    let parts = material.sentence.language.lexicon().set("program_parts");
    let named = |main: &Clause| main.words.iter().any(|word| parts.contains(word.as_str()));
    has_code(material) && material.sentence.main().is_some_and(named)
}

fn has_code(material: &Material<'_>) -> bool {
    !material.facts.office && material.facts.languages().next().is_some()
}

/// Whether the rule names a command that tests or lints: it is due after every change.
fn names_check(material: &Material<'_>, rule: &Fact) -> bool {
    let checks = material.facts.all.iter().filter(|fact| matches!(fact.kind, Kind::TestCommand | Kind::LintCommand));
    checks.filter_map(|fact| fact.command.as_deref()).any(|command| rule.text.contains(command))
}

/// The file and the heading of a rule.
pub(super) fn section(fact: &Fact) -> (&str, &str) {
    (&fact.file, &fact.section)
}

/// Before so many words stands the verb of a statement.
const STATED: usize = 8;

fn before_being(rule: &str) -> Option<&str> {
    const BEING: &[&str] = &[
        "is", "are", "go", "goes", "come", "comes", "follow", "follows", "use", "uses", "live", "lives", "é", "são",
        "está", "estão", "fica", "ficam", "vai", "vão", "vem", "vêm", "seguem", "segue", "usa", "usam", "es", "son",
        "están", "va", "van", "viene", "vienen", "sigue", "siguen", "usan", "pesa", "pesan", "se",
    ];
    let being = rule.split(' ').position(|word| BEING.contains(&word)).filter(|at| (1..STATED).contains(at))?;
    let (end, _) = rule.match_indices(' ').nth(being - 1)?;
    rule.get(..end)
}

/// The words before "is" up to the first preposition, in lowercase; none if a number is among them: "12% contingency".
fn phrase(rule: &str, language: Language) -> Option<String> {
    let lexicon = language.lexicon();
    let goes_on = |word: &&str| !lexicon.set("relates").contains(*word) && !lexicon.set("places").contains(*word);
    let lower = before_being(rule)?.to_lowercase();
    let phrase = lower.split(' ').take_while(goes_on).collect::<Vec<_>>().join(" ");
    Some(phrase).filter(|phrase| !phrase.contains(|c: char| c.is_ascii_digit()))
}

/// The words of a text, in lowercase and without accents.
pub(super) fn words(text: &str) -> Vec<String> {
    let plain = fold(text).to_lowercase();
    plain.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// The phrases of two words or more in the subject of a rule that name the work of packs, each with the pack's id.
fn claims(rule: &str, language: Language) -> Vec<(&'static str, &'static str)> {
    let mut named = pack::named_in(&pack::Searched::of(&phrase(rule, language).unwrap_or_default()));
    named.retain(|(_, phrase)| phrase.contains(' '));
    named
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_is_about_the_noun_before_a_preposition() {
        for (text, noun) in [
            ("Make a short quiz on fractions", "quiz"),
            ("Responder às reclamações dos munícipes", "reclamações"),
            ("Refactor", ""),
        ] {
            assert_eq!(head_noun(&crate::skill::sentence::read(text)), noun);
        }
    }

    #[test]
    fn a_document_is_named_like_a_task_in_another_form_of_its_word() {
        for (work, sentence, is) in [
            ("inventario", "Inventariar el almacén cada trimestre", true),
            ("hr; onboarding", "Plan the onboarding of a nurse", true),
            ("ordering", "Reorder stock for the shop", true),
            ("offboarding", "Plan the onboarding of a nurse", false),
            ("", "Plan the onboarding of a nurse", false),
        ] {
            assert_eq!(is_named(work, &stems(sentence)), is, "{work}");
        }
    }

    #[test]
    fn another_work_is_named_by_the_subject_alone() {
        let ids = |rule| claims(rule, Language::En).into_iter().map(|(id, _)| id).collect::<Vec<_>>();
        assert!(ids("Exit interviews are held by someone outside the department.").contains(&"exit-interviews"));
        assert!(ids("The manager is invited to all exit interviews.").is_empty());
    }
}
