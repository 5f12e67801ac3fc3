//! The parser of descriptions: tasks clause by clause, rules, and the name of the skill.
//!
//! Deterministic. The data of each language is one file in `templates/languages`.

mod bounds;
mod category;
mod clauses;
mod describe;
mod labels;
mod language;
mod naming;
mod opening;
mod reach;
mod said;
mod verb;
mod words;

pub(crate) use bounds::{Bound, is_limit};
pub use category::{Archetype, Category};
pub(crate) use describe::lowered_task;
pub use describe::{describe, has_trigger, use_when};
pub(crate) use labels::singular;
pub use language::Language;
pub(crate) use language::{WordSet, alike, empty};
pub(crate) use verb::{Verb, english};
pub(crate) use words::{one_line, words};

use std::cell::RefCell;

use serde::Serialize;

use super::Name;
use super::name::names_spelled;
use clauses::Part;
use said::{Said, base, stopped, third};
pub(crate) use said::{begun, lowered};
use words::{Word, sentences};

/// A conclusion and its reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Reason {
    /// What was concluded: `language`, `verb`, `archetype`, `name`, `category`, `tags`.
    pub about: &'static str,
    pub concluded: String,
    /// The words of the description that led to it.
    pub from: String,
}

/// A parsed description.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Sentence {
    pub language: Language,
    /// The whole description on one line, as given.
    pub text: String,
    /// The first sentence as a heading: capitalised, without a full stop.
    pub title: String,
    /// The first sentence in the third person, with its full stop.
    pub spoken: String,
    /// The first sentence, or the part before its colon, in the form that follows "the user asks to".
    pub asked: String,
    /// The part before a colon, if the clauses are its parts ("Triage issues: label, close duplicates").
    pub head: Option<Clause>,
    /// The tasks in order; empty only without words.
    pub clauses: Vec<Clause>,
    /// The rules in the author's words, each a sentence: "Without breaking production."
    pub rules: Vec<String>,
    /// The limits by a number in the author's words: "at most 200 words".
    #[serde(skip)]
    pub(crate) bounds: Vec<Bound>,
    /// Whether the author asks for care: "safely", "without", "zero", "never".
    pub caution: bool,
    /// The sentence that says when to use the skill, if any.
    pub occasion: Option<String>,
    /// The question before the task, which the task answers.
    pub question: Option<String>,
    /// A name of at most four words; `None` when no word has an ASCII spelling (E-CREATE-002).
    pub name: Option<Name>,
    pub category: Category,
    /// Whether a word of the description names the category.
    #[serde(skip)]
    category_named: bool,
    /// Three to eight tags, lowercase, without duplicates.
    pub tags: Vec<String>,
    /// The kind of work; it decides the order of a body and its questions.
    pub archetype: Archetype,
    /// Other words people use for the subject.
    pub also: Vec<String>,
    /// The reasons for the conclusions.
    pub because: Vec<Reason>,
}

/// One task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Clause {
    /// The clause in its own words, capitalised: "Close duplicates".
    pub text: String,
    /// The verb as its canonical English base ("rodar" is `run`); `None` when no verb is known.
    pub verb: Option<String>,
    /// The verb in its base form and own language; may be empty.
    pub written: String,
    /// What it acts on, as written, without article; "them" is replaced by the previous object.
    pub object: String,
    /// The content words of the clause but its verb, lowercase, in order.
    pub words: Vec<String>,
}

impl Sentence {
    /// Whether code is changed for certain.
    pub(crate) fn changes_code(&self) -> bool {
        use Archetype::{Migrate, Refactor, Test, WrapCliTool};
        matches!(self.archetype, Migrate | Refactor | Test | WrapCliTool)
            && !(self.category_named && matches!(self.category, Category::Documentation | Category::Review))
    }

    /// What the whole is about: the part before a colon, or the first clause.
    pub fn main(&self) -> Option<&Clause> {
        self.head.as_ref().or(self.clauses.first())
    }
}

thread_local! {
    /// The last description: the phases of a command read the same one.
    static LAST: RefCell<Option<(String, Sentence)>> = const { RefCell::new(None) };
}

/// Reads a description. Never fails; what the words do not say is left empty or general.
pub fn read(description: &str) -> Sentence {
    let known =
        LAST.with_borrow(|last| last.as_ref().filter(|(of, _)| of == description).map(|(_, said)| said.clone()));
    known.unwrap_or_else(|| {
        let said = read_anew(description);
        LAST.set(Some((description.to_owned(), said.clone())));
        said
    })
}

fn read_anew(description: &str) -> Sentence {
    let text = one_line(description);
    let line = names_spelled(&text);
    let all = words(&line);
    let language = language::language(&line, &all);
    let mut every = sentences(&line).into_iter().filter(|sentence| !words(sentence).is_empty()).peekable();
    let opening = every.next().unwrap_or_default();
    let mut first = Said::of(opening, language);
    // "Should we accept this offer? Compare three": the question is answered by the task behind it.
    let task = every.peek().map(|next| Said::of(next, language)).filter(Said::begins_with_verb);
    let question = (opening.ends_with('?') && !first.begins_with_verb()).then_some(task).flatten().map(|task| {
        first = task;
        every.next();
        opening::impersonal(opening, language.lexicon())
    });
    let (mut clauses, mut rules) = first.read();
    // The first sentence may only say when to use the skill.
    let mut occasion = Some(first.line.clone()).filter(|line| has_trigger(line));
    let only_when = occasion.is_some();
    let mut later = String::new();
    for sentence in every {
        if has_trigger(sentence) {
            occasion = occasion.or_else(|| Some(sentence.to_owned()));
            continue;
        }
        let next = Said::of(sentence, language);
        if next.binds() {
            rules.push(stopped(&begun(sentence)));
            continue;
        }
        let (more, held) = next.read();
        clauses.extend(more);
        rules.extend(held);
        later = format!("{later} {}", reflexive(&stopped(&next.edited(third)), language));
    }
    let main = first.tasks().next();
    let core = first.tasks().filter_map(|part| first.words.get(part.from..part.to)).flatten();
    let core: Vec<Word> = core.cloned().collect();
    let (archetype, archetype_from) = labels::archetype(&first, main, &core);
    let subject = main.and_then(|part| first.words.get(part.from..part.to)).unwrap_or(&core);
    let (category, category_from, category_named) = Category::of(subject, &all, archetype, language);
    let tags = labels::tags(&first, main, &core, archetype, (category, category_named));
    let caution =
        all.iter().any(|word| word.parts.iter().any(|part| language.lexicon().set("caution").contains(part.as_str())));
    let (name, named) = naming::naming(&first, main);
    let title = if first.words.is_empty() { begun(&text) } else { begun(&first.edited(base)) };
    let head = first.parts.head.as_ref().map(|part| first.clause(part, None, ""));
    let task = head.as_ref().or(clauses.first());
    let asked = task.map_or_else(|| title.clone(), |task| lowered_task(&asked(&first, main), task));
    let mut spoken = spoken(&first, &title);
    if let Some(question) = &question {
        spoken = format!("{} ({})", spoken.trim_end_matches('.'), lowered(question));
    }
    let spoken = if only_when { later } else { format!("{}{later}", stopped(&spoken)) };
    let mut this = Sentence {
        head,
        asked,
        also: labels::also(&core, language),
        because: Vec::new(),
        category,
        category_named,
        tags,
        archetype,
        language,
        text,
        title,
        spoken,
        clauses,
        rules,
        bounds: Vec::new(),
        caution,
        occasion,
        question,
        name,
    };
    this.bounds = this.read_bounds();
    this.because = because(&this, named, &archetype_from, &category_from);
    this
}

/// The task as it is asked for. "When a build fails, notify the owner": it begins after the comma.
fn asked(first: &Said, main: Option<&Part>) -> String {
    let behind = |at: &usize| at.checked_sub(1).and_then(|at| first.words.get(at)).is_some_and(|word| word.closes);
    let from = main.and_then(|part| part.verb.as_ref()).map(|(at, _)| *at).filter(behind).unwrap_or(0);
    let to = first.parts.head.as_ref().map_or(first.words.len(), |head| head.to);
    behind_when(&first.inflected(from, to, base), first.language).to_owned()
}

/// The task behind what says when it is due: "When I paste two versions, list what changed".
fn behind_when(task: &str, language: Language) -> &str {
    let begins = task.split(' ').next().unwrap_or_default().to_lowercase();
    let due = language.lexicon().set("subordinate").contains(begins.as_str());
    task.split_once(", ").filter(|_| due).map_or(task, |(_, task)| task)
}

/// The first sentence as a statement of what the skill does.
fn spoken(first: &Said, title: &str) -> String {
    if first.words.is_empty() {
        title.to_owned()
    } else if first.tasks().any(|part| part.verb.is_some()) {
        reflexive(&begun(&first.edited(third)), first.language)
    } else {
        format!("{} {}", first.language.lexicon().text("say", "covers"), lowered(title))
    }
}

/// The statement with "itself" for "yourself".
fn reflexive(text: &str, language: Language) -> String {
    let pairs = language.lexicon().text("say", "reflexive").split_whitespace().filter_map(|pair| pair.split_once('='));
    pairs.fold(text.to_owned(), |text, (you, it)| text.replace(you, it))
}

/// The language of a text, as [`read`] determines it.
pub(crate) fn language_of(text: &str) -> Language {
    let line = one_line(text);
    language::language(&line, &words(&line))
}

fn because(of: &Sentence, named: &'static str, archetype: &str, category: &str) -> Vec<Reason> {
    let reason = |about, concluded: String, from: &str| Reason { about, concluded, from: from.to_owned() };
    let clause = |clause: &Clause| {
        let verb = clause.verb.as_deref().unwrap_or("no known verb");
        reason("clause", clause.text.clone(), format!("{verb}: {}", clause.object).trim_end_matches([':', ' ']))
    };
    let mut all = vec![reason("language", of.language.code().to_owned(), "its short words, letters and verbs")];
    all.extend(of.head.iter().chain(&of.clauses).map(clause));
    all.extend(of.rules.iter().map(|rule| reason("rule", rule.clone(), "what has to hold")));
    all.extend(of.occasion.iter().map(|said| reason("occasion", said.clone(), "it says when")));
    let name = of.name.as_ref().map_or_else(|| "none".to_owned(), Name::to_string);
    all.push(reason("archetype", of.archetype.to_string(), archetype));
    all.push(reason("name", name, named));
    all.push(reason("category", of.category.to_string(), category));
    all.push(reason("tags", of.tags.join(", "), "the nouns, the archetype and the category"));
    all.retain(|one| !one.concluded.is_empty());
    all
}

#[cfg(test)]
mod tests;
