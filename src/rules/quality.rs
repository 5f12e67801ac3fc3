//! The quality rules: how well a skill is written, as far as a program can decide.

pub mod checklist;
pub mod specific;

use std::collections::BTreeSet;
use std::sync::LazyLock;

use memchr::memmem::Finder;

use super::MAX_PLACES;
use super::words::Words;
use crate::rules::{Document, FindingCollector, Id, Lines, Page, Position, Severity, Subject, shown, text_of};

const MAX_SECTION: usize = 100;
const MAX_ALONE: usize = 200;
const MAX_FILLER: usize = 2;

/// Headings that belong into the description, which is all a client reads before it chooses.
const WHEN: &[&str] = &["when to use", "when should", "quando usar", "cuándo usar", "cuando usar"];
/// Headings that do not name a task.
const GENERIC: &[&str] = &["instructions", "instruções", "instrucciones"];
const STEP: &[&str] = &["step ", "passo ", "paso "];
const FILLER: &[&str] = &[
    "it is important to note", "it's important to note", "it is worth noting", "it should be noted",
    "please note that", "as mentioned", "as you can see", "in order to", "at the end of the day", "needless to say",
    "it goes without saying", "for the purpose of", "due to the fact that", "in the event that", "é importante notar",
    "é importante ressaltar", "vale ressaltar", "como mencionado", "es importante señalar", "cabe destacar",
    "como se mencionó",
];
static FILLER_WORDS: Words = Words::of(FILLER);
const PLACEHOLDERS: &[&str] = &["foo", "bar", "baz", "qux"];
const LATIN: &str = "lorem ipsum";
static UNREAL: LazyLock<Vec<Finder<'_>>> =
    LazyLock::new(|| [LATIN].iter().chain(PLACEHOLDERS).map(|word| Finder::new(*word)).collect());

struct BodyLine<'d> {
    number: usize,
    text: &'d str,
    /// Whether it is in a fenced block or a fence itself.
    code: bool,
    /// The mark and the language of a fence that opens here.
    opens: Option<&'d str>,
}

/// A heading: its level, its text as written and in lower case, its line.
struct Heading<'d> {
    level: usize,
    title: &'d str,
    text: String,
    at: usize,
}

pub(super) fn check(subject: &Subject<'_>, page: &Page<'_>, report: &mut FindingCollector<'_>) {
    description(page.doc, report);
    let outline = Outline::of(page);
    if let Some(number) = outline.open {
        let message = "The fenced block that opens here is never closed";
        report.add(Id::Markdown.at_line(number, message).with_fix("Close it with a line of the same marks."));
    }
    markdown(&outline, report);
    sections(page, &outline.headings, report);
    titles(&outline.headings, report);
    filler(page, &outline.lines, report);
    placeholders(page, report);
    let count = page.lines.count();
    let has_more = subject.tree.iter().any(|(path, _)| path.starts_with("references/"));
    if count > MAX_ALONE && !has_more {
        report.add(Id::Alone.at(Position::START, format!("SKILL.md has {count} lines and there is no references/")));
    }
}

struct Outline<'d> {
    lines: Vec<BodyLine<'d>>,
    headings: Vec<Heading<'d>>,
    /// The line of a fence that is left open.
    open: Option<usize>,
}

impl<'d> Outline<'d> {
    fn of(page: &Page<'d>) -> Self {
        // The marks of the fence that is open, and the line it opens at.
        let mut fence: Option<(&str, usize)> = None;
        let line = |(number, text): (usize, &'d str)| {
            let trimmed = text.trim();
            let ticks = trimmed.len() - trimmed.trim_start_matches(['`', '~']).len();
            let (was_open, mut opens) = (fence.is_some(), None);
            match (fence, trimmed.get(..ticks).filter(|mark| mark.len() >= 3)) {
                (None, Some(mark)) if !trimmed.get(ticks..).is_some_and(|rest| rest.contains('`')) => {
                    fence = Some((mark, number));
                    opens = trimmed.get(ticks..).map(str::trim);
                }
                (Some((open, _)), Some(mark)) if mark.starts_with(open) && trimmed.len() == ticks => fence = None,
                _ => {}
            }
            BodyLine { number, text, code: was_open || fence.is_some(), opens }
        };
        let lines: Vec<BodyLine<'d>> = page.body_lines().map(line).collect();
        Self { headings: lines.iter().filter_map(heading).collect(), open: fence.map(|(_, number)| number), lines }
    }
}

fn heading<'d>(line: &BodyLine<'d>) -> Option<Heading<'d>> {
    if line.text.as_bytes().first() != Some(&b'#') {
        return None;
    }
    let text = line.text.trim_start_matches('#');
    let level = line.text.len() - text.len();
    let named = !line.code && (1..=6).contains(&level) && text.starts_with(' ');
    let title = text.trim().trim_end_matches([':', '#', ' ']);
    named.then(|| Heading { level, title, text: title.to_lowercase(), at: line.number })
}

/// T1-QUALITY-01: headings that skip a level, fences that do not say their language. Each once.
fn markdown(Outline { headings, lines, .. }: &Outline<'_>, report: &mut FindingCollector<'_>) {
    let skips = headings.iter().zip(headings.iter().skip(1)).find(|(above, below)| below.level > above.level + 1);
    if let Some((above, below)) = skips {
        let message = format!("A heading of level {} follows one of level {}", below.level, above.level);
        let fix = format!("Begin it with `{}`.", "#".repeat(above.level + 1));
        report.add(Id::Markdown.at_line(below.at, message).weighed(Severity::Info).with_fix(fix));
    }
    if let Some(BodyLine { number, .. }) = lines.iter().find(|line| line.opens == Some("")) {
        let message = "The fenced block does not say its language";
        let fix = "Write the language after the opening marks, such as `sh`, or `text` for none.";
        report.add(Id::Markdown.at_line(*number, message).weighed(Severity::Info).with_fix(fix));
    }
}

/// QUALITY-03.
fn sections(page: &Page<'_>, headings: &[Heading<'_>], report: &mut FindingCollector<'_>) {
    let end = page.lines.count() + 1;
    let starts: Vec<usize> =
        std::iter::once(page.doc.body_line).chain(headings.iter().map(|heading| heading.at)).collect();
    let ends = starts.iter().skip(1).copied().chain([end]);
    let lengths = starts.iter().zip(ends).map(|(start, end)| (*start, end.saturating_sub(*start)));
    for (start, length) in lengths.filter(|(_, length)| *length > MAX_SECTION).take(MAX_PLACES) {
        let message = format!("The section has {length} lines; the limit is {MAX_SECTION}");
        report.add(Id::Section.at_line(start, message));
    }
}

/// QUALITY-05 and QUALITY-06.
fn titles(headings: &[Heading<'_>], report: &mut FindingCollector<'_>) {
    let is_late = |heading: &&Heading<'_>| WHEN.iter().any(|when| heading.text.starts_with(when));
    for heading in headings.iter().filter(is_late).take(MAX_PLACES) {
        let message = format!("The section `{}` is read only after the skill is chosen", shown(heading.title));
        report.add(Id::WhenToUse.at_line(heading.at, message));
    }
    let is_generic = |heading: &&Heading<'_>| GENERIC.contains(&heading.text.as_str()) || bare_step(&heading.text);
    for heading in headings.iter().filter(|one| is_generic(one) && !is_late(one)).take(MAX_PLACES) {
        let message = format!("The heading `{}` does not name a task", shown(heading.title));
        report.add(Id::Generic.at_line(heading.at, message));
    }
}

/// Whether a heading is only the number of a step.
fn bare_step(text: &str) -> bool {
    STEP.iter().filter_map(|step| text.strip_prefix(step)).any(|rest| {
        let behind = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        behind.len() < rest.len() && !behind.contains(char::is_alphanumeric)
    })
}

/// QUALITY-08.
fn filler(page: &Page<'_>, lines: &[BodyLine<'_>], report: &mut FindingCollector<'_>) {
    let lowered = page.lowered();
    let lower = Lines::new(lowered);
    let lines = lines.iter().zip(lower.iter()).filter(|(line, _)| !line.code);
    let found: Vec<(usize, &str)> = lines
        .flat_map(|(line, (_, lower))| {
            FILLER_WORDS.all(lower).filter_map(move |phrase| Some((line.number, lower.get(phrase)?)))
        })
        .collect();
    let Some((number, phrase)) = found.first().filter(|_| found.len() > MAX_FILLER) else { return };
    let message = format!("{} filler phrases, such as `{phrase}`", found.len());
    report.add(Id::Filler.at_line(*number, message));
}

/// QUALITY-09: two different placeholder names, or lorem ipsum.
fn placeholders(page: &Page<'_>, report: &mut FindingCollector<'_>) {
    let lowered = page.lowered();
    let there = |finder: &Finder<'_>| finder.find(lowered.as_bytes()).is_some();
    let mut unreal = UNREAL.iter();
    if !unreal.next().is_some_and(there) && unreal.filter(|name| there(name)).take(2).count() < 2 {
        return;
    }
    let mut seen: Vec<&str> = Vec::new();
    for ((number, _), (_, lower)) in page.body_lines().zip(Lines::new(lowered).iter()) {
        for word in lower.split(|c: char| !c.is_alphanumeric()) {
            seen.extend(PLACEHOLDERS.iter().find(|known| **known == word).filter(|known| !seen.contains(known)));
        }
        let latin = lower.contains(LATIN);
        if latin || seen.len() > 1 {
            let what = if latin { LATIN.to_owned() } else { seen.join(" and ") };
            return report.add(Id::Unreal.at_line(number, format!("The examples are about {what}")));
        }
    }
}

/// First words about the writer or reader instead of the skill.
const PERSONS: &[&str] =
    &["i", "i'm", "i'll", "i've", "we", "we'll", "you", "you'll", "your", "my", "our", "nós", "você", "yo", "tú"];
/// First words that no action begins with.
const NO_ACTION: &[&str] = &[
    "a", "an", "the", "this", "that", "these", "it", "skill", "skills", "tool", "tools", "helper", "utility",
    "utilities", "collection", "comprehensive", "complete", "ultimate", "expert", "advanced", "powerful", "um", "uma",
    "esta", "este", "un", "una",
];
/// Words without a meaning of their own.
const EMPTY: &[&str] =
    &["a", "an", "the", "for", "of", "and", "to", "with", "skill", "skills", "tool", "helper", "use", "this"];

/// QUALITY-04: whether a description says what the skill does in words of its own.
fn description(doc: &Document, report: &mut FindingCollector<'_>) {
    let Some((field, text)) = text_of(doc, "description") else { return };
    let first =
        text.split_whitespace().next().unwrap_or("").trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let at = field.value_at;
    if PERSONS.contains(&first.as_str()) {
        report.add(Id::Person.at(at, format!("The description begins with `{}`", shown(&first))));
    } else if NO_ACTION.contains(&first.as_str()) {
        report.add(Id::Verb.at(at, format!("The description begins with `{}`, not with a verb", shown(&first))));
    }
    if only_repeats(text, text_of(doc, "name").map_or("", |(_, name)| name)) {
        report.add(Id::Repeats.at(at, "The description only repeats the name"));
    }
}

/// Whether a description has content words, but none beyond those of the name.
fn only_repeats(description: &str, name: &str) -> bool {
    let named: BTreeSet<String> = words(name).collect();
    let mut words = words(description).peekable();
    words.peek().is_some() && words.all(|word| named.contains(&word))
}

/// The content words, in lower case and stemmed.
fn words(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase);
    words.filter(|word| !word.is_empty() && !EMPTY.contains(&word.as_str())).map(|word| {
        let stem = ["ing", "es", "s"].iter().find_map(|ending| word.strip_suffix(ending).filter(|stem| stem.len() > 2));
        stem.unwrap_or(&word).trim_end_matches('e').to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skill::{Tree, frontmatter};

    fn found(body: &str) -> Vec<(String, usize)> {
        let text = format!("---\nname: a\ndescription: Reviews code.\n---\n{body}");
        let mut tree = Tree::new();
        tree.put("SKILL.md", text.as_str());
        let doc = frontmatter::read(text.as_bytes()).unwrap();
        let mut report = FindingCollector::new("");
        check(&Subject::new("a", &tree), &Page::new(&doc), &mut report);
        report.finish().into_iter().map(|finding| (finding.rule, finding.line)).collect()
    }

    fn one(rule: &str, line: usize) -> Vec<(String, usize)> {
        vec![(rule.to_owned(), line)]
    }

    #[test]
    fn what_stands_in_code_is_no_heading_and_no_filler() {
        let code = "# A\n```md\n#### B\n## Instructions\nIn order to, in order to, in order to\n```\n";
        assert_eq!(found(code), []);
        assert_eq!(found("# A\nIn order to see, in order to be.\nIN ORDER TO go.\n"), one("QUALITY-08", 6));
    }

    #[test]
    fn fences_are_closed_by_their_own_kind_and_say_their_language() {
        assert_eq!(found("````md\n```\n````\n~~~sh\nx\n~~~\n"), []);
        assert_eq!(found("text\n```\nx\n```\n"), one("T1-QUALITY-01", 6));
        assert_eq!(found("```sh\nx\n~~~\n"), one("T1-QUALITY-01", 5));
    }

    #[test]
    fn a_step_that_says_what_is_done_is_no_bare_number() {
        assert_eq!(found("## Step 1: Read the page\n## Passo 2 - Escreva\n## Step ladder\n"), []);
        assert_eq!(found("## Step 3\nRead it.\n"), one("QUALITY-06", 5));
        assert_eq!(found("## Paso 12:\nRead it.\n"), one("QUALITY-06", 5));
    }

    #[test]
    fn a_section_is_measured_to_the_next_heading() {
        let lines = "line\n".repeat(99);
        assert_eq!(found(&format!("# A\n{lines}## B\nline\n")), []);
        assert_eq!(found(&format!("# A\n{lines}more\n## B\n")), one("QUALITY-03", 5));
    }

    #[test]
    fn one_bar_is_a_bar_and_foo_and_bar_are_nothing() {
        assert_eq!(found("Open the bar, then the toolbar.\n"), []);
        assert_eq!(found("Call foo(1).\nCall bar(2).\n"), one("QUALITY-09", 6));
    }

    #[test]
    fn endings_and_empty_words_do_not_make_a_description() {
        assert!(only_repeats("A skill for reviewing code", "review-code"));
        assert!(!only_repeats("Review code for defects", "review-code"));
        assert!(!only_repeats("A skill for this", "review-code"), "it does not even repeat the name");
    }
}
