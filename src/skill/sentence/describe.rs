//! The description an agent chooses a skill by: what it does in the third person, then when to use it.

use super::said::{lowered, stopped};
use super::{Clause, Language, Sentence, behind_when};
use crate::skill::ranking::stems;

/// The longest description allowed by the specification, in scalars.
const MAX_DESCRIPTION: usize = 1024;
/// The longest part of the description that says what is done, in scalars.
const MAX_MAIN: usize = 500;
/// The longest sentence repeated in "Use when"; of a longer one the first clause is used.
const MAX_ASKED: usize = 80;
/// The maximum number of mentioned words.
const MOST_MENTIONED: usize = 5;

/// Whether the text says when to use the skill.
pub fn has_trigger(text: &str) -> bool {
    let lower = text.to_lowercase();
    let of = |language: &Language| language.lexicon().text("say", "trigger").split('|');
    Language::ALL.iter().flat_map(of).any(|trigger| {
        lower.match_indices(trigger).any(|(at, _)| {
            let before = lower.get(..at).and_then(|text| text.chars().next_back());
            let after = lower.get(at + trigger.len()..).and_then(|text| text.chars().next());
            ![before, after].into_iter().flatten().any(char::is_alphanumeric)
        })
    })
}

/// The frontmatter's description: what is done in the third person, then when to use the skill. `words` are phrases
/// people use for this work. Rules stay in the body; what the skill excludes comes last. One line without angle
/// brackets, which some clients refuse.
pub fn describe(sentence: &Sentence, words: &[String]) -> String {
    let lexicon = sentence.language.lexicon();
    let excludes = |rule: &&String| {
        lexicon.text("rules", "excludes").split('|').any(|begin| rule.to_lowercase().starts_with(begin))
    };
    let excluded: String = sentence.rules.iter().filter(excludes).map(|rule| format!(" {rule}")).collect();
    let when = sentence.occasion.clone().unwrap_or_else(|| use_when(sentence, words));
    let when = shorten(&without_brackets(&format!("{when}{excluded}")), MAX_DESCRIPTION / 2);
    let most = MAX_DESCRIPTION.saturating_sub(when.chars().count() + 1).min(MAX_MAIN);
    format!("{} {when}", shorten(&without_brackets(&sentence.spoken), most)).trim().to_owned()
}

/// "Use when the user asks to …, or mentions A, B."
pub fn use_when(sentence: &Sentence, words: &[String]) -> String {
    let say = |key| sentence.language.lexicon().text("say", key);
    let main = sentence.main();
    let short = main.filter(|_| sentence.asked.chars().count() > MAX_ASKED);
    let short = short.map(|main| lowered_task(behind_when(&main.text, sentence.language), main));
    let asked = short.unwrap_or_else(|| sentence.asked.clone());
    let acts = main.is_some_and(|main| !main.written.is_empty());
    let mentioned = mentioned(sentence, words);
    let mentioned = if mentioned.is_empty() { mentioned } else { format!("{}{mentioned}", say("mentions")) };
    let asked = asked.trim_end_matches('?');
    format!("{}{asked}{mentioned}.", say(if acts { "use_asks" } else { "use_about" }))
}

/// Words of packs or synonyms that add something to the sentence.
fn mentioned(sentence: &Sentence, words: &[String]) -> String {
    let mut said = stems(&sentence.text);
    let fresh = |word: &&String| {
        let new: Vec<String> = stems(word).into_iter().filter(|stem| !said.contains(stem)).collect();
        said.extend_from_slice(&new);
        !new.is_empty()
    };
    let own = sentence.also.iter().filter(|_| words.is_empty() || sentence.language != Language::En);
    let all: Vec<&str> = own.chain(words.iter()).filter(fresh).take(MOST_MENTIONED).map(String::as_str).collect();
    all.join(", ")
}

/// A task in the form after "to": a verb in lowercase, a name with its capital.
pub(crate) fn lowered_task(text: &str, task: &Clause) -> String {
    let first = text.split(' ').next().unwrap_or_default();
    let capitals = first.chars().skip(1).any(char::is_uppercase);
    if !capitals && !task.written.is_empty() && task.written.split(' ').next() == Some(first.to_lowercase().as_str()) {
        return format!("{}{}", first.to_lowercase(), text.get(first.len()..).unwrap_or_default());
    }
    lowered(text)
}

/// Replaces angle brackets by words: arrows, comparisons; tags keep their name.
fn without_brackets(line: &str) -> String {
    if !line.contains(['<', '>']) {
        return line.to_owned();
    }
    let text = line.replace("->", " to ").replace("=>", " to ").replace("<=", " at most ");
    let text = text.replace(">=", " at least ").replace(" < ", " under ").replace(" > ", " over ");
    let mut letters = text.chars().peekable();
    let mut out = String::with_capacity(text.len());
    while let Some(c) = letters.next() {
        match c {
            '<' | '>' if letters.peek().is_some_and(char::is_ascii_digit) => {
                out.push_str(if c == '<' { "under " } else { "over " });
            }
            // `Box<dyn Error>` is "Box dyn Error".
            '<' if out.ends_with(char::is_alphanumeric) => out.push(' '),
            '<' | '>' => {}
            c => out.push(c),
        }
    }
    out.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// At most `max` scalars: whole sentences that fit, else the start of the first one up to a word's end.
fn shorten(text: &str, max: usize) -> String {
    if text.chars().count() <= max {
        return text.to_owned();
    }
    let mut kept = String::new();
    for sentence in super::words::sentences(text) {
        if kept.chars().count() + 1 + sentence.chars().count() > max {
            break;
        }
        kept = format!("{kept} {sentence}");
    }
    if !kept.is_empty() {
        return kept.trim_start().to_owned();
    }
    let mut cut: String = text.chars().take(max.saturating_sub(1)).collect();
    if let Some(at) = cut.rfind(' ') {
        cut.truncate(at);
    }
    cut.truncate(cut.trim_end_matches([',', ';', ':', '-', '(', ' ']).len());
    stopped(&format!("{cut}\u{2026}"))
}
