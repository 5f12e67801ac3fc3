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

#[test]
fn errors_md_is_the_table_of_codes() {
    let mut text = String::from(
        "# Codes\n\n\
         Every code hefesto prints, with the exit it ends with, its cause, an example and the cure. The same text as\n\
         `hefesto explain CODE`; this file is written from the table in `src/error/code.rs`.\n\n\
         The exit is the code's own; a few depend on when it happens, and then the text says so. Warnings and remarks\n\
         end nothing.\n\n\
         | code | exit | when |\n|---|---|---|\n",
    );
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
    let mut text = String::from(
        "# Rules\n\n\
         Every rule a skill is checked by, or the program works by. The same text as `hefesto explain RULE`; this file\n\
         is written from the table in `src/rules/table.rs`. Only an error makes a skill invalid.\n\n\
         `hefesto validate --profile PROFILE` asks for the rules of one reader: `spec` for the specification's own text\n\
         (and T0-HEFESTO-11), `strict` for that and every T0 rule, the name of a client for what that client drops,\n\
         `portable` for what any of them drops. Without a profile every rule is asked, for the clients a skill is\n\
         installed for; what one of several clients would drop is then a warning.\n\n\
         A project weighs rules in `.hefesto/config.toml`, a part such as `T0-HEFESTO-11.pii` like a rule; T0 rules are\n\
         never lowered:\n\n\
         ```toml\n[rules]\nS16 = \"off\"\n\"QUALITY-04.verb\" = \"warning\"\n```\n\n\
         A skill says what it accepts, and why. The comment speaks for the next line that is not blank; as the first line\n\
         of the body it speaks for all of SKILL.md:\n\n\
         ```markdown\n<!-- hefesto: ignore S17, QUALITY-03 reason: the guide is made by the build -->\n```\n\n\
         What holds of several clients, or of identical copies, is told once to people and to GitHub, and the last line\n\
         counts what is told. JSON and SARIF list it for each client and each copy, and their numbers count that. With\n\
         `--fix --dry-run`, JSON lists under `left` what would still be found in each skill.\n\n\
         | rule | gravest finding | asks | held by |\n|---|---|---|---|\n",
    );
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

/// The sentences of docs/compare.md, and which of them are shown in full.
const COMPARED: [(&str, bool); 10] = [
    ("Validate email addresses using regex patterns", false),
    ("Extract tables from PDF invoices into CSV files with pdfplumber for the accounting team", true),
    ("Triage incoming support tickets and assign priority P1 to P4", false),
    ("Roll back a failed Kubernetes deployment with Helm, never touching the production database", false),
    ("Review pull requests for security issues and missing tests", false),
    ("Write release notes for end users from the merged pull requests", false),
    ("Monitor nginx error logs and alert on spikes", true),
    ("Plan lesson units for 8th grade biology students, never longer than 45 minutes", false),
    ("Gera relatórios mensais de vendas a partir do PostgreSQL em PDF", true),
    ("Revisar currículums y preparar entrevistas técnicas", false),
];

/// What was counted over the ten skills of agent-skills-cli, skillfish, skilo and skills, with the versions and on the
/// day that docs/compare.md names.
const THEIRS: [(&str, [&str; 4]); 13] = [
    ("lines of the file", ["64", "22", "23", "18"]),
    ("lines of substance", ["20", "0", "4", "5"]),
    ("same in all ten", ["18", "0", "4", "5"]),
    ("same in the eight English ones", ["18", "0", "4", "5"]),
    ("most that two of them share", ["18", "0", "4", "5"]),
    ("names the task", ["1–6", "0", "0", "0"]),
    ("copies of the sentence", ["2", "2", "1", "0"]),
    ("says when to use it", ["0 of 10", "0 of 10", "0 of 10", "0 of 10"]),
    ("says when it is done", ["0 of 10", "0 of 10", "0 of 10", "0 of 10"]),
    ("open questions or places to fill in", ["0", "3", "0", "6"]),
    ("`hefesto validate --profile spec`", ["10 valid", "10 valid", "10 valid", "10 valid"]),
    ("`hefesto validate --profile strict`", ["0 valid", "10 valid", "10 valid", "10 valid"]),
    ("`hefesto validate --profile portable`", ["8 valid", "10 valid", "10 valid", "10 valid"]),
];

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
        COMPARED.iter().map(|(sentence, _)| (*sentence, made(sentence, Arguments::Dollar).text)).collect();
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
    for (sentence, whole) in COMPARED {
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
    assert_eq!(ours.len(), THEIRS.len());
    for ((what, theirs), ours) in THEIRS.iter().zip(ours) {
        writeln!(sum, "| {what} | {ours} | {} |", theirs.join(" | ")).unwrap();
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

#[test]
fn every_promise_names_tests_that_exist() {
    let page = fs::read_to_string(root().join("docs/security.md")).unwrap();
    let table = page.split("## The promises").nth(1).unwrap().split("\n\n").nth(1).unwrap();
    let mut sources = String::new();
    let mut waiting = vec![root().join("src"), root().join("tests")];
    while let Some(dir) = waiting.pop() {
        for path in fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()) {
            match path.extension() {
                _ if path.is_dir() => waiting.push(path),
                Some(extension) if extension == "rs" => sources.push_str(&fs::read_to_string(path).unwrap()),
                _ => {}
            }
        }
    }
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
    for document in [
        "README.md", "CONTRIBUTING.md", "docs/architecture.md", "docs/memory.md", "docs/compare.md", "docs/security.md",
    ] {
        let text = fs::read_to_string(root().join(document)).unwrap();
        for named in text.split('`').skip(1).step_by(2) {
            let ours =
                ["src/", "tests/", "docs/", "templates/", "benches/", ".ci/"].iter().any(|dir| named.starts_with(dir));
            if ours && !named.contains(['*', ' ', '<']) && !root().join(named).exists() {
                wrong.push(format!("{document} names {named}, which is not there"));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}
