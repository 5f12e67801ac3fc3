//! Verbs of several words: "keep an eye on", "make sure that", "let … know", "keep … up to date".

use super::clause::{Action, phrase};
use super::leads::verb_at;
use super::words::Word;
use super::{Archetype, Language};

/// Reads on after the verb at the beginning of `rest`, of which `at` words are read; gives how many are then.
pub(super) fn read(verb: &mut Action, rest: &[Word], mut at: usize) -> usize {
    let near = |at: usize, list: &[&str]| rest.get(at).is_some_and(|word| word.is_any(list));
    let says = |words: &[&str]| words.iter().zip(1..).all(|(said, i)| near(i, &[*said]));
    if verb.base == "keep" && says(&["an", "eye", "on"]) {
        (verb.particle, verb.archetype) = (Some("an eye on"), Archetype::Monitor);
        return 4;
    }
    if verb.base == "let" && says(&["the", "user", "know"]) {
        (verb.particle, verb.named, verb.archetype) = (Some("the user know"), Some("notify"), Archetype::Monitor);
        return 4;
    }
    // "Alert the user when …": whom the skill speaks to is no part of the work.
    at += told(rest, at, verb);
    // "Check whether …", "verifique se …": the verb goes on with a clause.
    let checks = matches!(verb.archetype, Archetype::Validate | Archetype::Test);
    if at == 1 && verb.particle.is_none() && checks && rest.len() > at + 2 {
        verb.particle = CLAUSES.iter().find(|said| near(at, &[**said])).copied();
        at += usize::from(verb.particle.is_some());
    }
    match (verb.base, verb.particle) {
        ("keep", Some("track")) => {
            (verb.named, verb.particle) = (Some("track"), Some("track of"));
            at + usize::from(near(at, &["of"]))
        }
        // "Make sure that every …": what follows is the matter.
        ("make", Some("sure")) => {
            verb.named = Some("ensure");
            at + usize::from(near(at, &["that"]) && rest.len() > at + 1)
        }
        _ => at,
    }
}

/// What is kept and what it is to be: the list, "up to date". Nothing for other verbs and objects.
pub(super) fn kept<'w>(verb: &mut Action, object: &'w [Word], language: Language) -> Option<(&'w [Word], &'w [Word])> {
    if !["keep", "bring", "manter", "mantener"].contains(&verb.base) {
        return None;
    }
    let (bare, state) = match object {
        // "mantén actualizado el inventario"
        [first, rest @ ..] if agreeing(first) && !rest.is_empty() => (rest, object.get(..1).unwrap_or_default()),
        _ => object.split_at(object.len() - current(object)),
    };
    if state.is_empty() || bare.is_empty() {
        return None;
    }
    (verb.archetype, verb.named) = (Archetype::Refactor, Some(updating(language)));
    Some((bare, state))
}

/// Words that a verb of checking goes on with.
pub(super) const CLAUSES: &[&str] = &["if", "whether", "that", "se", "si", "que"];

/// How many words say whom the verb speaks to: "alert the user", "avisar o usuário", "avisar al usuario".
fn told(rest: &[Word], at: usize, verb: &Action) -> usize {
    let tells = ["alert", "notify", "remind", "tell", "warn", "inform", "ask", "show", "teach", "avisar", "alertar"]
        .contains(&verb.base);
    match rest.get(at..at + 2) {
        _ if rest.get(at).is_some_and(|word| word.is_any(&["me", "us"])) => 1,
        Some([article, user]) if tells && article.is_any(&["the", "o", "al"]) && user.is_any(&["user", "usuario"]) => 2,
        _ => 0,
    }
}

/// How many words at the end say that the object is as it should be: "up to date", "em dia", "actualizados".
fn current(object: &[Word]) -> usize {
    let last = |n: usize| object.len().checked_sub(n).and_then(|from| object.get(from..)).unwrap_or_default();
    let said = |n: usize, words: &[&str]| last(n).iter().map(Word::key).eq(words.iter().copied());
    let agrees = object.last().is_some_and(agreeing);
    match () {
        () if said(3, &["up", "to", "date"]) => 3,
        () if said(2, &["in", "sync"]) || said(2, &["em", "dia"]) || said(2, &["al", "dia"]) => 2,
        () if said(1, &["current"]) || said(1, &["up-to-date"]) || agrees => 1,
        () => 0,
    }
}

/// "atualizado", "actualizadas": current, in the gender and number of a noun.
fn agreeing(word: &Word) -> bool {
    ["atualizad", "actualizad", "sincronizad"].iter().any(|stem| word.key().starts_with(stem))
}

/// To make something current, in one word.
fn updating(language: Language) -> &'static str {
    match language {
        Language::En => "update",
        Language::Pt => "atualizar",
        Language::Es => "actualizar",
    }
}

/// "replies to customer complaints": nouns that are about another take it along.
pub(super) fn related<'w>(
    rest: &'w [Word],
    at: usize,
    object: &[Word],
    language: Language,
    kind: Option<Archetype>,
) -> Option<&'w [Word]> {
    const RELATED: &[&str] = &[
        "reply", "replies", "answer", "answers", "response", "responses", "guide", "guides", "introduction",
        "introductions", "changes", "access", "edits", "improvements", "updates", "comments", "objections",
        "alternatives", "comparison", "contrast",
    ];
    let head = object.last().filter(|_| language == Language::En)?;
    let end = at + object.len();
    let to = rest.get(end)?.is_any(&["to"]) && head.is_any(RELATED) && !head.closes;
    let beyond = if to { phrase(rest, end + 1, language, kind) } else { return None };
    let said = !beyond.is_empty() && !verb_at(rest, end + 1, language);
    rest.get(at..end + 1 + beyond.len()).filter(|_| said)
}
