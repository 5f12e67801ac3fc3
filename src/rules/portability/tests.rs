//! Which client loads what: the measured table, as verdicts under each client's profile.

use crate::client::target::{Client, clients};
use crate::rules::{Finding, Policy, Profile, Severity, Subject, check_for, profiles};
use crate::skill::Tree;

use super::tag;

const HEAD: &str = "name: review-code\ndescription: Reviews code for defects. Use when asked for a review.";

fn skill(head: &str) -> Vec<u8> {
    format!("---\n{head}\n---\n\nRead the diff.\n").into_bytes()
}

fn found(bytes: &[u8], profile: Profile, clients: &[&'static Client]) -> Vec<Finding> {
    let mut tree = Tree::new();
    tree.put("SKILL.md", bytes);
    let subject = Subject::new("review-code", &tree);
    check_for(&subject, &Policy { profile, clients, ..Policy::default() }).findings
}

fn invalid(findings: &[Finding]) -> bool {
    findings.iter().any(|finding| finding.severity == Severity::Error)
}

/// The profiles under which a skill is invalid.
fn refusing(bytes: &[u8]) -> Vec<&'static str> {
    let refuses = |name: &&str| Profile::named(name).is_some_and(|profile| invalid(&found(bytes, profile, &[])));
    profiles().filter(refuses).collect()
}

#[test]
fn each_profile_refuses_what_its_client_drops() {
    let with = |text: &str, other: &str| skill(&HEAD.replace(text, other));
    let named = |name: &str| with("name: review-code", &format!("name: {name}"));
    let nameless = skill("description: Reviews code. Use when asked.");
    let mark = [b"\xEF\xBB\xBF".as_slice(), &skill(HEAD)].concat();
    let long = HEAD.replace("defects.", &"defects and more ".repeat(70));
    let longer = HEAD.replace("defects.", &"defects and more ".repeat(110));
    let name = "a".repeat(65);
    for (what, bytes, refused) in [
        ("a good skill", skill(HEAD), ""),
        ("an empty body", format!("---\n{HEAD}\n---\n").into_bytes(), "strict portable"),
        ("an unknown field", skill(&format!("{HEAD}\nversion: x")), "strict claude-api"),
        ("a field of Claude Code", skill(&format!("{HEAD}\nmodel: opus")), "strict claude-api"),
        ("numbers in metadata", skill(&format!("{HEAD}\nmetadata:\n  version: 1.0")), "spec strict"),
        ("tools as a list", skill(&format!("{HEAD}\nallowed-tools:\n  - Read")), "spec strict"),
        ("another name", named("review"), "spec strict portable"),
        ("no description", skill("name: review-code"), "spec strict portable gemini codex cursor qwen claude-api"),
        ("no name", nameless, "spec strict portable gemini opencode cursor qwen claude-api"),
        ("1100 characters", skill(&long), "spec strict portable codex copilot claude-api"),
        ("1900 characters", skill(&longer), "spec strict portable codex copilot claude-api"),
        ("a name of 65 characters", named(&name), "spec strict portable codex copilot claude-api"),
        ("a name with an underscore", named("review_code"), "spec strict portable copilot claude-api"),
        ("a name with a blank", named("review code"), "spec strict portable copilot qwen claude-api"),
        ("a byte order mark", mark, "portable gemini codex"),
        ("a tag", with("defects", "<b>defects</b>"), "claude-api"),
        ("a name of the vendor", named("claude-code"), "spec strict portable claude-api"),
    ] {
        assert_eq!(refusing(&bytes).join(" "), refused, "{what}");
    }
}

#[test]
fn a_loose_colon_is_repaired_by_most_and_refused_by_copilot() {
    let loose = skill(&HEAD.replace("Use when asked", "Use when: asked"));
    let refused = refusing(&loose);
    assert_eq!(refused, ["spec", "strict", "portable", "copilot", "cursor", "claude-api"]);
    let of_copilot = found(&loose, Profile::named("copilot").unwrap_or_default(), &[]);
    let of_copilot = of_copilot.iter().find(|one| one.rule == "PORT-YAML-COLON");
    let expected = Some((Some("copilot"), Severity::Error, 3));
    assert_eq!(of_copilot.map(|one| (one.client.as_deref(), one.severity, one.line)), expected);
    let of_all = found(&loose, Profile::Default, &clients().collect::<Vec<_>>());
    assert!(of_all.iter().any(|one| one.rule == "S2"));
    assert!(!of_all.iter().any(|one| one.rule == "PORT-YAML-COLON"), "an error stands there anyhow");
}

#[test]
fn one_of_several_clients_is_a_warning_and_the_only_one_an_error() {
    let marked = [b"\xEF\xBB\xBF".as_slice(), &skill(HEAD)].concat();
    let most_severe = |clients: &[&'static Client]| {
        let findings = found(&marked, Profile::Default, clients);
        findings.iter().filter(|one| one.rule == "PORT-BOM").map(|one| one.severity).min()
    };
    let codex: Vec<_> = clients().filter(|client| client.id == "codex").collect();
    assert_eq!(most_severe(&codex), Some(Severity::Error));
    assert_eq!(most_severe(&clients().collect::<Vec<_>>()), Some(Severity::Warning));
    assert_eq!(most_severe(&[]), None);
}

#[test]
fn a_field_is_no_finding_where_the_client_reads_it() {
    let bytes = skill(&format!("{HEAD}\nargument-hint: FILE\nwhen_to_use: often\nallowedTools:\n  - Read"));
    let about = |name: &str| -> Vec<String> {
        let profile = Profile::named(name).unwrap();
        let findings = found(&bytes, profile, &[]);
        let fields = findings.iter().filter(|one| one.rule == "S3" || one.rule.starts_with("PORT-FIELD"));
        fields.map(|one| format!("{} {}", one.rule, one.line)).collect()
    };
    assert_eq!(about("claude-code"), ["S3 6", "PORT-FIELD 6"]);
    assert_eq!(about("qwen"), Vec::<String>::new());
    assert_eq!(about("codex").len(), 6);
}

#[test]
fn syntax_of_claude_code_is_reported_to_the_others() {
    let bytes = format!(
        "---\n{HEAD}\n---\nRun ${{CLAUDE_SKILL_DIR}}/scripts/a.sh on $0. Of $ARGUMENTS. State: !`git status`\n"
    );
    let reported = |name: &str| {
        let findings = found(bytes.as_bytes(), Profile::named(name).unwrap(), &[]);
        findings.iter().filter(|one| one.rule == "PORT-SYNTAX").count()
    };
    assert_eq!((reported("claude-code"), reported("codex"), reported("portable")), (0, 3, 18));
}

#[test]
fn a_skill_in_a_group_is_found_by_the_clients_that_look_deeper() {
    let refused = |prefix: &str| {
        let mut tree = Tree::new();
        tree.put("SKILL.md", skill(HEAD));
        let subject = Subject { directory: "review-code", prefix, tree: &tree, target: None };
        invalid(&check_for(&subject, &Policy { profile: Profile::Portable, ..Policy::default() }).findings)
    };
    assert!(refused("a/.claude/skills/team/review-code") && refused(".qwen/skills/team/review-code/"));
    assert!(!refused(".claude/skills/review-code") && !refused(".codex/skills/team/review-code"));
}

#[test]
fn strict_says_what_validators_disagree_about() {
    let bytes = skill("name: review-code\ndescription: Reviews a---b for x < y. Use when asked.\nmetadata: {a: \"b\"}");
    let findings = found(&bytes, Profile::Strict, &[]);
    let said: Vec<_> = findings.iter().filter_map(|one| Some((one.client.as_deref()?, one.line))).collect();
    assert_eq!(said, [("quick_validate", 3), ("skills-ref", 3), ("skills-ref", 4)]);
    assert!(!invalid(&findings) && found(&bytes, Profile::Spec, &[]).is_empty());
}

#[test]
fn a_tag_is_not_a_comparison() {
    assert!(tag("Make <b>bold</b> text") && !tag("when a < b and c > d"));
}
