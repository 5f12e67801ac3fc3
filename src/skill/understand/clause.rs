//! The main clause of a description: who is introduced, what is done, to what, by what means.

use super::facts::Role;
use super::idioms;
use super::introduction;
use super::leads::{lead, verb_at};
use super::stopwords::{filler, grammar};
use super::verbs::{self, Form};
use super::words::Word;
use super::{Archetype, Language};
use crate::skill::name::fold;

/// The verb a clause begins with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Action {
    /// Its base form: `validate`, `validar`.
    pub(crate) base: &'static str,
    /// Its third person where the rules of English do not give it.
    pub(crate) third: Option<&'static str>,
    /// The form it was written in.
    pub(crate) form: Form,
    pub(crate) archetype: Archetype,
    /// Its second word ("roll back").
    pub(crate) particle: Option<&'static str>,
    /// The verb that says the same in one word, for the name: "keep … up to date" is to update.
    pub(crate) named: Option<&'static str>,
}

impl Action {
    /// The base form, both words of it.
    pub(crate) fn whole(&self) -> String {
        self.particle.map_or_else(|| self.base.to_owned(), |particle| format!("{} {particle}", self.base))
    }
}

/// What the first sentence says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Clause {
    /// How many words only introduce the skill ("A skill that …").
    pub(crate) skipped: usize,
    /// The verb, if the rest begins with one.
    pub(crate) verb: Option<Action>,
    /// Whether that verb is not written: "csv to json".
    pub(crate) implied: bool,
    /// A second verb joined to the first ("build and deploy …").
    pub(crate) also: Option<&'static str>,
    /// What is acted on, as written; may be empty.
    pub(crate) object: String,
    /// The same with its article.
    pub(crate) whole: String,
    /// What the verb says of the object after it: "up to date".
    pub(crate) tail: String,
    /// The index of the first word after the object.
    pub(crate) object_end: usize,
    /// Where, from what or for what, with its preposition, as written; may be empty.
    pub(crate) place: String,
    /// Its first part only: "from PDF invoices".
    pub(crate) near: String,
    /// What the place's first preposition leads to; may be empty.
    pub(crate) place_object: String,
    /// By what means, as written.
    pub(crate) technique: Option<String>,
    /// The compared spelling of the words of the object.
    pub(crate) object_keys: Vec<String>,
    /// The compared spelling of the words of the technique.
    pub(crate) technique_keys: Vec<String>,
}

/// Pairs whose first word is a noun although it could be a verb.
const NOUN_PAIRS: &[&str] = &[
    "release notes", "release process", "test coverage", "test case", "test cases", "test data", "test suite",
    "test plan", "test plans", "test strategy", "design system", "design systems", "design pattern", "design patterns",
    "design tokens", "build system", "build pipeline", "review checklist", "review process", "query builder",
    "process documentation", "document template", "document templates", "format string", "map reduce", "plan mode",
];

impl Clause {
    /// Reads the words of the first sentence.
    pub(crate) fn of(words: &[Word], language: Language) -> Self {
        let skipped = introduction::introduction(words);
        let rest = words.get(skipped..).unwrap_or_default();
        let implied = between_forms(rest);
        let mut verb = if implied { Some(CONVERT) } else { action(rest, language) };
        let mut at = usize::from(verb.is_some() && !implied);
        let two = verb.as_ref().zip(rest.get(1)).and_then(|(verb, next)| verbs::phrasal(verb.base, next.key()));
        if let (Some((particle, archetype)), Some(verb)) = (two, verb.as_mut()) {
            (verb.particle, verb.archetype, at) = (Some(particle), archetype, 2);
        }
        if let Some(verb) = verb.as_mut() {
            at = idioms::read(verb, rest, at);
        }
        let also = rest.get(at).filter(|_| at == 1).filter(|word| word.is_any(&["and", "or"])).and_then(|_| {
            let next = verbs::english(rest.get(at + 1)?.key())?;
            rest.get(at + 2)?;
            Some(next.base)
        });
        // "Limpe e padronize os endereços"
        let also = also.or_else(|| {
            let joins = at == 1 && rest.get(1)?.is_any(&["e", "y"]) && language != Language::En;
            rest.get(3).filter(|_| joins)?;
            let second = rest.get(2)?.key();
            let own = |verb: &verbs::Romance| verb.languages.contains(language.code());
            let verb = verbs::romance(second).filter(own).or_else(|| verbs::command(second).filter(own))?;
            Some(verb.base)
        });
        if also.is_some() {
            at += 2;
        }
        let kind = verb.as_ref().map(|verb| verb.archetype);
        let mut object = phrase(rest, at, language, kind);
        if let Some(wider) = idioms::related(rest, at, object, language, kind) {
            object = wider;
        }
        let object_end = skipped + at + object.len();
        let mut tail = String::new();
        if let Some((bare, state)) = verb.as_mut().and_then(|verb| idioms::kept(verb, object, language)) {
            (object, tail) = (bare, joined(state));
        }
        let mut clause = Self {
            skipped,
            implied,
            also,
            object: text(object),
            whole: joined(owned_by_nobody(object)),
            place: String::new(),
            near: String::new(),
            place_object: String::new(),
            technique: None,
            object_keys: keys(object),
            technique_keys: Vec::new(),
            object_end,
            tail,
            verb,
        };
        if clause.verb.is_none() {
            clause.object = lowered(&clause.object);
            clause.whole = lowered(&clause.whole);
        }
        clause.follow(words, language);
        clause
    }

    /// The kind of work its verb names.
    pub(crate) fn kind(&self) -> Option<Archetype> {
        self.verb.as_ref().map(|verb| verb.archetype)
    }

    /// Reads where and by what means, from what follows the object.
    fn follow(&mut self, words: &[Word], language: Language) {
        let mut next = self.object_end;
        while next < words.len() {
            let found = lead(words, next, language, self.kind());
            let length = found.map_or(0, |lead| lead.length);
            let following = phrase(words, next + length, language, self.kind());
            let end = next + length + following.len();
            match found.map(|lead| lead.role) {
                Some(Role::Means) if self.technique.is_none() && !following.is_empty() => {
                    self.technique = Some(text(following));
                    self.technique_keys = keys(following);
                }
                Some(Role::Source | Role::Result | Role::Scope | Role::Topic | Role::Purpose | Role::Audience)
                    if !following.is_empty() && self.technique.is_none() =>
                {
                    let said = joined(words.get(next..end).unwrap_or_default());
                    let apart = words.get(next.wrapping_sub(1)).is_some_and(|word| word.closes);
                    if self.place.is_empty() && !apart {
                        self.near.clone_from(&said);
                        self.place = said;
                        self.place_object = text(following);
                    } else if !self.place.is_empty() && !apart {
                        self.place = format!("{} {said}", self.place);
                    }
                }
                // "Alert when the disk is full": without an object, the occasion says what it is about.
                Some(Role::Occasion) if self.object.is_empty() && self.place.is_empty() && !following.is_empty() => {
                    let rest = words.get(next..).unwrap_or_default();
                    let stop = rest.iter().position(|word| word.closes).map_or(rest.len(), |i| i + 1);
                    self.place = joined(rest.get(..stop).unwrap_or_default());
                    self.place_object = text(following);
                    break;
                }
                _ => {}
            }
            next = end.max(next + 1);
        }
    }
}

/// What "csv to json" leaves out.
const CONVERT: Action = Action {
    base: "convert",
    third: None,
    form: Form::Base,
    archetype: Archetype::Convert,
    particle: None,
    named: None,
};

/// Whether the words only name a form and the one it becomes.
fn between_forms(rest: &[Word]) -> bool {
    const FORMS: &[&str] = &[
        "csv", "json", "xml", "yaml", "toml", "pdf", "docx", "word", "excel", "xlsx", "markdown", "html", "latex",
        "epub", "png", "jpg", "jpeg", "svg", "webp", "mp3", "mp4", "wav", "sql", "parquet", "text",
    ];
    matches!(rest, [from, to, into] if from.is_any(FORMS) && to.is_any(&["to"]) && into.is_any(FORMS))
}

fn action(rest: &[Word], language: Language) -> Option<Action> {
    let first = rest.first()?;
    let key = first.key();
    if let Some(next) = rest.get(1) {
        let pair = format!("{key} {}", next.key());
        if NOUN_PAIRS.contains(&pair.as_str()) {
            return None;
        }
    }
    let own = |verb: &verbs::Romance| verb.languages.contains(language.code());
    let spoken = verbs::romance(key).filter(own).or_else(|| verbs::command(key).filter(own));
    if let Some(verb) = verbs::english(key).filter(|_| spoken.is_none()) {
        let lonely_noun = verb.noun && rest.iter().skip(1).all(|word| filler(word.key()));
        let plural_noun = verb.noun
            && verb.form == Form::Third
            && rest.get(1).is_none_or(|next| grammar(next.key()) && !next.is_any(ARTICLES));
        if lonely_noun || plural_noun {
            return None;
        }
        return Some(Action {
            base: verb.base,
            third: None,
            form: verb.form,
            archetype: verb.archetype,
            particle: None,
            named: None,
        });
    }
    // "Resume screening" is English for reading the applications.
    let verb = spoken.or_else(|| verbs::romance(key).filter(|_| key != "resume"))?;
    let form = if key == fold(verb.third) { Form::Third } else { Form::Base };
    Some(Action {
        base: verb.base,
        third: Some(verb.third),
        form,
        archetype: verb.archetype,
        particle: None,
        named: None,
    })
}

/// Words that open a noun phrase and are not part of what it names.
const ARTICLES: &[&str] = &[
    "a", "an", "the", "my", "our", "your", "all", "any", "each", "every", "o", "os", "as", "um", "uma", "el", "la",
    "los", "las", "un", "una", "meu", "minha", "meus", "minhas", "mi", "mis",
];

fn owner(word: &Word) -> bool {
    word.is_any(&["users", "teams"]) && word.text.contains(['\'', '\u{2019}'])
}

/// The words without whose it is: "my" is nobody's once the skill is installed.
fn owned_by_nobody(words: &[Word]) -> &[Word] {
    match words {
        [first, rest @ ..] if !rest.is_empty() && first.is_any(OWN) => rest,
        _ => words,
    }
}

const OWN: &[&str] = &[
    "my", "our", "meu", "minha", "meus", "minhas", "nosso", "nossa", "nossos", "nossas", "mi", "mis", "nuestro",
    "nuestra", "nuestros", "nuestras",
];

/// The words of a noun phrase that begins here, at most nine.
pub(super) fn phrase(rest: &[Word], from: usize, language: Language, kind: Option<Archetype>) -> &[Word] {
    let mut end = from;
    while let Some(word) = rest.get(end).filter(|_| end < from + 9) {
        let joins = word.is_any(&["and", "or", "then", "e", "y", "ou"]);
        let leads = lead(rest, end, language, kind).is_some();
        if (joins && verb_at(rest, end + 1, language))
            || leads
            || word.is_any(&["is", "are", "esta", "estao", "estan", "estiver", "estiverem"])
        {
            break;
        }
        end += 1;
        if word.closes {
            break;
        }
    }
    while end > from && rest.get(end - 1).is_some_and(|word| grammar(word.key())) {
        end -= 1;
    }
    rest.get(from..end).unwrap_or_default()
}

/// A part of a sentence without white space and punctuation around it.
pub(super) fn clean(part: &str) -> String {
    part.trim_matches(|c: char| {
        c.is_whitespace() || matches!(c, ',' | ';' | ':' | '.' | '!' | '?' | '\u{2014}' | '\u{2013}')
    })
    .trim_end_matches([' ', '-'])
    .to_owned()
}

/// Names that keep their capital inside a sentence.
const PROPER: &[&str] = &[
    "Airflow", "Android", "Angular", "Ansible", "Azure", "Bash", "Docker", "Django", "Excel", "Figma", "Flask", "Git",
    "Go", "Google", "Helm", "Java", "Jenkins", "Jest", "Jira", "Kafka", "Kotlin", "Kubernetes", "Laravel", "Linux",
    "Markdown", "Notion", "Python", "Rails", "React", "Redis", "Ruby", "Rust", "Scala", "Slack", "Spark", "Spring",
    "Svelte", "Swift", "Terraform", "Unity", "Vue", "Windows",
];

/// The phrase as it stands inside a sentence: a capital that only began the sentence is gone.
pub(crate) fn lowered(phrase: &str) -> String {
    let first = phrase.split(' ').next().unwrap_or_default();
    let mut letters = first.chars();
    let begins = letters.next().is_some_and(char::is_uppercase);
    let name = first.len() < 2 || letters.any(|c| !c.is_lowercase()) || PROPER.contains(&first);
    if !begins || name {
        return phrase.to_owned();
    }
    let mut chars = phrase.chars();
    chars.next().map_or_else(String::new, |c| c.to_lowercase().chain(chars).collect())
}

/// The words as written, without an article before, adverb or "skill" after.
fn text(words: &[Word]) -> String {
    let mut words = words;
    while let [first, rest @ ..] = words
        && (first.is_any(ARTICLES) || owner(first))
        && !(rest.is_empty() && owner(first))
    {
        words = rest;
    }
    while let [rest @ .., last] = words
        && !rest.is_empty()
        && (last.is_any(&["skill", "skills", "helper"]) || (last.text.ends_with("ly") && last.text.len() > 5))
    {
        words = rest;
    }
    joined(words)
}

/// The compared spelling of the words.
fn keys(words: &[Word]) -> Vec<String> {
    words.iter().map(|word| word.key().to_owned()).collect()
}

fn joined(words: &[Word]) -> String {
    words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::super::words::words;
    use super::*;

    fn read(text: &str) -> (Option<&'static str>, String, String, Option<String>) {
        let clause = Clause::of(&words(text), Language::En);
        (clause.verb.map(|verb| verb.base), clause.object, clause.place, clause.technique)
    }

    fn said(
        verb: &'static str,
        object: &str,
        place: &str,
        technique: &str,
    ) -> (Option<&'static str>, String, String, Option<String>) {
        let some = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        (some(verb).map(|_| verb), object.to_owned(), place.to_owned(), some(technique))
    }

    #[test]
    fn clauses_are_read() {
        assert_eq!(
            read("Validate email addresses using regex patterns"),
            said("validate", "email addresses", "", "regex patterns")
        );
        assert_eq!(read("Deploy application to AWS Lambda"), said("deploy", "application", "to AWS Lambda", ""));
        assert_eq!(read("A skill that reviews the pull requests"), said("review", "pull requests", "", ""));
        assert_eq!(read("Database migration skill"), said("", "database migration", "", ""));
        assert_eq!(read("Build and deploy services"), said("build", "services", "", ""));
        assert_eq!(read("Release notes for every version"), said("", "release notes", "for every version", ""));
        assert_eq!(read("Test skill"), said("", "test", "", ""));
        assert_eq!(read("I need to rotate API keys safely"), said("rotate", "API keys", "", ""));
        assert_eq!(read("Keep an eye on disk usage"), said("keep", "disk usage", "", ""));
        assert_eq!(read("csv to json"), said("convert", "csv", "to json", ""));
        assert_eq!(read("letter to landlord"), said("", "letter", "to landlord", ""));
        assert_eq!(read("Migrate from Jest to Vitest"), said("migrate", "", "from Jest to Vitest", ""));
        assert_eq!(read("This skill should be used to lint YAML files"), said("lint", "YAML files", "", ""));
        assert_eq!(read("How to bake bread"), said("bake", "bread", "", ""));
        assert_eq!(read("Helps you act as a reviewer"), said("act", "", "as a reviewer", ""));
        assert_eq!(read("!!!"), said("", "", "", ""));
    }
}
