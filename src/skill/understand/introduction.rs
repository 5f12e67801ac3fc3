//! What stands before the matter itself: "Create a skill that helps me to …".

use super::stopwords::{HELPED, INTRODUCTION, LEADS, SKILL};
use super::verbs::{self, Form};
use super::words::Word;

/// How many words at the start only say that this is a skill.
pub(super) fn introduction(words: &[Word]) -> usize {
    let before = words.iter().take_while(|word| word.is_any(INTRODUCTION)).count();
    let wanting = words
        .iter()
        .take(before)
        .any(|word| word.is_any(&["i", "we", "want", "need", "quero", "quiero", "preciso", "necesito"]));
    match words.get(before) {
        Some(word) if word.is_any(SKILL) => {
            let leads = words.iter().skip(before + 1).take_while(|word| word.is_any(LEADS)).count();
            let all = before + 1 + leads;
            let open = words.get(all - 1).is_some_and(|word| word.is_any(&["should", "be", "used"]));
            if leads > 0 && all < words.len() && !open { all } else { 0 }
        }
        Some(_) if wanting => before,
        _ => helping(words),
    }
}

/// How many words say whom the skill helps to do what follows ("Helps you to …"), or only "how to".
fn helping(words: &[Word]) -> usize {
    let [how, to] = [0, 1].map(|i| words.get(i).map(Word::key).unwrap_or_default());
    match (how, to) {
        ("how" | "what", "to") if words.len() > 2 => return 2,
        ("como", verb) if verbs::romance(verb).is_some() => return 1,
        _ => {}
    }
    // "Help me with emails", "Ayúdame con …": what follows is the subject itself.
    const ASK: &[&str] = &["help", "ajude", "ajuda", "ajude-me", "ayuda", "ayudame", "ayudeme"];
    let whom = usize::from(words.get(1).is_some_and(|word| word.is_any(HELPED)));
    let before = usize::from(words.first().is_some_and(|word| word.is_any(&["me"])));
    let asks = words.get(before).is_some_and(|word| word.is_any(ASK));
    let at = before + 1 + if before == 0 { whom } else { 0 };
    match words.get(at).map(Word::key).as_deref() {
        Some("with" | "com" | "con") if asks && words.len() > at + 1 => return at + 1,
        Some("a") if asks && words.get(at + 1).is_some_and(|word| verbs::romance(&word.key()).is_some()) => {
            return at + 1;
        }
        _ => {}
    }
    let helps = words.first().is_some_and(|word| word.is_any(&["help", "helps"]));
    let whom = words.get(1).is_some_and(|word| word.is_any(HELPED));
    let to = usize::from(words.get(2).is_some_and(|word| word.is_any(&["to"])));
    let does =
        words.get(2 + to).is_some_and(|word| verbs::english(word.key()).is_some_and(|verb| verb.form == Form::Base));
    if helps && whom && does { 2 + to } else { 0 }
}
