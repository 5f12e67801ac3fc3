//! What the gate says of the text: whether it is valid, its warnings, the checklist, the places to fill in.

use crate::create::Proposal;
use crate::rules::finding::{Finding, Severity};
use crate::rules::quality::checklist::{Grade, Point, Verdict};
use crate::skill::printable;
use crate::terminal::ui::{Style, count};

/// Whether the draft is valid, the warnings, the checklist and the places to fill in.
pub(super) fn assessment(style: Style, proposal: &Proposal) -> String {
    let Proposal { draft, warnings, points, grade, can_draft, .. } = proposal;
    let listed: Vec<_> = warnings.iter().filter(|finding| finding.severity == Severity::Warning).collect();
    let verdict = match listed.len() {
        0 => format!("{} valid: the specification and the T0 rules", style.tick()),
        n => format!("{} valid, with {}", style.mark(), count(n, "warning")),
    };
    let mut text = format!("\n{verdict}\n");
    if let Some(body) = draft.body.as_ref().filter(|body| body.is_generic()) {
        let said = generic(body.specific(), grade.gaps > 0, *can_draft);
        text.push_str(&style.fold(&format!("{} {said}\n", style.mark()), 2));
    }
    if let Some(message) = draft.body.as_ref().and_then(|body| unknown(&body.unknown)) {
        text.push_str(&style.fold(&format!("{} {message}\n", style.mark()), 2));
    }
    for finding in &listed {
        text.push_str(&style.fold(&format!("  {}: {}\n", finding.rule, printable(&finding.message)), 2));
    }
    text.push_str(&checklist(style, points, *grade, &listed));
    if grade.gaps > 0 {
        let marked = match grade.gaps {
            1 => "1 place is marked [FILL IN: ...]; `edit` opens it".to_owned(),
            gaps => format!("{gaps} places are marked [FILL IN: ...]; `edit` opens them"),
        };
        text.push_str(&format!("{} {marked}\n", style.mark()));
    }
    text
}

/// The warning for a body with too few specific lines: whether it `asks` open questions, and an AI CLI can draft.
fn generic(specific: usize, asks: bool, drafts: bool) -> String {
    let lines = match specific {
        0 => "No line is".to_owned(),
        1 => "Only 1 line is".to_owned(),
        n => format!("Only {n} lines are"),
    };
    let cure = match (asks, drafts) {
        (true, true) => "Answer the open questions, or draft with an AI CLI.",
        (true, false) => "Answer the open questions.",
        (false, true) => "Say more about the work in the description, or draft with an AI CLI.",
        (false, false) => "Say more about the work in the description, or `edit` the text.",
    };
    format!("{lines} specific to this work: the rest is what a model knows already. {cure}")
}

/// The warning for tools that no pack knows.
pub(in crate::create) fn unknown(names: &[String]) -> Option<String> {
    let named: Vec<String> = names.iter().map(|name| format!("`{}`", printable(name))).collect();
    let whose = if named.len() == 1 { "its" } else { "their" };
    let message = format!("no pack knows {}: {whose} commands are left to you or to a draft.", named.join(" or "));
    (!named.is_empty()).then_some(message)
}

/// The grade and each point that did not pass; reasons listed above are not repeated.
fn checklist(style: Style, points: &[Point], grade: Grade, listed: &[&Finding]) -> String {
    let not_checked: Vec<&Point> = points.iter().filter(|point| point.verdict == Verdict::NotChecked).collect();
    let open: Vec<&Point> = points.iter().filter(|point| point.verdict >= Verdict::Warn).collect();
    let mark = if grade.verdict == "PASS" { style.tick() } else { style.mark() };
    let passed = points.len() - not_checked.len() - open.len();
    let mut text = format!("{mark} Checklist: {passed} passed");
    if !open.is_empty() {
        text.push_str(&format!(", {} did not", open.len()));
    }
    match not_checked.len() {
        0 => {}
        1 => text.push_str(", 1 needs your judgement"),
        n => text.push_str(&format!(", {n} need your judgement")),
    }
    let titles: Vec<String> = not_checked.iter().map(|point| format!("\"{}\"", point.title)).collect();
    text.push_str(&if titles.is_empty() { ".\n".to_owned() } else { format!(": {}.\n", titles.join(", ")) });
    let mut text = style.fold(&text, 2);
    for point in open {
        text.push_str(&format!("  {}. {}\n", point.number, point.title));
        let said =
            |reason: &&String| listed.iter().any(|one| reason.starts_with(&format!("{}: {}", one.rule, one.message)));
        for reason in point.reasons.iter().filter(|reason| !said(reason)) {
            text.push_str(&style.fold(&format!("     {}\n", printable(reason)), 5));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_advice_names_only_what_there_is() {
        let advice = |asks, drafts| generic(0, asks, drafts);
        for (asks, drafts) in [(true, true), (true, false), (false, true), (false, false)] {
            let said = advice(asks, drafts);
            assert_eq!((said.contains("open questions"), said.contains("AI CLI")), (asks, drafts), "{said}");
        }
        assert!(advice(false, false).ends_with("Say more about the work in the description, or `edit` the text."));
    }
}
