//! Turning a request ("Validate …", "A skill that …") into what the skill does ("Validates …").

use crate::skill::understand::{
    Archetype, Clause, Form, Language, Understanding, Word, command, english, lowered, romance, third, words,
};

/// The first sentence in the third person. What cannot be recognised is left as it is written.
pub(super) fn third_person(sentence: &str, understood: &Understanding) -> String {
    let found = words(sentence);
    let clause = Clause::of(&found, understood.language);
    let Some(first) = found.get(clause.skipped) else { return sentence.to_owned() };
    let begin = first.start + sentence.get(first.start..).and_then(|raw| raw.find(&first.text)).unwrap_or(0);
    let body = match &clause.verb {
        Some(_) if clause.implied => format!("Converts {}", sentence.get(begin..).unwrap_or(sentence)),
        Some(verb) if verb.form == Form::Base => conjugated(sentence, &found, clause.skipped, understood.language),
        None if nominal(&clause, &found, understood) => {
            covers(sentence.get(begin..).unwrap_or(sentence), understood.language)
        }
        _ => sentence.get(begin..).unwrap_or(sentence).to_owned(),
    };
    capital(&nobodys(&body, understood.language))
}

/// "my invoices" as whoever reads the description has to say it: not their own.
fn nobodys(text: &str, language: Language) -> String {
    let said: &[(&str, &str)] = match language {
        Language::En => &[("my", "the user's"), ("our", "the team's"), ("me", "the user")],
        Language::Pt => &[("meu", "o"), ("minha", "a"), ("meus", "os"), ("minhas", "as")],
        Language::Es => &[("mi", ""), ("mis", "")],
    };
    let instead = |word: &str| {
        said.iter().find(|(own, _)| *own == word).map_or_else(|| word.to_owned(), |(_, new)| (*new).to_owned())
    };
    text.split(' ').map(instead).collect::<Vec<_>>().join(" ").replace("  ", " ")
}

/// Whether the sentence is a noun phrase, such as "Database migration skill".
fn nominal(clause: &Clause, found: &[Word], understood: &Understanding) -> bool {
    let called = found.last().is_some_and(|last| last.is_any(&["skill", "skills", "helper"]));
    let owned = found.first().is_some_and(|first| first.is_any(&["my", "our", "meus", "minhas", "mis"]));
    clause.skipped > 0 || called || owned || understood.archetype != Archetype::General
}

fn covers(phrase: &str, language: Language) -> String {
    let verb = match language {
        Language::En => "Covers",
        Language::Pt | Language::Es => "Trata de",
    };
    let mut bare = phrase.trim_end_matches(['.', '!', '?', ' ', '-']);
    for word in [" skill", " skills", " helper"] {
        bare = bare.strip_suffix(word).unwrap_or(bare);
    }
    let mut subject = lowered(bare);
    if !bare.contains(|c: char| c.is_ascii_digit()) && titled_throughout(bare) {
        subject = bare.split(' ').map(lowered).collect::<Vec<_>>().join(" ");
    }
    format!("{verb} {subject}.")
}

/// Whether every word has a capital, as in a heading.
fn titled_throughout(phrase: &str) -> bool {
    phrase.split(' ').all(|word| word.starts_with(char::is_uppercase))
}

/// The sentence from its verb on, that verb and those joined to it in the third person.
fn conjugated(sentence: &str, found: &[Word], from: usize, language: Language) -> String {
    let mut out = String::new();
    let mut at = found.get(from).map_or(0, |word| word.start);
    let mut subordinate = false;
    let mut listed = false;
    // One command is followed by others: "Monitore … e avise …".
    let first = found.get(from).map(Word::key).unwrap_or_default();
    let commands = language != Language::En && command(&first).is_some();
    for (i, word) in found.iter().enumerate().skip(from) {
        let previous = i.checked_sub(1).filter(|_| i > from).and_then(|i| found.get(i));
        subordinate |= word.is_any(&["to", "that", "which", "who", "when", "if", "para", "que", "quando", "cuando"]);
        let form = match previous {
            None => Some(true),
            Some(previous) => joined(previous, listed || i == from + 2, found.get(i + 1)),
        };
        let Some(new) = form.filter(|_| !subordinate).and_then(|nouns| inflected(word, nouns, commands)) else {
            continue;
        };
        listed |= i > from;
        let raw = sentence.get(word.start..word.end).unwrap_or_default();
        out.push_str(sentence.get(at..word.start).unwrap_or_default());
        out.push_str(&raw.replacen(&word.text, &new, 1));
        at = word.end;
    }
    out.push_str(sentence.get(at..).unwrap_or_default());
    let trimmed = out.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '`');
    trimmed.trim_end_matches([' ', '-']).to_owned()
}

/// Whether a verb may stand here, after this word; `Some(true)` when even one that could be a noun is a verb.
fn joined(previous: &Word, second: bool, next: Option<&Word>) -> Option<bool> {
    if previous.is_any(&["then"]) {
        return Some(true);
    }
    let acts = next.is_some_and(|next| {
        next.is_any(&["with", "the", "a", "an", "it", "them", "for", "each", "every", "all", "on", "from", "against"])
    });
    let and = previous.is_any(&["and", "or", "e", "y"]);
    (and || previous.closes).then_some(acts || (and && second))
}

fn inflected(word: &Word, nouns: bool, commands: bool) -> Option<String> {
    let key = word.key();
    if let Some(verb) = english(key).filter(|_| !commands) {
        return (verb.form == Form::Base && (nouns || !verb.noun)).then(|| third(verb.base));
    }
    let whole = romance(key).filter(|verb| verb.base == key);
    whole.or_else(|| command(key).filter(|_| commands)).map(|verb| verb.third.to_owned())
}

fn capital(text: &str) -> String {
    let first_word = text.split(' ').next().unwrap_or_default();
    let mut chars = text.chars();
    match chars.next() {
        Some(first) if first_word.chars().all(|c| c.is_lowercase() || matches!(c, ',' | ':' | ';' | '.')) => {
            first.to_uppercase().chain(chars).collect()
        }
        _ => text.to_owned(),
    }
}
