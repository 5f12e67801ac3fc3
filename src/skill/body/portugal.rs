//! Portuguese as it is written in Portugal. Packs are written in that of Brazil; a sentence or a house from Portugal gets
//! their lines in its own words, and none that is about Brazil alone.

use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::{Origin, Section};
use crate::skill::Language;
use crate::skill::name::fold;

pub(super) fn is_from_portugal<'t>(mut texts: impl Iterator<Item = &'t str>) -> bool {
    static MARKS: LazyLock<Vec<&str>> = LazyLock::new(|| listed("marks"));
    let mut marked = false;
    let brazilian = texts.any(|text| {
        marked |= has_one(&MARKS, text);
        has_one(&BRAZIL, text)
    });
    marked && !brazilian
}

/// Says the lines of packs and the questions as in Portugal.
pub(super) fn adapt(sections: &mut [Section]) {
    for section in sections {
        section.lines.retain_mut(|line| {
            let of_pack = matches!(line.origin, Origin::Pack { .. });
            if of_pack && is_about_brazil(&line.text) {
                return false;
            }
            if of_pack || matches!(line.origin, Origin::Open { .. }) {
                line.text = said(&line.text);
            }
            true
        });
    }
}

static BRAZIL: LazyLock<Vec<&str>> = LazyLock::new(|| listed("brazil"));

fn listed(key: &str) -> Vec<&'static str> {
    Language::Pt.lexicon().text("portugal", key).split_whitespace().collect()
}

/// Whether a text has one of these words, which are in lowercase and without accents.
fn has_one(words: &[&str], text: &str) -> bool {
    let mut said = text.split(|c: char| !c.is_alphanumeric() && c != '-');
    said.any(|word| words.contains(&fold(word).to_lowercase().as_str()))
}

fn is_about_brazil(text: &str) -> bool {
    has_one(&BRAZIL, text) && !has_one(&["portugal", "rgpd", "ue"], text)
}

/// A text of Brazil as it is said in Portugal; code stays.
fn said(text: &str) -> String {
    static INSTEAD: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| {
        let words = Language::Pt.lexicon().text("portugal", "words");
        words.split(['|', '\n']).filter_map(|pair| pair.trim().split_once('=')).collect()
    });
    #[allow(clippy::expect_used, reason = "a pattern of escaped words")]
    static WORDS: LazyLock<Regex> = LazyLock::new(|| {
        let mut all: Vec<&str> = INSTEAD.iter().map(|(word, _)| *word).collect();
        all.sort_by_key(|word| std::cmp::Reverse(word.len()));
        let all: Vec<String> = all.iter().map(|word| regex::escape(word)).collect();
        Regex::new(&format!(r"(?i)\b(?:{})\b", all.join("|"))).expect("a valid pattern")
    });
    /// "econômico", "acadêmico": before a nasal that begins a syllable, Portugal writes the open vowel.
    #[allow(clippy::expect_used, reason = "a fixed pattern")]
    static NASAL: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"([êôÊÔ])([nm][aeiouáéíóúâãõ])").expect("a valid pattern"));
    let prose = |text: &str| {
        let said = WORDS.replace_all(text, |found: &Captures<'_>| {
            let written = &found[0];
            let lower = written.to_lowercase();
            let instead = |word: &str| INSTEAD.iter().rfind(|(known, _)| *known == word).map(|(_, instead)| *instead);
            let Some(instead) = instead(written).or_else(|| instead(&lower)) else { return written.to_owned() };
            if !written.starts_with(char::is_uppercase) {
                return instead.to_owned();
            }
            let (first, rest) = instead.split_at(instead.chars().next().map_or(0, char::len_utf8));
            first.to_uppercase() + rest
        });
        let open = |found: &Captures<'_>| {
            found[1].replace('ê', "é").replace('ô', "ó").replace('Ê', "É").replace('Ô', "Ó") + &found[2]
        };
        NASAL.replace_all(&said, open).into_owned()
    };
    let parts = text.split('`').enumerate();
    parts.map(|(at, part)| if at % 2 == 0 { prose(part) } else { part.to_owned() }).collect::<Vec<_>>().join("`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_portugal_are_known_by_their_words_and_brazil_overrules_them() {
        let from = |texts: &[&str]| is_from_portugal(texts.iter().copied());
        assert!(from(&["Responder às reclamações da câmara"]) && from(&["Fazer a ata", "Guarda o ficheiro em atas/."]));
        assert!(!from(&["Organizar os arquivos dos usuários"]));
        assert!(!from(&["Registrar o contacto", "A LGPD vale para todos."]));
    }

    #[test]
    fn words_change_with_their_articles_and_code_stays() {
        for (brazil, portugal) in [
            (
                "Salve o arquivo da tela em `tela/arquivo.txt`; o usuário vê a tela.",
                "Guarde o ficheiro do ecrã em `tela/arquivo.txt`; o utilizador vê o ecrã.",
            ),
            ("Telas e fatos econômicos: CNPJ ou CPF.", "Ecrãs e factos económicos: NIF."),
            ("A experiência do cônjuge", "A experiência do cônjuge"),
        ] {
            assert_eq!(said(brazil), portugal);
        }
    }

    #[test]
    fn only_lines_about_brazil_alone_are_foreign() {
        assert!(is_about_brazil("No Brasil, 15 dias (LGPD, art. 19).") && is_about_brazil("Pela CLT são 30 dias."));
        assert!(!is_about_brazil("No Brasil 15 dias, em Portugal um mês.") && !is_about_brazil("Em 15 dias."));
    }
}
