//! Problems of a drafted skill beyond the rules: missing lines of the author, filler, the language, the description;
//! and commands only the writer supplied.

use std::sync::LazyLock;

use regex::Regex;

use super::brief::{Assignment, Line, language};
use super::contract::{Skill, one_line};
use crate::rules::input::{self, Field};
use crate::rules::quality::specific::Specificity;
use crate::skill::body::{below_title, said};
use crate::skill::sentence::{Language, has_trigger, language_of};

/// The longest accepted description, in characters: every session of a client loads it.
pub const MOST_DESCRIPTION: usize = 400;

const NAMED: usize = 8;
/// With fewer words the language of a text cannot be detected.
const ENOUGH_WORDS: usize = 12;
const LONGEST_TAG: usize = 40;
/// How many tags a skill has (T2-HEFESTO-02).
const TAGS: std::ops::RangeInclusive<usize> = 3..=8;

static SPAN: LazyLock<Regex> = LazyLock::new(|| {
    #[allow(clippy::expect_used, reason = "the pattern is a constant, and tests use it")]
    Regex::new("`([^`\n]+)`").expect("a valid pattern")
});

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// For the drafter: a sentence that says what to do.
    pub instruction: String,
    /// The message for the author, as part of a sentence.
    pub said: String,
}

impl Problem {
    pub fn new(instruction: impl Into<String>, said: impl Into<String>) -> Self {
        Self { instruction: instruction.into(), said: said.into() }
    }
}

/// The lines of the author and the house rules missing in a text.
pub fn left_out<'a>(text: &str, assignment: &'a Assignment) -> Vec<&'a Line> {
    let body = below_title(text);
    assignment.binding().filter(|line| !said(body, &line.text, assignment.language)).collect()
}

pub fn problems(skill: &Skill, assignment: &Assignment) -> Vec<Problem> {
    let mut found = Vec::new();
    for Line { text, .. } in left_out(&skill.body, assignment) {
        let instruction = format!("This line is not in it: \"{text}\". Say it at the step where it is used.");
        found.push(Problem::new(instruction, format!("it leaves out \"{text}\"")));
    }
    let counted = Specificity::of(&skill.body);
    if !counted.mostly() {
        let lines = filler(&skill.body).into_iter().take(NAMED).map(|line| format!("\"{line}\""));
        let lines = lines.collect::<Vec<_>>().join("; ");
        let said = format!("lines that could stand in any skill: {lines}");
        let instruction =
            format!("These lines could stand in any skill; say what is particular or leave them out: {lines}");
        found.push(Problem::new(instruction, said));
    }
    if let Some(other) = other_language(&skill.body, assignment.language) {
        let said = format!("is in {}; {} is asked for", language(other), language(assignment.language));
        found.push(Problem::new(format!("It {said}."), format!("it {said}")));
    }
    let why = skill.description.as_ref().and_then(|text| description_problem(text, assignment.language));
    found.extend(why.map(|why| Problem::new(format!("The description {why}."), format!("the description {why}"))));
    found
}

/// Why a description is not used; completes "The description".
pub fn description_problem(text: &str, wanted: Language) -> Option<String> {
    let length = text.chars().count();
    if text.trim().is_empty() {
        return Some("is empty".into());
    }
    if length > MOST_DESCRIPTION {
        return Some(format!("has {length} characters; {MOST_DESCRIPTION} is the most"));
    }
    if let Some(refusal) = input::refuse(text, Field::Description) {
        return Some(format!("cannot be kept: {}", refusal.message));
    }
    if text.contains(['<', '>']) {
        return Some("holds angle brackets, which some CLIs take for tags".into());
    }
    if !has_trigger(text) {
        return Some("does not say when to use the skill".into());
    }
    other_language(text, wanted).map(|other| format!("is in {}; {} is asked for", language(other), language(wanted)))
}

/// The valid tags; none if there are too few.
pub fn usable_tags(tags: &[String]) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for tag in tags {
        let tag = tag.trim().to_lowercase().replace([' ', '_'], "-");
        let plain = tag.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '.' | '+' | '#'));
        let fit = plain && (1..=LONGEST_TAG).contains(&tag.chars().count());
        if fit && input::refuse(&tag, Field::Answer).is_none() && !kept.contains(&tag) {
            kept.push(tag);
        }
    }
    kept.truncate(*TAGS.end());
    if TAGS.contains(&kept.len()) { kept } else { Vec::new() }
}

/// The commands of a text that are not in the known texts, without duplicates.
pub fn unknown_commands(text: &str, known: &str) -> Vec<String> {
    let known = one_line(known);
    let mut found: Vec<String> = Vec::new();
    for command in commands(text) {
        if !known.contains(&command) && !found.contains(&command) {
            found.push(command);
        }
    }
    found
}

/// Code spans and lines of shell blocks that call a program with arguments.
fn commands(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut block: Option<bool> = None;
    for line in text.lines() {
        let trimmed = line.trim();
        if let Some(info) = trimmed.strip_prefix("```").or_else(|| trimmed.strip_prefix("~~~")) {
            let shell = matches!(info.trim(), "" | "sh" | "bash" | "shell" | "console" | "text" | "zsh");
            block = if block.is_some() { None } else { Some(shell) };
            continue;
        }
        match block {
            None => found.extend(SPAN.captures_iter(line).filter_map(|span| command(span.get(1)?.as_str()))),
            Some(true) => found.extend(command(trimmed.trim_start_matches("$ "))),
            Some(false) => {}
        }
    }
    found
}

/// The text as a command: a script called by its path, or a possible program name followed by another word.
fn command(text: &str) -> Option<String> {
    let line = one_line(text);
    let Some((program, rest)) = line.split_once(' ') else {
        return line.strip_prefix("./").is_some_and(|path| !path.is_empty()).then_some(line);
    };
    let name = program.trim_start_matches("./");
    let begins = name.starts_with(|c: char| c.is_ascii_lowercase());
    let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | '+'));
    (begins && plain && !name.ends_with('.') && !rest.starts_with(['=', ':'])).then_some(line)
}

fn filler(body: &str) -> Vec<&str> {
    let generic = |line: &&str| {
        let counted = Specificity::of(line);
        counted.content > 0 && counted.specific == 0
    };
    body.lines().map(str::trim).filter(generic).collect()
}

/// The language of a text, if it is certain and not the wanted one.
fn other_language(text: &str, wanted: Language) -> Option<Language> {
    let prose = SPAN.replace_all(text, "");
    if prose.split_whitespace().count() < ENOUGH_WORDS {
        return None;
    }
    Some(language_of(&prose)).filter(|found| *found != wanted)
}

#[cfg(test)]
mod tests {
    use super::super::brief::{self, Origin};
    use super::*;

    fn assignment(binding: &[&str]) -> Assignment {
        let line = |text: &&str| Line { origin: Origin::Author, text: (*text).to_owned(), place: String::new() };
        Assignment { lines: binding.iter().map(line).collect(), ..brief::tests::assignment() }
    }

    #[test]
    fn what_only_the_writer_knew_is_told_from_what_was_given() {
        let text = "Run `make  test`, then `csvlint --strict FILE`.\n\n```sh\n$ wc -l FILE\nmake test\n```\n\n```json\nnot this one\n```\n\
                    `Not a command`, `src/main.rs`, `key = value`\n";
        assert_eq!(unknown_commands("Run `./redeploy.sh`, then read `notes.md`.", ""), ["./redeploy.sh"]);
        assert_eq!(unknown_commands(text, "R1 `make test`"), ["csvlint --strict FILE", "wc -l FILE"]);
    }

    #[test]
    fn filler_another_language_and_left_out_lines_are_problems() {
        let skill = |body: &str| Skill { body: body.into(), ..Skill::default() };
        let good = "1. Run `csvlint FILE`.\n2. Keep the header line.\n3. Write `FILE.clean`.\n";
        assert_eq!(problems(&skill(good), &assignment(&["Keep the header line."])), Vec::new());
        let missing = problems(&skill(good), &assignment(&["Refuse files over 30 MB."]));
        assert!(missing.len() == 1 && missing[0].instruction.contains("Refuse files over 30 MB."), "{missing:?}");
        let vague = problems(&skill("- Look at the input.\n- Decide what to do.\n- Run `x y`.\n"), &assignment(&[]));
        assert!(vague[0].instruction.contains("\"- Decide what to do.\""), "{vague:?}");
        let foreign = "1. Execute `csvlint FILE` e confira que o arquivo não tem linhas vazias nem campos a mais.\n";
        assert!(problems(&skill(foreign), &assignment(&[]))[0].instruction.contains("Portuguese"), "{foreign}");
    }

    #[test]
    fn a_description_has_to_say_when_within_its_length() {
        let problem = |text: &str| description_problem(text, Language::En);
        assert_eq!(problem("Checks CSV files. Use when a CSV is to be checked."), None);
        let long = format!("Checks CSV files. Use when {}.", "a file is to be checked ".repeat(20));
        for (text, why) in [
            ("Checks CSV files.", "does not say when"),
            (long.as_str(), "400 is the most"),
            (" ", "is empty"),
            ("Checks <csv>. Use when asked.", "angle brackets"),
        ] {
            assert!(problem(text).is_some_and(|said| said.contains(why)), "{text}: {:?}", problem(text));
        }
    }

    #[test]
    fn tags_are_taken_where_three_are_fit() {
        let tags = |all: &[&str]| usable_tags(&all.iter().map(ToString::to_string).collect::<Vec<_>>());
        assert_eq!(tags(&["CSV", "data check", "lint", "lint", "a/b"]), ["csv", "data-check", "lint"]);
        assert_eq!(tags(&["csv", "lint"]), Vec::<String>::new());
    }
}
