//! The thirteen points a skill is graded by: findings in, a verdict for each point out.

use serde::Serialize;

use super::specific::{ENOUGH, Specificity};
use crate::rules::Severity::{self, Error, Warning};
use crate::rules::severities::speaks_for;
use crate::rules::{self, Finding, Subject};
use crate::skill::Tree;
use crate::skill::template::{gaps, without_gaps};

/// The verdict on a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// No finding counts against it.
    Pass,
    /// A program cannot decide it.
    NotChecked,
    /// Worth a look.
    Warn,
    /// Critical.
    Fail,
}

/// One point of the checklist.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Point {
    /// 1 to 13.
    pub number: u8,
    /// What it asks.
    pub title: &'static str,
    /// Its verdict.
    pub verdict: Verdict,
    /// Why, one sentence for each finding: the rule and its message.
    pub reasons: Vec<String>,
}

/// The grade: the numbers of critical points, of warnings, and of places to fill in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Grade {
    /// `PASS`: nothing critical, at most two warnings, no gap, and at least half of the lines specific. `PARTIAL`:
    /// nothing critical. `FAIL`: the rest.
    pub verdict: &'static str,
    /// Points that failed.
    pub critical: usize,
    /// Points worth a look.
    pub warnings: usize,
    /// Marked places a person has to fill in.
    pub gaps: usize,
}

impl Grade {
    /// The grade of a checklist.
    pub fn of(points: &[Point], gaps: usize) -> Self {
        let count = |verdict| points.iter().filter(|point| point.verdict == verdict).count();
        let (critical, warnings) = (count(Verdict::Fail), count(Verdict::Warn));
        let specific = points.iter().all(|point| point.number != SPECIFIC || point.verdict == Verdict::Pass);
        let verdict = match (critical, warnings, gaps) {
            (0, 0..=2, 0) if specific => "PASS",
            (0, ..) => "PARTIAL",
            _ => "FAIL",
        };
        Self { verdict, critical, warnings, gaps }
    }
}

/// The point about what is specific to the skill.
const SPECIFIC: u8 = 7;

/// A point: number, title, the severity that makes it critical, its rules.
type Row = (u8, &'static str, Option<Severity>, &'static str);

const FRONTMATTER: &str = "S1 S2 S4 S5 S6 S7 S10 S11 S12 T0-HEFESTO-01 T0-HEFESTO-07 T0-HEFESTO-09 PORT-BOM";
const DESCRIPTION: &str = "S8 S15 T1-HEFESTO-01 QUALITY-04";
const POINTS: &[Row] = &[
    (1, "The frontmatter is valid and the name matches the folder", Some(Warning), FRONTMATTER),
    (2, "Only the fields of the specification", Some(Warning), "S3"),
    (3, "Under 500 lines and 5000 tokens, no section over 100 lines", Some(Warning), "S16 T0-HEFESTO-03 QUALITY-03"),
    (4, "The description is specific, begins with a verb, says when to use the skill", Some(Warning), DESCRIPTION),
    (5, "No section on when to use it", None, "QUALITY-05"),
    (6, "Sections are named after tasks", None, "QUALITY-06"),
    (7, "Every token earns its place", None, ""),
    (8, "Concise, without filler", None, "QUALITY-08 T1-QUALITY-01"),
    (9, "Examples where they help, with realistic data", None, "QUALITY-09 T1-HEFESTO-02"),
    (10, "One term for one thing", None, ""),
    (11, "The right degree of freedom", None, ""),
    (12, "Progressive disclosure: references/ one level deep, and there", None, "QUALITY-12 S17 T0-HEFESTO-05"),
    (13, "No secrets, personal data or private addresses", Some(Error), "T0-HEFESTO-11"),
];

/// The points about files, independent of SKILL.md's content: the layout, and forbidden content.
const OF_FILES: &[u8] = &[1, 13];

/// The rules a skill must satisfy without its places to fill in.
const SAID: &[&str] = &["S8", "T1-HEFESTO-01", "T1-HEFESTO-02", "QUALITY-04"];

/// The thirteen points. `read`: whether SKILL.md could be parsed; if not, most could not be checked.
pub fn checklist(findings: &[Finding], read: bool, text: &str) -> Vec<Point> {
    let findings = [findings, &unsaid(findings, text)].concat();
    let mut points: Vec<Point> = POINTS.iter().map(|row| point(row, &findings)).collect();
    for point in points.iter_mut().filter(|point| point.number == SPECIFIC) {
        (point.verdict, point.reasons) = specific(text);
    }
    for point in points.iter_mut().filter(|point| !read && !OF_FILES.contains(&point.number)) {
        if point.verdict == Verdict::Pass {
            point.verdict = Verdict::NotChecked;
        }
    }
    points
}

/// The additional findings about the text without its places to fill in.
fn unsaid(findings: &[Finding], text: &str) -> Vec<Finding> {
    if gaps(text) == 0 {
        return Vec::new();
    }
    let mut tree = Tree::new();
    tree.put("SKILL.md", without_gaps(text));
    let mut found = rules::check(&Subject::new("", &tree));
    found.retain(|one| SAID.contains(&one.rule.as_str()) && !findings.iter().any(|known| known.rule == one.rule));
    found
}

/// Point 7: fails for a skeleton with open questions and almost nothing specific, and for a text without any specific
/// line; warns if more than half of the lines are generic.
fn specific(text: &str) -> (Verdict, Vec<String>) {
    let counted = Specificity::of(text);
    let reason = || vec![format!("{} of {} lines are specific to this skill", counted.specific, counted.content)];
    match counted {
        _ if gaps(text) > 0 && counted.specific < ENOUGH => (Verdict::Fail, reason()),
        Specificity { specific: 0, content: 1.. } => (Verdict::Fail, reason()),
        counted if !counted.mostly() => (Verdict::Warn, reason()),
        _ => (Verdict::Pass, Vec::new()),
    }
}

fn point((number, title, critical, rules): &Row, findings: &[Finding]) -> Point {
    let mut verdict = if rules.is_empty() { Verdict::NotChecked } else { Verdict::Pass };
    let mut reasons = Vec::new();
    for finding in findings {
        // An error of no point counts against the first: an invalid skill never gets a good grade.
        let homeless =
            *number == 1 && finding.severity == Error && !POINTS.iter().any(|(.., rules)| speaks(rules, &finding.rule));
        if !homeless && !speaks(rules, &finding.rule) {
            continue;
        }
        let fails = finding.severity == Error || critical.is_some_and(|least| finding.severity <= least);
        verdict = verdict.max(if fails { Verdict::Fail } else { Verdict::Warn });
        reasons.push(format!("{}: {} ({}:{})", finding.rule, finding.message, finding.file, finding.line));
    }
    Point { number: *number, title, verdict, reasons }
}

fn speaks(rules: &str, rule: &str) -> bool {
    rules.split(' ').any(|one| speaks_for(one, rule))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{Id, Position, RULES, find};

    fn finding(rule: &str, severity: Severity) -> Finding {
        let rule = find(rule).unwrap();
        Finding { layer: rule.layer, rule: rule.id.into(), severity, ..Id::S1.at(Position::START, "m") }
    }

    fn grade(findings: &[Finding], gaps: usize) -> Grade {
        Grade::of(&checklist(findings, true, ""), gaps)
    }

    #[test]
    fn thirteen_points_of_which_two_are_not_checked() {
        let points = checklist(&[], true, "");
        assert_eq!(points.iter().map(|point| point.number).collect::<Vec<_>>(), (1..=13).collect::<Vec<_>>());
        let not: Vec<_> = points.iter().filter(|p| p.verdict == Verdict::NotChecked).map(|p| p.number).collect();
        assert_eq!(not, [10, 11]);
        assert_eq!(Grade::of(&points, 0).verdict, "PASS");
    }

    #[test]
    fn every_rule_a_point_names_is_there() {
        for (.., rules) in POINTS {
            for rule in rules.split(' ').filter(|rule| !rule.is_empty()) {
                assert!(RULES.iter().any(|row| speaks(rule, row.id)), "{rule}");
            }
        }
    }

    #[test]
    fn two_warnings_pass_three_or_a_gap_do_not_and_one_critical_fails() {
        let warn = ["QUALITY-05", "QUALITY-06", "QUALITY-09"].map(|rule| finding(rule, Severity::Info));
        assert_eq!(grade(&warn[..2], 0).verdict, "PASS");
        assert_eq!(grade(&warn, 0).verdict, "PARTIAL");
        assert_eq!(grade(&warn[..1], 2).verdict, "PARTIAL");
        let failed = grade(&[finding("T1-HEFESTO-01", Warning)], 0);
        assert_eq!((failed.verdict, failed.critical), ("FAIL", 1));
        let minor = grade(&[finding("T0-HEFESTO-11.pii", Warning)], 0);
        assert_eq!((minor.verdict, minor.warnings), ("PASS", 1));
    }

    #[test]
    fn a_place_to_fill_in_satisfies_no_point() {
        let of = |description: &str| {
            let text = format!("---\nname: x\ndescription: \"{description}\"\n---\n\n# X\n\nRun `make`.\n");
            checklist(&[], true, &text).into_iter().find(|point| point.number == 4).map(|point| point.verdict)
        };
        assert_eq!(of("Reviews code. Use when a review is asked for."), Some(Verdict::Pass));
        assert_eq!(of("Reviews code. [FILL IN: Use when which request comes?]"), Some(Verdict::Fail));
        let steps = "1. Open it\n2. Read it\n3. Change it\n4. Close it\n5. Send it\n";
        let example = |rest: &str| {
            let text =
                format!("---\nname: x\ndescription: Reviews it. Use when asked.\n---\n\n# X\n\n{steps}\n{rest}\n");
            checklist(&[], true, &text).into_iter().find(|point| point.number == 9).map(|point| point.verdict)
        };
        assert_eq!(example("[FILL IN: an example such as `make test`?]"), Some(Verdict::Warn));
    }

    #[test]
    fn nothing_passes_of_which_less_than_half_is_specific() {
        let method = "---\nname: x\ndescription: Reviews it. Use when asked.\n---\n\n# X\n\nThink first.\n\nThen act.\n\nUse `ls`.\n";
        assert_eq!(Grade::of(&checklist(&[], true, method), 0).verdict, "PARTIAL");
        let matter = format!("{method}\nRun `make`.\n\nWait 3 days.\n");
        assert_eq!(Grade::of(&checklist(&[], true, &matter), 0).verdict, "PASS");
    }

    #[test]
    fn no_error_is_lost() {
        for rule in RULES {
            let grade = grade(&[finding(rule.id, Error)], 0);
            assert_eq!(grade.verdict, "FAIL", "{}", rule.id);
        }
    }

    #[test]
    fn nothing_is_praised_that_nobody_could_read() {
        let points = checklist(&[finding("S2", Error)], false, "");
        let of = |verdict| points.iter().filter(|one| one.verdict == verdict).map(|one| one.number).collect::<Vec<_>>();
        assert_eq!((of(Verdict::Fail), of(Verdict::Pass)), (vec![1], vec![13]));
        assert_eq!(of(Verdict::NotChecked), (2..=12).collect::<Vec<_>>());
    }
}
