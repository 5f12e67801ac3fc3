//! When a skill is to be used, said in situations an agent can recognise (T1-HEFESTO-01).

use super::occasion::occasion;
use super::phrases::asked;
use crate::skill::understand::{Archetype, Language, Role, Understanding, sentences};

/// The phrases that tell when, in three languages.
const TRIGGERS: &[&str] = &[
    "use when", "use whenever", "use for", "use this", "use it when", "use quando", "use para", "use cuando",
    "ideal para", "usar quando", "usar cuando",
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
        (true, Language::En) => format!("the user asks to {}", wish(verb, understood).replace("the user's ", "their ")),
        (true, Language::Pt) => format!("alguém pedir para {}", wish(verb, understood)),
        (true, Language::Es) => format!("alguien pida {}", wish(verb, understood)),
        (false, Language::En) if understood.verb.is_some() => format!("the user asks to {}", understood.deed),
        (false, Language::En) => format!("the task involves {subject}"),
        (false, Language::Pt) => format!("a tarefa envolver {subject}"),
        (false, Language::Es) => format!("la tarea incluya {subject}"),
    };
    let acts = understood.verb.is_some();
    let behind = match (behind(verb, understood), acts, language) {
        ("", ..) => String::new(),
        (behind, true, _) => behind.to_owned(),
        (behind, false, Language::En) => format!("the user {behind}"),
        (behind, false, Language::Pt) => format!("alguém {behind}"),
        (behind, false, Language::Es) => format!("alguien {behind}"),
    };
    let tool = |means: &str| understood.tools.iter().any(|tool| tool == means) || means.contains(char::is_uppercase);
    let owned = |means: &str| {
        let own = |text: &str| text.starts_with("the team's ") || text.starts_with("the user's ");
        understood.facts.iter().any(|fact| fact.role == Role::Means && own(&fact.text) && fact.text.ends_with(means))
    };
    let told = |means: &&str| {
        let vague = !means.contains(' ') && !tool(means) && !means.contains('`');
        !means.chars().any(|c| c.is_ascii_digit()) && !listed(means) && !owned(means) && !vague
    };
    let means = understood.technique.as_deref().filter(told);
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
    let also: Vec<String> = understood.also.iter().map(|said| quoted(&as_spelled(said, understood))).collect();
    if let Some((last, rest)) = also.split_last() {
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

/// The work as a person asks for it: the verb and others for it, then the object, with what it becomes or is about.
fn wish(verb: &str, understood: &Understanding) -> String {
    let language = understood.language;
    let whole = understood.task.strip_prefix(verb).unwrap_or(&understood.object).trim();
    // "limpar e padronizar os endereços" is said as it stands.
    if ["and ", "e ", "y "].iter().any(|and| whole.starts_with(and)) {
        return understood.task.clone();
    }
    // "prepare for an interview": the others take an object.
    let bare = whole.split_once(' ').is_some_and(|(first, _)| PLACES.contains(&first));
    if bare && !matches!(understood.archetype, Archetype::Deploy | Archetype::Migrate) {
        return format!("{verb} {whole}");
    }
    // "keep the list up to date" is to update it.
    if let Some(before) = kept(verb, whole, understood) {
        let verbs = match language {
            Language::En => "update or refresh",
            Language::Pt => "atualizar",
            Language::Es => "actualizar",
        };
        return format!("{verbs} {before}{}", understood.object);
    }
    let of = |role| understood.facts.iter().filter(move |fact| fact.role == role).map(|fact| fact.text.as_str());
    let changes = matches!(understood.archetype, Archetype::Convert | Archetype::Migrate);
    let becomes = of(Role::Result).next().filter(|_| changes && of(Role::Result).count() == 1);
    let verbs = as_spelled(&asked(verb, language, becomes.is_some()), understood);
    let into = match (language, understood.archetype) {
        (Language::En, Archetype::Migrate) => "to",
        (Language::En, _) => "into",
        (Language::Pt, _) => "para",
        (Language::Es, _) if becomes.is_some_and(|name| TONGUES.contains(&name)) => "al",
        (Language::Es, _) => "a",
    };
    let about = of(Role::Topic).next().filter(|_| !understood.object.contains(' '));
    match (becomes, about) {
        (Some(becomes), _) => format!("{verbs} {whole} {into} {becomes}"),
        (None, Some(about)) => {
            format!("{verbs} {whole} {} {about}", if language == Language::En { "about" } else { "sobre" })
        }
        (None, None) => format!("{verbs} {whole}"),
    }
}

/// Words with which a verb without an object goes on.
const PLACES: &[&str] = &["for", "to", "from", "with", "in", "on", "as", "about", "when", "if", "at"];

/// Languages, which Spanish gives an article.
const TONGUES: &[&str] = &["español", "inglés", "francés", "portugués", "alemán", "italiano", "catalán", "chino"];

/// What stands before the object where a state is said after it: "keep" the list "up to date".
fn kept<'t>(verb: &str, whole: &'t str, understood: &Understanding) -> Option<&'t str> {
    let keeps = ["keep", "manter", "mantener"].contains(&verb) && !understood.object.is_empty();
    let (before, after) = whole.split_once(&understood.object).filter(|_| keeps)?;
    (!after.is_empty()).then_some(before)
}

/// What is behind the wish; nothing where only a noun names the kind of work and its words would not fit the verb.
fn behind(verb: &str, understood: &Understanding) -> &'static str {
    let kind = understood.archetype;
    let by_verb =
        understood.scores.first().is_some_and(|score| score.words.iter().any(|word| verb.starts_with(word.as_str())));
    let keeps = ["keep", "manter", "mantener"].contains(&verb);
    let whole = understood.task.strip_prefix(verb).unwrap_or_default();
    if keeps && kept(verb, whole, understood).is_none() {
        return "";
    }
    let fits = verb.is_empty() || by_verb || kind != Archetype::Document;
    if fits { occasion(verb, kind, understood.language) } else { "" }
}

/// Whether the words name two things or more.
fn listed(words: &str) -> bool {
    words.split(' ').any(|word| matches!(word, "and" | "or" | "e" | "ou" | "y" | "o"))
}

/// A phrase in quotes, a single word as it is.
fn quoted(said: &str) -> String {
    if said.contains(' ') { format!("'{said}'") } else { said.to_owned() }
}

/// Our words in the spelling of the sentence: American where it says "analyze" or "organize".
fn as_spelled(said: &str, understood: &Understanding) -> String {
    if understood.language != Language::En || !american(&understood.deed) {
        return said.to_owned();
    }
    let word = |word: &str| word.replace("yse", "yze").replace("ise", "ize");
    said.split(' ')
        .map(|one| if one.starts_with("advise") { one.to_owned() } else { word(one) })
        .collect::<Vec<_>>()
        .join(" ")
}

/// Whether the words are spelled as in America.
fn american(words: &str) -> bool {
    words.split(' ').any(|word| {
        let long = word.len() > 5;
        long && ["ize", "yze", "izing", "yzing", "ized", "yzed", "ization", "color", "behavior", "center"]
            .iter()
            .any(|end| word.ends_with(end) || word.strip_suffix('s').is_some_and(|word| word.ends_with(end)))
    })
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skill::understand;

    #[test]
    fn a_wish_is_said_as_people_say_it() {
        for (sentence, said) in [
            ("Convert Word documents to Markdown", "convert, change or turn Word documents into Markdown,"),
            ("Convert Word documents", "convert or change Word documents,"),
            ("Keep our CHANGELOG up to date", "update or refresh the CHANGELOG, or finds something in it out of date."),
            ("Organize my photo library", "organize, sort or tidy their photo library,"),
            ("Organise my photo library", "organise, sort or tidy their photo library,"),
            ("Prepare for job interviews", "asks to prepare for job interviews,"),
            (
                "Summarize meeting notes with owners and dates",
                "or has more to read than time to read it. Also when they say minutes.",
            ),
            ("Write unit tests", "Also when they say 'test cases'."),
        ] {
            let found = use_when(sentence, &understand(sentence));
            assert!(found.contains(said), "{sentence}: {found}");
        }
    }
}
