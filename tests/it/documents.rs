//! The documents say what the program knows. `HEFESTO_UPDATE=1 cargo test --test it documents::` writes them anew.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use hefesto::client::target::{Arguments, Targets};
use hefesto::error::{Code, Kind};
use hefesto::rules::finding::Severity;
use hefesto::rules::fix;
use hefesto::rules::{self, Enforced, Policy, Profile, Subject};
use hefesto::skill::Tree;
use hefesto::skill::template::gaps;

use crate::support::made::{Made, made};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

/// Compares a document with what it should say, or writes it.
fn holds(path: &str, wanted: &str) {
    let file = root().join(path);
    if std::env::var_os("HEFESTO_UPDATE").is_some() {
        fs::write(&file, wanted).unwrap();
    }
    let there = fs::read_to_string(&file).unwrap_or_default();
    let first = there.lines().zip(wanted.lines()).position(|(one, other)| one != other);
    let line = first.unwrap_or_else(|| there.lines().count().min(wanted.lines().count())) + 1;
    assert!(
        there == wanted,
        "{path} is out of date from line {line}: HEFESTO_UPDATE=1 cargo test --test it documents::"
    );
}

/// As it may stand in a Markdown sentence: `<name>` outside of code would be taken for a tag.
fn prose(text: &str) -> String {
    let parts = text
        .split('`')
        .enumerate()
        .map(|(at, part)| if at % 2 == 0 { part.replace('<', "\\<").replace('*', "\\*") } else { format!("`{part}`") });
    parts.collect()
}

fn example(text: &mut String, example: &str) {
    let fence = "`".repeat(if example.contains("```") { 4 } else { 3 });
    writeln!(text, "{fence}text\n{example}\n{fence}\n").unwrap();
}

/// What stands in a document before its table, which is its author's own, and the head of the table.
fn introduced(path: &str, head: &str) -> String {
    let there = fs::read_to_string(root().join(path)).unwrap();
    let (before, _) = there.split_once(head).unwrap_or_else(|| panic!("{path} has no table"));
    format!("{before}{head}")
}

#[test]
fn errors_md_is_the_table_of_codes() {
    let mut text = introduced("docs/errors.md", "| code | exit | when |\n|---|---|---|\n");
    let exit = |code: Code| match code.kind() {
        Kind::Error => code.entry().exit.number().to_string(),
        Kind::Warning | Kind::Info => "-".to_owned(),
    };
    for code in Code::ALL {
        let (entry, exit) = (code.entry(), exit(*code));
        let anchor = entry.id.to_ascii_lowercase();
        writeln!(text, "| [{}](#{anchor}) | {exit} | {} |", entry.id, prose(entry.when).replace('|', "\\|")).unwrap();
    }
    for code in Code::ALL {
        let entry = code.entry();
        write!(text, "\n## {}\n\n{}\n\n{}\n\n", entry.id, prose(entry.when), prose(entry.cause)).unwrap();
        example(&mut text, entry.example);
        writeln!(text, "What to do: {}", prose(entry.cure)).unwrap();
    }
    holds("docs/errors.md", &text);
}

#[test]
fn rules_md_is_the_table_of_rules() {
    let mut text = introduced("docs/rules.md", "| rule | gravest finding | asks | held by |\n|---|---|---|---|\n");
    for rule in rules::RULES {
        let held = match rule.enforced {
            Enforced::OnFiles => "the files of every skill",
            Enforced::ByProcedure => "the way the program works",
        };
        let anchor: String = rule.id.to_ascii_lowercase().replace('.', "");
        let title = prose(rule.title).replace('|', "\\|");
        writeln!(text, "| [{}](#{anchor}) | {} | {title} | {held} |", rule.id, rule.severity.word()).unwrap();
    }
    for rule in rules::RULES {
        write!(text, "\n## {}\n\n{}. {}\n\n", rule.id, prose(rule.title), prose(rule.why)).unwrap();
        example(&mut text, rule.example);
        writeln!(text, "What to do: {} (Source: {}.)", prose(rule.fix), prose(rule.source)).unwrap();
        let mends: Vec<&str> = fix::of(rule.id).collect();
        if !mends.is_empty() {
            writeln!(text, "\n`validate --fix`, where it is certain: {}.", prose(&mends.join("; "))).unwrap();
        }
    }
    holds("docs/rules.md", &text);
}

/// The sentences of docs/compare.md; those behind a `+` are shown in full.
fn compared() -> impl Iterator<Item = (&'static str, bool)> {
    let lines = include_str!("../../fixtures/compare/sentences.txt").lines();
    lines.map(|line| (&line[2..], line.starts_with('+')))
}

/// What was counted over the ten skills of agent-skills-cli, skillfish, skilo and skills, with the versions and on the
/// day that docs/compare.md names.
const THEIRS: &str = include_str!("../../fixtures/compare/theirs.txt");

/// The lines of a body that are no heading, fence, table rule, gap or copy of the sentence.
fn substance<'a>(text: &'a str, sentence: &str) -> Vec<&'a str> {
    let body = text.splitn(3, "---\n").nth(2).unwrap();
    let says = |line: &&str| {
        let rule = line.chars().all(|c| matches!(c, '|' | '-' | ':' | ' '));
        let marked = line.starts_with('#') || line.starts_with("```") || line.contains("[FILL IN");
        !rule && !marked && !line.to_lowercase().contains(&sentence.to_lowercase())
    };
    body.lines().map(str::trim).filter(says).collect()
}

/// "27–32", or "27" where all are the same.
fn range(numbers: &[usize]) -> String {
    let (least, most) = (numbers.iter().min().unwrap(), numbers.iter().max().unwrap());
    if least == most { least.to_string() } else { format!("{least}–{most}") }
}

/// What `THEIRS` counts, counted over ours.
fn counted() -> Vec<String> {
    let all: Vec<(&str, String)> =
        compared().map(|(sentence, _)| (sentence, made(sentence, Arguments::Dollar).text)).collect();
    let of = |count: &dyn Fn(&str, &str) -> usize| -> Vec<usize> {
        all.iter().map(|(sentence, text)| count(sentence, text)).collect()
    };
    let named = |sentence: &str, text: &str| {
        let words: Vec<String> = sentence
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| word.chars().count() > 4)
            .map(str::to_lowercase)
            .collect();
        let names = |line: &&&str| words.iter().any(|word| line.to_lowercase().contains(word.as_str()));
        substance(text, sentence).iter().filter(names).count()
    };
    let lines: Vec<BTreeSet<&str>> =
        all.iter().map(|(sentence, text)| substance(text, sentence).into_iter().collect()).collect();
    let same = |of: &[BTreeSet<&str>]| of[0].iter().filter(|line| of.iter().all(|one| one.contains(*line))).count();
    let pairs = lines.iter().enumerate().flat_map(|(at, one)| lines[..at].iter().map(move |other| (one, other)));
    let shared = pairs.map(|(one, other)| one.intersection(other).count()).max().unwrap();
    let copies = |sentence: &str, text: &str| {
        text.lines().filter(|line| line.to_lowercase().contains(&sentence.to_lowercase())).count()
    };
    let having = |begins: [&str; 3]| {
        let having = all.iter().filter(|(_, text)| begins.iter().any(|begin| text.contains(begin))).count();
        format!("{having} of 10")
    };
    let valid = |profile: Profile| {
        let holds = all.iter().filter(|(sentence, text)| {
            let (name, mut tree) = (made(sentence, Arguments::Dollar).name, Tree::new());
            tree.put("SKILL.md", text.clone());
            let subject = Subject { directory: &name, prefix: &name, tree: &tree, target: None };
            let policy = Policy { profile, ..Policy::default() };
            !rules::check_for(&subject, &policy).findings.iter().any(|finding| finding.severity == Severity::Error)
        });
        format!("{} valid", holds.count())
    };
    vec![
        range(&of(&|_, text| text.lines().count())),
        range(&of(&|sentence, text| substance(text, sentence).len())),
        same(&lines).to_string(),
        // The last two sentences are the Portuguese and the Spanish one.
        same(&lines[..8]).to_string(),
        shared.to_string(),
        range(&of(&named)),
        range(&of(&copies)),
        having(["Use when ", "Use quando ", "Usar cuando "]),
        having(["Done when ", "Concluído quando ", "Terminado cuando "]),
        range(&of(&|_, text| gaps(text))),
        valid(Profile::Spec),
        valid(Profile::Strict),
        valid(Profile::Portable),
    ]
}

/// How many clients would find an error in the skill as it is written for them.
fn refused(sentence: &str) -> usize {
    let targets = Targets::with(Vec::new());
    let refuses = |target: &&hefesto::client::target::Target| {
        let Made { name, text, .. } = made(sentence, target.arguments);
        let mut tree = Tree::new();
        tree.put("SKILL.md", text);
        let subject = Subject { directory: &name, prefix: &name, tree: &tree, target: Some(target) };
        rules::check(&subject).into_iter().any(|finding| finding.severity == Severity::Error)
    };
    targets.iter().filter(refuses).count()
}

/// The document with what stands between a mark and its end replaced.
fn filled(text: &str, part: &str, with: &str) -> String {
    let mark = format!("<!-- from the program: {part} -->\n");
    let (before, rest) = text.split_once(&mark).unwrap();
    let (_, after) = rest.split_once("<!-- end -->\n").unwrap();
    format!("{before}{mark}{with}<!-- end -->\n{after}")
}

#[test]
fn compare_md_shows_what_the_program_makes() {
    let mut table = String::from(
        "\n| sentence | skill | kind | lines | of substance | when | verifies | gaps | clients that refuse it |\n\
         |---|---|---|---|---|---|---|---|---|\n",
    );
    let mut full = String::from("\n");
    for (sentence, whole) in compared() {
        let Made { sentence: understood, name, text, .. } = made(sentence, Arguments::Dollar);
        let golden = format!("fixtures/sentences/{name}.md");
        assert!(root().join(&golden).exists(), "{golden} is not there");
        let yes = |there: bool| if there { "yes" } else { "no" };
        let when = ["Use when ", "Use quando ", "Usar cuando "].iter().any(|begin| text.contains(begin));
        let verifies =
            ["Done when ", "Concluído quando ", "Terminado cuando "].iter().any(|begin| text.contains(begin));
        writeln!(
            table,
            "| {sentence} | [{name}](../{golden}) | {} | {} | {} | {} | {} | {} | {} |",
            understood.archetype,
            text.lines().count(),
            substance(&text, sentence).len(),
            yes(when),
            yes(verifies),
            gaps(&text),
            refused(sentence),
        )
        .unwrap();
        if whole {
            write!(full, "### {sentence}\n\n````markdown\n{}\n````\n\n", text.trim_end()).unwrap();
        }
    }
    table.push('\n');
    let mut sum =
        String::from("\n| | hefesto | agent-skills-cli | skillfish | skilo | skills |\n|---|---|---|---|---|---|\n");
    let ours = counted();
    assert_eq!(ours.len(), THEIRS.lines().count());
    for (line, ours) in THEIRS.lines().zip(ours) {
        let (what, theirs) = line.split_once(" | ").unwrap();
        writeln!(sum, "| {what} | {ours} | {theirs} |").unwrap();
    }
    sum.push('\n');
    let there = fs::read_to_string(root().join("docs/compare.md")).unwrap();
    let there = filled(&there, "sum", &sum);
    let text = filled(&filled(&there, "table", &table), "full", &full);
    holds("docs/compare.md", &text);
}

#[test]
fn architecture_md_names_every_module_and_no_other() {
    let text = fs::read_to_string(root().join("docs/architecture.md")).unwrap();
    let named: BTreeSet<String> = text
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once("` |").map(|(module, _)| module.to_owned()))
        .collect();
    let there: BTreeSet<String> = fs::read_dir(root().join("src"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap().trim_end_matches(".rs").to_owned())
        .filter(|module| !["lib", "main"].contains(&module.as_str()))
        .collect();
    assert_eq!(named, there);
}

#[test]
fn the_version_is_in_the_changelog() {
    let text = fs::read_to_string(root().join("CHANGELOG.md")).unwrap();
    assert!(text.contains(&format!("## [{}]", env!("CARGO_PKG_VERSION"))));
}

/// The Rust files of the program and its tests.
fn sources() -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut waiting = vec![root().join("src"), root().join("tests")];
    while let Some(dir) = waiting.pop() {
        for path in fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                waiting.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    files
}

#[test]
fn every_promise_names_tests_that_exist() {
    let page = fs::read_to_string(root().join("docs/security.md")).unwrap();
    let table = page.split("## The promises").nth(1).unwrap().split("\n\n").nth(1).unwrap();
    let sources: String = sources().iter().map(|path| fs::read_to_string(path).unwrap()).collect();
    let rows: Vec<&str> = table.lines().skip(2).collect();
    assert!(rows.len() > 10, "the table was not found");
    for row in rows {
        let tests: Vec<&str> = row.split('|').nth(2).unwrap().split('`').skip(1).step_by(2).collect();
        assert!(!tests.is_empty(), "no test holds this promise: {row}");
        for test in tests {
            assert!(
                sources.contains(&format!("#[test]\nfn {test}()")) || sources.contains(&format!("    fn {test}()")),
                "{test}: {row}"
            );
        }
    }
}

#[test]
fn every_path_the_documents_name_is_there() {
    let mut wrong = Vec::new();
    let files: BTreeSet<String> =
        sources().iter().map(|path| path.file_name().unwrap().to_str().unwrap().to_owned()).collect();
    for document in [
        "README.md", "CONTRIBUTING.md", "docs/architecture.md", "docs/memory.md", "docs/compare.md", "docs/security.md",
    ] {
        let text = fs::read_to_string(root().join(document)).unwrap();
        for named in text.split('`').skip(1).step_by(2) {
            let ours =
                ["src/", "tests/", "docs/", "templates/", "benches/", ".ci/"].iter().any(|dir| named.starts_with(dir));
            let alone = document == "docs/architecture.md" && named.ends_with(".rs") && !named.contains('/');
            let there = root().join(named).exists() || alone && files.contains(named);
            if (alone || ours && !named.contains(['*', ' ', '<'])) && !there {
                wrong.push(format!("{document} names {named}, which is not there"));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}
