//! What a rule speaks of that only states how something is: "Parking permits are issued at the gate".

use crate::skill::Language;
use crate::skill::name::fold;
use crate::skill::pack;

/// Before so many words stands the verb of a statement.
const STATED: usize = 8;

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

/// The words of a text, in lowercase and without accents.
pub(super) fn words(text: &str) -> Vec<String> {
    let plain = fold(text).to_lowercase();
    plain.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_owned).collect()
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
    fn another_work_is_named_by_the_subject_alone() {
        let ids = |rule| claims(rule, Language::En).into_iter().map(|(id, _)| id).collect::<Vec<_>>();
        assert!(ids("Exit interviews are held by someone outside the department.").contains(&"exit-interviews"));
        assert!(ids("The manager is invited to all exit interviews.").is_empty());
    }
}
