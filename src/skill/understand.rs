//! Understanding a description: its parts and their roles, name, category, tags and kind of work, from its words alone.
//!
//! The same words always give the same answer, and every conclusion says which word it rests on.

mod archetype;
mod category;
mod clause;
mod facts;
mod heading;
mod idioms;
mod impersonal;
mod introduction;
mod language;
mod leads;
mod lookup;
mod naming;
mod nouns;
mod stopwords;
mod tagging;
mod verb_lists;
mod verbs;
mod vocabulary;
mod words;

pub use archetype::{Archetype, Score};
pub use category::Category;
pub(crate) use clause::{Clause, lowered};
pub use facts::{Fact, Role};
pub(crate) use impersonal::impersonal;
pub use language::Language;
pub(crate) use stopwords::empty as says_nothing;
pub(crate) use stopwords::empty;
pub(crate) use verbs::{Form, command, english, romance, third};
pub(crate) use words::{Word, each_part, one_line, sentences, words};

use serde::Serialize;

use super::Name;
use super::describe::has_trigger;
use super::name::names_spelled;

/// One conclusion and what it rests on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Reason {
    /// What was concluded: `language`, `verb`, `object`, a role, `archetype`, `name`, `category`, `tags` …
    pub about: &'static str,
    pub concluded: String,
    /// What in the description led to it.
    pub from: String,
}

/// What was understood of a description.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Understanding {
    /// A name of at most four words; `None` when no word has an ASCII spelling (E-CREATE-002).
    pub name: Option<Name>,
    /// The heading: the verb and what it acts on, in English with capitals. Empty without words.
    pub title: String,
    /// The category; `development` when no word names one.
    pub category: Category,
    /// Three to eight tags, lowercase, each once.
    pub tags: Vec<String>,
    pub archetype: Archetype,
    /// Every kind of work a word speaks for, strongest first; the first is [`Self::archetype`].
    pub scores: Vec<Score>,
    /// The verb in its base form and own language, both words of one like "roll back".
    pub verb: Option<String>,
    /// What the work is done to, as written, without its article; empty when the description does not say.
    pub object: String,
    /// The work in a few words that can follow "how to", in the language of the description.
    pub task: String,
    /// The task with where, from what or for what: "convert CSV files to JSON".
    pub deed: String,
    /// By what means ("regex patterns"), as written.
    pub technique: Option<String>,
    /// Everything else that is said, by role, in order; later sentences too, but the one that says when.
    pub facts: Vec<Fact>,
    /// Tools that are named, as written.
    pub tools: Vec<String>,
    /// Other words people use for the subject.
    pub also: Vec<String>,
    /// The field of work, where the words belong to one.
    pub domain: Option<&'static str>,
    /// The language of the description.
    pub language: Language,
    /// Why all this was concluded.
    pub because: Vec<Reason>,
}

impl Understanding {
    /// What has this role, several joined by semicolons; empty when nothing has.
    #[must_use]
    pub fn said(&self, role: Role) -> String {
        facts::of(&self.facts, role)
    }
}

/// Reads a description. Never fails; what the words do not say stays empty or general.
#[must_use]
pub fn understand(description: &str) -> Understanding {
    let line = names_spelled(&one_line(description));
    let all = words(&line);
    let language = language::language(&line, &all);
    let mut every = sentences(&line).into_iter().map(|sentence| {
        let plain = impersonal(sentence, language);
        let words = words(&plain);
        (plain, words)
    });
    let (sentence, first) = every.find(|(_, words)| !words.is_empty()).unwrap_or_default();
    let sentence = &*sentence;
    let clause = Clause::of(&first, language);
    let subject = first.get(clause.skipped..).unwrap_or_default();

    let found = category::category(subject).or_else(|| category::category(&all));
    let category = found.as_ref().map_or(Category::Development, |found| found.0);
    let mut facts = facts::facts(sentence, &first, &clause, language);
    let later = every.filter(|(sentence, words)| !words.is_empty() && !has_trigger(sentence));
    facts.extend(later.map(|(sentence, words)| facts::stated(&sentence, &words)));
    let about = facts::about(&first, &facts);
    let telling = about.iter().skip(clause.skipped).filter(|word| !empty(word.key())).count();
    let about = if telling > 1 && !clause.object_keys.is_empty() { about } else { first.clone() };
    let core = about.get(clause.skipped..).unwrap_or_default();
    let scores = archetype::scores(&clause, subject, core);
    let archetype = scores.first().map_or(Archetype::General, |score| score.archetype);
    let (name, chosen, name_why) = naming::naming(&about, &clause, language);
    let domain = vocabulary::domain(subject);
    let tools = vocabulary::tools(&line, &all);
    let also = vocabulary::also(core, language);
    let tags =
        tagging::tagging(&about, &clause, archetype, category, found.is_some(), domain.as_ref().map(|found| found.0));
    let object = if clause.object.is_empty() { clause.place_object.clone() } else { clause.object.clone() };
    let task = task(&clause, archetype, language);
    let place = if clause.object.is_empty() { "" } else { clause.place.as_str() };
    let deed = format!("{task} {place}").trim_end().to_owned();

    let mut understood = Understanding {
        title: heading::heading(&clause, &chosen, &task, language),
        verb: clause.verb.as_ref().map(clause::Action::whole),
        technique: clause.technique.clone(),
        name,
        category,
        tags,
        archetype,
        scores,
        object,
        task,
        deed,
        facts,
        tools,
        also,
        domain: domain.as_ref().map(|found| found.0),
        language,
        because: Vec::new(),
    };
    understood.because = because(
        &understood,
        &name_why,
        found.map(|found| found.1),
        &domain.map(|found| found.1.join(", ")).unwrap_or_default(),
    );
    understood
}

/// The language a text is written in, as [`understand`] takes it.
pub(crate) fn language_of(text: &str) -> Language {
    let line = one_line(text);
    language::language(&line, &words(&line))
}

/// Every conclusion with the words it rests on.
fn because(
    understood: &Understanding,
    name_why: &str,
    category_word: Option<String>,
    domain_words: &str,
) -> Vec<Reason> {
    let word = |word: &str| format!("the word \"{word}\"");
    let mut reasons: Vec<Reason> = Vec::new();
    let mut add = |about, concluded: &str, from: String| {
        if !concluded.is_empty() {
            reasons.push(Reason { about, concluded: concluded.to_owned(), from });
        }
    };
    add("language", understood.language.code(), "its short words, letters and verbs".to_owned());
    add("verb", understood.verb.as_deref().unwrap_or_default(), "the first word that is done".to_owned());
    add("object", &understood.object, "what follows the verb".to_owned());
    for fact in &understood.facts {
        add(fact.role.word(), &fact.text, format!("\"{}\"", fact.from));
    }
    add("tools", &understood.tools.join(", "), "names of tools, and what stands in backticks".to_owned());
    add("domain", understood.domain.unwrap_or_default(), format!("\"{domain_words}\""));
    let deciding = understood.scores.first().map(|score| score.words.join("\", \"")).unwrap_or_default();
    add("archetype", understood.archetype.word(), format!("\"{deciding}\""));
    add("name", &understood.name.as_ref().map_or_else(|| "none".to_owned(), Name::to_string), name_why.to_owned());
    let category = category_word.map_or_else(|| "no word that names another category".to_owned(), |found| word(&found));
    add("category", understood.category.word(), category);
    add(
        "tags",
        &understood.tags.join(", "),
        "the words of the first sentence, the archetype, the category and the domain".to_owned(),
    );
    add("also", &understood.also.join(", "), "what people also call the subject".to_owned());
    reasons
}

/// What is done, as an infinitive without "to", in the language of the description.
fn task(clause: &Clause, archetype: Archetype, language: Language) -> String {
    let what = if clause.object.is_empty() { &clause.place } else { &clause.whole };
    let verb = match (&clause.verb, clause.also) {
        (Some(verb), Some(also)) => {
            let and = match language {
                Language::En => "and",
                Language::Pt => "e",
                Language::Es => "y",
            };
            format!("{} {and} {also}", verb.whole())
        }
        (Some(verb), None) => verb.whole(),
        (None, _) => match (language, archetype) {
            (Language::En, Archetype::General) => "handle",
            (Language::En, _) => "carry out",
            (_, Archetype::General) => "tratar",
            _ => "realizar",
        }
        .to_owned(),
    };
    match (what.is_empty(), language) {
        (false, _) => {
            let what = if clause.verb.is_none() { lowered(what) } else { what.clone() };
            format!("{verb} {what} {}", clause.tail).trim_end().to_owned()
        }
        (true, Language::En) => format!("{verb} the request"),
        (true, Language::Pt) => format!("{verb} o pedido"),
        (true, Language::Es) => format!("{verb} la solicitud"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(text: &str) -> Option<String> {
        understand(text).name.map(|name| name.to_string())
    }

    #[test]
    fn descriptions_give_the_names_people_expect() {
        for (text, name) in [
            ("Validate email addresses using regex patterns", "validate-email-addresses"),
            ("Validate email with improved patterns", "validate-email-patterns"),
            ("Run Jest tests with coverage reporting", "run-jest-tests"),
            ("Validate email using regex", "validate-email-regex"),
            ("Validate email regex", "validate-email-regex"),
            ("Skill for code refactoring with inline comments", "code-refactoring-comments"),
            ("Database migration skill", "database-migration"),
            ("Authentication skill", "authentication-skill"),
            ("Applies Chain-of-Thought (CoT) for step-by-step reasoning in complex tasks", "chain-of-thought"),
            ("Code Review!", "code-review"),
            ("API Docs v2", "api-docs-v2"),
            ("Uma skill para padronizar commits seguindo conventional commits", "conventional-commits"),
            ("Deploy application to AWS Lambda", "deploy-application-aws"),
            ("Review pull requests for security issues", "review-pull-requests"),
            ("Generate API documentation from OpenAPI specs", "generate-api-documentation"),
            ("Format Python code with black and lint with ruff", "format-python-code"),
            ("Padroniza code reviews seguindo boas práticas", "padronizar-code-reviews"),
            ("snake_case naming helper", "snake-case-naming"),
            ("-- weird -- leading hyphens --", "weird-leading-hyphens"),
            ("Generate database migrations; handle rollback", "generate-database-migrations"),
            ("C++ & C# interop", "cpp-csharp-interop"),
            ("Please create a skill that reviews Dockerfiles. Use when asked.", "review-dockerfiles"),
            ("Helps you act as a reviewer of pull requests", "reviewer-pull-requests"),
            ("Help me", "help-me"),
        ] {
            assert_eq!(named(text).as_deref(), Some(name), "{text}");
        }
    }

    #[test]
    fn every_odd_text_gives_a_valid_name_or_none() {
        assert_eq!(named(&"a".repeat(70)), Some("a".repeat(64)));
        assert_eq!(named("Kotlin 1.x e 2.x fundamentals").as_deref(), Some("kotlin-1x-2x"));
        for text in ["!!!", "日本語のスキル", "", "🎉 🎉", "()"] {
            assert_eq!(named(text), None, "{text}");
        }
    }

    #[test]
    fn titles_are_written_as_in_the_description() {
        assert_eq!(understand("Generate API documentation from OpenAPI specs").title, "Generate API Documentation");
        assert_eq!(understand("Run jest tests").title, "Run Jest Tests");
    }

    #[test]
    fn categories_archetypes_and_tags_come_from_the_words() {
        let email = understand("Validate email addresses using regex patterns");
        assert_eq!((email.category, email.archetype), (Category::Development, Archetype::Validate));
        assert_eq!(email.tags, ["email-addresses", "regex", "patterns", "validation"]);
        assert_eq!(email.task, "validate email addresses");
        for (text, category, archetype) in [
            ("Run Jest tests with coverage reporting", Category::Testing, Archetype::Test),
            ("Deploy application to AWS Lambda", Category::Devops, Archetype::Deploy),
            ("Run `cargo fmt` and fix lints", Category::Development, Archetype::WrapCliTool),
            ("Database migration skill", Category::Development, Archetype::Migrate),
            ("Code Review!", Category::Review, Archetype::Review),
            ("Convert CSV files to JSON", Category::Development, Archetype::Convert),
            ("Format Python code with black", Category::Development, Archetype::Refactor),
            ("Gera documentação da API", Category::Documentation, Archetype::Generate),
            ("Authentication skill", Category::Security, Archetype::General),
        ] {
            let found = understand(text);
            assert_eq!((found.category, found.archetype), (category, archetype), "{text}");
        }
    }

    #[test]
    fn every_conclusion_has_a_reason() {
        let about: Vec<_> = understand("Review pull requests").because.iter().map(|reason| reason.about).collect();
        for expected in ["language", "verb", "object", "archetype", "name", "category", "tags"] {
            assert!(about.contains(&expected), "{expected}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_understood(text in "\\PC{0,120}") {
            let found = understand(&text);
            assert!((3..=8).contains(&found.tags.len()), "{:?}", found.tags);
            assert!(found.tags.iter().all(|tag| found.tags.iter().filter(|other| *other == tag).count() == 1));
            assert_eq!(found, understand(&text));
            if let Some(name) = found.name {
                assert_eq!(Name::parse(name.as_str()), Ok(name));
            }
        }
    }
}
