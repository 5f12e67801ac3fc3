//! How sentences from daily work are parsed. `fixtures/sentence` has them with reviewed results: a head (`+`) and
//! clauses (`-`) with verb and object, rules (`!`), occasion (`@`), description (`=`).

use std::collections::BTreeMap;
use std::fmt::Write;

use super::*;
use crate::skill::name::fold;

const FILES: [&str; 3] = [
    include_str!("../../../fixtures/sentence/en.txt"),
    include_str!("../../../fixtures/sentence/pt.txt"),
    include_str!("../../../fixtures/sentence/es.txt"),
];

fn given() -> impl Iterator<Item = &'static str> {
    FILES.iter().flat_map(|file| file.lines()).filter_map(|line| line.strip_prefix("# "))
}

fn reviewed(text: &str) -> String {
    let found = read(text);
    let mut out = format!("# {text}\n");
    let heads = found.head.iter().map(|head| ('+', head));
    for (mark, one) in heads.chain(found.clauses.iter().map(|clause| ('-', clause))) {
        let verb = one.verb.as_deref().unwrap_or("?");
        writeln!(out, "{mark} {} | {verb} | {}", one.text, one.object).unwrap();
    }
    found.rules.iter().for_each(|rule| writeln!(out, "! {rule}").unwrap());
    found.occasion.iter().for_each(|said| writeln!(out, "@ {said}").unwrap());
    writeln!(out, "= {}", describe(&found, &[])).unwrap();
    out
}

#[test]
fn every_sentence_is_read_as_it_was_reviewed() {
    let wrong: Vec<String> = FILES
        .iter()
        .flat_map(|file| file.trim_end().split("\n\n"))
        .filter_map(|block| {
            let text = block.lines().next()?.strip_prefix("# ")?;
            let found = reviewed(text);
            (found.trim_end() != block).then(|| format!("{block}\n  is read as\n{found}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(given().count() >= 120);
}

/// The significant words of a text with repetitions; verbs in their base form.
fn said<'t>(texts: impl IntoIterator<Item = &'t str>, language: Language) -> BTreeMap<String, usize> {
    let mut found = BTreeMap::new();
    for word in texts.into_iter().flat_map(words).filter(|word| !empty(word.key())) {
        let base = verb::met(std::slice::from_ref(&word), language).map(|met| fold(&met.verb.base).to_lowercase());
        let parts = base.map_or_else(|| word.parts.clone(), |base| vec![base]);
        for part in parts.into_iter().filter(|part| part.len() > 2 && !empty(part) && part != "user" && part != "team")
        {
            *found.entry(part).or_insert(0) += 1;
        }
    }
    found
}

/// The words of a description that are in no clause, rule or occasion.
fn lost(text: &str, found: &Sentence) -> Vec<String> {
    // Words that only introduce a description.
    const INTRODUCES: &[&str] = &["want", "skill", "querer", "quiero", "precisar", "preciso", "voce"];
    let clauses = found.head.iter().chain(&found.clauses).map(|clause| clause.text.as_str());
    let kept = clauses.chain(found.rules.iter().map(String::as_str)).chain(found.occasion.as_deref());
    let kept = kept.chain(found.question.as_deref());
    let kept = said(kept, found.language);
    said([text], found.language)
        .into_keys()
        .filter(|word| !kept.contains_key(word) && !INTRODUCES.contains(&word.as_str()))
        .collect()
}

#[test]
fn no_word_of_a_sentence_is_lost_and_none_stands_in_two_clauses() {
    let mut noticed = 0;
    let mut wrong: Vec<String> = Vec::new();
    for text in given() {
        let found = read(text);
        wrong.extend(lost(text, &found).iter().map(|word| format!("{text} lost {word}")));
        let heads = found.head.iter().map(|head| head.text.as_str());
        let clauses: Vec<&str> = heads.chain(found.clauses.iter().map(|clause| clause.text.as_str())).collect();
        let whole = said([text], found.language);
        let shared = found.clauses.windows(2).any(|two| !two[0].object.is_empty() && two[0].object == two[1].object);
        for (word, count) in said(clauses, found.language).into_iter().filter(|_| !shared) {
            if count > whole.get(&word).copied().unwrap_or(1) {
                wrong.push(format!("{text} says {word} {count} times"));
            }
        }
        // The comparison detects losses: without its last clause a sentence has lost words.
        let mut cut = found.clone();
        cut.clauses.pop();
        noticed += usize::from(!lost(text, &cut).is_empty());
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(noticed * 10 >= given().count() * 9, "{noticed} of {} cuts were seen", given().count());
}

#[test]
fn what_is_described_is_read_alike_and_not_described_again() {
    for text in given() {
        let first = read(text);
        let described = describe(&first, &[]);
        let again = read(&described);
        assert_eq!(describe(&again, &[]), described, "{text}");
        assert_eq!(again.language, first.language, "{text}");
        assert_eq!(read(text), first);
    }
}

#[test]
fn words_of_a_pack_are_what_people_mention() {
    let words = ["AKIA".to_owned(), "leaked key".to_owned()];
    let described = describe(&read("Rotate AWS access keys"), &words);
    let expected =
        "Rotates AWS access keys. Use when the user asks to rotate AWS access keys, or mentions AKIA, leaked key.";
    assert_eq!(described, expected);
}

#[test]
fn names_are_the_verb_and_what_it_acts_on() {
    for (text, name) in [
        ("Validate email addresses using regex patterns", "validate-email-addresses"),
        ("Validate email with improved patterns", "validate-email-patterns"),
        ("Run Jest tests with coverage reporting", "run-jest-tests"),
        ("Validate email using regex", "validate-email-regex"),
        ("Validate email regex", "validate-email-regex"),
        ("Skill for code refactoring with inline comments", "code-refactoring-comments"),
        ("Database migration skill", "database-migration"),
        ("Authentication skill", "authentication-skill"),
        ("Onboard new employees in their first two weeks", "onboard-employees"),
        ("Back up our MongoDB every night and test the restore", "back-up-mongodb"),
        ("Track working hours", "track-working-hours"),
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
        ("Draft replies to customer complaints in a polite tone", "draft-replies-customer-complaints"),
        ("Keep our CHANGELOG up to date from merged pull requests", "update-changelog"),
        ("Release the shop to production", "release-shop-production"),
        ("Kotlin 1.x e 2.x fundamentals", "kotlin-1x-2x"),
    ] {
        assert_eq!(read(text).name.map(|name| name.to_string()).as_deref(), Some(name), "{text}");
    }
    for text in ["!!!", "日本語のスキル", "", "🎉 🎉", "()"] {
        assert_eq!(read(text).name, None, "{text}");
    }
}

#[test]
fn kinds_of_work_and_categories_come_from_the_words() {
    for (text, category, archetype) in [
        ("Validate email addresses using regex patterns", Category::Development, Archetype::Validate),
        ("Run Jest tests with coverage reporting", Category::Testing, Archetype::Test),
        ("Deploy application to AWS Lambda", Category::Devops, Archetype::Deploy),
        ("Run `cargo fmt` and fix lints", Category::Development, Archetype::WrapCliTool),
        ("Database migration skill", Category::Development, Archetype::Migrate),
        ("Code Review!", Category::Review, Archetype::Review),
        ("Convert CSV files to JSON", Category::Development, Archetype::Convert),
        ("Format Python code with black", Category::Development, Archetype::Refactor),
        ("Gera documentação da API", Category::Documentation, Archetype::Generate),
        ("Authentication skill", Category::Security, Archetype::General),
        ("Explain a slow query", Category::Development, Archetype::Analyse),
    ] {
        let found = read(text);
        assert_eq!((found.category, found.archetype), (category, archetype), "{text}");
    }
    let email = read("Validate email addresses using regex patterns");
    assert_eq!(email.tags, ["email-addresses", "regex", "patterns", "validation"]);
}

#[test]
fn a_question_how_to_do_something_is_the_task() {
    for (text, title, rules) in [
        (
            "How do I move the photo archive to another disk without losing albums?",
            "Move the photo archive to another disk without losing albums",
            &["Without losing albums."][..],
        ),
        (
            "Como restauro o backup da base de pedidos sem perder registros?",
            "Restaurar o backup da base de pedidos sem perder registros",
            &["Sem perder registros."],
        ),
        (
            "¿Cómo renovamos los certificados del servidor sin cortar el servicio?",
            "Renovar los certificados del servidor sin cortar el servicio",
            &["Sin cortar el servicio."],
        ),
        ("Can you rename the invoices by date?", "Rename the invoices by date", &[]),
    ] {
        let found = read(text);
        assert_eq!(
            (found.title.as_str(), found.rules.as_slice()),
            (title, rules.iter().map(|rule| (*rule).to_owned()).collect::<Vec<_>>().as_slice())
        );
        assert!(!describe(&found, &[]).contains('?'), "{}", describe(&found, &[]));
    }
}

#[test]
fn three_languages_are_told_apart() {
    for (text, expected) in [
        ("Kotlin 1.x e 2.x fundamentals", Language::En),
        ("Genera documentación de la API", Language::Es),
        ("Gera documentação da API", Language::Pt),
        ("日本語", Language::En),
        ("Gere relatórios", Language::Pt),
        ("Revisa contratos de alquiler", Language::Es),
        ("Organize meus recibos por mês", Language::Pt),
        ("Revise contracts of lease", Language::En),
        ("Optimiser les requêtes SQL", Language::En),
    ] {
        assert_eq!(language_of(text), expected, "{text}");
    }
}

#[test]
fn every_file_of_a_language_can_be_read_and_names_known_verbs() {
    for language in Language::ALL {
        let lexicon = language.lexicon();
        assert!(lexicon.text("say", "use_asks").len() > 9, "{language:?}");
        let english = Language::En.lexicon();
        let unknown: Vec<_> = lexicon.verbs().filter(|verb| english.verb(&verb.english).is_none()).collect();
        assert!(unknown.is_empty(), "{unknown:?}");
    }
}

proptest::proptest! {
    #[test]
    fn any_text_is_read(text in "(\\PC|\n|[a-z:,. ]{1,9}){0,60}") {
        let found = read(&text);
        assert!((3..=8).contains(&found.tags.len()), "{:?}", found.tags);
        assert!(found.tags.iter().all(|tag| found.tags.iter().filter(|other| *other == tag).count() == 1));
        let described = describe(&found, &[]);
        assert!(described.chars().count() <= 1024 && has_trigger(&described), "{described}");
        assert!(!described.contains(['<', '>', '\n', '\r']), "{described}");
        let line = one_line(&text);
        assert_eq!(found.clauses.is_empty(), sentences(&names_spelled(&line)).iter().all(|one| words(one).is_empty()));
        if let Some(name) = &found.name {
            assert_eq!(Name::parse(name.as_str()).as_ref(), Ok(name));
        }
        assert_eq!(read(&text), found);
    }
}
