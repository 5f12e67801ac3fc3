//! Converts commands, rules and prompts for AI CLIs into skills. Every line of the source is in the body; if something
//! of it cannot be expressed in a skill, the source is kept beside it, and a note says so.

mod source;

use serde_json::json;

use super::template::adapt;
use super::{Name, Tree, prose, tokens, yaml};
use crate::client::target::Arguments;

pub use source::SourceKind;
use source::{Given, Source};

/// The longest description (S8), in characters.
const DESCRIPTION: usize = 1024;

/// The limits of a body (T0-HEFESTO-03), minus room for added lines.
const LINES: usize = 480;
const TOKENS: usize = 4_800;

/// Files that their client reads for every task.
const ALWAYS: &[&str] = &["copilot-instructions.md", ".cursorrules", ".windsurfrules"];

/// A skill converted from a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Converted {
    pub name: Name,
    pub tree: Tree,
    /// What was changed or moved in the conversion.
    pub notes: Vec<String>,
}

/// Converts a file into a skill. `path` determines its kind and its name; arguments are written as `$ARGUMENTS`.
/// Errors: why no skill can be made of it, without the file's name.
pub fn convert(path: &str, original: &str) -> Result<Converted, String> {
    if path.rsplit('/').next().is_some_and(|file| file.eq_ignore_ascii_case("SKILL.md")) {
        return Err(format!("it is a skill already; `hefesto adopt {path}` brings it in"));
    }
    let kind = SourceKind::of(path).ok_or("it is no command, rule, prompt or instruction of a known kind")?;
    let name = kind.name(path).ok_or("no name can be made of the file's; rename the file")?;
    let source = source::read(kind, original)?;
    if source.body.trim().is_empty() {
        return Err("it contains no instructions".to_owned());
    }
    let named_input = path.contains("/.codex/prompts/");
    let always = path.rsplit('/').next().is_some_and(|file| ALWAYS.iter().any(|one| file.eq_ignore_ascii_case(one)));
    let mut skill =
        Skill { kind, named_input, always, name: &name, source: &source, notes: Vec::new(), left: Vec::new() };
    let description = skill.description();
    let body = skill.body(&description);
    let text = format!("---\n{}---\n\n{}", skill.head(&description.kept), adapt(&body, Arguments::Dollar));
    let mut tree = Tree::new();
    tree.put("SKILL.md", text);
    if !skill.left.is_empty() {
        tree.put(format!("references/original.{}", kind.extension()), original);
    }
    Ok(Converted { notes: skill.notes, tree, name })
}

/// A description within the limit, and the original if longer.
struct Description {
    kept: String,
    whole: Option<String>,
}

struct Skill<'s> {
    kind: SourceKind,
    /// Whether its client fills in `$NAME` from `NAME=...`.
    named_input: bool,
    /// Whether its client reads the file for every task.
    always: bool,
    name: &'s Name,
    source: &'s Source,
    notes: Vec<String>,
    /// What cannot be expressed in a skill, in words for a note.
    left: Vec<String>,
}

impl Skill<'_> {
    fn text(&self, key: &str) -> Option<&str> {
        let Given::Text(text) = self.source.given(key)? else { return None };
        Some(text.trim()).filter(|text| !text.is_empty())
    }

    /// The file patterns it applies to.
    fn patterns(&self) -> Vec<String> {
        let given = ["globs", "applyTo", "paths"].iter().filter(|key| self.kind.keys().contains(key));
        given.filter_map(|key| self.source.given(key)).flat_map(Given::patterns).collect()
    }

    fn is_everywhere(&self) -> bool {
        self.always
            || self.text("alwaysApply") == Some("true")
            || self.patterns().iter().any(|one| one == "**" || one == "**/*")
    }

    /// The source's own description, or its first heading or sentence, plus when to use it if the source says that
    /// elsewhere.
    fn description(&self) -> Description {
        let one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let when = match (&self.patterns()[..], self.is_everywhere()) {
            (_, true) => Some("Use for every task in this project.".to_owned()),
            ([], _) => None,
            (patterns, _) => Some(format!("Use when working on files that match {}.", patterns.join(", "))),
        };
        let own = self.text("description").map(one_line);
        let asked = || format!("Use when the user asks for {}.", self.name.as_str().replace('-', " "));
        let (first, when) = match own {
            Some(own) => (own, when),
            None => (self.first_words(), Some(when.unwrap_or_else(asked))),
        };
        let stop = if first.ends_with(['.', '!', '?', ':']) { "" } else { "." };
        let whole = match when {
            Some(when) if first.len() < DESCRIPTION => format!("{first}{stop} {when}"),
            _ => first,
        };
        if whole.chars().count() <= DESCRIPTION {
            return Description { kept: whole, whole: None };
        }
        let cut: String = whole.chars().take(DESCRIPTION - 4).collect();
        let kept = cut.rsplit_once(". ").or_else(|| cut.rsplit_once(' ')).map_or(cut.as_str(), |(kept, _)| kept);
        Description { kept: format!("{}.", kept.trim_end_matches(['.', ','])), whole: Some(whole) }
    }

    fn first_words(&self) -> String {
        let body = &self.source.body;
        let heading = body.lines().find(|line| !line.trim().is_empty()).filter(|line| line.starts_with('#'));
        let heading = heading.map(|line| line.trim_start_matches('#').trim());
        let sentence = || {
            let block = prose::blocks(body).into_iter().next()?;
            let text = block.text.split_whitespace().collect::<Vec<_>>().join(" ");
            let end = text.find(". ").map_or(text.len(), |at| at + 1);
            text.get(..end).map(|text| text.chars().take(200).collect::<String>())
        };
        let found = heading.map(str::to_owned).or_else(sentence).map(|text| without_placeholders(&text));
        found.filter(|text| text.chars().any(char::is_alphanumeric)).unwrap_or_else(|| self.name.title())
    }

    /// The frontmatter: the fields of all clients, and those of several.
    fn head(&self, description: &str) -> String {
        let has = |key: &str| self.kind.keys().contains(&key);
        let mut map = json!({ "name": self.name, "description": description });
        if let Some(tools) = self.source.given("allowed-tools").filter(|_| has("allowed-tools")) {
            map["allowed-tools"] = tools.joined().into();
        }
        map["metadata"] = json!({ "version": "1.0.0" });
        let asked_for = has("disable-model-invocation") && self.text("disable-model-invocation") == Some("true");
        yaml::block(&map) + if asked_for { "disable-model-invocation: true\n" } else { "" }
    }

    fn body(&mut self, description: &Description) -> String {
        let source = self.source.body.trim_matches('\n').to_owned();
        let (mut text, commands) = without_marks(&source, self.kind);
        if !commands.is_empty() {
            self.notes.push("Commands that the client ran by itself are written without their `!`.".to_owned());
            self.left.push("commands that run by themselves".to_owned());
        }
        let added = self.added(&source, description, &commands);
        let unplaced: Vec<String> =
            self.source.keys().filter(|key| !self.kind.keys().contains(key)).map(|key| format!("`{key}`")).collect();
        self.left.extend(unplaced);
        if self.source.unread {
            self.left.push("lines of the frontmatter that are no keys".to_owned());
        }
        let kept = format!("references/original.{}", self.kind.extension());
        if text.lines().count() > LINES || tokens::estimate(&text) > TOKENS {
            self.notes.push(format!("The instructions are long; they are in {kept} as they were."));
            self.left.push("a body of this length".to_owned());
            text = format!(
                "Read `{kept}` of this skill whole before you begin, and follow it: it holds the instructions."
            );
        }
        let title = if text.starts_with("# ") { String::new() } else { format!("# {}\n\n", self.name.title()) };
        let added: String = added.iter().map(|line| format!("{line}\n\n")).collect();
        let mut body = format!("{title}{added}{}\n", text.trim_end());
        if !self.left.is_empty() {
            let left = self.left.join(", ");
            self.notes.push(format!("{left}: no place in a skill; the file is kept as {kept}."));
            body.push_str(&format!("\nThe file this skill was made of is `{kept}` ({left}).\n"));
        }
        body
    }

    /// Added lines for what the source's client did implicitly.
    fn added(&self, body: &str, description: &Description, commands: &[&str]) -> Vec<String> {
        let holds = |marks: &[&str]| marks.iter().any(|mark| body.contains(mark));
        let spans = |texts: &[String]| texts.iter().map(|one| format!("`{one}`")).collect::<Vec<_>>().join(", ");
        let mut lines: Vec<String> = description.whole.iter().cloned().collect();
        let patterns = self.patterns();
        if self.is_everywhere() {
            lines.push("Applies to every task in this project.".to_owned());
        } else if !patterns.is_empty() {
            lines.push(format!("Applies to files that match {}.", spans(&patterns)));
        }
        let numbered = (1..=9).any(|number| body.contains(&format!("${number}")));
        let named = if self.named_input { named(body) } else { Vec::new() };
        let hint = self.source.given("argument-hint").map(|given| match given {
            Given::Text(hint) => format!("arguments: {hint}"),
            // In YAML, `[issue]` is a list.
            Given::List(hints) => format!("arguments: {}", hints.join(", ")),
        });
        if hint.is_some() || numbered || !named.is_empty() || holds(&["$ARGUMENTS", "{{args}}", "${input:"]) {
            let words = hint.unwrap_or_else(|| "what the user asks for".to_owned());
            lines.push(format!("Input: $ARGUMENTS ({})", words.replace(['(', ')'], "")));
        }
        let named = named.iter().map(|name| format!("`${name}` stands for what the input gives as `{name}=...`"));
        let named = named.collect::<Vec<_>>().join(", ");
        let commands: Vec<String> = commands.iter().map(ToString::to_string).collect();
        let opened = self.kind == SourceKind::Prompt && holds(&["${selection}", "${selectedText}", "${file"]);
        let is_file = |word: &str| {
            let path = word.strip_prefix('@');
            path.is_some_and(|path| path.starts_with('{') || (path.contains(['/', '.']) && !path.contains('@')))
        };
        let explained: [(bool, &str); 7] = [
            (numbered, "Numbered placeholders stand for the words of the input, counted from one."),
            (!named.is_empty(), &format!("{named}; ask for what is missing.")),
            (opened, "`${selection}` and `${file}` stand for what the user selected or opened; ask which is meant."),
            (
                holds(&["${input:"]),
                "A placeholder `${input:...}` stands for a part of the input; ask for one that is missing.",
            ),
            (!commands.is_empty(), &format!("Run first, and go on with what is printed: {}.", spans(&commands))),
            (holds(&["!{"]), "`!{...}` stands for what the command in it prints: run it and go on with that."),
            (body.split_whitespace().any(is_file), "`@` before a path stands for the content of that file: read it."),
        ];
        lines.extend(explained.into_iter().filter(|(is, _)| *is).map(|(_, line)| line.to_owned()));
        lines
    }
}

/// A sentence that says "the input" where a client fills it in.
fn without_placeholders(text: &str) -> String {
    let numbered = (1..=9).map(|number| format!("${number}"));
    let all = ["`$ARGUMENTS`", "$ARGUMENTS", "`{{args}}`", "{{args}}"].map(str::to_owned).into_iter().chain(numbered);
    all.fold(text.to_owned(), |text, placeholder| text.replace(&placeholder, "the input"))
}

/// The placeholders in capitals, each once.
fn named(body: &str) -> Vec<&str> {
    let mut all: Vec<&str> = Vec::new();
    for behind in body.split('$').skip(1) {
        let end = behind.find(|c: char| !(c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_'));
        let name = behind.get(..end.unwrap_or(behind.len())).unwrap_or_default();
        if name.starts_with(|c: char| c.is_ascii_uppercase()) && name != "ARGUMENTS" && !all.contains(&name) {
            all.push(name);
        }
    }
    all
}

/// The text without the marks by which a client runs commands while it loads the file; these commands, each once.
fn without_marks(text: &str, kind: SourceKind) -> (String, Vec<&str>) {
    if kind != SourceKind::Command {
        return (text.to_owned(), Vec::new());
    }
    let mut commands: Vec<&str> = Vec::new();
    let mut lines = Vec::new();
    for line in text.split('\n') {
        let mut out = String::with_capacity(line.len());
        let mut rest = line;
        while let Some(at) = rest.find("!`") {
            let (before, after) = rest.split_at(at);
            let marks =
                before.is_empty() && out.is_empty() || before.ends_with(char::is_whitespace) || before.is_empty();
            out.push_str(before);
            match after.get(2..).and_then(|after| after.split_once('`')).filter(|_| marks) {
                Some((command, _)) if commands.contains(&command) => {}
                Some((command, _)) => commands.push(command),
                None => out.push('!'),
            }
            rest = after.get(1..).unwrap_or_default();
        }
        out.push_str(rest);
        lines.push(out);
    }
    (lines.join("\n"), commands)
}

#[cfg(test)]
mod tests;
