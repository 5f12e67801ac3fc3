//! Files named with `--from`, a shell history among them: everything in them is used, whatever their names.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::command_text::{Typed, typed};
use super::effect::Risk;
use super::formats::{code, parsed, word};
use super::rule_form::{binds, sentences};
use super::rules::announces;
use super::{Fact, Kind, Reading, Source, openapi, rules, safe, source, work_document};
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
    let source = Source { path: name, text: &text, beside: &BTreeSet::new() };
    let mut file = Reading::of(&source);
    let mut given = Given { from: name.to_owned(), summary: summary(name, &text), ..Given::default() };
    if is_history(name, &text) {
        given.left_out = history(&mut file);
    } else if !rules::holds_rules(&name.to_ascii_lowercase()) && work_document::work(name).is_none() {
        let known = if source::is_known(name) { name } else { path.trim_start_matches("./") };
        file.facts = source::read(&Source { path: known, ..source });
        if file.facts.is_empty() {
            openapi::read(&mut file);
        }
    }
    if file.facts.is_empty() {
        prose(&mut file, &mut given);
    }
    let mut facts = file.facts;
    let total = facts.all.len();
    facts.all.iter_mut().for_each(|fact| fact.file = name.to_owned());
    let mut facts = facts.safe().all;
    if facts.iter().any(|fact| !SETUP.contains(&fact.kind)) {
        facts.retain(|fact| !SETUP.contains(&fact.kind));
    } else {
        given.left_out += total - facts.len();
    }
    let mut counts = [0; Kind::ALL.len()];
    for fact in facts {
        let count = &mut counts[fact.kind as usize];
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
fn prose(file: &mut Reading<'_>, given: &mut Given) {
    let mut loose: Vec<Block> = Vec::new();
    for block in blocks(file.text) {
        match &block.kind {
            BlockKind::Link => link(&block.text, given),
            BlockKind::Code(language) => commands(file, language, &block, given),
            BlockKind::Paragraph => {
                addresses(&block.text, given);
                let (bind, free): (Vec<&str>, Vec<&str>) =
                    sentences(&block.text).into_iter().partition(|sentence| binds(sentence, false) || warns(sentence));
                bind.iter().for_each(|sentence| put(file, Kind::Rule, sentence, &block));
                if !free.is_empty() {
                    loose.push(Block { text: free.join(" "), ..block.clone() });
                }
            }
            BlockKind::Point(depth) | BlockKind::Numbered(depth) => {
                addresses(&block.text, given);
                point(file, *depth > 1, &block);
            }
        }
    }
    if given.summary.is_empty() {
        given.summary = loose.first().and_then(|block| safe::cut(&safe::one_line(&block.text))).unwrap_or_default();
    }
    if file.facts.is_empty() {
        loose.iter().for_each(|block| put(file, Kind::Note, &block.text, block));
    }
}

fn point(file: &mut Reading<'_>, nested: bool, block: &Block) {
    let (text, numbered) = (block.text.as_str(), matches!(block.kind, BlockKind::Numbered(_)));
    let under = block.heading.to_lowercase();
    let bound = announces(&block.heading) || binds(text, false) || warns(text);
    let step = numbered || STEPS.iter().any(|word| under.contains(word));
    // An item below a step says how to do it.
    if let Some(above) = file.facts.all.last_mut().filter(|above| nested && !bound && above.kind == Kind::Step) {
        above.text = format!("{} - {text}", above.text);
        return;
    }
    let kind = match (numbered, bound, step) {
        (true, ..) | (_, false, true) => Kind::Step,
        (_, true, _) => Kind::Rule,
        _ if text.starts_with("http://") || text.starts_with("https://") => return,
        _ => Kind::Note,
    };
    put(file, kind, text, block);
}

fn put(file: &mut Reading<'_>, kind: Kind, text: &str, block: &Block) {
    file.facts.all.push(Fact::new(kind, text).about(text).about(&block.heading).at(file.path, block.line));
}

fn warns(text: &str) -> bool {
    let lower = text.trim_start_matches(['*', '_', '[', '!', ' ', '>']).to_lowercase();
    WARNS.iter().any(|word| lower.starts_with(word))
}

/// The command lines of a code block.
fn commands(file: &mut Reading<'_>, language: &str, block: &Block, given: &mut Given) {
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
        file.facts.all.push(fact.command(command).risk(risk).at(file.path, block.line + line + 1));
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
        Some("yaml" | "yml") => parsed(text),
        _ => None,
    };
    let Some(value) = value else { return String::new() };
    let of_info = |key| word(value.get("info")?, key);
    let said = word(&value, "description").or_else(|| of_info("description")).or_else(|| of_info("title"));
    said.and_then(|said| safe::cut(&safe::one_line(said))).unwrap_or_default()
}

/// Commands without information about the work.
const IDLE: &[&str] = &[
    "cd", "ls", "ll", "la", "pwd", "clear", "exit", "history", "man", "which", "echo", "cat", "less", "vi", "vim",
    "nvim", "nano", "code", "fg", "bg", "jobs", "top", "htop", "whoami", "date", "logout", "reset", "source", "export",
];

/// Whether it is a shell history: by its name, or by lines in the format of zsh or fish.
fn is_history(name: &str, text: &str) -> bool {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let stamped = lines.iter().filter(|line| zsh(line).is_some() || fish(line).is_some()).count();
    name.to_ascii_lowercase().ends_with("history") || (stamped >= 2 && stamped * 2 > lines.len())
}

/// The most frequent commands in the order of their first use, with their counts. Returns how many were left out.
fn history(file: &mut Reading<'_>) -> usize {
    let mut used: Vec<(&str, usize, usize)> = Vec::new();
    let fishy = file.text.lines().any(|line| fish(line).is_some());
    for (number, line) in file.lines() {
        let Some(command) = (if fishy { fish(line) } else { typed_line(line) }) else { continue };
        let first = command.split_whitespace().next().unwrap_or_default();
        if first.is_empty() || IDLE.contains(&first) || command.ends_with('\\') {
            continue;
        }
        match used.iter_mut().find(|(known, ..)| *known == command) {
            Some((_, times, _)) => *times += 1,
            None => used.push((command, 1, number)),
        }
    }
    let mut ranks: Vec<usize> = used.iter().map(|(_, times, _)| *times).collect();
    ranks.sort_unstable();
    let least = ranks.len().checked_sub(MOST).and_then(|at| ranks.get(at)).copied().unwrap_or(1);
    let all = used.len();
    let kept = used.into_iter().filter(|(_, times, _)| *times >= least).take(MOST);
    let before = file.facts.all.len();
    for (command, times, line) in kept {
        let often = if times > 1 { format!(" used {times} times") } else { String::new() };
        let fact = Fact::new(Kind::Command, format!("{}{often}", code(command))).about(command);
        file.command(line, fact, command);
    }
    all - (file.facts.all.len() - before)
}

fn typed_line(line: &str) -> Option<&str> {
    let line = line.trim();
    if line.starts_with('#') {
        return None; // a time bash wrote down, or a comment
    }
    let line = zsh(line).unwrap_or(line);
    // The output of `history` numbers its lines.
    match line.split_once("  ") {
        Some((number, rest)) if number.bytes().all(|b| b.is_ascii_digit()) && !number.is_empty() => Some(rest.trim()),
        _ => Some(line),
    }
}

fn zsh(line: &str) -> Option<&str> {
    let (stamp, command) = line.strip_prefix(": ")?.split_once(';')?;
    stamp.bytes().all(|b| b.is_ascii_digit() || b == b':').then_some(command.trim())
}

fn fish(line: &str) -> Option<&str> {
    line.strip_prefix("- cmd: ").map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(given: &Given, kind: Kind) -> Vec<&str> {
        given.facts.iter().filter(|fact| fact.kind == kind).map(|fact| fact.text.as_str()).collect()
    }

    #[test]
    fn a_readme_gives_steps_commands_rules_points_and_links() {
        let text = "# Shop\n\n[![ci](https://img.example/ci.svg)](https://ci.example/run)\n\nSells things.\n\n## Install\n\n\
            ```console\n$ npm ci \\\n    --no-audit\nadded 3 packages\n# nothing\n$ npm start\n```\n\n```js\nconst a = 1;\n```\n\n\
            ## Release\n\n1. Raise the version.\n   - in `package.json`\n2. Tag it.\n\n> **Warning:** tags are never moved.\n\n\
            ## Rules\n\n- Prices are in cents.\n- Never log a card number.\n- https://only.example/link\n\n\
            See [the manual](https://shop.example/manual) and http://localhost:3000.\n";
        let read = given("docs/README.md", text);
        assert_eq!((read.from.as_str(), read.summary.as_str()), ("README.md", "Sells things."));
        assert_eq!(texts(&read, Kind::Command), ["`npm ci --no-audit` (Install)", "`npm start` (Install)"]);
        assert_eq!(texts(&read, Kind::Step), ["Raise the version. - in `package.json`", "Tag it."]);
        let rules = ["Warning: tags are never moved.", "Prices are in cents.", "Never log a card number."];
        assert_eq!(texts(&read, Kind::Rule)[..3], rules);
        assert_eq!(read.links, ["https://only.example/link", "https://shop.example/manual"]);
        let places: Vec<String> = read.facts.iter().map(Fact::place).collect();
        assert!(places.contains(&"README.md:27".to_owned()), "{places:?}");
    }

    #[test]
    fn no_rule_is_lost_wherever_it_stands() {
        let text = "# Contributing\n\nThanks. Migrations must be backwards compatible. Ask in #dev.\n\n## Setup\n\n- Install it\n  - never as root\n";
        let read = given("CONTRIBUTING.md", text);
        assert_eq!(
            texts(&read, Kind::Rule),
            ["Migrations must be backwards compatible.", "Ask in #dev.", "never as root"]
        );
        let many: String = (0..40).map(|n| format!("- Rule {n} must hold.\n")).collect();
        assert_eq!(texts(&given("house.md", &many), Kind::Rule).len(), 40);
    }

    #[test]
    fn plain_notes_are_taken_by_paragraph() {
        let read = given("notes.txt", "Invoices come as PDF.\nOne per customer.\n\nTotals are checked twice.\n");
        assert_eq!(texts(&read, Kind::Note), ["Invoices come as PDF. One per customer.", "Totals are checked twice."]);
    }

    #[test]
    fn what_is_read_in_a_repository_is_read_by_name() {
        let make = "# Builds everything.\nall: x\n\tcc x\ntest: ## Runs the tests\n\t@./t\ndeploy:\n\t./deploy.sh production\n";
        let read = given("ci/Makefile", make);
        let commands = read.facts.iter().filter_map(|fact| Some((fact.command.as_deref()?, fact.risk)));
        let wanted = [("make all", None), ("make test", None), ("make deploy", Some(Risk::Deploys))];
        assert_eq!(commands.collect::<Vec<_>>(), wanted);
        let package =
            given("package.json", r#"{"description":"A shop.","scripts":{"prebuild":"x","build":"tsc -p ."}}"#);
        assert_eq!(package.summary, "A shop.");
        assert_eq!(
            package.facts.iter().map(|fact| fact.text.as_str()).collect::<Vec<_>>(),
            ["`npm run build`: `tsc -p .`"]
        );
        let workflow = "jobs:\n  test:\n    steps:\n      - run: make test\n";
        assert!(!given(".github/workflows/ci.yml", workflow).facts.is_empty());
    }

    #[test]
    fn an_interface_is_its_endpoints_whatever_the_file_is_called() {
        let yaml = "openapi: 3.1.0\ninfo:\n  title: Pets\nservers:\n  - url: https://pets.example/v1\n  - url: http://localhost:8080\n\
            paths:\n  /pets:\n    get:\n      summary: List pets.\n";
        let json = serde_yaml::from_str::<Value>(yaml).unwrap().to_string();
        for (name, text) in [("api.yaml", yaml), ("api.json", json.as_str())] {
            let read = given(name, text);
            assert_eq!(read.summary, "Pets");
            assert_eq!(
                texts(&read, Kind::ApiEndpoint),
                ["served at `https://pets.example/v1`", "`GET /pets` List pets"],
                "{name}"
            );
        }
        let nested = |depth: usize| {
            let nested = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
            let read =
                given("a.yaml", &format!("openapi: 3.0.0\npaths: {{/a: {{get: {{summary: x}}}}}}\nz: {nested}\n"));
            texts(&read, Kind::ApiEndpoint).len()
        };
        assert_eq!((nested(10), nested(100)), (1, 0));
        for text in ["[".repeat(1 << 16), "a: {".repeat(1 << 14), "[ \"]\" ".repeat(1 << 14)] {
            assert!(crate::skill::yaml::bounded(&text).is_err());
            assert!(crate::skill::metadata::Metadata::parse(&text).is_err());
        }
    }

    #[test]
    fn a_history_gives_what_is_used_in_every_shell() {
        let wanted = ["`cargo test` used 2 times", "`git push`"];
        for (name, text) in [
            (".bash_history", "#1700000000\ncargo test\ncd x\ngit push\ncargo test\n"),
            (".zsh_history", ": 1700000000:0;cargo test\n: 1700000001:0;ls -l\n: 1:0;git push\n: 2:0;cargo test\n"),
            (
                "fish_history",
                "- cmd: cargo test\n  when: 1\n- cmd: git push\n  when: 2\n- cmd: cargo test\n  when: 3\n",
            ),
            ("history", "  1  cargo test\n  2  git push\n  3  cargo test\n"),
        ] {
            assert_eq!(texts(&given(name, text), Kind::Command), wanted, "{name}");
        }
        let many: String = (0..20).map(|n| format!("one {n}\n")).collect();
        let read = given(".bash_history", &format!("{many}often\noften\n"));
        assert_eq!((read.facts.len(), read.left_out), (MOST, 9));
    }

    #[test]
    fn nothing_is_longer_than_allowed_nothing_runs_and_no_secret_passes() {
        let long = format!(
            "- {}\n- Use !`date`.\n- DB_PASSWORD=hunter2 is set.\n\n```sh\n{}\n```\n",
            "word ".repeat(100),
            "x".repeat(300)
        );
        let read = given("n.md", &long);
        let notes = texts(&read, Kind::Note);
        assert!(notes[0].ends_with("word …") && notes[0].chars().count() <= safe::LONGEST, "{notes:?}");
        assert_eq!(notes[1], "Use ! `date`.");
        assert!(!format!("{read:?}").contains("hunter2"), "{read:?}");
        assert_eq!(read.left_out, 1);
    }

    proptest::proptest! {
        #[test]
        fn any_file_is_read(text in "\\PC{0,200}", name in "(n.md|Makefile|package.json|api.yaml|.zsh_history|justfile)") {
            for fact in given(&name, &text).facts {
                proptest::prop_assert!(fact.text.chars().count() <= safe::LONGEST && !fact.text.contains('\n'));
            }
        }
    }
}
