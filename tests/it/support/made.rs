//! The skill that a sentence gives in an empty folder.

use std::collections::BTreeMap;

use hefesto::client::target::Arguments;
use hefesto::skill::body::{Body, Material, assemble};
use hefesto::skill::fact::Facts;
use hefesto::skill::pack::{Choice, Chosen, Source, choose, words};
use hefesto::skill::sentence::{self, Sentence};
use hefesto::skill::template::{Values, built_in};

pub(crate) struct Made {
    pub(crate) sentence: Sentence,
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) packs: Vec<Chosen>,
    pub(crate) body: Body,
    pub(crate) text: String,
}

/// The packs that a sentence chooses.
pub(crate) fn chosen(sentence: &Sentence) -> Vec<Chosen> {
    let sources: Vec<Source> = Source::built_in().collect();
    choose(&sources, sentence, &Facts::default(), &Choice::default()).unwrap()
}

pub(crate) fn made(text: &str, arguments: Arguments) -> Made {
    let sentence = sentence::read(text);
    let packs = chosen(&sentence);
    let (facts, answers) = (Facts::default(), BTreeMap::new());
    let material = Material {
        sentence: &sentence,
        facts: &facts,
        packs: &packs,
        answers: &answers,
        asked: &answers,
        given: &[],
        remembered: &[],
    };
    let body = assemble(&material);
    let name = sentence.name.as_ref().unwrap().to_string();
    let mut values = Values::new(&name, text, &sentence, &words(&packs, sentence.language), "2026-02-05");
    values.input = body.input().to_owned();
    values.instructions = body.instructions();
    let text = built_in("base").unwrap().render(&values, arguments).unwrap();
    Made { sentence, name, description: values.description, packs, body, text }
}
