//! Which facts are read from files named with `--from`, and of which kind.

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
    assert_eq!(texts(&read, Kind::Rule), ["Migrations must be backwards compatible.", "Ask in #dev.", "never as root"]);
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
    let make =
        "# Builds everything.\nall: x\n\tcc x\ntest: ## Runs the tests\n\t@./t\ndeploy:\n\t./deploy.sh production\n";
    let read = given("ci/Makefile", make);
    let commands: Vec<_> = read.facts.iter().filter_map(|fact| fact.command.as_deref()).collect();
    assert_eq!(commands, ["make all", "make test", "make deploy"]);
    let deploys = read.facts.iter().find(|fact| fact.command.as_deref() == Some("make deploy"));
    assert!(deploys.is_some_and(|fact| fact.risk.is_some()));
    let package = given("package.json", r#"{"description":"A shop.","scripts":{"prebuild":"x","build":"tsc -p ."}}"#);
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
        let read = given("a.yaml", &format!("openapi: 3.0.0\npaths: {{/a: {{get: {{summary: x}}}}}}\nz: {nested}\n"));
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
        ("fish_history", "- cmd: cargo test\n  when: 1\n- cmd: git push\n  when: 2\n- cmd: cargo test\n  when: 3\n"),
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
