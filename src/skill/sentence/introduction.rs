//! Removes introductions ("Please create a skill that …") and the first person.

use super::language::{Language, Lexicon};
use super::verb::{Form, met, third};
use super::words::Word;

/// How many words only introduce the work: "Please", "I need a skill that helps me to".
pub(super) fn introduction(words: &[Word], lexicon: &Lexicon) -> usize {
    let mut at = 0;
    loop {
        let count = |from: usize, key: &str| (from..words.len()).take_while(|at| lexicon.is(key, words, *at)).count();
        let skill = at + count(at, "before_skill");
        let leads = count(skill + 1, "after_skill");
        let open = words.get(skill + leads).is_some_and(|word| matches!(word.key(), "should" | "be" | "used"));
        let named = lexicon.is("skill", words, skill) && leads > 0 && !open;
        let length = lexicon.phrase("phrases", words, at).unwrap_or(0);
        let next = if named { skill + 1 + leads } else { at + length };
        if next == at || next >= words.len() {
            return at;
        }
        at = next;
    }
}

/// "How do I update the packages?" as the task it asks about: "update the packages".
pub(super) fn answered(sentence: &str, found: &[Word], language: Language) -> Option<String> {
    let lexicon = language.lexicon();
    let at = lexicon.phrase("asked", found, 0).filter(|_| sentence.ends_with('?') || sentence.starts_with('¿'))?;
    let verb = found.get(at)?;
    let task = sentence.get(verb.start..)?.trim_end_matches('?');
    if language == Language::En || met(found.get(at..)?, language).is_some() {
        return Some(task.to_owned());
    }
    // "actualizo" and "actualizamos"
    let one = verb.key().strip_suffix('o').and_then(|stem| {
        ["a", "e"].iter().find_map(|end| lexicon.verb(&format!("{stem}{end}")).filter(|(_, form)| *form == Form::Third))
    });
    let several = || lexicon.verb(&format!("{}r", verb.key().strip_suffix("mos")?));
    let (base, _) = one.or_else(several)?;
    Some(task.replacen(&verb.text, &base.base, 1))
}

/// The sentence without the first person: an installed skill says "the user".
pub(super) fn impersonal(sentence: &str, lexicon: &Lexicon) -> String {
    let persons: Vec<(&str, &str)> =
        lexicon.text("say", "persons").split_whitespace().filter_map(|pair| pair.split_once('=')).collect();
    let mut out: Vec<String> = Vec::new();
    let (mut conjugate, mut helped) = (false, false);
    if sentence.split(' ').nth(2).is_none() {
        return sentence.to_owned();
    }
    for token in sentence.split(' ') {
        let bare = token.trim_matches(|c: char| !c.is_alphanumeric());
        let key = bare.to_lowercase();
        // "US" is a country.
        let person =
            persons.iter().find(|(who, _)| *who == key && (bare.len() < 2 || !bare.chars().all(char::is_uppercase)));
        let verb = match lexicon.verb(&key) {
            _ if !conjugate || lexicon.set("unchanged").contains(key.as_str()) => None,
            Some((verb, form)) => (form == Form::Base).then(|| verb.third.clone()),
            // "before we overspend": neither adverb nor past tense.
            None => {
                let other = key.is_empty() || ["ly", "ed"].iter().any(|end| key.ends_with(end));
                let common = other || lexicon.empty(&key) || lexicon.set("everyday").contains(key.as_str());
                (!common && key.chars().all(char::is_alphabetic)).then(|| third(&key))
            }
        };
        conjugate = false;
        match (person, verb) {
            (Some((_, "")), _) => {}
            (Some((who, instead)), _) => {
                conjugate = lexicon.set("conjugated").contains(*who) && !helped;
                out.push(token.replacen(bare, &instead.replace('_', " "), 1));
            }
            // "our team" is "the team".
            (None, _) if out.last().is_some_and(|last| last.strip_suffix("'s") == Some(&format!("the {key}"))) => {
                out.pop();
                out.push(format!("the {token}"));
            }
            (None, Some(third)) => out.push(token.replacen(bare, &third, 1)),
            (None, None) => out.push(token.to_owned()),
        }
        helped = lexicon.set("modals").contains(key.as_str());
    }
    out.join(" ")
}

/// Whether the words only name a source and a target format: "csv to json", "class component to hooks".
pub(super) fn becomes(words: &[Word], language: Language) -> bool {
    let lexicon = language.lexicon();
    let to: Vec<usize> = (0..words.len()).filter(|at| lexicon.is("leads", words, *at)).collect();
    let [at] = to.as_slice() else { return false };
    let plain = words.iter().take(*at).all(|word| {
        !word.closes
            && met(std::slice::from_ref(word), language).is_none()
            && lexicon.noun(word.key()).is_none()
            && !lexicon.empty(word.key())
    });
    let between = words.get(*at).is_some_and(|word| word.key() == "to") && *at > 0 && at + 1 < words.len();
    language == Language::En && between && plain && words.len() <= 7 && !lexicon.is("intransitive", words, at - 1)
}
