//! When a skill is to be used, said in situations an agent can recognise (T1-HEFESTO-01).

use super::occasion::occasion;
use super::phrases::asked;
use crate::skill::understand::{Language, Understanding, sentences};

/// The phrases that tell when, in three languages.
const TRIGGERS: &[&str] = &[
    "use when",
    "use whenever",
    "use for",
    "use this",
    "use it when",
    "use quando",
    "use para",
    "use cuando",
    "ideal para",
    "usar quando",
    "usar cuando",
];

/// Whether the text says when to use the skill.
pub(crate) fn has_trigger(text: &str) -> bool {
    let lower = text.to_lowercase();
    TRIGGERS.iter().any(|trigger| {
        lower.match_indices(trigger).any(|(at, _)| {
            let before = lower.get(..at).and_then(|text| text.chars().next_back());
            let after = lower.get(at + trigger.len()..).and_then(|text| text.chars().next());
            ![before, after].into_iter().flatten().any(char::is_alphanumeric)
        })
    })
}

/// The sentence that says when: the text's own where it has one, otherwise one made from what was understood.
#[must_use]
pub fn use_when(full: &str, understood: &Understanding) -> String {
    let line = crate::skill::understand::one_line(full);
    let own = sentences(&line).into_iter().find(|sentence| has_trigger(sentence)).map(str::to_owned);
    own.unwrap_or_else(|| trigger(&line, understood))
}

/// What is asked for, what is behind it, which means is named, and the other words for the subject.
pub(super) fn trigger(line: &str, understood: &Understanding) -> String {
    let subject = subject(line, understood);
    let language = understood.language;
    let verb = understood.verb.as_deref().unwrap_or_default();
    let ask = match (understood.verb.is_some() && !understood.object.is_empty(), language) {
        (true, _) => {
            let whole = understood.task.strip_prefix(verb).unwrap_or(&understood.object).trim();
            let whole = whole.strip_prefix("and ").map_or(whole, |_| understood.object.as_str());
            let verbs = asked(verb, language);
            // The description speaks of the user: what was "mine" is theirs.
            let theirs = |word: &str| if matches!(word, "my" | "our") { "their" } else { word }.to_owned();
            match language {
                Language::En => {
                    let whole = whole.split(' ').map(theirs).collect::<Vec<_>>().join(" ");
                    format!("the user asks to {verbs} {whole}")
                }
                Language::Pt => format!("alguém pedir para {verbs} {whole}"),
                Language::Es => format!("alguien pida {verbs} {whole}"),
            }
        }
        (false, Language::En) if understood.verb.is_some() => format!("the user asks to {}", understood.deed),
        (false, Language::En) => format!("the task involves {subject}"),
        (false, Language::Pt) => format!("a tarefa envolver {subject}"),
        (false, Language::Es) => format!("la tarea incluya {subject}"),
    };
    let acts = understood.verb.is_some();
    let behind = match (occasion(verb, understood.archetype, language), acts, language) {
        ("", ..) => String::new(),
        (behind, true, _) => behind.to_owned(),
        (behind, false, Language::En) => format!("the user {behind}"),
        (behind, false, Language::Pt) => format!("alguém {behind}"),
        (behind, false, Language::Es) => format!("alguien {behind}"),
    };
    let means = understood.technique.as_deref().filter(|means| !means.chars().any(|c| c.is_ascii_digit()));
    let behind_is_empty = behind.is_empty();
    let mut parts = vec![ask, behind];
    if let Some(means) = means {
        parts.push(match language {
            Language::En if !acts && behind_is_empty => format!("the user mentions {means}"),
            Language::En => format!("mentions {means}"),
            Language::Pt => format!("mencionar {means}"),
            Language::Es => format!("mencione {means}"),
        });
    }
    parts.retain(|part| !part.is_empty());
    let (begin, or) = match language {
        Language::En => ("Use when", ", or "),
        Language::Pt => ("Use quando", " ou "),
        Language::Es => ("Usar cuando", " o "),
    };
    let (last, rest) = parts.split_last().map_or(("", &[][..]), |(last, rest)| (last.as_str(), rest));
    let when = if rest.is_empty() { last.to_owned() } else { format!("{}{or}{last}", rest.join(", ")) };
    let mut text = format!("{begin} {when}.");
    if let Some((last, rest)) = understood.also.split_last() {
        let (begin, or) = match language {
            Language::En => ("Also when they say", "or"),
            Language::Pt => ("Também quando disserem", "ou"),
            Language::Es => ("También cuando digan", "o"),
        };
        let list = if rest.is_empty() { last.clone() } else { format!("{} {or} {last}", rest.join(", ")) };
        text.push_str(&format!(" {begin} {list}."));
    }
    text
}

/// What the work is about; for words that were not understood, the beginning of the text itself.
fn subject(line: &str, understood: &Understanding) -> String {
    if !understood.object.is_empty() {
        return understood.object.clone();
    }
    let first = sentences(line).into_iter().next().unwrap_or_default();
    let bare = first.trim_end_matches(['.', '!', '?', '\u{3002}', ' ']);
    match bare.chars().count() {
        0 => "this skill".to_owned(),
        1..=80 => bare.to_owned(),
        _ => format!("{}\u{2026}", bare.chars().take(80).collect::<String>().trim_end()),
    }
}
