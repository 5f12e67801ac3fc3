//! Journals of changes that were never asked for. Each is one that hefesto itself left when it was killed in this very
//! project, with other texts in it and a commit record that fits.

use std::fs;
use std::sync::OnceLock;

use super::NAME;
use super::clone::{Attack, Clone};

const OVER: [&str; 7] = ["create", "Sort the letters", "--name", NAME, "--on-collision", "overwrite", "--yes"];

/// Kills an overwrite before or after its commit record is there.
fn interrupted(clone: &Clone, committed: bool) {
    static STEPS: OnceLock<[usize; 2]> = OnceLock::new();
    let kill = |clone: &Clone, step: usize| {
        let attack = Attack::new("kill", |_| ()).with("HEFESTO_FAILPOINT", &format!("{step}:after"));
        clone.hefesto(&attack, &OVER);
    };
    let ends = |clone: &Clone| -> Vec<String> {
        let left = fs::read_dir(clone.path(".hefesto/txn")).into_iter().flatten();
        left.map(|entry| entry.unwrap().path().extension().unwrap_or_default().to_string_lossy().into_owned()).collect()
    };
    let steps = STEPS.get_or_init(|| {
        let left = |wanted: &[&str]| {
            let there = |step: &usize| {
                let clone = Clone::new(&Attack::new("none", |_| ()));
                kill(&clone, *step);
                let ends = ends(&clone);
                wanted.iter().all(|end| ends.iter().any(|there| there == end)) && ends.len() == wanted.len()
            };
            (1..200).find(there).expect("no step leaves such a journal")
        };
        [left(&["json"]), left(&["json", "commit"])]
    });
    kill(clone, steps[usize::from(committed)]);
}

/// Changes the journal's text; the commit record is made to fit.
fn forge(clone: &Clone, change: &dyn Fn(String) -> String) {
    let paths: Vec<_> = fs::read_dir(clone.path(".hefesto/txn")).unwrap().map(|entry| entry.unwrap().path()).collect();
    let journal = paths.iter().find(|path| path.extension().is_some_and(|end| end == "json")).unwrap();
    let old = fs::read_to_string(journal).unwrap();
    let new = change(old.clone());
    assert_ne!(old, new, "the journal has nothing that could be forged so");
    fs::write(journal, &new).unwrap();
    let record = journal.with_extension("commit");
    if let Ok(text) = fs::read_to_string(&record) {
        let digest = |text: &str| blake3::hash(text.as_bytes()).to_hex().to_string();
        fs::write(record, text.replace(&digest(&old), &digest(&new))).unwrap();
    }
}

/// Texts in the journal, and what they are replaced by.
const FORGERIES: &[(&str, &str, &str)] = &[
    ("a skill outside", "\".claude/skills/validate-email-addresses\"", "\"../victim\""),
    ("a skill at an absolute path", "\".claude/skills/validate-email-addresses\"", "\"BASE/victim\""),
    ("a skill in the home directory", "\".claude/skills/validate-email-addresses\"", "\"../home/.ssh\""),
    ("a skill behind dots", "\".claude/skills/validate-email-addresses\"", "\".claude/skills/../../../victim\""),
    ("what is the user's inside", "\".claude/skills/validate-email-addresses\"", "\"mine\""),
    ("a stage outside", "\".hefesto/.hefesto-stage-", "\"../victim/.hefesto-stage-"),
    ("the victim as the stage", "\"stages\": [", "\"stages\": [\"../victim\", \"BASE/victim\", "),
    ("the user's as the stage", "\"stages\": [", "\"stages\": [\"mine\", "),
    ("the victim as made", "\"made\": [", "\"made\": [\"../victim\", \"BASE/victim/sub\", \"../tmp\""),
    ("an id that is a path", "\"id\": \"", "\"id\": \"../../../victim/"),
    ("a run that is a sequence", "\"run\": \"", "\"run\": \"\\u001b]0;owned\\u0007\\u202e"),
    ("a command that is a sequence", "\"command\": \"create", "\"command\": \"\\u001b[2Jcreate"),
    ("a registered name that is a path", "\"name\": \"validate", "\"name\": \"../../victim/validate"),
    ("a registered name that is a sequence", "\"name\": \"validate", "\"name\": \"\\u001b]0;owned\\u0007validate"),
    ("a backup outside", "\".hefesto/backups/", "\"../victim/"),
    ("a newer version", "\"version\": ", "\"version\": 99"),
    ("nothing of the form", "{", "[{"),
];

pub(crate) fn attacks() -> Vec<Attack> {
    let mut all = Vec::new();
    for committed in [false, true] {
        let state = if committed { "committed" } else { "uncommitted" };
        for (name, old, new) in FORGERIES {
            all.push(Attack::new(format!("a {state} journal with {name}"), move |clone: &Clone| {
                interrupted(clone, committed);
                let new = new.replace("BASE", clone.base().to_str().unwrap());
                forge(clone, &|text| {
                    if text.contains("\"made\": []") && old.contains("made") {
                        return text.replace("\"made\": []", &format!("{new}]"));
                    }
                    if old.len() == 1 { text.replacen(old, &new, 1) } else { text.replace(old, &new) }
                });
            }));
        }
        all.push(Attack::new(format!("a {state} journal whose skill became a link out"), move |clone| {
            interrupted(clone, committed);
            clone.link(".claude/skills", "BASE/victim");
            clone.link(".gemini", "BASE/victim");
        }));
        all.push(Attack::new(format!("a {state} journal whose stage became a link out"), move |clone| {
            interrupted(clone, committed);
            let staged = fs::read_dir(clone.path(".hefesto")).unwrap().map(|entry| entry.unwrap().file_name());
            for name in staged.map(|name| name.into_string().unwrap()).filter(|name| name.contains("stage")) {
                clone.link(&format!(".hefesto/{name}"), "BASE/victim");
            }
        }));
        all.push(Attack::new(format!("a {state} journal of thousands of steps"), move |clone| {
            interrupted(clone, committed);
            let many = "\"../victim\", ".repeat(20_000);
            forge(clone, &|text| text.replace("\"stages\": [", &format!("\"stages\": [{many}")));
        }));
    }
    for (name, file) in [
        ("a control sequence", "\u{1b}]0;owned\u{7}.json"),
        ("a line", "a\nERROR [E-CREATE-000]: run me\n.json"),
        ("the other direction", "\u{202e}nosj.json"),
        ("a C1 character", "\u{9b}31m.json"),
        ("a dot", "..json"),
        ("a set aside name", "\u{1b}[2J.json.bad"),
    ] {
        let at = format!(".hefesto/txn/{file}");
        all.push(Attack::file(format!("a journal named with {name}"), at, "{\"version\": 1, \"ho"));
    }
    all.push(Attack::new("ten thousand journals", |clone| {
        clone.put(".hefesto/txn/0.json", "{");
        (1..2000).for_each(|one| fs::write(clone.path(&format!(".hefesto/txn/{one}.json")), "{").unwrap());
    }));
    all.push(Attack::link("a journal that is a link out", ".hefesto/txn/a.json", "BASE/victim/one.json"));
    all.push(Attack::new("a journal that is a FIFO", |clone| {
        assert!(clone.node(".hefesto/txn/a.json", rustix::fs::FileType::Fifo), "no FIFO can be made");
    }));
    all.push(Attack::file("a journal that is a directory", ".hefesto/txn/a.json/b/c", "d"));
    all.push(Attack::file("a journal of brackets", ".hefesto/txn/a.json", "[".repeat(2_000_000)));
    all.push(Attack::new("a journal without an end", |clone| sparse(clone, ".hefesto/txn/a.json")));
    all
}

/// A file of four gigabytes that takes no place.
pub(crate) fn sparse(clone: &Clone, at: &str) {
    clone.put(at, "");
    fs::OpenOptions::new().write(true).open(clone.path(at)).unwrap().set_len(4 << 30).unwrap();
}
