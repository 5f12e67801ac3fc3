//! How a sentence begins: introductions ("Please create a skill that …") and the first person, which are removed, and its
//! verb, also behind what says when or how.

use super::clauses::Reader;
use super::language::{Language, Lexicon};
use super::verb::{Form, Met, guessed, met, third};
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
    if sentence.split(' ').nth(2).is_none() {
        return sentence.to_owned();
    }
    let persons = lexicon.text("say", "persons").split_whitespace().filter_map(|pair| pair.split_once('='));
    let persons: Vec<(&str, &str)> = persons.collect();
    let (mut out, mut conjugate, mut helped) = (Vec::<String>::new(), false, false);
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

/// How many letters an adverb of manner has at least: "early" and "semente" are none.
const ADVERB: usize = 6;

impl Reader<'_> {
    /// The verb at the start of the sentence, also after "when …," or an adverb.
    pub(super) fn opening(&self, from: usize, to: usize) -> Option<(usize, Met)> {
        if self.is("subordinate", from) {
            let behind = (from + 1..to).filter(|at| self.closed(*at));
            let mut main = behind.filter_map(|at| {
                let unknown = || guessed(self.words.get(at..to)?, self.language);
                self.acts(at, to, false).or_else(unknown).map(|met| (at, met))
            });
            if let Some(main) = main.next() {
                return Some(main);
            }
        }
        // "Never commit secrets"
        if self.is("caution", from)
            && self.lexicon.phrase("anywhere", self.words, from) == Some(1)
            && let Some(met) = self.met(from + 1, to)
        {
            return Some((from + 1, met));
        }
        let found = self.met(from, to).filter(|met| self.begins(from, to, met)).map(|met| (from, met));
        let unknown =
            |at: usize| guessed(self.words.get(at..to)?, self.language).filter(|_| self.met(at, to).is_none());
        found.or_else(|| self.behind_adverb(from, to)).or_else(|| unknown(from).map(|met| (from, met)))
    }

    /// "Politely decline invitations", "Revisar" behind "Cuidadosamente". "Weekly report" has a noun behind it.
    fn behind_adverb(&self, from: usize, to: usize) -> Option<(usize, Met)> {
        let end = if self.language == Language::En { "ly" } else { "mente" };
        let manner = |word: &&Word| {
            word.key().len() >= ADVERB.max(end.len() + 3)
                && word.key().ends_with(end)
                && self.lexicon.verb(word.key()).is_none()
        };
        let adverbs = self.words.get(from..to)?.iter().take_while(manner).count();
        let at = from + adverbs;
        if adverbs == 0 {
            return None;
        }
        let noun = |met: &Met| met.verb.noun && (from..at).any(|at| self.is("periodic", at));
        let known = self.met(at, to).filter(|met| met.form != Form::Gerund);
        let known = known.filter(|met| !noun(met) || self.is("before_object", at + met.length));
        let found = known.or_else(|| guessed(self.words.get(at..to)?, self.language));
        found.map(|met| (at, met))
    }

    /// Whether a word in the form of an infinitive is a verb of a list of infinitives, in a file or not: "ensayar
    /// respuestas".
    pub(super) fn infinitive(&self, at: usize, to: usize) -> bool {
        let Some(word) = self.words.get(at).filter(|word| !word.closes && at + 1 < to) else { return false };
        let noun = self.is("no_verbs", at) || Language::En.lexicon().verb(word.key()).is_some();
        let object = !self.is("leads", at + 1) && !self.is("joins", at + 1);
        self.language != Language::En && self.form == Some(Form::Base) && word.key().ends_with("ar") && !noun && object
    }

    /// Whether this first word is a verb.
    fn begins(&self, at: usize, to: usize, met: &Met) -> bool {
        if met.length > 1 || !met.verb.noun {
            return true;
        }
        let next = at + 1;
        let closed = self.closed(next) && !self.ends(at, &[',', ':']);
        let nothing = next >= to;
        let behind = self.joins(next, to).max(next + usize::from(self.is("or", next)));
        let joined_noun = behind > next && self.met(behind, to).is_none();
        let article = self.is("articles", next) || self.is("before_object", next);
        let plural = met.form == Form::Third
            && self.lexicon.set("grammar").contains(self.words.get(next).map_or("", Word::key))
            && !article;
        let of = self.words.get(next).is_some_and(|word| matches!(word.key(), "of" | "de"));
        !(self.paired(at) || closed || nothing && !self.ends(at, &[':']) || joined_noun || plural || of)
    }
}

#[cfg(test)]
mod tests {
    use crate::skill::sentence::{describe, read};

    #[test]
    fn what_says_when_or_how_is_no_verb() {
        for (text, name, begins) in [
            ("Gently remind members of unpaid dues", "remind-members-unpaid-dues", "Gently reminds members"),
            ("Each Monday, condense the helpdesk tickets", "condense-helpdesk-tickets", "Each Monday, condenses the"),
            ("Every Sunday, zuz up the notice board", "zuz-up-notice-board", "Every Sunday, zuzes up the notice board"),
            ("Zuz up the notice board: dates, names", "zuz-up-notice-board", "Zuzes up the notice board: dates"),
            ("Weekly report generation", "weekly-report-generation", "Handles weekly report generation"),
            ("Cuidadosamente empaquetar la vajilla", "empaquetar-vajilla", "Cuidadosamente empaqueta la vajilla"),
            ("Desmarcar visitas pelo WhatsApp", "desmarcar-visitas-whatsapp", "Desmarca visitas pelo WhatsApp"),
            ("Garimpar prendas pela cidade", "garimpar-prendas-cidade", "Garimpa prendas pela cidade"),
        ] {
            let found = read(text);
            assert_eq!(found.name.as_ref().map(ToString::to_string).as_deref(), Some(name), "{text}");
            assert!(describe(&found, &[]).starts_with(begins), "{}", describe(&found, &[]));
        }
    }

    #[test]
    fn infinitives_in_a_list_take_one_form() {
        let spoken = read("Preparar la boda: reservar el salón, tunear coches, colgar luces").spoken;
        assert_eq!(spoken, "Prepara la boda: reserva el salón, tunea coches, cuelga luces.");
        let nouns = read("Organizar a festa: convidar colegas, celular novo, bolos").spoken;
        assert_eq!(nouns, "Organiza a festa: convida colegas, celular novo, bolos.");
    }
}
