//! What is taken from files, and where it is put.

use super::*;
use crate::skill::sentence::Language;

fn texts(material: &Material, kind: Kind) -> Vec<String> {
    let of = material.pieces.iter().filter(|piece| piece.kind == kind);
    of.map(
        |piece| if piece.about.is_empty() { piece.text.clone() } else { format!("{} # {}", piece.text, piece.about) },
    )
    .collect()
}

#[test]
fn a_readme_gives_steps_commands_warnings_points_and_links() {
    let text = "# Shop\n\n[![ci](https://img.example/ci.svg)](https://ci.example/run)\n\nSells things.\n\n## Install\n\n\
        ```console\n$ npm ci \\\n    --no-audit\nadded 3 packages\n# nothing\n$ npm start\n```\n\n```js\nconst a = 1;\n```\n\n\
        ## Release\n\n1. Raise the version.\n   - in `package.json`\n2. Tag it.\n\n> **Warning:** tags are never moved.\n\n\
        ## Rules\n\n- Prices are in cents.\n- Never log a card number.\n- https://only.example/link\n\n\
        See [the manual](https://shop.example/manual) and http://localhost:3000.\n";
    let read = read("README.md", text);
    assert_eq!(read.summary, "Sells things.");
    assert_eq!(texts(&read, Kind::Command), ["npm ci --no-audit # Install", "npm start # Install"]);
    assert_eq!(texts(&read, Kind::Step), ["Raise the version. - in `package.json`", "Tag it."]);
    assert_eq!(texts(&read, Kind::Warning), ["Warning: tags are never moved.", "Never log a card number."]);
    assert_eq!(texts(&read, Kind::Note), ["Prices are in cents."]);
    assert_eq!(texts(&read, Kind::Link), ["https://only.example/link", "https://shop.example/manual"]);
}

#[test]
fn plain_notes_are_taken_by_paragraph() {
    let read = read("notes.txt", "Invoices come as PDF.\nOne per customer.\n\nTotals are checked twice.\n");
    assert_eq!(texts(&read, Kind::Note), ["Invoices come as PDF. One per customer.", "Totals are checked twice."]);
}

#[test]
fn recipes_are_commands_with_what_they_are_for() {
    let make = "CC := gcc\nVERSION = 1\n.PHONY: all\n# Builds everything.\nall: main.o\n\tcc x\nmain.o: main.c\n%.o: %.c\ntest: all ## Runs the tests\n\t@./t\n";
    assert_eq!(
        texts(&read("Makefile", make), Kind::Command),
        ["make all # Builds everything.", "make test # Runs the tests"]
    );
    let just = "set shell := [\"sh\"]\nversion := '1'\n# Deploys.\ndeploy env='staging': build\n  x\nrun file:\n  y\n_own:\n  z\n";
    assert_eq!(texts(&read("justfile", just), Kind::Command), ["just deploy # Deploys."]);
    let package =
        r#"{"description":"A shop.","scripts":{"prebuild":"x","build":"tsc -p .","pre-commit":"lint","a b":"c"}}"#;
    let package = read("package.json", package);
    assert_eq!(package.summary, "A shop.");
    assert_eq!(texts(&package, Kind::Command), ["npm run build # tsc -p .", "npm run pre-commit # lint"]);
}

#[test]
fn an_interface_is_its_endpoints_in_json_and_yaml() {
    let yaml = "openapi: 3.1.0\ninfo:\n  title: Pets\nservers:\n  - url: https://pets.example/v1\n  - url: http://localhost:8080\n\
        paths:\n  /pets:\n    get:\n      summary: List pets.\n    post:\n      requestBody:\n        required: true\n\
        \x20 /pets/{id}:\n    parameters:\n      - name: id\n        required: true\n    delete:\n      deprecated: true\n";
    let json = serde_yaml::from_str::<serde_json::Value>(yaml).unwrap().to_string();
    for (name, text) in [("api.yaml", yaml), ("api.json", json.as_str())] {
        let read = read(name, text);
        assert_eq!(read.summary, "Pets");
        assert_eq!(
            texts(&read, Kind::Endpoint),
            ["GET /pets # List pets", "POST /pets # needs a body", "DELETE /pets/{id} # needs `id`"]
        );
        assert_eq!(texts(&read, Kind::Warning), ["`DELETE /pets/{id}` is deprecated"]);
        assert_eq!(texts(&read, Kind::Note), ["Base address: https://pets.example/v1"]);
    }
}

#[test]
fn a_history_gives_what_is_used_in_every_shell() {
    let wanted = ["cargo test # used 2 times", "git push"];
    for (name, text) in [
        (".bash_history", "#1700000000\ncargo test\ncd x\ngit push\ncargo test\n"),
        (".zsh_history", ": 1700000000:0;cargo test\n: 1700000001:0;ls -l\n: 1:0;git push\n: 2:0;cargo test\n"),
        ("fish_history", "- cmd: cargo test\n  when: 1\n- cmd: git push\n  when: 2\n- cmd: cargo test\n  when: 3\n"),
        ("history", "  1  cargo test\n  2  git push\n  3  cargo test\n"),
    ] {
        assert_eq!(texts(&read(name, text), Kind::Command), wanted, "{name}");
    }
    let many: String = (0..20).map(|n| format!("one {n}\n")).collect();
    let read = read(".bash_history", &format!("{many}often\noften\n"));
    assert_eq!((read.pieces.len(), read.left_out), (MOST, 9));
}

#[test]
fn nothing_is_longer_or_more_than_allowed_and_nothing_runs() {
    let long = format!("- {}\n- Use !`date`.\n\n```sh\n{}\n```\n", "word ".repeat(100), "x".repeat(300));
    let read = read("n.md", &long);
    let notes = texts(&read, Kind::Note);
    assert!(notes[0].ends_with("word ...") && notes[0].chars().count() <= LONGEST, "{notes:?}");
    assert_eq!(notes[1], "Use ! `date`.");
    assert_eq!(read.left_out, 1);
}

#[test]
fn sources_are_cited_once_and_with_their_file() {
    let notes = read("n.md", "- Never guess.\n\nhttps://a.example/x\n");
    let given = ["https://b.example".to_owned()];
    let text = cited("# X\n\nText.\n", &given, std::slice::from_ref(&notes), Language::En);
    let sources = "## Sources\n\n- https://b.example\n- https://a.example/x (linked in n.md)\n";
    assert_eq!(text, format!("# X\n\nText.\n\n{sources}"));
    assert_eq!(cited(&text, &given, &[], Language::En), text);
}

proptest::proptest! {
    #[test]
    fn any_file_is_read(text in "\\PC{0,200}", name in "(n.md|Makefile|package.json|api.yaml|.zsh_history|justfile)") {
        for piece in read(&name, &text).pieces {
            proptest::prop_assert!(piece.text.chars().count() <= LONGEST && !piece.text.contains('\n'));
        }
    }
}

#[test]
fn a_description_of_an_interface_that_nests_too_deep_is_read_as_text() {
    let described = |depth: usize| {
        let nested = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        read("a.yaml", &format!("openapi: 3.0.0\npaths: {{/a: {{get: {{summary: x}}}}}}\nz: {nested}\n"))
    };
    let endpoints = |found: Material| found.pieces.iter().filter(|piece| piece.kind == Kind::Endpoint).count();
    assert_eq!((endpoints(described(10)), endpoints(described(100))), (1, 0));
    for text in ["[".repeat(1 << 16), "a: {".repeat(1 << 14), "[ \"]\" ".repeat(1 << 14)] {
        assert!(crate::skill::yaml::bounded(&text).is_err());
        assert!(crate::skill::metadata::Metadata::parse(&text).is_err());
    }
}
