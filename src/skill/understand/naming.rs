//! The name of a skill from the words of its first sentence.

use super::clause::{Action, Clause};
use super::facts::Role;
use super::idioms::CLAUSES;
use super::leads::lead;
use super::stopwords::empty;
use super::verbs::{self, Form};
use super::words::Word;
use super::{Archetype, Language};
use crate::skill::Name;
use crate::skill::name::fold;

/// How many words a name has: enough to tell skills apart, few enough to type.
const WORDS: usize = 3;
/// How many words a name may have when its object is a compound.
const MOST: usize = 4;

/// The chosen words in their written form, the name they make, and what decided.
pub(super) fn naming(words: &[Word], clause: &Clause, language: Language) -> (Option<Name>, Vec<String>, String) {
    let rest = words.get(clause.skipped..).unwrap_or_default();
    let said = clause
        .verb
        .as_ref()
        .and_then(|verb| verb.particle)
        .filter(|particle| particle.contains(' '))
        .unwrap_or_default();
    let idle = |word: &Word| said.split(' ').any(|part| part == word.key());
    let content: Vec<&Word> = rest.iter().filter(|word| !empty(word.key()) && !idle(word) && !is_user(word)).collect();
    if let Some(first) = content.first().filter(|first| is_term(first)) {
        return made(std::slice::from_ref(&first.parts), vec![first.text.clone()], "a hyphenated term stands alone");
    }
    if restated(clause) {
        let chosen: Vec<&&Word> =
            content.iter().filter(|word| clause.technique_keys.iter().any(|key| key == word.key())).collect();
        let from = chosen.len().saturating_sub(clause.technique_keys.len());
        let parts: Vec<_> = chosen.iter().skip(from).map(|word| word.parts.clone()).collect();
        let texts = chosen.iter().skip(from).map(|word| word.text.clone()).collect();
        return made(&parts, texts, "the standard that is followed names the subject");
    }
    let (chosen, why) = chosen(words, clause, language, &content);
    let (mut parts, mut texts): (Vec<Vec<String>>, Vec<String>) = (Vec::new(), Vec::new());
    for word in chosen {
        let so_far: usize = parts.iter().map(Vec::len).sum();
        if so_far > 0 && so_far + word.parts.len() > MOST {
            break;
        }
        let base = clause.verb.as_ref().filter(|verb| parts.is_empty() && inflected(verb, clause) && leads(word));
        let base = base.map(|verb| verb.named.unwrap_or(verb.base));
        texts.push(base.map_or_else(|| word.text.clone(), str::to_owned));
        parts.push(base.map_or_else(|| word.parts.iter().take(MOST).cloned().collect(), |base| vec![fold(base)]));
    }
    match parts.iter().map(Vec::len).sum() {
        0 => {
            let left: Vec<&Word> = words.iter().take(MOST).collect();
            let texts = left.iter().map(|word| word.text.clone()).collect();
            made(&left.iter().map(|word| word.parts.clone()).collect::<Vec<_>>(), texts, "nothing but common words")
        }
        1 => {
            parts.push(vec!["skill".to_owned()]);
            made(&parts, texts, "one word that says something")
        }
        _ => made(&parts, texts, why),
    }
}

/// Whether the verb is not written as the name has it.
fn inflected(verb: &Action, clause: &Clause) -> bool {
    let introduced = verb.form == Form::Gerund && clause.skipped > 0;
    verb.form == Form::Third || introduced || verb.third.is_some() || verb.named.is_some()
}

/// The words of the name: the verb and its object; words of what follows only where the verb has no object, or where
/// they name a form, a tool, the means or the topic of an object of one word. Without a verb, the first that say
/// something.
fn chosen<'a>(
    words: &'a [Word],
    clause: &Clause,
    language: Language,
    content: &[&'a Word],
) -> (Vec<&'a Word>, &'static str) {
    let plain = (fitting(content), "the first words that say something");
    let Some(verb) = clause.verb.as_ref().filter(|_| !clause.object_keys.is_empty()) else { return plain };
    let begins = words
        .iter()
        .skip(clause.skipped)
        .position(|word| clause.object_keys.first().is_some_and(|key| key == word.key()));
    let Some(begins) = begins.map(|at| at + clause.skipped) else { return plain };
    let said = |word: &&Word| !empty(word.key()) && !is_count(word) && !is_owner(word);
    let particle =
        verb.particle.filter(|particle| !particle.contains(' ') && verb.named.is_none() && !CLAUSES.contains(particle));
    let acting: Vec<&Word> = words
        .get(clause.skipped..begins)
        .unwrap_or_default()
        .iter()
        .enumerate()
        .filter(|(i, word)| {
            *i == 0 || (*i == 1 && particle.is_some()) || (verb.named.is_none() && clause.also == Some(word.key()))
        })
        .map(|(_, word)| word)
        .collect();
    let ends = (begins + clause.object_keys.len()).min(words.len());
    let whole = words.get(begins..ends).unwrap_or_default();
    // "every message follows a convention": a clause ends what it is about.
    let clause_ends = whole.iter().skip(1).position(|word| {
        verb.named == Some("ensure")
            && verbs::english(word.key()).is_none_or(|verb| verb.form == Form::Third)
            && word.text.ends_with('s')
    });
    let whole = whole.get(..clause_ends.map_or(whole.len(), |at| at + 1)).unwrap_or(whole);
    let whole = whole.get(..first_of_list(whole)).unwrap_or(whole);
    let mut object: Vec<&Word> = whole.iter().filter(said).collect();
    let room = MOST.saturating_sub(acting.len()).max(1);
    while object.iter().map(|word| word.parts.len()).sum::<usize>() > room && object.len() > 1 {
        // English says what a thing is last, Portuguese and Spanish first.
        object = if language == Language::En { object.split_first() } else { object.split_last() }
            .map_or_else(Vec::new, |(_, rest)| rest.to_vec());
    }
    if object.is_empty() {
        return plain;
    }
    if object.len() == 1 {
        let left = WORDS.saturating_sub(acting.len() + 1);
        object.extend(telling(words, clause.object_end, language, clause, left));
    }
    (acting.into_iter().chain(object).collect(), "the verb and what it acts on")
}

/// How many words of an object of several things say the first: "tests and docs", but all of "build and test pipelines".
fn first_of_list(object: &[Word]) -> usize {
    let and = object.iter().position(|word| word.is_any(&["and", "or", "e", "y", "ou", "o"]));
    let comma = object.iter().position(|word| word.closes).map(|at| at + 1);
    match (and, comma) {
        (_, Some(comma)) if comma > 1 && comma < object.len() => comma,
        // "IBAN y BIC"
        (Some(and), _) if object.get(and + 1).is_some_and(|word| word.text.chars().all(char::is_uppercase)) => {
            object.len()
        }
        (Some(and), None) if and > 1 => and,
        _ => object.len(),
    }
}

/// What follows an object of one word and tells it from others: names, the means, the topic.
fn telling<'a>(words: &'a [Word], from: usize, language: Language, clause: &Clause, left: usize) -> Vec<&'a Word> {
    let mut found: Vec<&Word> = Vec::new();
    let mut role = None;
    for (at, word) in words.iter().enumerate().skip(from) {
        if let Some(lead) = lead(words, at, language, clause.kind()) {
            if !found.is_empty() {
                break;
            }
            role = Some(lead.role);
        }
        let named = word.text.chars().any(char::is_uppercase) || word.text.contains('`');
        let deployed = clause.kind() == Some(Archetype::Deploy) && matches!(role, Some(Role::Result | Role::Scope));
        let wanted =
            named || deployed || (matches!(role, Some(Role::Means | Role::Topic | Role::Purpose)) && !leads(word));
        if wanted && !empty(word.key()) && !is_count(&word) && !is_owner(&word) {
            found.push(word);
        } else if !found.is_empty() && !empty(word.key()) {
            break;
        }
    }
    let skipped =
        if role == Some(Role::Topic) && language == Language::En { found.len().saturating_sub(left.max(2)) } else { 0 };
    let left = if role == Some(Role::Topic) { left.max(2) } else { left };
    found.into_iter().skip(skipped).take(left).collect()
}

/// "the user", as a sentence without its first person has it.
fn is_user(word: &Word) -> bool {
    word.is_any(&["user"]) && word.text == "user"
}

/// "company's": whose it is stands in no name.
fn is_owner(word: &&Word) -> bool {
    let text = word.text.as_str();
    ["'s", "\u{2019}s"].iter().any(|end| text.ends_with(end))
}

/// The first three words that say something; a compound counts by its parts.
fn fitting<'a>(content: &[&'a Word]) -> Vec<&'a Word> {
    let mut taken = 0;
    content
        .iter()
        .copied()
        .take_while(|word| {
            let room = taken < WORDS;
            taken += word.parts.len();
            room
        })
        .collect()
}

fn made(parts: &[Vec<String>], texts: Vec<String>, why: &str) -> (Option<Name>, Vec<String>, String) {
    (Name::of_words(parts.iter().flatten().map(String::as_str)), texts, why.to_owned())
}

fn leads(word: &Word) -> bool {
    let key = word.key();
    verbs::english(key).is_some() || verbs::romance(key).is_some() || verbs::command(key).is_some()
}

fn is_count(word: &&Word) -> bool {
    word.key().bytes().all(|b| b.is_ascii_digit())
}

/// `Chain-of-Thought`: a proper name of three parts or more.
fn is_term(word: &Word) -> bool {
    word.parts.len() >= 3 && word.text.contains('-') && word.text.starts_with(|c: char| c.is_uppercase())
}

/// Whether the means repeats the object more precisely: "commits following conventional commits".
fn restated(clause: &Clause) -> bool {
    clause.technique_keys.len() > 1
        && clause.technique_keys.len() <= MOST
        && !clause.object_keys.is_empty()
        && clause.technique_keys.last() == clause.object_keys.last()
}

#[cfg(test)]
mod tests {
    use super::super::understand;

    #[test]
    fn a_name_is_the_verb_and_what_it_acts_on() {
        for (sentence, name) in [
            ("Watch my server logs and alert me when errors spike", "watch-server-logs"),
            ("Draft replies to customer complaints in a polite tone", "draft-replies-customer-complaints"),
            ("Answer questions about our company's travel policy", "answer-questions-travel-policy"),
            ("Keep our CHANGELOG up to date from merged pull requests", "update-changelog"),
            ("Make sure that every commit message follows a convention", "ensure-commit-message"),
            ("Look after our Kubernetes cluster", "look-after-kubernetes-cluster"),
            ("A skill for reviewing pull requests and labelling them", "review-pull-requests"),
            ("Release the shop to production", "release-shop-production"),
            ("Run build and test pipelines", "run-build-test-pipelines"),
            ("Preciso que você gere contratos de aluguel", "gerar-contratos-aluguel"),
            ("Mantenha o README atualizado a cada release", "atualizar-readme"),
            ("Limpe e padronize os endereços do cadastro", "limpar-enderecos-cadastro"),
            ("Quiero que analices los registros del servidor", "analizar-registros-servidor"),
            ("Diseña carteles para eventos", "disenar-carteles-eventos"),
        ] {
            let found = understand(sentence).name.map(|name| name.to_string());
            assert_eq!(found.as_deref(), Some(name), "{sentence}");
        }
    }
}
