//! Rules about something else than the task.

use super::super::{Material, statement};
use super::{ALIKE, Near};
use crate::skill::Language;
use crate::skill::fact::{Fact, denies, is_order};
use crate::skill::ranking::stems;
use crate::skill::sentence::singular;
use crate::skill::subject::Subject;

/// So few words do not say how something is: "British spelling."
const STATEMENT: usize = 4;

/// A statement that shares so many words with the lines of the packs may be about their subject.
const SHARED: usize = 2;

/// Whether a rule says how something is, rather than what to do.
fn is_statement(rule: &str) -> bool {
    let words = rule.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    !is_order(rule) && !denies(rule) && words.count() >= STATEMENT
}

/// Whether a statement sets what holds: "left out of every metric", "los importes se guardan en céntimos".
fn sets(rule: &str) -> bool {
    const EVERY: &[&str] = &["every", "each", "all", "cada", "todo", "toda", "todos", "todas"];
    let lower = rule.to_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    // "Every Friday", "every 10,000 miles"
    let common = |word: &str| Language::ALL.iter().any(|one| one.lexicon().set("everyday").contains(word));
    let names = |word: &str| word.starts_with(char::is_alphabetic) && !common(word);
    let every = words.windows(2).any(|pair| matches!(pair, [one, next] if EVERY.contains(one) && names(next)));
    every || words.contains(&"se")
}

impl Near<'_> {
    /// Whether a rule states something of which neither the packs nor the task speak, though its neighbours are near:
    /// "Seed photos come from Unsplash".
    pub(super) fn is_unrelated(&self, material: &Material<'_>, fact: &Fact) -> bool {
        let language = material.sentence.language;
        let unknown = || {
            let nouns = statement::nouns(&fact.text, language);
            // "Seed photos": photos.
            let head = if language == Language::En { nouns.last() } else { nouns.first() };
            head.is_some_and(|noun| !self.knows(noun, language))
        };
        let shares = || {
            stems(&fact.text).iter().any(|word| self.said.contains(word))
                || self.known.shared_with(&fact.text) >= SHARED
        };
        !material.packs.is_empty() && is_statement(&fact.text) && !sets(&fact.text) && unknown() && !shares()
    }

    /// Whether a rule only states how something is that the packs and the task do not speak of: "Names of NATS subjects are
    /// lower case".
    pub(super) fn states_elsewhere(&self, material: &Material<'_>, fact: &Fact) -> bool {
        const BOUNDS: &[&str] = &["only", "só", "apenas", "solo", "sólo"];
        let lower = fact.text.to_lowercase();
        let words = || lower.split(|c: char| !c.is_alphanumeric());
        let numbers = |word: &str| Language::ALL.iter().any(|one| one.lexicon().set("numbers").contains(word));
        let bounds = words().any(|word| BOUNDS.contains(&word) || numbers(word));
        let bounds = bounds || lower.contains(|c: char| c.is_ascii_digit());
        let known = !material.packs.is_empty() || self.office;
        let language = material.sentence.language;
        let unknown = || {
            let nouns = statement::nouns(&fact.text, language);
            self.office && !nouns.is_empty() && !nouns.iter().any(|noun| self.knows(noun, language))
        };
        let elsewhere = || self.known.shared_with(statement::subject(&fact.text)) == 0 || unknown();
        // A measure may hold for what the sentence speaks of.
        let measures = bounds || material.packs.is_empty();
        let of_task = |word: &String| self.material.contains(word) || (measures && self.said.contains(word));
        let words = stems(&fact.text);
        let claimed =
            || self.office && !words.iter().any(|word| self.said.contains(word)) && self.is_claimed(material, fact);
        let bare = is_statement(&fact.text) && (self.office || !sets(&fact.text));
        bare && known && (claimed() || (elsewhere() && !words.iter().any(of_task)))
    }

    /// Whether the packs or the task have this word or a form of it: "declarations" and "declared".
    fn knows(&self, noun: &str, language: Language) -> bool {
        let begins = |known: &String| known.bytes().zip(noun.bytes()).take_while(|(a, b)| a == b).count() >= ALIKE;
        singular(noun, language).iter().any(|one| self.nouns.contains(one)) || self.nouns.iter().any(begins)
    }

    /// Whether the subject of a rule names the work of another pack, in words that the chosen ones do not know.
    pub(super) fn is_claimed(&self, material: &Material<'_>, fact: &Fact) -> bool {
        let language = material.sentence.language;
        let claims = statement::claims(&fact.text, language);
        let chosen = |id: &str| material.packs.iter().any(|chosen| chosen.pack.head.id == id);
        let known = |phrase: &str| statement::words(phrase).iter().all(|word| self.knows(word, language));
        !claims.is_empty() && !claims.iter().any(|(id, phrase)| chosen(id) || known(phrase))
    }

    /// Whether a rule of a document about the task states something of which no other rule of the document speaks: "The
    /// vaccine fridge is read twice a day".
    pub(super) fn stands_alone(&self, material: &Material<'_>, fact: &Fact) -> bool {
        self.states_elsewhere(material, fact) && {
            let beside = material.facts.all.iter().filter(|other| other.file == fact.file && *other != fact);
            let said = Subject::of(&beside.map(|other| other.text.as_str()).collect::<Vec<_>>().join(" "));
            said.shared_with(&fact.text) == 0
        }
    }

    /// Whether a rule only says that others have or do something: "Dashboards belong to the BI team".
    pub(super) fn is_of_others(&self, fact: &Fact) -> bool {
        const OTHERS: &[&str] = &[
            "belongs to", "belong to", "is owned by", "are owned by", "is handled by", "are handled by",
            "another team", "another package", "another repository", "pertence a", "pertencem a", "outra equipe",
            "outro pacote", "pertenece a", "pertenecen a", "otro equipo", "otro paquete", "not here", "not from here",
            "outro repositório", "otro repositorio", "team owns", "team's repository",
        ];
        let lower = fact.text.to_lowercase();
        let others = OTHERS.iter().any(|phrase| lower.contains(phrase));
        others && !is_order(&fact.text) && !stems(&fact.text).iter().any(|word| self.said.contains(word))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use crate::skill::body::{Material, assemble};
    use crate::skill::fact::{Fact, Facts, Kind};
    use crate::skill::{pack, sentence};

    /// Which of the rules a skill for the sentence shows.
    fn shown(text: &str, rules: &[&str]) -> Vec<String> {
        let rule = |(at, rule): (usize, &&str)| Fact::new(Kind::Rule, *rule).about(rule).at("CONTRIBUTING.md", at + 1);
        let facts = Facts { all: rules.iter().enumerate().map(rule).collect(), ..Facts::default() };
        let sentence = sentence::read(text);
        let packs = pack::of_sentence(&sentence, &facts);
        let none = BTreeMap::new();
        let body = assemble(&Material {
            sentence: &sentence,
            facts: &facts,
            packs: &packs,
            answers: &none,
            asked: &none,
            given: &[],
            remembered: &[],
        });
        let said: Vec<String> =
            body.sections.into_iter().flat_map(|section| section.lines).map(|line| line.text).collect();
        let kept = rules.iter().filter(|rule| said.iter().any(|line| line.contains(*rule)));
        kept.map(|rule| (*rule).to_owned()).collect()
    }

    #[test]
    fn what_is_so_elsewhere_stays_out_though_its_neighbours_are_near() {
        let of_task = [
            "Webhook signatures are verified on the raw body.",
            "Handlers answer within 5 seconds.",
            "Never charge a card in a test.",
            "Trial accounts are left out of every metric.",
        ];
        let all = [of_task.as_slice(), &["The back-office theme uses Bootstrap 5."]];
        assert_eq!(shown("Make the payment webhook handler idempotent", &all.concat()), of_task);
    }
}
