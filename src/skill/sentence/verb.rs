//! Verbs and their forms, derived by spelling rules if a data file does not give them.

use std::borrow::Cow;
use std::sync::OnceLock;

use foldhash::HashMap;

use super::Archetype;
use super::language::{Language, spaced};
use super::words::Word;
use crate::skill::name::fold;

/// The form of a verb in a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// `validate`, `validar`
    Base,
    /// `validates`, `valida`
    Third,
    /// `valide`, the imperative in Portuguese and Spanish
    Command,
    /// `validating`
    Gerund,
}

/// A verb of one language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Verb {
    /// Its spelling, with both words of "back up".
    pub(crate) base: String,
    pub(crate) third: String,
    /// The canonical verb in English.
    pub(crate) english: String,
    /// Whether its base is often a noun (`test`, `build`).
    pub(crate) noun: bool,
    /// What its file says; the files of other languages than English say nothing.
    archetype: Option<Archetype>,
}

impl Verb {
    /// Reads `BASE[/THIRD[/COMMAND]][=CANONICAL][*]`.
    pub(super) fn parse(entry: &str, archetype: Option<Archetype>) -> Self {
        let noun = entry.split('=').any(|part| part.ends_with('*'));
        let (forms, canonical) = split(entry);
        let mut forms = forms.split('/');
        let base = spaced(forms.next().unwrap_or_default()).into_owned();
        let third = forms.next().map_or_else(|| third(&base), |third| spaced(third).into_owned());
        let canonical = canonical.map_or_else(|| base.clone(), |verb| spaced(verb).into_owned());
        Self { base, third, english: canonical, noun, archetype }
    }

    /// The kind of work: its own, or that of the verb in English.
    pub(super) fn archetype(&self) -> Archetype {
        let english = || Language::En.lexicon().verb(&self.english).and_then(|(verb, _)| verb.archetype);
        self.archetype.or_else(english).unwrap_or(Archetype::General)
    }

    /// All its forms, without accents.
    pub(super) fn forms(&self, entry: &str, language: Language) -> Vec<(String, Form)> {
        let mut found = vec![(fold(&self.base), Form::Base), (fold(&self.third), Form::Third)];
        if language == Language::En {
            let (first, rest) = self.base.split_at(self.base.find(' ').unwrap_or(self.base.len()));
            let last = first.get(first.len().saturating_sub(1)..).unwrap_or_default();
            let stem = first.strip_suffix('e').unwrap_or(first);
            let gerunds = [[stem, "", "ing", rest], [first, "", "ing", rest], [first, last, "ing", rest]];
            found.extend(gerunds.iter().map(|parts| (parts.concat(), Form::Gerund)));
        } else {
            let listed = split(entry).0.split('/').skip(2).map(|said| fold(&spaced(said)));
            let made = commands(&self.base, &self.third).into_iter().map(|said| fold(&said));
            found.extend(listed.chain(made).map(|said| (said.to_lowercase(), Form::Command)));
        }
        found
    }
}

/// The forms of an entry, and its canonical verb, if any.
fn split(entry: &str) -> (&str, Option<&str>) {
    let entry = entry.trim_end_matches('*');
    entry.split_once('=').map_or((entry, None), |(forms, verb)| (forms.trim_end_matches('*'), Some(verb)))
}

/// The imperative of "gera": "gere", with spelling changes that keep the sound: "publique", "despliegue", "utilice"; of
/// "escreve": "escreva".
fn commands(base: &str, third: &str) -> Vec<String> {
    if !base.split(' ').next().unwrap_or_default().ends_with("ar") {
        return third.strip_suffix('e').map(|stem| format!("{stem}a")).into_iter().collect();
    }
    let Some(stem) = third.strip_suffix('a') else { return Vec::new() };
    match stem.chars().last() {
        Some('c') => vec![format!("{}que", stem.trim_end_matches('c'))],
        Some('g') => vec![format!("{stem}ue")],
        Some('z') => vec![format!("{stem}e"), format!("{}ce", stem.trim_end_matches('z'))],
        Some('ç') => vec![format!("{}ce", stem.trim_end_matches('ç'))],
        _ => vec![format!("{stem}e")],
    }
}

/// The third person singular of an English verb, by its first word.
pub(super) fn third(base: &str) -> String {
    let (first, rest) = base.split_once(' ').map_or((base, String::new()), |(first, rest)| (first, format!(" {rest}")));
    let after_vowel = |stem: &str| stem.ends_with(['a', 'e', 'i', 'o', 'u']);
    if let Some(stem) = first.strip_suffix('y').filter(|stem| !after_vowel(stem)) {
        return format!("{stem}ies{rest}");
    }
    let hisses = ["s", "x", "z", "ch", "sh", "o"].iter().any(|end| first.ends_with(end));
    format!("{first}{}{rest}", if hisses { "es" } else { "s" })
}

/// A verb found in a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Met {
    pub(super) verb: Cow<'static, Verb>,
    pub(super) form: Form,
    /// How many words it has.
    pub(super) length: usize,
    /// The pronoun at its end: "-os", "me".
    pub(super) enclitic: String,
    /// Whether it is in a data file.
    pub(super) known: bool,
}

/// The verb form these words begin with, whether or not it is used as a verb.
pub(super) fn met(words: &[Word], language: Language) -> Option<Met> {
    let lexicon = language.lexicon();
    let first = words.first()?;
    let key = first.key();
    let of = |(verb, form): (&'static Verb, Form), length, enclitic: &str| Met {
        verb: Cow::Borrowed(verb),
        form,
        length,
        enclitic: enclitic.to_owned(),
        known: true,
    };
    let pair = words.get(1).filter(|_| !first.closes).map(|next| format!("{key} {}", next.key()));
    if let Some(found) = pair.and_then(|pair| lexicon.verb(&pair)) {
        return Some(of(found, 2, ""));
    }
    if let Some(found) = lexicon.verb(key) {
        return Some(of(found, 1, ""));
    }
    match language {
        Language::En => None,
        Language::Pt => {
            let (verb, pronoun) = key.split_once('-')?;
            lexicon.verb(verb).map(|found| of(found, 1, pronoun))
        }
        Language::Es => {
            // "quiero que revises": the second person singular.
            let familiar = key.strip_suffix('s').and_then(|stem| lexicon.verb(stem));
            let familiar = familiar.filter(|(_, form)| *form == Form::Command).map(|found| of(found, 1, ""));
            let held = ["los", "las", "les", "lo", "la", "le", "me", "nos", "se"].into_iter().filter(|_| key.len() > 5);
            let mut held = held.filter_map(|end| Some(of(lexicon.verb(key.strip_suffix(end)?)?, 1, end)));
            familiar.or_else(|| held.next())
        }
    }
}

/// A first word that must be a verb although it is in no file: "Frobnicate the widgets", "Frob up the widgets",
/// "Escanear documentos".
pub(super) fn guessed(words: &[Word], language: Language) -> Option<Met> {
    let lexicon = language.lexicon();
    let first = words.first().filter(|word| !word.closes && words.len() > 1)?;
    let letters = first.text.chars().all(char::is_alphabetic) && !lexicon.empty(first.key());
    let word = first.text.to_lowercase();
    if !letters || lexicon.set("no_verbs").contains(first.key()) {
        return None;
    }
    if language != Language::En {
        let stem = |end: &str| word.strip_suffix(end).filter(|stem| stem.chars().count() > 3);
        let other = || stem("er").or_else(|| stem("ir")).map(|stem| format!("{stem}e"));
        let third = stem("ar").map(|stem| format!("{stem}a")).or_else(other)?;
        return Some(unlisted(word, third, Form::Base));
    }
    let particle = words.get(1).filter(|next| lexicon.set("particles").contains(next.key()) && !next.closes);
    let particle = particle.filter(|_| lexicon.noun(first.key()).is_none());
    let more = particle.map_or_else(String::new, |next| format!(" {}", next.key()));
    lexicon.is("before_object", words, 1 + usize::from(particle.is_some())).then(|| {
        let inflected = word.ends_with('s') && !["ss", "us", "is", "ys"].iter().any(|end| word.ends_with(end));
        match word.strip_suffix('s').filter(|_| inflected) {
            Some(stem) => unlisted(format!("{stem}{more}"), format!("{word}{more}"), Form::Third),
            None => unlisted(format!("{word}{more}"), third(&format!("{word}{more}")), Form::Base),
        }
    })
}

/// A verb that is in no file.
fn unlisted(base: String, third: String, form: Form) -> Met {
    let length = base.split(' ').count();
    let verb = Verb { base, third, english: String::new(), noun: false, archetype: None };
    Met { verb: Cow::Owned(verb), form, length, enclitic: String::new(), known: false }
}

/// An English verb by any of its forms: its base, and whether it is often a noun.
pub(crate) fn english(word: &str) -> Option<&'static Verb> {
    Language::En.lexicon().verb(word).map(|(verb, _)| verb)
}

/// Lines of a verb's archetype and entry, by the first two letters of its forms.
pub(super) type Groups = &'static [(&'static str, &'static str)];

/// The verbs of a data file. Most groups are never looked up, so the forms of a group are made when one is.
#[derive(Debug)]
pub(super) struct Verbs {
    language: Language,
    groups: Groups,
    made: Vec<OnceLock<Made>>,
}

#[derive(Debug, Default)]
struct Made {
    verbs: Vec<Verb>,
    forms: HashMap<String, (usize, Form)>,
}

impl Verbs {
    pub(super) fn of(groups: Groups, language: Language) -> Self {
        Self { language, groups, made: groups.iter().map(|_| OnceLock::new()).collect() }
    }

    /// The verb with this form; of several, the first of the file.
    pub(super) fn get(&self, form: &str) -> Option<(&Verb, Form)> {
        let letters = beginning(form);
        let at = self.groups.binary_search_by_key(&letters.as_ref(), |(letters, _)| letters).ok()?;
        let made = self.made.get(at)?.get_or_init(|| self.made(self.groups.get(at).map_or("", |(_, lines)| lines)));
        let (at, form) = made.forms.get(form)?;
        Some((made.verbs.get(*at)?, *form))
    }

    fn made(&self, lines: &str) -> Made {
        let mut made = Made::default();
        for (archetype, entry) in lines.lines().filter_map(|line| line.split_once(' ')) {
            let verb = Verb::parse(entry, archetype.parse().ok());
            for (form, kind) in verb.forms(entry, self.language) {
                made.forms.entry(form).or_insert((made.verbs.len(), kind));
            }
            made.verbs.push(verb);
        }
        made
    }
}

/// The first two letters of a form, without accents.
fn beginning(form: &str) -> Cow<'_, str> {
    let letters = form.chars().take(2).map(char::len_utf8).sum();
    let two = form.get(..letters).unwrap_or_default();
    if two.bytes().all(|byte| byte.is_ascii_lowercase()) { two.into() } else { fold(two).to_lowercase().into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_of_every_verb_is_in_its_group() {
        for language in Language::ALL {
            let lexicon = language.lexicon();
            let entries: Vec<&str> = lexicon.section("verbs").flat_map(|(_, list)| list.split_whitespace()).collect();
            assert!(entries.len() > 300, "{language:?}");
            for entry in entries {
                for (form, _) in Verb::parse(entry, None).forms(entry, language) {
                    assert!(lexicon.verb(&form).is_some(), "{form} of {entry}");
                }
            }
        }
    }
}
