//! The name of a skill from the words of its main clause.

use super::clauses::Part;
use super::language::Language;
use super::said::Said;
use super::words::Word;
use crate::skill::Name;
use crate::skill::name::fold;

/// How many words a name has: enough to tell skills apart, few enough to type.
const WORDS: usize = 3;
/// How many words a name may have when its object is a compound.
const MOST: usize = 4;

/// The name and the words that decided.
pub(super) fn naming(said: &Said, main: Option<&Part>) -> (Option<Name>, &'static str) {
    let made = |parts: &[String], why| (Name::of_words(parts.iter().map(String::as_str)), why);
    let Some(part) = main else { return (None, "no words") };
    let number = |word: &Word| word.key().bytes().all(|b| b.is_ascii_digit());
    let telling = |from: usize, to: usize| -> Vec<&Word> {
        let words = said.words.get(from..to).unwrap_or_default().iter().enumerate();
        // "a 45 minute lesson", "every night", "in two weeks": a measure or a time is no part of a name.
        let lexicon = said.language.lexicon();
        let counted = |word: &Word| number(word) || lexicon.set("counting").contains(word.key());
        let decides =
            |at: &usize| said.words.get(*at).is_some_and(counted) || !lexicon.is("articles", &said.words, *at);
        let before = |at: usize| (0..from + at).rev().find(decides);
        let period =
            |at: usize| said.words.get(from + at).is_some_and(|word| lexicon.set("periods").contains(word.key()));
        let measure = |at: usize| {
            at.checked_sub(1).and_then(|at| said.words.get(from + at)).is_some_and(number)
                || (period(at) && before(at).and_then(|at| said.words.get(at)).is_some_and(counted))
        };
        words.filter(|(at, word)| is_telling(word) && !measure(*at)).map(|(_, word)| word).collect()
    };
    let content = telling(part.from, part.to);
    // "Merge, split and rotate PDFs": the verbs share their object.
    let shared = said.tasks().find(|one| !one.bare()).filter(|_| part.bare()).unwrap_or(part);
    let mut after = telling(shared.after_verb(), shared.to);
    if after.is_empty() {
        let grammar = said.language.lexicon().set("grammar");
        let words = said.words.get(shared.after_verb()..shared.to).unwrap_or_default().iter();
        after = words.filter(|word| !grammar.contains(word.key())).collect();
    }
    if let Some(term) = content.iter().find(|word| term(word)).filter(|term| after.first() == Some(term)) {
        return made(&term.parts, "a hyphenated term stands alone");
    }
    let (from, to) = said.object_words(shared.after_verb(), shared.to);
    let mut object = telling(from, to);
    if object.is_empty() {
        object.extend(after.first());
    }
    if let Some(standard) = restated(&object, &telling(to, shared.to)) {
        return made(&standard, "the standard that is followed names the subject");
    }
    // "Act as a reviewer"
    let idle = said.words.get(part.from).is_some_and(|word| super::empty(word.key()));
    let idle = idle && said.language.lexicon().is("leads", &said.words, part.after_verb());
    let Some((_, met)) = part.verb.as_ref().filter(|_| !after.is_empty() && !idle) else {
        return of_words(said, &content);
    };
    let named = said.canonical(met, part);
    // "make … accessible" keeps its own words.
    let idiom = said.language == Language::En && named != met.verb.english && met.verb.english != "make";
    let verb = if idiom { named } else { fold(&met.verb.base) };
    let mut parts: Vec<String> = verb.split([' ', '-']).map(str::to_owned).collect();
    fit(said, (from, to), MOST.saturating_sub(parts.len()), &mut object);
    let more = telling(to, shared.to);
    let (near, far) = said.object_words(to, shared.to);
    let topic = object.len() == 1 && is_topic(said, to, &telling(near, far));
    let most = if topic { MOST } else { WORDS };
    let fills = object.len() < 2 && !idiom;
    let more: Vec<&Word> = more.into_iter().filter(|word| !object.contains(word)).collect();
    for word in more.into_iter().filter(|word| fills && !said.language.lexicon().set("vague").contains(word.key())) {
        if parts.len() + size(&object) + word.parts.len() > most {
            break;
        }
        object.push(word);
    }
    parts.extend(object.iter().flat_map(|word| word.parts.clone()).take(MOST));
    made(&parts, "the verb and what it acts on")
}

fn size(words: &[&Word]) -> usize {
    words.iter().map(|word| word.parts.len()).sum()
}

/// Shortens an object to at most so many words, or to its head noun.
fn fit(said: &Said, span: (usize, usize), most: usize, object: &mut Vec<&Word>) {
    if size(object) > most {
        shorten(said, span, object);
    }
    while size(object) > most && object.len() > 1 {
        // The head noun is last in English, first in Portuguese and Spanish.
        let first_or_last = if said.language == Language::En { 0 } else { object.len() - 1 };
        object.remove(first_or_last);
    }
}

/// Keeps the first of several things, without what follows its noun in English: "unused
/// dependencies and dead code", "the nightly job stopped running".
fn shorten(said: &Said, (from, to): (usize, usize), object: &mut Vec<&Word>) {
    let lexicon = said.language.lexicon();
    let all = said.words.get(from..to).unwrap_or_default();
    let joined = |at: usize| lexicon.is("joins", &said.words, from + at);
    let end = (1..all.len()).find(|at| joined(*at) || all.get(at - 1).is_some_and(|word| word.closes));
    let first: Vec<&Word> = all.iter().take(end.unwrap_or(all.len())).collect();
    object.retain(|word| first.iter().any(|one| std::ptr::eq(*one, *word)));
    let verb = |word: &&Word| {
        let past = word.key().strip_suffix("ed").is_some_and(|stem| {
            let shorter = stem.get(..stem.len().saturating_sub(1)).unwrap_or(stem);
            lexicon.verb(stem).is_some() || lexicon.verb(shorter).is_some()
        });
        past || lexicon.verb(word.key()).is_some_and(|(_, form)| form == super::verb::Form::Gerund)
    };
    while said.language == Language::En && object.len() > 2 && object.last().is_some_and(verb) {
        object.pop();
    }
}

/// "replies to customer complaints": the object is unspecific without the two words after it.
fn is_topic(said: &Said, at: usize, words: &[&Word]) -> bool {
    let plain = words.iter().all(|word| word.text.chars().all(char::is_lowercase));
    plain && words.len() == 2 && said.words.get(at).is_some_and(|word| matches!(word.key(), "to" | "about"))
}

/// The first significant words, if there is no verb.
fn of_words(said: &Said, content: &[&Word]) -> (Option<Name>, &'static str) {
    let mut parts: Vec<String> = Vec::new();
    for word in content {
        if parts.len() >= WORDS || (!parts.is_empty() && parts.len() + word.parts.len() > MOST) {
            break;
        }
        parts.extend(word.parts.iter().take(MOST).cloned());
    }
    let why = match parts.len() {
        0 => {
            parts = said.words.iter().flat_map(|word| word.parts.clone()).take(MOST).collect();
            "nothing but common words"
        }
        1 => {
            parts.push("skill".to_owned());
            "one word that says something"
        }
        _ => "the first words that say something",
    };
    (Name::of_words(parts.iter().map(String::as_str)), why)
}

/// Whether a word belongs in a name: no function word, number or possessive.
fn is_telling(word: &Word) -> bool {
    let owner = ["'s", "\u{2019}s"].iter().any(|end| word.text.ends_with(end));
    let idle = super::empty(word.key()) || word.key().bytes().all(|b| b.is_ascii_digit());
    !idle && !owner && word.text != "user"
}

/// `Chain-of-Thought`: a proper name of three parts or more.
fn term(word: &Word) -> bool {
    word.parts.len() >= 3 && word.text.contains('-') && word.text.starts_with(char::is_uppercase)
}

/// What follows, if it repeats the object more precisely: "commits following conventional commits".
fn restated(object: &[&Word], more: &[&Word]) -> Option<Vec<String>> {
    let last = object.last()?;
    let again = (2..=MOST).contains(&more.len()) && more.last().is_some_and(|word| word.key() == last.key());
    again.then(|| more.iter().flat_map(|word| word.parts.clone()).take(MOST).collect())
}
