//! Understanding a description: name, category, tags and kind of work from its words alone.
//!
//! The same words always give the same answer, and every conclusion says which word it rests on.

mod archetype;
mod category;
mod clause;
mod introduction;
mod language;
mod naming;
mod stopwords;
mod tagging;
mod verbs;
mod words;

pub use archetype::Archetype;
pub use category::Category;
pub(crate) use clause::{Clause, lowered};
pub use language::Language;
pub(crate) use stopwords::empty;
pub(crate) use verbs::{Form, english, romance, third};
pub(crate) use words::{Word, one_line, sentences, words};

use serde::Serialize;

use super::Name;
use super::name::titled;

/// One conclusion and what it rests on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Reason {
    /// What was concluded: `name`, `category`, `archetype`, `language`, `tags`.
    pub about: &'static str,
    /// The conclusion.
    pub concluded: String,
    /// What in the description led to it.
    pub from: String,
}

/// What was understood of a description.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Understanding {
    /// A name of at most four words; `None` when no word has an ASCII spelling (E-CREATE-002).
    pub name: Option<Name>,
    /// The heading: the words of the name as they were written, each with a capital. Empty without words.
    pub title: String,
    /// The category; `development` when no word names one.
    pub category: Category,
    /// Three to eight tags, lowercase, each once.
    pub tags: Vec<String>,
    /// The kind of work.
    pub archetype: Archetype,
    /// The verb in its base form and own language.
    pub verb: Option<String>,
    /// What the work is done to, as written; empty when the description does not say.
    pub object: String,
    /// The work in a few words that can follow "how to", in English where the description is.
    pub task: String,
    /// The task with where, from what or for what: "convert CSV files to JSON".
    pub deed: String,
    /// By what means ("regex patterns"), as written.
    pub technique: Option<String>,
    /// The language of the description.
    pub language: Language,
    /// Why all this was concluded.
    pub because: Vec<Reason>,
}

/// Reads a description. Never fails; what the words do not say stays empty or general.
#[must_use]
pub fn understand(description: &str) -> Understanding {
    let line = one_line(description);
    let all = words(&line);
    let first = sentences(&line).into_iter().map(words).find(|words| !words.is_empty()).unwrap_or_default();
    let clause = Clause::of(&first);
    let subject = first.get(clause.skipped..).unwrap_or_default();

    let language = language::language(&line);
    let (name, chosen, name_why) = naming::naming(&first, &clause);
    let found = category::category(subject).or_else(|| category::category(&all));
    let category = found.as_ref().map_or(Category::Development, |found| found.0);
    let (archetype, kind_why) = archetype::archetype(&clause, subject);
    let tags = tagging::tagging(&first, &clause, archetype, category, found.is_some());
    let object = if clause.object.is_empty() { clause.place_object.clone() } else { clause.object.clone() };
    let task = task(&clause, archetype, &object, language);

    let place = if clause.object.is_empty() { "" } else { clause.place.as_str() };
    let deed = format!("{task} {place}").trim_end().to_owned();

    let quoted =
        |word: Option<String>, none: &str| word.map_or_else(|| none.to_owned(), |word| format!("the word \"{word}\""));
    let reason = |about, concluded: String, from: String| Reason { about, concluded, from };
    let because = vec![
        reason("name", name.as_ref().map_or_else(|| "none".to_owned(), Name::to_string), name_why),
        reason(
            "category",
            category.to_string(),
            quoted(found.map(|found| found.1), "no word that names another category"),
        ),
        reason("archetype", archetype.to_string(), quoted(kind_why, "no word that names a kind of work")),
        reason("tags", tags.join(", "), "the words of the first sentence, the archetype and the category".to_owned()),
        reason("language", language.code().to_owned(), "its short words, letters and verbs".to_owned()),
    ];
    Understanding {
        title: chosen.iter().map(|word| titled(word)).collect::<Vec<_>>().join(" "),
        verb: clause.verb.as_ref().map(|verb| verb.base.to_owned()),
        technique: clause.technique.clone(),
        name,
        category,
        tags,
        archetype,
        object,
        task,
        deed,
        language,
        because,
    }
}

/// What is done, for "How to …" and "asks to …".
fn task(clause: &Clause, archetype: Archetype, object: &str, language: Language) -> String {
    let what = if clause.object.is_empty() { clause.place.as_str() } else { object };
    let english = clause.verb.as_ref().filter(|verb| verb.third.is_none());
    let verb = match (english, clause.also) {
        (Some(verb), Some(also)) => format!("{} and {also}", verb.base),
        (Some(verb), None) => verb.base.to_owned(),
        (None, _) if clause.verb.is_some() && language != Language::En => spoken(archetype).to_owned(),
        (None, _) => "handle".to_owned(),
    };
    if what.is_empty() {
        format!("{verb} the request")
    } else {
        format!("{verb} {}", if clause.verb.is_none() { lowered(what) } else { what.to_owned() })
    }
}

/// The English verb of a kind of work, for descriptions in another language.
fn spoken(archetype: Archetype) -> &'static str {
    match archetype {
        Archetype::Validate => "validate",
        Archetype::Generate => "generate",
        Archetype::Review => "review",
        Archetype::Test => "test",
        Archetype::Deploy => "deploy",
        Archetype::Convert => "convert",
        Archetype::Document => "document",
        Archetype::Refactor => "improve",
        Archetype::Analyse => "analyse",
        Archetype::WrapCliTool => "run",
        Archetype::Workflow | Archetype::General => "handle",
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
            ("Padroniza code reviews seguindo boas práticas", "padroniza-code-reviews"),
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
            ("Database migration skill", Category::Development, Archetype::Convert),
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
        assert_eq!(about, ["name", "category", "archetype", "tags", "language"]);
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
