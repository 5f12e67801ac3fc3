//! Which steps of a pack are taken, the order of all steps, and what is left out because another step says it.

use super::{Step, said};
use crate::skill::Language;
use crate::skill::body::Material;
use crate::skill::pack::{self, Chosen, LineKind};
use crate::skill::ranking::stems;
use crate::skill::sentence::{Clause, alike};

/// The packs that serve a clause: the one whose topic it names; if it names none, all of them, the one named last
/// before it first.
pub(super) fn serving(packs: &[Chosen], clause: usize) -> Vec<&Chosen> {
    let own: Vec<&Chosen> = packs.iter().filter(|chosen| chosen.clause.is_none_or(|of| of == clause)).collect();
    if own.iter().any(|chosen| chosen.clause.is_some()) {
        return own;
    }
    let mut all: Vec<&Chosen> = packs.iter().collect();
    all.sort_by_key(|chosen| (chosen.clause > Some(clause), std::cmp::Reverse(chosen.clause)));
    all
}

/// The requested steps of a pack and their prerequisites, in the pack's order; one per slot.
pub(super) fn of_pack<'m>(
    material: &Material<'m>,
    chosen: &'m Chosen,
    asked: &dyn Fn(&pack::Line) -> bool,
) -> Vec<&'m pack::Line> {
    let text = material.searched();
    let language = material.sentence.language;
    let step = |line: &&pack::Line| line.kind == LineKind::Step && line.text(language).is_some();
    let usable = |line: &&pack::Line| step(line) && material.holds(line, &text);
    let mut wanted: Vec<&str> = Vec::new();
    let mut queue: Vec<&pack::Line> = chosen.pack.lines.iter().filter(usable).filter(|line| asked(line)).collect();
    while let Some(line) = queue.pop() {
        let Some(slot) = line.slot.as_deref() else { continue };
        if !wanted.contains(&slot) {
            wanted.push(slot);
            let needed =
                |other: &&pack::Line| step(other) && other.slot.as_ref().is_some_and(|slot| line.needs.contains(slot));
            queue.extend(chosen.pack.lines.iter().filter(needed));
        }
    }
    let taken = |line: &&pack::Line| step(line) && line.slot.as_deref().is_some_and(|slot| wanted.contains(&slot));
    let mut lines: Vec<&pack::Line> = chosen.pack.lines.iter().filter(taken).collect();
    // The first line of a slot whose conditions are met; a prerequisite need not be mentioned.
    lines.sort_by_cached_key(|line| (position(chosen, line), !usable(line), !asked(line)));
    lines.dedup_by(|line, before| line.slot == before.slot);
    lines
}

/// The position of the slot's first line in the pack.
fn position(chosen: &Chosen, line: &pack::Line) -> usize {
    chosen.pack.lines.iter().position(|other| other.slot == line.slot).unwrap_or(usize::MAX)
}

/// Orders the steps of all clauses and drops repeated ones. Returns the names behind a colon that no line of a pack
/// says.
pub(super) fn arrange(material: &Material<'_>, clauses: &mut [Vec<Step<'_>>]) -> Vec<String> {
    in_order(material, clauses);
    leave_out_said(material, clauses);
    let uncovered = gather_names(material, clauses);
    place_own(material, clauses);
    uncovered
}

/// The parts after a colon belong to one task: the steps of its pack keep the pack's order.
fn in_order(material: &Material<'_>, clauses: &mut [Vec<Step<'_>>]) {
    for chosen in material.packs.iter().filter(|_| material.sentence.head.is_some()) {
        let own = |step: &Step<'_>| matches!(step, Step::Pack(of, _) if std::ptr::eq(*of, chosen));
        if !clauses.first().is_some_and(|steps| steps.iter().any(own)) {
            continue;
        }
        let mut steps: Vec<Step<'_>> =
            clauses.iter_mut().flat_map(|steps| steps.extract_if(.., |step| own(step))).collect();
        steps.sort_by_key(|step| match step {
            Step::Pack(_, line) => position(chosen, line),
            Step::Own(..) | Step::Here(_) | Step::Parts(..) => usize::MAX,
        });
        if let Some(first) = clauses.first_mut() {
            first.splice(0..0, steps);
        }
    }
}

/// A clause that a pack's step says already is no step of its own, and a name that any of its lines says no part.
fn leave_out_said(material: &Material<'_>, clauses: &mut [Vec<Step<'_>>]) {
    let language = material.sentence.language;
    let steps: Vec<Vec<String>> = clauses.iter().flatten().filter_map(|step| step.words(language)).collect();
    let text = material.searched();
    let holding = material.packs.iter().flat_map(|chosen| {
        chosen.pack.lines.iter().filter(|line| chosen.asked(&line.verbs) && material.holds(line, &text))
    });
    let all: Vec<Vec<String>> =
        holding.filter_map(|line| line.text(language)).map(stems).chain(steps.clone()).collect();
    for (at, (clause, own)) in material.clauses().zip(clauses).enumerate() {
        let listed = at > 0 && material.sentence.head.is_some();
        let lines = if listed && clause.written.is_empty() { &all } else { &steps };
        if matches!(own.as_slice(), [Step::Own(_, _, None)])
            && lines.iter().any(|line| says(line, clause, listed, language))
        {
            own.clear();
        }
    }
}

/// Whether these words of a line say what a clause asks for: two thirds of its words, half of those behind a colon, and
/// its verb or one like it where that is all it has besides a single word.
fn says(line: &[String], clause: &Clause, listed: bool, language: Language) -> bool {
    let everyday = language.lexicon().set("everyday");
    let telling: Vec<&str> = clause.words.iter().map(String::as_str).filter(|word| !everyday.contains(*word)).collect();
    // "Quote the order number": everyday words, but more than one.
    let every = telling.is_empty() && clause.words.len() > 1;
    let words = stems(&if every { clause.words.join(" ") } else { telling.join(" ") });
    let found = words.iter().filter(|word| line.contains(word)).count();
    let enough = if listed { found * 2 >= words.len() } else { found * 3 >= words.len() * 2 };
    // "Make it idempotent": the verb says nothing.
    let idle = everyday.contains(clause.written.as_str()) || clause.written.is_empty();
    let verbs = clause.verb.iter().flat_map(|verb| alike(verb)).chain([clause.written.clone()]);
    let does = || verbs.flat_map(|verb| stems(&verb)).any(|verb| line.contains(&verb));
    // "Cache dependencies" and a step "Cache through …": it says how.
    let begins =
        || listed && words.len() == 1 && stems(&clause.written).first().is_some_and(|verb| line.first() == Some(verb));
    match found {
        0 => !idle && ((words.is_empty() && does()) || begins()),
        1 => enough && (idle || (listed && words.len() == 1 && !clause.object.is_empty()) || does()),
        _ => enough,
    }
}

/// What is listed behind a colon keeps the author's order: a step of its own stands before the pack's step that says
/// what is listed after it.
fn place_own(material: &Material<'_>, clauses: &mut [Vec<Step<'_>>]) {
    let language = material.sentence.language;
    let Some((first, listed)) = clauses.split_first_mut().filter(|_| material.sentence.head.is_some()) else { return };
    if !first.iter().any(|step| matches!(step, Step::Pack(..))) {
        return;
    }
    let parts: Vec<&Clause> = material.sentence.clauses.iter().collect();
    for (at, steps) in listed.iter_mut().enumerate() {
        let own: Vec<Step<'_>> = std::mem::take(steps);
        let said: Vec<Option<Vec<String>>> = first.iter().map(|step| step.words(language)).collect();
        let says_one_of = |line: &Option<Vec<String>>, of: &[&Clause]| {
            line.as_ref().is_some_and(|line| of.iter().any(|clause| says(line, clause, true, language)))
        };
        let ends = |key| parts.get(at).is_some_and(|clause| ends_with(clause, language, key));
        if ends("ahead") {
            // "Warn the channel before": ahead of what cannot be undone; "revoke first": of everything.
            let place = first.iter().position(Step::risk).filter(|_| !ends("foremost")).unwrap_or(0);
            first.splice(place..place, own);
            continue;
        }
        let earlier = said.iter().rposition(|line| says_one_of(line, parts.get(..at).unwrap_or_default()));
        let later = said.iter().position(|line| says_one_of(line, parts.get(at + 1..).unwrap_or_default()));
        let place = later.unwrap_or(first.len()).max(earlier.map_or(0, |earlier| earlier + 1));
        first.splice(place..place, own);
    }
}

/// Whether the last word of a clause is among those of a key.
fn ends_with(clause: &Clause, language: Language, key: &str) -> bool {
    let last = clause.text.trim_end_matches('.').rsplit(' ').next().unwrap_or_default();
    language.lexicon().set(key).contains(last.to_lowercase().as_str())
}

/// Takes the names behind a colon ("Plan a party: guests, cake") out of the steps. If no line of a pack says one of
/// them, they are one step together where no pack has steps, else what these have to cover.
fn gather_names(material: &Material<'_>, clauses: &mut [Vec<Step<'_>>]) -> Vec<String> {
    let sentence = material.sentence;
    let Some(head) = &sentence.head else { return Vec::new() };
    let names_only = |at: usize| material.clauses().nth(at).is_some_and(|clause| clause.written.is_empty());
    let served = clauses.first().is_some_and(|steps| !steps.is_empty());
    let (mut names, mut first) = (Vec::new(), None);
    for (at, steps) in clauses.iter_mut().enumerate().skip(1).filter(|(at, _)| names_only(*at)) {
        if let [Step::Own(text, _, None)] = steps.as_slice() {
            names.push(text.clone());
            first = first.or(Some(at));
            steps.clear();
        }
    }
    // A list is named whole or not at all.
    if served && !names.is_empty() {
        let all = sentence.clauses.iter().filter(|clause| clause.written.is_empty());
        return all.map(said).collect();
    }
    match first.and_then(|at| clauses.get_mut(at)) {
        Some(steps) if !served => {
            steps.push(Step::Parts(head.text.clone(), names));
            Vec::new()
        }
        _ => names,
    }
}
