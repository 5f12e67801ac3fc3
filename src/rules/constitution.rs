//! Hefesto's own constitution on a SKILL.md: T0 rules, then the T1 and T2 recommendations.

use std::collections::BTreeSet;

use memchr::memmem;

use crate::rules::{FindingCollector, Id, Lines, Page, Position, Severity, Subject, ahead, shown, text_of};
use crate::skill::frontmatter::{self, Document, Value};
use crate::skill::name::{self, MAX_NAME, NotAName};
use crate::skill::{Name, tokens};

use super::words::Words;

/// The messages for a name that is too long, and for a malformed one.
pub(super) const TOO_LONG: &str = "Skill name exceeds";
pub(super) const NO_FORM: &str = "is not lowercase ASCII letters and digits joined by single hyphens";
pub(super) const MARK: &str = "The file begins with a byte order mark; several clients then see no frontmatter";
const MAX_LINES: usize = 500;
const MAX_TOKENS: usize = 5000;
const MIN_SOURCES: usize = 2;
const MAX_LINKS: usize = 1000;
/// How much of a link is compared with others, in bytes.
const MAX_LINK: usize = 300;
const SIMPLE_STEPS: usize = 3;
const TAGS: std::ops::RangeInclusive<usize> = 3..=8;
const CATEGORIES: &[&str] = &["development", "testing", "documentation", "devops", "review", "security"];
/// Phrases that say when to use a skill, in English, Portuguese and Spanish.
const TRIGGERS: &[&str] = &[
    "use when", "use for", "use this", "use it when", "use if", "use whenever", "use to ", "used when",
    "use proactively", "when the user", "when user", "activate this", "load this", "when working", "when asked",
    "when you", "trigger", "use quando", "usar quando", "quando o usu", "ideal para", "use para", "usar cuando",
    "use cuando", "úsalo cuando", "cuando el usuario", "use after", "use before",
];
static TRIGGER_WORDS: Words = Words::of(TRIGGERS);
const EXAMPLES: &[&str] = &["example", "exemplo", "ejemplo"];

pub(super) fn check(subject: &Subject<'_>, page: &Page<'_>, report: &mut FindingCollector<'_>) {
    let doc = page.doc;
    naming(subject, doc, report);
    body(doc, report);
    size(doc, &page.lines, report);
    arguments(subject, doc, &page.lines, report);
    sources(doc, report);
    trigger(doc, report);
    examples(page, report);
    about(subject, doc, report);
}

fn naming(subject: &Subject<'_>, doc: &Document, report: &mut FindingCollector<'_>) {
    let Some((field, text)) = text_of(doc, "name") else { return };
    let at = field.value_at;
    if matches!(field.value, Value::Number(_) | Value::Bool(_)) {
        let message = format!("The name is {}, not text", field.value.kind());
        let fix = format!("Quote it: name: \"{}\"", shown(text));
        report.add(Id::T001.at(at, message).weighed(Severity::Warning).with_fix(fix));
    }
    let length = text.chars().count();
    if length > MAX_NAME {
        let message = format!("{TOO_LONG} {MAX_NAME} characters ({length})");
        report.add(Id::T007.at(at, message).with_fix("Shorten skill name"));
    }
    match Name::parse(text) {
        Err(NotAName::Form) => {
            let message = format!("`{}` {NO_FORM}", shown(text));
            // The fix agrees with that of S7, which requires the folder's name.
            let folder = Name::parse(subject.directory).is_ok() && subject.directory != text;
            let fix = match suggestion(text) {
                _ if folder => format!("Write `name: {}`.", subject.directory),
                Some(better) => format!("Rename it to `{better}`."),
                None => Id::T007.rule().fix.to_owned(),
            };
            report.add(Id::T007.at(at, message).with_fix(fix));
        }
        Err(NotAName::Device) => {
            report.add(Id::T007.at(at, format!("`{text}` is a device name on Windows and cannot be a folder there")));
        }
        Err(NotAName::Empty | NotAName::TooLong(_)) | Ok(_) => {}
    }
}

/// A well-formed name near a text, when its ASCII letters and digits make one.
fn suggestion(text: &str) -> Option<String> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let name = words.collect::<Vec<_>>().join("-").to_ascii_lowercase();
    (text.is_ascii() && name::well_formed(&name) && name.len() <= MAX_NAME).then_some(name)
}

fn body(doc: &Document, report: &mut FindingCollector<'_>) {
    if doc.bom {
        let fix = "Save the file as UTF-8 without a byte order mark.";
        report.add(Id::T001.at(Position::START, MARK).weighed(Severity::Warning).with_fix(fix));
    }
    if doc.body().trim().is_empty() {
        report.add(Id::T001.at_line(doc.body_line, "The body is empty: the skill tells the agent nothing to do"));
    }
}

fn size(doc: &Document, lines: &Lines<'_>, report: &mut FindingCollector<'_>) {
    let count = lines.count();
    let fix = "Move material to references/ and say in SKILL.md when to read it (T0-HEFESTO-03).";
    if count >= MAX_LINES {
        let severity = if count > MAX_LINES { Severity::Error } else { Severity::Warning };
        let message = format!("SKILL.md has {count} lines; T0-HEFESTO-03 allows {MAX_LINES}");
        report.add(Id::T003.at_line(MAX_LINES, message).weighed(severity).with_fix(fix));
    }
    if let Some(cost) = tokens::above(MAX_TOKENS, &[&doc.text]) {
        let message =
            format!("SKILL.md costs {}; T0-HEFESTO-03 recommends at most {MAX_TOKENS}", tokens::describe(cost));
        report.add(Id::T003.at(Position::START, message).weighed(Severity::Warning).with_fix(fix));
    }
}

fn arguments(subject: &Subject<'_>, doc: &Document, lines: &Lines<'_>, report: &mut FindingCollector<'_>) {
    let Some(target) = subject.target else { return };
    let foreign = target.arguments.foreign();
    for (offset, _) in doc.text.match_indices(foreign).take(super::MAX_PLACES) {
        let message = format!("`{foreign}` means nothing to {}", target.title);
        let fix = format!("Write `{}`.", target.arguments.placeholder());
        report.add(Id::T009.at(lines.position(offset), message).with_fix(fix));
    }
}

fn sources(doc: &Document, report: &mut FindingCollector<'_>) {
    let link = |at: usize| {
        let scheme =
            ["https", "http"].into_iter().find(|scheme| doc.text.get(..at).is_some_and(|t| t.ends_with(scheme)))?;
        let rest = ahead(&doc.text, at - scheme.len(), MAX_LINK);
        rest.split(|c: char| c.is_whitespace() || ")>\"'`]".contains(c)).next()
    };
    let places = memmem::find_iter(doc.text.as_bytes(), "://").take(MAX_LINKS);
    let links: BTreeSet<&str> = places.filter_map(link).collect();
    if links.len() < MIN_SOURCES {
        let message = format!("The skill links {} source{}", links.len(), if links.len() == 1 { "" } else { "s" });
        report.add(Id::T010.at(Position::START, message));
    }
}

/// `allowed-tools` that grant everything, and hooks, which run by themselves.
pub(super) fn privileges(doc: &Document, report: &mut FindingCollector<'_>) {
    if let Some(field) = doc.field("allowed-tools") {
        let tools: Vec<String> = match &field.value {
            Value::Text(text) => split_tools(text),
            Value::List(items) => items.iter().filter_map(|item| item.value.scalar()).map(str::to_owned).collect(),
            _ => Vec::new(),
        };
        let all = ["*", "Bash", "Bash(*)", "Bash(*:*)", "Bash(:*)"];
        for tool in tools.iter().filter(|tool| all.contains(&tool.as_str())) {
            let message = format!("`allowed-tools: {tool}` lets the skill run any command without asking");
            report.add(Id::T011.at(field.value_at, message).weighed(Severity::Warning));
        }
    }
    if let Some(field) = doc.field("hooks") {
        let message = "`hooks` in a skill run commands that nobody asked for";
        let fix = "Remove `hooks`; say in the body what to run, and when.";
        report.add(Id::RemoteExec.at(field.key_at, message).with_fix(fix));
    }
}

/// Splits at blanks and commas outside parentheses.
fn split_tools(text: &str) -> Vec<String> {
    let mut depth = 0_usize;
    let mut tools = vec![String::new()];
    for c in text.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 && (c == ',' || c.is_whitespace()) {
            tools.push(String::new());
        } else if let Some(tool) = tools.last_mut() {
            tool.push(c);
        }
    }
    tools.retain(|tool| !tool.is_empty());
    tools
}

fn trigger(doc: &Document, report: &mut FindingCollector<'_>) {
    let Some((field, text)) = text_of(doc, "description") else { return };
    if !text.trim().is_empty() && !TRIGGER_WORDS.are_in(&text.to_lowercase()) {
        report.add(Id::T101.at(field.value_at, "The description does not say when to use the skill"));
    }
}

fn examples(page: &Page<'_>, report: &mut FindingCollector<'_>) {
    let (mut steps, mut most) = (0, 0);
    let (mut shown, mut in_code) = (false, false);
    for line in page.doc.body().lines() {
        let trimmed = line.trim_start();
        // The first byte decides most lines.
        let first = trimmed.as_bytes().first().copied().unwrap_or(b' ');
        if matches!(first, b'`' | b'~') && (trimmed.starts_with("```") || trimmed.starts_with("~~~")) {
            in_code = !in_code;
            shown = true;
        }
        if in_code {
            continue;
        }
        if first == b'#' {
            let lower = trimmed.to_lowercase();
            let heading = lower.trim_start_matches('#').trim();
            if !["step ", "passo ", "paso "].iter().any(|word| heading.starts_with(word)) {
                most = most.max(steps);
                steps = 0;
                continue;
            }
            steps += 1;
        } else if is_numbered(line) {
            steps += 1;
            shown |= line.contains(['`', '"']);
        }
    }
    let most = most.max(steps);
    // A step with a command, a path or a quoted form is concrete enough.
    let has_example = || shown || EXAMPLES.iter().any(|word| page.lowered().contains(word));
    if most > SIMPLE_STEPS && !has_example() {
        report.add(Id::T102.at_line(page.doc.body_line, format!("{most} steps in one section and no example")));
    }
}

/// Whether a line begins with a number, a full stop and a blank.
fn is_numbered(line: &str) -> bool {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    digits > 0 && line.get(digits..).is_some_and(|behind| behind.starts_with(". "))
}

/// Version, category and tags: in the frontmatter's metadata or in metadata.yaml.
fn about(subject: &Subject<'_>, doc: &Document, report: &mut FindingCollector<'_>) {
    let sidecar =
        subject.tree.text("metadata.yaml").and_then(|text| frontmatter::read_yaml(text).ok()).unwrap_or_default();
    let metadata = match doc.field("metadata").map(|field| &field.value) {
        Some(Value::Map(entries)) => entries.as_slice(),
        _ => &[],
    };
    let find = |key: &str| metadata.iter().chain(&sidecar).find(|field| field.key == key);
    if find("version").and_then(|field| field.value.scalar()).is_none_or(|version| version.trim().is_empty()) {
        report.add(Id::T103.at(Position::START, "The skill has no version"));
    }
    match find("category").and_then(|field| field.value.scalar()) {
        None => report.add(Id::T201.at(Position::START, "The skill has no category")),
        Some(category) if !CATEGORIES.contains(&category.to_lowercase().as_str()) => {
            let message = format!("`{}` is not one of the categories: {}", shown(category), CATEGORIES.join(", "));
            report.add(Id::T201.at(Position::START, message));
        }
        Some(_) => {}
    }
    let tags = match find("tags").map(|field| &field.value) {
        Some(Value::List(items)) => items.len(),
        Some(Value::Text(text)) => text.split(',').filter(|tag| !tag.trim().is_empty()).count(),
        _ => 0,
    };
    if !TAGS.contains(&tags) {
        let message = format!("The skill has {tags} tags; write three to eight");
        report.add(Id::T202.at(Position::START, message));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_are_split_outside_parentheses() {
        assert_eq!(split_tools("Bash(git add *) Read, Grep"), ["Bash(git add *)", "Read", "Grep"]);
    }

    #[test]
    fn a_trigger_is_known_however_it_is_put() {
        let says_when = |text: &str| TRIGGER_WORDS.are_in(&text.to_lowercase());
        for text in
            ["Activate this skill when a page is given.", "When user asks for a page.", "Load this skill first."]
        {
            assert!(says_when(text), "{text}");
        }
        for text in ["Loads pages.", "Embeds pictures before and after.", "Activates the account."] {
            assert!(!says_when(text), "{text}");
        }
    }

    #[test]
    fn a_near_name_is_suggested() {
        assert_eq!(suggestion("Code_Review").as_deref(), Some("code-review"));
        assert_eq!(suggestion("-api--docs-").as_deref(), Some("api-docs"));
        assert_eq!(suggestion("revisão"), None);
    }
}
