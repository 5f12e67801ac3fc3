//! Stemming with the Snowball algorithms.

use std::borrow::Cow;
use std::cell::RefCell;

use foldhash::HashMap;
use snowball_stemmers_rs::{Algorithm, Stemmer};

use crate::skill::name::fold;
use crate::skill::sentence::{Language, english};

/// Portuguese plurals that Snowball does not reduce to their singular, longest first.
const PLURALS: &[(&str, &str)] = &[("ções", "ção"), ("ões", "ão"), ("ais", "al"), ("ns", "m")];

/// Beginnings of English words whose stem is that of another word: production is no product, accessibility no access.
const APART: &[&str] = &["accessib", "experiment", "international", "production", "universit"];

/// The size of the cache of stems.
const REMEMBERED: usize = 20_000;

thread_local! {
    /// The cache of stems for each language.
    static KNOWN: RefCell<[HashMap<String, String>; 3]> = RefCell::default();
}

/// The stem of a word in a language, without accents and capitals.
pub(crate) fn stem(word: &str, language: Language) -> String {
    let word = word.to_lowercase();
    KNOWN.with_borrow_mut(|known| {
        let Some(known) = known.get_mut(language as usize) else { return made(&word, language) };
        if let Some(stem) = known.get(&word) {
            return stem.clone();
        }
        if known.len() > REMEMBERED {
            known.clear();
        }
        let stem = made(&word, language);
        known.insert(word, stem.clone());
        stem
    })
}

/// The key of a listed word: in English the singular, with forms such as "staged" or "boarding" kept; in the other two
/// languages, which inflect verbs more, the stem.
pub(super) fn listed(word: &str, language: Language) -> Cow<'_, str> {
    if language != Language::En {
        return Cow::Owned(stem(word, language));
    }
    if word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()) {
        return singular_of(word);
    }
    Cow::Owned(singular_of(&fold(word).to_lowercase()).into_owned())
}

/// The listed words a word of a text may match: "staged" matches itself and "stage". Derived words do not match.
pub(super) fn looked_up(word: &str, language: Language) -> Vec<Cow<'_, str>> {
    let itself = listed(word, language);
    let bare = ["ing", "ed"].iter().find_map(|end| itself.strip_suffix(end)).filter(|rest| rest.len() > 2);
    let Some(rest) = bare.filter(|_| language == Language::En) else { return vec![itself] };
    let mut letters = rest.chars().rev();
    let doubled = letters.next().is_some_and(|last| letters.next() == Some(last));
    let short = rest.get(..rest.len() - 1).filter(|_| doubled).unwrap_or(rest).to_owned();
    vec![format!("{rest}e").into(), rest.to_owned().into(), short.into(), itself]
}

fn singular_of(word: &str) -> Cow<'_, str> {
    if !word.ends_with('s') {
        return Cow::Borrowed(word);
    }
    let rest = |end: &str, least: usize| word.strip_suffix(end).filter(|rest| rest.len() >= least);
    let hissing =
        || ["ss", "sh", "ch", "x"].iter().any(|end| word.strip_suffix("es").is_some_and(|rest| rest.ends_with(end)));
    if let Some(one) = rest("ies", 2) {
        return Cow::Owned(format!("{one}y"));
    }
    let plain = || rest("s", 2).filter(|one| !one.ends_with(['s', 'u', 'i']));
    let plural = if hissing() { rest("es", 2) } else { plain() };
    Cow::Borrowed(plural.unwrap_or(word))
}

fn made(word: &str, language: Language) -> String {
    if word.bytes().any(|byte| byte.is_ascii_digit()) {
        return fold(word).to_lowercase();
    }
    let begins = APART.iter().find(|begins| language == Language::En && word.starts_with(**begins));
    if let Some(begins) = begins {
        return (*begins).to_owned();
    }
    let (algorithm, word) = match language {
        Language::En => (Algorithm::English, agent(&fold(word).to_lowercase())),
        Language::Pt => (Algorithm::Portuguese, singular(word)),
        Language::Es => (Algorithm::Spanish, word.to_owned()),
    };
    fold(&Stemmer::create(algorithm).stem(&word)).to_lowercase()
}

/// The verb of an agent noun: a parser parses.
fn agent(word: &str) -> String {
    let rest = word.strip_suffix("er").or_else(|| word.strip_suffix("or")).filter(|rest| rest.len() > 3);
    let forms = rest.filter(|_| english(word).is_none()).map(|rest| [rest.to_owned(), format!("{rest}e")]);
    let verb = forms.into_iter().flatten().find(|verb| english(verb).is_some());
    verb.unwrap_or_else(|| word.to_owned())
}

fn singular(word: &str) -> String {
    let plural = PLURALS.iter().find_map(|(many, one)| {
        let rest = word.strip_suffix(many).filter(|rest| rest.chars().count() > 2)?;
        Some(format!("{rest}{one}"))
    });
    plural.unwrap_or_else(|| word.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_forms_of_a_word_agree_in_their_language_and_other_words_stay_apart() {
        for (language, forms) in [
            (Language::En, "migration migrations migrate migrating"),
            (Language::En, "plan plans planned planning"),
            (Language::En, "version versions"),
            (Language::En, "token tokens"),
            (Language::En, "validate validates validating validated validation validator"),
            (Language::En, "parse parser parsing parses"),
            (Language::En, "query queries"),
            (Language::En, "address addresses"),
            (Language::En, "accessible accessibility"),
            (Language::Pt, "tradução traduções"),
            (Language::Pt, "relatório relatórios relatorio"),
            (Language::Pt, "mensagem mensagens"),
            (Language::Es, "factura facturas"),
            (Language::Es, "revisar revise revisa"),
        ] {
            let stems: Vec<String> = forms.split(' ').map(|form| stem(form, language)).collect();
            assert!(stems.windows(2).all(|pair| pair[0] == pair[1]), "{forms}: {stems:?}");
        }
        for (one, other) in [
            ("contract", "contact"),
            ("order", "ord"),
            ("production", "product"),
            ("accessibility", "access"),
            ("experiment", "experience"),
        ] {
            assert_ne!(stem(one, Language::En), stem(other, Language::En), "{one}");
        }
        assert_eq!((stem("k8s", Language::En).as_str(), stem("CSS", Language::En).as_str()), ("k8s", "css"));
    }

    #[test]
    fn a_listed_word_is_met_in_each_inflection_and_in_no_derived_word() {
        for (word, one, language, meets) in [
            ("pods", "pod", Language::En, true),
            ("replies", "reply", Language::En, true),
            ("trimmed", "trim", Language::En, true),
            ("scraping", "scrape", Language::En, true),
            ("staged", "staged", Language::En, true),
            ("boxes", "box", Language::En, true),
            ("faturas", "fatura", Language::Pt, true),
            ("stage", "staged", Language::En, false),
            ("board", "boarding", Language::En, false),
            ("access", "accessible", Language::En, false),
            ("customs", "customer", Language::En, false),
        ] {
            assert_eq!(looked_up(word, language).contains(&listed(one, language)), meets, "{word} {one}");
        }
    }
}
