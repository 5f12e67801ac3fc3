//! A registry, rules, archives, templates and logs that somebody else wrote.

use std::fs;
use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use rustix::fs::FileType;

use super::NAME;
use super::clone::{Attack, Clone};
use super::journals::sparse;

/// As characters, and as what a reader of HTML makes characters of.
const SEQUENCES: &[(&str, &str)] = &[
    ("sequences", "\u{1b}]0;owned\u{7}x"),
    ("C1 characters", "\u{9b}31mx"),
    ("the other direction", "a\u{202e}b\u{2066}c\u{e0041}"),
    ("entities", "&#27;]0;owned&#7;x"),
    ("hexadecimal entities", "&#x1b;]0;owned&#x07;&#x202e;x"),
    ("named entities", "a&NewLine;b&Tab;c&rlm;d"),
];

/// Replaces a text in a file of the clone.
fn replaced(clone: &Clone, at: &str, old: &str, new: &str) {
    let text = fs::read_to_string(clone.path(at)).unwrap();
    assert!(text.contains(old), "{at} has no {old:?}");
    fs::write(clone.path(at), text.replace(old, new)).unwrap();
}

/// One more skill stands in the registry.
fn registered(name: String) -> impl Fn(&Clone) {
    move |clone| {
        let old = format!("| {NAME} |");
        let text = fs::read_to_string(clone.path("MEMORY.md")).unwrap();
        let row = text.lines().find(|line| line.starts_with(&old)).unwrap();
        let more = row.replace(&old, &format!("| {} |", name.replace("BASE", clone.base().to_str().unwrap())));
        fs::write(clone.path("MEMORY.md"), text.replace(row, &format!("{row}\n{more}"))).unwrap();
    }
}

/// Control characters where texts of the clone are shown.
pub(crate) fn control_characters() -> Vec<Attack> {
    let mut all = Vec::new();
    for (kind, value) in SEQUENCES {
        all.push(Attack::new(format!("a registered name with {kind}"), registered((*value).to_owned())));
        all.push(Attack::new(format!("cells of the registry with {kind}"), move |clone| {
            replaced(clone, "MEMORY.md", "| PATH |", &format!("| PATH{value} |"));
            replaced(clone, "MEMORY.md", "| 2026-02-05T10:00:00Z |", &format!("| 2026-02-05T10:00:00Z{value} |"));
        }));
        all.push(Attack::new(format!("a skills directory of the registry with {kind}"), move |clone| {
            replaced(clone, "MEMORY.md", ".claude/skills", &format!(".claude/{value}"));
        }));
        all.push(Attack::new(format!("a frontmatter of the registry with {kind}"), move |clone| {
            replaced(clone, "MEMORY.md", "hefesto_version: 0.1.0", &format!("hefesto_version: \"0.1.0{value}\""));
        }));
        all.push(Attack::new(format!("a log with {kind}"), move |clone| {
            replaced(clone, ".hefesto/logs/operations.jsonl", "create", value);
        }));
        all.push(Attack::new(format!("a constitution with {kind}"), move |clone| {
            replaced(clone, "CONSTITUTION.md", "T0-HEFESTO-0", &format!("{value}T0-HEFESTO-0"));
        }));
        if !value.starts_with('&') {
            let archive = format!(".hefesto/backups/{value}-2026-02-05T10-00-00.tar.gz");
            all.push(Attack::file(format!("an archive named with {kind}"), archive, "no archive"));
            let template = format!(".hefesto/templates/{value}.md");
            all.push(Attack::file(format!("a template named with {kind}"), template, "{{ broken"));
        }
        let template = format!("# {{{{ title }}}}\n\n{value}\n{{{{ {value} }}}}\n");
        all.push(Attack::file(format!("a template with {kind}"), ".hefesto/templates/base.md", template));
    }
    all
}

const SKILL: &str = ".claude/skills/validate-email-addresses/SKILL.md";
/// The name of the skill's newest backup.
const ARCHIVE: &str = ".hefesto/backups/validate-email-addresses-2027-02-05T10-00-00.tar.gz";

/// An archive of gzip around these bytes, as the skill's newest backup.
fn archive(clone: &Clone, bytes: &[u8]) {
    let mut gz = GzEncoder::new(Vec::new(), Compression::fast());
    gz.write_all(bytes).unwrap();
    clone.put(ARCHIVE, gz.finish().unwrap());
}

/// One entry of an archive, whatever its path.
fn entry(path: &str, kind: tar::EntryType, link: &str) -> Vec<u8> {
    let mut header = tar::Header::new_gnu();
    let name = &mut header.as_old_mut().name;
    name[..path.len()].copy_from_slice(path.as_bytes());
    header.as_old_mut().linkname[..link.len()].copy_from_slice(link.as_bytes());
    header.set_entry_type(kind);
    header.set_mode(0o4777);
    header.set_size(0);
    header.set_cksum();
    [header.as_bytes().as_slice(), &[0; 1024]].concat()
}

fn archives() -> Vec<Attack> {
    use tar::EntryType;
    let mut all = Vec::new();
    for (name, path, kind, link) in [
        ("a path outside", "../victim/notes.txt", EntryType::Regular, ""),
        ("an absolute path", "/etc/hefesto-was-here", EntryType::Regular, ""),
        ("a link out", SKILL, EntryType::Symlink, "../../../../victim/notes.txt"),
        ("a hard link out", SKILL, EntryType::Link, "../victim/notes.txt"),
        ("a device", SKILL, EntryType::Char, ""),
        ("a FIFO", SKILL, EntryType::Fifo, ""),
        ("a sequence", ".claude/skills/\u{1b}]0;owned\u{7}/SKILL.md", EntryType::Regular, ""),
        ("git's own", ".git/hooks/post-checkout", EntryType::Regular, ""),
    ] {
        all.push(Attack::new(format!("an archive with {name}"), move |clone| archive(clone, &entry(path, kind, link))));
    }
    all.push(Attack::new("an archive that grows", |clone| archive(clone, &vec![0; 300 << 20])));
    all.push(Attack::new("an archive that is a FIFO", |clone| {
        assert!(clone.node(ARCHIVE, FileType::Fifo), "no FIFO can be made");
    }));
    all.push(Attack::link("an archive that is a link out", ARCHIVE, "BASE/victim/notes.txt"));
    all.push(Attack::new("an archive without an end", |clone| sparse(clone, ARCHIVE)));
    all
}

fn templates() -> Vec<Attack> {
    let template = |name: &str, text: &'static str| {
        Attack::file(format!("a template with {name}"), ".hefesto/templates/base.md", text)
    };
    let mut all = vec![
        template("a loop", "{% for i in range(100000000) %}x{% endfor %}"),
        template(
            "loops in loops",
            "{% for i in range(9999) %}{% for j in range(9999) %}{% for k in range(9999) %}x{% endfor %}{% endfor %}{% endfor %}",
        ),
        template("a product", "{{ 'xxxxxxxxxxxxxxxx' * 100000000 }}"),
        template("an indent", "{{ 'a\nb' | indent(1000000000) }}"),
        template("a format", "{{ '%1000000000d' | format(1) }}"),
        template("itself", "{% include 'base.md' %}{% include 'base' %}"),
        template("an include from outside", "{% include '../../../home/.ssh/config' %}"),
        template("an import from outside", "{% import '/etc/passwd' as x %}{{ x }}"),
        template("a macro that calls itself", "{% macro a() %}{{ a() }}{% endmacro %}{{ a() }}"),
        template(
            "a doubling",
            "{% set x = 'xxxxxxxx' %}{% set ns = namespace(x=x) %}{% for i in range(40) %}{% set ns.x = ns.x ~ ns.x %}{% endfor %}{{ ns.x }}",
        ),
        template("a debug", "{{ debug() }}"),
        template("a program", "{{ ''.__class__ }}{{ cycler.__init__.__globals__.os.popen('id') }}"),
        Attack::new("a template without an end", |clone| sparse(clone, ".hefesto/templates/base.md")),
    ];
    for (name, text) in [
        ("dashes", format!("{{{{ {}1 }}}}", "-".repeat(50_000))),
        ("parentheses", format!("{{{{ {}1", "(".repeat(50_000))),
        ("nots", format!("{{{{ {}1 }}}}", "not ".repeat(50_000))),
        ("brackets", format!("{{{{ {} }}}}", "[".repeat(50_000))),
        ("dots", format!("{{{{ a{} }}}}", ".a".repeat(50_000))),
        ("ifs", "{% if 1 %}".repeat(20_000)),
        ("quotes", "> ".repeat(50_000)),
    ] {
        all.push(Attack::file(format!("a template of {name}"), ".hefesto/templates/base.md", text));
    }
    for (name, to) in [
        ("a private file", "../../../home/.ssh/config"),
        ("a template outside", "BASE/victim/base.md"),
        ("a system file", "/etc/passwd"),
    ] {
        all.push(Attack::link(format!("a template that is a link to {name}"), ".hefesto/templates/base.md", to));
    }
    all
}

pub(crate) fn attacks() -> Vec<Attack> {
    let mut all = control_characters();
    for name in [
        "../../victim",
        "../../../victim/notes.txt",
        "BASE/victim",
        "..",
        ".",
        "",
        "-rf",
        "a/b",
        "validate-email-addresses/../../../../victim",
    ] {
        all.push(Attack::new(format!("the registered name {name:?}"), registered(name.to_owned())));
    }
    for dir in ["../victim", "BASE/victim", "~/.ssh", ".claude/../../victim", "/", "mine"] {
        all.push(Attack::new(format!("the registered skills directory {dir:?}"), move |clone| {
            replaced(clone, "MEMORY.md", ".claude/skills", &dir.replace("BASE", clone.base().to_str().unwrap()));
        }));
    }
    for (name, file) in [
        ("registry", "MEMORY.md"),
        ("constitution", "CONSTITUTION.md"),
        ("log", ".hefesto/logs/operations.jsonl"),
        ("standard", ".context/standards/skill-quality.md"),
    ] {
        all.push(Attack::new(format!("a {name} without an end"), move |clone| sparse(clone, file)));
        all.push(Attack::file(format!("a {name} that is no text"), file, [0xff, 0xfe, 0x1b, 0x9b, 0]));
        all.push(Attack::file(format!("a {name} of brackets"), file, "[".repeat(300_000)));
        all.push(Attack::file(format!("a {name} of bars"), file, "| a ".repeat(200_000)));
        let conflicts = "<<<<<<< \u{1b}]0;owned\u{7}\n=======\n>>>>>>> b\n";
        all.push(Attack::file(format!("a {name} of conflicts"), file, conflicts));
    }
    all.push(Attack::new("five thousand registered skills", |clone| {
        let text = fs::read_to_string(clone.path("MEMORY.md")).unwrap();
        let row = text.lines().find(|line| line.starts_with(&format!("| {NAME}"))).unwrap();
        let many: String = (0..5000).map(|one| format!("\n{}", row.replace(NAME, &format!("skill-{one}")))).collect();
        fs::write(clone.path("MEMORY.md"), text.replace(row, &format!("{row}{many}"))).unwrap();
    }));
    all.extend(archives());
    all.extend(templates());
    all
}
