//! The verbs of a language by their forms.

use std::borrow::Cow;
use std::sync::OnceLock;

use foldhash::HashMap;

use super::language::Language;
use super::verb::{Form, Verb};
use crate::skill::name::fold;

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
            let verb = Verb::parse(entry, archetype.parse().ok(), self.language);
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
                for (form, _) in Verb::parse(entry, None, language).forms(entry, language) {
                    assert!(lexicon.verb(&form).is_some(), "{form} of {entry}");
                }
            }
        }
    }
}
