//! Lines of packs that a rule of the house contradicts: another measure for the same thing, another status code, a command
//! that it forbids, or a tool that is not used here. The rule holds.

mod measure;
mod refusal;

use regex::Regex;

use super::alternatives::Absent;
use super::{Line, Origin, Section, Shape};
use crate::skill::fact::{is_action, sentences};
use measure::{Measure, codes, differs, in_code, instead, is_of_texts, measures, with_numbers};
use refusal::{Denied, denied, does_denied, runs};
pub(super) use refusal::{forbidden, tells};

/// What the house rules out.
#[derive(Default)]
struct Ruled<'r> {
    measures: Vec<(&'r str, Vec<Measure>)>,
    /// Commands and names that are forbidden, each with its rule.
    forbidden: Vec<(&'r str, &'r str)>,
    denied: Vec<(&'r str, Denied)>,
    absent: &'r [Absent],
}

impl<'r> Ruled<'r> {
    /// The rule that forbids what a part tells to do.
    fn against(&self, part: &str) -> Option<&'r str> {
        let forbidden = self.forbidden.iter().find(|(_, command)| runs(part, command)).map(|(rule, _)| *rule);
        forbidden.or_else(|| self.denied.iter().find(|(_, denied)| does_denied(part, denied)).map(|(rule, _)| *rule))
    }
}

/// Removes what the rules contradict, and what is about `absent` tools, from the lines of packs. A step that is forbidden
/// gives way to the rule that says so. Each rule is given with its line.
pub(super) fn remove(sections: &mut [Section], house: &[(&str, Line)], absent: &[Absent]) {
    if house.is_empty() && absent.is_empty() {
        return;
    }
    let rules: Vec<&str> = house.iter().map(|(rule, _)| *rule).collect();
    let mut moved: Vec<Line> = Vec::new();
    let measured = rules.iter().map(|rule| (*rule, measures(rule))).filter(|(_, measures)| !measures.is_empty());
    let forbidden = rules.iter().flat_map(|rule| forbidden(rule).into_iter().map(|command| (*rule, command))).collect();
    let denied = rules.iter().filter_map(|rule| Some((*rule, denied(rule)?))).collect();
    let numbers: Vec<(Regex, String)> = codes(&rules).into_iter().chain(instead(&rules)).collect();
    let ruled = Ruled { measures: measured.collect(), forbidden, denied, absent };
    for lines in sections.iter_mut().map(|section| &mut section.lines) {
        let mut at = 0;
        while let Some(line) = lines.get_mut(at) {
            let kept = left(line, &ruled, &numbers);
            if kept.as_deref() != Some("") {
                line.text = kept.unwrap_or(std::mem::take(&mut line.text));
                at += 1;
                continue;
            }
            let shape = line.shape;
            let rule = ruled.against(&line.text).filter(|rule| shape == Shape::Step && tells(rule));
            let instead = house.iter().find(|(text, line)| Some(*text) == rule && !moved.contains(line));
            if let Some((_, rule)) = instead {
                moved.push(rule.clone());
                *line = Line { shape, text: format!("{}{}", caution(&line.text), rule.text), ..rule.clone() };
                at += 1;
                continue;
            }
            lines.remove(at);
            // What stands under a step takes its place.
            let below = lines.get_mut(at).filter(|next| shape == Shape::Step && next.shape == Shape::Under);
            below.into_iter().for_each(|next| next.shape = Shape::Step);
        }
    }
    let is_moved = |line: &Line| moved.iter().any(|rule| rule.text == line.text && rule.origin == line.origin);
    sections.iter_mut().for_each(|section| section.lines.retain(|line| line.shape == Shape::Step || !is_moved(line)));
}

/// What a line of a pack says with the `numbers` of the rules and without what they contradict, empty if nothing is left;
/// `None` if it is as it was.
fn left(line: &Line, ruled: &Ruled<'_>, numbers: &[(Regex, String)]) -> Option<String> {
    if !matches!(line.origin, Origin::Pack { .. }) {
        return None;
    }
    let numbers = if cites_law(&line.text) { &[][..] } else { numbers };
    let mut said = in_code(&line.text, &ruled.measures);
    for (theirs, ours) in numbers {
        said = theirs.replace_all(&said, ours).into_owned();
    }
    said = with_numbers(&said, &ruled.measures, is_of_texts);
    // "Done when it passes three times in a row": as often as the rule says.
    if line.shape == Shape::Plain {
        said = with_numbers(&said, &ruled.measures, |_| true);
    }
    let orders = matches!(line.shape, Shape::Step | Shape::Under | Shape::Plain);
    let changed = said != line.text || line.shape == Shape::Plain;
    without(&said, ruled, orders).or(changed.then_some(said))
}

/// Whether a text cites a law, whose numbers are not the house's to change.
fn cites_law(text: &str) -> bool {
    const CITING: &[&str] = &[
        "art. ", "arts. ", "Art. ", "Arts. ", "article ", "Article ", "§", "Directive ", "Diretiva ", "Directiva ",
        "Regulation ", "Regulamento ", "Reglamento ", " Act ", "Lei ", "Ley ", "Decreto", "GDPR", "CFR",
    ];
    CITING.iter().any(|word| text.contains(word))
}

/// What a step begins with that asks first: "**Ask first.** ".
fn caution(step: &str) -> &str {
    let end = step.strip_prefix("**").and_then(|rest| rest.find("** ")).map_or(0, |at| at + "****".len() + 1);
    step.get(..end).unwrap_or_default()
}

/// The text without the parts that a rule contradicts, empty if nothing is left; `None` if none does. A part is a sentence,
/// or what stands behind a semicolon in one.
fn without(text: &str, ruled: &Ruled<'_>, orders: bool) -> Option<String> {
    let absent: Vec<&Absent> = ruled.absent.iter().filter(|tool| tool.is_named(text)).collect();
    let contradicted = |part: &str| {
        let measured = if ruled.measures.is_empty() { Vec::new() } else { measures(part) };
        ruled.measures.iter().any(|rule| differs(part, &measured, rule))
            || orders && ruled.against(part).is_some()
            || absent.iter().any(|tool| tool.is_in(part))
    };
    if absent.is_empty() && !contradicted(text) {
        return None;
    }
    // "Set the limits: types, size (images 10 MB), number a day": only what stands in brackets goes.
    let bracketed = text.match_indices(" (").filter_map(|(at, _)| {
        let inside = bracket(text.get(at..)?)?;
        let whole = !inside.contains('`') || absent.iter().any(|tool| tool.is_in(inside));
        (contradicted(inside) && whole).then(|| text.replacen(inside, "", 1))
    });
    if let Some(kept) = bracketed.into_iter().find(|kept| !contradicted(kept)) {
        return Some(kept);
    }
    if !contradicted(text) && !sentences(text).into_iter().flat_map(parts).any(contradicted) {
        return None;
    }
    let mut kept: Vec<String> = Vec::new();
    let mut begins = true;
    for sentence in sentences(text) {
        let parts = parts(sentence);
        if parts.first().is_some_and(|first| contradicted(first)) {
            begins &= !kept.is_empty();
            continue;
        }
        let parts: Vec<&str> = parts.into_iter().filter(|part| !contradicted(part)).collect();
        let left = format!("{}.", parts.join("; ").trim_end_matches(['.', ',']));
        kept.extend(Some(left).filter(|left| is_whole(left)));
    }
    // "Halve the tests before it": without its first sentence a line may speak of nothing.
    let torn = !begins && kept.first().is_some_and(|first| points(first) || !is_action(first));
    Some(if torn { String::new() } else { kept.join(" ") })
}

/// Whether a sentence speaks of what another names.
fn points(sentence: &str) -> bool {
    const POINTING: &[&str] =
        &["it", "its", "them", "they", "this", "these", "those", "ele", "ela", "eles", "elas", "isso", "eso", "ello"];
    let lower = sentence.to_lowercase();
    let code_apart = lower.split('`').step_by(2).collect::<Vec<_>>().join(" ");
    code_apart.split(|c: char| !c.is_alphanumeric()).any(|word| POINTING.contains(&word))
}

/// The parts of a sentence between semicolons outside of code.
fn parts(sentence: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut code, mut from) = (false, 0);
    for (at, c) in sentence.char_indices() {
        code ^= c == '`';
        if !code && sentence.get(at..).is_some_and(|rest| rest.starts_with("; ")) {
            parts.extend(sentence.get(from..at));
            from = at + 2;
        }
    }
    parts.extend(sentence.get(from..));
    parts
}

/// A bracket that the text begins with, up to its end outside of code.
fn bracket(text: &str) -> Option<&str> {
    let (mut depth, mut code) = (0_i32, false);
    let end = text.char_indices().find(|(_, c)| {
        code ^= *c == '`';
        depth += if code { 0 } else { i32::from(*c == '(') - i32::from(*c == ')') };
        *c == ')' && !code && depth == 0
    })?;
    text.get(..=end.0)
}

/// Whether every bracket and quotation mark has its other half.
fn is_whole(text: &str) -> bool {
    let mut open = 0_i32;
    let closed = text.chars().all(|c| {
        open += i32::from(c == '(') - i32::from(c == ')');
        open >= 0
    });
    closed && open == 0 && text.matches('"').count().is_multiple_of(2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skill::fact::{Fact, Facts, Kind};

    /// What is left of texts under a rule; `None` where the rule does not contradict one.
    fn check(rule: &str, cases: &[(&str, Option<&str>)]) {
        let forbidden = forbidden(rule).into_iter().map(|command| (rule, command)).collect();
        let denied = denied(rule).map(|denied| (rule, denied)).into_iter().collect();
        let ruled = Ruled { measures: vec![(rule, measures(rule))], forbidden, denied, absent: &[] };
        for (text, kept) in cases {
            assert_eq!(without(text, &ruled, true).as_deref(), *kept, "{text} under {rule}");
        }
    }

    #[test]
    fn the_rule_of_the_house_replaces_another_measure_of_the_same_thing() {
        check("At most 120 words.", &[("Keep it between 120 and 180 words.", Some(""))]);
        check(
            "At most 150 words.",
            &[
                ("Greet by name; stay below 200 words. Sign it.", Some("Greet by name. Sign it.")),
                ("Use 200 words; sign it.", Some("")),
                ("At most 150 words.", None),
                ("Stay between 100 and 150 words.", None),
            ],
        );
        let sizes = "Set the limits: types, size (images 10 MB), owner.";
        check("Images: at most 5 MB.", &[(sizes, Some("Set the limits: types, size, owner."))]);
        check("Batches of at most 1000 rows.", &[("Batches of 10,000 rows.", Some(""))]);
        check("Tras 20 ejecuciones seguidas.", &[("Tres veces seguidas.", Some(""))]);
        check("Dos noches seguidas, nunca más.", &[("Como mucho 3 noches seguidas.", Some(""))]);
        check("30 % no pedido.", &[("Cobre 40% no pedido.", Some(""))]);
        check("Al menos 12 horas de descanso.", &[("11 horas de descanso.", Some(""))]);
        // Another subject.
        check("Payment within 30 days.", &[("Keep the invoice for 10 years.", None)]);
        check("Answer within one working day.", &[("Refund within 14 days.", None)]);
    }

    #[test]
    fn a_command_that_the_house_forbids_is_no_step() {
        check(
            "CI publishes; never run `cargo publish` by hand.",
            &[
                ("Publish: `cargo publish --workspace --locked`.", Some("")),
                ("Do not run `cargo publish` from a branch.", None),
            ],
        );
        check("Run `cargo publish` on Mondays.", &[("Publish: `cargo publish`.", None)]);
        let bare = "One crate per commit; a bare `cargo update` is not merged.";
        check(bare, &[("Bring them in at once: `cargo update`.", Some(""))]);
        check(
            "After each package run `npm run verify`; `npm run test` alone misses the size.",
            &[("Run the tests: `npm run test`.", Some("")), ("Run the tests: `npm run verify`.", None)],
        );
        let scheme = "Night hangs on `data-scheme`, not by `prefers-color-scheme`.";
        check(scheme, &[("Read `(prefers-color-scheme: dark)`; keep it.", Some(""))]);
        check("Never edit `Cargo.lock` by hand.", &[("Commit `Cargo.lock`.", None)]);
        check(
            "We do not write downgrades.",
            &[
                ("Write `downgrade()` as the way back. Try it.", Some("")),
                ("Write `downgrade()` as the way back. Run the upgrade.", Some("Run the upgrade.")),
                ("Write the upgrade.", None),
            ],
        );
    }

    #[test]
    fn an_absent_tool_goes_with_its_bracket_or_its_part() {
        let facts = Facts { all: vec![Fact::new(Kind::Framework, "`vitest` ^2")], ..Facts::default() };
        let absent = Absent::of(&facts, "Fix a flaky test");
        let ruled = Ruled { absent: &absent, ..Ruled::default() };
        let repeated = "Repeat it: `npx vitest run x` (Jest: `npx jest x -t \"(a)\"`), then shuffled.";
        for (text, kept) in [
            (repeated, Some("Repeat it: `npx vitest run x`, then shuffled.")),
            ("Skip it by name; `jest.retryTimes(2)` hides it.", Some("Skip it by name.")),
            ("Skip it by name.", None),
        ] {
            assert_eq!(without(text, &ruled, true).as_deref(), kept, "{text}");
        }
    }

    #[test]
    fn a_forbidden_step_gives_way_to_the_rule() {
        let text = "One crate per commit by `cargo xt bump`; a bare `cargo update` is not merged.";
        let rule = Line::new(Shape::Under, text, Origin::House { file: "docs/deps.md".into(), line: 3 });
        let step = |text: &str| Line::new(Shape::Step, text, Origin::Pack { id: "cargo".into() });
        let steps = vec![step("**Ask first.** Take them at once: `cargo update`."), step("Build: `cargo build`.")];
        let limits = vec![Line { shape: Shape::Point, ..rule.clone() }];
        let mut sections = [Section::new("## Steps", steps), Section::new("## Limits", limits)];
        remove(&mut sections, &[(text, rule)], &[]);
        let [steps, limits] = sections.map(|section| section.lines);
        let steps: Vec<String> = steps.into_iter().map(|line| line.text).collect();
        assert_eq!(steps, [format!("**Ask first.** {text}"), "Build: `cargo build`.".to_owned()]);
        assert!(limits.is_empty());
    }

    #[test]
    fn the_numbers_of_a_law_stay() {
        let text = "Returns are taken for 45 days, not 14.";
        let rule = Line::new(Shape::Under, text, Origin::House { file: "docs/returns.md".into(), line: 3 });
        let pack = |text: &str| Line::new(Shape::Point, text, Origin::Pack { id: "refunds".into() });
        let law = "The customer may withdraw for 14 days (Directive 2011/83/EU art. 9).";
        let mut sections = [Section::new("## Limits", vec![pack(law), pack("Ask within 14 weeks.")])];
        remove(&mut sections, &[(text, rule)], &[]);
        let [limits] = &sections;
        assert!(limits.lines.iter().all(|line| !line.text.contains("withdraw for 45")), "{limits:?}");
        assert!(limits.lines.iter().any(|line| line.text == "Ask within 45 weeks."), "{limits:?}");
    }
}
