//! The findings of `validate` for people: a verdict on each skill, then each finding with its line.

use std::collections::BTreeSet;

use super::render::Summary;
use super::render::{MergedFinding, SkillGroup};
use crate::rules::{Severity, Suppressed};
use crate::skill::{printable, printable_line};
use crate::terminal::ui::{self, Style};

/// The whole text. `volume`: -1 the summary alone, 0 errors and warnings, 1 remarks too.
pub(super) fn text(style: Style, volume: i8, groups: &[SkillGroup<'_>], summary: &Summary) -> String {
    if volume < 0 {
        return format!("{}\n", summary.line(true));
    }
    let mut text = String::new();
    let mut explained: BTreeSet<&str> = BTreeSet::new();
    let mut spaced = true;
    for SkillGroup { copies, findings } in groups {
        let findings: Vec<&MergedFinding<'_>> = findings.iter().filter(|one| volume > 0 || !one.is_remark()).collect();
        if !findings.is_empty() && !spaced {
            text.push('\n');
        }
        for (index, one) in copies.iter().enumerate() {
            let verdict = if one.valid { style.good("VALID") } else { style.bad("INVALID") };
            let copy = if index > 0 { style.dim(" (an identical copy)") } else { String::new() };
            text.push_str(&format!("{verdict} {}{copy}\n", style.path(&printable_line(&one.path))));
        }
        let mut previous = None;
        for one in &findings {
            text.push('\n');
            let here = (one.files.first(), one.finding.line, one.finding.column);
            let known = previous.replace(here) == Some(here);
            push(&mut text, style, one, copies.len(), explained.insert(&one.finding.rule), known);
        }
        let accepted: &[Suppressed] = match copies.first() {
            Some(one) if volume > 0 => &one.suppressed,
            _ => &[],
        };
        for one in accepted {
            text.push_str(&format!("\n{}", suppressed(style, one)));
        }
        spaced = !findings.is_empty() || !accepted.is_empty();
        if spaced {
            text.push('\n');
        }
    }
    if !text.is_empty() && !text.ends_with("\n\n") {
        text.push('\n');
    }
    text.push_str(&style.fold(&summary.line(volume > 0), 2));
    text.push('\n');
    text
}

fn suppressed(style: Style, one: &Suppressed) -> String {
    let Suppressed { finding, reason } = one;
    let head = style.dim(&format!("suppressed[{}]", finding.rule));
    let at = format!("{}:{}:{}", printable_line(&finding.file), finding.line, finding.column);
    let lines = [
        (format!("{head}: {}", printable(&finding.message)), 2),
        (format!("  --> {}", style.path(&at)), 6),
        (format!("  reason: {}", printable(reason)), 5),
    ];
    lines.iter().map(|(line, hang)| style.fold(line, *hang) + "\n").collect()
}

/// `why`: explain the rule, the first time. `known`: the line was quoted just before.
fn push(text: &mut String, style: Style, merged: &MergedFinding<'_>, copies: usize, why: bool, known: bool) {
    let finding = merged.finding;
    let paint = match finding.severity {
        Severity::Error => Style::bad,
        Severity::Warning => Style::odd,
        Severity::Info => Style::dim,
    };
    let head = paint(style, &format!("{}[{}]", finding.severity.word(), finding.rule));
    let mut push = |line: String, hang: usize| {
        text.push_str(&style.fold(&line, hang));
        text.push('\n');
    };
    push(format!("{head}: {}", printable(&finding.message)), 2);
    let file = printable_line(merged.files.first().copied().unwrap_or(&finding.file));
    push(format!("  --> {}", style.path(&format!("{file}:{}:{}", finding.line, finding.column))), 6);
    if merged.files.len() > 1 && merged.files.len() < copies {
        for file in merged.files.iter().skip(1) {
            push(format!("  and {}", style.path(&printable_line(file))), 6);
        }
    }
    if let Some(quote) = merged.quote.filter(|_| !known) {
        push(ui::snippet(style, finding.line, &quote.line, quote.before, quote.length).trim_end().to_owned(), 0);
    }
    if why {
        push(format!("  why: {}", printable(&finding.why)), 5);
    }
    push(format!("  fix: {}", printable(&finding.fix)), 5);
    if let Some(others) = merged.others() {
        push(format!("  likewise: {others}"), 5);
    }
}

#[cfg(test)]
mod tests {
    use super::super::check::Checked;
    use super::super::render;
    use super::*;
    use crate::rules::finding::{Finding, Layer};
    use crate::rules::{Profile, Quote};

    fn finding(file: &str, rule: &str, severity: Severity, line: usize) -> Finding {
        Finding {
            layer: Layer::Spec,
            rule: rule.into(),
            severity,
            file: file.into(),
            line,
            column: 7,
            message: "It is wrong".into(),
            why: "It matters.".into(),
            fix: "Right it.".into(),
            client: None,
        }
    }

    fn checked(path: &str, digest: &str, findings: Vec<Finding>) -> Checked {
        let quote = Quote { line: "name: Demo".into(), before: 6, length: 4, end: 11 };
        Checked {
            name: "demo".into(),
            path: path.into(),
            dir: path.into(),
            digest: Some(digest.into()),
            quotes: findings.iter().map(|one| (one.line == 2).then(|| quote.clone())).collect(),
            read: true,
            valid: findings.is_empty(),
            tree: None,
            suppressed: Vec::new(),
            findings,
        }
    }

    fn shown(volume: i8, checked: &[Checked]) -> String {
        let groups = render::merge_copies(checked);
        text(Style::plain(), volume, &groups, &Summary::shown(Profile::Default, checked, &groups))
    }

    #[test]
    fn identical_copies_are_reported_once_and_a_rule_is_explained_once() {
        let of = |path: &str| {
            let file = format!("{path}/SKILL.md");
            vec![finding(&file, "S5", Severity::Error, 2), finding(&file, "S5", Severity::Error, 3)]
        };
        let all = [checked("a/demo", "1", of("a/demo")), checked("b/demo", "1", of("b/demo"))];
        let expected = "\
INVALID a/demo
INVALID b/demo (an identical copy)

error[S5]: It is wrong
  --> a/demo/SKILL.md:2:7
  2 | name: Demo
    |       ^^^^
  why: It matters.
  fix: Right it.

error[S5]: It is wrong
  --> a/demo/SKILL.md:3:7
  fix: Right it.

2 checked: 0 valid, 2 invalid (0 %); 2 errors, 0 warnings
";
        assert_eq!(shown(0, &all), expected);
        assert_eq!(shown(-1, &all), "2 checked: 0 valid, 2 invalid (0 %); 2 errors, 0 warnings\n");
    }

    #[test]
    fn a_line_is_quoted_once_for_all_that_is_said_of_one_place() {
        let of = |rule: &str| finding("a/SKILL.md", rule, Severity::Error, 2);
        let text = shown(0, &[checked("a", "1", vec![of("S5"), of("S7")])]);
        assert_eq!((text.matches("name: Demo").count(), text.matches("a/SKILL.md:2:7").count()), (1, 2), "{text}");
    }

    #[test]
    fn what_holds_of_some_copies_names_them() {
        let one = |path: &str| vec![finding(&format!("{path}/SKILL.md"), "P", Severity::Warning, 1)];
        let all = [checked("a", "1", Vec::new()), checked("b", "1", one("b")), checked("c", "1", one("c"))];
        let text = shown(0, &all);
        assert!(text.contains("  --> b/SKILL.md:1:7\n  and c/SKILL.md\n"), "{text}");
        let apart = [checked("b", "1", one("b")), checked("c", "2", one("c"))];
        assert!(!shown(0, &apart).contains("identical"), "another skill is no copy");
    }

    #[test]
    fn only_the_same_rule_at_the_same_place_for_other_clients_is_one() {
        let of = |rule: &str, line: usize, client: &str| Finding {
            client: Some(client.into()),
            message: format!("{} drops it", crate::client::target::client(client).unwrap().title),
            ..finding("a/SKILL.md", rule, Severity::Warning, line)
        };
        let found = vec![of("PORT-BOM", 1, "codex"), of("PORT-BOM", 1, "gemini"), of("PORT-BOM", 2, "qwen")];
        let text = shown(0, &[checked("a", "1", found)]);
        assert_eq!(text.matches("warning[PORT-BOM]").count(), 2, "{text}");
        let other = Finding { message: "Gemini CLI alters it".into(), ..of("PORT-BOM", 1, "gemini") };
        let text = shown(0, &[checked("a", "1", vec![of("PORT-BOM", 1, "codex"), other])]);
        assert!(text.matches("warning[PORT-BOM]").count() == 2 && !text.contains("likewise"), "{text}");
        let text = shown(0, &[checked("a", "1", vec![of("PORT-BOM", 1, "codex"), of("PORT-BOM", 1, "gemini")])]);
        assert!(text.contains("OpenAI Codex CLI drops it") && text.contains("  likewise: Gemini CLI\n"), "{text}");
    }

    #[test]
    fn remarks_are_counted_until_they_are_asked_for() {
        let all = [checked("a", "1", vec![finding("a/SKILL.md", "S15", Severity::Info, 2)])];
        assert!(shown(0, &all).ends_with("0 errors, 0 warnings; 1 remark with -v\n"), "{}", shown(0, &all));
        assert!(shown(1, &all).contains("info[S15]") && shown(1, &all).ends_with("0 errors, 0 warnings\n"));
    }

    #[test]
    fn what_is_accepted_is_shown_with_its_reason_where_remarks_are() {
        let finding = finding("a/SKILL.md", "S16", Severity::Warning, 9);
        let mut one = checked("a", "1", Vec::new());
        one.suppressed.push(Suppressed { finding, reason: "one table".into() });
        let all = [one];
        assert!(!shown(0, &all).contains("S16") && shown(0, &all).contains(", 1 suppressed"), "{}", shown(0, &all));
        let text = shown(1, &all);
        let suppressed = "suppressed[S16]: It is wrong\n  --> a/SKILL.md:9:7\n  reason: one table\n";
        assert!(text.contains(suppressed), "{text}");
    }

    #[test]
    fn nothing_of_a_skill_steers_the_terminal() {
        let mut bad = finding("a\u{1b}[2J/SKILL.md", "S5", Severity::Error, 1);
        bad.message = "\u{1b}]0;x\u{7}".into();
        assert!(!shown(0, &[checked("a\u{1b}[2J", "1", vec![bad])]).contains(['\u{1b}', '\u{7}']));
    }
}
