//! What `validate --fix` changes, to the byte, and that it changes nothing else and nothing twice.

use std::collections::BTreeSet;
use std::path::Path;

use hefesto::rules::finding::{Finding, Severity};
use hefesto::rules::fix::{self, FixedSkill, Subject, fix};
use hefesto::rules::{self, Policy, Profile};
use hefesto::skill::{Blob, Tree};
use hefesto::transaction::survey;

use crate::support::conformance;

fn findings(directory: &str, tree: &Tree) -> Vec<Finding> {
    rules::check(&rules::Subject { directory, prefix: "", tree, target: None })
}

fn fixed(directory: &str, tree: &Tree) -> FixedSkill {
    let subject = Subject { directory, tree, taken: &|_| false, judge: &findings };
    let once = fix(&subject);
    let again = fix(&Subject { directory: &once.directory, tree: &once.tree, ..subject });
    assert_eq!(again.edits, [], "fixing the result changes nothing");
    let errors = |findings: &[Finding]| {
        findings.iter().filter(|one| one.severity == Severity::Error).map(|one| one.rule.clone()).collect::<Vec<_>>()
    };
    let (before, after) = (findings(directory, tree), findings(&once.directory, &once.tree));
    let unseen = ["S1", "S2", "S4", "S8"]; // what was not there or not readable had no errors yet
    if !before.iter().any(|one| unseen.contains(&one.rule.as_str())) {
        let (had, has) = (errors(&before), errors(&after));
        for rule in &has {
            let count = |all: &[String]| all.iter().filter(|one| *one == rule).count();
            assert!(count(&has) <= count(&had), "{rule} came with the fix: {after:?}");
        }
    }
    once
}

fn skill(text: impl Into<Vec<u8>>) -> Tree {
    let mut tree = Tree::new();
    tree.put("SKILL.md", text.into());
    tree
}

/// A SKILL.md of a skill called `demo` with these lines before the description.
fn with(lines: &str) -> String {
    format!(
        "---\nname: demo\n{lines}description: Checks dates. Use when dates are wrong.\n---\n\n# Demo  \n\n1. Look.\n"
    )
}

#[track_caller]
fn becomes(before: &str, after: &str, rule: &str) {
    let once = fixed("demo", &skill(before));
    assert_eq!(once.tree.text("SKILL.md"), Some(after));
    let rules: Vec<&str> = once.edits.iter().map(|edit| edit.rule.as_str()).collect();
    assert_eq!(rules, [rule], "{:?}", once.edits);
}

#[track_caller]
fn stays(before: impl Into<Vec<u8>>) {
    let tree = skill(before);
    let once = fixed("demo", &tree);
    assert_eq!((&once.tree, once.directory.as_str(), once.edits.len()), (&tree, "demo", 0), "{:?}", once.edits);
}

/// Every skill of the conformance suite that can be read: the name of its folder and its files.
fn suite() -> Vec<(String, Tree)> {
    let suite = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/conformance");
    let cases = conformance::all(&suite).unwrap().into_iter();
    let read = cases.filter_map(|case| {
        let tree = survey(&case.dir, &case.folder).ok()??.0;
        Some((case.folder, tree))
    });
    read.collect()
}

#[test]
fn every_rule_said_to_be_fixable_is_fixed() {
    let promised: BTreeSet<&str> = fix::rules().collect();
    for id in &promised {
        let rule = rules::find(id).unwrap_or_else(|| panic!("{id} is no rule"));
        assert_eq!((rule.id, rule.enforced), (*id, rules::Enforced::OnFiles));
        assert!(fix::of(id).count() > 0, "{id}");
    }
    assert_eq!(fix::of("T0-HEFESTO-11.secret").count(), 0);

    let (mut kept, mut others) = (BTreeSet::new(), BTreeSet::new());
    let suite = suite();
    for profile in [None, Some("spec"), Some("strict"), Some("portable"), Some("claude-api")] {
        let policy = Policy { profile: profile.and_then(Profile::named).unwrap_or_default(), ..Policy::default() };
        for (directory, tree) in &suite {
            let judge = |directory: &str, tree: &Tree| {
                let subject = rules::Subject { directory, prefix: "", tree, target: None };
                rules::check_for(&subject, &policy).findings
            };
            let once = fix(&Subject { directory, tree, taken: &|_| false, judge: &judge });
            let (before, after) = (judge(directory, tree), judge(&once.directory, &once.tree));
            let count = |all: &[Finding], rule: &str| all.iter().filter(|one| one.rule == rule).count();
            for rule in before.iter().map(|one| one.rule.clone()) {
                if count(&after, &rule) < count(&before, &rule) {
                    if promised.contains(rule.as_str()) {
                        kept.insert(rule)
                    } else {
                        others.insert(rule)
                    };
                }
            }
        }
    }
    assert_eq!(kept.iter().map(String::as_str).collect::<BTreeSet<_>>(), promised, "a promise nothing keeps");
    assert_eq!(others, BTreeSet::new(), "fixed, but not announced");
}

#[test]
fn what_cannot_be_read_is_put_right_and_nothing_else() {
    // A good skill stays as it is.
    stays(with(""));
    stays(with("# a comment\nlicense:   MIT   # kept\nmetadata: {version: \"1.0\"}\n"));
    // Line ends and the mark go.
    let good = with("");
    becomes(&good.replace('\n', "\r\n"), &good, "S2");
    becomes(&good.replace('\n', "\r"), &good, "S2");
    becomes(&format!("\u{feff}{good}"), &good, "T0-HEFESTO-01");
    // Blanks behind a fence go and blanks elsewhere stay.
    let good = with("");
    becomes(&good.replacen("---\n", "--- \t\n", 1), &good, "S2");
    becomes(&good.replace("wrong.\n---\n", "wrong.\n---  \n"), &good, "S2");
    assert!(good.contains("# Demo  \n"));
    // A value that cannot be read is quoted.
    let text =
        "---\nname: demo\ndescription: Checks dates. Use when: dates are \"wrong\".\nlicense: @mit  \n---\n\n# D\n";
    let quoted = "---\nname: demo\ndescription: \"Checks dates. Use when: dates are \\\"wrong\\\".\"\nlicense: \"@mit\"  \n---\n\n# D\n";
    becomes(text, quoted, "S2");
    stays("---\nname: demo\ndescription: Use when: x # a comment?\n---\n\n# D\n");
    stays("---\nname: demo\ndescription: Use when: x\n  and so on\n---\n\n# D\n");
    stays("---\nname: demo\ndescription: [open\n---\n\n# D\n");
    // Text inside a block is never quoted.
    let text = "---\nname: demo\ndescription: |\n  note: Use when: x\nlicense: a: b\n---\n\n# D\n";
    becomes(text, &text.replace("license: a: b", "license: \"a: b\""), "S2");
}

#[test]
fn fields_are_spelled_and_written_as_the_specification_says() {
    // A misspelt key is spelled right and its value stays.
    let good = with("license: MIT # yes\n");
    becomes(&good.replace("license:", "licence:"), &good, "S3");
    becomes(&good.replace("description:", "Description:"), &good, "S8");
    stays(with("license: MIT\nlicence: Apache-2.0\n"));
    // A list of tools becomes a line.
    let good = with("allowed-tools: Read Bash(git add *) Grep\n");
    becomes(&with("allowed-tools: [Read, 'Bash(git add *)', Grep]\n"), &good, "S12");
    becomes(&with("allowed-tools:\n  - Read\n  - \"Bash(git add *)\"\n  - Grep\n"), &good, "S12");
    becomes(&with("allowed-tools:\n- Read\n"), &with("allowed-tools: Read\n"), "S12");
    stays(with("allowed-tools:\n  - Read\n  # why\n  - Grep\n"));
    stays(with("allowed-tools: [\"Read, Grep\"]\n"));
    // Metadata is quoted as it is spelled.
    becomes(
        &with("metadata:\n  version: 1.10 # not 1.1\n  draft: True\n  kept: \"x\"\n"),
        &with("metadata:\n  version: \"1.10\" # not 1.1\n  draft: \"True\"\n  kept: \"x\"\n"),
        "S11",
    );
    becomes(&with("metadata: {a: 1, b: 2.0}\n"), &with("metadata: {a: \"1\", b: \"2.0\"}\n"), "S11");
    stays(with("metadata:\n  tags: [a, b]\n"));
}

#[test]
fn a_script_with_a_first_line_is_made_executable() {
    let mut tree = skill(with(""));
    tree.put("scripts/run.sh", "#!/bin/sh\n");
    tree.put("scripts/data.txt", "x\n");
    let once = fixed("demo", &tree);
    assert!(once.tree.get("scripts/run.sh").unwrap().executable);
    assert!(!once.tree.get("scripts/data.txt").unwrap().executable);
    let told: Vec<_> = once.edits.iter().map(|edit| (edit.file.as_str(), edit.rule.as_str())).collect();
    assert_eq!(told, [("scripts/run.sh", "W-VALIDATE-001")]);
}

#[test]
fn the_file_is_called_skill_md() {
    let mut tree = Tree::new();
    tree.put_blob("Skill.md", Blob { bytes: with("").into_bytes(), executable: false });
    let once = fixed("demo", &tree);
    assert_eq!((once.tree.len(), once.tree.text("SKILL.md")), (1, Some(with("").as_str())));
    assert_eq!(once.edits.first().map(|edit| edit.rule.as_str()), Some("S1"));
    tree.put("skill.MD", "other");
    assert_eq!(fixed("demo", &tree).tree, tree, "which of the two is meant is not certain");
}

#[test]
fn name_and_folder_move_together_and_a_valid_folder_keeps_its_name() {
    // Name and folder move together.
    let mut tree = skill(with("").replace("name: demo", "name: 'Code-Review' # old"));
    tree.put("metadata.yaml", "name: \"Code-Review\"\nauthor: Ana\n");
    let once = fixed("Code-Review", &tree);
    assert_eq!(once.directory, "code-review");
    assert!(once.tree.text("SKILL.md").unwrap().starts_with("---\nname: 'code-review' # old\n"));
    assert_eq!(once.tree.text("metadata.yaml"), Some("name: \"code-review\"\nauthor: Ana\n"));
    assert!(!findings("code-review", &once.tree).iter().any(|one| one.severity == Severity::Error));
    // A valid folder keeps its name.
    let two = with("").replace("name: demo", "name: other");
    assert_eq!(fixed("demo", &skill(two.as_str())).edits, [], "which of two valid names is meant is not certain");
    becomes(&with("").replace("name: demo", "name: de-mo"), &with(""), "S7");
    becomes(&with("").replace("name: demo", "name: con"), &with(""), "S7");
    let quoted = with("").replace("name: demo", "name: \"demo\"");
    becomes(&with("").replace("name: demo", "name: \"Demo\""), &quoted, "S7");
    // A folder is not renamed onto another.
    let tree = skill(with("").replace("name: demo", "name: Code-Review"));
    let subject =
        Subject { directory: "Code-Review", tree: &tree, taken: &|name| name == "code-review", judge: &findings };
    assert_eq!(fix(&subject).edits, []);
}

#[test]
fn one_run_fixes_everything_it_can() {
    let text = "\u{feff}---\r\nName: Demo_Skill\r\ndescription: Use when: dates are wrong\r\nallowed_tools:\r\n  - Read\r\nmetadata:\r\n  version: 2\r\n---  \r\n\r\n# D\r\n";
    let mut tree = Tree::new();
    tree.put("skill.md", text);
    let once = fixed("Demo_Skill", &tree);
    let expected = "---\nname: demo-skill\ndescription: \"Use when: dates are wrong\"\nallowed-tools: Read\nmetadata:\n  version: \"2\"\n---\n\n# D\n";
    assert_eq!((once.directory.as_str(), once.tree.text("SKILL.md")), ("demo-skill", Some(expected)));
}

#[test]
fn what_no_rule_reports_is_left_alone() {
    let text = with("metadata:\n  version: 1\n");
    let silent = |_: &str, _: &Tree| Vec::new();
    let tree = skill(text);
    assert_eq!(fix(&Subject { directory: "demo", tree: &tree, taken: &|_| false, judge: &silent }).edits, []);
}

proptest::proptest! {
    #[test]
    fn any_input_is_fixed_at_most_once(
        head in "(name|Name|description|allowed_tools|metadata|licence|- Read|  v): ?[a-zA-Z0-9@`*:\"'\\[#|> _-]{0,20}(\r\n|\n|\r)",
        more in "((name|description|allowed-tools): [a-zA-Z: ]{0,12}\n| {0,3}- [a-z]{1,3}\n){0,5}",
        directory in "[A-Za-z_-]{1,8}",
    ) {
        fixed(&directory, &skill(format!("---\n{head}{more}---\n\nBody.\n")));
    }
}
