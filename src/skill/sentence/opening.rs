//! The verb a sentence begins with, also behind what says when or how.

use super::clauses::Reader;
use super::language::Language;
use super::verb::{Form, Met, guessed};
use super::words::Word;

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
        let joined = self.joins(next, to) > next || self.is("or", next);
        let joined_noun =
            joined && self.met(self.joins(next, to).max(next + usize::from(self.is("or", next))), to).is_none();
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
