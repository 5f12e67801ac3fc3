//! When a skill is to be used, said in situations an agent can recognise (T1-HEFESTO-01).

use crate::skill::understand::{Archetype, Language, Understanding, romance, sentences};

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

/// A sentence made from verb, object, means and kind of work.
pub(super) fn trigger(line: &str, understood: &Understanding) -> String {
    match understood.language {
        Language::En => english(line, understood),
        Language::Pt => {
            let means = understood.technique.as_ref().map(|means| format!(" ou quando a tarefa envolver {means}"));
            let need = match infinitive(understood) {
                Some(task) => format!("for preciso {task}"),
                None => format!("a tarefa envolver {}", subject(line, understood)),
            };
            format!("Use quando {need}{}.", means.unwrap_or_default())
        }
        Language::Es => {
            let means = understood.technique.as_ref().map(|means| format!(" o cuando la tarea incluya {means}"));
            let need = match infinitive(understood) {
                Some(task) => format!("haya que {task}"),
                None => format!("la tarea incluya {}", subject(line, understood)),
            };
            format!("Usar cuando {need}{}.", means.unwrap_or_default())
        }
    }
}

fn infinitive(understood: &Understanding) -> Option<String> {
    let verb = understood.verb.as_deref().and_then(romance)?;
    Some(format!("{} {}", verb.base, understood.object).trim().to_owned())
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

fn english(line: &str, understood: &Understanding) -> String {
    let object = subject(line, understood);
    let mut situations = Vec::new();
    let acts = understood.verb.is_some();
    situations.push(if acts {
        format!("the user asks to {}", understood.deed)
    } else {
        format!("the task involves {object}")
    });
    if let Some(means) = &understood.technique {
        situations.push(if acts { format!("mentions {means}") } else { format!("the user mentions {means}") });
    }
    let wants = acts && !understood.object.is_empty() && understood.task.ends_with(&understood.object);
    let last = match understood.archetype {
        Archetype::Validate if wants => {
            format!("needs to know whether {object} can be trusted")
        }
        Archetype::Generate if wants => format!("has no {object} yet"),
        Archetype::Review if wants => format!("wants a second opinion on {object}"),
        Archetype::Deploy if wants => format!("wants {object} put into use"),
        Archetype::Convert if wants => format!("has {object} that must take another form"),
        Archetype::Document if wants => format!("has to make {object} understandable to others"),
        Archetype::Refactor if wants => format!("finds {object} hard to work with"),
        Archetype::Analyse if wants => format!("wants conclusions about {object}"),
        Archetype::Validate => "something has to be checked before it is relied on".to_owned(),
        Archetype::Generate => "something new has to be made".to_owned(),
        Archetype::Review => "work is ready for a second opinion".to_owned(),
        Archetype::Test => "a change has to be shown to work".to_owned(),
        Archetype::Deploy => "a new version has to be put into use".to_owned(),
        Archetype::Convert => "something has to be brought into another form".to_owned(),
        Archetype::Document => "something has to be explained in writing".to_owned(),
        Archetype::Refactor => "something works but is hard to work with".to_owned(),
        Archetype::Analyse => "a cause has to be found".to_owned(),
        Archetype::WrapCliTool => "a task is best done on the command line".to_owned(),
        Archetype::Workflow => "steps have to be followed in order".to_owned(),
        Archetype::General => format!("a question about {object} comes up"),
    };
    situations.push(last);
    match situations.as_slice() {
        [first, last] => format!("Use when {first}, or {last}."),
        _ => {
            let (last, rest) = situations.split_last().map_or(("", &[][..]), |(last, rest)| (last.as_str(), rest));
            format!("Use when {}, or {last}.", rest.join(", "))
        }
    }
}
