//! The verbs descriptions begin with, their forms, and the kind of work each one names.

use std::borrow::Cow;
use std::sync::LazyLock;

use super::Archetype;
use super::lookup::Lookup;
use super::verb_lists::{COMMANDS, ENGLISH, NO_COMMANDS, PHRASAL, ROMANCE};
use crate::skill::name::fold;

/// How a verb stands in a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// `validate`, `validar`
    Base,
    /// `validates`, `valida`
    Third,
    /// `validating`
    Gerund,
}

/// A verb that was recognised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Verb {
    pub(crate) base: &'static str,
    /// The form it was found in.
    pub(crate) form: Form,
    pub(crate) archetype: Archetype,
    /// Whether the same spelling is often a noun (`test`, `build`).
    pub(crate) noun: bool,
}

/// A Portuguese or Spanish verb.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Romance {
    /// The infinitive, as it is spelled.
    pub(crate) base: &'static str,
    /// The third person singular, as it is spelled.
    pub(crate) third: &'static str,
    /// `pt`, `es` or `pt es`.
    pub(crate) languages: &'static str,
    pub(crate) archetype: Archetype,
}

/// Recognises a verb of two words by its first word's base form and its second word.
pub(crate) fn phrasal(base: &str, particle: &str) -> Option<(&'static str, Archetype)> {
    PHRASAL
        .iter()
        .find(|(_, verb)| verb.split_once(' ') == Some((base, particle)))
        .map(|(archetype, verb)| (verb.rsplit(' ').next().unwrap_or(verb), *archetype))
}

/// An English verb as the table has it.
#[derive(Debug, Clone, Copy)]
struct English {
    base: &'static str,
    archetype: Archetype,
    noun: bool,
    /// Its place in the table: where a word could be a form of two verbs, the first is meant.
    place: usize,
}

/// The English verbs by their base form.
static BY_BASE: LazyLock<Lookup<English>> = LazyLock::new(|| {
    let lists =
        ENGLISH.iter().flat_map(|(archetype, plain, nouns)| [(archetype, plain, false), (archetype, nouns, true)]);
    let bases = lists.flat_map(|(archetype, list, noun)| list.split(' ').map(move |base| (*archetype, base, noun)));
    let bases = bases.filter(|(_, base, _)| !base.is_empty()).enumerate();
    Lookup::of(bases.map(|(place, (archetype, base, noun))| (base, English { base, archetype, noun, place })))
});

/// Recognises an English verb by any of its forms.
pub(crate) fn english(word: &str) -> Option<Verb> {
    let known = bases(word).filter_map(|base| BY_BASE.first(&base));
    let formed = known.filter_map(|verb| form(verb.base, word).map(|form| (verb, form)));
    formed.min_by_key(|(verb, _)| verb.place).map(|(verb, form)| Verb {
        base: verb.base,
        form,
        archetype: verb.archetype,
        noun: verb.noun,
    })
}

/// The base forms a word could be made from; most are no words.
fn bases(word: &str) -> impl Iterator<Item = Cow<'_, str>> {
    let stem = word.strip_suffix("ing");
    let doubled = stem.and_then(|stem| stem.strip_suffix(|_: char| true));
    let as_it_is = [Some(word), word.strip_suffix('s'), word.strip_suffix("es"), stem, doubled];
    let with_end = [(word.strip_suffix("ies"), 'y'), (stem, 'e')];
    let with_end = with_end.into_iter().filter_map(|(stem, end)| stem.map(|stem| Cow::Owned(format!("{stem}{end}"))));
    as_it_is.into_iter().flatten().map(Cow::Borrowed).chain(with_end)
}

/// Which form of this verb the word is.
fn form(base: &str, word: &str) -> Option<Form> {
    if word == base {
        Some(Form::Base)
    } else if word == third(base) {
        Some(Form::Third)
    } else {
        // "labelling", as in Britain
        let doubled = base.ends_with('l') && word.strip_suffix("ling") == Some(base);
        (doubled || word == gerund(base)).then_some(Form::Gerund)
    }
}

/// The Portuguese and Spanish verbs by both their forms, without accents.
static BY_FORM: LazyLock<Lookup<Romance>> = LazyLock::new(|| {
    let pairs = ROMANCE.iter().flat_map(|(archetype, languages, list)| {
        let pairs = list.split(' ').filter_map(|pair| pair.split_once('/'));
        pairs.map(|(base, third)| Romance { base, third, languages, archetype: *archetype })
    });
    let spoken = |form: &'static str| if form.is_ascii() { Cow::Borrowed(form) } else { Cow::Owned(fold(form)) };
    Lookup::of(pairs.flat_map(|verb| [(spoken(verb.base), verb), (spoken(verb.third), verb)]))
});

/// Recognises a Portuguese or Spanish verb, infinitive or third person (which is also the imperative).
pub(crate) fn romance(word: &str) -> Option<Romance> {
    BY_FORM.first(word).copied()
}

/// The commands of every verb, made once: what is written, and the verb.
static BY_COMMAND: LazyLock<Lookup<Romance>> = LazyLock::new(|| {
    let pairs = ROMANCE.iter().flat_map(|(archetype, languages, list)| {
        let pairs = list.split(' ').filter_map(|pair| pair.split_once('/'));
        pairs.map(|(base, third)| Romance { base, third, languages, archetype: *archetype })
    });
    Lookup::of(pairs.flat_map(|verb| {
        let listed = COMMANDS.iter().filter(move |(_, of)| *of == verb.base).map(|(said, _)| (*said).to_owned());
        let made = if verb.base.ends_with("ar") { subjunctive(&fold(verb.third)) } else { Vec::new() };
        let said: Vec<String> = listed.chain(made).filter(|said| !NO_COMMANDS.contains(&said.as_str())).collect();
        said.into_iter().map(move |said| (said, verb))
    }))
});

/// Recognises a Portuguese or Spanish verb that commands: "extraia", "genere", "revise". The third person, which
/// Spanish commands with as well, is told by [`romance`].
pub(crate) fn command(word: &str) -> Option<Romance> {
    // "quiero que revises": to whom one says "tú".
    let familiar = || {
        let verb = BY_COMMAND.first(word.strip_suffix('s').filter(|stem| stem.len() > 4)?)?;
        verb.languages.contains("es").then_some(verb)
    };
    BY_COMMAND.first(word).or_else(familiar).copied()
}

/// "gera" as a command: "gere", and where the spelling keeps the sound, "publique", "despliegue", "utilice".
fn subjunctive(third: &str) -> Vec<String> {
    let Some(stem) = third.strip_suffix('a') else { return Vec::new() };
    match stem.chars().last() {
        Some('c') => vec![format!("{}que", stem.trim_end_matches('c'))],
        Some('g') => vec![format!("{stem}ue")],
        Some('z') => vec![format!("{stem}e"), format!("{}ce", stem.trim_end_matches('z'))],
        _ => vec![format!("{stem}e")],
    }
}

/// The third person singular of an English verb.
pub(crate) fn third(base: &str) -> String {
    let vowel_before_y = base.strip_suffix('y').is_some_and(|stem| stem.ends_with(['a', 'e', 'i', 'o', 'u']));
    if let Some(stem) = base.strip_suffix('y')
        && !vowel_before_y
    {
        return format!("{stem}ies");
    }
    let hisses = ["s", "x", "z", "ch", "sh", "o"].iter().any(|end| base.ends_with(end));
    format!("{base}{}", if hisses { "es" } else { "s" })
}

/// The `-ing` form of an English verb.
pub(crate) fn gerund(base: &str) -> String {
    const DOUBLED: &[&str] = &[
        "debug", "run", "wrap", "map", "scan", "ship", "plan", "plot", "split", "set", "stop", "log", "commit", "tag",
        "trim", "transfer", "submit", "refer",
    ];
    if DOUBLED.contains(&base) {
        let last = base.chars().last().unwrap_or_default();
        return format!("{base}{last}ing");
    }
    match base.strip_suffix('e') {
        Some(stem) => format!("{stem}ing"),
        None => format!("{base}ing"),
    }
}

#[cfg(test)]
mod tests {
    use super::Archetype::*;
    use super::*;

    #[test]
    fn forms_follow_english_spelling() {
        for (base, third_person, ing) in [
            ("validate", "validates", "validating"),
            ("fix", "fixes", "fixing"),
            ("query", "queries", "querying"),
            ("deploy", "deploys", "deploying"),
            ("publish", "publishes", "publishing"),
            ("run", "runs", "running"),
        ] {
            assert_eq!((third(base), gerund(base)), (third_person.to_owned(), ing.to_owned()));
        }
    }

    #[test]
    fn verbs_are_known_in_three_languages() {
        assert_eq!(english("reviews").map(|v| (v.base, v.form)), Some(("review", Form::Third)));
        assert_eq!(romance("evalua").map(|v| v.third), Some("evalúa"));
        assert_eq!(romance("padronizar").map(|v| v.archetype), Some(Convert));
        for (word, base) in [
            ("extraia", "extrair"),
            ("gere", "gerar"),
            ("revise", "revisar"),
            ("crie", "criar"),
            ("publique", "publicar"),
            ("despliegue", "desplegar"),
            ("organice", "organizar"),
            ("organize", "organizar"),
            ("haz", "hacer"),
            ("corrija", "corrigir"),
        ] {
            assert_eq!(command(word).map(|verb| verb.base), Some(base), "{word}");
        }
        assert!(command("monte").is_none() && command("invoice").is_none() && command("gera").is_none());
        assert!(english("email").is_none() && romance("email").is_none());
    }

    /// What a word is, read off the table from its beginning: the definition that looking up must agree with.
    fn read_through(word: &str) -> Option<(&'static str, Form, Archetype, bool)> {
        let lists =
            ENGLISH.iter().flat_map(|(archetype, plain, nouns)| [(archetype, plain, false), (archetype, nouns, true)]);
        lists.into_iter().find_map(|(archetype, list, noun)| {
            let mut bases = list.split(' ').filter(|base| !base.is_empty());
            bases.find_map(|base| form(base, word).map(|form| (base, form, *archetype, noun)))
        })
    }

    #[test]
    fn every_form_is_found_as_by_reading_the_table() {
        for base in ENGLISH.iter().flat_map(|(_, plain, nouns)| plain.split(' ').chain(nouns.split(' '))) {
            for word in [base.to_owned(), third(base), gerund(base), format!("{base}s"), format!("{base}es")] {
                let found = english(&word).map(|verb| (verb.base, verb.form, verb.archetype, verb.noun));
                assert_eq!(found, read_through(&word), "{word}");
            }
        }
        for (_, _, list) in ROMANCE {
            for (base, spoken) in list.split(' ').filter_map(|pair| pair.split_once('/')) {
                for word in [fold(base), fold(spoken)] {
                    let first = ROMANCE.iter().find_map(|(archetype, languages, list)| {
                        let mut pairs = list.split(' ').filter_map(|pair| pair.split_once('/'));
                        let of = pairs.find(|(base, third)| word == fold(base) || word == fold(third));
                        of.map(|(base, third)| Romance { base, third, languages, archetype: *archetype })
                    });
                    assert_eq!(romance(&word), first, "{word}");
                }
            }
        }
    }
}
