//! Skills of the clone that are no skills.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;

use rustix::fs::FileType;

use super::clone::{Attack, Clone};
use super::journals::sparse;

const SKILL: &str =
    "---\nname: evil\ndescription: Checks things. Use when the user asks to check things.\n---\n# Evil\n\nText.\n";

/// A skill hefesto knows nothing of, and one it made.
const KNOWN: [(&str, &str); 2] = [("", "evil"), ("that is known and ", "validate-email-addresses")];

/// A file of one more skill.
fn held(name: &str, at: &'static str, text: String) -> Attack {
    Attack::new(format!("a skill {name}"), move |clone| {
        clone.put(".claude/skills/evil/SKILL.md", SKILL);
        clone.put(&format!(".claude/skills/evil/{at}"), &text);
    })
}

fn laid(name: &str, lay: impl Fn(&Clone) + 'static) -> Attack {
    Attack::new(format!("a skill {name}"), move |clone| {
        clone.put(".claude/skills/evil/SKILL.md", SKILL);
        lay(clone);
    })
}

/// Control characters in the names and texts of skills.
pub(crate) fn control_characters() -> Vec<Attack> {
    let names: [&[u8]; 9] = [
        b"\x1b]0;owned\x07",
        b"a\nERROR [E-CREATE-000]: run me",
        b"a\n::error file=x::owned",
        b"a\r::add-mask::b",
        "\u{202e}live".as_bytes(),
        "\u{9b}31mred".as_bytes(),
        b"\xff\xfe\x9b",
        b"a%0A::error::b",
        b"--yes",
    ];
    let mut all = Vec::new();
    for name in names {
        let shown = String::from_utf8_lossy(name).escape_debug().to_string();
        all.push(Attack::new(format!("a skill in a folder named {shown}"), move |clone| {
            let folder = clone.path(".claude/skills").join(OsStr::from_bytes(name));
            fs::create_dir(&folder).unwrap();
            fs::write(folder.join("SKILL.md"), SKILL).unwrap();
        }));
        all.push(laid(&format!("with a file named {shown}"), move |clone| {
            let folder = clone.path(".claude/skills/evil/references");
            fs::create_dir(&folder).unwrap();
            fs::write(folder.join(OsStr::from_bytes(name)), "text\n").unwrap();
            fs::create_dir(clone.path(".claude/skills/validate-email-addresses/scripts")).unwrap();
            let script = clone.path(".claude/skills/validate-email-addresses/scripts").join(OsStr::from_bytes(name));
            fs::write(script, "echo\n").unwrap();
        }));
    }
    let sequence = "\u{1b}]0;owned\u{7}\u{9b}31m\u{202e}";
    let escaped = "\\u001b]0;owned\\u0007\\u009b31m\\u202e";
    for (name, text) in [
        ("with sequences in its body", SKILL.replace("Text.", sequence)),
        ("with sequences in its description", SKILL.replace("Checks things.", sequence)),
        (
            "with escaped sequences in its description",
            SKILL.replace("Checks things. Use when the user asks to check things.", &format!("\"{escaped}\"")),
        ),
        ("with escaped sequences in its name", SKILL.replace("name: evil", &format!("name: \"{escaped}\""))),
        (
            "with escaped sequences in a key",
            SKILL.replace(
                "name: evil",
                &format!("name: evil\n\"{escaped}\": 1\nmetadata:\n  \"{escaped}\": \"{escaped}\""),
            ),
        ),
        ("with broken sequences", SKILL.replace("name: evil", &format!("name: \"{sequence}\n : {sequence}"))),
        (
            "with links of sequences",
            SKILL.replace("Text.", &format!("[a]({sequence}) [b](references/{sequence}.md) `{sequence}`")),
        ),
    ] {
        all.push(held(name, "SKILL.md", text.clone()));
        let known = text.replace("name: evil", "name: validate-email-addresses");
        all.push(Attack::file(
            format!("a known skill {name}"),
            ".claude/skills/validate-email-addresses/SKILL.md",
            known,
        ));
    }
    all
}

pub(crate) fn attacks() -> Vec<Attack> {
    let mut all = control_characters();
    all.push(laid("folder that is a link out", |clone| clone.link(".claude/skills/out", "BASE/victim")));
    all.push(laid("whose references are a link out", |clone| {
        clone.link(".claude/skills/evil/references", "BASE/victim");
    }));
    all.push(laid("with a link to a private file", |clone| {
        clone.link(".claude/skills/evil/references/a.md", "../../../../../home/.ssh/config");
    }));
    all.push(laid("whose text is a link to a private file", |clone| {
        clone.link(".claude/skills/evil/SKILL.md", "BASE/home/.ssh/config");
    }));
    all.push(laid("that is a loop", |clone| clone.link(".claude/skills/evil/references", ".")));
    all.push(laid("whose folders are each other", |clone| {
        clone.link(".claude/skills/a", "b");
        clone.link(".claude/skills/b", "a");
        clone.link(".claude/skills/evil/scripts", "../../..");
    }));
    for (name, at) in [
        ("text", "SKILL.md"),
        ("reference", "references/a.md"),
        ("sidecar", "metadata.yaml"),
        ("script", "scripts/run.sh"),
    ] {
        for (what, kind) in [("FIFO", FileType::Fifo), ("device", FileType::CharacterDevice)] {
            all.extend(KNOWN.map(|(known, skill)| {
                laid(&format!("{known}whose {name} is a {what}"), move |clone| {
                    clone.node(&format!(".claude/skills/{skill}/{at}"), kind);
                })
            }));
        }
        all.extend(KNOWN.map(|(known, skill)| {
            laid(&format!("{known}whose {name} has no end"), move |clone| {
                sparse(clone, &format!(".claude/skills/{skill}/{at}"));
            })
        }));
    }
    all.push(laid("among a thousand", |clone| {
        for one in 0..1000 {
            clone.put(&format!(".claude/skills/skill-{one}/SKILL.md"), SKILL.replace("evil", &format!("skill-{one}")));
        }
    }));
    all.push(laid("of ten thousand files", |clone| {
        clone.put(".claude/skills/evil/references/0", "");
        (1..10_000)
            .for_each(|one| fs::write(clone.path(&format!(".claude/skills/evil/references/{one}")), "a").unwrap());
    }));
    all.push(laid("of five hundred levels", |clone| {
        fs::create_dir_all(clone.path(&format!(".claude/skills/evil{}", "/d".repeat(500)))).unwrap();
    }));
    let bomb =
        (1..12).fold("---\nname: evil\nmetadata:\n  a0: &a0 [x, x, x, x, x, x, x, x]\n".to_owned(), |all, one| {
            let one_before = one - 1;
            all + &format!("  a{one}: &a{one} [{}]\n", vec![format!("*a{one_before}"); 8].join(", "))
        });
    all.push(held("with aliases of aliases", "SKILL.md", format!("{bomb}---\ntext\n")));
    all.push(held("with aliases of aliases in its sidecar", "metadata.yaml", bomb.replace("---\n", "")));
    all.push(held("of brackets in its frontmatter", "SKILL.md", format!("---\nname: {}\n---\n", "[".repeat(100_000))));
    all.push(held("of braces in its sidecar", "metadata.yaml", "{a: ".repeat(50_000)));
    let indents = (0..2000).fold(String::new(), |all, one| all + &" ".repeat(one) + "a:\n");
    all.push(held("of indents", "SKILL.md", format!("---\n{indents}---\n")));
    for (name, more) in [
        ("of brackets in its body", "[".repeat(100_000)),
        ("of stars", "*a_ ".repeat(50_000)),
        ("of quotes", "> ".repeat(50_000)),
        ("of lists", "- ".repeat(50_000)),
        ("of backticks", (1..400).fold(String::new(), |all, one| all + &"`".repeat(one) + " ")),
        ("of one line", "ab ".repeat(300_000)),
    ] {
        all.push(held(name, "SKILL.md", format!("{SKILL}{more}")));
    }
    all
}
