//! Files named with `--from`: everything in them is used, whatever their names.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::command_text::{Typed, typed};
use super::lines::code;
use super::rule_form::{binds, sentences};
use super::rules::announces;
use super::{Fact, Facts, Kind, Risk, Source, openapi, rules, safe, shell_history, source, work_document, yaml};
use crate::skill::prose::{Block, BlockKind, blocks};
use crate::skill::sources;

/// How many facts of one kind are taken from a file; rules are not limited.
const MOST: usize = 12;

/// Headings below which every list item is a step.
const STEPS: &[&str] =
    &["step", "how to", "workflow", "procedure", "process", "passo", "procedimento", "paso", "procedimiento"];

/// Words at the start of a list item that mark a warning, beside the binding words.
const WARNS: &[&str] = &[
    "warning", "caution", "danger", "beware", "important:", "evite ", "cuidado", "atenção", "aviso", "no ", "evita ",
    "evitar ", "jamás ", "advertencia", "atención", "avoid ",
];

/// Commands that run a script by its name.
const RUNNERS: &[&str] = &["npm run ", "pnpm run ", "yarn ", "bun run ", "make ", "just "];

/// Kinds that describe the setup of a repository, not what to do.
const SETUP: &[Kind] =
    &[Kind::Language, Kind::Framework, Kind::PackageManager, Kind::TestPlugin, Kind::LintConfig, Kind::Container];

/// The content of one file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Given {
    /// The file's name, without its directory.
    pub from: String,
    /// Its subject in its own words; may be empty.
    pub summary: String,
    /// Its facts in order.
    pub facts: Vec<Fact>,
    /// Public URLs it links to.
    pub links: Vec<String>,
    /// The number of facts left out.
    pub left_out: usize,
}

/// Reads a file by its path, as typed, and its content; only the file name is kept.
pub fn given(path: &str, text: &str) -> Given {
    let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n").replace('\r', "\n");
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let beside = BTreeSet::new();
    let at = |path| Source { path, text: &text, beside: &beside };
    let mut facts = Facts::default();
    let mut given = Given { from: name.to_owned(), summary: summary(name, &text), ..Given::default() };
    let lower = name.to_ascii_lowercase();
    if shell_history::is_one(name, &text) {
        given.left_out = shell_history::read(&at(name), &mut facts);
    } else if !rules::holds_rules(&lower) && work_document::work(name).is_none() {
        let known = if source::is_known(name) { name } else { path.trim_start_matches("./") };
        facts = source::read(&at(known));
        if facts.is_empty() {
            openapi::read(&at(name), &mut facts);
        }
    }
    if facts.is_empty() {
        prose(&at(name), &mut facts, &mut given);
    }
    let total = facts.all.len();
    facts.all.iter_mut().for_each(|fact| fact.file = name.to_owned());
    let mut facts = facts.safe().all;
    if facts.iter().any(|fact| !SETUP.contains(&fact.kind)) {
        facts.retain(|fact| !SETUP.contains(&fact.kind));
    } else {
        given.left_out += total - facts.len();
    }
    let mut counts = std::collections::BTreeMap::<Kind, usize>::new();
    for fact in facts {
        let count = counts.entry(fact.kind).or_default();
        *count += 1;
        if *count <= MOST || fact.kind == Kind::Rule {
            given.facts.push(fact);
        } else {
            given.left_out += 1;
        }
    }
    given
}

/// Facts from a text in Markdown or plain words.
fn prose(source: &Source<'_>, out: &mut Facts, given: &mut Given) {
    let mut loose: Vec<Block> = Vec::new();
    for block in blocks(source.text) {
        match &block.kind {
            BlockKind::Link => link(&block.text, given),
            BlockKind::Code(language) => commands(source, language, &block, out, given),
            BlockKind::Paragraph => {
                addresses(&block.text, given);
                let (bind, free): (Vec<&str>, Vec<&str>) =
                    sentences(&block.text).into_iter().partition(|sentence| binds(sentence, false) || warns(sentence));
                bind.iter().for_each(|sentence| put(source, Kind::Rule, sentence, &block, out));
                if !free.is_empty() {
                    loose.push(Block { text: free.join(" "), ..block.clone() });
                }
            }
            BlockKind::Point(depth) | BlockKind::Numbered(depth) => {
                addresses(&block.text, given);
                let numbered = matches!(block.kind, BlockKind::Numbered(_));
                point(source, numbered, *depth > 1, &block, out);
            }
        }
    }
    if given.summary.is_empty() {
        given.summary = loose.first().and_then(|block| safe::cut(&safe::one_line(&block.text))).unwrap_or_default();
    }
    if out.is_empty() {
        loose.iter().for_each(|block| put(source, Kind::Note, &block.text, block, out));
    }
}

fn point(source: &Source<'_>, numbered: bool, nested: bool, block: &Block, out: &mut Facts) {
    let text = block.text.as_str();
    let under = block.heading.to_lowercase();
    let bound = announces(&block.heading) || binds(text, false) || warns(text);
    let step = numbered || STEPS.iter().any(|word| under.contains(word));
    // An item below a step says how to do it.
    if let Some(above) = out.all.last_mut().filter(|above| nested && !bound && above.kind == Kind::Step) {
        above.text = format!("{} - {text}", above.text);
        return;
    }
    let kind = match (numbered, bound, step) {
        (true, ..) | (_, false, true) => Kind::Step,
        (_, true, _) => Kind::Rule,
        _ if text.starts_with("http://") || text.starts_with("https://") => return,
        _ => Kind::Note,
    };
    put(source, kind, text, block, out);
}

fn put(source: &Source<'_>, kind: Kind, text: &str, block: &Block, out: &mut Facts) {
    out.all.push(Fact::new(kind, text).about(text).about(&block.heading).at(source.path, block.line));
}

fn warns(text: &str) -> bool {
    let lower = text.trim_start_matches(['*', '_', '[', '!', ' ', '>']).to_lowercase();
    WARNS.iter().any(|word| lower.starts_with(word))
}

/// The command lines of a code block.
fn commands(source: &Source<'_>, language: &str, block: &Block, out: &mut Facts, given: &mut Given) {
    for Typed { line, command, .. } in typed(language, &block.text, false) {
        if command.chars().count() > safe::LONGEST || command.contains("```") {
            given.left_out += 1;
            continue;
        }
        let about = if block.heading.is_empty() { String::new() } else { format!(" ({})", block.heading) };
        let fact = Fact::new(Kind::Command, format!("{}{about}", code(&command))).about(&command).about(&block.heading);
        // What a script with this name does is not in the file.
        let script = RUNNERS.iter().find_map(|runner| command.strip_prefix(runner));
        let risk = script.and_then(Risk::of_name);
        out.all.push(fact.command(command).risk(risk).at(source.path, block.line + line + 1));
    }
}

/// URLs in the text that are not marked as links.
fn addresses(text: &str, given: &mut Given) {
    for word in text.split_whitespace().filter(|word| word.contains("://")) {
        let from = word.find("http").unwrap_or(0);
        let ends = ['.', ',', ';', ':', ')', '>', '!', '?', '"', '\''];
        link(word.get(from..).unwrap_or_default().trim_end_matches(ends), given);
    }
}

fn link(url: &str, given: &mut Given) {
    if sources::check(url).is_err() || given.links.iter().any(|known| known == url) {
        return;
    }
    if given.links.len() < MOST {
        given.links.push(url.to_owned());
    } else {
        given.left_out += 1;
    }
}

/// The description in package.json or an API description.
fn summary(name: &str, text: &str) -> String {
    let value: Option<Value> = match name.rsplit_once('.').map(|(_, ending)| ending) {
        Some("json") => serde_json::from_str(text).ok(),
        Some("yaml" | "yml") => yaml::parsed(text),
        _ => None,
    };
    let word = |value: &Value, key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
    let said = value.and_then(|value| {
        let info = value.get("info").unwrap_or(&Value::Null);
        word(&value, "description").or_else(|| word(info, "description")).or_else(|| word(info, "title"))
    });
    said.and_then(|said| safe::cut(&safe::one_line(&said))).unwrap_or_default()
}

#[cfg(test)]
mod tests;
