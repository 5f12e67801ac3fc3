//! The tools named in a sentence that no chosen pack knows.

use std::cell::LazyCell;

use super::{Chosen, Pack};
use crate::skill::Language;
use crate::skill::name::fold;
use crate::skill::sentence::{Category, Sentence, empty};

/// The names of tools in a sentence that its packs never mention: "Trivy". Packs without programs, such as those for
/// letters, have no commands to miss; without a pack the category decides, or that the work is done "with Trivy".
pub fn unknown(sentence: &Sentence, packs: &[Chosen]) -> Vec<String> {
    let technical = match packs {
        [] => matches!(sentence.category, Category::Devops | Category::Security | Category::Testing),
        packs => packs.iter().any(|chosen| !chosen.pack.head.tools.is_empty()),
    };
    let by = |word: &str| technical || packs.is_empty() && sentence.language.lexicon().set("by").contains(word);
    let words: Vec<&str> = sentence.text.split_whitespace().map(bare).filter(|word| !word.is_empty()).collect();
    let capitals = words.iter().filter(|word| word.starts_with(char::is_uppercase)).count();
    if capitals * 2 > words.len() {
        return Vec::new();
    }
    let known = LazyCell::new(|| packs.iter().map(|chosen| text(&chosen.pack)).collect::<String>());
    let mut names: Vec<String> = Vec::new();
    for (before, name) in words.iter().zip(words.iter().skip(1)).filter(|(_, name)| is_name(name)) {
        let singular = name.strip_suffix('s').unwrap_or(name).to_lowercase();
        if by(&before.to_lowercase()) && !known.contains(&singular) && !names.iter().any(|one| one == name) {
            names.push((*name).to_owned());
        }
    }
    names
}

fn bare(word: &str) -> &str {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    word.split(['\'', '\u{2019}']).next().unwrap_or_default()
}

/// Whether a word is written as the name of a tool: "Trivy", "GoogleTest"; not "API", "German" or "Monday".
fn is_name(word: &str) -> bool {
    let lower = fold(word).to_lowercase();
    let listed = |language: Language| {
        let lexicon = language.lexicon();
        lexicon.verb(&lower).is_some()
            || ["everyday", "no_tools"].iter().any(|set| lexicon.set(set).contains(lower.as_str()))
    };
    word.chars().count() > 2
        && word.starts_with(char::is_uppercase)
        && word.contains(char::is_lowercase)
        && word.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '-' | '+' | '#'))
        && !empty(&lower)
        && !Language::ALL.into_iter().any(listed)
}

/// All that a pack says, in lowercase.
fn text(pack: &Pack) -> String {
    let head = &pack.head;
    let words = head.topic.iter().flatten().chain(&head.tools).chain(&head.words).chain(&head.topic_repo_words);
    let lines = pack.lines.iter().flat_map(|line| {
        let own = [&line.text, &line.sign, &line.means, &line.remedy].into_iter();
        own.chain(&line.code).chain(&line.mentions).chain(line.pt.iter()).chain(line.es.iter())
    });
    let all: Vec<&str> = words.chain(lines).chain([&head.title, &head.id]).map(String::as_str).collect();
    all.join(" ").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skill::fact::Facts;
    use crate::skill::pack::of_sentence;
    use crate::skill::sentence::read;

    fn of(sentence: &str) -> Vec<String> {
        let sentence = read(sentence);
        unknown(&sentence, &of_sentence(&sentence, &Facts::default()))
    }

    #[test]
    fn a_tool_that_no_chosen_pack_mentions_is_named() {
        assert_eq!(of("Scan our container images with Clair"), ["Clair"]);
        assert_eq!(of("Scan our images with Clair"), ["Clair"]);
        assert_eq!(of("Deploy the backend to Heroku"), ["Heroku"]);
    }

    #[test]
    fn what_a_pack_knows_and_what_is_no_tool_is_not() {
        for sentence in [
            "Lint our Dockerfiles with Hadolint",
            "Review pull requests on Monday for the API team",
            "Translate technical manuals from German to English",
            "Plan trips to Japan",
            "Write Unit Tests For The Billing Module",
        ] {
            assert_eq!(of(sentence), [""; 0], "{sentence}");
        }
    }
}
