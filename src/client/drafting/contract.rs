//! The format of an answer to the brief: a skill file, questions, or other words. Text around it is stripped.

use crate::skill::frontmatter::{self, Field, Value};

pub const MOST: usize = 48 << 10;
pub const MOST_FILES: usize = 4;
pub const MOST_FILE: usize = 16 << 10;
pub(super) const MOST_QUESTIONS: usize = 4;
/// With fewer lines a text is no skill.
const LEAST_LINES: usize = 3;

/// The first line of a text given with `--body` that is an answer to the brief.
pub const MARK: &str = "<!-- hefesto: whole body -->";
const QUESTION: &str = "QUESTION:";

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    Skill(Skill),
    /// Questions to be answered first, each on one line.
    Questions(Vec<String>),
    /// No skill: a refusal, a question in other words, an excuse.
    Words(String),
}

/// A skill written by another program, not checked yet. Name, tools and other fields of its frontmatter are not read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Skill {
    pub description: Option<String>,
    pub tags: Vec<String>,
    /// Markdown below the title, with LF line ends and one at the end.
    pub body: String,
    pub files: Vec<File>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// Its path as written: `references/labels.md`.
    pub path: String,
    pub text: String,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoReply {
    /// More than [`MOST`] bytes; the number of bytes.
    #[error("it has {0} bytes; {most} is the most", most = MOST)]
    TooLarge(usize),
    /// It is no skill although one is required.
    #[error("it is no skill: neither a frontmatter with a body nor two sections with a `## ` heading")]
    NoSkill,
}

/// The text after [`MARK`], if a body begins with it.
pub fn whole(body: &str) -> Option<&str> {
    body.trim_start_matches('\u{feff}')
        .trim_start()
        .strip_prefix(MARK)
        .map(|rest| rest.trim_start_matches(['\r', '\n']))
}

pub fn skill(answer: &str) -> Result<Skill, NoReply> {
    match reply(answer)? {
        Reply::Skill(skill) => Ok(skill),
        Reply::Questions(_) | Reply::Words(_) => Err(NoReply::NoSkill),
    }
}

/// Reads an answer, without a code fence around it and a greeting before it.
/// Errors: [`NoReply::TooLarge`].
pub fn reply(answer: &str) -> Result<Reply, NoReply> {
    if answer.len() > MOST {
        return Err(NoReply::TooLarge(answer.len()));
    }
    let text = answer.trim_start_matches('\u{feff}').replace("\r\n", "\n").replace('\r', "\n");
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    let (inside, behind) = unfenced(&lines);
    let (head, body) = parted(inside);
    let (mut body, mut files) = apart(body);
    files.extend(apart(behind).1);
    match (head, sections(&body).as_slice()) {
        (None, [first, _, ..]) => drop(body.drain(..*first)),
        (Some(_), _) if body.iter().filter(|line| !line.trim().is_empty()).count() >= LEAST_LINES => {}
        _ => return Ok(words(&lines, &text)),
    }
    let (description, tags) = head.map(described).unwrap_or_default();
    let lead = sections(&body).first().copied().unwrap_or(body.len());
    let lines = body.iter().enumerate().filter(|(at, line)| *at >= lead || !superfluous(line)).map(|(_, line)| *line);
    let body = lines.map(gap).collect::<Vec<_>>().join("\n");
    Ok(Reply::Skill(Skill { description, tags, body: format!("{}\n", body.trim()), files }))
}

fn words(lines: &[&str], text: &str) -> Reply {
    let asked = lines.iter().filter_map(|line| question(line)).map(str::to_owned);
    let asked: Vec<String> = asked.take(MOST_QUESTIONS).collect();
    if asked.is_empty() { Reply::Words(text.trim().to_owned()) } else { Reply::Questions(asked) }
}

fn question(line: &str) -> Option<&str> {
    let line = line.trim_start_matches(['-', '*', ' ']);
    let asked = line.strip_prefix(QUESTION)?.trim_start_matches('*').trim();
    (!asked.is_empty()).then_some(asked)
}

/// A question inside a skill is a place to fill in.
fn gap(line: &str) -> String {
    question(line).map_or_else(|| line.to_owned(), |asked| format!("- [FILL IN: {asked}]"))
}

/// A line above the first section that hefesto writes itself: the title, and what a request names.
fn superfluous(line: &str) -> bool {
    line.starts_with("# ") || line.contains("$ARGUMENTS") || line.contains("{{args}}")
}

/// The mark and the info string of a fence line.
fn fence(line: &str) -> Option<(&str, &str)> {
    let line = line.trim_start();
    let sign = line.chars().next().filter(|sign| matches!(sign, '`' | '~'))?;
    let info = line.trim_start_matches(sign);
    let marks = line.get(..line.len() - info.len()).filter(|marks| marks.len() >= 3)?;
    (!info.contains('`')).then(|| (marks, info.trim()))
}

/// The lines inside a fence around the whole answer, and those after it; without such a fence, all and none.
fn unfenced<'l, 't>(lines: &'l [&'t str]) -> (&'l [&'t str], &'l [&'t str]) {
    let begins = |line: &&str| line.starts_with("## ") || *line == "---";
    let head = lines.iter().position(begins).unwrap_or(lines.len());
    let opens = |line: &&str| {
        fence(line).is_some_and(|(_, info)| matches!(info.to_lowercase().as_str(), "" | "markdown" | "md" | "yaml"))
    };
    let Some(open) = lines.iter().take(head).position(opens) else { return (lines, &[]) };
    let marks = lines.get(open).and_then(|line| fence(line)).map_or("", |(marks, _)| marks);
    let rest = lines.get(open + 1..).unwrap_or_default();
    let close = closing(rest, marks)
        // An inner fence without a language looks like the end.
        .filter(|at| !rest.iter().skip(at + 1).any(|line| line.starts_with("## ")))
        .or_else(|| rest.iter().rposition(|line| fence(line).is_some_and(|(_, info)| info.is_empty())));
    match close {
        Some(at) if at + open + 1 > head => (rest.get(..at).unwrap_or(rest), rest.get(at + 1..).unwrap_or_default()),
        Some(_) => (lines, &[]),
        None => (rest, &[]),
    }
}

/// The line that closes a fence with these marks; inner fences with an info string are skipped.
fn closing(lines: &[&str], marks: &str) -> Option<usize> {
    let mut inner: Option<&str> = None;
    for (at, line) in lines.iter().enumerate() {
        match (inner, fence(line)) {
            (None, Some((mark, ""))) if mark.starts_with(marks) => return Some(at),
            (None, Some((mark, info))) if !info.is_empty() => inner = Some(mark),
            (Some(open), Some((mark, ""))) if mark.starts_with(open) => inner = None,
            _ => {}
        }
    }
    None
}

/// The frontmatter, if there is one before the first section, and the text below it.
fn parted<'l, 't>(lines: &'l [&'t str]) -> (Option<&'l [&'t str]>, &'l [&'t str]) {
    let first = lines.iter().position(|line| line.starts_with("## ")).unwrap_or(lines.len());
    let Some(open) = lines.iter().take(first).position(|line| *line == "---") else { return (None, lines) };
    let close = lines.iter().skip(open + 1).position(|line| *line == "---").map(|at| open + 1 + at);
    let says = |head: &&[&str]| head.iter().any(|line| line.starts_with("description:"));
    let head = close.and_then(|close| lines.get(open + 1..close)).filter(says);
    match (head, close) {
        (Some(head), Some(close)) => (Some(head), lines.get(close + 1..).unwrap_or_default()),
        _ => (None, lines),
    }
}

/// Description and tags of a frontmatter; nothing else of it is read.
fn described(head: &[&str]) -> (Option<String>, Vec<String>) {
    let text = format!("---\n{}\n---\n", head.join("\n"));
    let Ok(document) = frontmatter::read(text.as_bytes()) else {
        // The usual defect is an unquoted value with a colon.
        let said = head.iter().find_map(|line| line.strip_prefix("description:"));
        return (said.map(|text| one_line(text.trim().trim_matches(['"', '\'']))), Vec::new());
    };
    let description = document.field("description").and_then(|field| field.value.scalar()).map(one_line);
    let inner = document.field("metadata").and_then(|field| match &field.value {
        Value::Map(fields) => fields.iter().find(|field| field.key == "tags"),
        _ => None,
    });
    (description, document.field("tags").or(inner).map(tags).unwrap_or_default())
}

fn tags(field: &Field) -> Vec<String> {
    match &field.value {
        Value::List(items) => items.iter().filter_map(|item| item.value.scalar()).map(one_line).collect(),
        value => value.scalar().unwrap_or_default().split(',').map(one_line).filter(|tag| !tag.is_empty()).collect(),
    }
}

pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The lines of a body without the fences that are files, and the files.
fn apart<'t>(lines: &[&'t str]) -> (Vec<&'t str>, Vec<File>) {
    let (mut body, mut files): (Vec<&str>, Vec<File>) = (Vec::new(), Vec::new());
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        at += 1;
        let opened = fence(line).filter(|(_, info)| !info.is_empty());
        let rest = lines.get(at..).unwrap_or_default();
        let Some((marks, info)) = opened else {
            body.push(line);
            continue;
        };
        let length = closing_exactly(rest, marks);
        match (path(info), length) {
            (Some(path), Some(length)) => {
                let text = rest.get(..length).unwrap_or_default().join("\n");
                // A heading that only names the file is removed with it.
                while body.last().is_some_and(|line| line.is_empty() || line.contains(path)) {
                    body.pop();
                }
                body.push("");
                files.push(File { path: path.to_owned(), text: format!("{}\n", text.trim_end()) });
                at += length + 1;
            }
            (_, length) => {
                let end = at + length.map_or(rest.len(), |length| length + 1);
                body.extend(lines.get(at - 1..end).unwrap_or_default());
                at = end;
            }
        }
    }
    (body, files)
}

fn closing_exactly(lines: &[&str], marks: &str) -> Option<usize> {
    lines.iter().position(|line| fence(line).is_some_and(|(mark, info)| info.is_empty() && mark.starts_with(marks)))
}

fn path(info: &str) -> Option<&str> {
    info.split_whitespace().find(|word| word.starts_with("references/") || word.starts_with("scripts/"))
}

/// The lines of second-level headings outside of fences.
fn sections(lines: &[&str]) -> Vec<usize> {
    let (mut found, mut open) = (Vec::new(), None);
    for (at, line) in lines.iter().enumerate() {
        match (open, fence(line)) {
            (None, None) if line.starts_with("## ") => found.push(at),
            (None, Some((marks, _))) => open = Some(marks),
            (Some(marks), Some((mark, ""))) if mark.starts_with(marks) => open = None,
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const BODY: &str = "## How to do it\n\n1. Look.\n\n```sh\nls\n```\n\n## Do not\n\n- Guess.\n";
    const HEAD: &str = "---\nname: other\ndescription: \"Checks: all. Use when asked.\"\nallowed-tools: Bash\ntags: [a, b]\n---\n\n# Title\n\n";

    fn read(answer: &str) -> Skill {
        skill(answer).unwrap_or_else(|why| panic!("{why}: {answer}"))
    }

    #[test]
    fn what_stands_around_a_skill_is_taken_off() {
        for answer in [
            BODY.to_owned(),
            BODY.replace('\n', "\r\n"),
            format!("```markdown\n{BODY}```\n"),
            format!("Here it is:\n\n```\n{BODY}```"),
            format!("````md\n{BODY}````"),
            format!("```markdown\n{BODY}```\n\nTell me what to change."),
            format!("# X\n\nA greeting.\n\n{BODY}\n\n"),
            format!("{HEAD}{BODY}"),
            format!("Certainly.\n\n{HEAD}Input: $ARGUMENTS (a file)\n\n{BODY}"),
            format!("Certainly.\n\n```markdown\n{HEAD}{BODY}```\nAnything else?"),
        ] {
            assert_eq!(read(&answer).body, BODY, "{answer}");
        }
    }

    #[test]
    fn description_and_tags_are_all_that_is_read_of_a_frontmatter() {
        let skill = read(&format!("{HEAD}{BODY}"));
        assert_eq!(skill.description.as_deref(), Some("Checks: all. Use when asked."));
        assert_eq!(skill.tags, ["a", "b"]);
        let loose = read(&format!("---\ndescription: Checks: all. Use when asked.\n---\n\n{BODY}"));
        assert_eq!(loose.description.as_deref(), Some("Checks: all. Use when asked."));
        let inner = read(&format!("---\ndescription: D\nmetadata:\n  tags: \"a, b\"\n---\n{BODY}"));
        assert_eq!(inner.tags, ["a", "b"]);
    }

    #[test]
    fn a_body_of_one_list_is_a_skill_under_a_frontmatter_only() {
        let list = "1. One.\n2. Two.\n3. Three.\n";
        assert_eq!(read(&format!("{HEAD}{list}")).body, list);
        assert_eq!(reply(list), Ok(Reply::Words(list.trim().into())));
    }

    #[test]
    fn fences_with_a_path_are_files() {
        let files = "### references/labels.md\n\n````markdown references/labels.md\n# Labels\n\n```\na\n```\n````\n\n```scripts/x.sh\nls\n```\n";
        let wanted = [("references/labels.md", "# Labels\n\n```\na\n```\n"), ("scripts/x.sh", "ls\n")];
        for answer in [format!("{HEAD}{BODY}\n{files}"), format!("```md\n{HEAD}{BODY}```\n\n{files}")] {
            let skill = read(&answer);
            assert_eq!(skill.body, BODY, "{answer}");
            let files: Vec<_> = skill.files.iter().map(|file| (file.path.as_str(), file.text.as_str())).collect();
            assert_eq!(files, wanted, "{answer}");
        }
    }

    #[test]
    fn questions_and_words_are_no_skill() {
        let asked = reply("I need to know:\n\n- QUESTION: Which label?\n**QUESTION:** How long?\n");
        assert_eq!(asked, Ok(Reply::Questions(vec!["Which label?".into(), "How long?".into()])));
        for answer in ["", "Please log in.", "## One section\n\ntext", "text\n\n```js\n## a\n## b\n```"] {
            assert_eq!(reply(answer), Ok(Reply::Words(answer.trim().into())), "{answer}");
        }
        let large = format!("## a\n\n## b\n\n{}", "x".repeat(MOST));
        assert_eq!(reply(&large), Err(NoReply::TooLarge(large.len())));
        let inside = read(&format!("{HEAD}{BODY}\nQUESTION: Which label?\n"));
        assert!(inside.body.ends_with("- [FILL IN: Which label?]\n"), "{}", inside.body);
    }

    #[test]
    fn an_answer_given_as_a_body_says_so_in_its_first_line() {
        assert_eq!(whole(&format!("\n{MARK}\r\n{BODY}")), Some(BODY));
        assert_eq!(whole(BODY), None);
    }
}
