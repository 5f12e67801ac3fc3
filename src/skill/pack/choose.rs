//! Chooses the packs for a sentence: the topic within one clause, and a step for one of its verbs.

use std::collections::BTreeSet;

use foldhash::HashSet;
use serde::{Deserialize, Serialize};

use super::builtin::concerned;
use super::searched::{Searched, VERSION, names_version};
use super::{Head, Line, LineKind, Pack, PackError, Source};
use crate::skill::Language;
use crate::skill::fact::Facts;
use crate::skill::sentence::{Clause, Sentence, alike};

/// The maximum number of packs for one sentence.
const MOST: usize = 2;

/// The values of `--pack` and `--no-pack`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    pub wanted: BTreeSet<String>,
    pub refused: BTreeSet<String>,
}

/// A pack that serves the sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chosen {
    pub pack: Pack,
    /// The reason: the words of its topic in the sentence, or `--pack`.
    pub because: String,
    /// Whether it was requested with `--pack`.
    pub wanted: bool,
    /// The verb that serves each clause, the part before a colon first: its own, or a similar one if the pack has no
    /// step for it.
    pub verbs: Vec<Option<String>>,
    /// The clause that names its topic; none if the repository decided or the pack was requested.
    pub clause: Option<usize>,
}

impl Chosen {
    /// Whether a condition on the verbs is met; an empty one always is.
    pub(crate) fn asked(&self, verbs: &[String]) -> bool {
        verbs.is_empty() || self.verbs.iter().flatten().any(|verb| serves(verbs, verb))
    }
}

/// In the place of a list of verbs: every verb.
const ANY: &str = "any";

/// Whether a verb is among those of a condition.
pub(crate) fn serves(verbs: &[String], verb: &str) -> bool {
    verbs.iter().any(|known| known == verb || known == ANY)
}

/// Phrases people use for the work of these packs: of the first, and of requested ones. A pack for a later clause is no
/// reason to use the skill.
pub fn words(packs: &[Chosen], language: Language) -> Vec<String> {
    let meant = packs.iter().enumerate().filter(|(at, chosen)| *at == 0 || chosen.wanted);
    meant.flat_map(|(_, chosen)| chosen.pack.head.words(language)).map(str::to_owned).collect()
}

/// The packs for a sentence, at most one for each clause, in the order of the clauses. `sources` are ids and texts,
/// later ones replace earlier ones with the same id. Errors: [`PackError`] for a pack that cannot be read and is a
/// candidate, and for one that is wanted and unknown.
pub fn choose(
    sources: &[Source],
    sentence: &Sentence,
    facts: &Facts,
    choice: &Choice,
) -> Result<Vec<Chosen>, PackError> {
    for id in choice.wanted.union(&choice.refused) {
        if !sources.iter().any(|source| source.id() == id) {
            let known: BTreeSet<&str> = sources.iter().map(Source::id).collect();
            let nearest = nearest(id, &known).into_iter().map(Into::into).collect();
            return Err(PackError::Unknown { id: id.clone(), nearest });
        }
    }
    let text = Searched::of(&sentence.text);
    let all: Vec<&Clause> = sentence.head.iter().chain(&sentence.clauses).collect();
    let listed = |at: usize| at > 0 && sentence.head.is_some();
    let clauses = all.iter().enumerate().map(|(at, clause)| topical(clause, sentence.language, listed(at)));
    let clauses: Vec<Searched> = clauses.collect();
    let results: Vec<Option<Searched>> = all.iter().map(|clause| result(clause, sentence.language)).collect();
    let words: HashSet<&str> = clauses.iter().chain([&text]).flat_map(Searched::words).collect();
    let concerned = concerned(&words);
    // A pack of the user's own is read in any case, so that what is wrong with it is told.
    let may_concern = |source: &Source| !source.is_built_in() || concerned.contains(source.id());
    let mut found: Vec<(usize, bool, Chosen)> = Vec::new();
    for (index, source) in sources.iter().enumerate() {
        let wanted = choice.wanted.contains(source.id());
        let considered = (wanted || may_concern(source)) && !choice.refused.contains(source.id());
        if !considered || sources.iter().skip(index + 1).any(|later| later.id() == source.id()) {
            continue;
        }
        let head = Head::read(source)?;
        let Some(topic) =
            topic(&head, &text, &clauses, &results, facts, sentence.language).or_else(|| wanted.then(Topic::default))
        else {
            continue;
        };
        let pack = Pack::with(head, source)?;
        let about = topic.clause.and_then(|index| all.get(index)).map(|clause| &clause.object);
        let verbs = all.iter().map(|clause| verb(&pack, clause, about.is_none_or(|of| *of == clause.object), &text));
        let mut verbs: Vec<Option<String>> = verbs.collect();
        // "Dark mode for the dashboard"
        if let [None] = verbs.as_slice() {
            verbs = vec![usual(&pack)];
        }
        let mut steps = steps_of(&pack, &verbs, &text, topic.clause);
        // "Frobnicate the status report: done, next": the topic is clear, though the verb is not.
        let named = topic.clause.filter(|clause| *clause == 0 || sentence.head.is_none());
        if let Some(verb) = named.and_then(|clause| verbs.get_mut(clause)).filter(|verb| steps == 0 && verb.is_none()) {
            *verb = usual(&pack);
            steps = steps_of(&pack, &verbs, &text, topic.clause);
        }
        if steps == 0 && !wanted {
            continue;
        }
        // "Raise the target SDK: test the permissions": one word behind the colon is no second subject.
        let weak = topic.said <= 1 && !wanted && sentence.head.is_some() && topic.clause > Some(0);
        let because = if wanted { "--pack".to_owned() } else { topic.reason(&pack.head) };
        let rank = if wanted { usize::MAX } else { (topic.place * 3 + topic.said) * 16 + steps };
        found.push((rank, weak, Chosen { pack, because, wanted, verbs, clause: topic.clause }));
    }
    if found.iter().any(|(.., chosen)| chosen.clause == Some(0)) {
        found.retain(|(_, weak, _)| !weak);
    }
    found.sort_by_key(|(rank, ..)| std::cmp::Reverse(*rank));
    let mut found: Vec<Chosen> = found.into_iter().map(|(.., chosen)| chosen).collect();
    subjects(&mut found, sentence, &all, &clauses);
    found.truncate(MOST.max(choice.wanted.len()));
    Ok(found)
}

/// How many packs are named instead of an unknown one.
const NAMED: usize = 5;

/// The ids most like one that is unknown.
fn nearest<'k>(id: &str, known: &BTreeSet<&'k str>) -> Vec<&'k str> {
    let mut all: Vec<&str> = known.iter().copied().collect();
    all.sort_by(|a, b| strsim::jaro_winkler(id, b).total_cmp(&strsim::jaro_winkler(id, a)));
    all.truncate(NAMED);
    all
}

/// Keeps packs with a subject of their own, in the order of the clauses, requested ones first.
fn subjects(found: &mut Vec<Chosen>, sentence: &Sentence, all: &[&Clause], clauses: &[Searched]) {
    let mut served: BTreeSet<usize> = BTreeSet::new();
    found.retain(|chosen| chosen.wanted || chosen.clause.is_none_or(|clause| served.insert(clause)));
    // What the repository uses is no subject if the sentence names one, and neither is a name after a colon, which is
    // about the part before it.
    let begins = sentence.head.is_some() && served.contains(&0);
    let name = |clause: usize| clause > 0 && all.get(clause).is_some_and(|clause| clause.written.is_empty());
    found.retain(|chosen| match chosen.clause {
        _ if chosen.wanted => true,
        Some(clause) => !(begins && name(clause)),
        None => served.is_empty(),
    });
    found.sort_by_key(|chosen| (!chosen.wanted, chosen.clause));
    // The first subject continues if its pack has a step for this clause.
    let Some(first) = found.first().cloned() else { return };
    let goes_on = |clause: usize| {
        let verb = first.verbs.get(clause).and_then(Option::as_ref);
        let named = |line: &Line| {
            !line.mentions.is_empty() && clauses.get(clause).is_some_and(|one| one.mentions(&line.mentions))
        };
        let step = |line: &&Line| line.kind == LineKind::Step && verb.is_some_and(|verb| serves(&line.verbs, verb));
        first.pack.lines.iter().filter(step).any(named)
    };
    found.retain(|chosen| chosen.wanted || chosen.clause == first.clause || !chosen.clause.is_some_and(goes_on));
}

/// How many words of a phrase count at most.
const MOST_TELLING: usize = 3;

/// Number of words in a phrase longer than a letter and no number: the more, the less likely is a chance match.
fn telling(phrase: &str) -> usize {
    let words = phrase.split(|c: char| !c.is_alphanumeric());
    words.filter(|word| word.chars().count() > 1 && word.chars().any(char::is_alphabetic)).count()
}

/// A match of a topic.
#[derive(Default)]
struct Topic {
    words: Vec<String>,
    /// The clause; none if the repository decided or the pack was requested.
    clause: Option<usize>,
    /// The significance of its words.
    said: usize,
    /// 0 if the clause names it only as the place of the work, "in the staging environment"; 2 if before any preposition;
    /// 3 if the work is done with it, or it is what something else is turned into.
    place: usize,
}

impl Topic {
    /// What chose the pack, as it is shown.
    fn reason(&self, head: &Head) -> String {
        match self.words.as_slice() {
            [one] if one == VERSION => "a version to go to".to_owned(),
            [] => format!("the repository ({})", head.topic_repo.as_deref().unwrap_or_default()),
            words => format!("\"{}\"", words.join("\", \"")),
        }
    }
}

fn topic(
    head: &Head,
    text: &Searched,
    clauses: &[Searched],
    results: &[Option<Searched>],
    facts: &Facts,
    language: Language,
) -> Option<Topic> {
    if head.not.iter().any(|word| text.has(word)) {
        return None;
    }
    let met = clauses.iter().enumerate().find_map(|(index, clause)| {
        let begins = clause.until("relates", language);
        // A phrase interrupted by another word counts as one word.
        let tells = |word: &String| if clause.has(word) { telling(word).min(MOST_TELLING) } else { 1 };
        // "Review the contract of the API" begins with the whole phrase.
        let first = |word: &String| {
            let first = word.split(' ').next().unwrap_or_default();
            begins.names(word) || (clause.has(word) && begins.has(first))
        };
        let named = |group: &[String]| {
            let words = group.iter().filter(|word| clause.names(word));
            words.rev().max_by_key(|word| (first(word), tells(word))).cloned()
        };
        // "Unnecessary re-renders" in a repository with React.
        let used = |at: usize, group: &[String]| at > 0 && group.iter().any(|word| facts.uses(word));
        let mut words = Vec::new();
        for (at, group) in head.topic.iter().enumerate() {
            match named(group) {
                Some(word) => words.push(word),
                None if used(at, group) => {}
                None => return None,
            }
        }
        words.first()?;
        let by = |word: &String| head.tools.contains(word) && clause.by(word, language);
        let outside = clause.until("places", language);
        let result = results.get(index).and_then(Option::as_ref);
        let place = match () {
            // Any other pack knows more.
            () if words == [VERSION] => 0,
            () if words.iter().any(by) => 3,
            () if result.is_some_and(|result| words.iter().any(|word| result.names(word))) => 3,
            () if words.iter().any(first) => 2,
            () => usize::from(words.iter().any(|word| outside.names(word) || clause.is_name(word))),
        };
        // Each further group is more evidence, and so is the name of a tool.
        let tool = words.iter().any(|word| head.tools.contains(word));
        let said = words.iter().map(tells).sum::<usize>() + words.len() - 1 + usize::from(tool);
        Some(Topic { words, clause: Some(index), said, place })
    });
    met.or_else(|| {
        let id = head.topic_repo.as_deref()?;
        let word = head.topic_repo_words.iter().find(|word| text.has(word))?;
        facts.has(id).then(|| Topic { words: vec![word.clone()], ..Topic::default() })
    })
}

/// The verb by which a pack serves a clause: the clause's own; if the clause is `about` its topic and the pack does not
/// know that verb, the first similar one with a step.
fn verb(pack: &Pack, clause: &Clause, about: bool, text: &Searched) -> Option<String> {
    let own = clause.verb.clone()?;
    if !about || pack.lines.iter().any(|line| line.kind == LineKind::Step && serves(&line.verbs, &own)) {
        return Some(own);
    }
    alike(&own).into_iter().find(|verb| served(pack, verb, text) > 0).or(Some(own))
}

/// The most frequent verb in the steps of a pack, the first of several.
fn usual(pack: &Pack) -> Option<String> {
    let steps = pack.lines.iter().filter(|line| line.kind == LineKind::Step);
    let verbs: Vec<&String> = steps.flat_map(|line| &line.verbs).collect();
    let count = |verb: &String| verbs.iter().filter(|one| **one == verb).count();
    verbs.iter().rev().max_by_key(|verb| count(verb)).map(|verb| (*verb).clone())
}

/// Number of steps with this verb. Variants of a step, such as those for each language, are one.
fn served(pack: &Pack, verb: &str, text: &Searched) -> usize {
    let serves =
        |line: &&Line| line.kind == LineKind::Step && serves(&line.verbs, verb) && text.mentions(&line.mentions);
    let slots: BTreeSet<Option<&String>> = pack.lines.iter().filter(serves).map(|line| line.slot.as_ref()).collect();
    slots.len()
}

/// Number of steps with the verb of the clause that matched the topic; if there are none, with that of any clause.
fn steps_of(pack: &Pack, verbs: &[Option<String>], text: &Searched, clause: Option<usize>) -> usize {
    let met = clause.and_then(|index| verbs.get(index)).and_then(Option::as_ref);
    met.map_or_else(|| verbs.iter().flatten().collect(), |verb| vec![verb])
        .into_iter()
        .map(|verb| served(pack, verb, text))
        .max()
        .unwrap_or(0)
}

/// The topic of a clause. A verb that is also a noun is no topic: "Email the customers" is not about addresses. A
/// pronoun counts as what it refers to: "and purge them from git history". Of several names after a colon the first is
/// the subject.
fn topical(clause: &Clause, language: Language, listed: bool) -> Searched {
    let verbs = if clause.verb.is_some() { clause.written.split_whitespace().count().max(1) } else { 0 };
    let verb = clause.written.to_lowercase();
    let noun = language.lexicon().verb(&verb).is_none_or(|(verb, _)| verb.noun);
    let said = if listed { clause.text.split(", ").next().unwrap_or_default() } else { &clause.text };
    let rest: Vec<&str> = said.split_whitespace().skip(verbs).collect();
    let mut text = rest.join(" ");
    if !noun {
        text = format!("{verb} {text}");
    }
    let object = if listed { clause.object.split(", ").next().unwrap_or_default() } else { &clause.object };
    if !Searched::of(&text).has(object) {
        text = format!("{text} {object}");
    }
    let version = if names_version(&clause.text, language) { format!("; {VERSION}") } else { String::new() };
    Searched::of(&format!("{text}{}{version}", in_person(&text, language)))
}

/// What a clause makes of something else: "Turn the post into a newsletter".
fn result(clause: &Clause, language: Language) -> Option<Searched> {
    let turns = clause.verb.as_deref().is_some_and(|verb| Language::En.lexicon().set("turning").contains(verb));
    let becomes = language.lexicon().set("becomes");
    let mut words = clause.text.split_whitespace().filter(|_| turns);
    words.find(|word| becomes.contains(*word))?;
    Some(Searched::of(&words.collect::<Vec<_>>().join(" ")))
}

/// A clause says "the user's week" for the author's "my week", which is how packs name it. In the other languages they
/// name it as the clause does.
fn in_person(text: &str, language: Language) -> String {
    let persons = language.lexicon().text("say", "persons").split_whitespace();
    let user = persons.filter_map(|pair| pair.strip_prefix("my=")).map(|user| user.replace('_', " ")).next();
    let said = user.filter(|user| Searched::of(text).has(user));
    said.map_or(String::new(), |user| format!("; {}", text.replace(&user, "my")))
}

/// The built-in packs for a sentence.
#[cfg(test)]
pub(crate) fn of_sentence(sentence: &Sentence, facts: &Facts) -> Vec<Chosen> {
    choose(&Source::built_in().collect::<Vec<_>>(), sentence, facts, &Choice::default()).unwrap()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skill::fact::{Fact, Kind};
    use crate::skill::sentence::read;

    fn chosen(text: &str, facts: &Facts) -> Vec<String> {
        of_sentence(&read(text), facts).into_iter().map(|chosen| chosen.pack.head.id).collect()
    }

    fn first(text: &str, facts: &Facts) -> Option<String> {
        chosen(text, facts).into_iter().next()
    }

    #[test]
    fn what_the_repository_uses_need_not_be_said() {
        let react = Fact::new(Kind::Framework, "React `19`").id("react");
        let sentence = "Hunt down unnecessary renders in the dashboard package";
        assert_eq!(first(sentence, &Facts::default()), None);
        let facts = Facts { all: vec![react], ..Facts::default() };
        assert_eq!(first(sentence, &facts).as_deref(), Some("react-performance"));
        assert_eq!(first("Answer support emails", &facts).as_deref(), Some("support-tickets"));
    }

    #[test]
    fn what_something_is_turned_into_is_the_subject() {
        let none = Facts::default();
        assert_eq!(first("Turn a blog post into a newsletter", &none).as_deref(), Some("newsletters"));
        assert_eq!(first("Convertir las entrevistas en historias de usuario", &none).as_deref(), Some("user-stories"));
    }

    #[test]
    fn one_word_behind_a_colon_is_no_second_subject() {
        let chosen = |text| chosen(text, &Facts::default());
        assert_eq!(chosen("Write the monthly newsletter: check the CORS"), ["newsletters"]);
        assert_eq!(chosen("Write the monthly newsletter: add a rate limit"), ["newsletters", "rate-limiting"]);
    }

    #[test]
    fn where_the_work_is_done_is_not_its_subject() {
        let sentence = "Restaurar una copia de seguridad de PostgreSQL en el entorno de staging";
        assert_eq!(first(sentence, &Facts::default()).as_deref(), Some("postgres-backup"));
    }
}
