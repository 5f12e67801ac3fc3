//! What people type who want a piece of work: short requests, made of its verb, its object and the other words for both.

use super::phrases::asked;
use crate::skill::understand::{Language, Understanding};

/// The most requests that are made of one description.
const MOST: usize = 6;

/// The requests that should find this work, each once, the plainest first. None where no deed was understood.
#[must_use]
pub fn requests(understood: &Understanding) -> Vec<String> {
    let Some(verb) = understood.verb.as_deref().filter(|_| !understood.object.is_empty()) else {
        let said = if understood.verb.is_some() { &understood.deed } else { &understood.object };
        return (!said.is_empty()).then(|| said.clone()).into_iter().collect();
    };
    let language = understood.language;
    let or = match language {
        Language::En => " or ",
        Language::Pt => " ou ",
        Language::Es => " o ",
    };
    let asked = asked(verb, language, false);
    let verbs: Vec<&str> = asked.split(", ").flat_map(|verbs| verbs.split(or)).collect();
    let object = understood.object.as_str();
    let plain = verbs.iter().map(|verb| request(verb, object, language));
    let others = understood.also.iter().take(2).filter_map(|also| Some(request(verbs.first()?, also, language)));
    let mut all = vec![request(verb, object, language)];
    for one in plain.chain(others) {
        if !all.contains(&one) {
            all.push(one);
        }
    }
    all.truncate(MOST);
    all
}

/// "check my csv files"; in Portuguese and Spanish, where the word would have to agree, without "my".
fn request(verb: &str, object: &str, language: Language) -> String {
    const HELD: &[&str] =
        &["a", "an", "the", "my", "our", "your", "their", "its", "all", "any", "every", "each", "new"];
    let first = object.split(' ').next().unwrap_or_default();
    let whose = if language == Language::En && !HELD.contains(&first) { "my " } else { "" };
    format!("{verb} {whose}{object}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skill::understand;

    fn of(description: &str) -> Vec<String> {
        requests(&understand(description))
    }

    #[test]
    fn the_verbs_and_words_people_use_are_tried() {
        assert_eq!(
            of("Validates email addresses using regex patterns. Use when an address was refused."),
            ["validate my email addresses", "check my email addresses", "verify my email addresses", "check my e-mail"]
        );
        assert_eq!(of("Aprova pedidos de férias.").first().map(String::as_str), Some("aprovar pedidos de férias"));
    }

    #[test]
    fn without_a_deed_the_subject_is_all_there_is() {
        assert!(of("").is_empty());
        assert!(of("Pdf 한글.").len() <= 1);
    }
}
