//! `restore FILE` with archives that lie: each is refused with a reason, at once, and nothing is touched.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::support::world::{CLAUDE, GEMINI, NAME, World, picture};

const AT: &str = ".claude/skills/demo";
const SKILL: &str = ".claude/skills/demo/SKILL.md";
const HEAD: &[u8] = b"---\nname: demo\ndescription: Sorts mail. Use when mail has to be sorted.\n---\n\n# Demo\n";

/// A tar archive written by hand, so that it can say anything.
#[derive(Default)]
struct Tape(Vec<u8>);

impl Tape {
    /// One with a sound skill in it.
    fn skill() -> Self {
        Self::default().file(SKILL, HEAD)
    }

    fn file(self, path: &str, body: &[u8]) -> Self {
        self.entry(path.as_bytes(), b'0', 0o644, "", body.len() as u64, body)
    }

    fn moded(self, path: &str, mode: u32) -> Self {
        self.entry(path.as_bytes(), b'0', mode, "", 1, b"x")
    }

    fn directory(self, path: &str) -> Self {
        self.entry(path.as_bytes(), b'5', 0o755, "", 0, b"")
    }

    fn link(self, path: &str, kind: u8, goal: &str) -> Self {
        self.entry(path.as_bytes(), kind, 0o777, goal, 0, b"")
    }

    fn entry(mut self, path: &[u8], kind: u8, mode: u32, goal: &str, size: u64, body: &[u8]) -> Self {
        if path.len() > 100 {
            let mut long = path.to_vec();
            long.push(0);
            self = self.entry(b"././@LongLink", b'L', 0o644, "", long.len() as u64, &long);
        }
        let start = self.0.len();
        self.0.resize(start + 512, 0);
        let head = &mut self.0[start..];
        let short = &path[..path.len().min(100)];
        head[..short.len()].copy_from_slice(short);
        for (place, value) in [(100, u64::from(mode)), (108, 0), (116, 0)] {
            head[place..place + 7].copy_from_slice(format!("{value:07o}").as_bytes());
        }
        for (place, value) in [(124, size), (136, 1_500_000_000)] {
            head[place..place + 11].copy_from_slice(format!("{value:011o}").as_bytes());
        }
        head[156] = kind;
        head[157..157 + goal.len()].copy_from_slice(goal.as_bytes());
        head[257..265].copy_from_slice(b"ustar  \0");
        sum(head);
        self.0.extend_from_slice(body);
        let padded = self.0.len().next_multiple_of(512);
        self.0.resize(padded, 0);
        self
    }

    /// A PAX header for the entry that follows.
    fn pax(self, records: &[(&str, &str)]) -> Self {
        let mut body = Vec::new();
        for (key, value) in records {
            let rest = key.len() + value.len() + 3;
            let length = (1..).find(|length: &usize| length.to_string().len() + rest == *length).unwrap();
            body.extend(format!("{length} {key}={value}\n").into_bytes());
        }
        self.entry(b"PaxHeaders/x", b'x', 0o644, "", body.len() as u64, &body)
    }

    /// Changes a byte of the newest 512-byte header without mending its sum.
    fn spoilt(mut self, from_end: usize) -> Self {
        let at = self.0.len() - from_end;
        self.0[at] ^= 0x55;
        self
    }

    fn ended(mut self) -> Vec<u8> {
        self.0.extend([0; 1024]);
        self.0
    }

    fn packed(self) -> Vec<u8> {
        gzip(&self.ended())
    }
}

fn sum(head: &mut [u8]) {
    head[148..156].fill(b' ');
    let sum: u32 = head.iter().map(|byte| u32::from(*byte)).sum();
    head[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
    gzip.write_all(bytes).unwrap();
    gzip.finish().unwrap()
}

/// A place in the skill.
fn at(name: &str) -> String {
    format!("{AT}/{name}")
}

/// Cuts the packed bytes, or flips one of them.
fn cut(mut packed: Vec<u8>, left: usize) -> Vec<u8> {
    packed.truncate(left);
    packed
}

fn flipped(mut packed: Vec<u8>, at: usize) -> Vec<u8> {
    packed[at] ^= 0x10;
    packed
}

fn evil() -> Vec<(&'static str, Vec<u8>)> {
    let in_skill = |name: &str| Tape::skill().file(&at(name), b"x").packed();
    let raw = |name: &[u8]| {
        let path = [AT.as_bytes(), b"/", name].concat();
        Tape::skill().entry(&path, b'0', 0o644, "", 1, b"x").packed()
    };
    let whole = Tape::skill().packed();
    let long = "n".repeat(260);
    let deep = "d/".repeat(40) + "f";
    let many = (0..1_100).fold(Tape::skill(), |tape, n| tape.file(&format!("{AT}/references/{n}.md"), b""));
    let dirs = (0..5_000).fold(Tape::skill(), |tape, n| tape.directory(&format!("{AT}/references/{n}/")));
    let middle = whole.len() / 2;
    vec![
        // Paths that lead elsewhere.
        ("absolute path", Tape::skill().file("/canary/planted", b"x").packed()),
        ("absolute path alone", Tape::default().file("/canary/planted", b"x").packed()),
        ("parent", Tape::skill().file("../canary/planted", b"x").packed()),
        ("parent inside", in_skill("../../../../canary/planted")),
        ("parent at the end", in_skill("references/..")),
        ("dot inside", in_skill("./planted")),
        ("double slash", in_skill("references//planted")),
        ("backslash", in_skill("..\\..\\planted")),
        ("drive", Tape::skill().file("C:/planted", b"x").packed()),
        ("drive without slash", Tape::skill().file("c:planted", b"x").packed()),
        ("UNC", Tape::skill().file("\\\\host\\share\\planted", b"x").packed()),
        ("UNC with slashes", Tape::skill().file("//host/share/planted", b"x").packed()),
        ("git's own", Tape::skill().file(".git/hooks/post-checkout", b"x").packed()),
        ("git's own inside", in_skill(".GIT/config")),
        ("empty path", Tape::skill().file("", b"x").packed()),
        // What is neither file nor directory.
        ("symlink out", Tape::skill().link(&at("out"), b'2', "/canary").packed()),
        ("symlink in", Tape::skill().link(&at("in"), b'2', "SKILL.md").packed()),
        ("symlink parent", Tape::skill().link(&at("up"), b'2', "../../../../canary").packed()),
        ("hard link out", Tape::skill().link(&at("out"), b'1', "/canary/bird").packed()),
        ("hard link in", Tape::skill().link(&at("in"), b'1', SKILL).packed()),
        (
            "write through a link",
            Tape::skill().link(&at("references"), b'2', "/canary").file(&at("references/planted"), b"x").packed(),
        ),
        ("linked skill", Tape::default().link(AT, b'2', "/canary").file(SKILL, HEAD).packed()),
        (
            "file with a link's goal",
            Tape::skill().entry(b".claude/skills/demo/l", b'0', 0o644, "/canary", 1, b"x").packed(),
        ),
        ("fifo", Tape::skill().link(&at("pipe"), b'6', "").packed()),
        ("character device", Tape::skill().link(&at("null"), b'3', "").packed()),
        ("block device", Tape::skill().link(&at("disk"), b'4', "").packed()),
        ("contiguous", Tape::skill().entry(b".claude/skills/demo/c", b'7', 0o644, "", 1, b"x").packed()),
        ("sparse", Tape::skill().entry(b".claude/skills/demo/s", b'S', 0o644, "", 0, b"").packed()),
        ("unknown kind", Tape::skill().entry(b".claude/skills/demo/z", b'Z', 0o644, "", 0, b"").packed()),
        ("setuid", Tape::skill().moded(&at("scripts/root"), 0o4755).packed()),
        ("setgid", Tape::skill().moded(&at("scripts/group"), 0o2755).packed()),
        // Twins.
        ("duplicate", Tape::skill().file(SKILL, b"other").packed()),
        ("case twin", in_skill("skill.MD")),
        ("case twin directories", Tape::skill().file(&at("Refs/a"), b"").file(&at("refs/b"), b"").packed()),
        (
            "Unicode twin",
            Tape::skill().file(&format!("{AT}/caf\u{e9}"), b"").file(&format!("{AT}/cafe\u{301}"), b"").packed(),
        ),
        ("file and directory", Tape::skill().file(&at("a"), b"").file(&at("a/b"), b"").packed()),
        ("directory and file", Tape::skill().file(&at("a/b"), b"").file(&at("a"), b"").packed()),
        // Names.
        ("escape", in_skill("a\u{1b}[2Jb")),
        ("newline", in_skill("a\nb")),
        ("bidi", in_skill("a\u{202e}dm.exe")),
        ("zero width", in_skill("a\u{200b}b")),
        ("not UTF-8", raw(b"a\xff")),
        ("NUL by PAX", Tape::skill().pax(&[("path", ".claude/skills/demo/a\0b")]).file("x", b"x").packed()),
        ("Windows device", in_skill("references/con.md")),
        ("Windows stream", in_skill("SKILL.md:stream")),
        ("Windows trailing dot", in_skill("SKILL.md.")),
        ("Windows trailing space", in_skill("SKILL.md ")),
        ("long name", in_skill(&long)),
        ("deep name", in_skill(&deep)),
        // Something other than one skill.
        ("second root", Tape::skill().file(".claude/skills/other/SKILL.md", HEAD).packed()),
        ("foreign root", Tape::skill().file("Makefile", b"x").packed()),
        ("foreign directory", Tape::skill().file(".ssh/authorized_keys", b"x").packed()),
        ("settings beside", Tape::skill().file(".claude/settings.json", b"{}").packed()),
        ("hefesto's own", Tape::skill().file(".hefesto/config.toml", b"x").packed()),
        ("unknown client", Tape::default().file(".nobody/skills/demo/SKILL.md", HEAD).packed()),
        ("wrong name", Tape::default().file(".claude/skills/De mo/SKILL.md", HEAD).packed()),
        ("device name", Tape::default().file(".claude/skills/con/SKILL.md", HEAD).packed()),
        ("no SKILL.md", Tape::default().file(".claude/skills/demo/notes.md", b"x").packed()),
        ("directory only", Tape::default().directory(&at("")).packed()),
        ("another name inside", Tape::default().file(SKILL, b"---\nname: other\ndescription: x\n---\n").packed()),
        ("SKILL.md without a head", Tape::default().file(SKILL, b"text").packed()),
        ("nested skill only", Tape::default().file(".claude/skills/demo/in/SKILL.md", HEAD).packed()),
        ("empty tape", Tape::default().packed()),
        // Bombs.
        ("bomb by ratio", Tape::skill().file(&at("zeros"), &vec![0; 48 << 20]).packed()),
        ("bomb by size", Tape::skill().entry(b".claude/skills/demo/b", b'0', 0o644, "", 7 << 30, b"x").packed()),
        ("bomb by count", many.packed()),
        ("bomb by directories", dirs.packed()),
        // Damage and lies.
        ("wrong sum", Tape::skill().file(&at("a"), b"").spoilt(512).packed()),
        ("negative size", {
            let mut tape = Tape::skill().file(&at("a"), b"");
            let start = tape.0.len() - 512;
            tape.0[start + 124..start + 136].fill(0xff);
            sum(&mut tape.0[start..start + 512]);
            tape.packed()
        }),
        ("size beyond the end", {
            let tape = Tape::default().entry(SKILL.as_bytes(), b'0', 0o644, "", 100_000, HEAD);
            gzip(&tape.0)
        }),
        ("PAX path", Tape::skill().pax(&[("path", "../../canary/planted")]).file("x", b"x").packed()),
        ("PAX link", Tape::skill().pax(&[("linkpath", "/canary")]).file(&at("l"), b"x").packed()),
        ("PAX size", Tape::skill().pax(&[("size", "9999999")]).file(&at("a"), b"x").packed()),
        ("PAX size too small", Tape::skill().pax(&[("size", "0")]).file(&at("a"), &[b'x'; 600]).packed()),
        ("PAX of nothing", {
            let tape = Tape::skill().entry(b"PaxHeaders/x", b'x', 0o644, "", 9, b"garbage!!");
            tape.file(&at("a"), b"x").packed()
        }),
        ("directory with bytes", Tape::skill().entry(b".claude/skills/demo/d/", b'5', 0o755, "", 3, b"abc").packed()),
        ("file named as a directory", Tape::skill().file(&at("d/"), b"x").packed()),
        ("truncated", cut(whole.clone(), middle)),
        ("truncated by one byte", cut(whole.clone(), whole.len() - 1)),
        ("truncated tar", gzip(&Tape::skill().0[..700])),
        ("flipped", flipped(whole.clone(), middle)),
        ("flipped sum", flipped(whole.clone(), whole.len() - 6)),
        ("trailing bytes", [whole.as_slice(), b"more"].concat()),
        ("trailing tar", gzip(&[Tape::skill().ended(), Tape::default().file("x", b"x").ended()].concat())),
        ("doubled", [whole.as_slice(), &whole].concat()),
        ("not gzip", Tape::skill().ended()),
        ("text", b"this is no archive".to_vec()),
        ("empty file", Vec::new()),
        ("zip", b"PK\x03\x04\x14\x00\x00\x00\x08\x00".to_vec()),
    ]
}

fn honest() -> Vec<(&'static str, Vec<u8>)> {
    let long = format!("{AT}/references/{}.md", "n".repeat(180));
    let deep = format!("{AT}/{}f.md", "d/".repeat(12));
    vec![
        ("plain", Tape::skill().packed()),
        ("with directories", Tape::default().directory(&at("")).file(SKILL, HEAD).packed()),
        ("leading dot", Tape::default().directory("./").file(&format!("./{SKILL}"), HEAD).packed()),
        ("executable", Tape::skill().moded(&at("scripts/run.sh"), 0o755).packed()),
        ("empty directory", Tape::skill().directory(&at("assets/")).packed()),
        ("empty file", Tape::skill().file(&at("assets/.keep"), b"").packed()),
        ("long name", Tape::skill().file(&long, b"x").packed()),
        ("deep name", Tape::skill().file(&deep, b"x").packed()),
        ("accents", Tape::skill().file(&format!("{AT}/references/caf\u{e9}.md"), b"x").packed()),
        ("spaces", Tape::skill().file(&at("references/a b.md"), b"x").packed()),
        ("PAX times", Tape::default().pax(&[("mtime", "1500000000.5")]).file(SKILL, HEAD).packed()),
        ("two copies", Tape::skill().file(".gemini/skills/demo/SKILL.md", HEAD).packed()),
        ("padded", gzip(&[Tape::skill().ended(), vec![0; 8192]].concat())),
    ]
}

fn ready() -> World {
    let world = World::two();
    let canary = world.outside().join("canary");
    fs::create_dir(&canary).unwrap();
    fs::write(canary.join("bird"), "sings").unwrap();
    fs::set_permissions(canary.join("bird"), fs::Permissions::from_mode(0o640)).unwrap();
    world
}

/// Everything outside the project's `.hefesto/`, but the archive itself.
fn outside(world: &World) -> BTreeMap<String, String> {
    picture(&world.outside(), &[".hefesto", "given.tar.gz"])
}

#[test]
fn an_evil_archive_is_refused_with_a_reason_and_nothing_is_touched() {
    let world = ready();
    let given = world.outside().join("given.tar.gz");
    let mut before = outside(&world);
    let all = evil();
    assert!(all.len() >= 80, "{}", all.len());
    let mut wrong = Vec::new();
    for (kind, bytes) in &all {
        fs::write(&given, bytes).unwrap();
        let said = world.run(&["restore", given.to_str().unwrap(), "--yes"]);
        let refused = ["E-IO-001", "E-RESTORE-002"].iter().any(|code| said.err.contains(&format!("ERROR [{code}]: ")));
        let raw = said.err.chars().any(|c| c != '\n' && (c.is_control() || ('\u{202a}'..='\u{202e}').contains(&c)));
        if said.exit.number() != 1 || !refused || raw {
            wrong.push(format!("{kind}: exit {}: {}", said.exit.number(), said.err.escape_debug()));
        }
        if outside(&world) != before {
            wrong.push(format!("{kind}: something was touched"));
            for at in [".claude/skills", ".gemini/skills"] {
                let _ = fs::remove_dir_all(world.path(at));
                fs::create_dir(world.path(at)).unwrap();
            }
            before = outside(&world);
        }
        world.nothing_left_over();
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), all.len(), wrong.join("\n"));
}

#[test]
fn an_honest_archive_is_restored() {
    for (kind, bytes) in honest() {
        let world = ready();
        let given = world.outside().join("given.tar.gz");
        fs::write(&given, bytes).unwrap();
        let said = world.run(&["restore", given.to_str().unwrap(), "--yes"]);
        assert_eq!(said.exit.number(), 0, "{kind}: {}", said.err);
        assert_eq!(world.read(SKILL).as_bytes(), HEAD, "{kind}");
        assert_eq!(fs::read_dir(world.outside().join("canary")).unwrap().count(), 1, "{kind}");
    }
}

#[test]
fn what_was_taken_here_comes_back_however_odd() {
    let world = World::holding_the_skill();
    world.write(&format!("{CLAUDE}/references/con.md"), "x");
    world.write_skill(GEMINI, "no head at all");
    let before = world.picture();
    world.at("2026-02-05T10:01:00Z").run(&["delete", NAME, "--yes"]).is(0);
    assert!(!world.exists(CLAUDE) && !world.exists(GEMINI));
    let backup = fs::read_dir(world.path(".hefesto/backups")).unwrap().next().unwrap().unwrap().path();
    world.at("2026-02-05T10:02:00Z").run(&["restore", backup.to_str().unwrap(), "--yes"]).is(0);
    let skills = |all: BTreeMap<String, String>| -> Vec<_> {
        all.into_iter().filter(|(path, _)| path.contains("skills/")).collect()
    };
    assert_eq!(skills(world.picture()), skills(before));
}
