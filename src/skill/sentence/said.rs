//! One sentence of a description: without introduction and first person, split into parts, inflected.

use super::Clause;
use super::clauses::{Part, Parts, Reader};
use super::describe::lowered_task;
use super::language::Language;
use super::opening::{answered, becomes, impersonal, introduction};
use super::verb::{Form, Met};
use super::words::{Word, words};
use crate::skill::name::{fold, spelled};

/// The longest task, in words, that is repeated with its condition.
const LONGEST_TASK: usize = 9;

/// A form of a verb, where it is written in another.
type Inflection = fn(&Met, Language) -> Option<String>;

/// A sentence and its parts.
#[derive(Debug, Clone)]
pub(super) struct Said {
    pub(super) language: Language,
    pub(super) line: String,
    pub(super) words: Vec<Word>,
    pub(super) parts: Parts,
}

impl Said {
    pub(super) fn of(sentence: &str, language: Language) -> Self {
        let lexicon = language.lexicon();
        let task = answered(sentence, &words(sentence), language);
        let sentence = task.as_deref().unwrap_or(sentence);
        let found = words(sentence);
        let skipped = introduction(&found, lexicon);
        // "Can you …?" asks for a task.
        let sentence = if skipped > 0 { sentence.trim_end_matches('?') } else { sentence };
        let line = match found.get(skipped).filter(|_| skipped > 0) {
            Some(first) => sentence.get(first.start..).unwrap_or(sentence),
            None => sentence.trim_start_matches(|c: char| !c.is_alphanumeric() && !"`(\"'$@.".contains(c)),
        };
        let mut line = impersonal(line, lexicon);
        // "Database migration skill"
        let named = found.len() > 1 && found.last().is_some_and(|last| lexicon.set("skill").contains(last.key()));
        if let Some((before, _)) = line.trim_end_matches(['.', '!', ' ']).rsplit_once(' ').filter(|_| named) {
            line = before.to_owned();
        }
        let mut found = words(&line);
        if becomes(&found, language) {
            line = format!("{} {}", begun(lexicon.text("say", "convert")), lowered(&line));
            found = words(&line);
        }
        let parts = Reader::new(&found, &line, language).read();
        Self { language, line, words: found, parts }
    }

    /// Whether it is a task that begins with its verb.
    pub(super) fn begins_with_verb(&self) -> bool {
        self.tasks().next().and_then(|part| part.verb.as_ref()).is_some_and(|(at, _)| *at == 0) && !self.binds()
    }

    /// Whether it is a rule and not another task.
    pub(super) fn binds(&self) -> bool {
        let lexicon = self.language.lexicon();
        let holds = (0..self.words.len()).any(|at| lexicon.is("holds", &self.words, at));
        let acts = self.tasks().any(|part| part.verb.is_some());
        lexicon.is("begins", &self.words, 0) || holds || !acts
    }

    /// The parts that are no rules, the one before a colon first.
    pub(super) fn tasks(&self) -> impl Iterator<Item = &Part> {
        self.parts.head.iter().chain(&self.parts.parts).filter(|part| !part.rule)
    }

    /// The clauses and the rules.
    pub(super) fn read(&self) -> (Vec<Clause>, Vec<String>) {
        let (lexicon, mut clauses, mut rules) = (self.language.lexicon(), Vec::new(), Vec::new());
        let head = self.parts.head.as_ref().map(|head| self.clause(head, None, ""));
        let mut before = head.as_ref().map(|head| head.object.clone()).unwrap_or_default();
        // Of a sentence with one task the heading says what the condition is for.
        let several = self.tasks().count() > 1;
        for (i, part) in self.parts.parts.iter().enumerate() {
            if part.rule {
                // "Review the contract before signing": the heading says what is due then, but not of what is listed.
                let due = lexicon.is("tie", &self.words, part.from);
                let main = head.is_none() || clauses.is_empty();
                let named = self.names_person(part);
                // ": mask the names, only if it is recent" is a condition of the whole, which the heading says.
                let closed = part.from.checked_sub(1).and_then(|at| self.words.get(at)).is_some_and(|word| word.closes);
                let whole = head.is_some() && closed && lexicon.is("only", &self.words, part.from);
                let task = clauses.last().or(head.as_ref());
                let task = task.filter(|_| !whole && (named || several && !(due && main)));
                rules.push(self.rule(part, task));
                continue;
            }
            let later = self.parts.parts.iter().skip(i + 1).find(|part| !part.rule && !part.bare());
            // "Label, ask for repro": what follows a preposition is not shared.
            let later = later.filter(|part| !lexicon.is("leads", &self.words, part.after_verb()));
            let shared = later.filter(|_| part.bare() && self.parts.head.is_none());
            // What stands alone in a list acts on what stands before the list.
            let held = head.as_ref().filter(|_| part.bare()).map_or(&before, |head| &head.object);
            let clause = self.clause(part, shared, held);
            before.clone_from(&clause.object);
            clauses.push(clause);
        }
        // "zero-downtime" is a rule, like "with zero downtime".
        let zero = |word: &&Word| match word.parts.as_slice() {
            [first, _, ..] => lexicon.set("zero").contains(first.as_str()),
            _ => false,
        };
        let bound = self.words.iter().filter(zero);
        rules.extend(bound.map(|word| stopped(&begun(&word.text.replacen('-', " ", 1)))));
        (clauses, rules)
    }

    /// Whether a person does what has to wait: "before I approve them" leaves the approval to the user.
    fn names_person(&self, part: &Part) -> bool {
        let said = self.slice(part.from, part.to).to_lowercase();
        let persons = self.language.lexicon().text("say", "persons").split_whitespace();
        let persons = persons.filter_map(|pair| pair.split_once('=')).map(|(_, person)| person.replace('_', " "));
        let mut alone = persons.filter(|person| person.contains(' ') && !person.contains('\''));
        self.language.lexicon().is("tie", &self.words, part.from)
            && alone.any(|person| said.contains(&person) && !said.contains(&format!("{person}'s")))
    }

    /// A rule as a sentence. A condition says nothing without what it is for: "Close duplicates only if sure.", "Before
    /// signing: review the contract."
    fn rule(&self, part: &Part, task: Option<&Clause>) -> String {
        let said = self.slice(part.from, part.to);
        let said = said.trim_end_matches('?');
        let is = |key| self.language.lexicon().is(key, &self.words, part.from);
        stopped(&match task.filter(|task| task.text.split(' ').count() <= LONGEST_TASK) {
            Some(task) if is("only") && part.verb.is_none() => format!("{} {}", task.text, lowered(said)),
            Some(task) if is("tie") => format!("{}: {}", begun(said), lowered_task(&task.text, task)),
            _ => begun(said),
        })
    }

    /// One part as a clause. `shared` has the object for a single verb; `before` is what "them" refers to.
    pub(super) fn clause(&self, part: &Part, shared: Option<&Part>, before: &str) -> Clause {
        let lexicon = self.language.lexicon();
        let (from, to) = shared.map_or((part.after_verb(), part.to), |shared| (shared.after_verb(), shared.to));
        let lead = part.verb.as_ref().map_or(part.from, |(at, _)| *at);
        let own = begun(&self.inflected(part.from, part.to, base));
        let text = if shared.is_some() { format!("{own} {}", self.slice(from, to)) } else { own };
        let mut object = self.object(from, to, part);
        // "make the page accessible" acts on the page.
        if let Some((idiom, _)) = part.verb.as_ref().and_then(|(_, met)| self.idiom(met, part)) {
            let end = idiom.rsplit_once(" … ").map_or("", |(_, end)| end);
            object = object.strip_suffix(end).unwrap_or(&object).trim_end().to_owned();
        }
        let pronoun = lexicon.set("pronouns").contains(object.to_lowercase().as_str());
        let held = part.verb.as_ref().is_some_and(|(_, met)| !met.enclitic.is_empty() && met.enclitic != "me");
        // "close tickets and archive", but not "sort the invoices and notify me".
        let takes = part.verb.as_ref().is_some_and(|(_, met)| {
            let asks = Language::En.lexicon().set("asks").contains(met.verb.english.as_str());
            part.bare() && !part.listed && met.enclitic.is_empty() && !asks
        });
        let words = self.words.get(part.from..lead).into_iter().chain(self.words.get(from..to)).flatten();
        let words = words.filter(|word| !lexicon.empty(word.key()) && !owner(word));
        let verb = part.verb.as_ref().filter(|(_, met)| met.known).map(|(_, met)| self.canonical(met, part));
        let noun = || {
            let named = self.words.get(part.from..part.to)?.iter().find_map(|word| lexicon.noun(word.key()))?;
            named.1.clone()
        };
        Clause {
            text,
            verb: verb.or_else(|| noun().filter(|_| part.verb.is_none())),
            written: part.verb.as_ref().map(|(_, met)| met.verb.base.clone()).unwrap_or_default(),
            object: if pronoun || held || (object.is_empty() && takes) { before.to_owned() } else { object },
            words: words.map(|word| word.text.to_lowercase()).collect(),
        }
    }

    /// The verb in English; "keep … up to date" is to update.
    pub(super) fn canonical(&self, met: &Met, part: &Part) -> String {
        self.idiom(met, part).map_or_else(|| met.verb.english.clone(), |(_, verb)| verb.to_owned())
    }

    /// The idiom in these words, and its English verb.
    fn idiom(&self, met: &Met, part: &Part) -> Option<(&'static str, &'static str)> {
        let said = self.words.get(part.from..part.to).unwrap_or_default();
        let said = format!(" {} ", said.iter().map(Word::key).collect::<Vec<_>>().join(" "));
        let has = |words: &str| words.is_empty() || said.contains(&format!(" {} ", fold(words)));
        self.language.lexicon().section("idioms").find(|(idiom, _)| {
            let (begin, end) = idiom.split_once(" … ").unwrap_or((idiom, ""));
            let (verb, more) = begin.split_once(' ').unwrap_or((begin, ""));
            verb == met.verb.base.split(' ').next().unwrap_or_default() && has(more) && has(end)
        })
    }

    /// The object from here up to the next preposition, without articles; the object of "migration of Postgres" is
    /// Postgres.
    fn object(&self, from: usize, to: usize, part: &Part) -> String {
        let lexicon = self.language.lexicon();
        let key = |at: usize| self.words.get(at).map_or("", Word::key);
        let act = |at: &usize| lexicon.noun(key(*at)).is_some_and(|(_, verb)| verb.is_some());
        let act = (from..to).find(act).filter(|_| part.verb.is_none());
        let (from, to) = match act {
            Some(at) if at + 2 < to && matches!(key(at + 1), "of" | "de" | "do" | "da" | "del") => {
                self.object_words(at + 2, to)
            }
            Some(at) if at > from => (from, at),
            _ => self.object_words(from, to),
        };
        self.slice(from, to)
    }

    /// The range of the object's words.
    pub(super) fn object_words(&self, from: usize, to: usize) -> (usize, usize) {
        let lexicon = self.language.lexicon();
        let whose = |at: usize| self.words.get(at).is_some_and(owner);
        let skips = |at: &usize| {
            lexicon.is("articles", &self.words, *at) || lexicon.is("leads", &self.words, *at) || whose(*at)
        };
        let begin = from + (from..to).take_while(skips).count();
        if (from..begin).any(|at| lexicon.is("conjunctions", &self.words, at)) {
            return (begin, begin);
        }
        let leads =
            |at: usize| lexicon.is("leads", &self.words, at) || lexicon.phrase("manner", &self.words, at).is_some();
        let end = (begin..to).find(|at| *at > begin && leads(*at)).unwrap_or(to);
        let of = |word: &Word| word.text.len() > 5 && word.text.ends_with("ly") && self.language == Language::En;
        let adverbs = self.words.get(begin..end).unwrap_or_default().iter().rev().take_while(|word| of(word)).count();
        (begin.min(to), end.saturating_sub(adverbs).max(begin).min(to))
    }

    /// The text of a range of words, without surrounding punctuation.
    pub(super) fn slice(&self, from: usize, to: usize) -> String {
        self.inflected(from, to, |_, _| None)
    }

    /// The whole sentence, with every verb of its parts replaced by `form`.
    pub(super) fn edited(&self, form: Inflection) -> String {
        self.inflected(0, self.words.len(), form)
    }

    pub(super) fn inflected(&self, from: usize, to: usize, form: Inflection) -> String {
        let Some(first) = self.words.get(from).filter(|_| from < to) else { return String::new() };
        let end = self.words.get(to).map_or(self.line.len(), |next| next.start);
        let begin = if from == 0 { 0 } else { first.start };
        let (mut text, mut at) = (String::new(), begin);
        let inflected = self.parts.head.iter().chain(&self.parts.parts).filter(|part| !part.listed);
        let verbs = inflected.flat_map(|part| part.verb.iter().chain(&part.or));
        for (place, met) in verbs.filter(|(place, _)| (from..to).contains(place)) {
            let Some(said) = form(met, self.language) else { continue };
            // One word of several is inflected: "sets up", "load tests".
            let several = said.split(' ').zip(met.verb.base.split(' ')).position(|(form, base)| form != base);
            let which = several.filter(|_| met.length > 1).unwrap_or(0);
            let said = if met.length > 1 { said.split(' ').nth(which).unwrap_or(&said).to_owned() } else { said };
            let Some(word) = self.words.get(place + which) else { continue };
            let raw = self.line.get(word.start..word.end).unwrap_or_default();
            let start = word.start + raw.find(&word.text).unwrap_or(0);
            let capital = word.text.starts_with(char::is_uppercase);
            text.push_str(self.line.get(at..start).unwrap_or_default());
            text.push_str(&if capital { begun(&said) } else { said });
            at = start + word.text.len();
        }
        text.push_str(self.line.get(at..end).unwrap_or_default());
        clean(&text, to < self.words.len())
    }
}

/// The base form, if written in another.
pub(super) fn base(met: &Met, _: Language) -> Option<String> {
    let held = !met.enclitic.is_empty() && met.enclitic != "me";
    (!held && (met.form != Form::Base || !met.enclitic.is_empty())).then(|| met.verb.base.clone())
}

/// The third person, if written in another form.
pub(super) fn third(met: &Met, language: Language) -> Option<String> {
    let third = &met.verb.third;
    match (met.form, met.enclitic.as_str(), language) {
        (Form::Third, "", _) => None,
        (_, "" | "me", _) => Some(third.clone()),
        (_, pronoun, Language::Es) => Some(format!("{pronoun} {third}")),
        (_, pronoun, _) => Some(format!("{third}-{pronoun}")),
    }
}

/// Whether the word is "the user's", from a sentence whose first person was removed.
fn owner(word: &Word) -> bool {
    matches!(word.key(), "users" | "teams") && word.text.contains(['\'', '\u{2019}'])
}

/// A text without punctuation and conjunctions at its ends; `cut`: the sentence continues after it.
fn clean(text: &str, cut: bool) -> String {
    let ends = [',', ';', ':', '.', '!', ' ', '\u{2014}', '\u{2013}'];
    let text = text.trim_start_matches([',', ';', ':', ' ', '\u{2014}', '\u{2013}']);
    let bare = text.trim_end_matches(ends).trim_end_matches('-').trim_end_matches(ends);
    let bare = if cut { bare.trim_end_matches(" &") } else { bare };
    bare.to_owned()
}

/// The text with a capital first letter.
pub(crate) fn begun(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// The text for use inside a sentence: without the capital of a sentence's start.
pub(crate) fn lowered(text: &str) -> String {
    // "Code Review" is in title case.
    if text.contains(' ') && text.split(' ').all(|word| word.starts_with(char::is_uppercase)) {
        return text.split(' ').map(lowered).collect::<Vec<_>>().join(" ");
    }
    let first = text.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let lower = first.to_lowercase();
    let inside = first.chars().skip(1).any(|c| !c.is_lowercase());
    let name = first.chars().count() < 2 && lower != "a" || inside || spelled(&lower).is_some();
    let proper = |key: &str| Language::En.lexicon().set(key).contains(lower.as_str());
    if name || proper("proper") || (proper("no_tools") && Language::En.lexicon().verb(&lower).is_none()) {
        return text.to_owned();
    }
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}

/// The text with a full stop.
pub(super) fn stopped(text: &str) -> String {
    let text = text.trim_end_matches([',', ';', ':', '-', ' ']);
    let stops = text.is_empty() || text.ends_with(['.', '!', '?', '\u{2026}', '\u{3002}']);
    if stops { text.to_owned() } else { format!("{text}.") }
}
