//! What a rule speaks of that only states how something is: "Parking permits are issued at the gate".

use crate::skill::Language;
use crate::skill::fact::rule_subject;
use crate::skill::name::fold;
use crate::skill::pack;

/// Words with so many letters in common at their beginning may be forms of one.
const ALIKE: usize = 6;

/// Before so many words stands the verb of a statement.
const STATED: usize = 8;

/// What a statement is about: the words before "is" and the like, else its subject.
pub(super) fn subject(rule: &str) -> &str {
    before_being(rule).unwrap_or_else(|| rule_subject(rule))
}

fn before_being(rule: &str) -> Option<&str> {
    const BEING: &[&str] = &[
        "is", "are", "go", "goes", "come", "comes", "follow", "follows", "use", "uses", "live", "lives", "é", "são",
        "está", "estão", "fica", "ficam", "vai", "vão", "vem", "vêm", "seguem", "segue", "usa", "usam", "es", "son",
        "están", "va", "van", "viene", "vienen", "sigue", "siguen", "usan", "pesa", "pesan", "se",
    ];
    let being = rule.split(' ').position(|word| BEING.contains(&word)).filter(|at| (1..STATED).contains(at))?;
    let (end, _) = rule.match_indices(' ').nth(being - 1)?;
    rule.get(..end)
}

/// The words before "is" up to the first preposition, in lowercase; none if a number is among them: "12% contingency".
fn phrase(rule: &str, language: Language) -> Option<String> {
    let lexicon = language.lexicon();
    let goes_on = |word: &&str| !lexicon.set("relates").contains(*word) && !lexicon.set("places").contains(*word);
    let lower = before_being(rule)?.to_lowercase();
    let phrase = lower.split(' ').take_while(goes_on).collect::<Vec<_>>().join(" ");
    Some(phrase).filter(|phrase| !phrase.contains(|c: char| c.is_ascii_digit()))
}

/// The significant words of that phrase.
pub(super) fn nouns(rule: &str, language: Language) -> Vec<String> {
    let lexicon = language.lexicon();
    let grammar = |word: &&str| lexicon.set("grammar").contains(*word) || lexicon.set("articles").contains(*word);
    let phrase = phrase(rule, language).unwrap_or_default();
    let named = phrase.split(' ').filter(|word| !grammar(word)).collect::<Vec<_>>().join(" ");
    words(&named).filter(|word| word.len() > 2).collect()
}

/// The words of a text, without accents and the ending of the plural, in lowercase.
pub(super) fn words(text: &str) -> impl Iterator<Item = String> {
    let plain = fold(text).to_lowercase();
    let words = plain.split(|c: char| !c.is_alphanumeric()).map(singular);
    words.collect::<Vec<_>>().into_iter()
}

/// A word without accents and without the ending of the plural.
pub(super) fn singular(word: &str) -> String {
    let bare = word.strip_suffix("oes").map(|stem| format!("{stem}ao"));
    let bare = bare.or_else(|| word.strip_suffix('s').filter(|rest| !rest.ends_with('s')).map(str::to_owned));
    bare.filter(|bare| bare.len() > 2).unwrap_or_else(|| word.to_owned())
}

/// Whether one word is a form of the other: "declarations" and "declared".
pub(super) fn is_form(one: &str, other: &str) -> bool {
    let shared = one.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
    let (shorter, longer) = (one.len().min(other.len()), one.len().max(other.len()));
    // "indexe" of "indexes", but not "logo" and "log".
    shared == longer || shared >= ALIKE || (shared == shorter && shorter + 1 == longer && longer >= ALIKE)
}

/// The phrases of two words or more in the subject of a rule that name the work of packs, each with the pack's id.
pub(super) fn claims(rule: &str, language: Language) -> Vec<(&'static str, &'static str)> {
    let mut named = pack::named_in(&pack::Searched::of(&phrase(rule, language).unwrap_or_default()));
    named.retain(|(_, phrase)| phrase.contains(' '));
    named
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_before_a_preposition_say_what_a_statement_is_about() {
        let of = |rule, language| nouns(rule, language).join(" ");
        assert_eq!(of("Vouchers of 20 GBP are posted within two weeks.", Language::En), "voucher");
        assert_eq!(of("Trip consent forms are kept until the end of term.", Language::En), "trip consent form");
        assert_eq!(of("El vino de la casa se pide los martes.", Language::Es), "vino");
        assert_eq!(of("As votações são registadas com votos a favor.", Language::Pt), "votacao");
        assert_eq!(of("12% contingency is added in old houses.", Language::En), "");
        assert!(is_form("declaration", "declared") && !is_form("boiler", "boil"));
        assert!(is_form("index", "index") && is_form(&singular("indexes"), "index") && !is_form("page", "pane"));
    }

    #[test]
    fn another_work_is_named_by_the_subject_alone() {
        let ids = |rule| claims(rule, Language::En).into_iter().map(|(id, _)| id).collect::<Vec<_>>();
        assert!(ids("Exit interviews are held by someone outside the department.").contains(&"exit-interviews"));
        assert!(ids("The manager is told of all exit interviews.").is_empty());
    }
}
